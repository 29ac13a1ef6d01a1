"""Names of elements and attributes: their namespaces, and which a browser may take for an event handler."""

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
    """Whether a browser of today or tomorrow may take an attribute for the handler of an event."""
    return local.casefold().startswith("on") and local not in vocabulary.NO_HANDLERS
