"""The outlines of draw.io's shapes, in one table. Pure.

A function takes a box and a style. Sizes and defaults are those of draw.io's general and flowchart shapes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from figmill_kinds.drawio.model import Box, Point
from figmill_kinds.drawio.styles import Style, is_on, number

STEPS = 48  # points of an ellipse


@dataclass(frozen=True, slots=True)
class Outline:
    """A shape. area: the path that is filled and stroked; lines: a path that is only stroked.

    edge: corners of the area, where connectors end; empty: the box. inset: px around the label, from the top clockwise.
    bare: the area is not stroked; solid: its fill has the colour of lines.
    shades: parts of the area that are darker, each with its share of black, or of white if negative.
    """

    area: str
    lines: str = ""
    edge: tuple[Point, ...] = ()
    inset: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    bare: bool = False
    solid: bool = False
    shades: tuple[tuple[str, float], ...] = ()


Draw = Callable[[Box, Style], Outline]


def path(points: Sequence[Point], closed: bool = True) -> str:
    return f"M{'L'.join(f'{x:.2f},{y:.2f}' for x, y in points)}{'Z' * closed}"


def ring(box: Box) -> str:
    """An ellipse as a path."""
    rx, ry, (_, y) = box.width / 2, box.height / 2, box.centre
    arc = f"A{rx:.2f} {ry:.2f} 0 0 1"
    return f"M{box.x:.2f},{y:.2f}{arc} {box.right:.2f},{y:.2f}{arc} {box.x:.2f},{y:.2f}Z"


def _around(box: Box) -> tuple[Point, ...]:
    x, y = box.centre
    turns = (2 * math.pi * step / STEPS for step in range(STEPS))
    return tuple((x + box.width / 2 * math.cos(turn), y + box.height / 2 * math.sin(turn)) for turn in turns)


def _at(box: Box, *places: Point) -> tuple[Point, ...]:
    """Points from fractions of a box."""
    return tuple((box.x + u * box.width, box.y + v * box.height) for u, v in places)


def _polygon(*places: Point) -> Draw:
    def draw(box: Box, style: Style) -> Outline:
        points = _at(box, *places)
        return Outline(path(points), edge=points)

    return draw


def radius(box: Box, style: Style) -> float:
    """The radius of round corners; 0: sharp corners."""
    if not is_on(style, "rounded"):
        return 0.0
    if is_on(style, "absoluteArcSize"):
        return max(0.0, min(box.width / 2, box.height / 2, number(style, "arcSize", 20) / 2))
    return min(box.width, box.height) * max(0.0, min(50.0, number(style, "arcSize", 15))) / 100


def _rounded(box: Box, r: float) -> str:
    if not r:
        return path(_at(box, (0, 0), (1, 0), (1, 1), (0, 1)))
    arc = f"a{r:.2f} {r:.2f} 0 0 1"
    return (
        f"M{box.x + r:.2f},{box.y:.2f}H{box.right - r:.2f}{arc} {r:.2f},{r:.2f}V{box.bottom - r:.2f}"
        f"{arc} {-r:.2f},{r:.2f}H{box.x + r:.2f}{arc} {-r:.2f},{-r:.2f}V{box.y + r:.2f}{arc} {r:.2f},{-r:.2f}Z"
    )


def rectangle(box: Box, style: Style) -> Outline:
    return Outline(_rounded(box, radius(box, style)))


def _ellipse(box: Box, style: Style) -> Outline:
    return Outline(ring(box), edge=_around(box))


def _double_ellipse(box: Box, style: Style) -> Outline:
    inner = box.grown(-min(4.0, box.width / 5, box.height / 5))
    return Outline(ring(box), ring(inner), _around(box))


def _crossed_ellipse(box: Box, style: Style) -> Outline:
    a, b, c, d = _at(box, (0.5, 0), (0.5, 1), (0, 0.5), (1, 0.5))
    return Outline(ring(box), path((a, b), False) + path((c, d), False), _around(box))


def _waypoint(box: Box, style: Style) -> Outline:
    """A dot of `size` px in the middle of its cell."""
    size = min(number(style, "size", 6), box.width, box.height)
    (x, y) = box.centre
    return Outline(ring(Box(x - size / 2, y - size / 2, size, size)), edge=_around(box), solid=True)


def _slant(box: Box, style: Style, default: float, fixed: float) -> float:
    """A shape's `size` in px: a share of its width, or px if the style says so."""
    if is_on(style, "fixedSize") or number(style, "size", default) > 1:
        return max(0.0, min(box.width, number(style, "size", fixed)))
    return box.width * max(0.0, number(style, "size", default))


