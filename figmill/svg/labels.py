"""What a screen reader says of a figure: one title, one description, and no names of a tool's own."""

from __future__ import annotations

import re

from figmill.svg import names
from figmill.svg.numbers import NUMBER, fixed
from figmill.svg.read import FORBIDDEN
from figmill.svg.sheet import Sheet
from figmill.svg.tree import Draft, Node

SCRIPT = 5 / 6  # of the size of the words around
GRAPHVIZ = names.words("graph cluster node edge")
# Until ids are named; no drawing can hold a NUL.
TITLE, DESC = "\0title", "\0desc"


def drop_tool_titles(draft: Draft, _sheet: Sheet) -> None:
    """Graphviz titles every node and edge with its name in the source, which browsers show as a tooltip."""
    for node in draft.root.walk():
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
                    if re.fullmatch(NUMBER, size):
                        text.attrib["font-size"] = fixed(float(size) * SCRIPT)


def label(draft: Draft, sheet: Sheet) -> None:
    """The root is an image with the sheet's title and description, in place of any of its own."""
    root = draft.root
    for name in [name for name in root.attrib if name.startswith("aria-")]:
        del root.attrib[name]
    root.attrib["role"] = "img"
    kept = [c for c in root.children if isinstance(c, str) or c.tag not in ("title", "desc")]
    labels: list[Node] = []
    for tag, text, mark in (("title", sheet.title, TITLE), ("desc", sheet.desc, DESC)):
        words = " ".join(FORBIDDEN.sub("", text).split())
        if words:
            labels.append(Node(tag, {"id": mark}, [words]))
    root.children = [*labels, *kept]
    if labels:
        root.attrib["aria-labelledby"] = " ".join(node.attrib["id"] for node in labels)
