"""The layout of a text: runs placed one after another with the metrics of the book's fonts.

Knows nothing of paints or of what lies behind the text. Left out: text along a path, vertical text, rotated glyphs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from figmill.font_metrics import width
from figmill.late_dataclasses import dataclass
from figmill.svg.document import Element
from figmill.svg.geometry.outlines import Point
from figmill.svg.xml.numbers import LARGEST
from figmill.svg.xml.units import LENGTH, PX

INITIAL_SIZE = 16.0
TINIEST = 1e-6  # user units: smaller text is ignored
# The height of the middle of lower-case letters above y, by dominant-baseline; in em.
MIDDLE = {"middle": 0.0, "central": 0.0, "hanging": -0.35, "text-before-edge": -0.5}
BASELINE = 0.3
HEIGHT = 0.4  # em, above and below the middle of the text
SHARE = {"middle": 0.5, "end": 1.0}  # share of the text's width before its anchor
# Font stacks for drawings that keep their own kind of font, and their widths relative to Arial.
SERIF = "'Times New Roman', Times, serif"
BROAD = "Verdana, 'DejaVu Sans', sans-serif"
NARROW = "'Arial Narrow', 'Roboto Condensed', sans-serif"
OFFICE = "Calibri, Carlito, sans-serif"
WIDTHS = {SERIF: 0.91, OFFICE: 0.9, BROAD: 1.12, NARROW: 0.82}
NAMED = {
    "xx-small": 0.6,
    "x-small": 0.625,
    "small": 0.8125,
    "medium": 1.0,
    "large": 1.125,
    "x-large": 1.5,
    "xx-large": 2.0,
}
RELATIVE = {"em": 1.0, "ex": 0.5, "%": 0.01}


@dataclass(frozen=True, slots=True)
class TextStyle:
    """The font properties that decide where text stands.

    - level: text runs from left to right.
    """

    size: float = INITIAL_SIZE
    bold: bool = False
    italic: bool = False
    mono: bool = False
    anchor: str = "start"
    baseline: str = "auto"
    letters: float = 0.0
    words: float = 0.0
    level: bool = True
    stretch: float = 1.0  # widths relative to the book's font

    def of(self, attrib: dict[str, str]) -> TextStyle:
        """This style with an element's own attributes applied."""
        return _style(self, *map(attrib.get, PROPERTIES))


PROPERTIES = (
    "font-size",
    "font-weight",
    "font-style",
    "font-family",
    "text-anchor",
    "dominant-baseline",
    "letter-spacing",
    "word-spacing",
    "writing-mode",
    "direction",
)


@lru_cache(maxsize=1024)
def _style(
    type_: TextStyle,
    size: str | None,
    weight: str | None,
    style: str | None,
    family: str | None,
    anchor: str | None,
    baseline: str | None,
    letters: str | None,
    spacing: str | None,
    mode: str | None,
    direction: str | None,
) -> TextStyle:
    height = type_.size if size is None else _size(size, type_.size)
    return TextStyle(
        size=height,
        bold=type_.bold if weight is None else weight in ("bold", "bolder", "600", "700", "800", "900"),
        italic=type_.italic if style is None else style != "normal",
        mono=type_.mono if family is None else "monospace" in family,
        anchor=anchor or type_.anchor,
        baseline=baseline or type_.baseline,
        letters=type_.letters if letters is None else length(letters, height, 0.0),
        words=type_.words if spacing is None else length(spacing, height, 0.0),
        stretch=type_.stretch if family is None else WIDTHS.get(family, 1.0),
        level=type_.level and (mode or "lr").startswith(("lr", "horizontal")) and direction != "rtl",
    )


@dataclass(slots=True)
class TextRun:
    """Text of one element.

    - x, y: a new absolute position, if any.
    - dx, dy: offsets from the end of the last run.
    """

    node: Element
    text: str
    type: TextStyle
    x: tuple[float, ...] = ()
    y: float | None = None
    dx: float | None = None
    dy: float | None = None
    width: float = 0.0
    rigid: bool = False  # equally wide in any font: it has a textLength, or positions for each letter
    left: float = 0.0  # x of its start, after layout
    base: float = 0.0  # y of its baseline, after layout


def _size(text: str, size: float) -> float:
    if text in NAMED:
        return INITIAL_SIZE * NAMED[text]
    value = {"smaller": size / 1.2, "larger": size * 1.2}.get(text) or length(text, size, size)
    return min(value, LARGEST) if value >= TINIEST else 0.0


@lru_cache(maxsize=4096)
def length(text: str, size: float, otherwise: float) -> float:
    """A length in user units, relative units by `size`; `otherwise` if the text is not a length."""
    match = LENGTH.fullmatch(text)
    if match is None or match[2].lower() not in {**PX, **RELATIVE}:
        return otherwise
    unit = match[2].lower()
    value = float(match[1]) * (RELATIVE[unit] * size if unit in RELATIVE else PX[unit])
    return max(-LARGEST, min(LARGEST, value))


