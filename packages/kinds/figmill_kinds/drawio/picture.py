"""Draws a diagram of draw.io as SVG: the shapes in the order of the page, each with its text. Pure."""

from __future__ import annotations

import itertools
import math
import re
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from types import MappingProxyType

from figmill.kind import role
from figmill_kinds.drawio import routes
from figmill_kinds.drawio.as_tables import mark
from figmill_kinds.drawio.heads import Head, head
from figmill_kinds.drawio.labels import Label, label_of
from figmill_kinds.drawio.model import Box, Connector, GraphModel, Point, Shape
from figmill_kinds.drawio.shapes import Outline, divided, lane, lane_radius, outline
from figmill_kinds.drawio.styles import Style, colour, is_on, number
from figmill_kinds.drawio.wide import WIDE, wide

NO_FILL = 'fill="none"'
LINE = role("neutral").line  # of lines whose colour the diagram leaves to the editor, where it is black
MARGIN = 5.0  # px around the page
CORNER = 10.0  # radius of a connector's round bends
_DATA = re.compile(r"data:(image/(?:png|jpeg|jpg|gif|webp|svg\+xml))(;base64)?,([^;\s\"'<>]+)")
_WAYS: Mapping[str, str] = MappingProxyType(
    {
        "north": "x1='0' y1='1' x2='0' y2='0'",
        "east": "x1='0' y1='0' x2='1' y2='0'",
        "south": "x1='0' y1='0' x2='0' y2='1'",
        "west": "x1='1' y1='0' x2='0' y2='0'",
    }
)
# Shapes whose labels keep to a part of them; in the others, `boundedLbl` says so.
_BOUNDED = ("umlLifeline", "umlFrame", "callout")
_BARE = ("group", "image", "text", "line", "edgeLabel")


@dataclass(frozen=True, slots=True)
class Picture:
    """The drawing of a page. routes: the points of each connector, by its id."""

    svg: str
    nodes: int
    edges: int
    routes: Mapping[str, Sequence[Point]]


@dataclass(frozen=True, slots=True)
class _Part:
    """What is drawn for one cell, in px of the page, with the box that it fills."""

    body: str
    box: Box
    label: Label | None = None
    link: str = ""


def drawn(diagram: GraphModel) -> Picture | None:
    """The SVG of a page, as large as its content; None if nothing on it has a place."""
    shapes = {cell.id: cell for cell in diagram.cells if isinstance(cell, Shape) and not cell.on_edge}
    lines = _lines(diagram, shapes)
    inside: dict[str, list[Shape]] = {}
    for shape in shapes.values():
        inside.setdefault(shape.parent, []).append(shape)
    parts = [
        part for number, cell in enumerate(diagram.cells) for part in _parts(cell, lines, inside, number)
    ]
    seen = [part.box for part in parts] + [part.label.ink() for part in parts if part.label]
    if not seen:
        return None
    left, top = (min(getattr(box, side) for box in seen) - MARGIN for side in ("x", "y"))
    right, bottom = (max(getattr(box, side) for box in seen) + MARGIN for side in ("right", "bottom"))
    body = "".join(_placed(part, left, top) for part in parts)
    page = colour({"page": diagram.page}, "page") if diagram.page else ""
    size = f'width="{right - left:.2f}" height="{bottom - top:.2f}"'
    ground = (
        f'<rect {size} fill="{page}"/>' if page and page.lower() not in ("#ffffff", "#fff", "white") else ""
    )
    box = f'viewBox="0 0 {right - left:.2f} {bottom - top:.2f}"'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" data-drawio-colors="" {size} {box}>'
    nodes = sum(cell.style.get("shape") not in _BARE and _is_seen(cell) for cell in shapes.values())
    edges = sum(isinstance(cell, Connector) for cell in diagram.cells)
    return Picture(f"{svg}{ground}{body}</svg>", nodes, edges, lines)


def _is_seen(cell: Shape) -> bool:
    """Whether a shape has ink of its own."""
    style = cell.style
    return bool(cell.box.width and cell.box.height) and bool(
        colour(style, "fillColor") or colour(style, "strokeColor") or style.get("shape") == "image"
    )


def _placed(part: _Part, left: float, top: float) -> str:
    moved = f'<g transform="translate({-left:.2f} {-top:.2f})">{part.body}</g>' if part.body else ""
    whole = moved + (part.label.drawn(left, top) if part.label else "")
    return f'<a href="{escape(part.link)}">{whole}</a>' if part.link and whole else whole