def _parallelogram(box: Box, style: Style) -> Outline:
    by = _slant(box, style, 0.2, 20)
    points = ((box.x + by, box.y), (box.right, box.y), (box.right - by, box.bottom), (box.x, box.bottom))
    return Outline(path(points), edge=points)


def _trapezoid(box: Box, style: Style) -> Outline:
    by = min(box.width / 2, _slant(box, style, 0.2, 20))
    points = ((box.x + by, box.y), (box.right - by, box.y), (box.right, box.bottom), (box.x, box.bottom))
    return Outline(path(points), edge=points)


def _hexagon(box: Box, style: Style) -> Outline:
    by, y = min(box.width / 2, _slant(box, style, 0.25, 20)), box.centre[1]
    points = (
        (box.x + by, box.y),
        (box.right - by, box.y),
        (box.right, y),
        (box.right - by, box.bottom),
        (box.x + by, box.bottom),
        (box.x, y),
    )
    return Outline(path(points), edge=points)


def _step(box: Box, style: Style) -> Outline:
    by, y = _slant(box, style, 0.2, 20), box.centre[1]
    points = (
        (box.x, box.y),
        (box.right - by, box.y),
        (box.right, y),
        (box.right - by, box.bottom),
        (box.x, box.bottom),
        (box.x + by, y),
    )
    return Outline(path(points), edge=points)


def _cylinder(box: Box, style: Style) -> Outline:
    sizes = {"cylinder": min(40.0, box.height / 5), "mxgraph.flowchart.database": box.height / 6}
    lid = sizes.get(style["shape"]) or max(0.0, min(box.height / 2, number(style, "size", 15)))
    rx, top, foot = box.width / 2, box.y + lid, box.bottom - lid
    arc = f"A{rx:.2f} {lid:.2f} 0 0"
    area = (
        f"M{box.x:.2f},{top:.2f}{arc} 1 {box.right:.2f},{top:.2f}V{foot:.2f}{arc} 1 {box.x:.2f},{foot:.2f}Z"
    )
    lines = f"M{box.x:.2f},{top:.2f}{arc} 0 {box.right:.2f},{top:.2f}"
    return Outline(area, lines, inset=(2 * lid, 0, 0.3 * lid, 0))


def _across(box: Box, style: Style) -> Outline:
    """Stored data: both sides are bent to the left."""
    by, y = min(box.width / 2, _slant(box, style, 0.1, 20)), box.centre[1]
    return Outline(
        f"M{box.x + by:.2f},{box.y:.2f}H{box.right:.2f}Q{box.right - 2 * by:.2f},{y:.2f} "
        f"{box.right:.2f},{box.bottom:.2f}H{box.x + by:.2f}Q{box.x - by:.2f},{y:.2f} {box.x + by:.2f},{box.y:.2f}Z"
    )


def _note(box: Box, style: Style) -> Outline:
    by = max(0.0, min(box.width, box.height, number(style, "size", 30)))
    points = (
        (box.x, box.y),
        (box.right - by, box.y),
        (box.right, box.y + by),
        (box.right, box.bottom),
        (box.x, box.bottom),
    )
    fold = ((box.right - by, box.y), (box.right - by, box.y + by), (box.right, box.y + by))
    shades = ((path(fold), number(style, "darkOpacity")),)
    return Outline(path(points), path(fold, False), inset=(by, 0, 0, 0), shades=shades)


def _card(box: Box, style: Style) -> Outline:
    by = max(0.0, min(box.width, box.height, number(style, "size", 30)))
    points = (
        (box.x + by, box.y),
        (box.right, box.y),
        (box.right, box.bottom),
        (box.x, box.bottom),
        (box.x, box.y + by),
    )
    return Outline(path(points), edge=points)


