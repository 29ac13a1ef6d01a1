"""The marks of a change as SVG elements: signs, halos, ghosts of what is gone, traces, words struck out. Pure."""

from __future__ import annotations

import copy
import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from figmill.compare.parts import Bounds, Point, centre
from figmill.late_dataclasses import dataclass
from figmill.palette import MUTED, PAGE, Role
from figmill.svg import Ink

if TYPE_CHECKING:
    from lxml.etree import _Element

SVG = "{http://www.w3.org/2000/svg}"
PLUS, MINUS, OTHER = "M -1 0 H 1 M 0 -1 V 1", "M -1 0 H 1", "M -1 0.2 Q -0.5 -0.8 0 0 T 1 -0.2"
SHAPES = frozenset(("rect", "circle", "ellipse", "line", "polyline", "polygon", "path"))
OUTLINE = frozenset(
    ("d", "x", "y", "width", "height", "rx", "ry", "cx", "cy", "r", "x1", "y1", "x2", "y2")
) | {"points", "transform"}
# What a copy must not have: addresses of other elements, effects on a place that it leaves, names.
MARKERS = ("marker-start", "marker-mid", "marker-end")
LEFT_OUT = frozenset(("id", "class", "role", "aria-labelledby", "aria-label", "aria-hidden", *MARKERS)) | {
    "clip-path",
    "mask",
    "filter",
    "opacity",
    "style",
}
VIEW = frozenset(("width", "height", "viewBox"))  # of the root
HALO = 3.0  # px on each side of a line
DASHES = (5.0, 3.0)  # px
FAINT = "0.15"  # so that words on it keep their contrast
HEAD = 8.0  # px of an arrowhead


@dataclass(frozen=True, slots=True)
class Colours:
    """The colours of the marks in one theme: lines of roles of the palette, which are seen on its page."""

    new: str
    gone: str
    other: str
    muted: str
    page: str

    @classmethod
    def of(cls, theme: str, palette: Sequence[Role]) -> Colours:
        at = int(theme == "dark")
        lines = {role.name: (role.line, role.dark_line)[at] for role in palette}
        return cls(lines["data"], lines["error"], lines["routing"], MUTED[at], PAGE[at])


def element(tag: str, *children: _Element, **attributes: object) -> _Element:
    """An element; numbers have two decimals, and `_` in a name is `-`."""
    from lxml import etree

    node = etree.Element(SVG + tag)
    for name, value in attributes.items():
        node.set(name.strip("_").replace("_", "-"), number(value) if isinstance(value, float) else str(value))
    node.extend(children)
    return node


def number(value: float) -> str:
    return f"{round(value, 2) + 0.0:g}" if abs(value) < 1e5 else f"{value:.0f}"


def path(points: Sequence[Point], gaps: Collection[int] = ()) -> str:
    """Straight lines through the points. gaps: the numbers of those to which no line leads."""
    return " ".join(
        f"{'M' if at == 0 or at in gaps else 'L'} {number(x)} {number(y)}" for at, (x, y) in enumerate(points)
    )


def sign(form: str, at: Point, radius: float, colour: str, colours: Colours) -> _Element:
    """A sign in a disc, as a shape: checks do not take it for a text of the figure."""
    x, y = at
    return element(
        "g",
        element("circle", r=radius, fill=colour, stroke=colours.page, stroke_width=radius / 6),
        element(
            "path",
            d=form,
            transform=f"scale({number(radius * 0.55)})",
            fill="none",
            stroke=colours.page,
            stroke_width=0.45,
            stroke_linecap="round",
        ),
        transform=f"translate({number(x)} {number(y)})",
    )


def halo(shape: _Element, ink: Ink, colour: str) -> None:
    """Draw a wider line of a colour behind a shape of the picture."""
    if _tag(shape) not in SHAPES:
        return
    kept = {name: value for name, value in shape.items() if name in OUTLINE}
    behind = element(
        _tag(shape),
        **kept,
        fill="none",
        stroke=colour,
        stroke_width=(ink.width + 2 * HALO) / ink.scale,
        stroke_dasharray="none",
        stroke_linejoin="round",
        stroke_opacity="1",
        **dict.fromkeys(MARKERS, "none"),
    )
    parent = shape.getparent()
    assert parent is not None
    parent.insert(parent.index(shape), behind)


def frame(box: Bounds, colour: str, **attributes: object) -> _Element:
    """A rectangle without a fill."""
    left, top, right, bottom = box
    return element(
        "rect",
        x=left,
        y=top,
        width=right - left,
        height=bottom - top,
        rx=3.0,
        fill="none",
        stroke=colour,
        **attributes,
    )


