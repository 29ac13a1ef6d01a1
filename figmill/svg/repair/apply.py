"""Applies moves to the tree of a drawing, in the coordinate systems of its groups.

A move is in root units. It is possible if the element is drawn once, and nothing but plain transforms lies between it
and the root: no <use>, no pattern, no CSS. Rounding is left to the passes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from figmill.svg.document import Element
from figmill.svg.geometry.outlines import Point, coordinate
from figmill.svg.repair.moves import Break, Move, Pull, Reroute, Resize, Shift, Squeeze
from figmill.svg.xml.numbers import Matrix, fixed
from figmill.svg.xml.path_data import Segment, parse, parse_points
from figmill.svg.xml.references import references

DECIMALS = 6
# CSS that may move an element, and cannot be read as a plain transform
BENDS = frozenset(("style", "transform-origin"))
# What is inside is drawn elsewhere, often more than once.
TEMPLATES = frozenset(("defs", "symbol", "pattern", "marker", "mask", "clipPath"))
CENTRES: Mapping[str, tuple[str, str]] = {
    "rect": ("x", "y"),
    "image": ("x", "y"),
    "circle": ("cx", "cy"),
    "ellipse": ("cx", "cy"),
}


def movable(root: Element) -> frozenset[Element]:
    """The elements that a move may change: each is drawn once, through plain transforms."""
    used = {name for node in root.walk() if node.tag in ("use", "textPath") for name in references(node)}
    free: list[Element] = []
    _gather(root, used, free)
    return frozenset(free)


def _gather(node: Element, used: set[str], free: list[Element]) -> None:
    if node.tag in TEMPLATES or not BENDS.isdisjoint(node.attrib) or node.attrib.get("id") in used:
        return
    free.append(node)
    for child in node.elements():
        _gather(child, used, free)


def apply(move: Move, twins: Mapping[Element, Element]) -> None:
    """Change the twins of a move's elements: those of a copy."""
    for change in move.changes:
        node = twins[change.node]
        match change:
            case Shift():
                _shift(node, local(change.ctm, change.by))
            case Resize():
                _resize(node, change)
            case Pull():
                _pull(node, change)
            case Reroute():
                _reroute(node, change)
            case Break():
                _break(node, change)
            case Squeeze():
                squeeze(node, change.width)


def local(ctm: Matrix, by: Point) -> Point:
    """A vector of root units in the units of an element."""
    a, b, c, d, _, _ = ctm
    area = a * d - b * c
    return (d * by[0] - c * by[1]) / area, (a * by[1] - b * by[0]) / area


def place(ctm: Matrix, point: Point) -> Point:
    """A point of root units in the units of an element."""
    return local(ctm, (point[0] - ctm[4], point[1] - ctm[5]))


def _shift(node: Element, by: Point) -> None:
    dx, dy = by
    attrib = node.attrib
    if node.tag == "text" and _is_placed(node):
        for part in node.walk():
            for name, step in (("x", dx), ("y", dy)):
                if name in part.attrib or part is node:
                    part.attrib[name] = _added(part.attrib.get(name, "0"), step)
    elif node.tag in CENTRES:
        for name, step in zip(CENTRES[node.tag], by, strict=True):
            attrib[name] = _number(coordinate(attrib, name) + step)
    elif node.tag == "line":
        _set_line(node, [(x + dx, y + dy) for x, y in _ends_of_line(node)])
    elif node.tag in ("polyline", "polygon"):
        _set_points(node, [(x + dx, y + dy) for x, y in _points(node)])
    elif node.tag == "path":
        attrib["d"] = _written(
            [(command, _all_moved(command, values, dx, dy)) for command, values in _segments(node)]
        )
    else:
        attrib["transform"] = f"{attrib.get('transform', '')} translate({_number(dx)} {_number(dy)})".strip()


