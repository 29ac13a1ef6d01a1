"""Captions and ids in pages: a page's own words keep their markup, a book's are plain text, one element has the id."""

from __future__ import annotations

import json
import re

import html5lib
import pytest
from helpers.book import Space
from helpers.hosts import HOSTS, figures, lines_about, mkdocs, nodes, pandoc, prose, sphinx
from lxml import etree

WORDS = "Own *words* of `co*de` & **two**, [a link](https://a.example/) and [](figmill:plot#points)"
MARKED = (
    "Own <em>words</em> of <code>co*de</code> &amp; <strong>two</strong>, "
    '<a href="https://a.example/">a link</a> and 4'
)


def captions(page: str) -> list[str]:
    """The captions of a page as HTML, without what a host adds to them."""
    tree = html5lib.parse(page, treebuilder="lxml", namespaceHTMLElements=False)
    texts = []
    for caption in tree.iterfind(".//figcaption"):
        for extra in caption.xpath(".//*[@class='headerlink' or @class='caption-number']"):
            extra.getparent().remove(extra)
        for element in caption.iter():
            for name in set(element.attrib) - {"href"}:
                del element.attrib[name]
        text = etree.tostring(caption, encoding="unicode", with_tail=False)
        texts.append(" ".join(re.sub(r"</?(figcaption|span|p)>", "", text).split()))
    return texts


@pytest.mark.parametrize("host", ["sphinx", "mkdocs", "zensical", "markdown", "pandoc"])
def test_the_words_of_a_page_keep_their_markup(host: str, hosted: Space) -> None:
    ran = HOSTS[host](hosted, f"# One\n\n![{WORDS}](figmill:graph)\n", strict=True)
    assert ran.code == 0, ran.said
    assert captions(ran.page) == [MARKED]


def test_they_do_on_github(hosted: Space) -> None:
    ran = pandoc(hosted, f"![{WORDS}](figmill:graph)\n", True, "page2.md", "-t", "gfm")
    assert ran.code == 0, ran.said
    assert f"\n<figcaption>{MARKED}</figcaption>\n</figure>" in ran.page


def test_an_address_elsewhere_in_the_page(hosted: Space) -> None:
    page = "# One\n\n![`x` *y*][it]\n\n`![no](figmill:graph)`\n\n![a](https://a.example/a)\n\n[it]: figmill:graph\n"
    ran = mkdocs(hosted, page, strict=True)
    assert ran.code == 0, ran.said
    assert captions(ran.page) == ["<code>x</code> <em>y</em>"]
    assert "<code>![no](figmill:graph)</code>" in ran.page and 'alt="a"' in ran.page


def test_the_option_of_a_directive_keeps_its_markup(hosted: Space) -> None:
    hosted.write(
        {"docs/other.rst": ":orphan:\n\nOther\n=====\n\n.. figmill:: graph\n   :caption: Of *these* ``x``\n"}
    )
    ran = sphinx(hosted, "# A\n\n```{figmill} graph\n:caption: Of *these* `x`\n```\n", strict=True)
    assert ran.code == 0, ran.said
    for page in (ran.page, hosted.read("out/html/other.html")):
        assert captions(page) == ["Of <em>these</em> <code>x</code>"]
    ran = HOSTS["myst"](hosted, "# A\n\n```{figmill} graph\n:caption: Of *these* `x`\n```\n", strict=True)
    assert ran.code == 0, ran.said
    (caption,) = [node for node in nodes(json.loads(ran.page)["mdast"]) if node["type"] == "caption"]
    assert {"emphasis", "inlineCode"} <= {node["type"] for node in nodes(caption)}


PLAIN = "Own *words* of `code` <b> & [x](y) {{ z }}\n\n# no heading"


