"""`new`: what it writes is a question that can be read, with a source that can be found and drawn."""

from __future__ import annotations

import runpy
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from helpers.book import Space
from helpers.cases import cases
from helpers.toy_kind import with_toy_kind
from hypothesis import given
from hypothesis import strategies as st

from figmill.book.names import ID, id_problem
from figmill.book.question import read
from figmill.book.resolve import resolve
from figmill.commands.new import new as begin
from figmill.config import Options
from figmill.errors import ToolError
from figmill.kinds import KINDS
from figmill.model import Change, Drawing, Visual
from figmill.palette import ROLES
from figmill.paths import PACKAGE
from figmill.scaffold import generators
from figmill.scaffold.generators import GENERATORS
from figmill.scaffold.new_files import new

SVG = "{http://www.w3.org/2000/svg}"
STARTERS = {name: starter for name, row in KINDS.items() if (starter := row.starter) is not None}


def built(changes: tuple[Change, ...], options: Options | None = None) -> Visual:
    """The figure that a book of these files has."""
    question, problems = read(changes[0].target, changes[0].after or b"")
    assert problems == ()
    assert question is not None
    book = resolve([question], frozenset(change.target for change in changes[1:]), options or Options())
    assert book.problems == ()
    (visual,) = book.visuals
    return visual


@cases("kind", sorted(STARTERS))
def test_in_an_empty_folder(kind: str) -> None:
    changes = new("cloud-2900", kind, Options())
    suffix = STARTERS[kind].suffix
    assert [(c.target, c.before) for c in changes] == [
        ("questions/cloud-2900.yaml", None),
        (f"visuals/cloud-2900{suffix}", None),
    ]
    visual = built(changes)
    assert (visual.label, visual.kind, visual.output) == ("cloud-2900", kind, "global/cloud-2900.svg")
    assert all(len(line) <= 110 for c in changes for line in (c.after or b"").decode().splitlines()[1:])


def test_in_a_book_with_tracks() -> None:
    there = ["visuals/cloud/a.dot", "visuals/cloud-edge/b.dot", "questions/x/c.yaml", "visuals/d.dot"]
    assert (
        new("cloud-edge-1", "dot", Options(), existing=there)[1].target
        == "visuals/cloud-edge/cloud-edge-1.dot"
    )
    assert new("cloud-1", "dot", Options(), existing=there)[0].target == "questions/cloud/cloud-1.yaml"
    assert new("x-1", "dot", Options(), existing=there)[1].target == "visuals/x/x-1.dot"
    assert new("other", "dot", Options(), existing=there)[1].target == "visuals/other.dot"
    assert (
        new("other", "dot", Options(), existing=there, track="cloud")[1].target == "visuals/cloud/other.dot"
    )


def test_in_a_book_with_folders_of_its_own() -> None:
    options = Options(questions=("q", "r"), visuals=("figures",))
    changes = new("a", "svg", options, track="t")
    assert [change.target for change in changes] == ["q/t/a.yaml", "figures/t/a.svg"]
    assert built(changes, options).source == "figures/t/a.svg"


DRAW = b"""
def draw(n: int = 4, *, kind: Literal["a", "on"] = "on", much: float | None = None, x=[1, 2], end=6 * 7): ...
"""


@pytest.mark.parametrize(
    ("text", "params"),
    [
        (b"def draw(): ...\n", {}),
        (DRAW, {"n": 4, "kind": "on", "much": None, "x": [1, 2]}),
        (b"draw = print\n", {}),
    ],
)
def test_from_a_generator(text: bytes, params: dict[str, object]) -> None:
    changes = new("a", "matplotlib", Options(), generator=("bubble.py", text))
    assert changes[1] == Change("visuals/a.py", None, text)
    assert built(changes).params == params
    assert (b'kind: "on"  # a, "on"\n' in (changes[0].after or b"")) == bool(params)


def test_a_question_speaks_to_whoever_writes_pages() -> None:
    question = (new("cloud-1", "dot", Options())[0].after or b"").decode()
    assert "![](figmill:cloud-1)" in question
    assert not {"scenario:", "question:", "answer:"} & set(question.split())


@pytest.mark.parametrize("generator", ["pipeline_bubble", "queueing"])
def test_what_begins_with_a_generator_builds_and_is_unfinished(space: Space, generator: str) -> None:
    begun = space.run("--root", ".", "new", "a-1", "--from", generator)
    assert begun.code == 0 and begun.out.splitlines()[-1] == "next: figmill --id a-1"
    default = space.run("--id", "a-1", "--format", "json").json["summary"]
    assert (default["rendered"], default["exit"]) == (1, 0)
    findings = space.run("lint", "--format", "json").json["findings"]
    assert ("alt-unfinished", "alt text 'TODO") in [(f["check"], f["message"][4:18]) for f in findings]


