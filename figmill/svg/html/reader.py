"""Reads one label: its inherited style, its boxes and its layout become SVG elements."""

from __future__ import annotations

from dataclasses import replace

from figmill.svg.document import Element
from figmill.svg.geometry.precision import view_box
from figmill.svg.html import flex, tables
from figmill.svg.html.blocks import LabelLayout
from figmill.svg.html.boxes import CssBox, LaidBox, LaidPart, grow
from figmill.svg.html.css.rules import StyleSheet
from figmill.svg.html.css.style import INITIAL_STYLE, ComputedStyle, below, of
from figmill.svg.html.css.values import size
from figmill.svg.html.draw import LabelElements, drawn
from figmill.svg.html.elements import words
from figmill.svg.xml.names import split
from figmill.svg.xml.numbers import LARGEST
from figmill.svg.xml.units import without_rem

# Properties that HTML inherits from the shapes around it.
INHERITED = words("""color font-family font-size font-style font-weight letter-spacing word-spacing line-height
    text-align white-space text-transform visibility list-style-type overflow-wrap word-break text-indent direction
    writing-mode""")


class UnseenError(Exception):
    """Text that no browser shows, because its <foreignObject> has no width or no height."""


class LabelReader:
    """Lays out the labels of one drawing."""

    def __init__(self, sheet: StyleSheet, parents: dict[Element, Element], root: Element) -> None:
        self.sheet = sheet
        self.parents = parents
        self.root = root
        self.styles: dict[Element, ComputedStyle] = {}

    def label(self, node: Element) -> LabelElements:
        """The elements that show a label. Raises NotSimpleError."""
        style = self._style(node)
        declared = self.sheet.declared(node)
        box = {name: self._length(node, name, declared.get(name)) for name in ("x", "y", "width", "height")}
        if declared.get("display") == "none":
            return LabelElements()
        if min(box["width"], box["height"]) <= 0 and declared.get("overflow") != "visible":
            if node.text().strip():
                raise UnseenError
            return LabelElements()
        root = grow(node, below(style), self.sheet)
        layout = LabelLayout(
            {"flex": flex.lay, "inline-flex": flex.lay, "table": tables.lay, "inline-table": tables.lay},
            {
                "flex": flex.limits,
                "inline-flex": flex.limits,
                "table": tables.limits,
                "inline-table": tables.limits,
            },
        )
        flow = layout.flow(root, box["width"], box["height"])
        laid = LaidBox(box["width"], flow.height, parts=flow.parts)
        return drawn(laid, box["x"] + _centred(root, flow.parts, box["width"]), box["y"] + flow.top)

    def _style(self, node: Element) -> ComputedStyle:
        """The style that HTML inherits from an SVG element."""
        path = []
        at: Element | None = node
        while at is not None and at not in self.styles:
            path.append(at)
            at = self.parents.get(at)
        style = self.styles[at] if at is not None else INITIAL_STYLE
        for element in reversed(path):
            declared = self.sheet.declared(element)
            inherited = {
                name: text for name, text in declared.items() if name in INHERITED or name.startswith("--")
            }
            style = of(style, inherited)
            if element is self.root:
                style = replace(style, root_size=style.font_size)
            self.styles[element] = style
        return style

    def _length(self, node: Element, name: str, declared: str | None) -> float:
        style = self.styles[node]
        written = without_rem(declared or node.attrib.get(name, "0"), style.root_size)
        length = size(written, style.font_size)
        if length is None:
            number = node.attrib.get(name, "0").strip()
            try:
                return max(-LARGEST, min(LARGEST, float(number)))
            except ValueError:
                return 0.0
        return length.of(self._viewport(node)[2 if name in ("x", "width") else 3])

    def _viewport(self, node: Element) -> tuple[float, float, float, float]:
        at: Element | None = self.parents.get(node)
        while at is not None:
            if split(at.tag)[1] in ("svg", "symbol") and (box := view_box(at)) is not None:
                return box
            at = self.parents.get(at)
        sides = [size(self.root.attrib.get(name, "0"), 16.0) for name in ("width", "height")]
        width, height = (0.0 if length is None else length.px for length in sides)
        return 0.0, 0.0, width, height


def _centred(root: CssBox, parts: list[tuple[float, float, LaidPart]], width: float) -> float:
    """The horizontal shift that centres a label whose width differs from what its tool measured.

    Mermaid makes the <foreignObject> as wide as the text in its own font, and shrinks the box inside to fit its text.
    """
    boxes = [child for child in root.children if isinstance(child, CssBox)]
    if len(boxes) != 1 or len(parts) != 1 or boxes[0].style.text_align != "center":
        return 0.0
    laid = parts[0][2]
    if boxes[0].style.display not in ("table", "table-cell", "inline-block") or not isinstance(laid, LaidBox):
        return 0.0
    return (width - laid.width) / 2 - parts[0][0]
