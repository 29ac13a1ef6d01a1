"""Names of containers: no larger than those of what they contain; and those that readers cannot read.

A later shape covers such a name, or a connection crosses it: dagre gives names no room of their own. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lxml import etree

from figmill.kind import font_metrics

SHAPE, CONNECTION = "another shape", "a connection"  # what hides a letter
SVG = "{http://www.w3.org/2000/svg}"
SHAPE_SIZE = 16.0  # px of the name of a shape
TALL = 0.72  # em: the height of a capital
CORE = 0.15  # em at each side of a name, where a line touches no letter
INK = 0.8  # share of a letter's width that is not white
STEP = 4.0  # px between two samples of a line
_COMMAND = re.compile(r"([MLCS])([^A-Za-z]*)")
MOVED = re.compile(r"translate\((-?[\d.]+)[ ,]+(-?[\d.]+)\)")
_SIZE = re.compile(r"font-size:\s*([\d.]+)px")

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle in px."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a container.

    - letter: the ink of its narrower end, in px.
    - order: that of painting.
    """

    words: str
    box: Rectangle
    letter: float
    order: int


def unreadable(named: Sequence[tuple[str, etree._Element]], holders: set[str]) -> tuple[tuple[str, str], ...]:
    """The names with a hidden letter, each with what hides it. named: each element with its path."""
    names = [
        name for order, (path, group) in enumerate(named) if path in holders for name in _names(group, order)
    ]
    shapes = [(order, box) for order, (_, group) in enumerate(named) for box in boxes(group)]
    lines = [
        line
        for name, group in named
        if not name.endswith(" -- )[0]")  # a lifeline, which passes behind the names of a sequence's groups
        for path in group.iterfind(f"{SVG}path")
        if "transform" not in path.attrib  # the head of an arrow
        for line in polylines(path)
    ]
    return tuple(
        (name.words, SHAPE if _is_covered(name, shapes) else CONNECTION)
        for name in names
        if _is_covered(name, shapes) or any(_crosses(line, name.box) for line in lines)
    )


def shrink(named: Sequence[tuple[str, etree._Element]], holders: set[str]) -> None:
    """Give names of containers the size and the weight of those of shapes; D2 makes them larger with each level."""
    for path, group in named:
        text = group.find(f"{SVG}text") if path in holders else None
        if text is None or len(text) or text.get("class", "").split()[:1] != ["text"]:
            continue
        style = str(text.get("style", ""))
        if (size := _SIZE.search(style)) and float(size[1]) >= SHAPE_SIZE:
            text.set("style", style.replace(size[0], f"font-size:{SHAPE_SIZE:g}px"))
            text.set("class", str(text.get("class")).replace("text", "text-bold", 1))


def _names(group: etree._Element, order: int) -> Iterator[Name]:
    text = group.find(f"{SVG}text")
    size = _SIZE.search(str(text.get("style", ""))) if text is not None else None
    label = "".join(map(str, text.itertext())).strip() if text is not None else ""
    if text is None or size is None or not label or len(text):
        return
    bold, em = "text-bold" in str(text.get("class", "")), float(size[1])
    half = font_metrics.width(label, bold=bold) * em / 2
    x, y = float(text.get("x", 0)), float(text.get("y", 0))
    letter = INK * min(font_metrics.width(label[end], bold=bold) for end in (0, -1)) * em
    yield Name(label, Rectangle(x - half, y - TALL * em, x + half, y), letter, order)


def boxes(group: etree._Element) -> Iterator[Rectangle]:
    for shape in group.iterfind(f"{SVG}g[@class='shape']/{SVG}rect"):
        x, y, width, height = (float(shape.get(name, 0)) for name in ("x", "y", "width", "height"))
        if moved := MOVED.match(str(shape.get("transform", ""))):  # drawn by hand, with `--sketch`
            x, y = x + float(moved[1]), y + float(moved[2])
        yield Rectangle(x, y, x + width, y + height)


def _is_covered(name: Name, shapes: Sequence[tuple[int, Rectangle]]) -> bool:
    """Whether a shape that is painted later hides a whole letter."""
    box = name.box
    for order, shape in shapes:
        wide = min(box.right, shape.right) - max(box.left, shape.left)
        high = min(box.bottom, shape.bottom) - max(box.top, shape.top)
        if order > name.order and wide >= name.letter and high >= (box.bottom - box.top) / 2:
            return True
    return False


def _crosses(line: Sequence[Point], box: Rectangle) -> bool:
    inset = CORE * (box.bottom - box.top)
    for (x0, y0), (x1, y1) in pairwise(line):
        count = max(1, math.ceil(math.dist((x0, y0), (x1, y1)) / STEP))
        for part in range(count + 1):
            x, y = x0 + (x1 - x0) * part / count, y0 + (y1 - y0) * part / count
            if box.left + inset < x < box.right - inset and box.top + inset < y < box.bottom - inset:
                return True
    return False


def polylines(path: etree._Element) -> Iterator[list[Point]]:
    """The corners of a connection, and samples of its curves; by hand, a connection is drawn twice."""
    line: list[Point] = []
    for command, numbers in _COMMAND.findall(str(path.get("d", ""))):
        values = [float(number) for number in re.findall(r"-?[\d.]+", numbers)]
        corners = list(zip(values[::2], values[1::2], strict=False))
        if command == "M" and line:
            yield line
            line = []
        if command == "C" and line:
            for first, second, end in zip(*[iter(corners)] * 3, strict=False):
                start = line[-1]
                line += [_on_curve(start, first, second, end, part / 8) for part in range(1, 9)]
        else:
            line += corners[1::2] if command == "S" else corners
    yield line


def _on_curve(start: Point, first: Point, second: Point, end: Point, t: float) -> Point:
    u = 1 - t
    shares = u**3, 3 * u * u * t, 3 * u * t * t, t**3
    ends = (start, first, second, end)
    return (
        sum(share * x for share, (x, _) in zip(shares, ends, strict=True)),
        sum(share * y for share, (_, y) in zip(shares, ends, strict=True)),
    )
