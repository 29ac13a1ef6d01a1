"""Links with words to a figure that stands on another page: where they lead, and what tells that no page shows it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import html5lib
import pytest
from helpers.book import Space
from helpers.hosts import BIN, FILES, PANDOC, Ran, lines_about, mkdocs, nodes, prose, run, sphinx, zensical

from figmill.integrations.sources import shown_in

FIRST = "# One\n\n![](figmill:graph)\n\nSee [that *plot*](figmill:plot) and [this](figmill:graph).\n"
SECOND = "# Two\n\n![](figmill:plot)\n\n[Back](figmill:graph)\n"
NOWHERE = "no page shows figure 'plot'; show it on one, with ![](figmill:plot)"


def of_sphinx(space: Space, strict: bool) -> Ran:
    return sphinx(space, FIRST + "\n```{toctree}\ndeep/two\n```\n", strict)


def of_mkdocs(space: Space, strict: bool) -> Ran:
    return mkdocs(space, FIRST, strict)


def of_zensical(space: Space, strict: bool) -> Ran:
    return zensical(space, FIRST, strict)


def of_pandoc(space: Space, strict: bool) -> Ran:
    assert space.run("--quiet").code == 0
    said, code = "", 0
    space.write({"figmill.lua": (FILES / "figmill.lua").read_bytes(), "docs/index.md": FIRST})
    for page in ("docs/index", "docs/deep/two"):
        command = [
            PANDOC,
            f"{page}.md",
            "-L",
            "figmill.lua",
            "-s",
            "-o",
            f"{page}.html",
            "--metadata-file",
            "meta.yml",
        ]
        space.write({"meta.yml": "title: A\nfigmill: {pages: [docs/index.md, docs/deep/two.md]}\n"})
        ran = run([*command, *(["--fail-if-warnings"] if strict else [])], space.root)
        said, code = said + ran.said, code or ran.code
    return Ran(code, said)


# What builds two pages, and where they lie then.
SITES: dict[str, tuple[Callable[[Space, bool], Ran], str, str]] = {
    "sphinx": (of_sphinx, "out/html/index.html", "out/html/deep/two.html"),
    "mkdocs": (of_mkdocs, "site/index.html", "site/deep/two/index.html"),
    "zensical": (of_zensical, "site/index.html", "site/deep/two/index.html"),
    "pandoc": (of_pandoc, "docs/index.html", "docs/deep/two.html"),
}


def led(page: Path, link_text: str) -> tuple[Path, str]:
    """Where a link of a page leads: the file, and the id there, which one element has."""
    tree = html5lib.parse(page.read_text(encoding="utf-8"), treebuilder="lxml", namespaceHTMLElements=False)
    (link,) = [element for element in tree.iter("a") if "".join(element.itertext()) == link_text]
    address, _, id_ = link.get("href").partition("#")
    target = (page.parent / address).resolve() if address else page
    target = target / "index.html" if target.is_dir() else target
    text = target.read_text(encoding="utf-8")
    other = html5lib.parse(text, treebuilder="lxml", namespaceHTMLElements=False)
    assert [element.tag for element in other.iter() if element.get("id") == id_] == ["figure"]
    return target, id_


@pytest.mark.parametrize("host", SITES)
def test_a_link_leads_to_the_page_that_shows_the_figure(host: str, hosted: Space) -> None:
    build, *names = SITES[host]
    first, second = (hosted.root / name for name in names)
    ran = build(hosted.write({"docs/deep/two.md": SECOND}), True)
    assert ran.code == 0, ran.said
    assert led(first, "that plot") == (second, "fig-plot")
    assert led(first, "this") == (first, "fig-graph")
    assert led(second, "Back") == (first, "fig-graph")
    assert "<em>plot</em></a>" in " ".join(first.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("host", SITES)
def test_a_link_to_a_figure_that_no_page_shows_is_told_at_its_line(host: str, hosted: Space) -> None:
    build = SITES[host][0]
    hosted.write({"docs/deep/two.md": "# Two\n\n[Back](figmill:graph)\n\n`![](figmill:plot)`\n"})
    for _ in range(2):  # and again by the next build
        ran = build(hosted, False)
        assert ran.code == 0, ran.said
        ((name, *told),) = lines_about(ran.said)
        assert (name.rpartition("/")[2], *told) == ("index.md:", 5, NOWHERE)
    assert build(hosted, True).code != 0


def test_mystmd_leads_to_the_label_of_the_figure(hosted: Space) -> None:
    assert hosted.run("--quiet").code == 0
    labelled = "# Two\n\n:::{figmill} plot\n:label: mine\n:::\n\n[Back](figmill:graph)\n"
    toc = "[{file: index.md}, {file: deep/two.md}]"
    hosted.write(
        {
            "index.md": FIRST,
            "deep/two.md": SECOND,
            "figmill.mjs": (FILES / "figmill.mjs").read_bytes(),
            "figmill-page.mjs": (FILES / "mjs/figmill-page.mjs").read_bytes(),
            "myst.yml": f"version: 1\nproject: {{plugins: [figmill.mjs], toc: {toc}}}\n"
            "site: {template: book-theme}\n",
        }
    )
    for second, identifier in ((SECOND, "fig-plot-deep-two"), (labelled, "mine")):
        hosted.write({"deep/two.md": second})
        ran = run([BIN / "myst", "build", "--site", "--strict"], hosted.root)
        assert "\u26d4\ufe0f index.md" not in ran.said, ran.said
        references = [
            (node["identifier"], node["resolved"], node.get("url"))
            for path in sorted((hosted.root / "_build/site/content").glob("*.json"))
            for node in nodes(json.loads(path.read_text("utf-8"))["mdast"])
            if node["type"] == "crossReference"
        ]
        assert sorted(references, key=str) == sorted(
            [(identifier, True, "/two"), ("fig-graph-index", True, None), ("fig-graph-index", True, "/")],
            key=str,
        )
    hosted.write({"deep/two.md": "# Two\n\nNothing.\n"})
    ran = run([BIN / "myst", "build", "--site", "--strict"], hosted.root)
    assert "\u26d4\ufe0f index.md" in ran.said and NOWHERE in ran.said


REFERENCES = """\
# Two

