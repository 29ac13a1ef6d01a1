"""Links of each kind's sources in their figures: to pages, to parts of one, to figures; and those that are refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

import pytest
from helpers.book import Space
from test_plantuml import needs_package, with_package

LINKS = {"https://example.org/x?a=1&amp;b=2", "./other.md#two", "#part", "figmill:other"}
SOURCES = {
    "dot": "digraph {\n"
    ' a [URL="https://example.org/x?a=1&b=2"] b [href="./other.md#two"]\n c [URL="#part"] d [URL="figmill:other"] }\n',
    "svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">'
    + "".join(f'<a href="{link}"><rect width="40" height="40" fill="#ddeeff"/></a>' for link in sorted(LINKS))
    + "</svg>",
    "mmd": 'graph TD\n a --> b --> c --> d\n click a "https://example.org/x?a=1&b=2"\n'
    ' click b href "./other.md#two"\n click c "#part"\n click d "figmill:other"\n',
    "d2": 'a: {link: "https://example.org/x?a=1&b=2"}\nb: {link: "./other.md#two"}\nc: {link: "#part"}\n'
    'd: {link: "figmill:other"}\n',
    "puml": "@startuml\nclass A [[https://example.org/x?a=1&b=2]]\nclass B [[./other.md#two]]\n"
    "A --> B : [[#part see there]]\nnote right of A : as [[figmill:other{tip} this figure]] says\n@enduml\n",
    "excalidraw": json.dumps(
        {
            "type": "excalidraw",
            "version": 2,
            "appState": {},
            "files": {},
            "elements": [
                {
                    "id": f"r{at}",
                    "type": "rectangle",
                    "x": 140 * at,
                    "y": 0,
                    "width": 100,
                    "height": 40,
                    "angle": 0,
                    "strokeColor": "#1e1e1e",
                    "backgroundColor": "transparent",
                    "fillStyle": "solid",
                    "strokeWidth": 2,
                    "strokeStyle": "solid",
                    "roughness": 0,
                    "opacity": 100,
                    "seed": 1,
                    "groupIds": [],
                    "boundElements": None,
                    "isDeleted": False,
                    "link": link.replace("&amp;", "&"),
                }
                for at, link in enumerate(sorted(LINKS))
            ],
        }
    ),
}


def links(space: Space, name: str) -> list[str]:
    return re.findall(r'<a\b[^>]*? href="([^"]*)"', space.read(f"build/global/{name}.svg"))


def drawn(space: Space, sources: dict[str, str]) -> str:
    """What a build says. sources: by the names of their files."""
    for name, text in sources.items():
        space.write({f"visuals/{name}": text})
        space.question(name.partition(".")[0], f"source: {name}, alt: a figure with links")
    return space.run("--verbose", "--jobs", "1").err


# Links that no figure may have.
ACTS = ("javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//e.org/")
ACTING = {
    f"{suffix}-{number}.{suffix}": SOURCES[suffix].replace("figmill:other", target)
    for suffix in ("mmd", "d2", "excalidraw")
    for number, target in enumerate(ACTS)
}
SOME_ACTING = dict(list(ACTING.items())[::3])  # each kind and each link
OF_ONE_KIND = {
    "opens.mmd": 'graph TD\n a --> b\n click a "./a.md" _blank\n click b "./b.md" "tip"\n',
    "acts.mmd": 'graph TD\n a --> b\n click a "./a.md"\n click b "javascript:alert(1)"\n',
    "plan.mmd": 'gantt\n dateFormat YYYY-MM-DD\n One :c1, 2024-01-01, 9d\n click c1 href "./one.md"\n',
    "board.d2": 'a: {link: "other.md#two"}\nb: {link: "./other.md"}\n# link: no\n',
}


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> tuple[Space, str]:
    """All of them in one book, built, and what was said. Not to be changed."""
    space = Space(tmp_path_factory.mktemp("together"))
    plain = {f"{suffix}.{suffix}": text for suffix, text in SOURCES.items() if suffix != "puml"}
    return space, drawn(space, plain | SOME_ACTING | OF_ONE_KIND)


def test_a_figure_has_the_links_of_its_source(together: tuple[Space, str]) -> None:
    space, told = together
    for suffix in SOURCES.keys() - {"puml"}:
        assert set(links(space, suffix)) == LINKS, told
        assert not [row for row in told.splitlines() if f"/{suffix}.{suffix}" in row and "link" in row]


@needs_package
def test_a_figure_of_plantuml_has_the_links_of_its_source(space: Space) -> None:
    sequence = (
        '@startuml\nactor Bob [[https://example.org/ Bob]]\nparticipant "Alice D" as A [[./other.md]]\n'
        "Bob -> A : [[#part hello]] you\nA -> Bob : [[javascript:alert(1) bad]]\n@enduml\n"
    )
    told = drawn(with_package(space), {"puml.puml": SOURCES["puml"], "talk.puml": sequence})
    assert set(links(space, "puml")) == LINKS and "puml.puml" not in told
    assert sorted(links(space, "talk")) == ["#part", *["./other.md"] * 2, *["https://example.org/"] * 2]
    assert "visuals/talk.puml:5: the link to 'javascript:alert(1)' is left out: links lead to a page" in told
    assert "not in the picture" not in told  # the words of links are those that readers see


def test_a_link_of_mermaid_opens_where_its_source_says(together: tuple[Space, str]) -> None:
    svg = re.sub(r' transform="[^"]*"', "", together[0].read("build/global/opens.svg"))
    both = ['<a href="./a.md" rel="noopener" target="_blank">', '<a href="./b.md">']
    assert re.findall(r"<a\b[^>]*>", svg) == both


def test_a_link_that_mermaid_does_not_draw_is_told_at_its_line(together: tuple[Space, str]) -> None:
    space, told = together
    assert (
        "visuals/plan.mmd:4: the link to './one.md' is left out: Mermaid draws no links in diagrams" in told
    )
    assert "visuals/acts.mmd:4: the link to 'javascript:alert(1)' is left out: links lead to a page" in told
    assert links(space, "acts") == ["./a.md"]


def test_what_d2_takes_for_a_board_is_told_at_its_line(together: tuple[Space, str]) -> None:
    space, told = together
    assert links(space, "board") == ["./other.md"]
    message = "D2 takes the link to 'other.md#two' for a board, and leaves it out; write \"./other.md#two\""
    assert f"visuals/board.d2:1: {message}" in told and told.count("visuals/board.d2:") == 1


def test_a_link_that_acts_is_in_no_figure(together: tuple[Space, str]) -> None:
    nothing_acts(*together, SOME_ACTING)


@pytest.mark.soak
def test_no_link_that_acts_is_in_a_figure_of_any_kind(space: Space) -> None:
    nothing_acts(space, drawn(space, ACTING), ACTING)


def nothing_acts(space: Space, told: str, names: Iterable[str]) -> None:
    for name in names:
        figure = space.root / f"build/global/{name.partition('.')[0]}.svg"
        assert not figure.exists() or set(links(space, figure.stem)) <= LINKS, name
        assert figure.exists() or [
            row for row in told.splitlines() if f"/{name}" in row and "link to" in row
        ], name
