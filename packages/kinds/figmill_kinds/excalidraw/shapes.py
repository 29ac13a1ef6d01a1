"""Turns the elements of a scene into SVG. Pure.

Text is measured with the book's fonts: a label that would not fit its shape is set a little smaller.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from figmill.kind import font_metrics
from figmill.kind.links import address
from figmill_kinds.excalidraw.as_tables import mark
from figmill_kinds.excalidraw.scene import Element, Scene
from figmill_kinds.excalidraw.sketch import Box, Hand, Point, along, at, hatching, outside, smooth

PADDING = 10  # px around the scene, as in Excalidraw's own exports
MONO = (3, 8)  # the numbers of Excalidraw's monospaced fonts
ROUND, ADAPTIVE = 0.25, 32  # radius of corners: share of the shorter side, and the most px
HATCH = math.radians(-41)
ROOM = 7  # px between a line and the text on it: its round end and its hand take two
_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]+|(?:rgb|hsl)a?\([\d\s.,%/]+\)")


def drawn(scene: Scene) -> str:
    """The SVG of a whole scene."""
    there = scene.by_id()
    boxes = [box for element in scene.elements for box in _corners(element)]
    left, top = (min(point[axis] for point in boxes) - PADDING for axis in (0, 1))
    right, bottom = (max(point[axis] for point in boxes) + PADDING for axis in (0, 1))
    width, height = right - left, bottom - top
    view = f"{left:.2f} {top:.2f} {width:.2f} {height:.2f}"
    page = _colour(scene.page)
    ground = (
        f'<rect x="{left:.2f}" y="{top:.2f}" width="{width:.2f}" height="{height:.2f}" fill="{page}"/>'
        if page and page.lower() not in ("#ffffff", "#fff", "white")
        else ""
    )
    body = "".join(_element(element, there, scene) for element in scene.elements)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{width:.2f}" height="{height:.2f}">'
        f"{ground}{body}</svg>"
    )


def _corners(element: Element) -> Iterator[Point]:
    """Points that the picture must contain."""
    if element.points:
        flat = [(element.x + x, element.y + y) for x, y in element.points]
    else:
        above = -20 if element.kind == "frame" else 0  # its name is above it
        before, after = _beyond(element)
        across = (-before, element.width + after)
        flat = [(element.x + dx, element.y + dy) for dx in across for dy in (above, element.height)]
    x, y = element.x + element.width / 2, element.y + element.height / 2
    if element.points:
        xs, ys = [px for px, _ in flat], [py for _, py in flat]
        x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    cosine, sine = math.cos(element.angle), math.sin(element.angle)
    for px, py in flat:
        yield x + (px - x) * cosine - (py - y) * sine, y + (px - x) * sine + (py - y) * cosine


def _beyond(element: Element) -> tuple[float, float]:
    """How far a text in the book's font extends beyond its element, in px at the left and at the right."""
    if element.kind != "text" or element.text("containerId", ""):
        return 0.0, 0.0
    rows = element.text("text", "").split("\n")
    mono = element.number("fontFamily", 1) in MONO
    over = max(0.0, _widest(rows, mono) * element.number("fontSize", 20) - element.width)
    return {"center": (over / 2, over / 2), "right": (over, 0.0)}.get(
        element.text("textAlign", "left"), (0.0, over)
    )


def _element(element: Element, there: Mapping[str, Element], scene: Scene) -> str:
    body = (
        _text(element, there) if element.kind == "text" else _shape(element, scene, _label_of(element, scene))
    )
    opacity = element.number("opacity", 100)
    given = f' opacity="{opacity / 100:.2f}"' if opacity < 100 else ""
    if element.angle:
        flat = [(element.x + x, element.y + y) for x, y in element.points]
        xs = [x for x, _ in flat] or [element.x, element.x + element.width]
        ys = [y for _, y in flat] or [element.y, element.y + element.height]
        centre = f"{(min(xs) + max(xs)) / 2:.2f} {(min(ys) + max(ys)) / 2:.2f}"
        given += f' transform="rotate({math.degrees(element.angle):.2f} {centre})"'
    body = f"<g{given}>{body}</g>" if given else body
    link = address(element.text("link", ""))
    return f'<a href="{escape(link)}">{body}</a>' if link else body


def _colour(value: object) -> str:
    """A colour; empty if it is not one, or is transparent."""
    text = value if isinstance(value, str) else ""
    return text if _COLOUR.fullmatch(text) and text.lower() not in ("transparent", "none") else ""


