"""How wide a word is, and which characters no font has: read from the fonts that figures are made with.

Unaware of SVG. Arimo's advance widths are those of Arial and Helvetica; code is DejaVu Sans Mono, which
matplotlib ships. Only `cmap` and `hmtx` are read, once a process.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from figmill.paths import FONTS

FACES = {
    (False, False): "Arimo-Regular.ttf",
    (True, False): "Arimo-Bold.ttf",
    (False, True): "Arimo-Italic.ttf",
    (True, True): "Arimo-BoldItalic.ttf",
}
MONO = {
    (False, False): "DejaVuSansMono.ttf",
    (True, False): "DejaVuSansMono-Bold.ttf",
    (False, True): "DejaVuSansMono-Oblique.ttf",
    (True, True): "DejaVuSansMono-BoldOblique.ttf",
}
# What readers have who have none of the book's fonts: the widest of the usual ones, about as wide as Verdana.
WIDE = {
    (False, False): "DejaVuSans.ttf",
    (True, False): "DejaVuSans-Bold.ttf",
    (False, True): "DejaVuSans-Oblique.ttf",
    (True, True): "DejaVuSans-BoldOblique.ttf",
}
# What a figure may be written in: the book font, code, and mathtext's own symbols.
SHIPPED = ("Arimo-Regular.ttf", "DejaVuSansMono.ttf", "DejaVuSans.ttf")
SPARE = 1.03  # what hinting adds, and a page that shows the figure larger or smaller
SLACK = 1.05  # Helvetica Neue, before the fonts that it shares its look with, is up to 4 % wider


def measure(text: str, size: float, bold: bool = False, italic: bool = False, mono: bool = False) -> float:
    """The advance width of `text` in the units of `size`, without kerning, as Graphviz and browsers lay it out."""
    return width(text, bold, italic, mono) * size


@lru_cache(maxsize=16384)
def width(text: str, bold: bool = False, italic: bool = False, mono: bool = False) -> float:
    """The advance width in em."""
    return _width(text, (MONO if mono else FACES)[bold, italic])


@lru_cache(maxsize=16384)
def fallback(text: str, bold: bool = False, italic: bool = False, mono: bool = False) -> float:
    """The width in the widest font that a reader may have, in em; monospaced fonts are all about 0.6 em wide."""
    own = width(text, bold, italic, mono)
    return own if mono else max(SLACK * own, _width(text, WIDE[bold, italic]))


@lru_cache(maxsize=16384)
def widest(text: str, px: float, bold: bool = False, italic: bool = False, mono: bool = False) -> float:
    """The same with what a browser may add at this size, in em: some give each letter whole pixels, as a font of a
    whole number of pixels has it."""
    natural = fallback(text, bold, italic, mono)
    if mono or px <= 0:
        return natural
    ppem = max(1, round(px))
    advances = _advances(path_of(WIDE[bold, italic]))
    rounded = sum([math.floor(advances.get(ord(letter), 0.0) * ppem + 0.5) for letter in text]) / px
    return max(natural, SPARE * _width(text, WIDE[bold, italic]), SPARE * rounded)


def _width(text: str, face: str) -> float:
    advances = _advances(path_of(face))
    try:
        return sum([advances[ord(character)] for character in text])
    except KeyError:
        return sum(advances.get(ord(character)) or _elsewhere(character) for character in text)


def _elsewhere(character: str) -> float:
    """The width of a character that the font in use does not have, in em: in readers' eyes it comes from another."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    advances = _advances(path_of(WIDE[False, False]))
    return advances.get(ord(character)) or advances[None]


def missing(text: str, fonts: Iterable[str] = ()) -> tuple[str, ...]:
    """The characters that neither the shipped fonts nor `fonts` (files) have, once each, in order of code."""
    wanted = {character for character in text if ord(character) > 0x7E and not character.isspace()}
    for path in (*(path_of(name) for name in SHIPPED), *fonts):
        if not wanted:
            break
        advances = _advances(str(path))
        wanted = {character for character in wanted if ord(character) not in advances}
    return tuple(sorted(wanted))


@lru_cache(maxsize=16)
def code_points(path: str) -> frozenset[int]:
    """The characters that a font file has."""
    return frozenset(code for code in _advances(path) if code is not None)


@lru_cache(maxsize=16)
def path_of(name: str) -> str:
    """Where one of the book's fonts lies."""
    if name.startswith("Arimo"):
        return str(FONTS / name)
    spec = find_spec("matplotlib")
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"matplotlib, which ships {name}, is not installed")
    return str(Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf" / name)


@lru_cache(maxsize=32)
def _advances(path: str) -> dict[int | None, float]:
    """Advance width by code point, in em; None: that of a missing character."""
    from fontTools.ttLib import TTFont

    with TTFont(path, lazy=True, fontNumber=0) as font:
        em = font["head"].unitsPerEm
        widths = font["hmtx"].metrics
        found: dict[int | None, float] = {
            code: widths[name][0] / em for code, name in font.getBestCmap().items()
        }
        found[None] = widths[".notdef"][0] / em
    return found
