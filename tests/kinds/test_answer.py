"""No answer is believed: whatever a script's process sends for a drawing, it is that figure's error, in one line."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from helpers.book import PLOT, Space
from helpers.cases import cases
from helpers.examples import examples
from hypothesis import given
from hypothesis import strategies as st

from figmill import cluster
from figmill.cluster.bundle import Errand, pack
from figmill.errors import AuthorError
from figmill.kind.answer import (
    DIGITS,
    FACTS,
    ITEMS,
    PATH,
    TEXT,
    TRACED,
    Broken,
    Ended,
    WrongAnswerError,
    answer_of,
    facts_of,
    raw_of,
)
from figmill.kind.job import Job, Raw, Remark
from figmill.model import Origin
from figmill.render.results import Drawn, NotDrawn, Result

# A script that finds its own connection to figmill, as any script can, and answers in the place of figmill.
FORGER = """\
import os
import socket
import stat
import struct
import sys


def numbered(header):
    # the answer with the number of the question, where figmill's own frames hold one
    frame = sys._getframe()
    while frame is not None:
        for value in list(frame.f_locals.values()):
            if isinstance(value, dict) and isinstance(value.get("number"), str) and header[:1] == b"{{":
                comma = b"" if header == b"{{}}" else b", "
                return b'{{"number": "' + value["number"].encode() + b'"' + comma + header[1:]
        frame = frame.f_back
    return header


def draw():
    header = numbered({header})
    payload = {payload!r}
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        try:
            if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                continue
        except OSError:
            continue
        line = socket.socket(fileno=os.dup(descriptor))
        line.sendall(struct.pack(">II", len(header), len(payload)) + header + payload)
    os._exit(0)
