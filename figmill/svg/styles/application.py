"""What won the cascade is written to each element as attributes, variables resolved and animations at their end.

Unaware of selectors: which rules hold for which element is given.
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
from figmill.svg.xml.css import CUSTOM, KEPT, MOVING, PENDING, UNSEEN, CssError, Declaration
from figmill.svg.xml.numbers import UNIT

MAX_WRITTEN = 5_000_000  # characters that variables may make of a drawing
READ = 30  # what it costs to read one value again, in characters

Priority: TypeAlias = tuple[int, ...]  # important, kind of origin, specificity, order
Said: TypeAlias = "tuple[Priority, Declaration, bool]"  # by the selector `*`
Won: TypeAlias = dict[str, Said]  # by property
Matched: TypeAlias = Mapping[Node, tuple[int, ...]]  # the numbers of the rules that hold for an element
PRESENTED = vocabulary.PRESENTATION
BY_ANIMATION, BY_STYLE = 2, 1
BOX = ("x", "y", "width", "height")
# What has its place and size by properties, too.
GEOMETRY = {"svg": BOX, "image": BOX, "rect": (*BOX, "rx", "ry"), "circle": ("cx", "cy", "r"),
            "ellipse": ("cx", "cy", "rx", "ry")}  # fmt: skip


@dataclass(slots=True)
class Application:
    """The rules of a drawing on their way to its elements."""

    draft: Draft
    styles: Styles
    matched: Matched
    used: frozenset[str]  # ids of what <use> takes elsewhere
    left: Steps = field(default_factory=lambda: Steps(MAX_WRITTEN))
    known: dict[tuple[int, ...], Won] = field(default_factory=dict)  # what won by rules alone

    def apply(self, node: Node, variables_: Mapping[str, str], handed_down: dict[str, str]) -> None:
        """Write what won to `node` and all below it.

        variables_: custom properties of the element above. handed_down: inherited properties that `*` has set so far.
        What `*` says again of a child is left out, except where a <use> takes the child elsewhere.
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
            told = f"variables and animations make more than {MAX_WRITTEN:,} characters of the drawing"
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
            if name in vocabulary.STYLE_ONLY:
                if name in GEOMETRY.get(node.tag, ()) and UNIT.fullmatch(item.value):
                    node.attrib[name] = item.value  # which readers of SVG 1.1 know as well
                elif item.value:
                    rest.append(f"{name}: {item.value}")
                continue
            node.attrib.pop(name, None)
            if not item.value:  # a variable that stands for nothing: as if nobody had said anything
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
        """What won for an element, and the custom properties that hold there."""
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
            elif item.kind in (KEPT, MOVING):
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
        """The custom properties of an element with what they stand for themselves."""
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
        """A declaration with its variables written out; void where one of them stands for nothing."""
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
                node.attrib[name] = css.value(text, self.draft.is_dark)
                if css.LIGHT_DARK in text.lower():
                    self.draft.claim(node, name)

    def _end_animations(self, node: Node, won: Won, known: Mapping[str, str]) -> bool:
        """Let what an animation leaves behind win; whether there is none."""
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
