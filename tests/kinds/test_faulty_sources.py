"""What no figure can hold is the author's error at its line, in every kind: characters, numbers, depth, circles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.book import PLOT, Space
from helpers.kind_sources import exported

from figmill.errors import AuthorError
from figmill.kind import tables
from figmill.kind.job import Job, Raw
from figmill.kind.script import TOO_DEEP
from figmill.kind.source_text import DEEPEST, UNFIT, is_deep, json_value, unescaped
from figmill.kinds import KINDS
from figmill.kinds.drawing import DEEP, drawn
from figmill.svg.xml.prolog import FORBIDDEN
from figmill_kinds.wavedrom import reading


def scene(**element: Any) -> str:
    box = {"type": "text", "id": "a", "x": 0, "y": 0, "width": 50, "height": 30, "text": "a", "fontSize": 20}
    return json.dumps({"type": "excalidraw", "elements": [{**box, **element}]}, indent=1)


CHART = (
    '{"data": {"values": [\n{"a": %s}]}, "mark": "bar", "encoding": {"x": {"field": "a", "type": "nominal"}}}'
)
UNFIT_SIGN = "character U+%s is not allowed in a figure"
TOO_LARGE = "this number is too large; the largest has 309 digits"
LISTS = f"lists and objects lie more than {DEEPEST} deep in each other"
# File, its source, and the line with what is told of it.
FAULTS = {
    "x.excalidraw": [
        (scene(x=10**400), f":7:9: {TOO_LARGE}"),
        (scene(x=0).replace('"x": 0', '"x": ' + "9" * 5000), f":7:9: {TOO_LARGE}"),
        (scene(text="\ud800"), ":11:12: this text has half of a character, \\ud800; write the whole"),
        (scene(text="a\x0bb"), ":11:14: " + UNFIT_SIGN % "000B"),
        (scene(text="\ufffe"), ":11:13: " + UNFIT_SIGN % "FFFE"),
        (scene(x=float("nan")), ":7:9: not JSON: NaN is not a number; write null"),
        (scene(groups=json.loads("[" * 200 + "]" * 200)), LISTS),
        ("[" * 100_000 + "]" * 100_000, f":1:101: {LISTS}"),
    ],
    "x.vl.json": [
        (CHART % ("9" * 400), f":2:7: {TOO_LARGE}"),
        (CHART % "1e999", f":2:7: {TOO_LARGE}"),
        (CHART % '"\\udc00"', ":2:7: this text has half of a character, \\udc00; write the whole"),
    ],
    "x.bob": [
        ("+--+\n+-\x01-+\n", ":2:3: " + UNFIT_SIGN % "0001"),
        ("a\ufffe", ":1:2: " + UNFIT_SIGN % "FFFE"),
    ],
    "x.dot": [
        ("graph {\n a [image=/]\n}", ":2:11: '/' is allowed only in quotes"),
        (
            f'graph {{\n a [image="{"a" * 5000}.png"]\n}}',
            ":2:5: attribute 'image' is refused: a picture is a PNG",
        ),
        (
            f'graph {{\n a [label=<<img src="{"a/" * 2500}b.png"/>>]\n}}',
            ":2:11: <IMG> is refused: a picture is",
        ),
    ],
    "x.ebnf": [("a = 'b\x0c' ;", ":1:7: " + UNFIT_SIGN % "000C")],
    "x.drawio": [
        ("<mxfile>\n<diagram>", ":2:10: not XML: "),
        (
            '<mxfile>\n<diagram name="x">!!</diagram></mxfile>',
            ":2: page 'x' cannot be read; save the file again",
        ),
        (
            f"<mxGraphModel><root>{'<mxCell/>' * 20_001}</root></mxGraphModel>",
            ":1: has 20,001 cells; a figure has at most 20,000",
        ),
    ],
    "x.mmd": [('flowchart LR\n a["x\ufffey"]\n', ":2:6: " + UNFIT_SIGN % "FFFE")],
    "x.wavedrom": [
        ('{signal:[\n{name:"a\\u0001b",wave:"01"}]}', ":2:9: " + UNFIT_SIGN % "0001"),
        ("{signal:[\n{name:'\\ud800',wave:'01'}]}", ":2:8: " + UNFIT_SIGN % "D800"),
        (
            "{signal:[\n{name:['tspan',{'a b':1},'x'],wave:'01'}]}",
            ":2:18: 'a b' is not the name of an element or an",
        ),
        (
            "{signal:[{wave:'01'}],\nfoot:{text:[[]]}}",
            ": '[]' is not an element of SVG, like ['tspan', 'words']",
        ),
        ("{signal:[{wave:'01'}],\nfoot:{text:[['tspan','a'],5]}}", ": '5' is not an element of SVG, like"),
        (
            "{signal:[\n{name:['<i>','x'],wave:'01'}]}",
            ":2:9: '<i>' is not the name of an element or an attribute",
        ),
        (
            "{signal:" + "['g'," * 150 + "{}" + "]" * 150 + "}",
            f"groups lie more than {DEEPEST} deep in each other",
        ),
    ],
}
ROWS = [(name, source, told) for name, rows in FAULTS.items() for source, told in rows]


def test_it_is_told_at_its_line(space: Space) -> None:
    files = {f"visuals/f{number}{name[1:]}": row for number, (name, *row) in enumerate(ROWS)}
    for number, (file, (source, _)) in enumerate(files.items()):
        space.write({file: source}).question(f"a{number}", f"source: {Path(file).name}, alt: words")
    done = space.run()
    said = {file: [row for row in done.err.splitlines() if row.startswith(f"{file}:")] for file in files}
    wrong = {
        file: said[file] for file, (_, told) in files.items() if [told in row for row in said[file]] != [True]
    }
    assert (done.code, wrong, len(done.err.splitlines())) == (1, {}, len(ROWS)), done.err


WITHOUT_A_FAULT = {
    "e.excalidraw": scene(note="\u0001\ufffe", big=10**30),  # what nobody sees
    "a.bob": "+--+\n",
    # edges that are no list are none
    "edges.wavedrom": "{signal:[{name:'a',wave:'01'}],edge:{}}",
    "number.wavedrom": "{signal:[{name:'a',wave:'01'}],edge:5}",
    "path.d2": f'a: "@{"x/" * 2500}y"',  # a name that no file can have names no file
}


def test_what_harms_no_figure_may_be_there(space: Space) -> None:
    for name, source in WITHOUT_A_FAULT.items():
        space.write({f"visuals/{name}": source})
        space.question(name.partition(".")[0], f"source: {name}, alt: words")
    done = space.run()
    assert done.code == 0, done.err


def test_a_period_beyond_numbers_counts_as_none() -> None:
    diagram = reading.diagram({"signal": [{"wave": "0101", "period": 1e308}]}, "", "x")
    assert reading.facts(diagram) == {"signals": 1, "ticks": 4}


def test_a_script_that_reads_a_file_without_a_name_in_unicode_is_told(space: Space) -> None:
    reading = "from pathlib import Path\nPath(__file__).with_name('\\udcff').read_text()\n"
    space.write({"visuals/a.py": f"{reading}1 / 0\n", "visuals/b.py": f"{reading}{PLOT}"})
    (space.root / "visuals/\udcff").touch()
    for name in ("a", "b"):
        space.question(name, f"source: {name}.py, kind: matplotlib, alt: words")
    told = [line for line in space.run().err.splitlines() if line.startswith("visuals")]
    assert told[0] == "visuals/a.py:3: ZeroDivisionError: division by zero"
    assert told[1] == "visuals/b.py: the path 'visuals/\\udcff' is not UTF-8; rename that file"


@pytest.mark.parametrize(
    ("text", "line"),
    [(f"import {'schemdraw.' * 1500}x\n", 1), ("def f():\n    f()\n\n\nf()  # schemdraw\n", 2)],
)
def test_a_script_that_is_too_deep_is_told_at_its_line(space: Space, text: str, line: int) -> None:
    space.write({"visuals/a.py": text}).question("a", "source: a.py, kind: schemdraw, alt: words")
    assert space.run().err.splitlines()[0] == f"visuals/a.py:{line}: {TOO_DEEP}"


def test_show_in_a_script_is_an_error_at_its_line(space: Space) -> None:
    space.write({"visuals/a.py": "import figmill\nfigmill.show('a')\n"})
    space.question("a", "source: a.py, kind: matplotlib, alt: words")
    done = space.run()
    assert (
        done.code == 1
        and "visuals/a.py:2: figmill.show() shows a built figure in a notebook; leave it" in done.err
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12345678901234567890123", 1.2345678901234568e22),
        ("9007199254740993", 9007199254740993),
        ("null", None),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ("1e300", 1e300),
    ],
)
def test_json_is_read_as_javascript_reads_it(text: str, value: object) -> None:
    assert json_value(text, "x") == value


def test_notebooks_hold_what_python_writes() -> None:
    assert json_value('[NaN, "\\ud800", 1e999]', "x", strict=False)[1:] == ["\ud800", float("inf")]
    with pytest.raises(AuthorError, match="x:1:101: lists and objects"):
        json_value("[" * 5000 + "]" * 5000, "x", strict=False)


def test_a_renderer_that_runs_out_of_stack_blames_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(job: Job, root: Path) -> Raw:
        return endless(job, root)

    (tmp_path / "x.excalidraw").write_text(scene())
    monkeypatch.setattr("figmill_kinds.excalidraw.renderer.render", endless)
    with pytest.raises(AuthorError, match=DEEP):
        drawn(Job("excalidraw", "x.excalidraw", "file"), tmp_path)


LONG = "9" * 5000  # digits; Python reads no integer of so many


def test_a_character_of_any_number_is_one() -> None:
    assert unescaped(f"&#{LONG};&#x{LONG};&#{'0' * 5000}65;&#x41;&amp;") == "\ufffd\ufffdAA&"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("dot", f'digraph {{ a [label="&#{LONG};"] }}'),
        pytest.param("d2", f"a: &#{LONG};", marks=pytest.mark.soak),
        pytest.param("mermaid", f"flowchart LR\n  A[a #{LONG}; b] --> B", marks=pytest.mark.soak),
    ],
    ids=["dot", "d2", "mermaid"],
)
def test_a_character_of_any_number_is_no_failure_of_a_kind(tmp_path: Path, kind: str, text: str) -> None:
    name = f"x{KINDS[kind].suffixes[0]}"
    (tmp_path / name).write_text(text)
    KINDS[kind].load().warm([])
    try:
        drawn(Job(kind, name, "file"), tmp_path)
    except AuthorError as error:
        assert "figmill itself" not in str(error)


def test_depth_is_counted_without_depth() -> None:
    value: list[Any] = []
    for _ in range(10**5):
        value = [value]
    assert is_deep(value) and not is_deep([[{"a": [1]}]], 4) and is_deep([[{"a": [1]}]], 3)
    while value:  # Python frees deep lists one in another
        value = value.pop()


def test_words_that_are_no_fact_are_made_one(tmp_path: Path) -> None:
    title = "a\x85b" + "c" * 2000
    (tmp_path / "x.excalidraw").write_text(scene())
    diagram = f'<mxfile><diagram name="{title}"><mxGraphModel><root/></mxGraphModel></diagram></mxfile>'
    (tmp_path / "x.drawio").write_text(diagram)
    (tmp_path / "x.svg").write_text(exported(diagram, "a"))
    fact = drawn(Job("drawio", "x.drawio", "file"), tmp_path).facts["page"]
    assert isinstance(fact, str) and fact.startswith("a bccc") and len(fact) == 1000


def test_the_largest_numbers_are_cells_of_a_table() -> None:
    numbers = (1.7e308, -1.7e308, 10**14, 10**400, float("inf"))
    (cells,) = zip(*tables.table("T", ["a"], [[number] for number in numbers]).rows, strict=True)
    assert cells[:3] == (1.7e308, -1.7e308, 10**14) and isinstance(cells[3], str) and cells[4] is None
    packed = tables.packed([tables.table("T", ["a"], [[number] for number in numbers])])
    assert tables.unpacked(packed)[0].rows[0] == (1.7e308,)
    with pytest.raises(tables.WrongTableError):
        tables.unpacked([["T", ["a"], [[10**400]], "rows", 1]])


def test_kinds_and_figures_refuse_the_same_characters() -> None:
    def of(pattern: Any) -> set[int]:
        return {code for code in range(0x10000) if pattern.match(chr(code))}

    surrogates = set(range(0xD800, 0xE000))
    assert of(UNFIT) - surrogates == of(FORBIDDEN) - surrogates
