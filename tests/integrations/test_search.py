"""The words of a figure in the search indexes of hosts, and nowhere else in a page."""

from __future__ import annotations

import json
from xml.etree.ElementTree import tostring

import pytest
from helpers.book import Space
from helpers.hosts import BIN, figures, mkdocs, prose, run, sphinx, zensical

from figmill.claims.labels import labels
from figmill.integrations.searched import hidden, without

PAGE = """\
# One

## Of graphs

![](figmill:graph)

## Of plots

In ![](figmill:plot) a line.
"""
# The alt text and the labels of each figure. Numbers at the ticks of an axis are no words.
GRAPH, PLOT = 'a "sends" to b & c \N{MIDDLE DOT} a \N{MIDDLE DOT} b', "a line \N{MIDDLE DOT} Latency"


def sections(space: Space, path: str, key: str) -> dict[str, str]:
    """The texts of an index by their places."""
    return {row["location"]: row["text"] for row in json.loads(space.read(path))[key]}


@pytest.mark.parametrize("theme", ["mkdocs", "material"])
def test_mkdocs_finds_them_in_their_sections_and_pages_are_without(theme: str, hosted: Space) -> None:
    ran = mkdocs(hosted, PAGE, strict=True, more=f"theme: {{name: {theme}}}\nplugins: [figmill, search]\n")
    assert ran.code == 0, ran.said
    entries = sections(hosted, "site/search/search_index.json", "docs")
    assert GRAPH.replace(chr(34), "") in entries["#of-graphs"].replace(chr(34), "").replace("&amp;", "&")
    assert "A chain of 3 nodes." in entries["#of-graphs"] and PLOT not in entries["#of-graphs"]
    assert PLOT in entries["#of-plots"] and "sends" not in entries["#of-plots"]
    assert "figmill-words" not in ran.page and "Latency" not in prose(ran.page)


def test_mkdocs_without_a_search_is_without(hosted: Space) -> None:
    ran = mkdocs(hosted, PAGE, strict=True)
    assert ran.code == 0, ran.said
    assert "figmill-words" not in ran.page


def test_an_inline_drawing_is_found_once(hosted: Space) -> None:
    ran = mkdocs(hosted, PAGE, strict=True, more="plugins: [search, {figmill: {inline: true}}]\n")
    assert ran.code == 0, ran.said
    entries = sections(hosted, "site/search/search_index.json", "docs")
    assert entries["#of-plots"].count("Latency") == ran.page.count(">Latency<") == 2  # light and dark


def test_zensical_has_them_hidden_in_the_page(hosted: Space) -> None:
    ran = zensical(hosted, PAGE, strict=True)
    assert ran.code == 0, ran.said
    text = " ".join(row["text"] for row in json.loads(hosted.read("site/search.json"))["items"])
    assert "sends \N{MIDDLE DOT} c" in text and PLOT in text
    assert ran.page.count('<span class="figmill-words" hidden="hidden">') == 2
    assert [figure.alts for figure in figures(ran.page)] == [('a "sends" to b & c',) * 2]


def test_sphinx_finds_them_and_pages_are_without(hosted: Space) -> None:
    ran = sphinx(hosted, PAGE, strict=True)
    assert ran.code == 0, ran.said
    index = hosted.read("out/html/searchindex.js")
    terms = json.loads(index[index.index("{") : index.rindex("}") + 1])["terms"]
    assert {"send", "latenc", "line", "chain"} <= set(terms)  # of labels, alt texts and a caption, as stems
    assert "Latency" not in ran.page and "figmill-words" not in ran.page
    ran = sphinx(hosted, PAGE, strict=True, conf="figmill_inline = True\n")
    assert ran.code == 0, ran.said
    assert hosted.read("out/html/searchindex.js") == index and ran.page.count(">Latency<") == 2


def test_sphinx_finds_an_alt_text_of_the_page(hosted: Space) -> None:
    page = "# One\n\n```{figmill} graph\n:alt: zebras\n```\n"
    assert sphinx(hosted, page, strict=True).code == 0
    assert '"zebra"' in hosted.read("out/html/searchindex.js")


def test_a_changed_label_is_in_the_next_index(hosted: Space) -> None:
    hosted.write({"docs/index.md": PAGE, "mkdocs.yml": "site_name: A\nplugins: [search, figmill]\n"})
    for word in ("sends", "carries"):
        hosted.write({"visuals/a.dot": hosted.read("visuals/a.dot").replace("sends", word)})
        ran = run([BIN / "mkdocs", "build"], hosted.root)
        assert ran.code == 0, ran.said
        assert (
            f"{word} \N{MIDDLE DOT} c"
            in sections(hosted, "site/search/search_index.json", "docs")["#of-graphs"]
        )


SVG = b"""<svg xmlns="http://www.w3.org/2000/svg"><title>a title</title><desc>an alt</desc>
<text x="1">two <tspan>words</tspan></text><text>0.25</text><g><text>\xc3\xa9t\xc3\xa9</text><text>two  words</text></g>
<text/></svg>"""


def test_labels_are_the_texts_with_a_letter() -> None:
    assert labels(SVG) == ("two words", "\u00e9t\u00e9")


def test_what_is_hidden_is_taken_out_again() -> None:
    element = hidden('a < b & c > d "e"')
    page = f"<p>before{tostring(element, encoding='unicode')}after</p>"
    assert without(page) == "<p>beforeafter</p>"
