"""Diagrams of WaveDrom: waves, registers, logic; in the palette, with whole labels; errors at their line."""

from __future__ import annotations

import json
import re

import pytest
from helpers.book import Ran, Space
from lxml import etree

from figmill_kinds.wavedrom import bricks, drawing, room
from figmill_kinds.wavedrom import renderer as wavedrom

pytest.importorskip("py_mini_racer")

WAVES = """{
  // comments and names without quotes, as WaveDrom has them
  head: {text: 'A transfer', tick: 0},
  signal: [
    {name: 'clk', wave: 'P.......'},
    ['bus',
      {name: 'addr', wave: 'x3.4.5x.', data: ['first', 'next', 'last'], node: '.a...b'},
      {name: 'req', wave: '0<1.>.0|1.', phase: 0.5, period: 1},
    ],
    {},
    {name: 'a<b & c', wave: 'z2.=.uud', data: 'one two', over: '.2..0'},
  ],
  edge: ['a~>b takes 3'],
  foot: {text: ['tspan', 'Figure ', ['tspan', {class: 'error'}, '1']]},
  config: {hscale: 2},
}
"""
REGISTER = "{reg: [{bits: 7, name: 0x37, attr: ['OP']}, {bits: 5, name: 'rd', type: 2}, {bits: 4}], config: {bits: 16}}"
LOGIC = "{assign: [['out', ['|', ['&', ['~', 'a'], 'b'], ['NAND', 'c', 'd']]]]}"
MADE = (
    "(function () {\n  var rows = [];\n  for (var i = 0; i < 3; i++) {\n"
    "    rows.push({name: 'b' + i, wave: '01'});\n  }\n  var head = {text: Math.random().toFixed(4)};\n"
    "  return {signal: rows, head: head};\n})();\n"
)
SOURCES: dict[str, tuple[str, dict[str, object]]] = {
    "waves": (WAVES, {"signals": 4, "ticks": 8, "title": "A transfer"}),
    "register": (REGISTER, {"fields": 2, "bits": 16}),
    "logic": (LOGIC, {"gates": 4}),
    "made": (MADE, {"signals": 3, "ticks": 2}),
}


def with_diagrams(space: Space, sources: dict[str, str]) -> Space:
    space.write({f"visuals/{name}.wavedrom": source for name, source in sources.items()})
    for name in sources:
        space.question(name, f"source: {name}.wavedrom, alt: A diagram of {name}.")
    return space


@pytest.mark.parametrize(
    "again", [["waves"], pytest.param([*SOURCES][::-1], marks=pytest.mark.soak)], ids=["one", "all"]
)
def test_diagrams_are_drawn_counted_and_the_same_after_others(space: Space, again: list[str]) -> None:
    with_diagrams(space, {name: source for name, (source, _) in SOURCES.items()})
    done = space.run("--jobs", "1")
    assert done.code == 0, done.err
    assert not re.search(r"\[(text-|dropped|left-out|contrast)", done.err), done.err
    first = space.outputs()
    rows = {row["id"]: row["facts"] for row in json.loads(space.read("build/manifest.json"))["figures"]}
    for name, (_, expected) in SOURCES.items():
        assert expected.items() <= rows[name].items(), (name, rows[name])
    text = "".join(etree.fromstring(first["build/global/waves.svg"]).itertext())
    assert "a<b & c" in text and "takes 3" in text
    assert "#fdebd0" in space.read("build/global/waves.svg") and "#4b3512" in space.read(
        "build/global/waves.dark.svg"
    )
    for name in again:
        assert space.run("--force", "--id", name).code == 0
    assert space.outputs() == first


MISTAKES = [
    (
        "{signal: [\n  {name: 'a' wave: '01'},\n]}",
        "2:14: 'wave' is not expected here; is a comma missing before it?",
    ),
    ("{signal: [\n  {name: 'a, wave: '01'},\n]}", "2:"),
    ("{signal: [\n  {name: 'a'}\n", "2: the file ends too early; is a '}' or a ']' missing?"),
    ("{signals: []}", "1:2: WaveDrom has no 'signals'; did you mean 'signal'?"),
    ("[1]", "1: this is not a diagram; write `{signal: [...]}` for waves"),
    ("{reg: [{name: 'x'}]}", "1:16: each field needs its number of `bits`"),
    ("{signal: rows}", "1:10: this source cannot be evaluated: rows is not defined"),
    ("{signal: [{wave: 5}]}", "wave must be a text, like '01.', not 5"),
    (" \n", "1: the file is empty; begin with a signal"),
]


