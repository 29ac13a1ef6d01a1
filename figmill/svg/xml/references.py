"""References to ids in attributes, and links from an `<a>` to a page, a part of it, a figure or a mailbox."""

from __future__ import annotations

import re
from urllib.parse import quote

from figmill.svg.document import BreachError, Element
from figmill.svg.xml import vocabulary

NAMING = vocabulary.IDREFS | {"href"}  # attributes that hold ids
REFERRING = (vocabulary.PRESENTATION | {"style"}) - {"font-family"}  # replaced by the book's stack
URL = re.compile(r"url\(#([^)]*)\)")  # in values normalised by css.value

_PATH = r"A-Za-z0-9._~/\[\]@!$&()*+,;=%'\-"
# No credentials, no other scheme, and no `//` at the start, which would lead to another site.
LINK = re.compile(
    rf"https?://[A-Za-z0-9.\-]+(?::[0-9]+)?(?:[/?#][{_PATH}:?#]*)?"
    r"|mailto:[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+(?:\?[A-Za-z0-9._~&=%+,;@!'()*\-]*)?"
    r"|figmill:[A-Za-z0-9][A-Za-z0-9._\-]*"
    rf"|(?!//)[{_PATH}]+(?:[?#][{_PATH}:?#]*)?"
    rf"|\?[{_PATH}:?#]*"
)

_WRITTEN = re.compile(r"[^\x00-\x1f\x21-\xa0]")  # blanks and letters, which browsers encode


def href(node: Element, value: str) -> str:
    """The target of an element's href. Raises BreachError if it is not allowed."""
    target = value.strip(" \t\r\n")
    if node.tag == "image":
        return target  # pictures/embed.py checks it before anything else uses it
    if node.tag == "a" and target == "#":
        return target  # the beginning of the page
    if target.startswith("#") and len(target) > 1 and not set(target) & set(" \t\r\n()'\""):
        return target
    if node.tag == "a":
        target = _WRITTEN.sub(lambda sign: quote(sign[0]), target)
        if LINK.fullmatch(target):
            return target
        allowed = (
            "only absolute https:// and http:// links, relative ones, mailto:, figmill:ID and #id are allowed"
        )
        raise BreachError(node, f"link to '{target[:60]}'; {allowed}")
    raise BreachError(node, f"<{node.tag}> refers to '{target[:60]}'; only #id in the same file is allowed")


def urls(name: str, value: str) -> list[str]:
    """The ids that a value refers to by url(#id)."""
    if "url(" in value and name in REFERRING:
        return URL.findall(value)
    return []


def references(node: Element) -> list[str]:
    """The ids that this element's own attributes refer to, with repetitions."""
    targets: list[str] = []
    for name, value in node.attrib.items():
        if name in NAMING:
            if name != "href":
                targets += value.split()
            elif value.startswith("#"):
                targets.append(value[1:])
        elif "url(" in value:
            targets += urls(name, value)
    return targets


def rename(node: Element, new: dict[str, str]) -> None:
    """Update this element's references to the new ids. A link to any other id leads to a part of the page."""
    for name, value in node.attrib.items():
        if name in NAMING:
            if name != "href":
                node.attrib[name] = " ".join(new[target] for target in value.split())
            elif value.startswith("#") and (node.tag != "a" or value[1:] in new):
                node.attrib[name] = f"#{new[value[1:]]}"
        elif "url(" in value and urls(name, value):
            node.attrib[name] = URL.sub(lambda match: f"url(#{new[match[1]]})", value)
