# ruff: noqa: E501 - markup is easier to read on one long line than on two
"""Drawings with one defect each, in the manner of five tools, and the same drawings without: what the checks of any
drawing are measured on.

A sketch is a list of items in paint order, in px. A manner writes it as its tool would.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

WIDE, TALL, GAP, EDGE = 110.0, 44.0, 80.0, 40.0
NAMES = ("gateway", "scheduler", "workers", "storage")


@dataclass(frozen=True)
class Box:
    x: float  # of its left
    y: float  # of its top
    width: float = WIDE
    height: float = TALL

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True)
class Words:
    text: str
    x: float  # of their middle
    y: float
    size: float = 14.0


@dataclass(frozen=True)
class Line:
    points: tuple[tuple[float, float], ...]
    has_head: bool = True


Item = Box | Words | Line
Sketch = tuple[list[Item], float, float]  # with its width and height

LAYOUTS: tuple[tuple[tuple[tuple[float, float], ...], tuple[tuple[int, int], ...]], ...] = (
    (((0, 0), (1, 0), (2, 0), (3, 0)), ((0, 1), (1, 2), (2, 3))),  # a row
    (((0, 0), (0, 1), (0, 2), (0, 3)), ((0, 1), (1, 2), (2, 3))),  # a column
    (((0, 0), (1, 0), (1, 1), (0, 1)), ((0, 1), (1, 2), (2, 3), (3, 0))),  # a square
    (((1, 0), (0, 1), (1, 1), (2, 1)), ((0, 1), (0, 2), (0, 3))),  # a tree
)


def good(layout: int, odd: int = -1, change: Callable[[Box], Box] = lambda box: box) -> Sketch:
    """Four boxes with a name each, and arrows from edge to edge. change: what is done to the box `odd`."""
    places, pairs = LAYOUTS[layout]
    boxes = [Box(EDGE + x * (WIDE + GAP), EDGE + y * (TALL + GAP)) for x, y in places]
    if odd >= 0:
        boxes[odd] = change(boxes[odd])
    items: list[Item] = []
    for box, name in zip(boxes, NAMES, strict=True):
        items += [box, Words(name, *box.middle)]
    items += [Line(_between(boxes[start], boxes[end])) for start, end in pairs]
    right = max(box.x + box.width for box in boxes) + EDGE
    bottom = max(box.y + box.height for box in boxes) + EDGE
    return items, right, bottom


def _between(start: Box, end: Box) -> tuple[tuple[float, float], ...]:
    """A straight line from the edge of one box to that of another."""
    (x0, y0), (x1, y1) = start.middle, end.middle
    return _on_edge(start, x1 - x0, y1 - y0), _on_edge(end, x0 - x1, y0 - y1)


def _on_edge(box: Box, dx: float, dy: float) -> tuple[float, float]:
    scale = min(box.width / 2 / abs(dx) if dx else math.inf, box.height / 2 / abs(dy) if dy else math.inf)
    return box.middle[0] + scale * dx, box.middle[1] + scale * dy


def covered(n: int) -> Sketch:
    """A box painted over a part of a name, or all of it."""
    items, right, bottom = good(n)
    x, y = _words(items)[1].x, _words(items)[1].y
    cover = (
        Box(x + 4, y - 30, 90, 60),
        Box(x - 96, y - 26, 84, 50),
        Box(x - 60, y, 120, 50),
        Box(x - 55, y - 22),
    )[n]
    return [*items, cover], right + 60, bottom + 40


def crossed(n: int) -> Sketch:
    """A connector through a name: along it, across it at two slants, and before it in paint order."""
    items, right, bottom = good(n)
    x, y = _words(items)[1].x, _words(items)[1].y
    line = (
        Line(((x - 90, y + 1), (x + 100, y - 2))),
        Line(((x - 80, y - 30), (x + 80, y + 32))),
        Line(((x - 6, y - 60), (x + 4, y + 60))),
        Line(((x - 80, y + 4), (x - 20, y - 1), (x + 90, y - 2))),
    )[n]
    at = next(place for place, item in enumerate(items) if item == _words(items)[1])
    return [*items[:at], line, *items[at:]] if n % 2 else [*items, line], right, bottom


def overlapping(n: int) -> Sketch:
    """Words of a later layer over a name."""
    items, right, bottom = good(n)
    at = _words(items)[n]
    dx, dy = ((12.0, 4.0), (-24.0, 5.0), (3.0, -7.0), (30.0, 2.0))[n]
    return [*items, Words("retry twice", at.x + dx, at.y + dy, 13.0)], right, bottom


def loose(n: int) -> Sketch:
    """An arrow that stops in the gap, or points past its box."""
    items, right, bottom = good(n)
    lines = [item for item in items if isinstance(item, Line)]
    line = lines[n % len(lines)]
    (x0, y0), (x1, y1) = line.points
    share = (0.5, 0.4, 0.55, 0.45)[n]
    aside = (0.0, 18.0, 0.0, -14.0)[n]
    length = math.hypot(x1 - x0, y1 - y0)
    tip = (
        x0 + share * (x1 - x0) - aside * (y1 - y0) / length,
        y0 + share * (y1 - y0) + aside * (x1 - x0) / length,
    )
    return [replace(line, points=((x0, y0), tip)) if item == line else item for item in items], right, bottom


def astray(n: int) -> Sketch:
    """A name across the right edge of its box, below it, across its lower edge, and above it."""
    items, right, bottom = good(n)
    name = _words(items)[3]
    dx, dy = ((66.0, 0.0), (0.0, 34.0), (0.0, 24.0), (0.0, -36.0))[n]
    moved = replace(name, x=name.x + dx, y=name.y + dy)
    return [moved if item == name else item for item in items], right + 40, bottom + 20


def tiny(n: int) -> Sketch:
    """Words that are large enough on a screen, in a drawing that a phone shows at half its size."""
    items, right, bottom = good(n)
    return (
        [replace(item, size=12.0) if isinstance(item, Words) else item for item in items],
        max(right, 640.0),
        bottom,
    )


def through(n: int) -> Sketch:
    """A connector that passes a box on its way to another one: behind it, or over it."""
    items, right, bottom = good(n)
    boxes = [item for item in items if isinstance(item, Box)]
    first, passed, last = (boxes[at] for at in ((0, 1, 2), (0, 1, 2), (0, 1, 2), (1, 2, 3))[n])
    if n == 1:
        x = first.x + 30
        points = (x, first.y + TALL), (x, last.y)
    elif n == 2:  # around a corner
        x, y = passed.x + passed.width + 30, first.y + 12
        points = (first.x + WIDE, y), (x, y), (x, last.middle[1]), (last.x + WIDE, last.middle[1])
    else:
        y = first.y + (10, 0, 0, 32)[n]
        points = (first.x + WIDE, y), (last.x, y)
    line = Line(points)
    return ([line, *items] if n % 2 else [*items, line]), right + 40, bottom


def short(n: int) -> Sketch:
    """An arrow that stops some px before its box."""
    return _moved_tip(n, -(9.0, 11.0, 12.0, 16.0)[n])


def too_far(n: int) -> Sketch:
    """An arrow that ends some px inside its box, below the name."""
    return _moved_tip(n, (12.0, 11.0, 14.0, 12.0)[n])


def _moved_tip(n: int, by: float) -> Sketch:
    """The first arrow ends so many px further."""
    items, right, bottom = good(n)
    line = next(item for item in items if isinstance(item, Line))
    (x0, y0), (x1, y1) = line.points
    share = 1 + by / math.hypot(x1 - x0, y1 - y0)
    moved = replace(line, points=((x0, y0), (x0 + share * (x1 - x0), y0 + share * (y1 - y0))))
    return [moved if item == line else item for item in items], right, bottom


def nowhere(n: int) -> Sketch:
    """A line that stops in the gap, one that begins there, one that turns aside, and an arrow without its first part."""
    items, right, bottom = good(n)
    line = next(item for item in items if isinstance(item, Line))
    (x0, y0), (x1, y1) = line.points
    half = (x0 + x1) / 2, (y0 + y1) / 2
    aside = half[0] + 10, half[1] - 38
    odd = (
        Line((line.points[0], half), False),
        Line((half, line.points[1]), False),
        Line((line.points[0], half, aside), False),
        Line((half, line.points[1])),
    )[n]
    return [odd if item == line else item for item in items], right, bottom


def overlapping_boxes(n: int) -> Sketch:
    """A box that lies over a corner, a side or most of its neighbour."""
    dx, dy = ((-WIDE - GAP + 90, 30), (0, -GAP - 12), (0, -GAP - 20), (-GAP - 30, 6))[n]
    return good(n, (1, 1, 2, 3)[n], lambda box: replace(box, x=box.x + dx, y=box.y + dy))


def close(n: int) -> Sketch:
    """A text on a line, one under a line, two texts that touch at their corners, and two boxes with a slit between."""
    if n == 3:
        return good(3, 3, lambda box: replace(box, x=box.x - GAP + 3))
    items, right, bottom = good(0)
    line = next(item for item in items if isinstance(item, Line))
    (x, y), _ = line.points
    more: list[Item] = [Words("rows", x + 40, y - 5.3)] if n == 0 else [Words("Rows", x + 38, y + 6.9)]
    if n == 2:
        more = [Words("rows", x + 36, y - 50), Words("users", x + 62, y - 42.1)]
    return [*items, *more], right, bottom


def almost(n: int) -> Sketch:
    """A box a few px off its row or its column."""
    dx, dy = ((0, 3), (-4, 0), (0, 2), (0, -5))[n]
    return good(n, (1, 2, 1, 2)[n], lambda box: replace(box, x=box.x + dx, y=box.y + dy))


def uneven(n: int) -> Sketch:
    """A box that is wider, a gap that is larger, a box that is higher, and one that is narrower than the others."""
    changes: tuple[Callable[[Box], Box], ...] = (
        lambda box: replace(box, width=box.width + 9),
        lambda box: replace(box, y=box.y + 13),
        lambda box: replace(box, y=box.y, height=box.height + 6),
        lambda box: replace(box, width=box.width - 8),
    )
    items, right, bottom = good(n, 3, changes[n])
    return items, right + 20, bottom + 20


def slanted(n: int) -> Sketch:
    """A slanted line among others that run along the axes."""
    items, right, bottom = good(n if n < 3 else 2)
    boxes = [item for item in items if isinstance(item, Box)]
    start = boxes[(1, 2, 0, 1)[n]]
    aside = Box(right + 60, bottom + 60) if n < 2 else boxes[(0, 0, 2, 3)[n]]
    added: list[Item] = [aside, Words("audit", *aside.middle)] if n < 2 else []
    return [*items, *added, Line(_between(start, aside))], right + 240, bottom + 180


def crossing(n: int) -> Sketch:
    """Two lines that cross beside the others."""
    items, right, bottom = good(n)
    boxes = [item for item in items if isinstance(item, Box)]
    if n == 2:
        lines = [Line(_between(boxes[0], boxes[2])), Line(_between(boxes[1], boxes[3]))]
    elif n == 1:
        lines = [_beside(boxes[0], boxes[2], right + 20, 0), _beside(boxes[1], boxes[3], right + 40, 8)]
    else:
        below = bottom + 20
        lines = [_below(boxes[n // 3], boxes[2], below, 0), _below(boxes[1], boxes[3], below + 20, 8)]
    return [*items, *lines], right + 80, bottom + 80


def _beside(start: Box, end: Box, x: float, off: float) -> Line:
    """A line around the boxes between two boxes of a column."""
    right, top, bottom = start.x + start.width, start.middle[1] + off, end.middle[1] + off
    return Line(((right, top), (x, top), (x, bottom), (right, bottom)))


def _below(start: Box, end: Box, y: float, off: float) -> Line:
    """A line below the boxes between two boxes of a row."""
    points = ((start.middle[0] + off, start.y + TALL), (start.middle[0] + off, y), (end.middle[0] - off, y))
    return Line((*points, (end.middle[0] - off, end.y + TALL)))


def full(n: int) -> Sketch:
    """Boxes without room between them, each full of text."""
    items: list[Item] = []
    across, down = ((5, 4), (3, 6), (6, 3), (4, 4))[n]
    for row in range(down):
        for column in range(across):
            box = Box(8 + column * (WIDE + 26), 8 + row * (TALL + 8))
            x, y = box.middle
            items += [box, Words("retries twice", x, y - 9, 15.0), Words("then gives up", x, y + 9, 15.0)]
            if column:
                items.append(Line(((box.x - 26, y), (box.x, y))))
    return items, 16 + across * (WIDE + 26), 16 + down * (TALL + 8)


def far(n: int) -> Sketch:
    """The text of one line far from it, and those of the others beside theirs."""
    items, right, bottom = good(n)
    lines = [item for item in items if isinstance(item, Line)]
    for number, line in enumerate(lines):
        (x0, y0), (x1, y1) = line.points
        off = 40.0 if number == n % len(lines) else 15.0
        is_level = abs(x1 - x0) > abs(y1 - y0)
        middle = (x0 + x1) / 2, (y0 + y1) / 2
        place = (middle[0], middle[1] - off) if is_level else (middle[0] + off + 5, middle[1])
        items.append(Words("read", *place, 12.0))
    return items, right + 60, bottom


def _words(items: list[Item]) -> list[Words]:
    return [item for item in items if isinstance(item, Words)]


DEFECTS: dict[str, Callable[[int], Sketch]] = {
    "text-covered": covered,
    "line-through-text": crossed,
    "text-overlap": overlapping,
    "loose-arrow": loose,
    "text-astray": astray,
    "edge-through-box": through,
    "short-arrow": short,
    "arrow-inside": too_far,
    "small-on-phone": tiny,
    "edge-ends-nowhere": nowhere,
    "boxes-overlap": overlapping_boxes,
    "clearance": close,
    "almost-aligned": almost,
    "unequal": uneven,
    "mixed-routes": slanted,
    "crossings": crossing,
    "crowded": full,
    "label-far-from-line": far,
}


def by_hand(sketch: Sketch) -> str:
    items, width, height = sketch
    body = [
        '<defs><marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z"/></marker></defs>'
    ]
    for item in items:
        match item:
            case Box(x, y, w, h):
                body.append(
                    f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="4" fill="#cfe2f3" stroke="#4a90c4"/>'
                )
            case Words(text, x, y, size):
                body.append(
                    f'<text x="{x}" y="{y + 0.35 * size}" font-size="{size}" font-family="Arial, sans-serif" text-anchor="middle" fill="#222">{text}</text>'
                )
            case Line(points, has_head):
                end = ' marker-end="url(#a)"' if has_head else ""
                body.append(
                    f'<polyline points="{_listed(points)}" fill="none" stroke="#333" stroke-width="1.5"{end}/>'
                )
    return _svg(width, height, "\n".join(body))


def by_drawio(sketch: Sketch) -> str:
    items, width, height = sketch
    body = []
    for item in items:
        match item:
            case Box(x, y, w, h):
                body.append(
                    f'<g><rect x="{x}" y="{y}" width="{w}" height="{h}" fill="#dae8fc" stroke="#6c8ebf" pointer-events="all"/></g>'
                )
            case Words(text, x, y, size):
                div = f'<div xmlns="http://www.w3.org/1999/xhtml" style="display: flex; align-items: unsafe center; justify-content: unsafe center; width: 108px; height: 1px; padding-top: {y}px; margin-left: {x - 54}px;"><div style="box-sizing: border-box; font-size: 0; text-align: center;"><div style="display: inline-block; font-size: {size}px; font-family: Helvetica; color: #000000; line-height: 1.2; white-space: nowrap;">{text}</div></div></div>'
                body.append(
                    f'<g><switch><foreignObject style="overflow: visible; text-align: left;" pointer-events="none" width="100%" height="100%" requiredFeatures="http://www.w3.org/TR/SVG11/feature#Extensibility">{div}</foreignObject><text x="{x}" y="{y + 4}" fill="#000000" font-family="Helvetica" font-size="{size}px" text-anchor="middle">{text}</text></switch></g>'
                )
            case Line(points, has_head):
                body.append(
                    f'<g><path d="M {" L ".join(f"{x} {y}" for x, y in points)}" fill="none" stroke="rgb(0, 0, 0)" stroke-miterlimit="10" pointer-events="stroke"/>'
                )
                if has_head:
                    a, b, c, d = _dart(points, 7, 3.5)
                    body.append(
                        f'<path d="M {a[0]:.2f} {a[1]:.2f} L {b[0]:.2f} {b[1]:.2f} L {c[0]:.2f} {c[1]:.2f} L {d[0]:.2f} {d[1]:.2f} Z" fill="rgb(0, 0, 0)" stroke="rgb(0, 0, 0)" stroke-miterlimit="10" pointer-events="all"/>'
                    )
                body.append("</g>")
    return _svg(width, height, "<defs/><g>" + "\n".join(body) + "</g>")


def by_mermaid(sketch: Sketch) -> str:
    items, width, height = sketch
    style = '#m{font-family:"trebuchet ms",verdana,arial,sans-serif;font-size:14px;fill:#333;}#m .node rect{fill:#ECECFF;stroke:#9370DB;stroke-width:1px;}#m .flowchart-link{stroke:#333333;fill:none;stroke-width:2px;}#m .marker{fill:#333333;stroke:#333333;}#m .nodeLabel{color:#333;}'
    marker = '<marker id="m_pointEnd" class="marker" viewBox="0 0 10 10" refX="5" refY="5" markerUnits="userSpaceOnUse" markerWidth="8" markerHeight="8" orient="auto"><path d="M 0 0 L 10 5 L 0 10 z" style="stroke-width: 1; stroke-dasharray: 1, 0;"/></marker>'
    body = [f"<style>{style}</style><g>{marker}"]
    for item in items:
        match item:
            case Box(x, y, w, h):
                body.append(
                    f'<g class="node default" transform="translate({x + w / 2}, {y + h / 2})"><rect class="basic label-container" rx="0" ry="0" x="{-w / 2}" y="{-h / 2}" width="{w}" height="{h}"/></g>'
                )
            case Words(text, x, y, size):
                wide, tall = 0.62 * size * len(text), 1.5 * size
                body.append(
                    f'<g class="label" transform="translate({x - wide / 2}, {y - tall / 2})"><foreignObject width="{wide}" height="{tall}"><div xmlns="http://www.w3.org/1999/xhtml" style="display: inline-block; white-space: nowrap; text-align: center; font-size: {size}px; width: {wide}px;"><span class="nodeLabel">{text}</span></div></foreignObject></g>'
                )
            case Line(points, has_head):
                end = ' marker-end="url(#m_pointEnd)"' if has_head else ""
                body.append(
                    f'<path d="M{"L".join(f"{x},{y}" for x, y in points)}" class="edge-thickness-normal edge-pattern-solid flowchart-link"{end}/>'
                )
    return _svg(
        width, height, "\n".join(body) + "</g>", 'id="m" class="flowchart" role="graphics-document document"'
    )


def by_excalidraw(sketch: Sketch) -> str:
    items, width, height = sketch
    body = []
    for item in items:
        match item:
            case Box(x, y, w, h):
                rough = f"M0.7 -0.4 C{w * 0.3} 0.6, {w * 0.6} -0.5, {w} 0.3 M-0.3 0.5 C{w * 0.4} 0.2, {w * 0.8} 0.9, {w} -0.2 M{w} 0 C{w + 0.8} {h * 0.4}, {w - 0.5} {h * 0.7}, {w} {h} M{w} {h} C{w * 0.6} {h + 0.8}, {w * 0.3} {h - 0.6}, 0 {h} M0 {h} C0.7 {h * 0.6}, -0.6 {h * 0.3}, 0 0"
                body.append(
                    f'<g stroke-linecap="round" transform="translate({x} {y}) rotate(0 {w / 2} {h / 2})"><path d="M0 0 L{w} 0 L{w} {h} L0 {h}" stroke="none" stroke-width="0" fill="#a5d8ff"/><path d="{rough}" stroke="#1e1e1e" stroke-width="1" fill="none"/></g>'
                )
            case Words(text, x, y, size):
                wide = 0.52 * size * len(text)
                body.append(
                    f'<g transform="translate({x - wide / 2} {y - 0.625 * size}) rotate(0 {wide / 2} {0.625 * size})"><text x="{wide / 2}" y="{0.93 * size}" font-family="Virgil, Segoe UI Emoji" font-size="{size}px" fill="#1e1e1e" text-anchor="middle" style="white-space: pre;" direction="ltr" dominant-baseline="alphabetic">{text}</text></g>'
                )
            case Line(points, has_head):
                (x0, y0), rest = points[0], points[1:]
                steps = [(x - x0, y - y0) for x, y in rest]
                path = (
                    "M0.4 -0.3"
                    + "".join(
                        f" C{x / 3:.2f} {y / 3 + 0.5:.2f}, {2 * x / 3:.2f} {2 * y / 3 - 0.4:.2f}, {x:.2f} {y:.2f}"
                        for x, y in steps[-1:]
                    )
                    if len(steps) == 1
                    else "M0 0 " + " ".join(f"L{x:.2f} {y:.2f}" for x, y in steps)
                )
                group = f'<g stroke-linecap="round"><g transform="translate({x0} {y0}) rotate(0 0 0)"><path d="{path}" stroke="#1e1e1e" stroke-width="1.5" fill="none"/></g>'
                if has_head:
                    tip, left, _, right = _dart(points, 14, 5)
                    for far in (left, right):
                        group += f'<g transform="translate({x0} {y0}) rotate(0 0 0)"><path d="M{far[0] - x0:.2f} {far[1] - y0:.2f} C{(far[0] + tip[0]) / 2 - x0:.2f} {(far[1] + tip[1]) / 2 - y0 + 0.3:.2f}, {tip[0] - x0 - 0.4:.2f} {tip[1] - y0:.2f}, {tip[0] - x0 + 0.5:.2f} {tip[1] - y0 - 0.3:.2f}" stroke="#1e1e1e" stroke-width="1.5" fill="none"/></g>'
                body.append(group + "</g><mask/>")
    return _svg(
        width,
        height,
        f'<rect x="0" y="0" width="{width}" height="{height}" fill="#ffffff"/>' + "\n".join(body),
    )


def by_graphviz(sketch: Sketch) -> str:
    items, width, height = sketch
    body = [
        f'<g id="graph0" class="graph" transform="scale(1 1) rotate(0) translate(4 {height - 4})"><title>G</title><polygon fill="white" stroke="transparent" points="-4,4 -4,{4 - height} {width - 4},{4 - height} {width - 4},4 -4,4"/>'
    ]
    dx, dy = -4.0, 4.0 - height
    for number, item in enumerate(items):
        match item:
            case Box(x, y, w, h):
                x, y = x + dx, y + dy
                body.append(
                    f'<g id="node{number}" class="node"><title>n{number}</title><polygon fill="none" stroke="black" points="{x + w},{y} {x},{y} {x},{y + h} {x + w},{y + h} {x + w},{y}"/></g>'
                )
                if number > 8:  # a cover is a filled cluster
                    body[-1] = body[-1].replace('fill="none"', 'fill="lightgrey"')
            case Words(text, x, y, size):
                body.append(
                    f'<text text-anchor="middle" x="{x + dx}" y="{y + dy + 0.3 * size}" font-family="Times,serif" font-size="{size:.2f}">{text}</text>'
                )
            case Line(points, has_head):
                placed = tuple((x + dx, y + dy) for x, y in points)
                ends = placed
                head = ""
                if has_head:
                    tip, left, base, right = _dart(placed, 10, 3.5)
                    base = (left[0] + right[0]) / 2, (left[1] + right[1]) / 2
                    ends = (*placed[:-1], base)
                    head = (
                        f'<polygon fill="black" stroke="black" points="{_listed((left, tip, right, left))}"/>'
                    )
                curve = f"M{ends[0][0]:.2f},{ends[0][1]:.2f}"
                for (xa, ya), (xb, yb) in itertools.pairwise(ends):
                    curve += f"C{xa + (xb - xa) / 3:.2f},{ya + (yb - ya) / 3:.2f} {xa + 2 * (xb - xa) / 3:.2f},{ya + 2 * (yb - ya) / 3:.2f} {xb:.2f},{yb:.2f}"
                body.append(
                    f'<g id="edge{number}" class="edge"><title>e</title><path fill="none" stroke="black" d="{curve}"/>{head}</g>'
                )
    return _svg(width, height, "\n".join(body) + "</g>")


MANNERS: dict[str, Callable[[Sketch], str]] = {
    "hand": by_hand,
    "draw.io": by_drawio,
    "Mermaid": by_mermaid,
    "Excalidraw": by_excalidraw,
    "Graphviz": by_graphviz,
}


def seeded(check: str) -> Iterator[tuple[str, bytes]]:
    """Twenty drawings with one defect, each with its name: four in each manner."""
    for manner, write in MANNERS.items():
        for n in range(4):
            yield f"{check}-{manner}-{n}.svg", write(DEFECTS[check](n)).encode()


def sound() -> Iterator[tuple[str, bytes]]:
    """The same drawings without a defect."""
    for manner, write in MANNERS.items():
        for n in range(4):
            yield f"good-{manner}-{n}.svg", write(good(n)).encode()


def _svg(width: float, height: float, body: str, more: str = "") -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" {more}>\n{body}\n</svg>\n'


def _listed(points: tuple[tuple[float, float], ...]) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)


def _dart(
    points: tuple[tuple[float, float], ...], long: float, half: float
) -> tuple[tuple[float, float], ...]:
    """The corners of an arrow's head: its tip, one wing, the notch, the other wing."""
    (x0, y0), (x1, y1) = points[-2:]
    far = math.hypot(x1 - x0, y1 - y0)
    ux, uy = (x1 - x0) / far, (y1 - y0) / far
    back = x1 - long * ux, y1 - long * uy
    return (
        (x1, y1),
        (back[0] - half * uy, back[1] + half * ux),
        (x1 - 0.75 * long * ux, y1 - 0.75 * long * uy),
        (back[0] + half * uy, back[1] - half * ux),
    )
