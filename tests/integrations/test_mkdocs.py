"""MkDocs, Zensical and Python-Markdown: addresses, lightboxes, what is published, and no loop while serving."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.book import DOT, Space
from helpers.hosts import BIN, PAGE, book, figures, markdown, mkdocs, prose, run, zensical
from lxml import html


@pytest.mark.parametrize("directory", ["true", "false"])
def test_pictures_are_found_from_every_page(hosted: Space, directory: str) -> None:
    hosted.write({"docs/deep/er/page.md": PAGE})
    ran = mkdocs(hosted, PAGE, strict=True, more=f"use_directory_urls: {directory}\n")
    assert ran.code == 0, ran.said
    pages = [
        path for path in (hosted.root / "site").rglob("*.html") if "fig-graph" in path.read_text("utf-8")
    ]
    assert len(pages) == 2
    for page in pages:
        text = page.read_text("utf-8")
        for source in re.findall(r'<img[^>]* src="([^"]+\.svg)"', text):
            assert (page.parent / source).resolve().is_file(), (page, source)
        (style,) = re.findall(r'href="([^"]*figmill\.css)"', text)
        assert (page.parent / style).resolve().is_file()


def test_only_pictures_that_pages_show_are_published(hosted: Space) -> None:
    ran = mkdocs(hosted, "![](figmill:graph)\n", strict=True)
    assert ran.code == 0, ran.said
    published = {path.name for path in (hosted.root / "site/figures").rglob("*.*")}
    assert published == {
        "figmill.css",
        "figmill-explore.js",
        "figmill-zoom.js",
        "graph.svg",
        "graph.dark.svg",
        "graph.data-nodes.csv",
        "graph.data-edges.csv",
    }


def test_a_module_beside_the_pages_is_not_taken_for_figmill(hosted: Space) -> None:
    """Neither by MkDocs nor by a script that draws a figure."""
    script = "from figmill import Drawing\n\n\ndef draw():\n    return Drawing('digraph { a -> b }')\n"
    hosted.write({"figmill.py": "raise SystemExit('this shadows the engine')\n", "visuals/c.py": script})
    hosted.question("drawn", "kind: dot, source: c.py, alt: a leads to b")
    hosted.write({"docs/index.md": f"{PAGE}\n![](figmill:drawn)\n"})
    hosted.write({"mkdocs.yml": "site_name: A book\ntheme: {name: mkdocs}\nplugins: [figmill]\n"})
    ran = run([BIN / "mkdocs", "build", "--strict"], hosted.root, anew=True)
    assert ran.code == 0, ran.said
    assert len(figures(hosted.read("site/index.html"))) == 4


def test_a_lightbox_shows_the_pictures_of_one_theme_in_a_row(hosted: Space) -> None:
    ran = mkdocs(hosted, PAGE, strict=True, more="plugins: [figmill, glightbox]\n")
    assert ran.code == 0, ran.said
    links = re.findall(
        r'<a class="glightbox"[^>]*href="[^"]*?(\.dark)?\.svg"[^>]*data-gallery="([^"]+)"', ran.page
    )
    assert links == [("", "figmill-light"), (".dark", "figmill-dark")] * 3


def test_a_setting_of_the_book_below_the_plugin_is_an_error_that_says_where_it_belongs(
    hosted: Space,
) -> None:
    ran = mkdocs(hosted, PAGE, more="plugins: [{figmill: {fences: [mermaid], folder: pictures}}]\n")
    assert ran.code == 1
    assert (
        "'fences': This is a setting of the book, not of the plugin: write it into figmill.toml." in ran.said
    )
    assert "Unrecognised" not in ran.said


def test_what_an_author_asks_of_a_figure_is_done(hosted: Space) -> None:
    page = "![](figmill:graph){ .wide #mine width=50 align=left theme=dark }\n\n"
    page += "[it](figmill:graph) is ![](figmill:plot).\n"
    ran = mkdocs(hosted, page, strict=True)
    assert ran.code == 0, ran.said
    assert '<figure class="figmill wide align-left" id="mine">' in ran.page
    (figure,) = figures(ran.page)
    assert (figure.themes, figure.files, figure.sizes[0][0]) == (("only",), ("graph.dark.svg",), 50)  # type: ignore[index]
    assert '<a href="#mine">it</a>' in ran.page
    assert ran.page.count('<span class="figmill-picture" id="fig-plot">') == 1  # in a line of text


def test_inline_drawings_stand_in_the_page(hosted: Space) -> None:
    ran = mkdocs(hosted, PAGE, strict=True, more="plugins: [{figmill: {inline: true}}]\n")
    assert ran.code == 0, ran.said
    assert ran.page.count("<svg") == 6
    ids = re.findall(r'\sid="([^"]+)"', ran.page)
    assert len(ids) == len(set(ids))


def test_zensical_publishes_what_was_built_meanwhile(space: Space) -> None:
    """It lists its files before any page is converted, and pages have the figures built."""
    ran = zensical(book(space), PAGE, strict=True)
    assert ran.code == 0, ran.said
    for source in re.findall(r'<img[^>]* src="([^"]+\.svg)"', ran.page):
        assert (space.root / "site" / source).is_file()
    space.write({"visuals/a.dot": "digraph { a -> b -> c -> d }"})
    ran = zensical(space, PAGE, strict=True)
    assert "A chain of 4 nodes." in prose(ran.page)
    built, site = (space.root / folder / "global/graph.svg" for folder in ("docs/figures", "site/figures"))
    assert built.read_bytes() == site.read_bytes()


def test_zensical_says_where_figures_must_lie(hosted: Space) -> None:
    zensical(hosted, PAGE)
    hosted.write({"pyproject.toml": "[tool.figmill]\n"})
    command = [BIN / "zensical", "build", "--clean"]
    done = subprocess.run(command, cwd=hosted.root, capture_output=True, text=True, check=True)
    assert (
        done.stderr.count(
            'docs/index.md:1: Zensical publishes only the files in docs/: set output = "docs/figures"'
        )
        == 1
    )


def test_markdown_alone_takes_an_address_for_the_figures(hosted: Space) -> None:
    ran = markdown(hosted, PAGE)
    assert 'src="build/global/graph.svg"' in ran.page
    code = hosted.read("convert.py").replace('{"strict"', '{"folder": "/static/figures/", "strict"')
    hosted.write({"convert.py": code})
    subprocess.run([sys.executable, "convert.py"], cwd=hosted.root, check=True)
    assert 'src="/static/figures/global/graph.svg"' in hosted.read("page.html")


def until(said: Path, count: int, phrase: str, seconds: float = 60) -> str:
    """What a program has said once it has said some words so often."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        text = said.read_text(encoding="utf-8")
        if text.count(phrase) >= count:
            return text
        time.sleep(0.1)
    raise AssertionError(f"not {count} times {phrase!r} in: {said.read_text('utf-8')}")