def _folder(box: Box, style: Style) -> Outline:
    wide, high = (
        min(box.width, number(style, "tabWidth", 60)),
        min(box.height, number(style, "tabHeight", 20)),
    )
    if style.get("tabPosition", "right") == "left":
        points = (
            (box.x, box.y),
            (box.x + wide, box.y),
            (box.x + wide, box.y + high),
            (box.right, box.y + high),
            (box.right, box.bottom),
            (box.x, box.bottom),
        )
    else:
        points = (
            (box.right - wide, box.y),
            (box.right, box.y),
            (box.right, box.bottom),
            (box.x, box.bottom),
            (box.x, box.y + high),
            (box.right - wide, box.y + high),
        )
    seam = path(((box.x, box.y + high), (box.right, box.y + high)), False)
    return Outline(path(points), seam, inset=(high, 0, 0, 0))


def _frame(box: Box, style: Style) -> Outline:
    wide, high = min(box.width, number(style, "width", 60)), min(box.height, number(style, "height", 30))
    tab = (
        (box.x, box.y),
        (box.x + wide, box.y),
        (box.x + wide, box.y + high * 0.7),
        (box.x + wide - high * 0.3, box.y + high),
        (box.x, box.y + high),
    )
    rest = path(_at(box, (0, 0), (1, 0), (1, 1), (0, 1)))
    return Outline(path(tab), rest, inset=(0, box.width - wide, box.height - high, 0))


def _document(box: Box, style: Style) -> Outline:
    by = box.height * max(0.0, min(1.0, number(style, "size", 0.3)))
    foot, middle = box.bottom - by / 2, box.centre[0]
    area = (
        f"M{box.x:.2f},{box.y:.2f}H{box.right:.2f}V{foot:.2f}Q{box.right - box.width / 4:.2f},{foot - by * 0.9:.2f} "
        f"{middle:.2f},{foot:.2f}T{box.x:.2f},{foot:.2f}Z"
    )
    return Outline(area, inset=(0, 0, by, 0))


def _tape(box: Box, style: Style) -> Outline:
    by = box.height * max(0.0, min(1.0, number(style, "size", 0.4))) / 2
    top, foot, middle, quarter = box.y + by, box.bottom - by, box.centre[0], box.width / 4
    area = (
        f"M{box.x:.2f},{top:.2f}Q{box.x + quarter:.2f},{top + by * 1.8:.2f} {middle:.2f},{top:.2f}"
        f"T{box.right:.2f},{top:.2f}"
        f"V{foot:.2f}Q{box.right - quarter:.2f},{foot - by * 1.8:.2f} {middle:.2f},{foot:.2f}T{box.x:.2f},{foot:.2f}Z"
    )
    return Outline(area, inset=(2 * by, 0, 2 * by, 0))


def _process(box: Box, style: Style) -> Outline:
    by = min(box.width / 2, _slant(box, style, 0.1, 20))
    bars = (
        ((box.x + by, box.y), (box.x + by, box.bottom)),
        ((box.right - by, box.y), (box.right - by, box.bottom)),
    )
    return Outline(
        rectangle(box, style).area, "".join(path(bar, False) for bar in bars), inset=(0, by, 0, by)
    )


def _cube(box: Box, style: Style) -> Outline:
    by = max(0.0, min(box.width, box.height, number(style, "size", 20)))
    points = (
        (box.x, box.y),
        (box.right - by, box.y),
        (box.right, box.y + by),
        (box.right, box.bottom),
        (box.x + by, box.bottom),
        (box.x, box.bottom - by),
    )
    inner = (box.x + by, box.y + by)
    lines = path(((box.x, box.y), inner, (box.right, box.y + by)), False) + path(
        (inner, (box.x + by, box.bottom)), False
    )
    corner = (box.right - by, box.y)
    shades = (
        (path(((box.x, box.y), corner, (box.right, box.y + by), inner)), number(style, "darkOpacity")),
        (
            path(((box.x, box.y), inner, (box.x + by, box.bottom), (box.x, box.bottom - by))),
            number(style, "darkOpacity2"),
        ),
    )
    return Outline(path(points), lines, points, (by, 0, 0, by), shades=shades)


