"""Edges of Graphviz's SVG, mended: their ends at rounded corners, their labels off level lines. Pure."""

from __future__ import annotations

import re

from lxml import etree

from figmill import xml_tree
from figmill.kinds.graphs import corners, edge_labels

MOST = 200  # edges of a graph that are mended
_WANTED = (
    re.compile(rb'class="(?:node|cluster)"(?:(?!class=").)*?<path', re.DOTALL),  # rounded corners
    re.compile(rb'class="edge"(?:(?!class=").)*?<text', re.DOTALL),  # a label
)


def mended(svg: bytes) -> bytes:
    """The drawing with its edges led to rounded corners, and their plain labels lifted off them."""
    if svg.count(b'class="edge"') > MOST or not any(pattern.search(svg) for pattern in _WANTED):
        return svg
    try:
        drawing = xml_tree.parsed(svg)
    except etree.XMLSyntaxError:  # settling says where
        return svg
    moved = [corners.reached(drawing), edge_labels.lifted(drawing)]  # both, and not up to the first
    return etree.tostring(drawing) if any(moved) else svg
