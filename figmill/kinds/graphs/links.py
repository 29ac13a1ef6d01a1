"""The links of a graph as addresses: Graphviz writes them exactly as in its source. Pure."""

from __future__ import annotations

from urllib.parse import quote

from lxml import etree

from figmill import xml_tree
from figmill.kind.job import Remark
from figmill.kinds.graphs import places
from figmill.kinds.graphs.amended import CHECK

HREF = "{http://www.w3.org/1999/xlink}href"
SIGNS = "!$&'()*+,;=:@/?#[]%-._~"  # characters allowed in an address besides letters and digits (RFC 3986)


def settled(svg: bytes, text: str) -> tuple[bytes, tuple[Remark, ...]]:
    """Graphviz's SVG with addresses that browsers take as they are, and remarks on links that are left out.

    text: the graph in DOT.
    """
    if b"xlink:href" not in svg:
        return svg, ()
    try:
        drawing = xml_tree.parsed(svg)
    except etree.XMLSyntaxError:  # settling says where
        return svg, ()
    remarks: dict[Remark, None] = {}
    changed = False
    for link in drawing.iter("{*}a"):
        written = str(link.get(HREF, ""))
        target = quote(written.strip(), safe=SIGNS)
        if target.startswith("#"):  # ids of a figure are its own: the page's are not among them
            del link.attrib[HREF]
            hint = f"the link to '{written[:60]}' is left out; write the page before it, as in page.html{written[:40]}"
            remarks[Remark(CHECK, hint, places.of_name(text, written))] = None
        elif target != written:
            link.set(HREF, target)
        changed = changed or target != written or target.startswith("#")
    return (etree.tostring(drawing) if changed else svg), tuple(remarks)
