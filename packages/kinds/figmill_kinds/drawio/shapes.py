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
    """

    area: str
    lines: str = ""
    edge: tuple[Point, ...] = ()
    inset: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    bare: bool = False
    solid: bool = False


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


def rectangle(box: Box, style: Style) -> Outline:
    r = radius(box, style)
    if not r:
        area = path(_at(box, (0, 0), (1, 0), (1, 1), (0, 1)))
    else:
        arc = f"a{r:.2f} {r:.2f} 0 0 1"
        area = (
            f"M{box.x + r:.2f},{box.y:.2f}H{box.right - r:.2f}{arc} {r:.2f},{r:.2f}V{box.bottom - r:.2f}"
            f"{arc} {-r:.2f},{r:.2f}H{box.x + r:.2f}{arc} {-r:.2f},{-r:.2f}V{box.y + r:.2f}{arc} {r:.2f},{-r:.2f}Z"
        )
    if is_on(style, "double"):
        return Outline(area, path(_at(box.grown(-3), (0, 0), (1, 0), (1, 1), (0, 1))))
    return Outline(area)


def _ellipse(box: Box, style: Style) -> Outline:
    return Outline(ring(box), edge=_around(box))


def _double_ellipse(box: Box, style: Style) -> Outline:
    inner = box.grown(-min(4.0, box.width / 5, box.height / 5))
    return Outline(ring(box), ring(inner), _around(box))


def _crossed_ellipse(box: Box, style: Style) -> Outline:
    if "sum" in style.get("shape", ""):
        a, b, c, d = (_on_ring(box, turn) for turn in (45, 225, 135, 315))
    else:
        a, b, c, d = _at(box, (0.5, 0), (0.5, 1), (0, 0.5), (1, 0.5))
    return Outline(ring(box), path((a, b), False) + path((c, d), False), _around(box))


def _on_ring(box: Box, degrees: float) -> Point:
    (x, y), turn = box.centre, math.radians(degrees)
    return x + box.width / 2 * math.cos(turn), y + box.height / 2 * math.sin(turn)


def _dot(box: Box, style: Style) -> Outline:
    return Outline(ring(box), edge=_around(box), solid=True)


def _waypoint(box: Box, style: Style) -> Outline:
    """A dot of `size` px in the middle of its cell."""
    size = min(number(style, "size", 6), box.width, box.height)
    (x, y) = box.centre
    return Outline(ring(Box(x - size / 2, y - size / 2, size, size)), edge=_around(box), solid=True)


def _end_state(box: Box, style: Style) -> Outline:
    inner = box.grown(-min(box.width, box.height) / 5)
    return Outline(ring(inner), ring(box), _around(box), solid=True)


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
    lid = min(
        box.height / 3,
        number(style, "size", min(40.0, box.height / 5) / 2 if "cylinder3" not in style["shape"] else 15),
    )
    rx, top, foot = box.width / 2, box.y + lid, box.bottom - lid
    arc = f"A{rx:.2f} {lid:.2f} 0 0"
    area = (
        f"M{box.x:.2f},{top:.2f}{arc} 1 {box.right:.2f},{top:.2f}V{foot:.2f}{arc} 1 {box.x:.2f},{foot:.2f}Z"
    )
    lines = f"M{box.x:.2f},{top:.2f}{arc} 0 {box.right:.2f},{top:.2f}"
    return Outline(area, lines, inset=(2 * lid, 0, 0, 0))


def _across(box: Box, style: Style) -> Outline:
    """A data store: a horizontal cylinder."""
    by = min(box.width / 2, _slant(box, style, 0.1, 20))
    arc = f"A{by:.2f} {box.height / 2:.2f} 0 0"
    area = (
        f"M{box.x + by:.2f},{box.y:.2f}H{box.right:.2f}{arc} 0 {box.right:.2f},{box.bottom:.2f}H{box.x + by:.2f}"
        f"{arc} 1 {box.x + by:.2f},{box.y:.2f}Z"
    )
    return Outline(area)


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
    return Outline(path(points), path(fold, False))


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
        f"M{box.x:.2f},{box.y:.2f}H{box.right:.2f}V{foot:.2f}Q{box.right - box.width / 4:.2f},{foot - by * 0.7:.2f} "
        f"{middle:.2f},{foot:.2f}T{box.x:.2f},{foot:.2f}Z"
    )
    return Outline(area, inset=(0, 0, by / 2, 0))


def _tape(box: Box, style: Style) -> Outline:
    by = box.height * max(0.0, min(1.0, number(style, "size", 0.4))) / 2
    top, foot, middle, quarter = box.y + by, box.bottom - by, box.centre[0], box.width / 4
    area = (
        f"M{box.x:.2f},{top:.2f}Q{box.x + quarter:.2f},{top + by * 1.4:.2f} {middle:.2f},{top:.2f}"
        f"T{box.right:.2f},{top:.2f}"
        f"V{foot:.2f}Q{box.right - quarter:.2f},{foot - by * 1.4:.2f} {middle:.2f},{foot:.2f}T{box.x:.2f},{foot:.2f}Z"
    )
    return Outline(area, inset=(by, 0, by, 0))


def _process(box: Box, style: Style) -> Outline:
    by = min(box.width / 2, _slant(box, style, 0.1, 20))
    bars = (
        ((box.x + by, box.y), (box.x + by, box.bottom)),
        ((box.right - by, box.y), (box.right - by, box.bottom)),
    )
    return Outline(
        rectangle(box, style).area, "".join(path(bar, False) for bar in bars), inset=(0, by, 0, by)
    )


def _internal_storage(box: Box, style: Style) -> Outline:
    dx, dy = min(box.width, number(style, "dx", 20)), min(box.height, number(style, "dy", 20))
    bars = (((box.x, box.y + dy), (box.right, box.y + dy)), ((box.x + dx, box.y), (box.x + dx, box.bottom)))
    return Outline(rectangle(box, style).area, "".join(path(bar, False) for bar in bars))


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
    return Outline(path(points), lines, points, (by, 0, 0, by))


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


def _delay(box: Box, style: Style) -> Outline:
    by = min(box.width, box.height / 2)
    arc = f"A{by:.2f} {box.height / 2:.2f} 0 0 1"
    return Outline(
        f"M{box.x:.2f},{box.y:.2f}H{box.right - by:.2f}{arc} {box.right - by:.2f},{box.bottom:.2f}H{box.x:.2f}Z"
    )


def _display(box: Box, style: Style) -> Outline:
    by, tip = min(box.width / 2, box.height / 2), box.width * 0.2
    arc = f"A{by:.2f} {box.height / 2:.2f} 0 0 1"
    return Outline(
        f"M{box.x:.2f},{box.centre[1]:.2f}L{box.x + tip:.2f},{box.y:.2f}H{box.right - by:.2f}"
        f"{arc} {box.right - by:.2f},{box.bottom:.2f}H{box.x + tip:.2f}Z"
    )


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


def _cloud(box: Box, style: Style) -> Outline:
    begin, *rest = _at(
        box,
        (0.22, 0.3),
        (0.5, 0.16),
        (0.8, 0.28),
        (0.92, 0.55),
        (0.78, 0.82),
        (0.5, 0.88),
        (0.22, 0.84),
        (0.1, 0.56),
        (0.22, 0.3),
    )
    rx, ry = box.width * 0.2, box.height * 0.22
    bumps = "".join(f"A{rx:.2f} {ry:.2f} 0 0 1 {x:.2f},{y:.2f}" for x, y in rest)
    return Outline(f"M{begin[0]:.2f},{begin[1]:.2f}{bumps}Z", edge=_around(box.grown(-2)))


def _bust(box: Box, style: Style) -> Outline:
    a, b, neck, c, d, right = _at(box, (0, 0.55), (0.2, 0.42), (0.5, 0.42), (0.8, 0.42), (1, 0.55), (1, 1))
    curves = (
        " ".join(f"{x:.2f},{y:.2f}" for x, y in (a, b, neck)),
        " ".join(f"{x:.2f},{y:.2f}" for x, y in (c, d, right)),
    )
    head = Box(box.x + box.width * 0.28, box.y, box.width * 0.44, box.height * 0.42)
    return Outline(f"M{box.x:.2f},{box.bottom:.2f}C{curves[0]}C{curves[1]}Z{ring(head)}")


def _stick_figure(box: Box, style: Style) -> Outline:
    head = ring(Box(box.x + box.width / 4, box.y, box.width / 2, box.height / 4))
    parts = (((0.5, 0.25), (0.5, 2 / 3)), ((0, 1 / 3), (1, 1 / 3)), ((0, 1), (0.5, 2 / 3), (1, 1)))
    return Outline(head, "".join(path(_at(box, *part), False) for part in parts))


def _person(box: Box, style: Style) -> Outline:
    head = min(box.width / 3, box.height / 2.6)
    body = Box(box.x, box.y + head * 0.85, box.width, box.height - head * 0.85)
    round_ = rectangle(body, {"rounded": "1", "arcSize": "18"}).area
    return Outline(round_ + ring(Box(box.centre[0] - head / 2, box.y, head, head)), inset=(head, 0, 0, 0))


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


def _component(box: Box, style: Style) -> Outline:
    wide, high = number(style, "jettyWidth", 20), number(style, "jettyHeight", 10)
    body = Box(box.x + wide / 2, box.y, max(0.0, box.width - wide / 2), box.height)
    tabs = [Box(box.x, min(box.bottom, box.y + high * step), wide, high) for step in (1, 3)]
    return Outline(
        "".join(path(_at(one, (0, 0), (1, 0), (1, 1), (0, 1))) for one in (body, *tabs)),
        inset=(0, 0, 0, wide),
    )


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


def _swimlane(box: Box, style: Style) -> Outline:
    head, rest = lane(box, style)
    seam = (
        ((rest.x, rest.y), (rest.right, rest.y))
        if is_on(style, "horizontal", "1")
        else ((rest.x, rest.y), (rest.x, rest.bottom))
    )
    line = path(seam, False) if is_on(style, "swimlaneLine", "1") and head.width and head.height else ""
    inset = (0.0, box.right - head.right, box.bottom - head.bottom, 0.0)
    return Outline(rectangle(box, style).area, line, inset=inset)


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
    back: tuple[Point, ...] = ((box.x, y + half), (box.x, y - half))
    head: tuple[Point, ...] = (
        (neck, y - half),
        (neck, box.y),
        (box.right, y),
        (neck, box.bottom),
        (neck, y + half),
    )
    if "double" in style["shape"].lower():
        mirrored = tuple((box.x + box.right - x, v) for x, v in reversed(head))
        points = (*head, *mirrored)
    else:
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
_PLUS = _polygon(
    (1 / 3, 0),
    (2 / 3, 0),
    (2 / 3, 1 / 3),
    (1, 1 / 3),
    (1, 2 / 3),
    (2 / 3, 2 / 3),
    (2 / 3, 1),
    (1 / 3, 1),
    (1 / 3, 2 / 3),
    (0, 2 / 3),
    (0, 1 / 3),
    (1 / 3, 1 / 3),
)


def _stadium(box: Box, style: Style) -> Outline:
    return rectangle(box, {**style, "rounded": "1", "absoluteArcSize": "0", "arcSize": "50"})


def _round_rectangle(box: Box, style: Style) -> Outline:
    return rectangle(box, {**style, "rounded": "1"})


SHAPES: Mapping[str, Draw] = MappingProxyType(
    {
        "rectangle": rectangle,
        "label": rectangle,
        "icon": rectangle,
        "ext": rectangle,
        "rect": rectangle,
        "ellipse": _ellipse,
        "doubleEllipse": _double_ellipse,
        "sumEllipse": _crossed_ellipse,
        "orEllipse": _crossed_ellipse,
        "startState": _dot,
        "waypoint": _waypoint,
        "endState": _end_state,
        "rhombus": _RHOMBUS,
        "triangle": _TRIANGLE,
        "hexagon": _hexagon,
        "parallelogram": _parallelogram,
        "trapezoid": _trapezoid,
        "step": _step,
        "cross": _PLUS,
        "plus": _PLUS,
        "cylinder": _cylinder,
        "cylinder2": _cylinder,
        "cylinder3": _cylinder,
        "datastore": _cylinder,
        "dataStorage": _across,
        "note": _note,
        "note2": _note,
        "card": _card,
        "folder": _folder,
        "umlFrame": _frame,
        "document": _document,
        "tape": _tape,
        "process": _process,
        "process2": _process,
        "internalStorage": _internal_storage,
        "cube": _cube,
        "isoCube": _cube,
        "manualInput": _manual_input,
        "loopLimit": _loop_limit,
        "offPageConnector": _off_page,
        "delay": _delay,
        "display": _display,
        "callout": _callout,
        "cloud": _cloud,
        "actor": _bust,
        "umlActor": _stick_figure,
        "umlLifeline": _lifeline,
        "component": _component,
        "module": _component,
        "message": _envelope,
        "line": _line,
        "partialRectangle": _partial,
        "tableRow": _partial,
        "swimlane": _swimlane,
        "table": _swimlane,
        "singleArrow": _arrow,
        "doubleArrow": _arrow,
        "arrow": _arrow,
        "curlyBracket": _bracket,
        "or": _gate,
        "xor": _gate,
        "image": _text_only,
        "text": _text_only,
        "mxgraph.flowchart.process": rectangle,
        "mxgraph.flowchart.decision": _RHOMBUS,
        "mxgraph.flowchart.data": _parallelogram,
        "mxgraph.flowchart.terminator": _stadium,
        "mxgraph.flowchart.start_1": _ellipse,
        "mxgraph.flowchart.start_2": _ellipse,
        "mxgraph.flowchart.on-page_reference": _ellipse,
        "mxgraph.flowchart.off-page_reference": _off_page,
        "mxgraph.flowchart.document": _document,
        "mxgraph.flowchart.predefined_process": _process,
        "mxgraph.flowchart.database": _cylinder,
        "mxgraph.flowchart.stored_data": _across,
        "mxgraph.flowchart.manual_input": _manual_input,
        "mxgraph.flowchart.delay": _delay,
        "mxgraph.flowchart.display": _display,
        "mxgraph.flowchart.preparation": _hexagon,
        "mxgraph.flowchart.internal_storage": _internal_storage,
        "mxgraph.flowchart.loop_limit": _loop_limit,
        "mxgraph.flowchart.summing_function": _crossed_ellipse,
        "mxgraph.flowchart.or": _crossed_ellipse,
        "mxgraph.flowchart.annotation_1": _text_only,
        "mxgraph.flowchart.card": _card,
        "mxgraph.basic.rect": rectangle,
        "mxgraph.basic.pyramid": _polygon((0.5, 0), (1, 1), (0, 1)),
        "mxgraph.basic.acute_triangle": _polygon((0.5, 0), (1, 1), (0, 1)),
        "mxgraph.basic.orthogonal_triangle": _polygon((0, 0), (1, 1), (0, 1)),
        "mxgraph.bootstrap.rect": rectangle,
        "mxgraph.bootstrap.rrect": _round_rectangle,
        "mxgraph.gcp2.doubleRect": rectangle,
        "mxgraph.aws4.group": rectangle,
        "mxgraph.aws4.groupCenter": rectangle,
        "mxgraph.arrows2.arrow": _arrow,
        "mxgraph.c4.person": _person,
        "mxgraph.c4.person2": _person,
        "mxgraph.er.entity": rectangle,
        "mxgraph.bpmn.task": rectangle,
        "mxgraph.bpmn.task2": rectangle,
    }
)
_BY_PERIMETER: Mapping[str, Draw] = MappingProxyType(
    {
        "ellipsePerimeter": _ellipse,
        "rhombusPerimeter": _RHOMBUS,
        "trianglePerimeter": _TRIANGLE,
        "hexagonPerimeter2": _hexagon,
    }
)


def is_known(style: Style) -> bool:
    return style.get("shape", "rectangle") in SHAPES


def outline(box: Box, style: Style) -> Outline:
    """The outline of a shape; an unknown shape is a box, or has the form that connectors see."""
    fallback = _BY_PERIMETER.get(style.get("perimeter", ""), rectangle)
    return SHAPES.get(style.get("shape", "rectangle"), fallback)(box, style)