"""
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="5" height="4" fill="#ccc"/></svg>'
WELL = {"facts": {"n": 1}, "traced": ["visuals/data.csv", "visuals/", "./"], "printed": ""}
FAILED = {"origin": {"path": "visuals/x.py"}, "message": "m", "detail": ""}


def drawn(**changed: Any) -> dict[str, Any]:
    return {**WELL, **changed}


def failed(**changed: Any) -> dict[str, Any]:
    return {"failed": {**FAILED, **changed}, "printed": ""}


# What a process sends for an answer -> words of the message that comes of it.
WRONG: dict[str, tuple[Any, str]] = {
    "a list": ([], "the answer is a list"),
    "a number": (5, "the answer is a number"),
    "text": ("ended", "the answer is text"),
    "null": (None, "the answer is null"),
    "nothing": ({}, "has no facts"),
    "facts a number": (drawn(facts=1), "facts is a number"),
    "facts alone": ({"facts": 1}, "facts is a number"),
    "facts a list": (drawn(facts=[["n", 1]]), "facts is a list"),
    "a nested fact": (drawn(facts={"n": {"m": 1}}), "fact 'n' is a mapping"),
    "a list in a list": (drawn(facts={"n": [[1]]}), "fact 'n' is a list"),
    "a name with blanks": (drawn(facts={"a b": 1}), "a name is letters"),
    "a long name": (drawn(facts={"n" * 101: 1}), "a name is letters"),
    "a lone surrogate": (drawn(facts={"n": "\ud800"}), "U+D800"),
    "a line end": (drawn(facts={"n": "a\n::error::b"}), "U+000A"),
    "an escape": (drawn(facts={"n": "\x1b[2J"}), "U+001B"),
    "a long text": (drawn(facts={"n": "x" * (TEXT + 1)}), "1,001 characters"),
    "not a number": (drawn(facts={"n": float("nan")}), "must be finite"),
    "without an end": (drawn(facts={"n": float("-inf")}), "must be finite"),
    "400 digits": (drawn(facts={"n": 10**400}), "100 digits"),
    "a long list": (drawn(facts={"n": [0] * (ITEMS + 1)}), "257 values"),
    "many facts": (drawn(facts={f"n{i}": 0 for i in range(FACTS + 1)}), "1,001 facts"),
    "much text": (
        drawn(facts={f"n{i}": ["x" * TEXT] * ITEMS for i in range(9)}),
        "characters; a figure states",
    ),
    "no traced": ({"facts": {}, "printed": ""}, "has no traced"),
    "traced a text": (drawn(traced="visuals/x.py"), "traced is text"),
    "traced a number": (drawn(traced=[1]), "a path is a number"),
    "traced absolute": (drawn(traced=["/dev/zero"]), "'/dev/zero' is not below the book's root"),
    "traced upwards": (drawn(traced=["visuals/../../../dev/zero"]), "not below the book's root"),
    "traced empty": (drawn(traced=[""]), "not below the book's root"),
    "traced the root": (drawn(traced=["/"]), "not below the book's root"),
    "traced a dot": (drawn(traced=["."]), "not below the book's root"),
    "traced with NUL": (drawn(traced=["visuals/\0"]), "not below the book's root"),
    "traced long": (drawn(traced=["x/" * PATH]), "not below the book's root"),
    "traced no UTF-8": (drawn(traced=["visuals/\udcff"]), "not UTF-8"),
    "traced by the thousand": (drawn(traced=["x"] * (TRACED + 1)), "100,001 files"),
    "printed a number": (drawn(printed=5), "printed is a number"),
    "printed a list": (drawn(printed=["x"]), "printed is a list"),
    "remarks a number": (drawn(remarks=1), "remarks is a number"),
    "remarks by the thousand": (drawn(remarks=[["graphviz", "m", 1]] * 1000), "1,000 remarks"),
    "a remark of two": (drawn(remarks=[["graphviz", "m"]]), "not a check, a message and a line"),
    "a remark of a text": (drawn(remarks=["abc"]), "not a check, a message and a line"),
    "a remark of no check": (drawn(remarks=[["Graph viz", "m", 1]]), "'Graph viz' is not a check"),
    "a remark at a word": (drawn(remarks=[["graphviz", "m", "1"]]), "line is text"),
    "a remark without words": (drawn(remarks=[["graphviz", None, 1]]), "message is null"),
    "ended at a peak of words": ({"ended": 0, "why": "", "printed": "", "peak": "much"}, "peak is text"),
    "failed a number": ({"failed": 1, "printed": ""}, "failed is a number"),
    "failed empty": ({"failed": {}, "printed": ""}, "has no origin"),
    "failed nowhere": (failed(origin=None), "origin is null"),
    "failed elsewhere": (failed(origin={"path": "/etc/passwd"}), "not below the book's root"),
    "failed at a word": (failed(origin={"path": "x.py", "line": "3"}), "line is text"),
    "failed at minus": (failed(origin={"path": "x.py", "line": -3}), "line is a number"),
    "failed at true": (failed(origin={"path": "x.py", "column": True}), "column is true or false"),
    "failed without words": (failed(message=None), "message is null"),
    "failed with a list": (failed(detail=[]), "detail is a list"),
    "failed in silence": ({"failed": FAILED}, "has no printed"),
    "ended by a word": ({"ended": "9", "why": "", "printed": ""}, "ended is text"),
    "ended far out": ({"ended": 10**9, "why": "", "printed": ""}, "ended is a number"),
    "ended without why": ({"ended": 0, "printed": ""}, "has no why"),
    "broken by a number": ({"broken": 5}, "broken is a number"),
}

DEEP = b'{"facts": {"n": ' + b"[" * 200_000 + b"]" * 200_000 + b"}}"
HUGE = b'{"facts": {"n": ' + b"9" * 5_000 + b'}, "traced": [], "printed": ""}'


@cases("name", WRONG)
def test_what_is_no_answer_is_told_in_words(name: str) -> None:
    header, words = WRONG[name]
    with pytest.raises(WrongAnswerError) as caught:
        answer_of(header, SVG)
    assert words in str(caught.value) and len(str(caught.value)) < 200


def test_every_malformed_answer_is_its_figures_error_and_the_others_are_built(space: Space) -> None:
    sent = {name: (json.dumps(header).encode(), words) for name, (header, words) in WRONG.items()}
    sent |= {"deep": (DEEP, ""), "5000 digits": (HUGE, ""), "no JSON": (b"{", ""), "no UTF-8": (b"\xff", "")}
    for number, header in enumerate(header for header, _ in sent.values()):
        space.write({f"visuals/f{number}.py": FORGER.format(header=header, payload=SVG)})
        space.question(f"f{number}", f"kind: matplotlib, source: f{number}.py, alt: a forged answer")
    space.write({"visuals/b.py": PLOT})
    space.question("good", "kind: matplotlib, source: b.py, alt: 'a line, half is {half:.1f}'")
    done = space.run("--format", "json", "--jobs", "1")
    assert (done.code, done.err) == (1, "")
    rows = {row["id"]: row for row in done.json["figures"]}
    assert len(rows) == len(sent) + 1 and rows["good"]["status"] == "rendered"
    for number, (name, (_, words)) in enumerate(sent.items()):
        row = rows[f"f{number}"]
        assert row["status"] == "failed" and row["error"]["file"] == f"visuals/f{number}.py", name
        message = row["error"]["message"]
        assert "\n" not in message and len(message) < 300, name
        assert words in message or not isinstance(WRONG.get(name, ({},))[0], dict), (
            name
        )  # said before the schema is
    some = [word for number in range(0, len(sent), 8) for word in ("--id", f"f{number}")]
    again = space.run(*some, "--jobs", "1")  # as lines of text
    assert again.code == 1 and "Traceback" not in again.err + again.out
    assert set(space.outputs()) == {"build/global/good.svg", "build/global/good.dark.svg"}


def test_what_is_right_comes_back_as_it_was() -> None:
    facts = {
        "n": 10**DIGITS - 1,
        "f": -1e308,
        "s": "x" * TEXT,
        "l": [None, True, "ü", 0.5] * (ITEMS // 4),
        "ß": None,
    }
    assert answer_of(drawn(facts=facts, printed="a\x1b\nb"), SVG) == Raw(
        SVG, facts, "a\x1b\nb", ("visuals/data.csv", "visuals/", "./")
    )
    remarks = [["graphviz", "words", 3], ["empty-graph", "more", None]]
    told = answer_of(drawn(remarks=remarks), SVG)
    assert isinstance(told, Raw) and told.remarks == (
        Remark("graphviz", "words", 3),
        Remark("empty-graph", "more"),
    )
    assert raw_of(told.header(), SVG) == told
    error = answer_of(
        {**failed(origin={"path": "x.py", "line": 3, "column": None}, detail="d"), "printed": "s\n"}, b""
    )
    assert isinstance(error, AuthorError) and (str(error), error.detail) == ("x.py:3: m", "d\ns")
    assert answer_of({"ended": -9, "why": "", "printed": "s"}, b"") == Ended(-9, "", "s")
    assert answer_of({"ended": -9, "why": "", "printed": "s", "peak": 7}, b"") == Ended(-9, "", "s", 7)
    assert answer_of({"broken": "Traceback"}, b"") == Broken("Traceback")


def test_words_for_people_are_cut_and_never_refused() -> None:
    """An exception's message can be of any length, and hold any half of a character; the author still reads it."""
    error = answer_of(failed(message="\ud800" + "x" * 10**6, detail="y" * 10**6), b"")
    assert isinstance(error, AuthorError)
    assert error.message.startswith("\\ud800xxx") and len(error.message + error.detail) < 20_000
    raw = raw_of(drawn(printed="\udcff" * 10**6), SVG)
    assert len(raw.printed) < 10**6 and raw.printed.encode()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
