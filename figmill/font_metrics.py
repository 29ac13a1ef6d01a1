"""The widths of text, and the characters that no font has, from the fonts that figures are drawn with.

Unaware of SVG. Arimo has the advance widths of Arial and Helvetica; code is DejaVu Sans Mono, which matplotlib ships.
Each is read once per process.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from figmill import arabic, sfnt
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
# For readers without the book's fonts: the widest of the usual fallbacks, about as wide as Verdana.
WIDE = {
    (False, False): "DejaVuSans.ttf",
    (True, False): "DejaVuSans-Bold.ttf",
    (False, True): "DejaVuSans-Oblique.ttf",
    (True, True): "DejaVuSans-BoldOblique.ttf",
}
# The fonts of a figure: the book font, code, and mathtext's own symbols.
SHIPPED = ("Arimo-Regular.ttf", "DejaVuSansMono.ttf", "DejaVuSans.ttf")
SPARE = 1.03  # allows for hinting, and for pages that scale the figure
SLACK = 1.05  # Helvetica Neue comes first among its lookalikes in some font lists, and is up to 4 % wider


def measure(text: str, size: float, bold: bool = False, italic: bool = False, mono: bool = False) -> float:
    """The advance width of `text` in units of `size`, without kerning."""
    return width(text, bold, italic, mono) * size


@lru_cache(maxsize=16384)
def width(
    text: str, bold: bool = False, italic: bool = False, mono: bool = False, fonts: tuple[str, ...] = ()
) -> float:
    """The advance width in em. fonts: files with characters that the shipped font lacks."""
    return _width(text, (MONO if mono else FACES)[bold, italic], fonts)


@lru_cache(maxsize=16384)
def fallback(text: str, bold: bool = False, italic: bool = False, mono: bool = False) -> float:
    """The width in em in the widest font that a reader may have; monospaced fonts are all about 0.6 em wide."""
    own = width(text, bold, italic, mono)
    return own if mono else max(SLACK * own, _width(text, WIDE[bold, italic]))


@lru_cache(maxsize=16384)
def widest(text: str, px: float, bold: bool = False, italic: bool = False, mono: bool = False) -> float:
    """The `fallback` width in em plus what a browser may add at this size: some round each advance to whole pixels."""
    natural = fallback(text, bold, italic, mono)
    if mono or px <= 0:
        return natural
    ppem = max(1, round(px))
    advances = _shipped(WIDE[bold, italic])
    text = arabic.joined(text) if arabic.has_letters(text) else text
    rounded = sum([math.floor(advances.get(ord(letter), 0.0) * ppem + 0.5) for letter in text]) / px
    return max(natural, SPARE * _width(text, WIDE[bold, italic]), SPARE * rounded)


@lru_cache(maxsize=8)
def line(bold: bool = False, italic: bool = False, mono: bool = False) -> tuple[float, float]:
    """How far a line of text reaches above and below its baseline, in em."""
    return sfnt.heights(path_of((MONO if mono else FACES)[bold, italic]))


def _width(text: str, face: str, fonts: tuple[str, ...] = ()) -> float:
    advances = _shipped(face)
    if arabic.has_letters(text):
        text = arabic.joined(text)
    try:
        return sum([advances[ord(character)] for character in text])
    except KeyError:
        return math.fsum(advances.get(ord(character)) or _elsewhere(character, fonts) for character in text)


def _elsewhere(character: str, fonts: tuple[str, ...] = ()) -> float:
    """The width in em of a character that the font lacks, so that readers see it in another font."""
    for path in fonts:
        if advance := _advances(path).get(ord(character)):
            return advance
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    advances = _shipped(WIDE[False, False])
    if advance := advances.get(ord(character)):
        return advance
    letters = arabic.letters_of(character)  # a font may lack the joined form of a letter that it has
    return sum(_elsewhere(letter, fonts) for letter in letters) if letters != character else advances[None]


def missing(text: str, fonts: Iterable[str] = ()) -> tuple[str, ...]:
    """The characters missing from the shipped fonts and from `fonts` (files), once each, in code point order."""
    wanted = {character for character in text if ord(character) > 0x7E and not character.isspace()}
    for read, name in (*((_shipped, name) for name in SHIPPED), *((_advances, font) for font in fonts)):
        if not wanted:
            break
        advances = read(str(name))
        wanted = {character for character in wanted if ord(character) not in advances}
    return tuple(sorted(wanted))


@lru_cache(maxsize=16)
def code_points(path: str) -> frozenset[int]:
    """The characters that a font file has."""
    return frozenset(code for code in _advances(path) if code is not None)


def widths(name: str) -> dict[int, float]:
    """The advance width in em of every character of a shipped font, by code point."""
    return {code: width for code, width in _shipped(name).items() if code is not None}


def faces() -> dict[str, dict[str, Any]]:
    """The widths of all characters, and the height of a line, in em, of each face: what a script measures with.

    The names are "sans" and "mono", with " bold" and " italic" after them.
    """
    by_name: dict[str, dict[str, Any]] = {}
    for family, names in (("sans", FACES), ("mono", MONO)):
        for (bold, italic), name in names.items():
            above, below = line(bold, italic, family == "mono")
            by_name[f"{family}{' bold' * bold}{' italic' * italic}"] = {
                "widths": widths(name),
                "ascent": above,
                "descent": below,
                "xHeight": 0.52,
            }
    return by_name


@lru_cache(maxsize=16)
def path_of(name: str) -> str:
    """The path of one of the book's fonts."""
    return str((FONTS if name.startswith("Arimo") else matplotlib_folder()) / name)


def matplotlib_folder() -> Path:
    """The folder of matplotlib's fonts, found without importing matplotlib. Raises ToolError if it is missing."""
    spec = find_spec("matplotlib")
    if spec is None or not spec.submodule_search_locations:
        from figmill.errors import ToolError  # only here: figmill.svg does not need it

        raise ToolError(
            "matplotlib is not installed, and its fonts are needed for every figure: install figmill again, "
            "with `make` in a checkout or pip elsewhere"
        )
    return Path(spec.submodule_search_locations[0]) / "mpl-data" / "fonts" / "ttf"


@lru_cache(maxsize=32)
def _advances(path: str) -> dict[int | None, float]:
    """Advance widths in em by code point; the key None has the width of a missing character."""
    from fontTools.ttLib import TTFont

    with TTFont(path, lazy=True, fontNumber=0) as font:
        # Glyphs are looked up by number: reading their names takes longer than everything else.
        font.setGlyphOrder([str(number) for number in range(font.getGlyphCount())])
        em = font["head"].unitsPerEm
        widths = font["hmtx"].metrics
        advances: dict[int | None, float] = {
            code: widths[glyph][0] / em for code, glyph in font.getBestCmap().items()
        }
        advances[None] = widths["0"][0] / em  # the first glyph stands for every missing character
    return advances


@lru_cache(maxsize=16)
def _shipped(name: str) -> dict[int | None, float]:
    """The same of one of the book's fonts."""
    with suppress(sfnt.OtherFormatError):
        return sfnt.advances(path_of(name))
    return _advances(path_of(name))
