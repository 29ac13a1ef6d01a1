"""The links of a diagram of PlantUML, whose edition for JavaScript draws their words and no link. Pure.

A link stands at an element (`class A [[#part]]`), at a participant, or in words (`A -> B : [[#part see there]]`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from figmill.kind import Remark
from figmill.kind.drawn_text import tree
from figmill.kind.links import address
from figmill_kinds.plantuml.text import DiagramText

SVG = "{http://www.w3.org/2000/svg}"
# `[[target]]`, `[[target{tip}]]`, `[[target words]]`, `[[target{tip} words]]`, and the target in quotes.
LINK = re.compile(r'\[\[\s*(?:"([^"]+)"|([^\s{}\]"]+))\s*(?:\{[^}]*\})?\s*([^\]]*?)\s*\]\]')
NO_PLACE = "PlantUML for JavaScript draws none, and figmill finds no place for it in the picture"
MAY_NOT = "links lead to a page, a part of one, a figure (figmill:ID) or a mailbox"
_ARROW = re.compile(r"[-.=~]{2}|->|<-|\.>|<\.")
_PARTICIPANT = re.compile(
    r"^\s*(?:create\s+)?(?:participant|actor|boundary|control|entity|database|collections|queue)\s+"
    r"(?:\"([^\"]+)\"|([^\s\[]+))(?:\s+as\s+(?:\"([^\"]+)\"|[^\s\[]+))?"
)


def words_of(row: str) -> str:
    """A line of the source with the words of its links in place of them."""
    return LINK.sub(lambda match: match[3] or match[1] or match[2], row)


def linked(svg: str, text: DiagramText, first: int) -> tuple[str, tuple[Remark, ...]]:
    """PlantUML's SVG with the links of the source, and a remark on each that has no place in it.

    first: the number of lines that PlantUML was given before the second of the source.
    """
    if not any("[[" in row for row in text.lines):
        return svg, ()
    root, remarks = tree(svg.encode()), []
    for number, row in enumerate(text.lines):
        for match in LINK.finditer(row) if not row.lstrip().startswith("'") else ():
            target = address(match[1] or match[2])
            places = list(_places(root, row, match, number + first)) if target else []
            for place in places:
                _wrap(place, target)
            if not places:
                remarks.append(_left_out(text, number + 1, match[1] or match[2], bool(target)))
    return etree.tostring(root, encoding="unicode"), tuple(remarks)


def _left_out(text: DiagramText, number: int, written: str, may_lead: bool) -> Remark:
    place = text.at(number)
    why = NO_PLACE if may_lead else MAY_NOT
    return Remark(
        "dropped",
        f"the link to '{written[:60]}' is left out: {why}",
        place.line if place.path == text.source else None,
    )


def _places(root: etree._Element, row: str, link: re.Match[str], line: int) -> Iterator[list[etree._Element]]:
    """The elements that a link goes around, which are neighbours."""
    before = row[: link.start()]
    if not _ARROW.search(before) and ":" not in before:
        for group in root.iter(f"{SVG}g"):
            if group.get("class") in ("entity", "cluster") and group.get("data-source-line") == str(line):
                yield [group]
                return
        if match := _PARTICIPANT.match(row):
            yield from _heads(root, link[3] or match[1] or match[3] or match[2])
            return
    label = " ".join((link[3] or link[1] or link[2]).split())
    for node in root.iter(f"{SVG}text"):
        if node.get("text-decoration") == "underline" and _said(node) == label and not _is_linked(node):
            node.set("fill", "#000000")  # the underline tells that it is a link
            yield [node]
            return


def _heads(root: etree._Element, name: str) -> Iterator[list[etree._Element]]:
    """The name of a participant, at the top and at the bottom, with the box around it."""
    for node in list(root.iter(f"{SVG}text")):
        if _said(node) == " ".join(name.split()) and not _is_linked(node):
            box = node.getprevious()
            yield [box, node] if box is not None and box.tag == f"{SVG}rect" else [node]


def _said(node: etree._Element) -> str:
    return " ".join("".join(map(str, node.itertext())).split())


def _is_linked(node: etree._Element) -> bool:
    return any(above.tag == f"{SVG}a" for above in node.iterancestors())


def _wrap(nodes: list[etree._Element], target: str) -> None:
    parent = nodes[0].getparent()
    assert parent is not None
    link = etree.Element(f"{SVG}a", {"href": target})
    parent.insert(parent.index(nodes[0]), link)
    link.extend(nodes)
