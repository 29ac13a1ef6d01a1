"""The cascade: every rule and style attribute becomes attributes of the elements that it matched.

Knows selectors, specificity and which properties are inherited; what a declaration may say is css.py's matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import tinycss2

from figmill.svg.document import SVG, BreachError, Draft, Node
from figmill.svg.steps import SpentError, Steps
from figmill.svg.xml import vocabulary
from figmill.svg.xml.css import CssError, Declaration, declarations, no_escapes, parsed_declarations
from figmill.svg.xml.references import references

# Some seconds: of reading (a megabyte each), of compiling, and of walking from an element to the others of a selector.
MAX_CSS = 1_000_000  # characters of all <style>
MAX_SELECTORS = 20_000
MAX_STEPS = 10_000_000


@dataclass(frozen=True, slots=True)
class Rule:
    """A selector's matcher with what it declares; `everything` is the selector `*`."""

    selector: Any
    everything: bool
    declarations: tuple[Declaration, ...]


def stylesheet(node: Node) -> tuple[Rule, ...]:
    """The rules in a <style>; Breach where one of them is not allowed."""
    import cssselect2

    if node.attrib.get("type", "").strip().lower() not in ("", "text/css"):
        return ()  # as browsers do with what they do not know
    if node.attrib.get("media", "all").strip().lower() not in ("", "all", "screen"):
        raise BreachError(node, "a <style> for some media only; a figure looks the same everywhere")
    rules: list[Rule] = []
    try:
        no_escapes(node.text())
        for item in tinycss2.parse_stylesheet(node.text(), skip_comments=True, skip_whitespace=True):
            if item.type == "at-rule":
                raise CssError(f"@{item.at_keyword} is not allowed in a figure's CSS")
            if item.type != "qualified-rule":
                raise CssError(f"CSS that cannot be read: {getattr(item, 'message', item.type)}")
            parsed = tinycss2.parse_blocks_contents(item.content, skip_comments=True, skip_whitespace=True)
            found = _final(parsed_declarations(parsed))
            _still(item.prelude)
            several = sum(token == "," for token in item.prelude)
            if len(rules) + several >= MAX_SELECTORS:
                raise CssError(f"more than {MAX_SELECTORS:,} selectors; a figure may have that many")
            everything = tinycss2.serialize(item.prelude).strip() == "*"
            for selector in cssselect2.compile_selector_list(item.prelude):
                if selector.pseudo_element is not None:
                    raise CssError(f"::{selector.pseudo_element} is no element of the drawing")
                rules.append(Rule(selector, everything, found))
    except cssselect2.SelectorError as error:
        raise BreachError(node, f"CSS selector that cannot be read: {error}") from None
    except CssError as error:
        raise BreachError(node, str(error)) from None
    except RecursionError:
        raise BreachError(node, "brackets nested too deep in CSS") from None
    return tuple(rules)


def _still(prelude: list[Any]) -> None:
    """Selectors that wait for the reader have no place in a picture."""
    waiting = {"hover", "active", "focus", "focus-within", "focus-visible", "target", "visited", "checked"}
    for before, token in pairwise(prelude):
        if before == ":" and token.type == "ident" and token.lower_value in waiting:
            raise CssError(f":{token.value} depends on the reader; a figure stands still")


def inline_css(draft: Draft) -> None:
    """Every rule and style attribute becomes attributes of what it matched; no <style> is left.

    The cascade of CSS: !important, then the style attribute, then specificity, then order; attributes of the
    file itself lose to all of them. What has no attribute stays in `style`.
    """
    nodes = draft.root.walk()
    styles = [node for node in nodes if node.tag == "style"]
    rules: list[Rule] = []
    length = 0
    for node in styles:
        length += len(node.text())
        if length > MAX_CSS:
            raise BreachError(node, f"the <style> of the figure has more than {MAX_CSS:,} characters")
        rules += stylesheet(node)
        if len(rules) > MAX_SELECTORS:
            raise BreachError(node, f"{len(rules):,} selectors; a figure may have {MAX_SELECTORS:,}")
    try:
        matched = _match(draft.root, rules) if rules else {}
    except SpentError:
        told = f"{len(rules):,} CSS rules are too many for {len(nodes):,} elements"
        raise BreachError(styles[0], f"{told}: matching them takes more than {MAX_STEPS:,} steps") from None
    used = _used(draft.root) if rules else frozenset()
    _apply(draft.root, matched, used, {})
    if styles:
        for node in nodes:
            node.children = [c for c in node.children if isinstance(c, str) or c.tag != "style"]