def places(
    text: Element, type_: TextStyle
) -> Iterator[tuple[Element, str, tuple[Point, ...], tuple[Point, ...]]]:
    """For each run: its element, its text, the points to test for contrast, and its corners."""
    for chunk in chunks(text, type_):
        for run in chunk:
            yield run.node, run.text, _places(run), _corners(run)


def chunks(text: Element, type_: TextStyle) -> list[list[TextRun]]:
    """The runs of a text after layout, grouped into lines by their anchor."""
    runs: list[TextRun] = []
    _gather(text, type_, runs, False)
    lines: list[list[TextRun]] = []
    for run in runs:
        if run.x or run.y is not None or not lines:
            lines.append([run])
        else:
            lines[-1].append(run)
    x = y = 0.0
    if "textLength" in text.attrib and runs:
        _stretch(runs, length(text.attrib["textLength"], type_.size, 0.0))
    for chunk in lines:
        first = chunk[0]
        x = (first.x[0] if first.x else x) + (first.dx or 0.0)
        y = first.y if first.y is not None else y
        if first.type.anchor in SHARE:
            shifts = sum([run.dx or 0.0 for run in chunk[1:]])
            x -= SHARE[first.type.anchor] * (sum([run.width for run in chunk]) + shifts)
        for run in chunk:
            if run is not first:
                x += run.dx or 0.0
            y += run.dy or 0.0
            run.left, run.base = x, y
            x += run.width
    return lines


def _gather(node: Element, type_: TextStyle, runs: list[TextRun], rigid: bool) -> None:
    attrib = node.attrib
    rigid = rigid or "textLength" in attrib or "rotate" in attrib or type_.stretch != 1.0
    x = tuple([length(word, type_.size, 0.0) for word in attrib["x"].split()]) if "x" in attrib else ()
    y = length(attrib["y"].split(" ", 1)[0], type_.size, 0.0) if attrib.get("y") else None
    start: TextRun | None = TextRun(node, "", type_, x, y, rigid=rigid)  # waits for its first text
    for name in ("dx", "dy"):
        if attrib.get(name):
            setattr(start, name, length(attrib[name].split()[0], type_.size, 0.0))
    before = len(runs)
    for child in node.children:
        if isinstance(child, str):
            if child.strip():
                run = start or TextRun(node, "", type_, rigid=rigid)
                run.text, run.width = child, _width(child, type_)
                if len(x) > 1 and run.x:  # a position for each letter: from the first to the end of the last
                    run.width = max(x) - x[0] + run.width / len(child)
                    run.rigid = True
                runs.append(run)
                start = None
        elif child.tag == "tspan":
            first = len(runs)
            _gather(child, type_.of(child.attrib), runs, rigid)
            if len(runs) > first and start is not None:
                mine = runs[first]  # of each attribute, the innermost counts
                mine.x = mine.x or start.x
                mine.y = start.y if mine.y is None else mine.y
                mine.dx = start.dx if mine.dx is None else mine.dx
                mine.dy = start.dy if mine.dy is None else mine.dy
                start = None
    if "textLength" in attrib and node.tag == "tspan":
        _stretch(runs[before:], length(attrib["textLength"], type_.size, 0.0))


def _width(text: str, type_: TextStyle) -> float:
    advance = width(text, type_.bold, type_.italic, type_.mono) * type_.size * type_.stretch
    if type_.letters or type_.words:
        advance += type_.letters * len(text) + type_.words * text.count(" ")
    return advance


def _stretch(runs: list[TextRun], whole: float) -> None:
    """Scale the runs to the textLength of their element."""
    natural = sum(run.width for run in runs)
    for run in runs:
        run.width *= whole / natural if natural else 1.0


def _places(run: TextRun) -> tuple[Point, ...]:
    """The middle of the text, and a point just inside each end."""
    x, y = run.left, run.base - MIDDLE.get(run.type.baseline, BASELINE) * run.type.size
    inset = min(0.4 * run.type.size, run.width / 2)
    middle = (x + run.width / 2, y)
    return (middle,) if run.width < run.type.size else (middle, (x + inset, y), (x + run.width - inset, y))


def _corners(run: TextRun) -> tuple[Point, ...]:
    """The corners of the box around the text, without descenders."""
    middle = run.base - MIDDLE.get(run.type.baseline, BASELINE) * run.type.size
    half = HEIGHT * run.type.size
    left, right = run.left, run.left + run.width
    return (left, middle - half), (right, middle - half), (right, middle + half), (left, middle + half)
