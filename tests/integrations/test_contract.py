"""One table over all hosts: the same page gives the same figures, facts and errors everywhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.book import Space
from helpers.hosts import BAD, HOSTS, PAGE, Seen, book, figures, lines_about, prose

from figmill.page_words import MARK
from figmill.publish.legible import whole_size

GRAPH = Seen(
    themes=("light", "dark"),
    files=("graph.svg", "graph.dark.svg"),
    alts=('a "sends" to b & c',) * 2,
    sizes=None,
    caption="A chain of 3 nodes.",
)
PLOT = Seen(("light", "dark"), ("plot.svg", "plot.dark.svg"), ("a line",) * 2, None, "Own words")


@pytest.fixture(params=HOSTS)
def host(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def without_sizes(seen: Seen) -> Seen:
    return Seen(seen.themes, seen.files, seen.alts, None, seen.caption)


def test_a_page_shows_its_figures_and_facts(host: str, space: Space) -> None:
    ran = HOSTS[host](book(space), PAGE, strict=True)
    assert ran.code == 0, ran.said
    page_figures = figures(ran.page)
    assert [without_sizes(figure) for figure in page_figures] == [GRAPH, PLOT, GRAPH]
    assert len({figure.sizes for figure in page_figures}) <= 2
    if host != "myst":  # which takes no height, and makes a title of the heading before any plugin sees it
        assert "About 2.0" in prose(ran.page)
        built = next(space.root.rglob("graph.svg")).read_text(encoding="utf-8")
        width, height = (float(n) for n in re.findall(r' (?:width|height)="([\d.]+)"', built)[:2])
        of_drawing = round(width), round(height)  # where the drawing itself stands in the page
        assert set(page_figures[0].sizes) <= {of_drawing, whole_size(width, height, width)}
    text = prose(ran.page)
    assert "So 4 points, 200.0%. See that." in text
    assert "![](figmill:grpah)" in text  # in a code block


def test_a_figure_without_a_caption_stands_in_a_page(host: str, hosted: Space) -> None:
    hosted.question("bare", "source: a.dot, alt: no caption")
    ran = HOSTS[host](hosted, "# One\n\n![](figmill:bare)\n\n![Own words](figmill:bare)\n", strict=True)
    assert ran.code == 0, ran.said
    assert [(figure.alts[0], figure.caption) for figure in figures(ran.page)] == [
        ("no caption", ""),
        ("no caption", "Own words"),
    ]


def test_a_caption_keeps_all_its_words(host: str, hosted: Space) -> None:
    page = "# One\n\n![Own *words* of `code` and\nof **two** lines & more](figmill:graph)\n"
    if host == "myst":  # which drops the end of a line before any plugin sees it
        page = page.replace("and\n", "and ")
    ran = HOSTS[host](hosted, page, strict=True)
    assert ran.code == 0, ran.said
    assert [figure.caption for figure in figures(ran.page)] == ["Own words of code and of two lines & more"]


def test_an_unknown_name_is_a_warning_at_its_line_and_an_error_if_strict(host: str, hosted: Space) -> None:
    ran = HOSTS[host](hosted, BAD)
    assert ran.code == 0, ran.said
    said = lines_about(ran.said)
    assert [(number, message) for _, number, message in said] == [
        (15, "there is no figure 'grpah'; did you mean 'graph'?"),
        (17, "figure 'plot' states no fact 'hafl'; did you mean 'half'?"),
        (
            17,
            "fact 'half' of figure 'plot': '.1q' is not a format; use .2f, .1%, ,d, or si for a number with its unit",
        ),
    ]
    assert {Path(name.strip(": ")).name for name, *_ in said} <= {"page.md", "index.md", "Warning: line"}
    assert "figmill:grpah" in prose(ran.page).rpartition("So 4 points")[2].replace("![](figmill:grpah)", "")
    ran = HOSTS[host](hosted, BAD, strict=True)
    assert ran.code != 0
    assert "there is no figure 'grpah'; did you mean 'graph'?" in ran.said


def test_a_figure_that_failed_shows_its_last_good_form_and_says_so(host: str, hosted: Space) -> None:
    assert HOSTS[host](hosted, PAGE, strict=True).code == 0
    hosted.write({"visuals/a.dot": "digraph { a -> }"})
    ran = HOSTS[host](hosted, PAGE)
    assert ran.code == 0, ran.said
    assert [without_sizes(figure).files for figure in figures(ran.page)] == [
        GRAPH.files,
        PLOT.files,
        GRAPH.files,
    ]
    assert prose(ran.page).count(MARK) == 2
    assert "figure 'graph' is out of date because its last build failed" in ran.said
    assert "'->' has no node to its right" in ran.said  # why
    assert HOSTS[host](hosted, PAGE, strict=True).code != 0


@pytest.mark.parametrize("host", ["sphinx", "mkdocs", "zensical", "markdown"])
def test_a_figure_that_could_never_be_built_says_why(host: str, hosted: Space) -> None:
    """Only hosts that build know: to the others it is a figure that is not there."""
    hosted.write({"visuals/bad.dot": "digraph { a -> }"}).question("bad", "source: bad.dot, alt: nothing")
    ran = HOSTS[host](hosted, "# One\n\n![](figmill:bad)\n")
    message = "figure 'bad' could not be built: visuals/bad.dot:1: '->' has no node to its right"
    assert message in ran.said, ran.said


def test_no_book_is_one_clear_line(host: str, space: Space) -> None:
    ran = HOSTS[host](space, PAGE)
    builds = 1 if host in ("pandoc", "myst") else 0  # `figmill` itself, which the author runs first
    assert ran.code == 0, ran.said
    assert ran.said.count("there is no questions/ in ") == 1 + builds, ran.said
    assert HOSTS[host](space, PAGE, strict=True).code != 0
