"""The cascade: every rule and style attribute becomes attributes of the elements it matches.

Knows selectors, specificity and inherited properties; css.py decides which declarations are allowed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from figmill.svg.document import SVG, BreachError, Draft, Element
from figmill.svg.steps import SpentError, Steps
from figmill.svg.styles import stylesheet
from figmill.svg.styles.application import Application, Matched
from figmill.svg.styles.stylesheet import MAX_SELECTORS, StyleRule, Styles
from figmill.svg.xml.references import references

# A few seconds of reading (a megabyte per second), compiling, and walking between elements for selectors.
MAX_CSS = 1_000_000  # characters of all <style> together
MAX_STEPS = 10_000_000


def inline_css(draft: Draft) -> None:
    """Turn every rule and style attribute into attributes of the matched elements; no <style> is left.

    Precedence is CSS's: !important, animations, style attributes, specificity, order; the file's attributes
    lose to all of them. Properties without an attribute stay in `style`. Breaches are noted in the draft.
    """
    nodes = draft.root.walk()
    styles = [node for node in nodes if node.tag == "style"]
    sheet = Styles()
    length = 0
    for node in styles:
        length += len(node.text())
        if length > MAX_CSS:
            raise BreachError(node, f"the <style> of the figure has more than {MAX_CSS:,} characters")
        stylesheet.read(draft, node, sheet)
        if len(sheet.rules) > MAX_SELECTORS:
            raise BreachError(node, f"{len(sheet.rules):,} selectors; a figure may have {MAX_SELECTORS:,}")
    rules = sheet.rules
    try:
        matched = _match(draft.root, rules) if rules else {}
    except SpentError:
        message = f"{len(rules):,} CSS rules are too many for {len(nodes):,} elements"
        raise BreachError(
            styles[0], f"{message}: matching them takes more than {MAX_STEPS:,} steps"
        ) from None
    used = _used(draft.root) if rules else frozenset()
    Application(draft, sheet, matched, used).apply(draft.root, {}, {})
    if styles:
        for node in nodes:
            node.children = [c for c in node.children if isinstance(c, str) or c.tag != "style"]


def _match(root: Element, rules: list[StyleRule]) -> Matched:
    """The rules that match each node, in order."""
    if all(rule.everything for rule in rules):  # matplotlib's page-wide rule: no selector to match
        return dict.fromkeys(root.walk(), tuple(range(len(rules))))

    matched: dict[Element, tuple[int, ...]] = {}
    steps = Steps(MAX_STEPS)
    table = by_subject(rules)
    wrapper = counted(steps).from_xml_root(_shadow(root))
    for node, element in zip(root.walk(), wrapper.iter_subtree(), strict=True):
        holding = []
        keys = ["", f"#{node.attrib.get('id')}", node.tag.lower()]
        keys += {f".{name}" for name in node.attrib.get("class", "").split()}
        candidates = sorted(pair for key in keys for pair in table.get(key, ()))
        steps.spend(len(candidates))
        for order in candidates:
            rule = rules[order]
            if rule.everything or rule.selector.test(element):
                steps.spend(len(rule.declarations))
                holding.append(order)
        matched[node] = tuple(holding)
    return matched


def by_subject(rules: list[StyleRule]) -> dict[str, list[int]]:
    """The numbers of the rules, keyed by the id, class or element name they require, or "" for any."""
    table: dict[str, list[int]] = {}
    for order, rule in enumerate(rules):
        it = rule.selector
        if it.never_matches and not rule.everything:
            continue
        if it.id is not None:
            key = f"#{it.id}"
        elif it.class_name is not None:
            key = f".{it.class_name}"
        else:
            key = it.lower_local_name or ""
        table.setdefault(key, []).append(order)
    return table


def counted(steps: Steps) -> Any:
    """A cssselect2 element class that counts every step from one element to another."""
    import cssselect2

    class Counted(cssselect2.ElementWrapper):  # type: ignore[misc]  # it has no types
        @property
        def ancestors(self) -> Iterator[Any]:
            element = self.parent
            while element is not None:
                steps.spend(1)
                yield element
                element = element.parent

        @property
        def previous_siblings(self) -> Iterator[Any]:
            element = self.previous
            while element is not None:
                steps.spend(1)
                yield element
                element = element.previous

        @property
        def etree_siblings(self) -> list[Any]:
            steps.spend(len(self._siblings) // 4)  # much cheaper than the others
            return self._siblings

        @etree_siblings.setter
        def etree_siblings(self, siblings: list[Any]) -> None:
            self._siblings = siblings

        def iter_children(self) -> Iterator[Any]:
            for child in super().iter_children():
                steps.spend(4)  # each child is a new wrapper
                yield child

    return Counted


def _shadow(node: Element) -> Any:
    """The tree in the form that cssselect2 needs."""
    from xml.etree.ElementTree import Element

    element = Element(f"{{{SVG}}}{node.tag}", node.attrib)
    element.text = "".join(child for child in node.children if isinstance(child, str)) or None
    element.extend(map(_shadow, node.elements()))
    return element


def _used(root: Element) -> frozenset[str]:
    return frozenset(target for node in root.walk() if node.tag == "use" for target in references(node))
