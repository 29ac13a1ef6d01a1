"""What is wrong with a figure: told once by every host, at its own level of warnings, and again by the next build."""

from __future__ import annotations

import sys

import pytest
from helpers.book import Space
from helpers.hosts import BIN, HOSTS, Ran, figures, lines_about, prose, run, sphinx, zensical

from figmill.integrations.opened import open_book, warnings_of

TIGHT = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 100">
  <rect x="150" y="10" width="80" height="40" fill="#cfe2f3" stroke="#4a90c4"/>
  <text x="190" y="35" text-anchor="middle" font-size="12">wider than its own box</text>
</svg>
"""
OVERFLOW = "visuals/tight.svg:3: the text 'wider than its own box' runs "
UNBUILT = "visuals/bad.dot:1: '->' has no node to its right"
# How each host begins a line that counts in its strict mode.
LEVELS = {
    "sphinx": "WARNING: figmill: ",
    "mkdocs": "WARNING -  figmill: ",
    "properdocs": "WARNING -  figmill: ",
    "zensical": "Warning: ",
    "markdown": "Warning: ",
}
PAGE = "# One\n\n![](figmill:tight)\n\nBefore ![](figmill:bad) after.\n\n![](figmill:graph)\n\nThe end.\n"


def tight(space: Space) -> Space:
    """The book with a figure that has a warning."""
    return space.write({"visuals/tight.svg": TIGHT}).question(
        "tight", "source: tight.svg, alt: a box of words"
    )


def bad(space: Space) -> Space:
    """The book with a figure that cannot be built."""
    return space.write({"visuals/bad.dot": "digraph { a -> }"}).question(
        "bad", "source: bad.dot, alt: nothing"
    )


def told(ran: Ran, host: str) -> list[str]:
    """The lines of a host's warnings about the book itself."""
    level = LEVELS[host]
    lines = [line.partition(level)[2] for line in ran.said.splitlines() if level in line]
    return [line for line in lines if line.startswith("visuals/")]


@pytest.mark.parametrize("host", HOSTS)
def test_a_warning_and_a_failure_are_told_once_and_the_page_is_there(host: str, hosted: Space) -> None:
    bad(tight(hosted))
    for _ in range(2):  # the second build draws nothing again
        ran = HOSTS[host](hosted, PAGE)
        assert ran.code == 0, ran.said
        assert ran.said.count(OVERFLOW) == 1, ran.said
        (said,) = lines_about(ran.said)
        if host in LEVELS:
            overflow, unbuilt = told(ran, host)
            assert overflow.startswith(OVERFLOW) and "[text-overflow]" in overflow
            assert unbuilt.startswith(UNBUILT)
            assert said[1:] == (5, f"figure 'bad' could not be built: {UNBUILT}")
        else:  # which build nothing: the build itself has told it
            assert said[1] == 5 and said[2].startswith("there is no figure 'bad'")
        assert [figure.files[0] for figure in figures(ran.page)] == ["tight.svg", "graph.svg"]
        assert "Before figmill:bad after." in prose(ran.page) and "The end." in prose(ran.page)
    assert HOSTS[host](hosted, PAGE, strict=True).code != 0


@pytest.mark.parametrize("host", LEVELS)
def test_a_warning_of_a_build_is_an_error_if_strict(host: str, hosted: Space) -> None:
    ran = HOSTS[host](tight(hosted), "# One\n\n![](figmill:graph)\n", strict=True)
    assert ran.code != 0 and OVERFLOW in ran.said, ran.said
    hosted.write(
        {"pyproject.toml": hosted.read("pyproject.toml") + '[tool.figmill.lint]\ntext-overflow = "off"\n'}
    )
    if host != "zensical":  # whose settings the helper writes
        ran = HOSTS[host](hosted, "# One\n\n![](figmill:graph)\n", strict=True)
        assert ran.code == 0, ran.said


def test_sphinx_can_leave_out_what_builds_tell(hosted: Space) -> None:
    ran = sphinx(tight(hosted), "# One\n", strict=True, conf='suppress_warnings = ["figmill.build"]\n')
    assert ran.code == 0, ran.said


