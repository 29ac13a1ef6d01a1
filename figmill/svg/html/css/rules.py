"""The drawing's own <style> rules applied to its HTML: the cascade of shapes, with the properties of labels.

Mermaid and D2 style labels by classes. Selectors are matched only with HTML elements and the elements around them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import tinycss2

from figmill.svg.document import SVG, Element
from figmill.svg.html.css.style import SCHEMED
from figmill.svg.html.css.values import chosen, longhands, spaced
from figmill.svg.html.elements import BROWSER, FONT_SIZES, XHTML
from figmill.svg.styles.application import BY_DEFAULT, BY_STYLE, Cascaded, Declared, by_rules, win
from figmill.svg.styles.cascade import match
from figmill.svg.styles.stylesheet import readings
from figmill.svg.xml.css import MAX_STYLE, CssDeclaration
from figmill.svg.xml.names import split
from figmill.svg.xml.numbers import plain

# Presentation attributes of SVG that HTML inherits.
SHARED = frozenset(
    ("color", "font-family", "font-size", "font-style", "font-weight", "letter-spacing", "word-spacing")
)


class StyleSheet:
    """All rules of the drawing, matched with its elements."""

    def __init__(self, root: Element, wanted: set[Element], is_dark: bool) -> None:
        """wanted: the elements to match. is_dark: the theme. Raises BreachError."""
        styles = [node for node in root.walk() if node.tag == f"{{{SVG}}}style"]
        self._rules = [
            rule for _, reading in readings(styles, is_dark, _declarations) for rule in reading.styles.rules
        ]
        self._matched = match(root, self._rules, wanted, styles)
        self._is_dark = is_dark

    def declared(self, node: Element) -> Mapping[str, str]:
        """Longhands by name, from the browser's defaults, presentation attributes, the drawing's rules and `style`."""
        cascaded: Cascaded = {}
        for declared in (
            *_defaults(node),
            *by_rules(self._rules, self._matched.get(node, ())),
            *_ranked(declarations(node.attrib.get("style", "")), BY_STYLE),
        ):
            win(cascaded, declared)
        values = {name: item.value for name, (_, item, _) in cascaded.items()}
        own = [name for name, text in values.items() if "light-dark(" in text.lower()]
        for name in own:
            values[name] = chosen(values[name], self._is_dark)
        return {**values, SCHEMED: " ".join(own)} if own and self._is_dark else values


def _defaults(node: Element) -> Iterator[Declared]:
    """The declarations that any rule overrides: the browser's own style, then the element's attributes."""
    tag = split(node.tag)[1]
    if node.tag.startswith(f"{{{XHTML}}}"):
        yield from _ranked(declarations(BROWSER.get(tag, "")), BY_DEFAULT)
        attributes = tuple(_attributes(tag, node.attrib))
    else:
        attributes = tuple(_presented(node))
    yield from _ranked((CssDeclaration(*each) for each in attributes), BY_DEFAULT)


def _ranked(declared: Iterable[CssDeclaration], origin: int) -> Iterator[Declared]:
    for item in declared:
        yield (item.important, origin), item, False


def _presented(node: Element) -> Iterator[tuple[str, str]]:
    for name in SHARED & node.attrib.keys():
        text = node.attrib[name].strip()
        is_length = name == "font-size" or name.endswith("spacing")
        yield name, f"{text}px" if is_length and plain(text) is not None else text


@lru_cache(maxsize=4096)
def declarations(text: str) -> tuple[CssDeclaration, ...]:
    """The longhands that a style attribute declares, in order, each with its importance."""
    if len(text) > MAX_STYLE:
        return ()
    return tuple(
        _declarations(tinycss2.parse_blocks_contents(text, skip_comments=True, skip_whitespace=True))
    )


def _declarations(parsed: Iterable[Any], _is_dark: bool = False) -> Iterator[CssDeclaration]:
    for item in parsed:
        if item.type != "declaration":
            continue
        value = tinycss2.serialize(item.value).strip()
        if item.name.startswith("--"):
            yield CssDeclaration(item.name, value, item.important)
            continue
        for name, text in longhands(item.lower_name, value):
            yield CssDeclaration(name, text, item.important)


def _attributes(tag: str, attrib: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The legacy attributes of HTML, which draw.io still writes, as CSS longhands."""
    if tag == "font":
        if "color" in attrib:
            yield "color", attrib["color"]
        if "face" in attrib:
            yield "font-family", attrib["face"]
        size = attrib.get("size", "")
        if size in map(str, range(1, 8)):
            yield "font-size", FONT_SIZES[int(size) - 1]
    if "align" in attrib and tag != "table":
        yield "text-align", attrib["align"]
    if tag in ("td", "th", "tr") and "valign" in attrib:
        yield "vertical-align", attrib["valign"]
    if tag in ("table", "td", "th", "tr") and "bgcolor" in attrib:
        yield "background-color", attrib["bgcolor"]
    if tag in ("table", "td", "th"):
        for name in ("width", "height"):
            if name in attrib:
                yield name, _pixels(attrib[name])
    if tag == "table":
        if "cellspacing" in attrib:
            yield "border-spacing", _pixels(attrib["cellspacing"])
        if attrib.get("border", "0") != "0":
            yield from longhands("border", f"{_pixels(attrib['border'] or '1')} solid #808080")
    if tag == "hr" and "size" in attrib:  # the height of both lines together
        yield from longhands("border-width", "0")
        yield from longhands("border-top", f"{_pixels(attrib['size'])} solid #808080")
    if tag == "a" and attrib.get("href"):
        yield "color", "#0000ee"
        yield "text-decoration-line", "underline"
    if tag == "ol" and attrib.get("type"):
        yield (
            "list-style-type",
            {
                "1": "decimal",
                "a": "lower-alpha",
                "A": "upper-alpha",
                "i": "lower-roman",
                "I": "upper-roman",
            }.get(attrib["type"], "decimal"),
        )


def _pixels(text: str) -> str:
    tokens = spaced(text)
    return f"{tokens[0]}px" if tokens and tokens[0].isdigit() else text