def test_mistakes_are_told_at_their_line(space: Space) -> None:
    with_diagrams(space, {f"m{number}": source for number, (source, _) in enumerate(MISTAKES)})
    told = [line for line in space.run().err.splitlines() if line.startswith("visuals/")]
    for number, (source, message) in enumerate(MISTAKES):
        line = next((line for line in told if line.startswith(f"visuals/m{number}.wavedrom")), "")
        assert message in line, (source, line)


def test_what_wavedrom_passes_over_is_told(space: Space) -> None:
    with_diagrams(space, {"a": "{signal: [\n {name: 'a', wave: '0q1', node: 'a'}],\n edge: ['a->z gone']}"})
    err = space.run("--verbose").err
    assert "visuals/a.wavedrom:2: wave '0q1' has the state 'q', which WaveDrom draws as x" in err
    assert "visuals/a.wavedrom:3: the edge 'a->z gone' is left out, because no lane has the node z" in err


def test_an_endless_source_ends_at_its_time(space: Space) -> None:
    with_diagrams(space, {"a": "(function () { while (true) {} })()"})
    space.question("a", "source: a.wavedrom, alt: A diagram, timeout: 2")
    done = space.run()
    assert done.code == 1 and re.search(r"2 s", done.err), done.err


def test_pieces_of_one_state_become_one_shape() -> None:
    full, begin, end = "M20,20 0,20 0,0 20,0", "M9,0 20,0 20,20 3,20 z", "M0,20 0,0 3,0 9,20"
    line = "m0,20 20,0"
    wave = [
        (0, [(begin, "s7"), (line, "s1")]),
        (20, [(full, "s7")]),
        (40, [(end, "s7"), (line, "s1")]),
        (60, [(begin, "s7")]),
    ]
    shapes = list(bricks.paths(wave))
    assert [word for word, _ in shapes] == ["s7", "s7", "s1"]
    assert (
        shapes[0][1].startswith("M9 0 20 0 20 20 3 20z M40 20") and shapes[2][1] == "M0 20l20 0 M40 20l20 0"
    )
    assert bricks.span("m0,20 3,0 C 7,10 10,0 20,0") == (0, 20)


def test_every_state_and_type_has_a_colour_of_the_palette(space: Space) -> None:
    """WaveDrom has seven colours and the palette six roles: the seventh is a stronger tone of one."""
    fields = ", ".join(f"{{name: 'f{n}', bits: 4, type: {n}}}" for n in range(2, 8))
    states = "{signal: [{name: 'a', wave: '3456789', data: 'a b c d e f g'}]}"
    with_diagrams(space, {"states": states, "types": f"{{reg: [{fields}], config: {{bits: 24}}}}"})
    assert space.run().code == 0
    assert "off-palette" not in space.run("lint", "--verbose").err
    for name in ("states", "types"):
        light = space.read(f"build/global/{name}.svg")
        assert 'fill-opacity="0.35"' in light and "#ffe0b9" not in light and "#00ffd5" not in light


def test_the_bits_of_a_register_are_as_wide_as_their_names() -> None:
    narrow = {"reg": [{"bits": 31}, {"bits": 1, "name": "CPK"}]}
    (wide, name) = (room.with_room(narrow)["config"]["hspace"], "WWWWWWWWWWWW")
    assert 1000 < wide < 1600
    assert (
        room.with_room({"reg": [{"bits": 31}, {"bits": 1, "name": name}]})["config"]["hspace"] == room.WIDEST
    )
    for value in (
        {"reg": [{"bits": 31}, {"bits": 1, "name": "C"}]},
        {"reg": [{"bits": 31}, {"bits": 1, "name": name, "rotate": -90}]},
        {**narrow, "config": {"hspace": 700}},
        {"signal": [{"name": name}]},
    ):
        assert room.with_room(value) == value


def test_the_words_of_an_edge_have_room_in_their_box() -> None:
    """Its line ends at the box; the box of a node's letter stays small, because an arrow ends close to it."""
    box = {"x": -10, "y": -5, "width": 20, "height": 11, "style": "fill:#FFF;"}
    drawn = [
        "svg",
        {},
        ["g", {}, ["rect", box], ["text", {}, "t1"]],
        ["g", {}, ["rect", box], ["text", {}, "a"]],
    ]
    root = etree.fromstring(drawing.svg(drawn))
    assert [(rect.get("x"), rect.get("width")) for rect in root.iter("{*}rect")] == [
        ("-13", "26"),
        ("-10", "20"),
    ]