def _parts(
    cell: Shape | Connector,
    lines: Mapping[str, Sequence[Point]],
    inside: Mapping[str, Sequence[Shape]],
    number: int,
) -> Iterable[_Part]:
    if isinstance(cell, Connector):
        if cell.id in lines:
            yield _connector(cell, lines[cell.id])
    elif not cell.on_edge:
        part = _shape(cell, number)
        if cell.style.get("shape") == "table":
            rows = [
                (row.box, [inner.box for inner in inside.get(row.id, ())]) for row in inside.get(cell.id, ())
            ]
            between = divided(rows, cell.style)
            part = replace(
                part, body=part.body + f'<path d="{between}" fill="none" {_pen(cell.style)}/>' * bool(between)
            )
        yield part
    elif cell.on_edge in lines:
        x, y = routes.place(lines[cell.on_edge], cell.along, cell.beside)
        moved = replace(cell, box=Box(x + cell.box.x, y + cell.box.y, cell.box.width, cell.box.height))
        yield _shape(moved, number)


def _shape(cell: Shape, number_: int) -> _Part:
    style, box = cell.style, cell.box
    turn = number(style, "rotation") % 360
    direction = {"south": 90, "west": 180, "north": 270}.get(style.get("direction", "east"), 0)
    inner = _across(box) if direction in (90, 270) else box
    contour = outline(inner, style)
    transform = _transform(box, turn + direction, style)
    body = _filled(contour, style, f"g{number_}") + _image(box, style)
    if contour.area and style.get("shape") in ("swimlane", "table"):
        body = _lane(contour, inner, style) + body
    if body and transform:
        body = f'<g transform="{transform}">{body}</g>'
    return _Part(_faded(body, style), _turned_box(box, turn), _label(cell, contour, turn), cell.link)


def _faded(body: str, style: Style) -> str:
    """A shape or a connector, as opaque as its style says; its label stays as it is."""
    opacity = number(style, "opacity", 100)
    return f'<g opacity="{max(0.0, opacity) / 100:.2f}">{body}</g>' if opacity < 100 and body else body


def _across(box: Box) -> Box:
    """The box after a quarter turn."""
    x, y = box.centre
    return Box(x - box.height / 2, y - box.width / 2, box.height, box.width)


def _turned_box(box: Box, turn: float) -> Box:
    if not turn:
        return box
    cosine, sine = abs(math.cos(math.radians(turn))), abs(math.sin(math.radians(turn)))
    width, height = box.width * cosine + box.height * sine, box.width * sine + box.height * cosine
    x, y = box.centre
    return Box(x - width / 2, y - height / 2, width, height)


def _transform(box: Box, turn: float, style: Style) -> str:
    x, y = box.centre
    across, down = (-1 if is_on(style, name) else 1 for name in ("flipH", "flipV"))
    parts = [f"rotate({turn % 360:g} {x:.2f} {y:.2f})"] if turn % 360 else []
    if across < 0 or down < 0:
        parts.append(f"translate({x - across * x:.2f} {y - down * y:.2f}) scale({across} {down})")
    return " ".join(parts)


def _label(cell: Shape, contour: Outline, turn: float) -> Label | None:
    style, box = cell.style, cell.box
    if cell.on_edge and not (box.width and box.height):
        return _on_line(cell.label, style, box.x, box.y)
    bounded = style.get("shape") in _BOUNDED or is_on(style, "boundedLbl")
    top, right, bottom, left = contour.inset if bounded else (0.0, 0.0, 0.0, 0.0)
    area = Box(
        box.x + left, box.y + top, max(1.0, box.width - left - right), max(1.0, box.height - top - bottom)
    )
    if style.get("shape") in ("swimlane", "table"):
        area = lane(box, style)[0]
    if not is_on(style, "horizontal", "1"):
        area, turn = _across(area), turn - 90
    return label_of(cell.label, style, area, turn % 360)


def _on_line(text: str, style: Style, x: float, y: float) -> Label | None:
    """Text on a connector, at a place."""
    return label_of(
        text, {**style, "whiteSpace": "nowrap", "spacing": "0", "overflow": ""}, Box(x - 0.5, y - 0.5, 1, 1)
    )


