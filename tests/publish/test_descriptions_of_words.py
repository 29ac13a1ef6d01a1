"""Long descriptions of drawings that offer only their words, and numbered lists of descriptions in mystmd."""

from __future__ import annotations

from lxml import etree

from figmill.integrations.documents import myst_details
from figmill.kind import drawn_words


def test_words_are_in_reading_order() -> None:
    svg = (
        b'<svg xmlns="http://www.w3.org/2000/svg"><text x="90" y="12">right</text><text x="2" y="13">left</text>'
        b'<text x="2" y="28">below</text><text x="50" y="28">12</text></svg>'
    )
    (table,) = drawn_words.tables_of(svg)
    assert (table.title, [*table.rows]) == ("Words", [("left",), ("right",), ("below",)])


def test_numbered_lists_are_numbered_in_mystmd() -> None:
    (node,) = myst_details.nodes(etree.fromstring("<ol><li>one</li></ol>"))
    assert node["type"] == "list" and node["ordered"]
