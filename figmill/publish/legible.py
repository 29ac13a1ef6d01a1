"""The narrowest legible width of a figure, whose smallest text keeps LEAST px, and the initial scroll position. Pure.

A page sets this by a class, because some pages allow no style attributes; figmill.css has a rule for each class.
"""

from __future__ import annotations

import math

LEAST = 9.0  # px of the smallest text in a page
GROWTH = 1.5  # the most that a figure with smaller text is enlarged
STEP, FIRST, LAST = 10, 200, 1600  # px: the widths that figmill.css has a class for
WHOLE = "figmill-whole"  # the class of a figure that never gets narrower
LEFTWARD = "figmill-leftward"  # the class of the box of pictures that begin at their right end
TURNED = ("dot",)  # the kinds whose layout runs from right to left in a language that does


def shown_width(width: float, smallest: float) -> float:
    """The width of a figure in a page that does not ask for another one, in px; larger if its text needs it."""
    return width * min(GROWTH, LEAST / smallest) if 0 < smallest < LEAST else width


def whole_size(width: float, height: float, shown: float) -> tuple[int, int]:
    """The width and height of an image in a page, in whole numbers, as HTML wants them.

    The height fits the rounded width, so a page moves by half a pixel at most when the picture loads.
    """
    return round(shown), round(round(shown) * height / (width or 1))


def box_class(is_leftward: bool) -> str:
    """The classes of the box around the pictures of a figure, which scrolls if they do not fit."""
    return f"figmill-picture {LEFTWARD}" if is_leftward else "figmill-picture"


def class_of(width: float, smallest: float, shown: float | None = None) -> str:
    """The class that keeps a figure legible; empty if every screen is wide enough.

    width: its own, in px; smallest: its smallest text at that width, in px, or 0. shown: the width in the page.
    """
    if not smallest or width <= 0:
        return ""
    shown = shown_width(width, smallest) if shown is None else shown
    least = STEP * math.ceil(width * LEAST / smallest / STEP)
    if least < FIRST or shown < FIRST:
        return ""
    return f"figmill-min-{least}" if least <= min(shown, LAST) else WHOLE
