"""Formulas in TeX's notation, set by matplotlib's mathtext with the book's fonts.

They are text where readers' fonts have their signs; a formula with a radical or a tall bracket is shapes. The plots of
matplotlib and the labels of diagrams share these rules.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from lxml import etree

from figmill import font_metrics
from figmill.kind import typefaces
from figmill.late_dataclasses import dataclass

SVG = "{http://www.w3.org/2000/svg}"
OWN = (typefaces.SANS, typefaces.MONO)
DOT = {0x22C5: "·"}  # the dot operator: the middle dot looks the same, and every font has it
# Commands of TeX that mathtext has under another name.
SAME = dict(
    re.findall(
        r"(\w+) (\S+)",
        r"lt < gt > mid | lvert | rvert | lVert \| rVert \| land \wedge lor \vee lnot \neg dots \ldots tfrac \frac "
        r"implies \Rightarrow impliedby \Leftarrow iff \Leftrightarrow textbf \mathbf textit \mathit textrm \mathrm "
        r"texttt \mathtt",
    )
)
UNIT = 100.0  # px of the size at which a formula is set
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_SAID = re.compile(r"\w+:\s*(.*?)(?:, found .*?)?\s*\(at char \d+\)")
_UNKNOWN = re.compile(r"Unknown symbol: (\\[A-Za-z]+|\\.)")
_LETTERS = {1: "M", 2: "L", 3: "Q", 4: "C", 79: "Z"}
_LENGTHS = {"M": 1, "L": 1, "Q": 2, "C": 3, "Z": 1}
Points = tuple[tuple[float, float], ...]


class FormulaError(ValueError):
    """Why a formula cannot be set."""


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of one face on one line, each with its left end; up: above the formula's own line."""

    text: str
    places: tuple[float, ...]
    up: float
    size: float
    face: str  # of CSS's `font`: slant and weight
    family: str

    def font(self, by: float = 1.0) -> str:
        return f"font: {self.face} {self.size * by:.6g}px {self.family}"


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as it is set at UNIT: runs of text with bars, or outlines of shapes; up is positive."""

    width: float
    ascent: float
    descent: float
    runs: tuple[Run, ...]
    bars: tuple[tuple[float, float, float, float], ...]  # left, bottom, width, height
    outlines: tuple[tuple[str, Points], ...]  # letters of commands, and their points

    def drawn(self, size: float, left: float, baseline: float) -> Iterator[etree._Element]:
        """Its elements. size: of the font, in px; left, baseline: where it begins."""
        by = size / UNIT
        if self.runs:
            text = etree.Element(f"{SVG}text")
            for run in self.runs:
                places = " ".join(f"{left + place * by:.2f}" for place in run.places)
                part = etree.SubElement(text, f"{SVG}tspan", x=places, y=f"{baseline - run.up * by:.2f}")
                part.set("style", run.font(by))
                part.text = run.text
            yield text
        for at, bottom, width, height in self.bars:
            sides = {
                "x": left + at * by,
                "y": baseline - (bottom + height) * by,
                "width": width * by,
                "height": height * by,
            }
            yield etree.Element(f"{SVG}rect", {name: f"{side:.2f}" for name, side in sides.items()})
        if self.outlines:
            paths = (_path(letters, points, by, left, baseline) for letters, points in self.outlines)
            yield etree.Element(f"{SVG}path", d="".join(paths))


def _path(letters: str, points: Points, by: float, left: float, baseline: float) -> str:
    parts, at = [], 0
    while at < len(letters):
        letter = letters[at]
        group = points[at : at + _LENGTHS[letter]]
        at += _LENGTHS[letter]
        numbers = " ".join(f"{left + x * by:.2f} {baseline - y * by:.2f}" for x, y in group)
        parts.append("Z" if letter == "Z" else f"{letter}{numbers}")
    return "".join(parts)


@lru_cache(maxsize=512)
def formula(text: str, fonts: tuple[str, ...] = ()) -> Formula:
    """Set a formula. text: without its dollar signs. fonts: paths of the book's own. Raises FormulaError."""
    import matplotlib
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    _register(fonts)
    mathtext = f"${_COMMAND.sub(lambda match: SAME.get(match[1], match[0]), text)}$"
    with matplotlib.rc_context({**typefaces.RC, **typefaces.PINNED}):
        prop: Any = FontProperties(size=UNIT)
        try:
            parsed = text_to_path.mathtext_parser.parse(mathtext, 72, prop)
        except ValueError as error:
            raise FormulaError(_cause(str(error))) from None
        runs, bars = (
            tuple(runs_of(parsed.glyphs)),
            tuple((float(x), float(y), float(w), float(h)) for x, y, w, h in parsed.rects),
        )
        outlines: tuple[tuple[str, Points], ...] = ()
        if not is_text(parsed.glyphs):
            runs, bars, outlines = (), (), tuple(_outlines(*text_to_path.get_glyphs_mathtext(prop, mathtext)))
    width, height, depth = (float(side) for side in (parsed.width, parsed.height, parsed.depth))
    return Formula(width, height - depth, depth, runs, bars, outlines)


