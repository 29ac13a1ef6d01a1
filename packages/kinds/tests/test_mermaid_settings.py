"""`[tool.figmill.mermaid]`: the book's layout is an input of the diagrams whose source names none; mistakes in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.book import Space

from figmill.kind.job import Job
from figmill_kinds.mermaid import layouts, renderer

FLOW = "flowchart LR\n a --> b & c\n b --> d\n c --> d\n"
OWN = (
    f"---\nconfig:\n  layout: elk\n---\n{FLOW}",
    f"%%{{init: {{'flowchart': {{'layout': 'elk'}}}}}}%%\n{FLOW}",
    FLOW.replace("flowchart", "flowchart-elk"),
)

YAML = f"---\ntitle: x\nconfig:\n  layot: dagre\n  fontFamily: Foo\n  themeCSS: |\n    g {{ fill: red }}\n---\n{FLOW}"
JSON = "%%{init: {'flowchart': {'curve': 'linear',\n 'nodeSpaccing': 3, 'useMaxWidth': true, 'htmlLabels': true}}}%%\n"


def drawn(source: str, space: Space, **settings: str) -> bytes:
    return renderer.render(Job("mermaid", "a.mmd", "file", text=source, settings=settings), space.root).svg


def test_the_setting_is_the_layout_of_sources_that_name_none(space: Space) -> None:
    dagre = f"---\nconfig:\n  layout: dagre\n---\n{FLOW}"
    assert drawn(FLOW, space, layout="dagre") == drawn(dagre, space) != drawn(FLOW, space)
    for source in OWN:
        assert drawn(source, space, layout="dagre") == drawn(source, space)
    assert layouts.states_own(OWN[0].encode()) and not layouts.states_own(b"flowchart\n layout --> b\n")


def test_a_change_of_the_setting_redraws_the_sources_that_name_no_layout(space: Space) -> None:
    for name, source in {"plain.mmd": FLOW, "own.mmd": OWN[0], "graph.dot": "graph {a}"}.items():
        space.write({f"visuals/{name}": source}).question(
            name.partition(".")[0], f"source: {name}, alt: A thing."
        )
    assert space.run("--jobs", "1").code == 0
    before = space.outputs()
    space.write({"figmill.toml": "[mermaid]\n"})
    assert "3 figures, all fresh" in space.run().out
    space.write({"figmill.toml": "[mermaid]\nlayout = 'dagre'\n"})
    done = space.run("--dry-run")
    assert (
        "plain" in done.out and "settings" in done.out and "own" not in done.out and "graph" not in done.out
    )
    assert space.run("--jobs", "1").code == 0
    assert {
        name for name, data in space.outputs().items() if before[name] != data and name.endswith(".svg")
    } == {"build/global/plain.svg", "build/global/plain.dark.svg"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("[mermaid]\nlayuot = 'dagre'", "2: mermaid.layuot is not a setting; did you mean 'layout'?"),
        ("[mermaid]\nlayout = 'dager'", "2: mermaid.layout must be 'elk' or 'dagre' or"),
        ("mermaid = 'dagre'", '1: mermaid must be a table, like {layout = "dagre"}'),
        ("[wavedrom]\nskin = 'dark'", "1: wavedrom has no settings; leave this table out"),
        ("[mermiad]\nlayout = 'dagre'", "1: unknown setting 'mermiad'; did you mean 'mermaid'?"),
    ],
)
def test_mistakes_in_a_kinds_table_are_told_at_their_line(space: Space, line: str, told: str) -> None:
    space.write({"figmill.toml": f"{line}\n", "visuals/a.mmd": FLOW})
    space.question("a", "source: a.mmd, alt: x")
    assert f"figmill.toml:{told}" in space.run().err


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (YAML, [(4, "'layot'", "did you mean 'layout'?"), (5, "figmill decides", "fontFamily")]),
        (
            JSON + FLOW,
            [(2, "'nodeSpaccing'", "did you mean 'nodeSpacing'?"), (2, "figmill decides", "useMaxWidth")],
        ),
        (OWN[0], []),
        (f"%%{{init: {{'theme': 'base', 'themeVariables': {{'lineColor': '#333'}}}}}}%%\n{FLOW}", []),
    ],
)
def test_an_option_without_effect_is_a_finding_at_its_line(
    source: str, told: list[tuple[int, str, str]]
) -> None:
    remarks = renderer.render(Job("mermaid", "a.mmd", "file", text=source), Path()).remarks
    assert len(remarks) == len(told)
    for remark, (line, name, advice) in zip(remarks, told, strict=True):
        assert remark.line == line and name in remark.message and remark.message.endswith(advice)
