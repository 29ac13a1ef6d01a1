"""XML that a tool or figmill itself wrote, as a tree: no entity is expanded, and nothing outside is read.

What an author wrote is read by svg/xml/parser.py, which holds it to limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element


def parsed(data: bytes) -> _Element:
    """The root element. Raises etree.XMLSyntaxError."""
    from lxml import etree  # not loaded by processes that only read questions

    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
