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


def test_a_role_gives_a_node_its_fill_and_line(space: Space) -> None:
    svg = build(space, "digraph { node [shape=box, style=rounded, role=compute] a; b [role=data] }").read(
        "build/global/g.svg"
    )
    assert paints(svg) == {("#cfe2f3", "#4a90c4"), ("#d4edda", "#3d9e5a")}


def test_a_cluster_and_an_edge_have_roles_too(space: Space) -> None:
    svg = build(space, "digraph { subgraph cluster_x { role=neutral; a } a -> b [role=error] }").read(
        "build/global/g.svg"
    )
    assert ("#e9ecef", "#767c83") in paints(svg)
    assert ("none", "#c44444") in paints(svg)  # the line of the edge
    assert ("#c44444", "#c44444") in paints(svg)  # its arrow


def test_the_colour_that_is_written_closer_stays(space: Space) -> None:
    expected = {
        'a [role=data, fillcolor="#fdebd0"]': ("#fdebd0", "#3d9e5a"),
        'node [fillcolor="#fdebd0"] a [role=data]': ("#d4edda", "#3d9e5a"),
        'node [role=data, color="#c44444"] a': ("#d4edda", "#c44444"),
        'a [style=filled, fillcolor="role:accent", color="role:error"]': ("#f6dbe0", "#c44444"),
    }
    for number, dot in enumerate(expected):
        space.write({f"visuals/g{number}.dot": f"digraph {{ {dot} }}"})
        space.question(f"g{number}", f"source: g{number}.dot, alt: a graph")
    assert space.run().code == 0
    drawn = [paints(space.read(f"build/global/g{number}.svg")) for number in range(len(expected))]
    assert drawn == [{paint} for paint in expected.values()]


def test_cells_of_a_table_have_roles(space: Space) -> None:
    cell = '<TABLE><TR><TD BGCOLOR="role:routing" COLOR="role:routing">role:x</TD></TR></TABLE>'
    svg = build(space, f"digraph {{ a [shape=plain, label=<{cell}>] }}").read("build/global/g.svg")
    assert "#fdebd0" in svg
    assert "#c87b2a" in svg
    assert ">role:x<" in svg


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


@pytest.mark.parametrize(
    "line",
    [
        "a [role=comptue]",
        'a [fillcolor="role:comptue"]',
        'a [label=<<TABLE><TR><TD BGCOLOR="role:comptue">a</TD></TR></TABLE>>]',
        "subgraph cluster_a { role=comptue; b }",
    ],
)
def test_an_unknown_role_is_told_at_its_line(space: Space, line: str) -> None:
    space.write({"visuals/g.dot": f"digraph {{\n  node [shape=box]\n  {line}\n}}\n"})
    space.question("g", "source: g.dot, alt: a graph with a typing mistake")
    ran = space.run()
    assert ran.code == 1
    assert re.match(
        r"visuals/g\.dot:3:\d+: the palette has no role 'comptue'; did you mean 'compute'\?", ran.err
    )


def test_words_that_look_like_roles_are_words(space: Space) -> None:
    svg = build(space, 'digraph { a [label="role:none", tooltip="role=none"]; role -> b }').read(
        "build/global/g.svg"
    )
    assert "role:none" in svg
