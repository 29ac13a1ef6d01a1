"""Names of elements and attributes: their namespaces, and which names are event handlers."""

from __future__ import annotations

from figmill.svg.xml import vocabulary

XLINK = "http://www.w3.org/1999/xlink"
XHTML = "http://www.w3.org/1999/xhtml"
XML = "http://www.w3.org/XML/1998/namespace"


def split(name: str) -> tuple[str, str]:
    """Namespace and local name of a name in Clark notation."""
    if name.startswith("{"):
        space, _, local = name[1:].partition("}")
        return space, local
    return "", name


def is_handler(local: str) -> bool:
    """Whether a current or future browser may treat an attribute as an event handler."""
    return local.casefold().startswith("on") and local not in vocabulary.NO_HANDLERS
