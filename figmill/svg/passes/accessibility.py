"""Prepares a figure for screen readers: one title, one description, and no titles that a tool wrote."""

from __future__ import annotations

from figmill.svg.document import Draft, Element
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import fixed, plain
from figmill.svg.xml.parser import FORBIDDEN

SCRIPT = 5 / 6  # share of the surrounding font size
GRAPHVIZ = vocabulary.words("graph cluster node edge")
# Placeholders until ids are named; no drawing can contain a NUL.
TITLE, DESC = "\0title", "\0desc"


def drop_titles(draft: Draft) -> None:
    """Remove titles that the question's text replaces, and Graphviz's titles, which browsers show as tooltips.

    Graphviz titles every node and edge with its name in the source. An ARIA reference of the root goes if the drawing
    has an element with that id; any other stays, because `is_settled` recognises earlier products by it.
    """
    root = draft.root
    root.children = [c for c in root.children if isinstance(c, str) or c.tag not in vocabulary.WORDS]
    nodes = root.walk()
    if not vocabulary.IDREFS.isdisjoint(root.attrib):
        ids = {node.attrib["id"] for node in nodes if "id" in node.attrib}
        for name in vocabulary.IDREFS & root.attrib.keys():
            if not ids.isdisjoint(root.attrib[name].split()):
                del root.attrib[name]
    for node in nodes:
        if node.tag == "g" and GRAPHVIZ & set(node.attrib.get("class", "").split()):
            node.children = [c for c in node.children if isinstance(c, str) or c.tag != "title"]


def size_scripts(draft: Draft, _sheet: Sheet) -> None:
    """Reduce the font size of Graphviz's subscripts and superscripts, which are laid out small but written in full
    size.
    """
    nodes = draft.root.walk()
    if not any("baseline-shift" in node.attrib for node in nodes):
        return
    for node in nodes:
        if node.tag == "g" and "graph" in node.attrib.get("class", "").split():
            for text in node.walk():
                if text.tag == "text" and text.attrib.get("baseline-shift") in ("sub", "super"):
                    size = text.attrib.get("font-size", "14")
                    number = plain(size)
                    if number is not None:
                        text.attrib["font-size"] = fixed(number * SCRIPT)


def label(draft: Draft, sheet: Sheet) -> None:
    """Make the root an image with the sheet's title and description, replacing its own."""
    root = draft.root
    for name in [name for name in root.attrib if name.startswith("aria-")]:
        del root.attrib[name]
    root.attrib["role"] = "img"
    labels: list[Element] = []
    for tag, text, mark in (("title", sheet.title, TITLE), ("desc", sheet.desc, DESC)):
        content = " ".join(FORBIDDEN.sub("", text).split())
        if content:
            labels.append(Element(tag, {"id": mark}, [content]))
    root.children = [*labels, *root.children]
    if labels:
        root.attrib["aria-labelledby"] = " ".join(node.attrib["id"] for node in labels)