def _is_placed(text: Element) -> bool:
    """Whether all positions in a text are plain numbers."""
    positions = [
        position
        for part in text.walk()
        for name in ("x", "y")
        for position in part.attrib.get(name, "").split()
    ]
    return all(_is_number(position) for position in positions)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _added(numbers: str, step: float) -> str:
    return " ".join(_number(float(word) + step) for word in numbers.split())


def _number(value: float) -> str:
    return fixed(value, DECIMALS)


def _ends_of_line(node: Element) -> list[Point]:
    return [(coordinate(node.attrib, f"x{n}"), coordinate(node.attrib, f"y{n}")) for n in (1, 2)]


def _set_line(node: Element, ends: list[Point]) -> None:
    for number, (x, y) in enumerate(ends, 1):
        node.attrib |= {f"x{number}": _number(x), f"y{number}": _number(y)}


def _points(node: Element) -> list[Point]:
    numbers, _ = parse_points(node.attrib.get("points", ""))
    return list(zip(numbers[::2], numbers[1::2], strict=False))


def _set_points(node: Element, points: list[Point]) -> None:
    node.attrib["points"] = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _segments(node: Element) -> list[Segment]:
    return list(parse(node.attrib.get("d", "")).segments())


def _written(segments: list[Segment]) -> str:
    return " ".join(" ".join((command, *map(_number, values))) for command, values in segments)


def _all_moved(command: str, values: tuple[float, ...], dx: float, dy: float) -> tuple[float, ...]:
    if command == "H":
        return (values[0] + dx,)
    if command == "V":
        return (values[0] + dy,)
    if command == "A":
        return (*values[:5], values[5] + dx, values[6] + dy)
    return tuple(value + (dy if at % 2 else dx) for at, value in enumerate(values))


def _resize(node: Element, change: Resize) -> None:
    """Scale a shape's own coordinates, so that its bounds become those wanted. Its corners keep their radius."""
    (left, top, right, bottom), (x0, y0, x1, y1) = change.before, change.after
    across = (x1 - x0) / (right - left) if right > left else 1.0
    down = (y1 - y0) / (bottom - top) if bottom > top else 1.0

    def moved(point: Point) -> Point:
        """A point of the element's units after the change."""
        x, y = _seen(change.ctm, point)
        return place(change.ctm, (x0 + (x - left) * across, y0 + (y - top) * down))

    attrib = node.attrib
    if node.tag == "rect":
        x, y = coordinate(attrib, "x"), coordinate(attrib, "y")
        (a, b), (c, d) = (
            moved((x, y)),
            moved((x + coordinate(attrib, "width"), y + coordinate(attrib, "height"))),
        )
        attrib |= {"x": _number(a), "y": _number(b), "width": _number(c - a), "height": _number(d - b)}
    elif node.tag in ("circle", "ellipse"):
        x, y = coordinate(attrib, "cx"), coordinate(attrib, "cy")
        rx, ry = (coordinate(attrib, "r") or coordinate(attrib, name) for name in ("rx", "ry"))
        (a, b), (c, d) = moved((x - rx, y - ry)), moved((x + rx, y + ry))
        node.tag = "ellipse"
        attrib.pop("r", None)
        attrib |= {
            "cx": _number((a + c) / 2),
            "cy": _number((b + d) / 2),
            "rx": _number((c - a) / 2),
            "ry": _number((d - b) / 2),
        }
    elif node.tag == "polygon":
        _set_points(node, [moved(point) for point in _points(node)])
    elif node.tag == "path":
        attrib["d"] = _written([_scaled(command, values, moved) for command, values in _lettered(node)])


def _lettered(node: Element) -> list[Segment]:
    """The segments of a path, with L for H and V, so that each has whole points."""
    segments: list[Segment] = []
    x = y = 0.0
    for command, values in _segments(node):
        if command == "H":
            command, values = "L", (values[0], y)
        elif command == "V":
            command, values = "L", (x, values[0])
        if values:
            x, y = values[-2:]
        segments.append((command, values))
    return segments