def _manual_input(box: Box, style: Style) -> Outline:
    by = min(box.height, number(style, "size", 30))
    points = ((box.x, box.bottom), (box.x, box.y + by), (box.right, box.y), (box.right, box.bottom))
    return Outline(path(points), edge=points)


def _loop_limit(box: Box, style: Style) -> Outline:
    by = min(box.width / 2, box.height, number(style, "size", 20))
    points = (
        (box.x + by, box.y),
        (box.right - by, box.y),
        (box.right, box.y + by * 0.8),
        (box.right, box.bottom),
        (box.x, box.bottom),
        (box.x, box.y + by * 0.8),
    )
    return Outline(path(points), edge=points)


def _off_page(box: Box, style: Style) -> Outline:
    by = box.height * max(0.0, min(1.0, number(style, "size", 3 / 8)))
    points = (
        (box.x, box.y),
        (box.right, box.y),
        (box.right, box.bottom - by),
        (box.centre[0], box.bottom),
        (box.x, box.bottom - by),
    )
    return Outline(path(points), edge=points)


def _callout(box: Box, style: Style) -> Outline:
    tail, base = min(box.height, number(style, "size", 30)), min(box.width, number(style, "base", 20))
    foot = box.bottom - tail
    begin = min(box.x + box.width * number(style, "position", 0.5), box.right - base)
    tip = box.x + box.width * number(style, "position2", 0.5)
    points = (
        (box.x, box.y),
        (box.right, box.y),
        (box.right, foot),
        (begin + base, foot),
        (tip, box.bottom),
        (begin, foot),
        (box.x, foot),
    )
    return Outline(path(points), inset=(0, 0, tail, 0))


def _curves(box: Box, begin: Point, *places: Point) -> str:
    """A closed path of cubic curves, from fractions of a box."""
    points = [f"{x:.2f},{y:.2f}" for x, y in _at(box, begin, *places)]
    return (
        f"M{points[0]}" + "".join(f"C{' '.join(points[n : n + 3])}" for n in range(1, len(points), 3)) + "Z"
    )


def _cloud(box: Box, style: Style) -> Outline:
    rows = (
        ((0.05, 0.25), (0, 0.5), (0.16, 0.55)),
        ((0, 0.66), (0.18, 0.9), (0.31, 0.8)),
        ((0.4, 1), (0.7, 1), (0.8, 0.8)),
        ((1, 0.8), (1, 0.6), (0.875, 0.5)),
        ((1, 0.3), (0.8, 0.1), (0.625, 0.2)),
        ((0.5, 0.05), (0.3, 0.05), (0.25, 0.25)),
    )
    return Outline(_curves(box, (0.25, 0.25), *(place for row in rows for place in row)))


def _bust(box: Box, style: Style) -> Outline:
    neck, left, right = (0.5, 0.4), 1 / 6, 5 / 6
    body = ((0, 0.6), (0, 0.4), neck, (left, 0.4), (left, 0), (0.5, 0), (right, 0), (right, 0.4), neck)
    return Outline(_curves(box, (0, 1), *body, (1, 0.4), (1, 0.6), (1, 1)))


def _stick_figure(box: Box, style: Style) -> Outline:
    head = ring(Box(box.x + box.width / 4, box.y, box.width / 2, box.height / 4))
    parts = (((0.5, 0.25), (0.5, 2 / 3)), ((0, 1 / 3), (1, 1 / 3)), ((0, 1), (0.5, 2 / 3), (1, 1)))
    return Outline(head, "".join(path(_at(box, *part), False) for part in parts))


def _lifeline(box: Box, style: Style) -> Outline:
    high = min(box.height, number(style, "size", 40))
    head = rectangle(Box(box.x, box.y, box.width, high), style).area
    x = box.centre[0]
    dashes: list[str] = []
    y = box.y + high
    while y < box.bottom and len(dashes) < 2000:  # a line with its own dashes
        dashes.append(path(((x, y), (x, min(box.bottom, y + 5))), False))
        y += 9
    return Outline(head, "".join(dashes), inset=(0, 0, box.height - high, 0))


def _envelope(box: Box, style: Style) -> Outline:
    return Outline(rectangle(box, style).area, path(_at(box, (0, 0), (0.5, 0.5), (1, 0)), False))


