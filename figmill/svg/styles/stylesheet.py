"""A <style> as the rules for a still picture: conditions evaluated, rules for interaction left out.

Rules that are left out or forbidden are reported to the caller; reading continues in both cases. CSS that no browser
can read is left out as in browsers: a rule with an unreadable selector, an at-rule with an unknown name (CSS Syntax 3,
section 9). The caller decides which declarations it wants: css.py reads those of shapes, html/css those of labels.
Figures from one program often have equal styles, so a process parses each style once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias

import tinycss2

from figmill.late_dataclasses import dataclass
from figmill.svg.document import SVG, BreachError, Element
from figmill.svg.steps import SpentError
from figmill.svg.styles.media import media, names_scheme, supports
from figmill.svg.xml.css import (
    KEPT,
    PENDING,
    UNSEEN,
    CssDeclaration,
    CssError,
    UnreadError,
    no_escapes,
    parsed_declarations,
    turns_colours,
)

# A few seconds of reading (a megabyte per second), compiling, and walking between elements for selectors.
MAX_CSS = 1_000_000  # characters of all <style> together
MAX_SELECTORS = 20_000
MAX_NESTED = 20  # depth of conditions
REPEATED = 40_000  # characters of a style up to which it is kept for the next figure

# What is recorded for each at-rule that is left out, evaluated or rewritten.
UNREAD = "CSS that cannot be read"
FONTS, MOVING, PRINTED = "embedded font (@font-face)", "animation (@keyframes)", "rule for paper (@page)"
MET, NOT_MET = "condition that is met (@media)", "rules for other media (@media)"
UNSEEN_RULES: Mapping[str, str] = MappingProxyType(
    {
        "font-face": FONTS,
        "font-feature-values": FONTS,
        "font-palette-values": FONTS,
        "page": PRINTED,
        "counter-style": "@counter-style",
        "property": "@property",
        "view-transition": "@view-transition",
    }
)
KEYFRAMES = frozenset(("keyframes", "-webkit-keyframes", "-moz-keyframes", "-o-keyframes", "-ms-keyframes"))
# Selectors for interaction never match in a picture.
WAITING = frozenset(
    """hover active focus focus-within focus-visible target visited checked fullscreen popover-open modal
    autofill""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class StyleRule:
    """A compiled selector with its declarations; `everything` means the selector is `*`."""

    selector: Any
    everything: bool
    declarations: tuple[CssDeclaration, ...]


@dataclass(slots=True)
class Styles:
    """All rules of a drawing in order, and the frames of each animation by name."""

    rules: list[StyleRule] = field(default_factory=list)
    frames: dict[str, dict[str, tuple[CssDeclaration, ...]]] = field(default_factory=dict)  # "from" and "to"


# The declarations of a parsed block; is_dark: the theme.
Read: TypeAlias = "Callable[[Iterable[Any], bool], Iterable[CssDeclaration]]"


@dataclass(slots=True)
class StyleReading:
    """The content of one <style>: its rules, and notes for the draft."""

    is_dark: bool  # which of the author's colours to read: those for a dark page or for a light one
    read: Read
    styles: Styles = field(default_factory=Styles)
    dropped: list[str] = field(default_factory=list)
    resolved: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def readings(
    styles: Iterable[Element], is_dark: bool, read: Read = parsed_declarations
) -> Iterator[tuple[Element, StyleReading]]:
    """Each <style> of a drawing with what it says; callers must not change it. Raises BreachError."""
    length = count = 0
    for node in styles:
        text = node.text()
        length += len(text)
        if length > MAX_CSS:
            raise BreachError(node, f"the <style> of the figure has more than {MAX_CSS:,} characters")
        if node.attrib.get("type", "").strip().lower() not in ("", "text/css"):
            continue  # ignored, as in browsers
        parse = _parsed if len(text) <= REPEATED else _parsed.__wrapped__
        try:
            reading = parse(text, node.attrib.get("media", "all"), is_dark, read)
        except RecursionError:
            raise BreachError(node, "brackets nested too deep in CSS") from None
        except SpentError:
            reading = None
        count += len(reading.styles.rules) if reading else 0
        if reading is None or count > MAX_SELECTORS:
            message = f"more than {MAX_SELECTORS:,} selectors; a figure may have at most that many"
            raise BreachError(node, message)
        yield node, reading


