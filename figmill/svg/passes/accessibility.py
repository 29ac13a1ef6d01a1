"""What a screen reader says of a figure: one title, one description, and no names of a tool's own."""

from __future__ import annotations

from figmill.svg.document import Draft, Node
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import fixed, plain
from figmill.svg.xml.parser import FORBIDDEN

SCRIPT = 5 / 6  # of the size of the words around
GRAPHVIZ = vocabulary.words("graph cluster node edge")
# Until ids are named; no drawing can hold a NUL.
TITLE, DESC = "\0title", "\0desc"


def drop_titles(draft: Draft) -> None:
    """What the question's words stand for goes, and Graphviz's titles, which browsers show as tooltips.

    Graphviz titles every node and edge with its name in the source. What the root is labelled by goes with it, and
    stays named only where nothing else has that id: as in what we have written before.
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
    """Graphviz lays sub- and superscripts out in smaller type, but writes them in full size."""
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
    """The root is an image with the sheet's title and description, in place of any of its own."""
    root = draft.root
    for name in [name for name in root.attrib if name.startswith("aria-")]:
        del root.attrib[name]
    root.attrib["role"] = "img"
    labels: list[Node] = []
    for tag, text, mark in (("title", sheet.title, TITLE), ("desc", sheet.desc, DESC)):
        words = " ".join(FORBIDDEN.sub("", text).split())
        if words:
            labels.append(Node(tag, {"id": mark}, [words]))
    root.children = [*labels, *root.children]
    if labels:
        root.attrib["aria-labelledby"] = " ".join(node.attrib["id"] for node in labels)
