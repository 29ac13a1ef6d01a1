"""The drawing's own <style> rules applied to its HTML: the same cascade as for shapes, but tolerant of errors.

Mermaid and D2 style labels by classes. Selectors are matched only with HTML elements and the elements around them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import tinycss2

from figmill.svg.document import SVG, BreachError, Element
from figmill.svg.html.css.style import SCHEMED
from figmill.svg.html.css.values import chosen, longhands, spaced
from figmill.svg.html.elements import BROWSER, FONT_SIZES, XHTML
from figmill.svg.steps import SpentError, Steps
from figmill.svg.styles.cascade import MAX_CSS, MAX_STEPS, by_subject, counted
from figmill.svg.styles.media import media, supports
from figmill.svg.styles.stylesheet import MAX_SELECTORS, StyleRule
from figmill.svg.xml.css import MAX_STYLE, CssDeclaration
from figmill.svg.xml.numbers import plain

Winners = dict[str, tuple[tuple[int, ...], str]]  # a longhand: (priority, value)
# Presentation attributes of SVG that HTML inherits.
SHARED = frozenset(
    ("color", "font-family", "font-size", "font-style", "font-weight", "letter-spacing", "word-spacing")
)


class StyleSheet:
    """All rules of the drawing, matched with its elements."""

    def __init__(self, root: Element, wanted: set[Element], is_dark: bool) -> None:
        """wanted: the elements to match. is_dark: the theme. Raises BreachError."""
        rules = list(_rules(root, is_dark))
        self._matched: dict[Element, Winners] = {}
        self._is_dark = is_dark
        if rules:
            try:
                self._match(root, wanted, rules)
            except SpentError:
                message = f"{len(rules):,} CSS rules are too many for labels in HTML"
                raise BreachError(
                    root, f"{message}: matching them takes more than {MAX_STEPS:,} steps"
                ) from None

    def _match(self, root: Element, wanted: set[Element], rules: list[StyleRule]) -> None:
        steps = Steps(MAX_STEPS)
        table = by_subject(rules)
        wrapper = counted(steps).from_xml_root(_shadow(root))
        for node, element in zip(root.walk(), wrapper.iter_subtree(), strict=True):
            if node not in wanted:
                continue
            keys = ["", f"#{node.attrib.get('id')}", node.tag.rpartition("}")[2].lower()]
            keys += {f".{name}" for name in node.attrib.get("class", "").split()}
            candidates = sorted(pair for key in keys for pair in table.get(key, ()))
            steps.spend(len(candidates))
            winners: Winners = {}
            for order in candidates:
                rule = rules[order]
                if rule.selector.test(element):
                    steps.spend(len(rule.declarations))
                    for it in rule.declarations:
                        _win(winners, it.name, it.value, (it.important, 1, *rule.selector.specificity, order))
            self._matched[node] = winners

    def declared(self, node: Element) -> Mapping[str, str]:
        """Longhands by name, from the browser's defaults, presentation attributes, the drawing's rules and `style`."""
        winners: Winners = {}
        tag = node.tag.rpartition("}")[2]
        if node.tag.startswith(f"{{{XHTML}}}"):
            for order, it in enumerate(declarations(BROWSER.get(tag, ""))):
                _win(winners, it.name, it.value, (0, 0, 0, 0, 0, order))
            for name, text in _attributes(tag, node.attrib):
                _win(winners, name, text, (0, 0, 0, 0, 1, 0))
        else:
            for name in SHARED & node.attrib.keys():
                text = node.attrib[name].strip()
                is_length = name == "font-size" or name.endswith("spacing")
                text = f"{text}px" if is_length and plain(text) is not None else text
                _win(winners, name, text, (0, 0, 0, 0, 1, 0))
        for name, (priority, text) in self._matched.get(node, {}).items():
            _win(winners, name, text, priority)
        for order, it in enumerate(declarations(node.attrib.get("style", ""))):
            _win(winners, it.name, it.value, (it.important, 2, 0, 0, 0, order))
        own = [name for name, (_, text) in winners.items() if "light-dark(" in text.lower()]
        values = {name: text for name, (_, text) in winners.items()}
        for name in own:
            values[name] = chosen(values[name], self._is_dark)
        return {**values, SCHEMED: " ".join(own)} if own and self._is_dark else values


def _win(winners: Winners, name: str, text: str, priority: tuple[int, ...]) -> None:
    if name not in winners or winners[name][0] <= priority:
        winners[name] = (priority, text)


def _shadow(node: Element) -> Any:
    from xml.etree.ElementTree import Element

    element = Element(node.tag, node.attrib)
    element.extend(map(_shadow, node.elements()))
    return element


def _rules(root: Element, is_dark: bool) -> Iterator[StyleRule]:
    length, count = 0, 0
    for node in root.walk():
        if node.tag != f"{{{SVG}}}style":
            continue
        if not media(tinycss2.parse_component_value_list(node.attrib.get("media", "all")), is_dark):
            continue
        text = node.text()
        length += len(text)
        if length > MAX_CSS:
            raise BreachError(node, f"the <style> of the figure has more than {MAX_CSS:,} characters")
        try:
            parsed = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
            for rule in _read(parsed, is_dark, 0):
                count += 1
                if count > MAX_SELECTORS:
                    raise BreachError(
                        node, f"more than {MAX_SELECTORS:,} selectors; a figure may have at most that many"
                    )
                yield rule
        except RecursionError:
            raise BreachError(node, "brackets nested too deep in CSS") from None


def _read(items: list[Any], is_dark: bool, depth: int) -> Iterator[StyleRule]:
    import cssselect2

    for item in items:
        if item.type == "at-rule" and item.content is not None and depth < 4:
            holds = {"media": lambda it: media(it, is_dark), "supports": supports}.get(item.lower_at_keyword)
            if holds is not None and holds(item.prelude):
                inside = tinycss2.parse_rule_list(item.content, skip_comments=True, skip_whitespace=True)
                yield from _read(inside, is_dark, depth + 1)
        elif item.type == "qualified-rule":
            declared = tuple(_declarations(item.content))
            try:
                selectors = cssselect2.compile_selector_list(item.prelude)
            except cssselect2.SelectorError:
                continue  # skipped, as browsers skip it
            for selector in selectors:
                if selector.pseudo_element is None:
                    yield StyleRule(selector, False, declared)


@lru_cache(maxsize=4096)
def declarations(text: str) -> tuple[CssDeclaration, ...]:
    """The longhands that a style attribute declares, in order, each with its importance."""
    if len(text) > MAX_STYLE:
        return ()
    return tuple(_declarations(text))


def _declarations(content: Any) -> Iterator[CssDeclaration]:
    for item in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
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
    words = spaced(text)
    return f"{words[0]}px" if words and words[0].isdigit() else text
