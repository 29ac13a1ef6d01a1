"""The look of a graph whose source leaves it to Graphviz: lines in the palette's grey, and text in the size of a page.

Graphviz draws black lines, and text of 18.7 px. Nothing here changes a layout.
"""

from __future__ import annotations

import re
from typing import Any

from figmill.kinds.graphs import items
from figmill.palette import ROLES, role

LINE = role("neutral").line
LARGE, SIZE = 14, 11  # points of text: by default, and in the book's own graphs
# What fills an area with the colour of its outline if no other colour is set.
FILLING = ("filled", "wedged", "striped", "radial")
# Colours on which the grey is legible.
GROUNDS = ("", "white", "#ffffff", "transparent", "none", *(tone.fill for tone in ROLES))
# What states how large a picture is, or its text.
SIZES = ("size", "dpi", "resolution", "viewport", "ratio")
_OPENED = re.compile(rb'(<svg width=")([\d.]+)(pt" height=")([\d.]+)(?=pt")')


def give_lines(gv: Any, graph: Any) -> None:
    """Colour the lines that have no colour of their own. They stay black on a page or a cluster of another colour."""
    clusters = tuple(items.all_below(gv, graph))
    if not all(_ground(gv, ground).casefold() in GROUNDS for ground in (graph, *clusters)):
        return
    for cluster in clusters:
        if not any(items.get(gv, cluster, name) for name in ("color", "pencolor")):
            items.put(gv, graph, cluster, "pencolor", LINE)
    for node in items.nodes(gv, graph):
        fills = any(word in items.get(gv, node, "style") for word in FILLING)
        if not items.get(gv, node, "color") and (items.get(gv, node, "fillcolor") or not fills):
            items.put(gv, graph, node, "color", LINE)
        for edge in items.edges_from(gv, graph, node):
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