def _scaled(command: str, values: tuple[float, ...], moved: Callable[[Point], Point]) -> Segment:
    if command == "A":
        return command, (*values[:5], *moved((values[5], values[6])))
    pairs = zip(values[::2], values[1::2], strict=True)
    return command, tuple(number for point in pairs for number in moved(point))


def _seen(ctm: Matrix, point: Point) -> Point:
    a, b, c, d, e, f = ctm
    return a * point[0] + c * point[1] + e, b * point[0] + d * point[1] + f


def _pull(node: Element, change: Pull) -> None:
    by, beside = local(change.ctm, change.by), local(change.ctm, change.beside)
    if node.tag == "line":
        ends = _ends_of_line(node)
        at = 0 if change.is_start else 1
        ends[at] = _sum(ends[at], by)
        _set_line(node, ends)
    elif node.tag == "polyline":
        points = _points(node)
        at, next_ = (0, 1) if change.is_start else (-1, -2)
        points[at] = _sum(points[at], by)
        if len(points) > 2:
            points[next_] = _sum(points[next_], beside)
        _set_points(node, points)
    elif node.tag == "path":
        segments = _lettered(node)
        if change.is_start:
            _pull_start(segments, by, beside)
        else:
            _pull_end(segments, by, beside)
        node.attrib["d"] = _written(segments)


def _sum(point: Sequence[float], step: Point) -> Point:
    return point[0] + step[0], point[1] + step[1]


def _pull_start(segments: list[Segment], by: Point, beside: Point) -> None:
    segments[0] = "M", _sum(segments[0][1][-2:], by)
    command, values = segments[1]
    is_bend = command == "L" and len(segments) > 2
    if command in "CSQ" or is_bend:
        segments[1] = command, (*_sum(values[:2], beside), *values[2:])


def _pull_end(segments: list[Segment], by: Point, beside: Point) -> None:
    command, values = segments[-1]
    inner = values[:-2]
    if command in "CSQ":
        inner = (*inner[:-2], *_sum(inner[-2:], beside))
    segments[-1] = command, (*inner, *_sum(values[-2:], by))
    before, values = segments[-2]
    if command == "L" and before in "LCSQ":
        inner = values[:-2]
        if before in "CSQ":  # the rounded corner before the last straight part
            inner = (*inner[:-2], *_sum(inner[-2:], beside))
        segments[-2] = before, (*inner, *_sum(values[-2:], beside))


def _reroute(node: Element, change: Reroute) -> None:
    points = [place(change.ctm, point) for point in change.points]
    attrib = node.attrib
    if node.tag == "path":
        (x, y), *rest = points
        attrib["d"] = _written([("M", (x, y)), *(("L", point) for point in rest)])
    elif node.tag == "line" and len(points) == 2:
        _set_line(node, points)
    else:
        for name in ("x1", "y1", "x2", "y2"):
            attrib.pop(name, None)
        if node.tag == "line":
            attrib["fill"] = "none"  # a line has no area, a polyline has
        node.tag = "polyline"
        _set_points(node, points)


def squeeze(node: Element, width: float) -> None:
    node.attrib |= {"textLength": fixed(width, 3), "lengthAdjust": "spacingAndGlyphs"}


def _break(node: Element, change: Break) -> None:
    """The text keeps the properties of its only run."""
    inner = node
    while len(inner.elements()) == 1 and not any(
        isinstance(child, str) and child.strip() for child in inner.children
    ):
        inner = inner.elements()[0]
    x, y = _number(change.x), change.y - change.leading * (len(change.lines) - 1) / 2
    for part in node.walk():
        for name in ("x", "y", "dx", "dy", "textLength", "lengthAdjust", "text-anchor", "dominant-baseline"):
            part.attrib.pop(name, None)
    node.attrib |= {"x": x, "y": _number(y), "text-anchor": "middle", "dominant-baseline": "auto"}
    inner.children = [
        Element("tspan", {"x": x, "y": _number(y + at * change.leading)}, [line])
        for at, line in enumerate(change.lines)
    ]