@pytest.mark.parametrize("arguments", [(), ("--from", "x")])
def test_a_kind_without_a_starter_is_one_line(
    space: Space, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    copy = tmp_path / "library" / "figmill"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    with_toy_kind(copy)
    done = space.run(
        "--root", ".", "new", "a", "--kind", "bars", *arguments, env={"PYTHONPATH": str(copy.parent)}
    )
    assert done.code == 2
    (line,) = done.err.splitlines()
    said = (
        "there is no generator 'x'; choose one of "
        if arguments
        else "kind bars has no first source; write its "
    )
    assert line.startswith(f"figmill: {said}")
    done = space.run("--root", ".", "new", "a", "--kind", "picture")
    told = "figmill: a figure of kind picture begins with a file of yours: figmill add FILE.png --id a\n"
    assert (done.code, done.err) == (2, told)


@cases(
    ("id_", "kind", "more", "message"),
    [
        (
            "_",
            "dot",
            {},
            "id '_' must be 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-', "
            "with a letter or a digit at both ends",
        ),
        ("a.dark", "dot", {}, "id 'a.dark' must not end in .dark, which marks dark figures"),
        ("a", "dto", {}, "unknown kind 'dto'; did you mean 'dot'?"),
        ("a", "xyz", {}, f"unknown kind 'xyz'; choose one of {', '.join(KINDS)}"),
        ("a", "dot", {"ids": ["a"]}, "there is already a question 'a'; choose another id"),
        ("A", "dot", {"ids": ["a"]}, "there is already a question 'A'; choose another id"),
        (
            "a",
            "dot",
            {"existing": ["questions/a.yaml"]},
            "questions/a.yaml already exists; choose another id, or move that file away first",
        ),
        (
            "a",
            "dot",
            {"existing": ["visuals/A.dot"]},
            "visuals/a.dot already exists; choose another id, or move that file away first",
        ),
        ("a", "dot", {"track": "../x"}, "track '../x' must be a bare name, without folders"),
        (
            "a",
            "dot",
            {"generator": ("x.svg", b"")},
            "kind dot is drawn from .dot or .gv or .py, not from 'x.svg'",
        ),
    ],
)
def test_what_is_not_written(id_: str, kind: str, more: dict[str, object], message: str) -> None:
    with pytest.raises(ToolError) as caught:
        new(id_, kind, Options(), **more)  # type: ignore[arg-type]
    assert str(caught.value) == message


@given(
    st.from_regex(ID, fullmatch=True),
    st.sampled_from(["on", "12", "a b", "x'y", "#", "é", "1e3", "{a}", "cloud"]),
)
def test_any_id_and_track_come_back_as_they_went_in(id_: str, track: str) -> None:
    if id_problem(id_) is None:
        visual = built(new(id_, "dot", Options(), track=track))
        assert (visual.id, visual.track) == (id_, track)


def test_the_plot_draws_and_states_its_facts(tmp_path: Path) -> None:
    script = tmp_path / "plot.py"
    script.write_bytes(STARTERS["matplotlib"].source)
    drawing = runpy.run_path(str(script))["draw"](forward_ms=8, backward_ms=16, reduce_ms=6)
    assert isinstance(drawing, Drawing)
    assert dict(drawing.facts) == {"step_ms": 30, "reduce_share": 0.2}
    width, _ = drawing.figure.get_size_inches()
    assert 7 <= width <= 8


@pytest.mark.parametrize("names", [list(GENERATORS)[start::3] for start in range(3)], ids=range(3))
def test_every_generator_begins_a_figure_that_builds_as_it_is(space: Space, names: list[str]) -> None:
    """A third of them in one book; what each draws is a picture of its own, with words, and no finding."""
    for name in names:
        begin(space.root, name.replace("_", "-"), generators.find(name).kind, None, name)
    ran = space.run("--strict")
    assert (ran.code, ran.err) == (0, ""), ran.err
    pictures = {path: data for path, data in space.outputs().items() if ".dark" not in path}
    assert len(set(pictures.values())) == len(names)
    for path, data in pictures.items():
        root = ET.fromstring(data)
        width, height = float(root.get("width") or 0), float(root.get("height") or 0)
        labels = {"".join(e.itertext()).strip() for e in root.iter(f"{SVG}text")}
        assert 200 <= width <= 1200 and 0.2 <= width / height <= 5, path
        assert len(labels) >= 5, path


def test_the_ring_of_collective_is_a_ring(space: Space) -> None:
    assert space.run("new", "ring", "--from", "collective").code == 0
    assert space.run().code == 0
    root = ET.fromstring(space.read("build/global/ring.svg"))
    ranks = [e for e in root.iter(f"{SVG}text") if "".join(e.itertext()).startswith("Rank ")]
    assert len(ranks) == 8
    rows = {float(rank.get("y") or 0) for rank in ranks}
    columns = {float(rank.get("x") or 0) for rank in ranks}
    assert (len(rows), len(columns)) == (2, 4)  # there and back, not one behind the other


@pytest.mark.parametrize("kind", ["dot", "svg"])
def test_starters_are_in_the_palette(kind: str) -> None:
    source = STARTERS[kind].source.decode()
    assert "<compute" not in source
    assert all(
        role.fill in source and role.line in source for role in ROLES if role.name in ("compute", "data")
    )


def test_the_drawing_is_on_its_grid() -> None:
    root = ET.fromstring(STARTERS["svg"].source)
    boxes = [e for e in root.iter() if e.tag.endswith("rect")]
    assert boxes
    assert all(float(box.get(key) or 0) % 10 == 0 for box in boxes for key in ("x", "y", "width", "height"))