def _label_of(element: Element, scene: Scene) -> Box | None:
    """The box of the text on a line, which the line leaves free; None without text."""
    if element.kind not in ("arrow", "line"):
        return None
    for label in scene.elements:
        if (
            label.kind == "text"
            and label.text("containerId", "") == element.id
            and label.text("text", "").strip()
        ):
            rows = label.text("text", "").split("\n")
            mono = label.number("fontFamily", 1) in MONO
            width = max(label.width, _widest(rows, mono) * label.number("fontSize", 20)) + 2 * ROOM
            x = {"right": label.x + label.width - width + ROOM, "left": label.x - ROOM}.get(
                label.text("textAlign", "left"), label.x + (label.width - width) / 2
            )
            return x, label.y - ROOM, x + width, label.y + label.height + ROOM
    return None


def _shape(element: Element, scene: Scene, gap: Box | None) -> str:
    hand = Hand(int(element.number("seed", 1)), max(0.0, min(3.0, element.number("roughness", 1))))
    match element.kind:
        case "rectangle":
            outline, path = _rectangle(element, hand)
        case "diamond":
            outline, path = _diamond(element, hand)
        case "ellipse":
            outline = _ring(element)
            path = hand.curve(outline, closed=True)
        case "frame":
            return _frame(element)
        case "image":
            return _image(element, scene)
        case "freedraw":
            return _freehand(element)
        case _:
            return _line(element, hand, gap)
    return _filled(element, outline) + _stroked(element, path)


def _rectangle(element: Element, hand: Hand) -> tuple[list[Point], str]:
    x, y, right, bottom = element.x, element.y, element.x + element.width, element.y + element.height
    radius = _radius(element, min(abs(element.width), abs(element.height)))
    sharp: list[Point] = [(x, y), (right, y), (right, bottom), (x, bottom)]
    if not radius:
        return sharp, hand.polyline(sharp, closed=True)
    return _rounded(sharp, radius, hand)


def _diamond(element: Element, hand: Hand) -> tuple[list[Point], str]:
    x, y, right, bottom = element.x, element.y, element.x + element.width, element.y + element.height
    sharp: list[Point] = [
        ((x + right) / 2, y),
        (right, (y + bottom) / 2),
        ((x + right) / 2, bottom),
        (x, (y + bottom) / 2),
    ]
    radius = _radius(element, min(abs(element.width), abs(element.height)) / 2)
    return _rounded(sharp, radius, hand) if radius else (sharp, hand.polyline(sharp, closed=True))


def _radius(element: Element, side: float) -> float:
    if not isinstance(element.data.get("roundness"), dict) and element.data.get("strokeSharpness") != "round":
        return 0.0
    return min(side * ROUND, ADAPTIVE)


def _rounded(corners: Sequence[Point], radius: float, hand: Hand) -> tuple[list[Point], str]:
    """A polygon with rounded corners: its outline, and a path."""
    outline: list[Point] = []
    path = []
    count = len(corners)
    for index, corner in enumerate(corners):
        before = _toward(corner, corners[index - 1], radius)
        after = _toward(corner, corners[(index + 1) % count], radius)
        end = _toward(corners[(index + 1) % count], corner, radius)
        bend = [
            tuple((1 - t) ** 2 * before[a] + 2 * t * (1 - t) * corner[a] + t * t * after[a] for a in (0, 1))
            for t in (0.0, 0.25, 0.5, 0.75, 1.0)
        ]
        outline += bend  # type: ignore[arg-type]
        path.append(f"M{at(before)}Q{at(corner)} {at(after)}")
        path.append(hand.line(after, end))
    return outline, "".join(path)


def _toward(point: Point, other: Point, distance: float) -> Point:
    length = math.dist(point, other) or 1.0
    part = min(0.5, distance / length)
    return point[0] + (other[0] - point[0]) * part, point[1] + (other[1] - point[1]) * part


def _ring(element: Element) -> list[Point]:
    x, y = element.x + element.width / 2, element.y + element.height / 2
    turns = [2 * math.pi * step / 24 for step in range(24)]
    return [
        (x + element.width / 2 * math.cos(turn), y + element.height / 2 * math.sin(turn)) for turn in turns
    ]


def _pen(element: Element, width: float | None = None) -> str:
    """The attributes of a stroke."""
    colour = _colour(element.text("strokeColor", "#1e1e1e"))
    if not colour:
        return 'stroke="none"'
    thick = max(0.0, min(100.0, element.number("strokeWidth", 1))) if width is None else width
    style = element.text("strokeStyle", "solid")
    dashes = {"dashed": f"8 {8 + thick:.4g}", "dotted": f"1.5 {6 + thick:.4g}"}.get(style)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'stroke="{colour}" stroke-width="{thick:.4g}" stroke-linecap="round" stroke-linejoin="round"{dashed}'
    )


