"""A drawing shown by an <image> becomes an <svg> in the figure, under the rules for every drawing.

It looks as it does on its own: it inherits nothing from its surroundings, and its ids stay its own. Knows nothing of
files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from figmill.svg.document import BreachError, Draft, Element
from figmill.svg.geometry.precision import view_box
from figmill.svg.pictures.image_size import set_size
from figmill.svg.spec import SvgError
from figmill.svg.xml.numbers import fixed
from figmill.svg.xml.references import references, rename

# arguments: bytes, whether for a dark page; raises SvgError
DrawingParser: TypeAlias = Callable[[bytes, bool], Draft]

# Initial values of the properties that an inlined drawing would otherwise inherit.
INITIAL = {
    "fill": "#000000",
    "fill-opacity": "1",
    "fill-rule": "nonzero",
    "stroke": "none",
    "stroke-width": "1",
    "stroke-opacity": "1",
    "stroke-dasharray": "none",
    "stroke-linecap": "butt",
    "stroke-linejoin": "miter",
    "color": "#000000",
    "font-family": "serif",
    "font-size": "16",
    "font-weight": "normal",
    "font-style": "normal",
    "text-anchor": "start",
    "letter-spacing": "normal",
    "word-spacing": "normal",
    "visibility": "visible",
}
PLACE = ("x", "y", "width", "height", "preserveAspectRatio")
SIZE = (300.0, 150.0)  # the size of a drawing without one, as in browsers


def drawn_in(data: bytes, image: Element, is_dark: bool, parse: DrawingParser) -> Draft:
    """The group that replaces an image. Raises BreachError."""
    try:
        draft = parse(data, is_dark)
    except SvgError as error:
        raise BreachError(image, str(error)) from None
    root = draft.root
    nodes = root.walk()
    _name_apart(nodes, f"picture-{image.number or 0}")
    for node in nodes:
        node.number = image.number
    own = _own_size(root)
    if view_box(root) is None:
        root.attrib["viewBox"] = f"0 0 {fixed(own[0])} {fixed(own[1])}"
    around = dict(image.attrib)
    around.pop("href", None)
    for name in ("x", "y"):
        root.attrib.pop(name, None)
    set_size(image, *own)
    for name in PLACE:
        if name in image.attrib:
            root.attrib[name] = image.attrib[name]
            around.pop(name, None)
    around.pop("image-rendering", None)
    draft.root = Element("g", {**{name: INITIAL[name] for name in INITIAL}, **around}, [root], image.number)
    return draft


def _own_size(root: Element) -> tuple[float, float]:
    """The drawing's own size in px; percentages do not count."""
    box = view_box(root)
    sides = [root.attrib.get(name, "").removesuffix("px") for name in ("width", "height")]
    numbers = [float(side) if side.replace(".", "", 1).isdigit() else None for side in sides]
    whole = (box[2], box[3]) if box is not None else SIZE
    width, height = numbers
    if width is None and height is None:
        return whole
    if width is None:
        width = (height or 0.0) * whole[0] / whole[1]
    return width, height if height is not None else width * whole[1] / whole[0]


def _name_apart(nodes: list[Element], prefix: str) -> None:
    """Rename ids so that they are unique in the figure; a dangling reference stays dangling."""
    own = (name for node in nodes if node.tag != "a" for name in references(node))
    names = {*own, *filter(None, (node.attrib.get("id") for node in nodes))}
    new = {name: f"{prefix}-{name}" for name in names}
    for node in nodes:
        if "id" in node.attrib:
            node.attrib["id"] = new[node.attrib["id"]]
        rename(node, new)