def _line(box: Box, style: Style) -> Outline:
    return Outline("", path(_at(box, (0, 0.5), (1, 0.5)), False))


def _partial(box: Box, style: Style) -> Outline:
    sides = {
        "top": ((0, 0), (1, 0)),
        "right": ((1, 0), (1, 1)),
        "bottom": ((1, 1), (0, 1)),
        "left": ((0, 1), (0, 0)),
    }
    lines = "".join(path(_at(box, *ends), False) for name, ends in sides.items() if is_on(style, name, "1"))
    return Outline(path(_at(box, (0, 0), (1, 0), (1, 1), (0, 1))), lines, bare=True)


def lane(box: Box, style: Style) -> tuple[Box, Box]:
    """The head of a swimlane, and the part below or beside it."""
    size = max(0.0, number(style, "startSize", 40 if style.get("shape") != "table" else 0))
    if is_on(style, "horizontal", "1"):
        size = min(size, box.height)
        return Box(box.x, box.y, box.width, size), Box(box.x, box.y + size, box.width, box.height - size)
    size = min(size, box.width)
    return Box(box.x, box.y, size, box.height), Box(box.x + size, box.y, box.width - size, box.height)


def divided(rows: Sequence[tuple[Box, Sequence[Box]]], style: Style) -> str:
    """The lines between the rows of a table and between the cells of each row, as a path."""
    lines = []
    for number_, (row, cells) in enumerate(rows):
        if number_ + 1 < len(rows) and is_on(style, "rowLines", "1"):
            lines.append(path(((row.x, row.bottom), (row.right, row.bottom)), False))
        if is_on(style, "columnLines", "1"):
            lines += [
                path(((cell.right, row.y), (cell.right, row.bottom)), False)
                for cell in cells
                if cell.right < row.right - 1
            ]
    return "".join(lines)


def _swimlane(box: Box, style: Style) -> Outline:
    head, rest = lane(box, style)
    seam = (
        ((rest.x, rest.y), (rest.right, rest.y))
        if is_on(style, "horizontal", "1")
        else ((rest.x, rest.y), (rest.x, rest.bottom))
    )
    line = path(seam, False) if is_on(style, "swimlaneLine", "1") and head.width and head.height else ""
    inset = (0.0, box.right - head.right, box.bottom - head.bottom, 0.0)
    return Outline(_rounded(box, lane_radius(box, style)), line, inset=inset)


def lane_radius(box: Box, style: Style) -> float:
    """The radius of a swimlane's corners, which depends on the size of its head."""
    if not is_on(style, "rounded"):
        return 0.0
    if is_on(style, "absoluteArcSize"):
        return radius(box, style)
    head = lane(box, style)[0]
    size = head.height if is_on(style, "horizontal", "1") else head.width
    return max(0.0, min(box.width / 2, box.height / 2, size * number(style, "arcSize", 15) * 0.03))


def _arrow(box: Box, style: Style) -> Outline:
    tip = min(box.width, number(style, "dx", box.width * number(style, "arrowSize", 0.2)))
    bar = number(style, "dy", -1)
    half = (
        box.height / 2 * (1 - bar)
        if 0 <= bar <= 1
        else box.height / 2 - bar
        if bar > 1
        else box.height * 0.15
    )
    half, y, neck = max(0.0, half), box.centre[1], box.right - tip
    if not bar >= 0:
        half = box.height * number(style, "arrowWidth", 0.3) / 2
    notch = max(0.0, min(box.width, number(style, "notch")))
    back: tuple[Point, ...] = (
        (box.x, y + half),
        *(((box.x + notch, y),) if notch else ()),
        (box.x, y - half),
    )
    head: tuple[Point, ...] = (
        (neck, y - half),
        (neck, box.y),
        (box.right, y),
        (neck, box.bottom),
        (neck, y + half),
    )
    points = (*back, *head)
    return Outline(path(points), edge=points)


def _text_only(box: Box, style: Style) -> Outline:
    return Outline("")


