"""pandoc: each format takes the form of a figure that it can show."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path, PurePosixPath

import pytest
import typst
from helpers.book import Space, believed
from helpers.hosts import PAGE, figures, pandoc
from lxml import etree


@pytest.fixture(scope="module")
def exported(two_figures: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book with the exports that pandoc takes. Not to be changed."""
    space = Space(tmp_path_factory.mktemp("books") / "exported")
    shutil.copytree(two_figures, space.root, symlinks=True)
    believed(space.root)
    assert space.run("--quiet", "--to", "png", "--to", "pdf").code == 0
    return space.root


@pytest.fixture
def built(exported: Path, space: Space) -> Space:
    shutil.copytree(exported, space.root, symlinks=True, dirs_exist_ok=True)
    believed(space.root)
    return space


def media(space: Space, name: str) -> list[str]:
    with zipfile.ZipFile(space.root / name) as packed:
        return sorted(
            PurePosixPath(n).suffix for n in packed.namelist() if "/media/" in n and not n.endswith("/")
        )


def test_word_and_epub_take_the_light_picture_alone(built: Space) -> None:
    for name, suffix in (("page.docx", ".png"), ("page.epub", ".svg"), ("page.odt", ".png")):
        ran = pandoc(built, PAGE, True, name)
        assert ran.code == 0, ran.said
        if name != "page.odt":
            assert media(built, name) == [suffix] * 2
    with zipfile.ZipFile(built.root / "page.epub") as packed:
        pages = [packed.read(name) for name in packed.namelist() if name.endswith(".xhtml")]
    # A reader needs XHTML.
    pictures = [img for page in pages for img in etree.fromstring(page).iter("{*}img")]
    assert [img.get("class") for img in pictures] == ["figmill-picture"] * 3
    assert not any("height" in img.attrib for img in pictures)  # so a narrow page keeps its shape
    assert b"figmill-data" in b"".join(pages)


def test_latex_takes_pdf(built: Space) -> None:
    ran = pandoc(built, PAGE, True, "page.tex")
    assert ran.code == 0, ran.said
    assert re.findall(r"\{([\w/]+\.\w+)\}", ran.page) == [
        f"build/global/{n}.pdf" for n in ("graph", "plot", "graph")
    ]
    assert ran.page.count(r"\caption{") == 3
    assert r"\caption{Own \emph{words}}" in ran.page
    assert r"\label{fig-graph}" in ran.page


def test_typst_makes_a_pdf_of_it(built: Space) -> None:
    block = "```dot\ndigraph { a -> b }\n```\n"
    built.write(
        {"pyproject.toml": '[tool.figmill]\npages = ["."]\nfences = ["dot"]\n', "page.md": PAGE + block}
    )
    assert built.run("--quiet").code == 0
    ran = pandoc(built, PAGE + block, True, "page.typ", "-s")
    assert ran.code == 0, ran.said
    pdf = typst.compile(built.root / "page.typ", root=str(built.root))
    assert pdf.startswith(b"%PDF")
    assert ran.page.count('image("build/global/') == 4
    assert ran.page.count("caption:") == 3  # a figure without a caption has no number
    assert ran.page.count(', alt: "') == 4


def test_github_gets_a_picture_with_a_source_for_dark(built: Space) -> None:
    ran = pandoc(built, PAGE, True, "page2.md", "-t", "gfm")
    assert ran.code == 0, ran.said
    assert ran.page.count("<picture>") == ran.page.count('media="(prefers-color-scheme: dark)"') == 3
    assert (
        'srcset="build/global/graph.dark.svg"' in ran.page
        and "<figcaption>Own <em>words</em></figcaption>" in ran.page
    )


def test_a_link_on_github_leads_to_the_figure(built: Space) -> None:
    ran = pandoc(built, PAGE + "\n![](figmill:plot){#mine}\n", True, "page2.md", "-t", "gfm")
    assert ran.code == 0, ran.said
    assert "[that](#fig-graph)" in ran.page
    assert re.findall(r"<figure([^>]*)>", ran.page) == [' id="fig-graph"', ' id="fig-plot"', "", ' id="mine"']


def test_pictures_are_found_from_where_the_page_is_written(built: Space) -> None:
    (built.root / "out").mkdir()
    ran = pandoc(built, PAGE, True, "out/page.html", "-s")
    assert ran.code == 0, ran.said
    sources = re.findall(r'src="([^"]+)"', ran.page)
    assert len(sources) == 6 and all((built.root / "out" / name).is_file() for name in sources)
    assert 'href="#fig-graph"' in ran.page and ran.page.count('id="fig-graph"') == 1
    ran = pandoc(built, "![](figmill:graph){#mine width=50%}\n\n[that](figmill:graph)\n", True, "page.html")
    assert 'href="#mine"' in ran.page and ran.page.count("width:50%") == 2
    ran = pandoc(built, PAGE, True, "whole.html", "-s", "--embed-resources")
    assert ran.code == 0 and ran.page.count("data:image/svg+xml") + ran.page.count("<svg") >= 6


def test_a_form_that_was_not_built_is_said_with_the_remedy(hosted: Space) -> None:
    hosted.write({"figmill.toml": "[tool.figmill]\n"})
    from helpers.hosts import FILES, PANDOC, run

    hosted.write({"page.md": "![](figmill:graph)\n"})
    ran = run([PANDOC, "page.md", "-L", FILES / "figmill.lua", "-o", "page.tex"], hosted.root)
    assert ran.code == 0
    assert "page.md:1: figure 'graph' has no PDF; run figmill export --to pdf" in ran.said


def test_the_settings_of_a_book_say_where_its_figures_lie(built: Space) -> None:
    built.write({"pyproject.toml": '[tool.figmill]\noutput = "out/figures"\n'})
    ran = pandoc(built, PAGE, True)
    assert ran.code == 0, ran.said
    assert 'src="out/figures/global/graph.svg"' in ran.page
    built.write({"chapters/page.md": PAGE})
    assert [figure.caption for figure in figures(ran.page)] == [
        "A chain of 3 nodes.",
        "Own words",
        "A chain of 3 nodes.",
    ]