Won = dict[str, tuple[tuple[int, ...], str, bool]]  # property: (priority, value, by the selector `*`)


def _match(root: Node, rules: list[Rule]) -> dict[Node, Won]:
    """What the rules say of each node."""
    if all(rule.everything for rule in rules):  # matplotlib's page-wide rule: there is no selector to try
        everywhere: Won = {}
        for order, rule in enumerate(rules):
            _win(everywhere, rule, order)
        return dict.fromkeys(root.walk(), everywhere)

    found: dict[Node, Won] = {}
    steps = Steps(MAX_STEPS)
    table = by_subject(rules)
    wrapper = counted(steps).from_xml_root(_shadow(root))
    for node, element in zip(root.walk(), wrapper.iter_subtree(), strict=True):
        won = found[node] = {}
        keys = ["", f"#{node.attrib.get('id')}", node.tag.lower()]
        keys += {f".{name}" for name in node.attrib.get("class", "").split()}
        candidates = sorted(pair for key in keys for pair in table.get(key, ()))
        steps.spend(len(candidates))
        for order in candidates:
            rule = rules[order]
            if rule.everything or rule.selector.test(element):
                steps.spend(len(rule.declarations))
                _win(won, rule, order)
    return found


def by_subject(rules: list[Rule]) -> dict[str, list[int]]:
    """The numbers of the rules by what an element must be for them: an id, a class, a name, or anything."""
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
    """cssselect2's elements, with every step from one to another counted."""
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
            steps.spend(len(self._siblings) // 4)  # much faster than the others
            return self._siblings

        @etree_siblings.setter
        def etree_siblings(self, siblings: list[Any]) -> None:
            self._siblings = siblings

        def iter_children(self) -> Iterator[Any]:
            for child in super().iter_children():
                steps.spend(4)  # each is made anew
                yield child

    return Counted


def _final(declared: Iterable[Declaration]) -> tuple[Declaration, ...]:
    """Of each property the declaration that wins among those of one rule."""
    found: dict[str, Declaration] = {}
    for item in declared:
        if item.important or item.name not in found or not found[item.name].important:
            found.pop(item.name, None)
            found[item.name] = item
    return tuple(found.values())


def _win(won: Won, rule: Rule, order: int) -> None:
    for item in rule.declarations:
        priority = (item.important, 0, *rule.selector.specificity, order)
        if item.name not in won or won[item.name][0] <= priority:
            won[item.name] = (priority, item.value, rule.everything)


def _shadow(node: Node) -> Any:
    """The tree as cssselect2 wants it."""
    from xml.etree.ElementTree import Element

    element = Element(f"{{{SVG}}}{node.tag}", node.attrib)
    element.text = "".join(child for child in node.children if isinstance(child, str)) or None
    element.extend(map(_shadow, node.elements()))
    return element


def _used(root: Node) -> frozenset[str]:
    return frozenset(target for node in root.walk() if node.tag == "use" for target in references(node))


def _apply(node: Node, matched: dict[Node, Won], used: frozenset[str], handed_down: dict[str, str]) -> None:
    """Write what won to `node` and all below it.

    handed_down: inherited properties that `*` has set so far. What `*` says again of a child is left out,
    except where a <use> takes the child elsewhere.
    """
    won = matched.get(node)
    style = node.attrib.pop("style", None)
    if style is not None:
        won = dict(won or {})
        for order, item in enumerate(declarations(style)):
            priority = (item.important, 1, 0, 0, 0, order)
            if item.name not in won or won[item.name][0] <= priority:
                won[item.name] = (priority, item.value, False)
    if won:
        handed_down = {} if node.attrib.get("id") in used else dict(handed_down)
        rest = []
        for name, (_, text, by_star) in won.items():
            if name in vocabulary.STYLE_ONLY:
                rest.append(f"{name}: {text}")
                continue
            node.attrib.pop(name, None)
            if by_star and name in vocabulary.INHERITED and handed_down.get(name) == text:
                continue
            node.attrib[name] = text
            if name in vocabulary.INHERITED:
                handed_down[name] = text
        if rest:
            node.attrib["style"] = "; ".join(sorted(rest))
    for child in node.children:
        if isinstance(child, Node):
            _apply(child, matched, used, handed_down)
