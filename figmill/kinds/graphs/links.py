"""The links of a graph as addresses: Graphviz writes them exactly as in its source. Pure."""

from __future__ import annotations

from urllib.parse import quote

from lxml import etree

from figmill import xml_tree
from figmill.kind.links import SIGNS

HREF = "{http://www.w3.org/1999/xlink}href"


def settled(svg: bytes) -> bytes:
    """Graphviz's SVG with addresses that browsers take as they are."""
    if b"xlink:href" not in svg:
        return svg
    try:
        drawing = xml_tree.parsed(svg)
    except etree.XMLSyntaxError:  # settling says where
        return svg
    changed = False
    for link in drawing.iter("{*}a"):
        written = str(link.get(HREF, ""))
        target = quote(written.strip(), safe=SIGNS)
        if target != written:
            link.set(HREF, target)
            changed = True
    return etree.tostring(drawing) if changed else svg
