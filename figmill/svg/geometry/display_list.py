"""Builds the display list of a drawing: areas, lines and text in paint order, each with colours and position.

A fast approximation. Paths become polygons through their endpoints and the midpoints of their curves, an ellipse has
sixteen sides, corners are square, and a clip counts by its bounds. Left out: masks and filters (an area counts whole),
stroke width (a line covers nothing), the content of markers, text along a path. Knows nothing of themes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from figmill.late_dataclasses import dataclass
from figmill.svg.colour import Tone, tone
from figmill.svg.document import Draft, Element
from figmill.svg.geometry.clips import is_box, narrowed
from figmill.svg.geometry.outlines import Bounds, coordinate
from figmill.svg.geometry.precision import view_box
from figmill.svg.geometry.scene import Effect, Paint, PaintedShape, PaintedText, Scene
from figmill.svg.geometry.text_layout import PROPERTIES, TextStyle
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import UNITY, Matrix, matrix, multiply, plain

SHOWS = 0.9  # share of the view's width and height: an area this large may be the page of a dark theme
HANDED_DOWN = vocabulary.words(
    "fill stroke color fill-opacity stroke-opacity visibility fill-rule stroke-dasharray stroke-width"
    " marker-start marker-end"
)
EFFECTS = vocabulary.words("filter mask")  # each needs an offscreen picture in browsers
FONTS = frozenset(PROPERTIES)
STYLING = HANDED_DOWN | FONTS | {"opacity"}
FARTHEST = 1e15
UNKNOWN = "unknown"  # the colour of a picture
MOST_TONES = 64  # colours of a gradient: if there are more, only a sample is tried
NOT_DRAWN = vocabulary.RESOURCES | vocabulary.WORDS_ONLY | {"defs", "metadata"}


# Not frozen: creation takes a third of the time, and there is one for nearly each element.
@dataclass(slots=True)
class InheritedStyle:
    """The inherited style of an element; never changed once made."""

    values: dict[str, str]
    type: TextStyle
    opacity: float = 1.0
    shared: Element | None = None  # the <use> around it
    inside: frozenset[str] = frozenset()  # the properties declared inside that <use>
    clip: Bounds | None = None  # in root units
    rough: bool = False  # the clip is not a rectangle


def drawn(draft: Draft) -> Scene:
    """What a drawing paints, once its shapes, text and colours are in their final form."""
    return draft.once(_drawn)


def forget_colours(draft: Draft) -> None:
    """Discard the cached scene after a change of colours; geometry and text layout stay cached."""
    draft.forget(_drawn)


def _drawn(draft: Draft) -> Scene:
    ids = {node.attrib["id"]: node for node in draft.root.walk() if "id" in node.attrib}
    return scene(draft.root, ids)


def scene(root: Element, ids: dict[str, Element], values: dict[str, str] | None = None) -> Scene:
    """What is painted below `root`, in its own units. values: the paints it inherits."""
    scene_ = Scene(ids=ids)
    try:
        _children(root, UNITY, _styled(root, InheritedStyle(values or {}, TextStyle())), scene_)
    except RecursionError:  # a long chain of deeply nested <use>: keep the part read so far
        scene_.whole = False
    return scene_


def _styled(node: Element, style: InheritedStyle) -> InheritedStyle:
    attrib = node.attrib
    if STYLING.isdisjoint(attrib):
        return style
    values = _in_force(attrib, style.values)
    inside = style.inside if style.shared is None else style.inside | _own(attrib)
    type_ = style.type if FONTS.isdisjoint(attrib) else style.type.of(attrib)
    opacity = style.opacity * ratio(attrib["opacity"]) if "opacity" in attrib else style.opacity
    return InheritedStyle(values, type_, opacity, style.shared, inside, style.clip, style.rough)


def _in_force(attrib: dict[str, str], values: dict[str, str]) -> dict[str, str]:
    """The properties that apply to an element; the result may contain others, which are not used."""
    if HANDED_DOWN.isdisjoint(attrib):
        return values
    if "inherit" in attrib.values():
        return {**values, **{name: attrib[name] for name in _own(attrib)}}
    return {**values, **attrib}


def _own(attrib: dict[str, str]) -> set[str]:
    """The inheritable properties that an element sets itself."""
    return {name for name in attrib if name in HANDED_DOWN and attrib[name] != "inherit"}


def _children(node: Element, ctm: Matrix, style: InheritedStyle, scene_: Scene) -> None:
    for child in node.children:
        if child.__class__ is Element:
            _visit(child, ctm, style, scene_)


def _visit(node: Element, ctm: Matrix, style: InheritedStyle, scene_: Scene) -> None:
    is_layer = _is_layer(node)
    if not is_layer and EFFECTS.isdisjoint(node.attrib):
        _paint(node, ctm, style, scene_)
        return
    shapes, texts = len(scene_.shapes), len(scene_.texts)
    _paint(node, ctm, style, scene_)
    inside = (shapes, len(scene_.shapes)), (texts, len(scene_.texts))
    effect = Effect(node, multiply(ctm, matrix(node.attrib.get("transform", ""))), *inside)
    if is_layer:
        scene_.layers.append(effect)
    if not EFFECTS.isdisjoint(node.attrib):
        scene_.effects.append(effect)


def _is_layer(node: Element) -> bool:
    attrib = node.attrib
    if "opacity" in attrib and node.tag not in vocabulary.SHAPES:
        return ratio(attrib["opacity"]) < 1
    return "style" in attrib and "mix-blend-mode" in attrib["style"]


def _paint(node: Element, ctm: Matrix, style: InheritedStyle, scene_: Scene) -> None:
    tag, attrib = node.tag, node.attrib
    if tag in NOT_DRAWN or attrib.get("display") == "none":
        return
    if "transform" in attrib:
        ctm = multiply(ctm, matrix(attrib["transform"]))
        if not _is_sane(ctm):
            return
    if "clip-path" in attrib:
        rough = style.rough or not is_box(attrib["clip-path"], scene_.ids)
        style = replace(style, clip=narrowed(style.clip, attrib["clip-path"], ctm, scene_.ids), rough=rough)
    if tag in vocabulary.SHAPES:
        _shape(node, ctm, style, scene_)
        return
    style = _styled(node, style)
    if tag == "text":
        _text(node, ctm, style, scene_)
    elif tag == "use":
        target = scene_.ids.get(attrib.get("href", "")[1:])
        if target is not None:
            ctm = multiply(ctm, (1, 0, 0, 1, coordinate(attrib, "x"), coordinate(attrib, "y")))
            style = InheritedStyle(
                style.values,
                style.type,
                style.opacity,
                style.shared or node,
                clip=style.clip,
                rough=style.rough,
            )
            sizes: dict[str, str] = {name: attrib[name] for name in ("width", "height") if name in attrib}
            if target.tag == "symbol":
                _children(target, _viewport(target, sizes, ctm), _styled(target, style), scene_)
            elif target.tag == "svg":  # the sizes of the <use> win (SVG 1.1, 5.6)
                _children(target, framed(target, ctm, sizes), _styled(target, style), scene_)
            else:
                _visit(target, ctm, style, scene_)
    elif tag == "image":
        scene_.order += 1
        whole = ((UNKNOWN, style.opacity),)
        scene_.pictures.append(
            PaintedShape(scene_.order, node, ctm, whole, (), False, (node, node), clip=style.clip)
        )
    elif tag == "svg":
        _children(node, framed(node, ctm), style, scene_)
    else:
        _children(node, ctm, style, scene_)


def framed(node: Element, ctm: Matrix, sizes: dict[str, str] | None = None) -> Matrix:
    """The transform inside a nested drawing. sizes: those that replace its own."""
    ctm = multiply(ctm, (1, 0, 0, 1, coordinate(node.attrib, "x"), coordinate(node.attrib, "y")))
    return _viewport(node, node.attrib | (sizes or {}), ctm)


def _viewport(node: Element, size: dict[str, str], ctm: Matrix) -> Matrix:
    """The transform into a viewBox, centred as the default preserveAspectRatio says."""
    box = view_box(node)
    width, height = coordinate(size, "width"), coordinate(size, "height")
    if box is None or not width or not height:
        return ctm
    scale = min(width / box[2], height / box[3])
    dx, dy = (width - scale * box[2]) / 2 - scale * box[0], (height - scale * box[3]) / 2 - scale * box[1]
    transform = multiply(ctm, (scale, 0, 0, scale, dx, dy))
    return transform if _is_sane(transform) else ctm


def _shape(node: Element, ctm: Matrix, style: InheritedStyle, scene_: Scene) -> None:
    """Add a shape to the scene. style: what the shape inherits."""
    attrib, shared, opacity = node.attrib, style.shared, style.opacity
    values = _in_force(attrib, style.values)
    if values.get("visibility", "visible") != "visible":
        return
    if "opacity" in attrib:
        opacity *= ratio(attrib["opacity"])
    fill = paint(values.get("fill", "#000000"), values, scene_, opacity, "fill-opacity")
    stroke = paint(values.get("stroke", "none"), values, scene_, opacity, "stroke-opacity")
    if stroke and attrib.get("stroke-width") == "0":
        stroke = ()
    if fill or stroke:
        scene_.order += 1
        writers = (node, node)
        if shared is not None:
            own = style.inside | _own(attrib)
            writers = node if "fill" in own else shared, node if "stroke" in own else shared
        even_odd = values.get("fill-rule") == "evenodd"
        dashes = values.get("stroke-dasharray", "none") if stroke else "none"
        shape = PaintedShape(
            scene_.order,
            node,
            ctm,
            fill,
            stroke,
            even_odd,
            writers,
            dashes=dashes,
            clip=style.clip,
            values=values,
            rough=style.rough,
        )
        if len(fill) > 1:
            shape.server = _gradient(values, opacity, scene_)
        scene_.shapes.append(shape)


def _text(node: Element, ctm: Matrix, style: InheritedStyle, scene_: Scene) -> None:
    text = PaintedText(scene_.order + 1, node, ctm, style.type, {}, {}, set(), style.clip)
    _inks(node, style, scene_, text)
    if text.shown:
        scene_.order += 1
        scene_.texts.append(text)


def _inks(part: Element, style: InheritedStyle, scene_: Scene, text: PaintedText) -> None:
    """Note which parts of a text are visible, and the ink of each part with one tone."""
    values = style.values
    if part.attrib.get("display") == "none":
        return
    tones = paint(values.get("fill", "#000000"), values, scene_, style.opacity, "fill-opacity")
    if values.get("visibility", "visible") == "visible" and (tones or values.get("stroke", "none") != "none"):
        if values.get("stroke", "none") != "none":
            text.outlined.add(part)
        text.shown[part] = max([alpha for _, alpha in tones], default=1.0)
        if len(tones) == 1:
            shared = style.shared
            text.inks[part] = tones[0], part if shared is None or "fill" in style.inside else shared
    for child in part.children:
        if child.__class__ is Element:
            _inks(child, _styled(child, style), scene_, text)


def paint(value: str, values: dict[str, str], scene_: Scene, opacity: float, name: str) -> Paint:
    """The tones of a paint; empty if it is invisible."""
    if name in values:
        opacity *= ratio(values[name])
    if value == "none" or opacity <= 0:
        return ()
    own = tone(value)
    if own is None:
        if value.startswith("url("):
            return _server(scene_.ids.get(value[5 : value.index(")")]), scene_, opacity)
        if value.lower() != "currentcolor":
            return ()
        own = tone(values.get("color", "#000000"))
    return () if own is None or not own[1] else ((own[0], own[1] * opacity),)


def _server(node: Element | None, scene_: Scene, opacity: float) -> Paint:
    """All tones of a gradient, or the base tone of a pattern. Cached, because thousands of shapes may share one."""
    if node is None:
        return ()
    key = node, opacity
    if key not in scene_.servers:
        scene_.servers[key] = (
            _pattern(node, scene_, opacity)
            if node.tag == "pattern"
            else tuple(
                dict.fromkeys(
                    (colour, alpha * opacity * more) for (colour, alpha), more in _stops(node, scene_)
                )
            )
        )
    return scene_.servers[key]


def _gradient(values: dict[str, str], opacity: float, scene_: Scene) -> tuple[Element, float] | None:
    value = values.get("fill", "")
    node = scene_.ids.get(value[5 : value.find(")")])
    return None if node is None else (node, opacity * ratio(values.get("fill-opacity", "1")))


def _pattern(node: Element, scene_: Scene, opacity: float) -> Paint:
    for child in node.elements():
        if child.tag in ("rect", "path", "polygon"):
            return paint(child.attrib.get("fill", "none"), child.attrib, scene_, opacity, "fill-opacity")
    return ()


def _stops(node: Element, scene_: Scene) -> tuple[tuple[Tone, float], ...]:
    """The tones of a gradient with their opacities, its own or those of the gradient it refers to."""
    if node not in scene_.stops:
        stops = [child for child in node.elements() if child.tag == "stop"]
        further = scene_.ids.get(node.attrib["href"][1:]) if not stops and "href" in node.attrib else None
        scene_.stops[node] = (
            _stops(further, scene_)
            if further is not None
            else tuple(
                (colour, ratio(stop.attrib.get("stop-opacity", "1")))
                for stop in stops[:: 1 + len(stops) // MOST_TONES]
                if (colour := tone(stop.attrib.get("stop-color", "#000000"))) is not None
            )
        )
    return scene_.stops[node]


@lru_cache(maxsize=1024)
def ratio(text: str) -> float:
    """An opacity from 0 to 1; 1 if the text is not a number."""
    value = plain(text.removesuffix("%"))
    if value is None:
        return 1.0
    value = value / 100 if text.endswith("%") else value
    return max(0.0, min(1.0, value))


def _is_sane(ctm: Matrix) -> bool:
    """Whether a transform is small and near enough for its content to be visible."""
    return all(-FARTHEST <= part <= FARTHEST for part in ctm)


def paints_of(node: Element) -> dict[str, str]:
    """The paints that an element sets itself and hands down."""
    return {name: value for name, value in node.attrib.items() if name in ("fill", "stroke", "color")}
