"""The room that Graphviz gives to a line of text, from the widths of the book's fonts. Pure.

Every font name stands for one of two families: Arimo, or DejaVu Sans Mono if the name is that of a monospaced font.
Text in Arimo gets some extra room, because a reader's font may be wider than Arimo, and a bold font even more so.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from figmill import font_metrics
from figmill.kind.typefaces import MONO_SIGNS

# Flags of a font in an HTML-like label.
BOLD, ITALIC = 1 << 0, 1 << 1
BOLD_SIGNS, ITALIC_SIGNS = ("bold", "demi", "black", "heavy"), ("italic", "oblique")

WIDER = {False: 1.06, True: 1.1}  # whether it is bold -> room for wider fonts
PIXEL = 0.75  # points; the height of a line is a whole number of pixels
STEP = 0.25  # points; a width is rounded up to a multiple of this, so that a platform's last digits have no effect
MIDDLE = 0.05  # em between the middle of a line and the height at which Graphviz centres it


class Room(NamedTuple):
    """The room for a line, in points.

    - baseline: from the top of the line.
    - middle: how far below the line's middle the text is centred.
    - natural: the width in the book's font.
    """

    width: float
    height: float
    baseline: float
    middle: float
    natural: float


@lru_cache(maxsize=16384)
def of(text: bytes, name: bytes, size: float, flags: int = 0, fonts: tuple[str, ...] = ()) -> Room:
    """The room for a line of text in UTF-8. name: of the font. flags: those of the HTML-like label.

    fonts: the book's own, for characters that the shipped ones lack.
    """
    bold, italic, mono = style(name.decode("utf-8", "replace"), flags)
    width = font_metrics.width(text.decode("utf-8", "replace"), bold, italic, mono, fonts) * size
    above, below = (math.ceil(part * size / PIXEL) * PIXEL for part in font_metrics.line(bold, italic, mono))
    wider = 1.0 if mono else WIDER[bold]
    return Room(_rounded_up(width * wider), above + below, above, MIDDLE * size, width)


def style(name: str, flags: int = 0) -> tuple[bool, bool, bool]:
    """Whether a font is bold, italic, monospaced."""
    lowered = name.casefold()
    return (
        bool(flags & BOLD) or any(sign in lowered for sign in BOLD_SIGNS),
        bool(flags & ITALIC) or any(sign in lowered for sign in ITALIC_SIGNS),
        any(sign in lowered for sign in MONO_SIGNS),
    )


def _rounded_up(width: float) -> float:
    return math.ceil(round(width / STEP, 6)) * STEP