{numref}`fig-graph`, {ref}`fig-graph`, {ref}`these words <fig-plot>`, {numref}`fig-plot`, {ref}`fig-bare`.
"""


def test_sphinx_has_labels_of_all_figures(hosted: Space) -> None:
    hosted.question("bare", "source: a.dot, alt: without a caption")
    first = FIRST + "\n![](figmill:plot)\n\n![](figmill:bare)\n\n```{toctree}\ntwo\nthree\n```\n"
    three = "---\norphan: true\n---\n# Three\n\n(fig-plot)=\n## Own\n\n![](figmill:graph)\n"
    hosted.write({"docs/two.md": REFERENCES, "docs/three.md": "# Three\n\n![](figmill:graph)\n"})
    ran = sphinx(hosted, first, strict=True)
    assert ran.code == 0, ran.said
    two = hosted.read("out/html/two.html")
    assert "Fig. 1, A chain of 3 nodes., these words, Fig. 2, A title." in prose(two)
    links = re.findall(r'internal" href="([^"]+#[^"]*)"', two)
    assert links[:5] == [f"index.html#fig-{name}" for name in ("graph", "graph", "plot", "plot", "bare")]
    hosted.write({"docs/three.md": three, "docs/two.md": "# Two\n\n{ref}`fig-plot`\n"})
    ran = sphinx(hosted, first, strict=True)
    assert ran.code == 0, ran.said
    assert 'href="three.html#fig-plot"><span class="std std-ref">Own</span>' in hosted.read(
        "out/html/two.html"
    )


def test_sphinx_writes_a_page_again_whose_figure_has_moved(hosted: Space) -> None:
    settings = 'extensions = ["myst_parser", "figmill.sphinx"]\n'
    index = "# Index\n\n```{toctree}\na\nb\nc\n```\n"
    hosted.write(
        {"docs/conf.py": settings, "docs/index.md": index, "docs/a.md": "# A\n\n[it](figmill:plot)\n"}
    )
    build = [sys.executable, "-m", "sphinx", "-q", "-j", "2", "-W", "docs", "out"]
    for shows in ("b", "c"):
        pages = {f"docs/{name}.md": f"# {name}\n" for name in "bc"}
        hosted.write({**pages, f"docs/{shows}.md": f"# {shows}\n\n![](figmill:plot)\n"})
        ran = run(build, hosted.root)
        assert ran.code == 0, ran.said
        assert f'href="{shows}.html#fig-plot"' in hosted.read("out/a.html")


NUMBERED = 'plugins: [search, {figmill: {number: "Figure {}"}}]\nnav: [index.md, b.md, a.md]\n'


def test_mkdocs_numbers_the_figures_of_a_site(hosted: Space) -> None:
    hosted.question("bare", "source: a.dot, alt: without a caption")
    hosted.write(
        {
            "docs/a.md": "# A\n\n[](figmill:plot), [](figmill:graph)\n\n![](figmill:plot)\n",
            "docs/b.md": "# B\n\n![](figmill:bare)\n\n![](figmill:graph)\n\n[](figmill:graph)\n",
        }
    )
    page = FIRST + "\n![Own *words*](figmill:graph)\n"
    ran = mkdocs(hosted, page, strict=True, more=NUMBERED)
    assert ran.code == 0, ran.said
    assert re.findall("<figcaption>.*?</figcaption>", ran.page) == [
        f'<figcaption><span class="figmill-number">Figure {number}: </span>{caption}</figcaption>'
        for number, caption in ((1, "A chain of 3 nodes."), (2, "Own <em>words</em>"))
    ]
    middle, last = hosted.read("site/b/index.html"), hosted.read("site/a/index.html")
    assert "Figure 3: A chain of 3 nodes." in prose(middle) and ">Figure 3</a>" in middle
    assert "Figure 4, Figure 1 Figure 4: A line." in prose(last)
    assert 'href="../#fig-graph">Figure 1</a>' in last and 'href="#fig-plot">Figure 4</a>' in last
    ran = mkdocs(hosted, page + "\n[](figmill:bare)\n", more=NUMBERED)
    assert "docs/index.md:9: figure 'bare' has no number because it has no caption on b.md" in ran.said
    ran = mkdocs(hosted, page, more=NUMBERED.replace(" {}", ""))
    assert ran.code != 0 and "the setting `number` has no {}" in ran.said
    ran = mkdocs(hosted, page)
    assert "figmill-number" not in ran.page and "docs/a.md:3: name a fact of the figure" in ran.said


def test_what_a_page_shows_is_known_by_its_text() -> None:
    text = """
![](figmill:a) and ![w [](figmill:x#f) *w*](<figmill:b>){ .c } [no](figmill:x) `![](figmill:x)` <!-- ![](figmill:x) -->
[![](figmill:c)](https://a.example) ![words][d] ![e] ![](figmill:a)

```
![](figmill:x)
```

[d]: figmill:d
[E]: figmill:e "title"
[y]: figmill:y
"""
    assert shown_in(text) == ("a", "b", "c", "d", "e")
