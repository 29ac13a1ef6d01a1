"""How a drawing becomes its display list: areas, lines and words in paint order, each with its colours and position.

A fast and sound approximation. Paths become polygons through their endpoints and the midpoints of their curves, an
ellipse has sixteen sides, corners are square, and a clip counts by its bounds. Left out: masks and filters (an area
counts whole), stroke width (a line covers nothing), the content of markers, words along a path. Unaware of themes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from figmill.svg.colour import Tone, tone
from figmill.svg.document import Draft, Node
from figmill.svg.geometry.clips import narrowed
from figmill.svg.geometry.outlines import Box, coordinate
from figmill.svg.geometry.precision import view_box
from figmill.svg.geometry.scene import Effect, Paint, Scene, Shape, Text
from figmill.svg.geometry.text_layout import SAID, Type
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import UNITY, Matrix, matrix, multiply, plain

SHOWS = 0.9  # of the view's width and height: an area this large may be the page of a dark theme
HANDED_DOWN = vocabulary.words(
    "fill stroke color fill-opacity stroke-opacity visibility fill-rule stroke-dasharray"
)
EFFECTS = vocabulary.words("filter mask")  # each needs an offscreen picture in browsers
FONTS = frozenset(SAID)
STYLING = HANDED_DOWN | FONTS | {"opacity"}
FARTHEST = 1e15
UNKNOWN = "unknown"  # the colour of a picture
MOST_TONES = 64  # of a gradient: of more, only a sample is tried
NOT_DRAWN = vocabulary.RESOURCES | vocabulary.WORDS_ONLY | {"defs", "metadata"}


# Not frozen: creation takes a third of the time, and there is one for nearly each element.
@dataclass(slots=True)
class Style:
    """The inherited style of an element; never changed once made."""

    values: dict[str, str]
    type: Type
    opacity: float = 1.0
    shared: Node | None = None  # the <use> around it
    inside: frozenset[str] = frozenset()  # the properties declared inside that <use>
    clip: Box | None = None  # in root units


def drawn(draft: Draft) -> Scene:
    """What a drawing paints, once its shapes, words and colours are in their final form."""
    return draft.once(_drawn)


def forget_colours(draft: Draft) -> None:
    """Discard the cached scene after a change of colours; geometry and layout of words stay cached."""
    draft.forget(_drawn)


def _drawn(draft: Draft) -> Scene:
    ids = {node.attrib["id"]: node for node in draft.root.walk() if "id" in node.attrib}
    return scene(draft.root, ids)


def scene(root: Node, ids: dict[str, Node], values: dict[str, str] | None = None) -> Scene:
    """What is painted below `root`, in its own units. values: the paints it inherits."""
    found = Scene(ids=ids)
    try:
        _children(root, UNITY, _styled(root, Style(values or {}, Type())), found)
    except RecursionError:  # a long chain of deeply nested <use>: what was found so far counts
        found.whole = False
    return found


def _styled(node: Node, style: Style) -> Style:
    attrib = node.attrib
    if STYLING.isdisjoint(attrib):
        return style
    values = _in_force(attrib, style.values)
    inside = style.inside if style.shared is None else style.inside | _own(attrib)
    type_ = style.type if FONTS.isdisjoint(attrib) else style.type.of(attrib)
    opacity = style.opacity * ratio(attrib["opacity"]) if "opacity" in attrib else style.opacity
    return Style(values, type_, opacity, style.shared, inside, style.clip)


def _in_force(attrib: dict[str, str], values: dict[str, str]) -> dict[str, str]:
    """The properties in force on an element; may contain others, which nobody reads."""
    if HANDED_DOWN.isdisjoint(attrib):
        return values
    if "inherit" in attrib.values():
        return {**values, **{name: attrib[name] for name in _own(attrib)}}
    return {**values, **attrib}


def _own(attrib: dict[str, str]) -> set[str]:
    """The inheritable properties that an element sets itself."""
    return {name for name in attrib if name in HANDED_DOWN and attrib[name] != "inherit"}


def _children(node: Node, ctm: Matrix, style: Style, found: Scene) -> None:
    for child in node.children:
        if child.__class__ is Node:
            _visit(child, ctm, style, found)


def _visit(node: Node, ctm: Matrix, style: Style, found: Scene) -> None:
    is_layer = _is_layer(node)
    if not is_layer and EFFECTS.isdisjoint(node.attrib):
        _paint(node, ctm, style, found)
        return
    shapes, texts = len(found.shapes), len(found.texts)
    _paint(node, ctm, style, found)
    inside = (shapes, len(found.shapes)), (texts, len(found.texts))
    effect = Effect(node, multiply(ctm, matrix(node.attrib.get("transform", ""))), *inside)
    if is_layer:
        found.layers.append(effect)
    if not EFFECTS.isdisjoint(node.attrib):
        found.effects.append(effect)


def _is_layer(node: Node) -> bool:
    attrib = node.attrib
    if "opacity" in attrib and node.tag not in vocabulary.SHAPES:
        return ratio(attrib["opacity"]) < 1
    return "style" in attrib and "mix-blend-mode" in attrib["style"]


def _paint(node: Node, ctm: Matrix, style: Style, found: Scene) -> None:
    tag, attrib = node.tag, node.attrib
    if tag in NOT_DRAWN or attrib.get("display") == "none":
        return
    if "transform" in attrib:
        ctm = multiply(ctm, matrix(attrib["transform"]))
        if not _is_sane(ctm):
            return
    if "clip-path" in attrib:
        style = replace(style, clip=narrowed(style.clip, attrib["clip-path"], ctm, found.ids))
    if tag in vocabulary.SHAPES:
        _shape(node, ctm, style, found)
        return
    style = _styled(node, style)
    if tag == "text":
        _text(node, ctm, style, found)
    elif tag == "use":
        target = found.ids.get(attrib.get("href", "")[1:])
        if target is not None:
            ctm = multiply(ctm, (1, 0, 0, 1, coordinate(attrib, "x"), coordinate(attrib, "y")))
            style = Style(style.values, style.type, style.opacity, style.shared or node, clip=style.clip)
            if target.tag == "symbol":
                _children(target, _viewport(target, attrib, ctm), _styled(target, style), found)
            else:
                _visit(target, ctm, style, found)
    elif tag == "image":
        found.order += 1
        whole = ((UNKNOWN, style.opacity),)
        found.pictures.append(Shape(found.order, node, ctm, whole, (), False, (node, node), clip=style.clip))
    elif tag == "svg":
        _children(node, framed(node, ctm), style, found)
    else:
        _children(node, ctm, style, found)


def framed(node: Node, ctm: Matrix) -> Matrix:
    """The transform inside a nested drawing."""
    ctm = multiply(ctm, (1, 0, 0, 1, coordinate(node.attrib, "x"), coordinate(node.attrib, "y")))
    return _viewport(node, node.attrib, ctm)


def _viewport(node: Node, size: dict[str, str], ctm: Matrix) -> Matrix:
    """The transform into a viewBox, centred as the default preserveAspectRatio says."""
    box = view_box(node)
    width, height = coordinate(size, "width"), coordinate(size, "height")
    if box is None or not width or not height:
        return ctm
    scale = min(width / box[2], height / box[3])
    dx, dy = (width - scale * box[2]) / 2 - scale * box[0], (height - scale * box[3]) / 2 - scale * box[1]
    found = multiply(ctm, (scale, 0, 0, scale, dx, dy))
    return found if _is_sane(found) else ctm


def _shape(node: Node, ctm: Matrix, style: Style, found: Scene) -> None:
    """Add a shape to the scene. style: what the shape inherits."""
    attrib, shared, opacity = node.attrib, style.shared, style.opacity
    values = _in_force(attrib, style.values)
    if values.get("visibility", "visible") != "visible":
        return
    if "opacity" in attrib:
        opacity *= ratio(attrib["opacity"])
    fill = paint(values.get("fill", "#000000"), values, found, opacity, "fill-opacity")
    stroke = paint(values.get("stroke", "none"), values, found, opacity, "stroke-opacity")
    if stroke and attrib.get("stroke-width") == "0":
        stroke = ()
    if fill or stroke:
        found.order += 1
        writers = (node, node)
        if shared is not None:
            own = style.inside | _own(attrib)
            writers = node if "fill" in own else shared, node if "stroke" in own else shared
        even_odd = values.get("fill-rule") == "evenodd"
        dashes = values.get("stroke-dasharray", "none") if stroke else "none"
        shape = Shape(found.order, node, ctm, fill, stroke, even_odd, writers, dashes=dashes, clip=style.clip)
        if len(fill) > 1:
            shape.server = _gradient(values, opacity, found)
        found.shapes.append(shape)


def _text(node: Node, ctm: Matrix, style: Style, found: Scene) -> None:
    text = Text(found.order + 1, node, ctm, style.type, {}, {}, set())
    _inks(node, style, found, text)
    if text.shown:
        found.order += 1
        found.texts.append(text)


def _inks(part: Node, style: Style, found: Scene, text: Text) -> None:
    """Note which parts of a text are visible, and the ink of each part with one tone."""
    values = style.values
    if part.attrib.get("display") == "none":
        return
    tones = paint(values.get("fill", "#000000"), values, found, style.opacity, "fill-opacity")
    if values.get("visibility", "visible") == "visible" and (tones or values.get("stroke", "none") != "none"):
        if values.get("stroke", "none") != "none":
            text.outlined.add(part)
        text.shown[part] = max([alpha for _, alpha in tones], default=1.0)
        if len(tones) == 1:
            shared = style.shared
            text.inks[part] = tones[0], part if shared is None or "fill" in style.inside else shared
    for child in part.children:
        if child.__class__ is Node:
            _inks(child, _styled(child, style), found, text)


def paint(value: str, values: dict[str, str], found: Scene, opacity: float, name: str) -> Paint:
    """The tones of a paint; empty if it is invisible."""
    if name in values:
        opacity *= ratio(values[name])
    if value == "none" or opacity <= 0:
        return ()
    own = tone(value)
    if own is None:
        if value.startswith("url("):
            return _server(found.ids.get(value[5 : value.index(")")]), found, opacity)
        if value.lower() != "currentcolor":
            return ()
        own = tone(values.get("color", "#000000"))
    return () if own is None or not own[1] else ((own[0], own[1] * opacity),)


def _server(node: Node | None, found: Scene, opacity: float) -> Paint:
    """All tones of a gradient, or the base tone of a pattern. Cached, because thousands of shapes may share one."""
    if node is None:
        return ()
    key = node, opacity
    if key not in found.servers:
        found.servers[key] = _pattern(node, found, opacity) if node.tag == "pattern" else tuple(
            dict.fromkeys((colour, alpha * opacity * more) for (colour, alpha), more in _stops(node, found))
        )  # fmt: skip
    return found.servers[key]


def _gradient(values: dict[str, str], opacity: float, found: Scene) -> tuple[Node, float] | None:
    value = values.get("fill", "")
    node = found.ids.get(value[5 : value.find(")")])
    return None if node is None else (node, opacity * ratio(values.get("fill-opacity", "1")))


def _pattern(node: Node, found: Scene, opacity: float) -> Paint:
    for child in node.elements():
        if child.tag in ("rect", "path", "polygon"):
            return paint(child.attrib.get("fill", "none"), child.attrib, found, opacity, "fill-opacity")
    return ()


def _stops(node: Node, found: Scene) -> tuple[tuple[Tone, float], ...]:
    """The tones of a gradient with their opacities, its own or those of the gradient it refers to."""
    if node not in found.stops:
        stops = [child for child in node.elements() if child.tag == "stop"]
        further = found.ids.get(node.attrib["href"][1:]) if not stops and "href" in node.attrib else None
        found.stops[node] = _stops(further, found) if further is not None else tuple(
            (colour, ratio(stop.attrib.get("stop-opacity", "1")))
            for stop in stops[:: 1 + len(stops) // MOST_TONES]
            if (colour := tone(stop.attrib.get("stop-color", "#000000"))) is not None
        )  # fmt: skip
    return found.stops[node]


@lru_cache(maxsize=1024)
def ratio(text: str) -> float:
    """An opacity from 0 to 1; 1 if the text is no number."""
    value = plain(text.removesuffix("%"))
    if value is None:
        return 1.0
    value = value / 100 if text.endswith("%") else value
    return max(0.0, min(1.0, value))


def _is_sane(ctm: Matrix) -> bool:
    """Whether a transform is small and near enough for its content to be visible."""
    return all(-FARTHEST <= part <= FARTHEST for part in ctm)


def paints_of(node: Node) -> dict[str, str]:
    """The paints that an element sets itself and hands down."""
    return {name: value for name, value in node.attrib.items() if name in ("fill", "stroke", "color")}