def _outlines(glyphs: Any, shapes: Any, lines: Any) -> Iterator[tuple[str, Points]]:
    for name, left, up, scale in glyphs:
        points, codes = shapes[name]
        letters = "".join(_LETTERS[int(code)] for code in codes)
        yield letters, tuple((float(left + x * scale), float(up + y * scale)) for x, y in points)
    for points, codes in lines:
        yield "".join(_LETTERS[int(code)] for code in codes), tuple((float(x), float(y)) for x, y in points)


@cache
def _register(fonts: tuple[str, ...]) -> None:
    """Let matplotlib know the book's fonts, unless this process draws plots and has done so."""
    from matplotlib import font_manager

    if not any(entry.name == typefaces.FALLBACK for entry in font_manager.fontManager.ttflist):
        typefaces.register_with_matplotlib(Path(name) for name in fonts)


def _cause(message: str) -> str:
    """What mathtext says of a formula, in one line."""
    if unknown := _UNKNOWN.search(message):
        return f"mathtext has no command {unknown[1]}"
    said = _SAID.search(message.strip().splitlines()[-1]) if message.strip() else None
    return said[1][:1].lower() + said[1][1:] if said else "it cannot be read"


def is_text(glyphs: Sequence[Any]) -> bool:
    """Whether readers' fonts have all characters of a formula, in their place and size."""
    return all(font.family_name in OWN or _is_common(font.family_name, code) for font, _, code, *_ in glyphs)


def _is_common(family: str, code: int) -> bool:
    """Whether text fonts have a character that Arimo lacks; never for tall brackets, accents and radicals."""
    return code in DOT or (
        family == "STIXGeneral"
        and unicodedata.category(chr(code)) in ("Sm", "Ps", "Pe", "Po")
        and chr(code) != "√"  # it would not join its bar
        and bool(_symbols().get_char_index(code))
    )


@cache
def _symbols() -> Any:
    """A font that represents the characters available on most machines."""
    from matplotlib.ft2font import FT2Font

    return FT2Font(str(font_metrics.matplotlib_folder() / "DejaVuSans.ttf"))


def forget_symbols() -> None:
    """Close the font that is_text() opened."""
    _symbols.cache_clear()


def runs_of(glyphs: Sequence[Any]) -> Iterator[Run]:
    """The characters of a formula in reading order.

    matplotlib itself writes them sorted by style, which makes a formula impossible to read aloud or copy.
    """
    signs = [
        (*_face(font), float(size), float(up), float(at), DOT.get(code, chr(code)))
        for font, size, code, _, at, up in glyphs
    ]
    for (face, family, size, up), group in groupby(signs, key=lambda sign: sign[:4]):
        part = list(group)
        while part and part[0][5].isspace():  # SVG joins white space between two tspans anyway
            del part[0]
        while part and part[-1][5].isspace():
            del part[-1]
        if part:
            yield Run(
                "".join(sign[5] for sign in part), tuple(sign[4] for sign in part), up, size, face, family
            )


def _face(font: Any) -> tuple[str, str]:
    """Slant and weight of a face chosen by mathtext, and its family in CSS."""
    name = font.style_name.casefold()
    slant = "italic" if "italic" in name or "oblique" in name else "normal"
    weight = "bold" if "bold" in name else "normal"
    return f"{slant} {weight}", "monospace" if font.family_name == typefaces.MONO else "sans-serif"
