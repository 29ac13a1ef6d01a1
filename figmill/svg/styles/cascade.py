"""The cascade: every rule and style attribute becomes attributes of the elements it matches.

Knows selectors, specificity and inherited properties; css.py decides which declarations are allowed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from figmill.svg.document import SVG, BreachError, Draft, Element
from figmill.svg.steps import SpentError, Steps
from figmill.svg.styles.application import Application, Matched
from figmill.svg.styles.stylesheet import StyleRule, Styles, readings
from figmill.svg.xml.names import split
from figmill.svg.xml.references import references

MAX_STEPS = 10_000_000  # a few seconds of walking between elements


def inline_css(draft: Draft) -> None:
    """Turn every rule and style attribute into attributes of the matched elements; no <style> is left.

    Precedence is CSS's: !important, animations, style attributes, specificity, order; the file's attributes
    lose to all of them. Properties without an attribute stay in `style`. Breaches are noted in the draft.
    """
    nodes = draft.root.walk()
    styles = [node for node in nodes if node.tag == "style"]
    sheet = Styles()
    for node, reading in readings(styles, draft.is_dark):
        sheet.rules += reading.styles.rules
        sheet.frames |= reading.styles.frames
        for what in reading.dropped:
            draft.drop(what, node)
        for what in reading.resolved:
            draft.resolve(what, node)
        for message in reading.refused:
            draft.refuse(node, message)
    matched = match(draft.root, sheet.rules, nodes, styles)
    used = _used(draft.root) if sheet.rules else frozenset()
    Application(draft, sheet, matched, used).apply(draft.root, {}, {})
    if styles:
        for node in nodes:
            node.children = [c for c in node.children if isinstance(c, str) or c.tag != "style"]


def match(
    root: Element, rules: list[StyleRule], wanted: Collection[Element], styles: list[Element]
) -> Matched:
    """The rules that match each of the wanted elements, in order. styles: whose rules they are. Raises BreachError."""
    if all(rule.everything for rule in rules):  # matplotlib's page-wide rule: no selector to match
        return dict.fromkeys(wanted, tuple(range(len(rules)))) if rules else {}
    try:
        return _match(root, rules, frozenset(wanted))
    except SpentError:
        message = f"{len(rules):,} CSS rules are too many for {len(wanted):,} elements"
        raise BreachError(
            styles[0], f"{message}: matching them takes more than {MAX_STEPS:,} steps"
        ) from None


def _match(root: Element, rules: list[StyleRule], wanted: frozenset[Element]) -> Matched:
    matched: dict[Element, tuple[int, ...]] = {}
    steps = Steps(MAX_STEPS)
    table = _by_subject(rules)
    wrapper = _counted(steps).from_xml_root(_shadow(root))
    for node, element in zip(root.walk(), wrapper.iter_subtree(), strict=True):
        if node not in wanted:
            continue
        holding = []
        keys = ["", f"#{node.attrib.get('id')}", split(node.tag)[1].lower()]
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


def _by_subject(rules: list[StyleRule]) -> dict[str, list[int]]:
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


def _counted(steps: Steps) -> Any:
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

    element = Element(node.tag if node.tag[:1] == "{" else f"{{{SVG}}}{node.tag}", node.attrib)
    element.text = "".join(child for child in node.children if isinstance(child, str)) or None
    element.extend(map(_shadow, node.elements()))
    return element


def _used(root: Element) -> frozenset[str]:
    return frozenset(target for node in root.walk() if node.tag == "use" for target in references(node))
