"""References: to ids, wherever an attribute can hold one, and from an `<a>` to a page or a mailbox."""

from __future__ import annotations

import re

from figmill.svg.document import BreachError, Node
from figmill.svg.xml import vocabulary

NAMING = vocabulary.IDREFS | {"href"}  # attributes that hold ids
REFERRING = (vocabulary.PRESENTATION | {"style"}) - {"font-family"}  # which the book's stack replaces
URL = re.compile(r"url\(#([^)]*)\)")  # in values that css.value has brought into normal form

_PATH = r"A-Za-z0-9._~/\[\]@!$&()*+,;=%'\-"
# No name and password, no other scheme, and no place that starts with // and so is on another site.
LINK = re.compile(
    rf"https?://[A-Za-z0-9.\-]+(?::[0-9]+)?(?:[/?#][{_PATH}:?#]*)?"
    r"|mailto:[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+(?:\?[A-Za-z0-9._~&=%+,;@!'()*\-]*)?"
    rf"|(?!//)[{_PATH}]+(?:[?#][{_PATH}:?#]*)?"
    rf"|\?[{_PATH}:?#]*"
)


def href(node: Node, value: str) -> str:
    """The target of an element's href; BreachError where it may not lead there."""
    target = value.strip(" \t\r\n")
    if node.tag == "image":
        return target  # pictures/embed.py reads it, or refuses it, before anybody else sees it
    if target.startswith("#") and len(target) > 1 and not set(target) & set(" \t\r\n()'\""):
        return target
    if node.tag == "a":
        if LINK.fullmatch(target):
            return target
        told = "only absolute https:// and http:// links, relative ones, mailto: and #id are allowed"
        raise BreachError(node, f"link to '{target[:60]}'; {told}")
    raise BreachError(node, f"<{node.tag}> refers to '{target[:60]}'; only #id in the same file is allowed")


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
