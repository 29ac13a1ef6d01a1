"""Writes the result of the cascade to the elements as attributes, with variables resolved and animations ended.

Unaware of selectors: the rules matched by each element are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from figmill.svg.document import BreachError, Draft, Node
from figmill.svg.steps import SpentError, Steps
from figmill.svg.styles import variables
from figmill.svg.styles.animation import ends
from figmill.svg.styles.stylesheet import Styles
from figmill.svg.xml import css, vocabulary
from figmill.svg.xml.css import (
    BARRED,
    CUSTOM,
    KEPT,
    MOVING,
    PENDING,
    UNSEEN,
    CssError,
    Declaration,
    UnreadError,
)
from figmill.svg.xml.numbers import UNIT

MAX_WRITTEN = 5_000_000  # characters that variables may add to a drawing
READ = 30  # cost of parsing one value again, in characters

Priority: TypeAlias = tuple[int, ...]  # important, origin, specificity, order
Said: TypeAlias = "tuple[Priority, Declaration, bool]"  # the flag: declared by the selector `*`
Won: TypeAlias = dict[str, Said]  # by property name
# for each element, the numbers of the rules that match it
Matched: TypeAlias = Mapping[Node, tuple[int, ...]]
PRESENTED = vocabulary.PRESENTATION
BY_ANIMATION, BY_STYLE = 2, 1
BOX = ("x", "y", "width", "height")
# What has its place and size by properties, too.
GEOMETRY = {"svg": BOX, "image": BOX, "rect": (*BOX, "rx", "ry"), "circle": ("cx", "cy", "r"),
            "ellipse": ("cx", "cy", "rx", "ry")}  # fmt: skip


@dataclass(slots=True)
class Application:
    """Applies the rules of a drawing to its elements."""

    draft: Draft
    styles: Styles
    matched: Matched
    used: frozenset[str]  # ids that <use> refers to
    left: Steps = field(default_factory=lambda: Steps(MAX_WRITTEN))
    # winners for each combination of rules, without style attributes
    known: dict[tuple[int, ...], Won] = field(default_factory=dict)

    def apply(self, node: Node, variables_: Mapping[str, str], handed_down: dict[str, str]) -> None:
        """Write the winning declarations to `node` and its descendants.

        variables_: the parent's custom properties. handed_down: inherited properties that `*` has set so far. What
        `*` repeats on a child is left out, unless a <use> shows the child elsewhere.
        """
        try:
            won, variables_ = self._won(node, variables_)
            self._resolve_attributes(node, variables_)
        except CssError as error:
            self.draft.refuse(node, str(error))
            won = {}
        except RecursionError:
            raise BreachError(node, "brackets nested too deep in CSS") from None
        except SpentError:
            told = f"variables and animations expand to more than {MAX_WRITTEN:,} characters"
            raise BreachError(node, told) from None
        if won:
            handed_down = {} if node.attrib.get("id") in self.used else dict(handed_down)
            self._write(node, won, handed_down)
        for child in node.children:
            if isinstance(child, Node):
                self.apply(child, variables_, handed_down)

    def _write(self, node: Node, won: Won, handed_down: dict[str, str]) -> None:
        rest = []
        for name, (_, item, by_star) in won.items():
            if item.kind == BARRED:
                self.draft.refuse(node, css.barred(name))
                continue
            if name in vocabulary.STYLE_ONLY:
                if name in GEOMETRY.get(node.tag, ()) and UNIT.fullmatch(item.value):
                    node.attrib[name] = item.value  # which readers of SVG 1.1 know as well
                elif item.value:
                    rest.append(f"{name}: {item.value}")
                continue
            node.attrib.pop(name, None)
            if not item.value:  # an undefined variable: as if nothing had been declared
                continue
            if by_star and name in vocabulary.INHERITED and handed_down.get(name) == item.value:
                continue
            node.attrib[name] = item.value
            if item.own:
                self.draft.claim(node, name)
            if name in vocabulary.INHERITED:
                handed_down[name] = item.value
        if rest:
            node.attrib["style"] = "; ".join(sorted(rest))

    def _won(self, node: Node, above: Mapping[str, str]) -> tuple[Won, Mapping[str, str]]:
        """The winning declarations of an element, and its custom properties."""
        rules = self.matched.get(node, ())
        style = node.attrib.pop("style", None)
        if style is None and rules in self.known:
            return self.known[rules], above
        said = list(self._said(node, rules, style))
        custom = {item.name: item.value for _, item, _ in sorted(said, key=_priority) if item.kind == CUSTOM}
        here = self._environment(custom, above) if custom else above
        won: Won = {}
        is_plain = not custom
        for priority, item, by_star in said:
            if item.kind == PENDING:
                is_plain = False
                for resolved in self._resolved(node, item, here):
                    _win(won, (priority, resolved, by_star))
            elif item.kind in (KEPT, MOVING, BARRED):
                _win(won, (priority, item, by_star))
        is_plain = self._end_animations(node, won, here) and is_plain
        if style is None and is_plain:
            self.known[rules] = won
        return won, here

    def _said(self, node: Node, rules: tuple[int, ...], style: str | None) -> Iterator[Said]:
        for order in rules:
            rule = self.styles.rules[order]
            for item in rule.declarations:
                yield (item.important, 0, *rule.selector.specificity, order), item, rule.everything
        for order, item in enumerate(
            css.declarations(style, self.draft.is_dark) if style is not None else ()
        ):
            if item.kind == UNSEEN:
                self.draft.drop(f"CSS {item.name}", node)
            else:
                yield (item.important, BY_STYLE, 0, 0, 0, order), item, False

    def _environment(self, custom: Mapping[str, str], above: Mapping[str, str]) -> Mapping[str, str]:
        """The custom properties of an element, with variables in them resolved."""
        here = {**above, **custom}
        self.left.spend(len(here))
        for name, text in custom.items():
            if variables.has_variables(text):
                self.left.spend(len(here))
                found = self._written(text, {key: value for key, value in here.items() if key != name})
                if found is None:
                    del here[name]
                else:
                    here[name] = found
        return here

    def _written(self, text: str, known: Mapping[str, str]) -> str | None:
        found = variables.resolve(text, known)
        self.left.spend(READ + len(found or ""))
        return found

    def _resolved(self, node: Node, item: Declaration, known: Mapping[str, str]) -> Iterator[Declaration]:
        """A declaration with its variables resolved; an empty value if one of them is undefined."""
        self.draft.resolve("var()", node)
        text = self._written(item.value, known)
        if text is None:
            yield Declaration(item.name, "", item.important)
            return
        for found in css.declarations(f"{item.name}: {text}", self.draft.is_dark):
            if found.kind == KEPT:
                yield replace(found, important=item.important, own=found.own or item.own)

    def _resolve_attributes(self, node: Node, known: Mapping[str, str]) -> None:
        attrib = node.attrib
        for name in [name for name in attrib if name in PRESENTED and variables.has_variables(attrib[name])]:
            self.draft.resolve("var()", node)
            text = self._written(node.attrib.pop(name), known)
            if text is not None:
                try:
                    node.attrib[name] = css.value(text, self.draft.is_dark)
                except UnreadError:  # as if it were not there
                    css.check_unseen(name, text)
                    continue
                if css.LIGHT_DARK in text.lower():
                    self.draft.claim(node, name)

    def _end_animations(self, node: Node, won: Won, known: Mapping[str, str]) -> bool:
        """Let the end of each animation win over rules. True if there is no animation."""
        moving = {name: won.pop(name)[1].value for name in list(won) if won[name][1].kind == MOVING}
        if not moving:
            return True
        if "animation" in moving or "animation-name" in moving:
            self.draft.drop("animation", node)
        self.left.spend(READ + sum(map(len, moving.values())))
        for order, item in enumerate(ends(moving, self.styles.frames)):
            found = self._resolved(node, item, known) if item.kind == PENDING else (item,)
            for resolved in found:
                _win(won, ((0, BY_ANIMATION, 0, 0, 0, order), resolved, False))
        return False


def _priority(said: Said) -> Priority:
    return said[0]


def _win(won: Won, said: Said) -> None:
    name = said[1].name
    if name not in won or won[name][0] <= said[0]:
        won[name] = said