def _bracket(box: Box, style: Style) -> Outline:
    (x, y), r = box.centre, min(box.width / 2, box.height / 4, 10.0)
    upper = f"M{box.right:.2f},{box.y:.2f}Q{x:.2f},{box.y:.2f} {x:.2f},{box.y + r:.2f}V{y - r:.2f}Q{x:.2f},{y:.2f} "
    lower = f"Q{x:.2f},{y:.2f} {x:.2f},{y + r:.2f}V{box.bottom - r:.2f}Q{x:.2f},{box.bottom:.2f} "
    return Outline("", f"{upper}{box.x:.2f},{y:.2f}{lower}{box.right:.2f},{box.bottom:.2f}")


def _gate(box: Box, style: Style) -> Outline:
    x, y = box.centre
    hollow = f"Q{x:.2f},{y:.2f} {box.x:.2f},{box.y:.2f}" if style["shape"] == "xor" else ""
    return Outline(
        f"M{box.x:.2f},{box.y:.2f}Q{box.right:.2f},{box.y:.2f} {box.right:.2f},{y:.2f}"
        f"Q{box.right:.2f},{box.bottom:.2f} {box.x:.2f},{box.bottom:.2f}{hollow}Z"
    )


_RHOMBUS = _polygon((0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5))
_TRIANGLE = _polygon((0, 0), (1, 0.5), (0, 1))


def _cross(box: Box, style: Style) -> Outline:
    half = min(box.width, box.height) * max(0.0, min(1.0, number(style, "size", 0.2))) / 2
    x, y = box.centre
    left, right, top, foot = x - half, x + half, y - half, y + half
    points = (
        *((box.x, top), (left, top), (left, box.y), (right, box.y), (right, top), (box.right, top)),
        *(
            (box.right, foot),
            (right, foot),
            (right, box.bottom),
            (left, box.bottom),
            (left, foot),
            (box.x, foot),
        ),
    )
    return Outline(path(points), edge=points)


def _stadium(box: Box, style: Style) -> Outline:
    return rectangle(box, {**style, "rounded": "1", "absoluteArcSize": "0", "arcSize": "50"})


SHAPES: Mapping[str, Draw] = MappingProxyType(
    {
        "rectangle": rectangle,
        "ellipse": _ellipse,
        "doubleEllipse": _double_ellipse,
        "orEllipse": _crossed_ellipse,
        "waypoint": _waypoint,
        "rhombus": _RHOMBUS,
        "triangle": _TRIANGLE,
        "hexagon": _hexagon,
        "parallelogram": _parallelogram,
        "trapezoid": _trapezoid,
        "step": _step,
        "cross": _cross,
        "cylinder": _cylinder,
        "cylinder3": _cylinder,
        "dataStorage": _across,
        "note": _note,
        "card": _card,
        "folder": _folder,
        "umlFrame": _frame,
        "document": _document,
        "tape": _tape,
        "process": _process,
        "cube": _cube,
        "manualInput": _manual_input,
        "loopLimit": _loop_limit,
        "offPageConnector": _off_page,
        "callout": _callout,
        "cloud": _cloud,
        "actor": _bust,
        "umlActor": _stick_figure,
        "umlLifeline": _lifeline,
        "message": _envelope,
        "line": _line,
        "partialRectangle": _partial,
        "tableRow": _partial,
        "swimlane": _swimlane,
        "table": _swimlane,
        "singleArrow": _arrow,
        "curlyBracket": _bracket,
        "or": _gate,
        "xor": _gate,
        "image": _text_only,
        "text": _text_only,
        "mxgraph.flowchart.terminator": _stadium,
        "mxgraph.flowchart.start_1": _ellipse,
        "mxgraph.flowchart.start_2": _ellipse,
        "mxgraph.flowchart.database": _cylinder,
        "mxgraph.basic.rect": rectangle,
        "mxgraph.basic.orthogonal_triangle": _polygon((0, 0), (1, 1), (0, 1)),
        "mxgraph.arrows2.arrow": _arrow,
    }
)


def is_known(style: Style) -> bool:
    return style.get("shape", "rectangle") in SHAPES


def outline(box: Box, style: Style) -> Outline:
    """The outline of a shape; a shape that is not in the table is a box."""
    return SHAPES.get(style.get("shape", "rectangle"), rectangle)(box, style)