def _stroked(element: Element, path: str, id_: str = "") -> str:
    name = f'id="{escape(id_)}" ' if id_ else ""
    return f'<path {name}d="{path}" fill="none" {_pen(element)}/>'


def _filled(element: Element, outline: Sequence[Point]) -> str:
    colour = _colour(element.text("backgroundColor", ""))
    if not colour or len(outline) < 3:
        return ""
    style = element.text("fillStyle", "hachure")
    if style == "solid":
        smooth_ring = element.kind == "ellipse"
        path = f"{smooth(outline, True)}Z" if smooth_ring else f"M{'L'.join(map(at, outline))}Z"
        return f'<path d="{path}" fill="{colour}"/>'
    thick = max(0.5, element.number("strokeWidth", 1) / 2)
    gap = max(3.0, element.number("strokeWidth", 1) * 4)
    lines = hatching(outline, gap, HATCH)
    if style == "cross-hatch":
        lines += hatching(outline, gap, HATCH + math.pi / 2)
    path = "".join(_band(start, end, thick) for start, end in lines)
    return f'<path d="{path}" fill="{colour}"/>'


def _band(start: Point, end: Point, half: float) -> str:
    """A straight line of a fill, as an area: unlike a stroke, it has no meaning of its own."""
    length = math.dist(start, end) or 1.0
    x, y = (start[1] - end[1]) / length * half, (end[0] - start[0]) / length * half
    corners = (
        (start[0] + x, start[1] + y),
        (end[0] + x, end[1] + y),
        (end[0] - x, end[1] - y),
        (start[0] - x, start[1] - y),
    )
    return f"M{'L'.join(map(at, corners))}Z"


def _line(element: Element, hand: Hand, gap: Box | None) -> str:
    points = [(element.x + x, element.y + y) for x, y in element.points]
    if len(points) < 2:
        return ""
    is_closed = len(points) > 3 and math.dist(points[0], points[-1]) < 8
    is_round = (
        isinstance(element.data.get("roundness"), dict) or element.data.get("strokeSharpness") == "round"
    )
    is_curve = is_round and len(points) > 2 and element.data.get("elbowed") is not True
    draw = hand.curve if is_curve else hand.polyline
    pieces = [points] if gap is None else outside(along(points) if is_curve else points, gap)
    path = "".join(draw(piece) for piece in pieces)
    body = (_filled(element, points) if is_closed else "") + _stroked(element, path, mark(element))
    heads = (("startArrowhead", points[0], points[1]), ("endArrowhead", points[-1], points[-2]))
    default = {"endArrowhead": "arrow"} if element.kind == "arrow" else {}
    for name, tip, before in heads:
        form = element.data.get(name, default.get(name))
        if isinstance(form, str):
            body += _head(element, form, tip, before)
    return body


def _head(element: Element, form: str, tip: Point, before: Point) -> str:
    """The head of an arrow: one of Excalidraw's forms."""
    colour = _colour(element.text("strokeColor", "#1e1e1e"))
    length = math.dist(tip, before)
    if not colour or not length:
        return ""
    back = ((before[0] - tip[0]) / length, (before[1] - tip[1]) / length)
    size = min(
        15.0 if "circle" in form or "dot" in form or "triangle" in form or "diamond" in form else 30.0,
        length / 2,
    )
    thick = f"{element.number('strokeWidth', 1):.4g}"
    pen = f'stroke="{colour}" stroke-width="{thick}" stroke-linecap="round" stroke-linejoin="round"'
    fill = "none" if form.endswith("_outline") else colour

    def turned(degrees: float, reach: float = size) -> Point:
        angle = math.radians(degrees)
        x = back[0] * math.cos(angle) - back[1] * math.sin(angle)
        y = back[0] * math.sin(angle) + back[1] * math.cos(angle)
        return tip[0] + x * reach, tip[1] + y * reach

    if form in ("dot", "circle", "circle_outline"):
        return f'<circle cx="{tip[0]:.2f}" cy="{tip[1]:.2f}" r="{size / 3:.2f}" fill="{fill}" {pen}/>'
    if form.startswith("triangle"):
        return f'<path d="M{at(tip)}L{at(turned(25))}L{at(turned(-25))}Z" fill="{fill}" {pen}/>'
    if form.startswith("diamond"):
        far = turned(0, size * 1.8)
        return f'<path d="M{at(tip)}L{at(turned(25))}L{at(far)}L{at(turned(-25))}Z" fill="{fill}" {pen}/>'
    if form == "bar":
        return f'<path d="M{at(turned(90, size / 3))}L{at(turned(-90, size / 3))}" fill="none" {pen}/>'
    if form.startswith("crowfoot"):
        far = turned(0, size / 2)
        ends = [turned(90, size / 3), turned(-90, size / 3)]
        marks = "".join(f"M{at(far)}L{at(end)}" for end in ends) if form != "crowfoot_one" else ""
        bar = f"M{at(turned(40, size / 2))}L{at(turned(-40, size / 2))}" if "one" in form else ""
        return f'<path d="{marks}{bar}" fill="none" {pen}/>'
    return f'<path d="M{at(turned(20))}L{at(tip)}L{at(turned(-20))}" fill="none" {pen}/>'