def ghost(
    root: _Element,
    numbers: Mapping[_Element, int],
    kept: Collection[int],
    outline: Ink | None,
    colours: Colours,
) -> _Element:
    """A copy of some elements of the picture before, faint and dashed, in the coordinates of its root."""
    group = element("g")
    for name, value in root.items():
        if name not in LEFT_OUT | VIEW:
            group.set(name, value)
    for child in root:
        if (part := _pruned(child, numbers, kept, outline, colours)) is not None:
            group.append(part)
    return group


def _pruned(
    node: _Element,
    numbers: Mapping[_Element, int],
    kept: Collection[int],
    outline: Ink | None,
    colours: Colours,
) -> _Element | None:
    if numbers.get(node) in kept:
        part = copy.deepcopy(node)
        part.tail = None
        for each in part.iter():
            _fade(each, colours)
        if outline is not None and numbers[node] == outline.element:
            part.set("stroke", colours.gone)
            part.set("stroke-width", number(max(outline.width, 1.5) / outline.scale))
            part.set("stroke-dasharray", " ".join(number(dash / outline.scale) for dash in DASHES))
        return part
    children = [_pruned(child, numbers, kept, outline, colours) for child in node]
    if not any(child is not None for child in children) or _tag(node) == "defs":
        return None
    group = element(_tag(node))
    for name, value in node.items():
        if name not in LEFT_OUT:
            group.set(name, value)
    group.extend(child for child in children if child is not None)
    return group


def _fade(node: _Element, colours: Colours) -> None:
    tag = _tag(node)
    for name, value in node.items():
        if name in LEFT_OUT:
            del node.attrib[name]
        elif "url(" in value:
            node.set(name, "none")
    if tag in ("text", "tspan", "textPath"):
        if tag == "text" or "fill" in node.attrib:
            node.set("fill", colours.muted)
    elif tag in SHAPES or tag == "image":
        node.set("fill-opacity", FAINT)
        if tag == "image":
            node.set("opacity", FAINT)


def line(
    route: Sequence[Point], gaps: Collection[int], heads: tuple[bool, bool], width: float, colour: str
) -> _Element:
    """A dashed line with open arrowheads. gaps: the numbers of the points to which no line leads."""
    group = element("g", fill="none", stroke=colour, stroke_width=width, stroke_linecap="butt")
    group.append(element("path", d=path(route, gaps), stroke_dasharray=" ".join(map(number, DASHES))))
    for has_head, points in ((heads[0], route[::-1]), (heads[1], route)):
        if has_head:
            group.append(element("path", d=_head(points), stroke_linejoin="round"))
    return group


def _head(points: Sequence[Point]) -> str:
    """An open arrowhead at the last point."""
    x, y = points[-1]
    back = next((point for point in reversed(points) if math.dist(point, (x, y)) >= HEAD / 2), points[0])
    angle = math.atan2(back[1] - y, back[0] - x)
    sides = [(x + HEAD * math.cos(angle + turn), y + HEAD * math.sin(angle + turn)) for turn in (-0.45, 0.45)]
    return path([sides[0], (x, y), sides[1]])


def trace(old: Bounds, start: Point, end: Point, colours: Colours) -> _Element:
    """A dotted arrow from the place where a box was: the arrows of the picture are solid or dashed."""
    dots = {"stroke_dasharray": "1 3", "stroke_linecap": "round"}
    return element(
        "g",
        frame(old, colours.muted, stroke_width=1.0, **dots),
        element("path", d=path([start, end]), fill="none", stroke=colours.muted, stroke_width=1.25, **dots),
        element("path", d=_head([start, end]), fill="none", stroke=colours.muted, stroke_width=1.25),
    )


def strike(box: Bounds, colour: str) -> _Element:
    """A line through a text."""
    y = centre(box)[1]
    return element("path", d=path([(box[0] - 2, y), (box[2] + 2, y)]), stroke=colour, stroke_width=1.5)


def struck(text: str, box: Bounds, size: float, family: str, colours: Colours, is_backed: bool) -> _Element:
    """A text with a line through it."""
    node = element(
        "text",
        x=box[0],
        y=box[3] - 0.25 * size,
        font_family=family,
        font_size=size,
        font_weight="normal",
        font_style="normal",
        text_anchor="start",
        fill=colours.muted,
        stroke="none",
    )
    node.text = text
    group = element("g", node, strike((box[0], box[1] + 0.1 * size, box[2], box[3]), colours.gone))
    if is_backed:
        back = frame(box, "none")
        back.set("fill", colours.page)
        group.insert(0, back)
    return group


def _tag(node: _Element) -> str:
    return str(node.tag).rpartition("}")[2]