@pytest.mark.parametrize("host", HOSTS)
def test_the_words_of_a_book_are_plain_text(host: str, hosted: Space) -> None:
    text = PLAIN.replace("{{", "{{{{").replace("}}", "}}}}").replace("\n", "\n    ")
    question = f"id: bare\nvisual:\n  source: a.dot\n  alt: |-\n    {text}\n  caption: |-\n    {text}\n"
    hosted.write({"questions/bare.yaml": question})
    ran = HOSTS[host](hosted, "# One\n\n![](figmill:bare)\n", strict=True)
    assert ran.code == 0, ran.said
    (figure,) = figures(ran.page)
    assert " ".join(figure.caption.split()) == " ".join(PLAIN.split())
    assert " ".join(figure.alts[0].split()) == " ".join(PLAIN.split())


ANCHORS = """\
# One

A ![](figmill:graph) in a line, and again ![](figmill:graph). [To it](figmill:graph). See ![](figmill:plot).

{}

[To the plot](figmill:plot).
"""


def elements_with(page: str, id_: str) -> list[str]:
    tree = html5lib.parse(page, treebuilder="lxml", namespaceHTMLElements=False)
    return [str(element.tag) for element in tree.iter() if element.get("id") == id_]


@pytest.mark.parametrize("host", ["sphinx", "mkdocs", "zensical", "markdown", "pandoc"])
def test_one_element_of_a_page_has_the_id_of_a_figure(host: str, hosted: Space) -> None:
    is_sphinx = host == "sphinx"
    named = "```{figmill} plot\n:name: mine\n```" if is_sphinx else "![](figmill:plot){#mine}"
    if host == "markdown":  # without attributes
        named = "![](figmill:plot)"
    ran = HOSTS[host](hosted, ANCHORS.format(named), strict=True)
    assert ran.code == 0, ran.said
    assert elements_with(ran.page, "fig-graph") == ["span"]
    assert len(elements_with(ran.page, "fig-plot")) == 1
    own = elements_with(ran.page, "mine")
    assert own == ([] if host == "markdown" else ["figure"])
    for target in re.findall(r'href="#((?:fig-|mine)[^"]*)"', ran.page):
        assert len(elements_with(ran.page, target)) == 1, target


def test_a_page_that_gives_the_id_itself_keeps_it(hosted: Space) -> None:
    page = "# One {#fig-graph}\n\n![](figmill:graph)\n\n![](figmill:plot){#fig-plot}\n\n![](figmill:plot)\n"
    for ran in (mkdocs(hosted, page, strict=True), pandoc(hosted, page, True)):
        assert ran.code == 0, ran.said
        assert elements_with(ran.page, "fig-graph") == ["h1"]
        assert elements_with(ran.page, "fig-plot") == ["figure"]


def test_github_has_the_id_in_a_line(hosted: Space) -> None:
    ran = pandoc(
        hosted, "In ![](figmill:graph) a line. [to it](figmill:graph)\n", True, "page2.md", "-t", "gfm"
    )
    assert ran.page.count('<picture id="fig-graph">') == ran.page.count("](#fig-graph)") == 1


# Of hosts that know one page alone.
NOT_HERE = {
    "markdown": "figure 'plot' is not on this page; link to the page that shows it, with #fig-plot",
    "pandoc": "figure 'plot' is not on this page; link to the page that shows it, with #fig-plot, "
    "or name the pages of the book under figmill: pages",
}
LOST = "# One\n\n![](figmill:graph)\n\n[that](figmill:grpah) and [those](figmill:plot)\n"


@pytest.mark.parametrize("host", ["sphinx", "mkdocs", "zensical", "markdown", "pandoc"])
def test_a_link_that_leads_nowhere_is_told(host: str, hosted: Space) -> None:
    ran = HOSTS[host](hosted, LOST)
    assert ran.code == 0, ran.said
    assert [warning[1:] for warning in lines_about(ran.said)] == [
        (5, "there is no figure 'grpah'; did you mean 'graph'?"),
        (5, NOT_HERE.get(host, "no page shows figure 'plot'; show it on one, with ![](figmill:plot)")),
    ]
    assert "that and those" in prose(ran.page)
    assert HOSTS[host](hosted, LOST, strict=True).code != 0