def _freehand(element: Element) -> str:
    points = [(element.x + x, element.y + y) for x, y in element.points]
    thick = element.number("strokeWidth", 1) * 2
    if len(points) < 2:
        x, y = points[0] if points else (element.x, element.y)
        colour = _colour(element.text("strokeColor", "#1e1e1e")) or "none"
        return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{thick:.4g}" fill="{colour}"/>'
    path = smooth(points) if len(points) > 2 else f"M{'L'.join(map(at, points))}"
    return f'<path d="{path}" fill="none" {_pen(element, thick)}/>'


def _frame(element: Element) -> str:
    name = element.text("name", "") or "Frame"
    box = f'x="{element.x:.2f}" y="{element.y:.2f}" width="{element.width:.2f}" height="{element.height:.2f}"'
    style = 'font-family="Arial" font-size="14" fill="#757575"'
    label = f'<text x="{element.x:.2f}" y="{element.y - 6:.2f}" {style}>{escape(name)}</text>'
    return f'<rect {box} rx="8" fill="none" stroke="#bbbbbb"/>{label}'


def _image(element: Element, scene: Scene) -> str:
    url = scene.files.get(str(element.data.get("fileId")))
    box = f'x="{element.x:.2f}" y="{element.y:.2f}" width="{element.width:.2f}" height="{element.height:.2f}"'
    if url is None:
        return f'<rect {box} fill="none" stroke="#bbbbbb"/>'
    return f'<image {box} href="{escape(url)}" preserveAspectRatio="none"/>'


def _text(element: Element, there: Mapping[str, Element]) -> str:
    """Lines of text, each where Excalidraw places it."""
    rows: Sequence[str] = element.text("text", "").replace("\r\n", "\n").split("\n")
    size = max(1.0, min(1000.0, element.number("fontSize", 20)))
    mono = element.number("fontFamily", 1) in MONO
    container = there.get(element.text("containerId", ""))
    spread = max(0.8, min(4.0, element.number("lineHeight", 1.25)))
    middle = element.y + element.height / 2
    if container is not None and container.kind not in ("arrow", "line"):
        rows, size = _fitted(rows, size, spread, container, mono)
        if element.text("verticalAlign", "middle") == "middle":
            middle = container.y + container.height / 2
    step = size * spread
    align = element.text("textAlign", "left")
    anchor, x = {
        "center": ("middle", element.x + element.width / 2),
        "right": ("end", element.x + element.width),
    }.get(align, ("start", element.x))
    above, below = font_metrics.line(mono=mono)
    top = middle - step * len(rows) / 2
    family = "monospace" if mono else "Arial"
    colour = _colour(element.text("strokeColor", "#1e1e1e")) or "none"
    lines = "".join(
        f'<text x="{x:.2f}" y="{top + step * n + (step + (above - below) * size) / 2:.2f}">{escape(row)}</text>'
        for n, row in enumerate(rows)
        if row.strip()
    )
    return (
        f'<g font-family="{family}" font-size="{size:.4g}" fill="{colour}" text-anchor="{anchor}">{lines}</g>'
        if lines
        else ""
    )


def _fitted(
    rows: Sequence[str], size: float, spread: float, container: Element, mono: bool
) -> tuple[Sequence[str], float]:
    """A label's lines and size in the book's font, so that it fits its shape: wrapped again, then set smaller."""
    part = {"ellipse": math.sqrt(0.5), "diamond": 0.5}.get(container.kind, 1.0)
    room, height = max(1.0, container.width * part - 10), max(1.0, container.height * part - 4)
    if _widest(rows, mono) * size > room:
        rows = [line for row in rows for line in _wrapped(row, room / size, mono)]
    size *= min(1.0, room / (_widest(rows, mono) * size or 1.0), height / (size * spread * len(rows)))
    return rows, size


def _widest(rows: Sequence[str], mono: bool) -> float:
    return max(font_metrics.width(row.rstrip(), mono=mono) for row in rows)


def _wrapped(row: str, room: float, mono: bool) -> list[str]:
    """One line, broken between words into lines of at most `room` em."""
    lines = [""]
    for word in row.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font_metrics.width(longer, mono=mono) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