def test_a_book_says_the_same_when_nothing_is_built(hosted: Space) -> None:
    """The first answer comes from a build, the second from the fast path."""
    hosted.write({"visuals/c.svg": TIGHT.replace("</svg>", TIGHT.splitlines()[2] + "</svg>")})
    tight(hosted).question("c", "source: c.svg, alt: words over words")
    hosted.question("d", "source: tight.svg, alt: the same source")
    hosted.write({"questions/none.yaml": "id: none\nvisaul: {source: a.dot, alt: a}\n"})
    first = open_book(hosted.root)
    assert len(first.warnings) == 3 and len(set(first.warnings)) == len(first.warnings)
    assert first.lines == open_book(hosted.root).lines == first.warnings
    assert sum(OVERFLOW in line for line in first.lines) == 1  # one source, two figures
    assert any(line.startswith("questions/none.yaml:2:1: ") for line in first.lines)


def test_two_figures_that_fail_alike_are_told_once(hosted: Space) -> None:
    bad(hosted).question("worse", "source: bad.dot, alt: nothing")
    assert [line[: len(UNBUILT)] for line in open_book(hosted.root).lines] == [UNBUILT]


def test_a_warning_without_a_line_is_told_too() -> None:
    warning = {"file": "a.svg", "line": None, "column": None, "message": "it\nis ::odd::", "check": "picture"}
    report = {"figures": [{"id": "a", "name": "b", "warnings": [warning, warning]}]}
    assert warnings_of(report) == ("a.svg: it\\nis ::odd:: [picture] (a-b)",)


def built_again(space: Space, *builds: list[str]) -> None:
    """Each build after a good one fails on a page that has not changed, and whose figure has gone."""
    space.write(
        {"docs/index.md": "# One\n\n![](figmill:graph)\n", "docs/two.md": "# Two\n\n![](figmill:plot)\n"}
    )
    ran = run([sys.executable, *builds[0]], space.root)
    assert ran.code == 0, ran.said
    (space.root / "questions/plot.yaml").unlink()
    assert space.run("clean").code == 0
    for build in (*builds, builds[0]):
        ran = run([sys.executable, *build], space.root)
        assert ran.code != 0 and ran.said.count("two.md:3: ") == 1, (build, ran.said)
        assert "there is no figure 'plot'" in ran.said


def test_mkdocs_tells_it_in_each_build(hosted: Space) -> None:
    hosted.write({"mkdocs.yml": "site_name: A\ntheme: {name: mkdocs}\nplugins: [figmill]\n"})
    strict = ["-m", "mkdocs", "build", "--strict"]
    built_again(hosted, strict, [*strict, "-d", "other"], [*strict, "--quiet"], [*strict, "--dirty"])


def test_sphinx_tells_it_in_each_build(hosted: Space) -> None:
    settings = 'extensions = ["myst_parser", "figmill.sphinx"]\nsuppress_warnings = ["toc"]\n'
    hosted.write({"docs/conf.py": settings})
    strict = ["-m", "sphinx", "-q", "-W", "docs"]
    built_again(hosted, [*strict, "out"], [*strict, "other"], [*strict, "out", "-b", "dirhtml"])


def test_sphinx_tells_an_unknown_fact_in_each_build(hosted: Space) -> None:
    settings = 'extensions = ["myst_parser", "figmill.sphinx"]\n'
    hosted.write({"docs/conf.py": settings, "docs/index.md": "# One\n\n[](figmill:plot#hafl)\n"})
    for _ in range(2):
        ran = run([sys.executable, "-m", "sphinx", "-q", "-W", "docs", "out"], hosted.root)
        assert ran.code != 0 and ran.said.count("states no fact 'hafl'") == 1


def test_zensical_tells_it_in_each_build(hosted: Space) -> None:
    zensical(hosted, "# One\n\n![](figmill:graph)\n", strict=True)  # writes its settings
    plain = ["-m", "zensical", "build"]
    built_again(hosted, [*plain, "--strict"])
    ran = run([BIN / "zensical", "build"], hosted.root)
    assert ran.code == 0 and "there is no figure 'plot'" in ran.said
    for site in ("site", "other"):
        if site != "site":
            text = hosted.read("zensical.toml")
            hosted.write({"zensical.toml": text.replace("[project]", f'[project]\nsite_dir = "{site}"')})
        ran = run([BIN / "zensical", "build", "--strict"], hosted.root)
        assert ran.code != 0 and "there is no figure 'plot'" in ran.said
