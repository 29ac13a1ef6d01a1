"""The look of a graph whose source leaves it to Graphviz: lines and text in the palette, text in the size of a page.

Graphviz draws black lines, and black text of 18.7 px. Nothing here changes a layout.
"""

from __future__ import annotations

import re
from typing import Any

from figmill.kinds.graphs import items
from figmill.palette import ROLES, TEXT, role

LINE, INK = role("neutral").line, TEXT[0]
LARGE, SIZE = 14, 11  # points of text: by default, and in the book's own graphs
# What fills an area with the colour of its outline if no other colour is set.
FILLING = ("filled", "wedged", "striped", "radial")
# Colours on which the grey is legible.
GROUNDS = ("", "white", "#ffffff", "transparent", "none", *(tone.fill for tone in ROLES))
# What states how large a picture is, or its text.
SIZES = ("size", "dpi", "resolution", "viewport", "ratio")
_OPENED = re.compile(rb'(<svg width=")([\d.]+)(pt" height=")([\d.]+)(?=pt")')


def give_colours(gv: Any, graph: Any) -> None:
    """Colour the lines and the text that have no colour of their own.

    Both stay black on a page or a cluster of another colour, and text in a node of another colour.
    """
    clusters = tuple(items.all_below(gv, graph))
    if not all(_ground(gv, ground).casefold() in GROUNDS for ground in (graph, *clusters)):
        return

    def ink(item: Any) -> None:
        if not items.get(gv, item, "fontcolor"):
            items.put(gv, graph, item, "fontcolor", INK)

    ink(graph)
    for cluster in clusters:
        ink(cluster)
        if not any(items.get(gv, cluster, name) for name in ("color", "pencolor")):
            items.put(gv, graph, cluster, "pencolor", LINE)
    for node in items.nodes(gv, graph):
        fills = any(word in items.get(gv, node, "style") for word in FILLING)
        if not items.get(gv, node, "color") and (items.get(gv, node, "fillcolor") or not fills):
            items.put(gv, graph, node, "color", LINE)
        fill = (
            items.get(gv, node, "fillcolor") or items.get(gv, node, "color") or "lightgrey" if fills else ""
        )
        if fill.casefold() in GROUNDS and "bgcolor" not in items.get(gv, node, "label").casefold():
            ink(node)
        for edge in items.edges_from(gv, graph, node):
            ink(edge)
            if not items.get(gv, edge, "color"):
                items.put(gv, graph, edge, "color", LINE)


def _ground(gv: Any, graph: Any) -> str:
    """The colour that fills a graph or a cluster; empty if there is none."""
    if "filled" in items.get(gv, graph, "style"):
        return items.get(gv, graph, "fillcolor") or items.get(gv, graph, "color") or "lightgrey"
    return items.get(gv, graph, "bgcolor")


def shrunk(svg: bytes, text: str) -> bytes:
    """The picture of a graph, smaller by the ratio of the two sizes of text if its source states no size. Pure."""
    stated = "|".join(("fontsize", "point-size", *SIZES))
    if re.search(rf"\b(?:{stated})\b", text, re.IGNORECASE):
        return svg
    return _OPENED.sub(
        lambda m: b"%s%.2f%s%.2f" % (m[1], float(m[2]) * SIZE / LARGE, m[3], float(m[4]) * SIZE / LARGE),
        svg,
        count=1,
    )
