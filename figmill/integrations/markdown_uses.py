"""Python-Markdown: the places of a page's tree that name a figure or a fact. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element

from markdown.util import ETX, STX

from figmill.book.names import anchor_of
from figmill.integrations import lookup
from figmill.integrations.lookup import Target
from figmill.late_dataclasses import dataclass

_HEADING = re.compile("h[1-6]")


@dataclass(frozen=True, slots=True)
class Use:
    """A place of a page that names a figure.

    - above: the parent of `parent`, or None.
    - is_in_heading: at any depth.
    """

    above: Element | None
    parent: Element
    child: Element
    target: Target
    is_in_heading: bool

    @property
    def is_link(self) -> bool:
        """Whether it is a link with text to a figure."""
        return self.child.tag == "a" and self.target.fact is None and bool(len(self.child) or self.child.text)

    @property
    def is_number(self) -> bool:
        """Whether it is a link without text to a figure, whose number it shows."""
        return self.child.tag == "a" and self.target.fact is None and not self.is_link

    @property
    def is_by_itself(self) -> bool:
        """Whether it is an image that is the whole of its paragraph."""
        text = f"{self.parent.text or ''}{self.child.tail or ''}".strip()
        return self.child.tag == "img" and self.parent.tag == "p" and len(self.parent) == 1 and not text

    @property
    def caption(self) -> Element | None:
        """The text of an image."""
        text = self.child.find("span") if self.child.tag == "img" else None
        return None if text is None or not "".join(text.itertext()).strip() else text


def uses(root: Element) -> list[Use]:
    """All places of a page that name a figure, in order."""
    parents = {child: parent for parent in root.iter() for child in parent}
    headed = {
        below for heading in root.iter() if _HEADING.fullmatch(str(heading.tag)) for below in heading.iter()
    }
    return [
        Use(parents.get(parent), parent, child, target, parent in headed)
        for parent in root.iter()
        for child in parent
        if (target := lookup.target(address_of(child)))
    ]


def link_of(element: Element) -> Use | None:
    """A link of a drawing, if it leads to a figure."""
    target = lookup.target(address_of(element))
    return None if target is None else Use(None, element, element, target, False)


def anchors(root: Element, shown: Iterable[Use]) -> dict[str, Element]:
    """Label -> the image that gets the figure's id: one that stands by itself and has no other id, or the nearest."""
    taken = {element.get("id") for element in root.iter()}
    images = [use for use in shown if use.child.tag == "img" and anchor_of(use.target.label) not in taken]
    images.sort(key=lambda use: (not use.is_by_itself, "id" in use.child.attrib))
    return {use.target.label: use.child for use in reversed(images)}


def address_of(element: Element) -> str:
    """The address of an image or a link; empty for any other element."""
    if element.tag == "img":
        return _marked(element).partition(";")[0]
    return element.get("href", "") if element.tag == "a" else ""


def name_of(image: Element) -> str:
    """What the mark of a code block or of an image of the page holds."""
    return _marked(image).removeprefix(lookup.SCHEME)


def _marked(image: Element) -> str:
    return image.get("src", "").strip(STX + ETX)  # the signs around the address in a mark
