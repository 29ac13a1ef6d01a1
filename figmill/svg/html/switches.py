"""Decides which child of a <switch> browsers show to readers of a language."""

from __future__ import annotations

from figmill.svg.document import Draft, Element, joined
from figmill.svg.html.elements import XHTML
from figmill.svg.xml import vocabulary

# values of requiredExtensions that browsers accept
UNDERSTOOD = frozenset((XHTML, "http://www.w3.org/1998/Math/MathML"))
LANGUAGE = "systemLanguage"
# Definitions that browsers apply in every language.
COMMON = vocabulary.FILTERS | vocabulary.words("clipPath filter linearGradient marker radialGradient stop")


def passes(choice: Element, language: str) -> bool:
    """Whether browsers of readers with this language show this child of a <switch>."""
    wanted = choice.attrib.get("requiredExtensions")
    if wanted is not None and not (wanted.split() and set(wanted.split()) <= UNDERSTOOD):
        return False
    return _is_in(choice, language)


def _is_in(node: Element, language: str) -> bool:
    """Whether an element is for readers of a language: browsers ask for `en` beside `en-US`, which `en-GB` meets."""
    named = node.attrib.get(LANGUAGE)
    return named is None or _family(language) in map(_family, named.split(","))


def _family(code: str) -> str:
    return code.strip().partition("-")[0].casefold()


def settle_switches(draft: Draft) -> None:
    """Remove from every <switch> what no reader ever sees, and what is for readers of other languages."""
    draft.root.attrib.pop(LANGUAGE, None)
    for node in draft.root.walk():
        if any(child.tag == "switch" or LANGUAGE in child.attrib for child in node.elements()):
            kept = (
                child
                for child in node.children
                if isinstance(child, str) or not _decide(child, draft.language)
            )
            node.children = joined(kept)


def _decide(node: Element, language: str) -> bool:
    """Whether an element goes. What another element may refer to stays, and is not painted."""
    is_seen = node.tag in COMMON or _is_in(node, language)
    node.attrib.pop(LANGUAGE, None)
    if is_seen:
        return node.tag == "switch" and _choose(node, language)
    if any("id" in each.attrib for each in node.walk()):
        node.attrib["display"] = "none"
        return False
    return True


def _choose(node: Element, language: str) -> bool:
    """Make a <switch> a group with the first child whose conditions are met. True if that group is empty."""
    # other elements may refer to these
    aside = [child for child in node.elements() if child.tag in vocabulary.RESOURCES | {"defs"}]
    choices = [child for child in node.elements() if child.tag not in vocabulary.WORDS and child not in aside]
    if not choices:
        return False
    shown = next((child for child in choices if passes(child, language)), None)
    node.tag, node.children = "g", [*aside, *((shown,) if shown else ())]
    is_empty = shown is None or (shown.tag == "g" and not shown.children and "id" not in shown.attrib)
    return is_empty and not aside and "id" not in node.attrib