def _pen(style: Style, default: str = "default") -> str:
    ink = colour(style, "strokeColor", default, LINE)
    width = max(0.0, number(style, "strokeWidth", 1))
    if not ink or not width:
        return 'stroke="none"'
    pen = f'stroke="{ink}" stroke-width="{width:g}" stroke-miterlimit="10"'
    if is_on(style, "dashed"):
        steps = [float(step) for step in re.findall(r"\d+(?:\.\d+)?", style.get("dashPattern", "3 3"))][:8]
        pen += f' stroke-dasharray="{" ".join(f"{step * max(1.0, width):g}" for step in steps if step) or "3 3"}"'
    if (opacity := number(style, "strokeOpacity", 100)) < 100:
        pen += f' stroke-opacity="{max(0.0, opacity) / 100:.2f}"'
    return pen


def _fill(style: Style, name: str) -> tuple[str, str]:
    """The attribute that fills a shape, and the definition that it needs."""
    fill = colour(style, "fillColor", otherwise="#ffffff")
    if not fill:
        return 'fill="none"', ""
    other = colour(style, "gradientColor", otherwise="#ffffff")
    opacity = number(style, "fillOpacity", 100)
    more = f' fill-opacity="{max(0.0, opacity) / 100:.2f}"' if opacity < 100 else ""
    if not other or other == fill:
        return f'fill="{fill}"{more}', ""
    way = _WAYS.get(style.get("gradientDirection", "south"), _WAYS["south"])
    stops = f'<stop offset="0" stop-color="{fill}"/><stop offset="1" stop-color="{other}"/>'
    return f'fill="url(#{name})"{more}', f"<linearGradient id='{name}' {way}>{stops}</linearGradient>"


def _filled(contour: Outline, style: Style, name: str) -> str:
    pen, (fill, definition) = _pen(style), _fill(style, name)
    if style.get("shape") in ("group", "text"):
        return ""
    if contour.solid:
        fill, definition = f'fill="{colour(style, "fillColor", otherwise=LINE) or LINE}"', ""
    body = ""
    if (
        style.get("shape") not in ("swimlane", "table")
        and contour.area
        and not (fill == 'fill="none"' and pen == 'stroke="none"')
    ):
        outer = 'stroke="none"' if contour.bare else pen
        body = (
            f'<path d="{contour.area}" {fill} {outer}/>'
            if not (contour.bare and fill == 'fill="none"')
            else ""
        )
    if body and fill != 'fill="none"':
        body += "".join(
            f'<path d="{shade}" fill="{"#000000" if part > 0 else "#ffffff"}" fill-opacity="{min(1.0, abs(part)):g}"/>'
            for shade, part in contour.shades
            if part
        )
    if contour.lines and pen != 'stroke="none"':
        body += f'<path d="{contour.lines}" fill="none" {pen}/>'
    return (f"<defs>{definition}</defs>" if definition and body else "") + body


def _lane(contour: Outline, box: Box, style: Style) -> str:
    """A swimlane: its head has the fill, and the part below has its own."""
    head_ = lane(box, style)[0]
    ground = colour(style, "swimlaneFillColor", otherwise="#ffffff")
    fill = colour(style, "fillColor", otherwise="#ffffff")
    if style.get("shape") == "table" and not (head_.width and head_.height):
        ground = fill
    body = f'<path d="{contour.area}" fill="{ground}"/>' if ground else ""
    if fill and head_.width and head_.height:
        r = lane_radius(box, style)
        body += (
            f'<rect x="{head_.x:.2f}" y="{head_.y:.2f}" width="{head_.width:.2f}" height="{head_.height:.2f}"'
        )
        body += f' rx="{r:.2f}" fill="{fill}"/>' if r else f' fill="{fill}"/>'
    return f'{body}<path d="{contour.area}" fill="none" {_pen(style)}/>'


def picture_in(style: Style) -> tuple[str, str]:
    """The type and the data of a picture inside the file; both empty if it is elsewhere."""
    match = _DATA.fullmatch(style.get("image", ""))
    return (match[1], match[3]) if match is not None and not match[3].startswith("%3C") else ("", "")


def _frame(box: Box) -> str:
    return f'x="{box.x:.2f}" y="{box.y:.2f}" width="{box.width:.2f}" height="{box.height:.2f}"'


