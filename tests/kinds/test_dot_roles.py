"""Roles of the palette in DOT: what they paint, what stays, and what an unknown one is told."""

from __future__ import annotations

import re

import pytest
from helpers.book import Space

HOT = '[palette.hot]\nfill="#ffe0f0"\nline="#b0307a"\ndark_fill="#501a3a"\ndark_line="#ff90c8"\n'


def build(space: Space, dot: str, settings: str = "") -> Space:
    space.write({"visuals/g.dot": dot, "figmill.toml": settings})
    space.question("g", "source: g.dot, alt: a graph in the palette's roles")
    ran = space.run()
    assert ran.code == 0, ran.err
    return space


def paints(svg: str) -> set[tuple[str, str]]:
    """(fill, stroke) of each node and cluster."""
    found = re.findall(r"<(?:polygon|path|ellipse)([^>]*)>", svg)
    named = [(re.search(r'fill="([^"]+)"', a), re.search(r'stroke="([^"]+)"', a)) for a in found]
    return {(fill[1], stroke[1]) for fill, stroke in named if fill and stroke}


CELL = '<TABLE><TR><TD BGCOLOR="role:routing" COLOR="role:routing">role:x</TD></TR></TABLE>'
GRAPHS = {
    "node": "node [shape=box, style=rounded, role=compute] a; b [role=data]",
    "cluster": "subgraph cluster_x { role=neutral; a } a -> b [role=error]",
    "closer1": 'a [role=data, fillcolor="#fdebd0"]',
    "closer2": 'node [fillcolor="#fdebd0"] a [role=data]',
    "closer3": 'node [role=data, color="#c44444"] a',
    "closer4": 'a [style=filled, fillcolor="role:accent", color="role:error"]',
    "table": f"a [shape=plain, label=<{CELL}>]",
    "words": 'a [label="role:none", tooltip="role=none"]; role -> b',
}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The SVG of each of these graphs, in the palette of figmill."""
    space = Space(tmp_path_factory.mktemp("roles"))
    for name, dot in GRAPHS.items():
        space.write({f"visuals/{name}.dot": f"digraph {{ {dot} }}"})
        space.question(name, f"source: {name}.dot, alt: a graph in the palette's roles")
    ran = space.run()
    assert ran.code == 0, ran.err
    return {name: space.read(f"build/global/{name}.svg") for name in GRAPHS}


def test_a_role_gives_a_node_its_fill_and_line(drawn: dict[str, str]) -> None:
    assert paints(drawn["node"]) == {("#cfe2f3", "#4a90c4"), ("#d4edda", "#3d9e5a")}


def test_a_cluster_and_an_edge_have_roles_too(drawn: dict[str, str]) -> None:
    found = paints(drawn["cluster"])
    assert ("#e9ecef", "#767c83") in found
    assert ("none", "#c44444") in found  # the line of the edge
    assert ("#c44444", "#c44444") in found  # its arrow


def test_the_colour_that_is_written_closer_stays(drawn: dict[str, str]) -> None:
    expected = {
        "closer1": ("#fdebd0", "#3d9e5a"),
        "closer2": ("#d4edda", "#3d9e5a"),
        "closer3": ("#d4edda", "#c44444"),
        "closer4": ("#f6dbe0", "#c44444"),
    }
    assert {name: paints(drawn[name]) for name in expected} == {
        name: {paint} for name, paint in expected.items()
    }


def test_cells_of_a_table_have_roles(drawn: dict[str, str]) -> None:
    assert "#fdebd0" in drawn["table"]
    assert "#c87b2a" in drawn["table"]
    assert ">role:x<" in drawn["table"]


def test_a_new_palette_draws_no_graph_again(space: Space) -> None:
    build(space, "digraph { a [role=compute] }", 'themes = ["light", "dark"]\n')
    space.write(
        {
            "figmill.toml": 'themes = ["light", "dark"]\n[palette.compute]\nfill = "#ffeeaa"\ndark_fill = "#443300"\n'
        }
    )
    ran = space.run("--format", "json")
    assert ran.json["figures"][0]["reasons"] == ["palette"]
    assert ("#ffeeaa", "#4a90c4") in paints(space.read("build/global/g.svg"))
    assert ("#443300", "#6db3e8") in paints(space.read("build/global/g.dark.svg"))


def test_roles_that_a_book_adds_are_roles_in_both_themes(space: Space) -> None:
    build(space, "digraph { a [role=hot] }", f'themes = ["light", "dark"]\n{HOT}')
    assert ("#ffe0f0", "#b0307a") in paints(space.read("build/global/g.svg"))
    assert ("#501a3a", "#ff90c8") in paints(space.read("build/global/g.dark.svg"))
    space.write({"figmill.toml": HOT.replace("#ffe0f0", "#ffe0ff")})
    assert space.run().code == 0
    assert ("#ffe0ff", "#b0307a") in paints(space.read("build/global/g.svg"))


def test_a_script_that_returns_dot_names_roles_as_well(space: Space) -> None:
    space.write({"visuals/g.py": "def draw():\n    return 'digraph { a [role=hot] }'\n", "figmill.toml": HOT})
    space.question("g", "kind: dot, source: g.py, alt: a node in the book's own role")
    assert space.run().code == 0
    assert ("#ffe0f0", "#b0307a") in paints(space.read("build/global/g.svg"))


def test_an_unknown_role_is_told_at_its_line(space: Space) -> None:
    lines = (
        "a [role=comptue]",
        'a [fillcolor="role:comptue"]',
        'a [label=<<TABLE><TR><TD BGCOLOR="role:comptue">a</TD></TR></TABLE>>]',
        "subgraph cluster_a { role=comptue; b }",
    )
    for number, line in enumerate(lines):
        space.write({f"visuals/g{number}.dot": f"digraph {{\n  node [shape=box]\n  {line}\n}}\n"})
        space.question(f"g{number}", f"source: g{number}.dot, alt: a graph with a typing mistake")
    ran = space.run()
    assert ran.code == 1
    words = r"the palette has no role 'comptue'; did you mean 'compute'\?"
    for number, line in enumerate(lines):
        assert re.search(rf"^visuals/g{number}\.dot:3(:\d+)?: {words}", ran.err, re.MULTILINE), line
    built = [(space.root / f"build/global/g{number}.svg").is_file() for number in range(len(lines))]
    assert built == [True, False, False, True]  # `role` may be an attribute of the author's own


def test_words_that_look_like_roles_are_words(drawn: dict[str, str]) -> None:
    assert "role:none" in drawn["words"]
