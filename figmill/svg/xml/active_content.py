"""Refuses active content: scripts, event handlers, embedded HTML, and elements that load something.

Elements that a figure drops are checked here first: a script in them is an error at its line, never silently removed.
Event handlers on elements that stay are refused in `allowlist.py`.
"""

from __future__ import annotations

from figmill.svg.document import SVG, BreachError, Element
from figmill.svg.xml import css, vocabulary
from figmill.svg.xml.names import XHTML, is_handler, split

# Elements that run, load or contain HTML, in lower case: refused everywhere.
ACTIVE = vocabulary.ACTIVE_ELEMENTS | vocabulary.REFUSED.keys()


def is_active(tag: str) -> bool:
    """Whether an element of SVG's namespace runs, loads or contains HTML, in upper or lower case."""
    return tag.casefold() in ACTIVE


def refusal(tag: str) -> str:
    """The message that refuses an element of SVG's namespace, such as <script>."""
    reason = vocabulary.REFUSED.get(tag.casefold(), "it is active content, and a figure is a still picture")
    return f"<{tag}> is not allowed: {reason}"


def check_inert(node: Element, html: frozenset[str] = frozenset()) -> None:
    """Raise BreachError if a subtree that is about to be dropped is more than data. html: allowed elements of HTML."""
    for part in node.walk():
        space, local = split(part.tag)
        acts = is_active(local) if space == SVG else local.casefold() in vocabulary.ACTIVE_ELEMENTS
        is_allowed = (space == XHTML and local in html) or (space == SVG and part is node)
        if (acts or space in vocabulary.ACTIVE_NAMESPACES) and not is_allowed:
            where = f"namespace '{space}'" if space else "no namespace"
            raise BreachError(part, f"<{local}> of {where} is not allowed in a figure")
        for name in part.attrib:
            if is_handler(split(name)[1]):
                raise BreachError(part, f"attribute '{split(name)[1]}' is an event handler; remove it")


def check_loads(node: Element) -> None:
    """Raise BreachError if a subtree that is about to be dropped would load something: the author should know."""
    for part in node.walk():
        tag = split(part.tag)[1]
        for name, value in part.attrib.items():
            local, target = split(name)[1], value.strip()
            if local == "href" and tag != "a" and not target.startswith(("#", "data:")) and target:
                raise BreachError(
                    part, f"<{tag}> refers to '{target[:60]}'; only #id in the same file is allowed"
                )
            if "url(" in value.lower():
                try:
                    css.check_unseen(local, value)
                except css.CssError as error:
                    raise BreachError(part, str(error)) from None