keys = st.sampled_from(
    [
        "facts",
        "traced",
        "printed",
        "failed",
        "origin",
        "path",
        "line",
        "message",
        "detail",
        "ended",
        "why",
        "broken",
        "remarks",
        "peak",
    ]
)
headers = st.dictionaries(keys, json_values | st.dictionaries(keys, json_values, max_size=4), max_size=6)


@examples(40, 150, headers | json_values)
def test_whatever_is_sent_is_read_or_refused(header: Any) -> None:
    try:
        found = answer_of(header, SVG)
    except WrongAnswerError as error:
        assert str(error)
        return
    if isinstance(found, Raw):
        json.dumps(asdict(found)["facts"], allow_nan=False).encode()
        "".join((found.printed, *found.traced, *map(str, found.facts.values()))).encode()
    else:
        str(found).encode()


def test_a_fact_may_be_anything_that_json_has_and_lines_hold() -> None:
    for value in (None, True, 0, -1.5, "", "Zürich — 東京 🚀", [], [1, "a", None]):
        assert facts_of({"x": value}) == {"x": value}


@cases(
    ("stated", "kept"),
    [
        (0.1 + 0.2, 0.3),  # builtin sum() of these differs between Python 3.11 and 3.12
        (20794.364948561244, 20794.3649486),
        (20794.364948561248, 20794.3649486),
        (-2 / 3, -0.666666666667),
        (1.5e-300 / 7, 2.14285714286e-301),
        (123456789012345.0, 123456789012345.0),  # whole numbers are exact
        (-0.0, -0.0),
        (-1e308, -1e308),
        (10**30 + 1, 10**30 + 1),
    ],
)
def test_a_fact_has_the_digits_in_which_versions_of_python_agree(stated: float, kept: float) -> None:
    facts = facts_of({"x": stated, "each": [stated, "a"]})
    assert repr(facts) == repr({"x": kept, "each": [kept, "a"]})
    assert facts_of(facts) == facts


