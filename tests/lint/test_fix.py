"""`fix`: what is mended, what is left, and that the original stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.boxes import ROW, box
from helpers.boxes import drawing as drawing_of
from helpers.good_drawings import graphs, own
from helpers.seeded_drawings import by_hand, good, seeded, sound
from lint.test_lint_drawings import run, told

from figmill.lint.mending import mend

BOX = '<rect x="20" y="20" width="80" height="30" fill="#cfe2f3"/>'

NARROW = BOX.replace('x="20"', 'x="24"').replace("80", "72")


def svg(body: str) -> bytes:
    root = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100" font-family="Arial" font-size="12">'
    return f"{root}\n{body}\n</svg>\n".encode()


@pytest.mark.parametrize("check", ["text-covered", "line-through-text"])
def test_a_seeded_defect_is_mended_in_the_manner_of_every_tool(check: str) -> None:
    for name, data in list(seeded(check))[::3]:
        result = mend(name, data)
        assert check in told(name, data), name
        assert not told(name, result.svg) & {check, "text-overlap", "contrast"}, name
        assert any("'scheduler'" in change for change in result.changes), name


@pytest.mark.parametrize(
    ("check", "data", "change"),
    [
        ("contrast", svg('<text x="20" y="40" fill="#aaaaaa">pale words</text>'), "from #aaaaaa to #767676"),
        (
            "small-text",
            svg('<text x="20" y="40" font-size="6">small words</text>'),
            "enlarged 'small words' to 8 px",
        ),
        ("text-outside", svg('<text x="160" y="40">cut at the end</text>'), "made the picture larger"),
        (
            "text-overflow",
            svg(f'{NARROW}<text x="60" y="39" text-anchor="middle">a little too wide</text>'),
            "squeezed the text 'a little too wide'",
        ),
    ],
)
def test_one_defect_is_mended(check: str, data: bytes, change: str) -> None:
    assert check in told("a.svg", data)
    result = mend("a.svg", data)
    assert told("a.svg", result.svg) == set() == set(result.left)
    assert [change in line for line in result.changes] == [True]


@pytest.mark.parametrize("check", ["loose-arrow", "text-astray", "text-overlap"])
def test_what_needs_redrawing_is_left_and_told(check: str) -> None:
    name, data = next(iter(seeded(check)))
    result = mend(name, data)
    assert check in {finding.check for finding in result.left}


@pytest.mark.parametrize("step", [2, pytest.param(1, marks=pytest.mark.soak)])
def test_a_good_drawing_has_no_change_and_a_mended_one_is_a_fixed_point(step: int) -> None:
    for name, data in [*sound(), *graphs(4), *list(own())[:4]][::step]:
        once = mend(name, data)
        assert [line for line in once.changes if "colour" not in line] == [], name
        assert mend(name, once.svg).svg == once.svg, name
    for name, data in list(seeded("text-covered"))[::5]:
        once = mend(name, data)
        again = mend(name, once.svg)
        assert (again.svg, again.changes) == (once.svg, ()), name


def test_the_title_and_the_page_of_the_drawing_stay() -> None:
    named = svg(
        '<title>How it works</title><desc>Two boxes.</desc><rect width="200" height="100" fill="#fffbe6"/>'
        + BOX
    )
    result = mend("a.svg", named).svg.decode()
    assert ">How it works</title>" in result and ">Two boxes.</desc>" in result and 'fill="#fffbe6"' in result
    assert (
        'fill="#ffffff"'
        in mend("a.svg", svg('<rect width="100%" height="100%" fill="white"/>' + BOX)).svg.decode()
    )
    assert 'fill="#ffffff"' not in mend("a.svg", svg(BOX)).svg.decode()
    assert ">a</title>" in mend("a.svg", svg(BOX)).svg.decode()


@pytest.fixture
def drawing(tmp_path: Path) -> Path:
    (tmp_path / "d.svg").write_bytes(dict(seeded("text-covered"))["text-covered-hand-1.svg"])
    return tmp_path


def test_the_original_stays(drawing: Path) -> None:
    before = (drawing / "d.svg").read_bytes()
    ran = run("lint", "--fix", "d.svg", at=drawing)
    assert ran.out.splitlines()[-1] == "d.svg: 2 of 2 findings repaired, 0 left; wrote d.fixed.svg"
    assert (drawing / "d.svg").read_bytes() == before
    assert told("d.svg", (drawing / "d.fixed.svg").read_bytes()) == set()
    assert run("lint", "--fix", "d.svg", at=drawing).code == 0  # over its own product
    (drawing / "d.fixed.svg").write_text("mine")
    assert run("lint", "--fix", "d.svg", at=drawing).code == 2
    assert (drawing / "d.fixed.svg").read_text() == "mine"


def test_in_place_output_standard_input_and_dry_run(drawing: Path) -> None:
    before = (drawing / "d.svg").read_bytes()
    dry = run("lint", "--fix", "d.svg", "--dry-run", at=drawing).out
    assert dry.startswith("--- d.svg\n+++ d.fixed.svg\n@@") and "; would write d.fixed.svg\n" in dry
    assert [path.name for path in drawing.iterdir()] == ["d.svg"]
    piped = run("lint", "--fix", "-", "--title", "Boxes", at=drawing, given=before.decode())
    assert piped.out.startswith("<svg ") and ">Boxes</title>" in piped.out
    run("lint", "--fix", "d.svg", "-o", "out.svg", at=drawing)
    assert run("lint", "--fix", "d.svg", "--in-place", at=drawing).code == 0
    assert (drawing / "d.svg").read_bytes() == (drawing / "out.svg").read_bytes() != before


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<svg", "broken.svg:1:"),
        (svg('<image href="other.png" width="9" height="9"/>'), "broken.svg:2:1: the picture 'other.png'"),
    ],
)
def test_what_cannot_be_read_is_one_line(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "broken.svg").write_bytes(data)
    ran = run("lint", "--fix", "broken.svg", at=tmp_path)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 1)
    assert said in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["broken.svg"]


def test_strict_exits_1_where_anything_is_left(tmp_path: Path) -> None:
    (tmp_path / "d.svg").write_bytes(dict(seeded("loose-arrow"))["loose-arrow-hand-1.svg"])
    (tmp_path / "good.svg").write_bytes(by_hand(good(1)).encode())
    assert run("lint", "--fix", "d.svg", "--strict", at=tmp_path).code == 1
    assert run("lint", "--fix", "good.svg", "--strict", at=tmp_path).code == 0


PALE = svg('<text x="20" y="40" fill="#aaaaaa">pale words</text>')


def test_many_drawings_are_fixed_and_a_broken_one_stops_no_other(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name, data in (("a.svg", PALE), ("in/b.svg", PALE), ("in/broken.svg", b"<svg")):
        (tmp_path / name).write_bytes(data)
    for _ in range(2):  # the second time, the products are left out
        ran = run("lint", "--fix", ".", at=tmp_path)
        lines = ran.out.splitlines()
        assert (ran.code, lines[-1]) == (
            1,
            "3 drawings: 2 of 2 findings repaired, 0 left; 1 could not be repaired",
        )
        assert next(line for line in lines if line.startswith("in/broken.svg:")).endswith(
            "; it stays as it is"
        )
        assert sorted(path.name for path in tmp_path.rglob("*.svg")) == [
            "a.fixed.svg",
            "a.svg",
            "b.fixed.svg",
            "b.svg",
            "broken.svg",
        ]
    done = run("lint", "--fix", "a.svg", "in/*b.svg", "--in-place", at=tmp_path)
    assert (done.code, (tmp_path / "a.svg").read_bytes() != PALE) == (0, True)
    assert (tmp_path / "in/b.svg").read_bytes() == (tmp_path / "in/b.fixed.svg").read_bytes()


def test_the_drawings_of_a_book_are_fixed_by_id(tmp_path: Path) -> None:
    (tmp_path / "questions").mkdir()
    (tmp_path / "visuals/net").mkdir(parents=True)
    for id_, source in (("net-a", "net/a.svg"), ("net-b", "net/b.svg"), ("net-c", "net/c.dot")):
        question = f"id: {id_}\nvisual: {{source: {source}, alt: A drawing of two racks.}}\n"
        (tmp_path / f"questions/{id_}.yaml").write_text(question)
    (tmp_path / "visuals/net/a.svg").write_bytes(PALE)
    (tmp_path / "visuals/net/b.svg").write_bytes(PALE)
    (tmp_path / "visuals/net/c.dot").write_text("digraph { a }")
    ran = run("lint", "--fix", "--id", "net-*", "--in-place", at=tmp_path)
    assert ran.out.splitlines()[-1] == "2 drawings: 2 of 2 findings repaired, 0 left"
    assert (tmp_path / "visuals/net/b.svg").read_bytes() != PALE
    graph = run("lint", "--fix", "--id", "net-c", at=tmp_path)
    assert (graph.code, "it is made from visuals/net/c.dot" in graph.err) == (2, True)
    for arguments in ((), ("--id", "net-a", "x.svg"), ("a.svg", "b.svg", "-o", "c.svg"), ("-", "a.svg")):
        wrong = run("lint", "--fix", *arguments, at=tmp_path)
        assert (wrong.code, wrong.out) == (2, ""), arguments


def test_notes_are_not_left_to_repair() -> None:
    crossing = dict(seeded("crossings"))["crossings-hand-2.svg"]
    assert "crossings" in told("a.svg", crossing, notes=True)
    assert "crossings" not in {finding.check for finding in mend("a.svg", crossing).left}


LOW = drawing_of(ROW[0], box(220, 23, "Relay"), ROW[2])


def test_layout_moves_and_check_says_whether_anything_would(tmp_path: Path) -> None:
    (tmp_path / "d.svg").write_bytes(LOW)
    would = run("lint", "--fix", "--layout", "--check", "d.svg", at=tmp_path)
    assert (would.code, would.out.splitlines()) == (
        3,
        [
            "d.svg: moved the box 'Relay' 3 px up: it was off the row of 'Client' and 'Server'",
            "d.svg: 1 of 1 findings repaired, 0 left",
        ],
    )
    assert (tmp_path / "d.svg").read_bytes() == LOW and len(list(tmp_path.iterdir())) == 1
    assert run("lint", "--fix", "--layout", "--in-place", "d.svg", at=tmp_path).code == 0
    assert (tmp_path / "d.svg").read_bytes() == mend("d.svg", LOW, moves=True).svg  # in another process
    assert run("lint", "--fix", "--layout", "--check", "d.svg", at=tmp_path).code == 0
    assert mend("d.svg", LOW).changes == ()


def test_a_graph_gets_a_hint_in_its_source(tmp_path: Path) -> None:
    """Boxes that lie over each other as springs place them, and a graph without a fault."""
    (tmp_path / "questions").mkdir()
    (tmp_path / "visuals").mkdir()
    for name in ("over", "tidy"):
        question = f"id: {name}\nvisual: {{source: {name}.dot, engine: neato, alt: Three boxes in a ring.}}\n"
        (tmp_path / f"questions/{name}.yaml").write_text(question)
    names = "".join(f'{name} [shape=box, label="a long name of {name}"];\n' for name in "abc")
    graph = f"graph {{\n{names}a -- b; b -- c; a -- c; c -- d; c -- e; a -- e }}\n"
    (tmp_path / "visuals/over.dot").write_text(graph)
    (tmp_path / "visuals/tidy.dot").write_text("graph { a -- b }\n")
    ran = run("lint", "--fix", "--layout", "--id", "*", "--in-place", at=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert (tmp_path / "visuals/over.dot").read_text() == graph.replace("{\n", "{\n  overlap=false;\n", 1)
    assert (tmp_path / "visuals/tidy.dot").read_text() == "graph { a -- b }\n"
    said = ran.out.splitlines()
    assert "+  overlap=false;" in said
    assert said[-1] == "2 drawings: 2 of 2 findings repaired, 0 left"