def _image(box: Box, style: Style) -> str:
    form, data = picture_in(style)
    if style.get("shape") != "image" or not data or not (box.width and box.height):
        return ""
    fit = ' preserveAspectRatio="none"'
    if is_on(style, "imageAspect", "1") or (form == "image/svg+xml" and _is_as_wide(data, box)):
        fit = ""
    return f'<image {_frame(box)}{fit} href="data:{escape(form)};base64,{escape(data)}"/>'


def _is_as_wide(data: str, box: Box) -> bool:
    """Whether an SVG says that it has the proportions of a box, whatever its `viewBox` has."""
    head = b64decode(data + "==").decode("utf-8", "replace").partition(">")[0]
    sizes = dict(re.findall(r'\s(width|height)="([\d.]+)', head))
    try:
        return abs(float(sizes["width"]) / float(sizes["height"]) * box.height / box.width - 1) < 0.05
    except (KeyError, ValueError, ZeroDivisionError):
        return False


def _lines(diagram: GraphModel, shapes: Mapping[str, Shape]) -> Mapping[str, Sequence[Point]]:
    """The route of each connector, by its id. A connector may end on another connector."""
    waiting = [cell for cell in diagram.cells if isinstance(cell, Connector)]
    ids = {cell.id for cell in waiting}
    lines: dict[str, Sequence[Point]] = {}
    while waiting:
        ready = [cell for cell in waiting if not ({cell.source, cell.target} & ids - lines.keys())]
        for cell in ready or waiting:
            start = _end(cell.source, cell.start, "exit", cell, shapes, lines)
            stop = _end(cell.target, cell.stop, "entry", cell, shapes, lines)
            if start is not None and stop is not None:
                lines[cell.id] = routes.route(start, stop, cell.via, cell.style)
            else:
                ids.discard(cell.id)
        waiting = [cell for cell in waiting if cell not in ready] if ready else []
    return lines


def _end(
    name: str,
    at: Point | None,
    which: str,
    cell: Connector,
    shapes: Mapping[str, Shape],
    lines: Mapping[str, Sequence[Point]],
) -> routes.End | None:
    """One end of a connector; None if it is nowhere."""
    if shape := shapes.get(name):
        box, style = shape.box, shape.style
        turn = {"south": 90, "west": 180, "north": 270}.get(style.get("direction", "east"), 0) + number(
            style, "rotation"
        )
        inner = _across(box) if style.get("direction") in ("south", "north") else box

        def turned(point: Point) -> Point:
            x, y = (
                (2 * middle - place if is_on(style, name) else place)
                for place, middle, name in zip(point, box.centre, ("flipH", "flipV"), strict=True)
            )
            return _rotated((x, y), box.centre, turn)

        corners = outline(inner, style).edge or (routes.corners(inner) if turn % 90 else ())
        edge = tuple(turned(point) for point in corners)
        if style.get("perimeter") == "orthogonalPerimeter":
            edge = ()
        spacing = number(style, "perimeterSpacing") + number(
            cell.style, f"{'source' if which == 'exit' else 'target'}PerimeterSpacing"
        )
        box = box.grown(spacing) if spacing and not edge else box
        if style.get("perimeter") == "centerPerimeter":
            return routes.loose(box.centre)
        place = routes.chosen(inner, cell.style, which)
        if place and cell.style.get(f"{which}Perimeter", "1") == "0":
            place = turned(place)
        elif place:
            place = _rotated(place, box.centre, turn)
        end = routes.attached(box, edge, cell.style, which, place)
        return replace(end, is_level=style.get("perimeter") in ("orthogonalPerimeter", "lifelinePerimeter"))
    if name in lines:
        return routes.loose(routes.place(lines[name], 0.0, 0.0))
    return None if at is None else routes.loose(at)


def _rotated(point: Point, centre: Point, degrees: float) -> Point:
    turn = math.radians(degrees)
    x, y = point[0] - centre[0], point[1] - centre[1]
    return centre[0] + x * math.cos(turn) - y * math.sin(turn), centre[1] + x * math.sin(turn) + y * math.cos(
        turn
    )