@given(st.lists(st.floats(0.1, 1e6), min_size=2, max_size=40))
def test_the_order_of_a_sum_changes_no_more_than_the_last_digit_kept(lengths: list[float]) -> None:
    forth, back = (sum(numbers, 0.0) for numbers in (lengths, lengths[::-1]))
    assert facts_of({"x": forth})["x"] == pytest.approx(facts_of({"x": back})["x"], rel=1e-11)


STATED = """\
from decimal import Decimal
from fractions import Fraction

import numpy as np
from figmill import Drawing
from matplotlib.figure import Figure


def draw():
    return Drawing(Figure(figsize=(1, 1)), facts={{"n": {value}}})
"""
UNSTATABLE = {
    "'a\\nb'": "U+000A",
    "'\\ud800'": "U+D800",
    "'x' * 1001": "1,001 characters",
    "10 ** 400": "100 digits",
    "Decimal('1e400')": "must be finite",
    "Fraction(10 ** 400)": "cannot be stated as a number",
    "np.zeros((2, 2))": "is a list",
    "np.zeros(1000)": "1,000 values",
    "np.float64('inf')": "must be finite",
    "{}": "is a mapping",
    "object()": "is of type object",
}


PLAIN = {
    "np.float32(0.5)": 0.5,
    "np.arange(3)": [0, 1, 2],
    "Fraction(1, 4)": 0.25,
    "Decimal('2.5')": 2.5,
    "(1, 'a')": [1, "a"],
    "np.bool_(True)": True,
}
SUMS = "[sum([0.1] * 10), 1 - 2**-53, 20794.364948561248]"
BY_SIGNAL = "import os\n\n\ndef draw():\n    os.kill(os.getpid(), 40)\n"


Stated = tuple[Space, dict[str, dict[str, Any]]]


@pytest.fixture(scope="module")
def stated(tmp_path_factory: pytest.TempPathFactory) -> Stated:
    """Scripts that answer in many ways, in one book, built; and the row of each in the report. Not to be changed."""
    space = Space(tmp_path_factory.mktemp("stated"))
    scripts = {f"wrong{number}": STATED.format(value=value) for number, value in enumerate(UNSTATABLE)}
    scripts |= {f"plain{number}": STATED.format(value=value) for number, value in enumerate(PLAIN)}
    header = json.dumps(drawn(facts={"half": 0.5}, traced=[])).encode()
    scripts |= {"sums": STATED.format(value=SUMS), "signal": BY_SIGNAL}
    scripts |= {"forged": FORGER.format(header=header, payload=SVG)}
    for name, script in scripts.items():
        space.write({f"visuals/{name}.py": script})
        alt = "half is {half}" if name == "forged" else "nothing"
        space.question(name, f"kind: matplotlib, source: {name}.py, alt: '{alt}'")
    done = space.run("--format", "json", "--jobs", "1")
    assert (done.code, done.err) == (1, "")
    return space, {row["id"]: row for row in done.json["figures"]}


