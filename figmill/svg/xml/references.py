"""References to ids, wherever an attribute can hold one."""

from __future__ import annotations

import re

from figmill.svg.document import Node
from figmill.svg.xml import vocabulary

NAMING = vocabulary.IDREFS | {"href"}  # attributes that hold ids
REFERRING = (vocabulary.PRESENTATION | {"style"}) - {"font-family"}  # which the book's stack replaces
URL = re.compile(r"url\(#([^)]*)\)")  # in values that css.value has brought into normal form


def urls(name: str, value: str) -> list[str]:
    """The ids that a value refers to by url(#id)."""
    if "url(" in value and name in REFERRING:
        return URL.findall(value)
    return []


def references(node: Node) -> list[str]:
    """The ids that this element's own attributes refer to, once for each time they do."""
    found: list[str] = []
    for name, value in node.attrib.items():
        if name in NAMING:
            if name != "href":
                found += value.split()
            elif value.startswith("#"):
                found.append(value[1:])
        elif "url(" in value:
            found += urls(name, value)
    return found


def rename(node: Node, new: dict[str, str]) -> None:
    """Let this element's references follow the ids to their new names."""
    for name, value in node.attrib.items():
        if name in NAMING:
            if name != "href":
                node.attrib[name] = " ".join(new[target] for target in value.split())
            elif value.startswith("#"):
                node.attrib[name] = f"#{new[value[1:]]}"
        elif "url(" in value and urls(name, value):
            node.attrib[name] = URL.sub(lambda found: f"url(#{new[found[1]]})", value)