def _connector(cell: Connector, points: Sequence[Point]) -> _Part:
    style = cell.style
    if style.get("shape") in WIDE:
        return _wide(cell, points)
    pen = _pen(style)
    heads = [_head(style, "start", points), _head(style, "end", points[::-1])]
    shown = _shortened(points, heads)
    solid = re.sub(r' stroke-dasharray="[^"]*"', "", pen)
    line = f'<path id="{escape(mark(cell))}" d="{_bent(shown, style)}" fill="none" {pen}/>'
    body = line if pen != 'stroke="none"' else ""
    ink = colour(style, "strokeColor", "default", LINE)
    for marker, name in zip(heads, ("start", "end"), strict=True):
        if marker is None or not ink:
            continue
        is_filled = is_on(style, f"{name}Fill", "1") and not style.get(f"{name}Arrow", "").startswith("ER")
        fill = ink if is_filled else "none"
        body += f'<path d="{marker.area}" fill="{fill}" {solid}/>' if marker.area else ""
        body += f'<path d="{marker.lines}" fill="none" {solid}/>' if marker.lines else ""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    box = Box(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))
    x, y = routes.place(points, cell.along, cell.beside)
    label = _on_line(cell.label, style, x + cell.offset[0], y + cell.offset[1])
    return _Part(_faded(body, style), box, label, cell.link)


def _wide(cell: Connector, points: Sequence[Point]) -> _Part:
    """A connector that is an arrow with an area, or two lines beside each other."""
    style = cell.style
    path = wide(points, style)
    fill, _ = _fill({"fillColor": "none", **style}, "")
    fill = fill if style["shape"] == "flexArrow" else NO_FILL
    body = f'<path id="{escape(mark(cell))}" d="{path}" {fill} {_pen(style)}/>'
    xs, ys = [x for x, _ in points], [y for _, y in points]
    by = number(style, "width", WIDE[style["shape"]]) / 2 + number(style, "endWidth", 20) / 2
    box = Box(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)).grown(by)
    x, y = routes.place(points, cell.along, cell.beside)
    return _Part(
        _faded(body, style),
        box,
        _on_line(cell.label, style, x + cell.offset[0], y + cell.offset[1]),
        cell.link,
    )


def _head(style: Style, name: str, points: Sequence[Point]) -> Head | None:
    size = number(style, f"{name}Size", 6) + number(style, "strokeWidth", 1)
    form = style.get(f"{name}Arrow", "none")
    size += form.startswith("ER")
    return head(form, points[0], points[1], size, number(style, "strokeWidth", 1))


def _shortened(points: Sequence[Point], heads: Sequence[Head | None]) -> list[Point]:
    """The line without the parts that its heads cover."""
    line = list(points)
    for number_, order in ((0, 1), (1, -1)):
        line = line[::order]
        marker = heads[number_]
        length = math.dist(line[0], line[1])
        if marker is not None and marker.back and length:
            part = min(1.0, marker.back / length)
            line[0] = (
                line[0][0] + (line[1][0] - line[0][0]) * part,
                line[0][1] + (line[1][1] - line[0][1]) * part,
            )
        line = line[::order]
    return line


def _bent(points: Sequence[Point], style: Style) -> str:
    """A path through points: curved, with round bends, or sharp."""
    begin = f"M{points[0][0]:.2f},{points[0][1]:.2f}"
    if is_on(style, "curved") and len(points) > 2:
        middles = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in itertools.pairwise(points[1:-1])]
        ends = [*middles, points[-1]]
        return begin + "".join(
            f"Q{x:.2f},{y:.2f} {u:.2f},{v:.2f}" for (x, y), (u, v) in zip(points[1:-1], ends, strict=True)
        )
    if not is_on(style, "rounded"):
        return begin + "".join(f"L{x:.2f},{y:.2f}" for x, y in points[1:])
    reach = number(style, "arcSize", 2 * CORNER) / 2
    commands = [begin]
    for before, corner, after in zip(points, points[1:-1], points[2:], strict=False):
        r = min(reach, math.dist(before, corner) / 2, math.dist(corner, after) / 2)
        (x, y), (u, v) = (_toward(corner, other, r) for other in (before, after))
        commands.append(f"L{x:.2f},{y:.2f}Q{corner[0]:.2f},{corner[1]:.2f} {u:.2f},{v:.2f}")
    return "".join(commands) + f"L{points[-1][0]:.2f},{points[-1][1]:.2f}"


def _toward(begin: Point, end: Point, by: float) -> Point:
    part = by / (math.dist(begin, end) or 1.0)
    return begin[0] + (end[0] - begin[0]) * part, begin[1] + (end[1] - begin[1]) * part