@lru_cache(maxsize=16)
def _parsed(text: str, condition: str, is_dark: bool, read: Read) -> StyleReading:
    """The content of a style. condition: its `media`. Raises RecursionError and SpentError."""
    reading = StyleReading(is_dark, read)
    try:
        prelude = tinycss2.parse_component_value_list(condition)
        if not media(prelude, is_dark):
            reading.dropped.append("<style> for other media")
            return reading
        no_escapes(text)
        items = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
        _rules(reading, items, names_scheme(prelude), 0)
    except CssError as error:
        reading.refused.append(str(error))
    return reading


def _rules(reading: StyleReading, items: Iterable[Any], is_own: bool, depth: int) -> None:
    """Add rules. is_own: they are for a dark page, so their colours are the author's for it."""
    if depth > MAX_NESTED:
        raise CssError(f"conditions in CSS are nested more than {MAX_NESTED} deep")
    for item in items:
        try:
            if item.type == "at-rule":
                _at_rule(reading, item, is_own, depth)
            elif item.type == "qualified-rule":
                _rule(reading, item, is_own)
            else:
                reading.dropped.append(UNREAD)
        except CssError as error:
            reading.refused.append(str(error))


def _at_rule(reading: StyleReading, item: Any, is_own: bool, depth: int) -> None:
    name = item.lower_at_keyword
    if name in UNSEEN_RULES:
        reading.dropped.append(UNSEEN_RULES[name])
    elif name in KEYFRAMES:
        _keyframes(reading, item)
    elif name == "import" and _brings_fonts(item.prelude):
        reading.dropped.append("web font (@import), which is not loaded")
    elif name == "charset" or (name == "namespace" and _names_svg(item.prelude)):
        pass  # has no effect here
    elif name in ("media", "supports") and item.content is not None:
        holds = media(item.prelude, reading.is_dark) if name == "media" else supports(item.prelude)
        if name == "media":
            if names_scheme(item.prelude):
                reading.resolved.append("colours for light or dark pages (@media)")
            else:
                (reading.resolved if holds else reading.dropped).append(MET if holds else NOT_MET)
        if holds:
            inside = tinycss2.parse_rule_list(item.content, skip_comments=True, skip_whitespace=True)
            _rules(reading, inside, is_own or (reading.is_dark and names_scheme(item.prelude)), depth + 1)
    elif name in WHY:
        raise CssError(f"@{item.at_keyword} is not allowed in a figure's CSS{WHY[name]}")
    else:
        reading.dropped.append(f"@{item.at_keyword[:40]}")


WHY: Mapping[str, str] = MappingProxyType(
    {
        "import": "; it brings rules from elsewhere: write them here",
        "layer": "; write its rules without layers",
        "container": "; write its rules without the condition",
        "scope": "; write its rules with a class",
        "starting-style": "; leave it out",
        "namespace": "; write selectors without prefixes",
        "media": "",
        "supports": "",
    }
)


def _names_svg(prelude: Iterable[Any]) -> bool:
    """Whether an @namespace rule makes SVG the default namespace of selectors, which it is anyway."""
    tokens = [token for token in prelude if token.type not in ("whitespace", "comment")]
    return len(tokens) == 1 and SVG in tokens[0].serialize()


def _brings_fonts(prelude: Iterable[Any]) -> bool:
    """Whether an @import names a font service; the import is then dropped like other fonts."""
    for token in prelude:
        if token.type in ("url", "string"):
            return _is_fonts(token.value)
        if token.type == "function" and token.lower_name == "url":
            return any(part.type == "string" and _is_fonts(part.value) for part in token.arguments)
    return False


def _is_fonts(url: str) -> bool:
    return url.lower().startswith(("https://", "http://", "//")) and (
        "font" in url.lower() or "typekit" in url.lower()
    )


def _rule(reading: StyleReading, item: Any, is_own: bool) -> None:
    declared = _declared(reading, item.content)
    try:
        selectors = _selectors(reading, item.prelude)
    except UnreadError as error:
        reading.dropped.append(str(error))
        return
    if is_own:
        declared = tuple(_for_the_dark(reading, declared))
    for selector, everything in selectors:
        if len(reading.styles.rules) >= MAX_SELECTORS:
            raise SpentError
        reading.styles.rules.append(StyleRule(selector, everything, declared))