SUB = """{ "signal": [
  { "name": "A", "wave": "l.h.l....." },
  { "name": "D<sub>Out</sub>", "wave": "h.l.h.....", "node": ".a.b......" },
  { "name": "Y<sub>Ideal</sub>", "wave": "1.0.1.....", "phase": -0.2 }
 ],
 "edge": ["a<->b t<sub>hlf</sub>"],
 "config": { "hscale": 1, "skin": "narrow" }
}
"""
ASSIGN = """{ assign:[
  ["Short", ["|", "short1", "short2_a"]],
  ["really_not_so_long_name", ["|", "longer_name", "even_more_longer_name"]],
  ["out", ["&", ["~", "First Input of the gate"], "Good signal"]]
]}
"""


def test_markup_in_a_label_takes_no_room(together: tuple[Space, Ran]) -> None:
    sub, plain = (of(together, name) for name in ("sub", "plain"))
    boxes = [[float(box.get("width", 0)) for box in root.iter("{*}rect")] for root in (sub, plain)]
    # The first is the page; letters of nodes have 10.
    widths = [width for width in boxes[0][1:] if width > 12]
    assert widths and max(widths) < max(boxes[1][1:]) < 35
    assert float(sub.get("width", 0)) <= float(plain.get("width", 0))


EVERYWHERE = {
    "signal": """{ signal: [["g<sub>1</sub>",
  { name: "n<sub>2</sub>", wave: "=.=.", data: "d<sub>3</sub> d<b>4</b>", node: "a.b." },
  { name: "m", wave: "==..", data: ["d<sup>5</sup>", "e<i>6</i>"] }]],
  edge: ["a~>b t<sub>7</sub>"], head: { text: "h<sub>8</sub>" } }""",
    "reg": "{ reg: [{ bits: 8, name: 'f<sub>9</sub>', attr: 'x<sub>1</sub>' }] }",
    "assign": "{ assign: [['o<sub>2</sub>', ['&', 'i<sub>3</sub>', 'j<o>4</o>']]] }",
}


GATES = {name: f"{{assign: [['out', ['{name.upper()}', 'c', 'd']]]}}" for name in ("nand", "and")}
SKINS = ["dark", "default", "lowkey", "narrow", "narrower", "narrowerer"]
# Sources that have no mistake, in one book.
TOGETHER = {
    "sub": SUB,
    "plain": SUB.replace("<sub>", "").replace("</sub>", ""),
    **EVERYWHERE,
    "names": ASSIGN,
    **GATES,
    **{skin: f"{{signal: [{{name: 'a', wave: '01.2x'}}], config: {{skin: '{skin}'}}}}" for skin in SKINS},
}


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> tuple[Space, Ran]:
    """The book of them, built, and what was said. Not to be changed."""
    space = with_diagrams(Space(tmp_path_factory.mktemp("together")), TOGETHER)
    done = space.run("--verbose")
    assert done.code == 0, done.err
    return space, done


def of(built: tuple[Space, Ran], name: str) -> etree._Element:
    return etree.fromstring(built[0].read(f"build/global/{name}.svg").encode())


def said(built: tuple[Space, Ran]) -> list[str]:
    """What was said of others than the skins, whose colours are their own."""
    skins = tuple(f"visuals/{skin}.wavedrom:" for skin in SKINS)
    return [row for row in built[1].err.splitlines() if not row.startswith(skins)]


def test_markup_in_a_label_is_no_part_of_its_words(together: tuple[Space, Ran]) -> None:
    assert said(together) == []
    marked = {name: "".join(of(together, name).itertext()) for name in EVERYWHERE}
    assert [name for name, drawn in marked.items() if "sub>" in drawn] == []
    assert "sub>" not in together[0].read("build/manifest.json")


def test_long_names_in_logic_are_whole(together: tuple[Space, Ran]) -> None:
    assert said(together) == []
    text = "".join(of(together, "names").itertext())
    for name in (
        "really_not_so_long_name",
        "even_more_longer_name",
        "First Input of the gate",
        "Good signal",
    ):
        assert name in text


def test_the_bubble_of_an_inverting_box_is_at_its_output(together: tuple[Space, Ran]) -> None:
    paths = {name: [str(path.get("d")) for path in of(together, name).iter("{*}path")] for name in GATES}
    bubble = [d for d in paths["nand"] if "a" in d.lower() and d not in paths["and"]]
    assert len(bubble) == 1 and re.search(r"[zZ]\s*M\s*6[ ,]0", bubble[0]), paths


def test_each_skin_of_the_package_is_drawn(together: tuple[Space, Ran]) -> None:
    assert sorted(path.stem for path in (wavedrom.FOLDER / "skins").glob("*.js")) == SKINS
    widths = {name: float(of(together, name).get("width", 0)) for name in SKINS}
    assert widths["narrowerer"] < widths["narrower"] < widths["narrow"] < widths["default"]