def test_serving_builds_again_on_a_change_and_never_by_itself(hosted: Space) -> None:
    hosted.write(
        {"docs/index.md": PAGE, "mkdocs.yml": "site_name: A\nplugins: [figmill]\ntheme: {name: mkdocs}\n"}
    )
    said = hosted.root.parent / "said.txt"
    command = [sys.executable, "-m", "mkdocs", "serve", "--livereload", "-a", "127.0.0.1:0"]
    # After each build but the first. "Documentation built in 0.71 seconds" MkDocs says once for each time that it took.
    built = "Reloading browsers"
    with said.open("wb") as out:
        serving = subprocess.Popen(
            command, cwd=hosted.root, stdout=out, stderr=out, env={**os.environ, "NO_COLOR": "1"}
        )
        try:
            until(said, 1, "Serving on")
            time.sleep(1)
            hosted.write({"visuals/a.dot": DOT.replace("b -> c", "b -> c -> d")})
            until(said, 1, built)
            time.sleep(3)  # a loop would show: it builds at once after each build
            assert said.read_text(encoding="utf-8").count(built) == 1
            assert "label" in hosted.read("visuals/a.dot") and "d" in hosted.read("build/global/graph.svg")
            question = hosted.read("questions/graph.yaml")
            hosted.write({"questions/graph.yaml": question.replace("chain", "string")})
            until(said, 2, built)
        finally:
            serving.send_signal(signal.SIGINT)
            serving.wait(20)


GRID = """\
<div class="grid" markdown>

![](figmill:graph)

![](figmill:graph)

</div>

![](figmill:graph)
"""


def test_in_a_grid_a_figure_and_its_description_are_one_cell(hosted: Space) -> None:
    ran = mkdocs(hosted, GRID, strict=True, more="markdown_extensions: [attr_list, md_in_html]\n")
    assert ran.code == 0, ran.said
    grid = html.fragments_fromstring(ran.page[ran.page.index('<div class="grid">') :])[0]
    assert [[child.tag for child in cell] for cell in grid] == [["figure", "details"]] * 2
    assert ran.page.count('<details class="figmill-data"') == 3