def facts_in_manifest(space: Space) -> dict[str, dict[str, Any]]:
    return {row["id"]: row["facts"] for row in json.loads(space.read("build/manifest.json"))["figures"]}


def test_a_fact_that_cannot_be_stated_is_told_at_the_line_of_draw(stated: Stated) -> None:
    for number, words in enumerate(UNSTATABLE.values()):
        error = stated[1][f"wrong{number}"]["error"]
        assert (error["file"], error["line"]) == (f"visuals/wrong{number}.py", 9)
        assert error["message"].startswith("fact 'n'") and words in error["message"]


def test_numbers_of_libraries_become_plain_ones(stated: Stated) -> None:
    facts = facts_in_manifest(stated[0])
    assert [facts[f"plain{number}"]["n"] for number in range(len(PLAIN))] == list(PLAIN.values())


def test_sums_that_differ_in_their_last_bits_are_one_fact(stated: Stated) -> None:
    """Through a build: the figure's script states both, and the manifest has one number."""
    assert facts_in_manifest(stated[0])["sums"] == {"n": [1.0, 1.0, 20794.3649486]}


def test_a_forged_answer_that_is_well_formed_is_the_figure_of_its_own_script(stated: Stated) -> None:
    """The measure itself: what malformed answers are sent with does arrive in the place of figmill's answer."""
    space, rows = stated
    assert rows["forged"]["status"] == "rendered" and space.outputs().keys() >= {"build/global/forged.svg"}
    assert "half is 0.5" in space.read("build/manifest.json")


def test_a_script_that_ends_itself_by_a_signal_without_a_name_fails_by_its_number(stated: Stated) -> None:
    assert stated[1]["signal"]["error"]["message"] == "its process was ended by signal 40"


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (Drawn(Raw(SVG, {"n": "\ud800"}), 1.0), "U+D800"),
        (Drawn(Raw(SVG, 1), 1.0), "facts is a number"),  # type: ignore[arg-type]
        (Drawn(Raw(SVG, traced=("/dev/zero",)), 1.0), "not below the book's root"),
        (Drawn(Raw("<svg/>"), 1.0), "the SVG is text"),  # type: ignore[arg-type]
        (NotDrawn(AuthorError(Origin("../x.py"), "m"), 1.0), "not below the book's root"),
        (NotDrawn(AuthorError(Origin("x.py", "3"), "m"), 1.0), "line is text"),  # type: ignore[arg-type]
    ],
)
def test_the_answers_of_a_cluster_are_held_to_the_same_schema(
    result: Result, words: str, tmp_path: Path
) -> None:
    errand = Errand(Job("matplotlib", "visuals/x.py", "draw"))
    found = cluster._complete(cluster._checked(result, errand.job), errand, pack([], tmp_path, []))
    assert isinstance(found, NotDrawn) and str(found.error).startswith(
        "visuals/x.py: the cluster sent an invalid "
    )
    assert words in found.error.message


def test_the_proper_answers_of_a_cluster_pass(tmp_path: Path) -> None:
    errand, cargo = Errand(Job("matplotlib", "visuals/x.py", "draw")), pack([], tmp_path, [])
    for result in (
        Drawn(Raw(SVG, {"n": 1}, "printed"), 1.0),
        NotDrawn(AuthorError(Origin("x.py", 3), "m", "d"), 1.0),
    ):
        found = cluster._complete(cluster._checked(result, errand.job), errand, cargo)
        assert repr(found) == repr(result)
