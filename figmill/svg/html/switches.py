"""Decides which child of a <switch> browsers show."""

from __future__ import annotations

from figmill.svg.document import Draft, Element
from figmill.svg.html.elements import XHTML
from figmill.svg.xml import vocabulary

# values of requiredExtensions that browsers accept
UNDERSTOOD = frozenset((XHTML, "http://www.w3.org/1998/Math/MathML"))


def passes(choice: Element) -> bool | None:
    """Whether browsers show this child of a <switch>; None if that depends on the reader's language."""
    wanted = choice.attrib.get("requiredExtensions")
    if wanted is not None and not (wanted.split() and set(wanted.split()) <= UNDERSTOOD):
        return False
    return None if "systemLanguage" in choice.attrib else True


def settle_switches(draft: Draft) -> None:
    """Remove from every <switch> what no reader ever sees."""
    for node in draft.root.walk():
        if any(child.tag == "switch" for child in node.elements()):
            node.children = [child for child in node.children if isinstance(child, str) or not _decide(child)]


def _decide(node: Element) -> bool:
    """Remove from a <switch> what no reader ever sees: everything after the first child without a condition.

    If no choice remains, the <switch> becomes a group. True if that group is empty.
    """
    if node.tag != "switch":
        return False
    aside = [
        child for child in node.elements() if child.tag in vocabulary.RESOURCES | {"defs"}
    ]  # other elements may refer to these
    choices = [child for child in node.elements() if child.tag not in vocabulary.WORDS and child not in aside]
    first = next((at for at, child in enumerate(choices) if passes(child)), None)
    if first is None or any(passes(child) is None for child in choices[:first]):
        return False
    only = choices[first]
    node.tag, node.children = "g", [*aside, only]
    return (
        not aside
        and only.tag == "g"
        and not only.children
        and "id" not in only.attrib
        and "id" not in node.attrib
    )