def _declared(reading: StyleReading, content: Iterable[Any]) -> tuple[CssDeclaration, ...]:
    """The declarations of a block, each property once; properties without effect in a picture are noted."""
    kept = []
    parsed = tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True)
    for declaration in reading.read(parsed, reading.is_dark):
        if declaration.kind == UNSEEN:
            reading.dropped.append(f"CSS {declaration.name}")
        else:
            kept.append(declaration)
    return final(kept)


def _for_the_dark(reading: StyleReading, declared: Iterable[CssDeclaration]) -> Iterable[CssDeclaration]:
    """Rules for a dark page: mark their colours, and drop filters other than those that only change colours."""
    for declaration in declared:
        if declaration.name == "filter" and not turns_colours(declaration.value):
            reading.dropped.append("filter for dark pages")
        elif declaration.kind in (KEPT, PENDING):
            yield replace(declaration, own=True)
        else:
            yield declaration


def final(declared: Iterable[CssDeclaration]) -> tuple[CssDeclaration, ...]:
    """The winning declaration for each property within one rule."""
    winners: dict[str, CssDeclaration] = {}
    for item in declared:
        if item.important or item.name not in winners or not winners[item.name].important:
            winners.pop(item.name, None)
            winners[item.name] = item
    return tuple(winners.values())


def _selectors(reading: StyleReading, prelude: list[Any]) -> list[tuple[Any, bool]]:
    """The compiled selectors of a list, without those for interaction or pseudo-elements.

    Raises UnreadError if one of them cannot be read: browsers then ignore the whole rule.
    """
    import cssselect2

    selectors: list[tuple[Any, bool]] = []
    for part in map(_without_direction, _parts(prelude)):
        if waiting := _waits(part):
            reading.dropped.append(f"rules for {waiting}")
            continue
        try:
            compiled = cssselect2.compile_selector_list(part)
        except (cssselect2.SelectorError, AssertionError):
            text = " ".join(tinycss2.serialize(part).split())[:40]
            raise UnreadError(f"rules for '{text}', a selector that cannot be read") from None
        everything = tinycss2.serialize(part).strip() == "*"
        for selector in compiled:
            if selector.pseudo_element is not None:
                reading.dropped.append(f"rules for ::{selector.pseudo_element}")
            else:
                selectors.append((selector, everything))
    return selectors


def _parts(prelude: list[Any]) -> list[list[Any]]:
    """A selector list, split at its commas."""
    parts: list[list[Any]] = [[]]
    for token in prelude:
        if token == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _without_direction(part: list[Any]) -> list[Any]:
    """A selector without :dir(ltr), which every element of a figure matches."""
    kept: list[Any] = []
    for token in part:
        is_direction = token.type == "function" and token.lower_name == "dir" and kept and kept[-1] == ":"
        if is_direction and tinycss2.serialize(token.arguments).strip().lower() == "ltr":
            kept.pop()
        else:
            kept.append(token)
    return kept


def _waits(part: list[Any]) -> str:
    """The interactive pseudo-class or the pseudo-element of a selector; empty if it matches elements in any state."""
    for at, token in enumerate(part[:-1]):
        after = part[at + 1]
        if token != ":":
            continue
        name = getattr(after, "lower_value", "") or getattr(after, "lower_name", "")
        if name in WAITING:
            return f":{name}"
        if name == "dir":
            return f":{after.serialize()[:20]}"
        if after == ":" and at + 2 < len(part):
            name = getattr(part[at + 2], "lower_value", "") or getattr(part[at + 2], "lower_name", "")
            return f"::{name}"
        if name.startswith(("-webkit-", "-moz-", "-ms-", "-o-")):
            return f":{name}"
    return ""


def _keyframes(reading: StyleReading, item: Any) -> None:
    """Store the first and last frame of an animation."""
    name = tinycss2.serialize(item.prelude).strip().strip("\"'")
    frames: dict[str, tuple[CssDeclaration, ...]] = {}
    for rule in tinycss2.parse_rule_list(item.content or [], skip_comments=True, skip_whitespace=True):
        if rule.type != "qualified-rule":
            continue
        for place in tinycss2.serialize(rule.prelude).lower().split(","):
            end = {"from": "from", "0%": "from", "to": "to", "100%": "to"}.get(place.strip())
            if end:
                parsed = tinycss2.parse_blocks_contents(
                    rule.content, skip_comments=True, skip_whitespace=True
                )
                declared = (d for d in reading.read(parsed, reading.is_dark) if d.kind in (KEPT, PENDING))
                frames[end] = final((*frames.get(end, ()), *declared))
    reading.styles.frames[name] = frames
