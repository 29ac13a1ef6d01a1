"""Writes the result of the cascade to the elements as attributes, with variables resolved and animations ended.

It knows no selectors: it is given the rules that match each element.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeAlias

from figmill.late_dataclasses import dataclass
from figmill.svg.document import BreachError, Draft, Element
from figmill.svg.steps import SpentError, Steps
from figmill.svg.styles import variables
from figmill.svg.styles.animation import ends
from figmill.svg.styles.stylesheet import StyleRule, Styles
from figmill.svg.xml import css, vocabulary
from figmill.svg.xml.css import (
    BARRED,
    CUSTOM,
    KEPT,
    MOVING,
    PENDING,
    UNSEEN,
    CssDeclaration,
    CssError,
    UnreadError,
)
from figmill.svg.xml.numbers import UNIT

MAX_WRITTEN = 5_000_000  # characters that variables may add to a drawing
READ = 30  # cost of parsing one value again, in characters

Priority: TypeAlias = tuple[int, ...]  # important, origin, specificity, order
Declared: TypeAlias = "tuple[Priority, CssDeclaration, bool]"  # the flag: declared by the selector `*`
Cascaded: TypeAlias = dict[str, Declared]  # by property name
# for each element, the numbers of the rules that match it
Matched: TypeAlias = Mapping[Element, tuple[int, ...]]
PRESENTED = vocabulary.PRESENTATION
BY_ANIMATION, BY_STYLE, BY_RULE, BY_DEFAULT = 2, 1, 0, -1
BOX = ("x", "y", "width", "height")
# Elements whose position and size CSS properties can set.
GEOMETRY = {
    "svg": BOX,
    "image": BOX,
    "rect": (*BOX, "rx", "ry"),
    "circle": ("cx", "cy", "r"),
    "ellipse": ("cx", "cy", "rx", "ry"),
}


@dataclass(slots=True)
class Application:
    """Applies the rules of a drawing to its elements."""

    draft: Draft
    styles: Styles
    matched: Matched
    used: frozenset[str]  # ids that <use> refers to
    left: Steps = field(default_factory=lambda: Steps(MAX_WRITTEN))
    # winners for each combination of rules, without style attributes
    winners: dict[tuple[int, ...], Cascaded] = field(default_factory=dict)

    def apply(self, node: Element, variables_: Mapping[str, str], handed_down: dict[str, str]) -> None:
        """Write the winning declarations to `node` and its descendants.

        variables_: the parent's custom properties. handed_down: inherited properties that `*` has set so far. What
        `*` repeats on a child is left out, unless a <use> shows the child elsewhere.
        """
        try:
            cascaded, variables_ = self._cascaded(node, variables_)
            self._resolve_attributes(node, variables_)
        except CssError as error:
            self.draft.refuse(node, str(error))
            cascaded = {}
        except RecursionError:
            raise BreachError(node, "brackets nested too deep in CSS") from None
        except SpentError:
            message = f"variables and animations expand to more than {MAX_WRITTEN:,} characters"
            raise BreachError(node, message) from None
        if cascaded:
            handed_down = {} if node.attrib.get("id") in self.used else dict(handed_down)
            self._write(node, cascaded, handed_down)
        for child in node.children:
            if isinstance(child, Element):
                self.apply(child, variables_, handed_down)

    def _write(self, node: Element, cascaded: Cascaded, handed_down: dict[str, str]) -> None:
        rest = []
        for name, (_, item, by_star) in cascaded.items():
            if item.kind == BARRED:
                self.draft.refuse(node, css.barred(name))
                continue
            if name == "background-color" and node is not self.draft.root:
                continue  # only the outermost <svg> has a background
            if name in vocabulary.STYLE_ONLY:
                if name in GEOMETRY.get(node.tag, ()) and UNIT.fullmatch(item.value):
                    node.attrib[name] = item.value  # readers of SVG 1.1 also know this attribute
                elif item.value:
                    rest.append(f"{name}: {item.value}")
                continue
            node.attrib.pop(name, None)
            if not item.value:  # an undefined variable voids the declaration
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

    def _cascaded(self, node: Element, above: Mapping[str, str]) -> tuple[Cascaded, Mapping[str, str]]:
        """The winning declarations of an element, and its custom properties."""
        rules = self.matched.get(node, ())
        style = node.attrib.pop("style", None)
        if style is None and rules in self.winners:
            return self.winners[rules], above
        declared = list(self._declared(node, rules, style))
        custom = {
            item.name: item.value for _, item, _ in sorted(declared, key=_priority) if item.kind == CUSTOM
        }
        here = self._environment(custom, above) if custom else above
        cascaded: Cascaded = {}
        is_plain = not custom
        for priority, item, by_star in declared:
            if item.kind == PENDING:
                is_plain = False
                for resolved in self._resolved(node, item, here):
                    win(cascaded, (priority, resolved, by_star))
            elif item.kind in (KEPT, MOVING, BARRED):
                win(cascaded, (priority, item, by_star))
        is_plain = self._end_animations(node, cascaded, here) and is_plain
        if style is None and is_plain:
            self.winners[rules] = cascaded
        return cascaded, here

    def _declared(self, node: Element, rules: tuple[int, ...], style: str | None) -> Iterator[Declared]:
        yield from by_rules(self.styles.rules, rules)
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
                resolved = self._written(text, {key: value for key, value in here.items() if key != name})
                if resolved is None:
                    del here[name]
                else:
                    here[name] = resolved
        return here

    def _written(self, text: str, environment: Mapping[str, str]) -> str | None:
        value = variables.resolve(text, environment)
        self.left.spend(READ + len(value or ""))
        return value

    def _resolved(
        self, node: Element, item: CssDeclaration, environment: Mapping[str, str]
    ) -> Iterator[CssDeclaration]:
        """A declaration with its variables resolved; an empty value if one of them is undefined."""
        self.draft.resolve("var()", node)
        text = self._written(item.value, environment)
        if text is None:
            yield CssDeclaration(item.name, "", item.important)
            return
        for declaration in css.declarations(f"{item.name}: {text}", self.draft.is_dark):
            if declaration.kind == KEPT:
                yield replace(declaration, important=item.important, own=declaration.own or item.own)

    def _resolve_attributes(self, node: Element, environment: Mapping[str, str]) -> None:
        attrib = node.attrib
        for name in [name for name in attrib if name in PRESENTED and variables.has_variables(attrib[name])]:
            self.draft.resolve("var()", node)
            text = self._written(node.attrib.pop(name), environment)
            if text is not None:
                try:
                    node.attrib[name] = css.value(text, self.draft.is_dark)
                except UnreadError:  # ignored, as in browsers
                    css.check_unseen(name, text)
                    continue
                if css.LIGHT_DARK in text.lower():
                    self.draft.claim(node, name)

    def _end_animations(self, node: Element, cascaded: Cascaded, environment: Mapping[str, str]) -> bool:
        """Let the end of each animation override rules. True if there is no animation."""
        moving = {
            name: cascaded.pop(name)[1].value for name in list(cascaded) if cascaded[name][1].kind == MOVING
        }
        if not moving:
            return True
        if "animation" in moving or "animation-name" in moving:
            self.draft.drop("animation", node)
        self.left.spend(READ + sum(map(len, moving.values())))
        for order, item in enumerate(ends(moving, self.styles.frames)):
            declarations = self._resolved(node, item, environment) if item.kind == PENDING else (item,)
            for resolved in declarations:
                win(cascaded, ((0, BY_ANIMATION, 0, 0, 0, order), resolved, False))
        return False


def _priority(declared: Declared) -> Priority:
    return declared[0]


def by_rules(rules: Sequence[StyleRule], matching: Iterable[int]) -> Iterator[Declared]:
    """What the rules with these numbers declare."""
    for order in matching:
        rule = rules[order]
        for item in rule.declarations:
            yield (item.important, BY_RULE, *rule.selector.specificity, order), item, rule.everything


def win(cascaded: Cascaded, declared: Declared) -> None:
    """Let a declaration replace the one of the same property, unless that has a higher priority."""
    name = declared[1].name
    if name not in cascaded or cascaded[name][0] <= declared[0]:
        cascaded[name] = declared
