"""What a build keeps for the next one, below .figmill/: damaged or forged, it is forgotten, and nothing is raised."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from helpers.book import HAND, REPOSITORY, CopyOf, Space, two_figures
from helpers.cases import cases
from helpers.disturbed import traced

from figmill.book.question import read
from figmill.book.resolve import resolve
from figmill.config import Options
from figmill.engine.keys import Sharing, settling_inputs
from figmill.kind.job import Raw
from figmill.model import Fact
from figmill.publish.finalise import settle
from figmill.store import checked
from figmill.store.ledger import Ledger
from figmill.store.memory import Memory
from figmill.store.question_records import MALFORMED, ParsedFile, packed, unpacked

RICH = b"""\
id: rich
track: cloud
title: A title
visuals:
  - name: one
    source: b.py
    params: {n: 4, styles: [a, 0.5, null], deep: {x: true}}
    kind: matplotlib
    alt: half is {half:.1f}
    caption: The line under it
    rendered: one.svg
    inputs: [data/trace.csv]
    themes: [dark]
    timeout: 5
    lint: {contrast: it is meant so}
    expect: {nodes: 3, edges: 2, text: [sends], facts: {half: {value: 2, rel: 0.1}, s: [a, 1]}}
  - name: two
    ref: other
"""
PLAIN = b"id: plain\ntitle: Without a figure\n"
FACTS: dict[str, Fact] = {"half": 2.0}


def known(*texts: bytes) -> dict[str, ParsedFile]:
    files = {}
    for number, text in enumerate(texts):
        path = f"questions/{number}.yaml"
        question, wrong = read(path, text)
        assert question is not None and wrong == ()
        files[path] = ParsedFile(hashlib.sha256(text).hexdigest(), (question,))
    return files


def dumps(files: Mapping[str, ParsedFile]) -> bytes:
    return json.dumps({path: packed(file) for path, file in files.items()}).encode()


def loads(data: bytes) -> dict[str, ParsedFile]:
    try:
        rows = checked.mapping(checked.loads(data))
        return {path: unpacked(path, row) for path, row in rows.items()}
    except MALFORMED:
        return {}


def test_questions_come_back_as_they_were_read() -> None:
    texts = [path.read_bytes() for path in sorted((REPOSITORY / "questions").rglob("*.yaml"))]
    questions = known(RICH, PLAIN, *texts)
    assert loads(dumps(questions)) == questions
    assert dumps(loads(dumps(questions))) == dumps(questions)


def test_a_group_of_inputs_that_is_used_again_is_kept(built_book: Space) -> None:
    first = Memory(built_book.root).ledger()
    used = {row for entry in first.entries.values() for row in entry.settling.rows if row[0] == "background"}
    for colour in ("none", "page"):  # the journal keeps the group of the first setting, unused
        built_book.write({"figmill.toml": f'background = "{colour}"\n'})
        assert built_book.run().code == 0
    again = Memory(built_book.root).ledger()
    assert again.entries.keys() == first.entries.keys()
    assert {
        row for entry in again.entries.values() for row in entry.settling.rows if row[0] == "background"
    } == used


def test_questions_that_another_reader_has_parsed_are_parsed_again(space: Space) -> None:
    space.root.mkdir(exist_ok=True)
    files = known(RICH, PLAIN)
    (space.root / ".figmill").mkdir()
    Memory(space.root).save(Ledger(), files)
    assert Memory(space.root).questions() == files
    assert Memory(space.root).questions(["questions/1.yaml"]) == {
        "questions/1.yaml": files["questions/1.yaml"]
    }
    space.forge({**space.records(), "parser": {"": "another reader"}})
    memory = Memory(space.root)
    assert memory.questions() == {}
    memory.save(Ledger(), files)  # as if they were parsed anew
    assert Memory(space.root).questions() == files


def places(value: Any, *above: str | int) -> Iterator[tuple[str | int, ...]]:
    """The way to every value inside a JSON value."""
    rows = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in rows:
        yield (*above, key)
        yield from places(inner, *above, key)


JUNK = (
    None,
    True,
    5,
    -1,
    0.5,
    1e308,
    float("nan"),
    10**400,
    "",
    "x",
    "/dev/zero",
    "../../x",
    "a\nb",
    "\0",
    "\ud800",
    [],
    [[]],
    ["\ud800"],
    {},
    {"a": {}},
)


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.soak)])
def test_a_forged_memory_is_forgotten_or_makes_no_trouble(step: int) -> None:
    """Each n-th value in turn is made something else: what is still believed goes through the rest of the engine."""
    data = dumps(known(RICH, PLAIN))
    tried = believed = 0
    for way in islice(places(json.loads(data)), None, None, step):
        for junk in JUNK:
            whole = json.loads(data)
            place = whole
            for key in way[:-1]:
                place = place[key]
            place[way[-1]] = junk
            memory = loads(json.dumps(whole).encode())
            tried, believed = tried + 1, believed + bool(memory)
            questions = [question for file in memory.values() for question in file.questions]
            files = frozenset({"visuals/b.py", "visuals/cloud/b.py", "visuals/data/trace.csv"})
            book = resolve(questions, files, Options())
            for visual in book.visuals:
                assert ".." not in visual.output.split("/") and not visual.output.startswith("/")
                assert settling_inputs(visual, visual.output, Sharing()).digest
                settle(visual, Raw(HAND.encode(), FACTS), Options())
            "".join(str(problem.error) for problem in book.problems).encode()
    assert tried > 1_000 / step and 0 < believed < tried / 2


def test_keys_are_looked_at_too() -> None:
    data = dumps(known(RICH)).decode()
    for old, new in (
        ('"contrast"', '"no check"'),
        ('"": [', '"x": ['),
        ('"nodes"', '"bars"'),
    ):
        assert old in data
        assert loads(data.replace(old, new).encode()) == {}, old


@cases(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"5",
        b"\xff",
        b"[" * 10**6,
        b"{" * 10**6,
        b'{"code": 1}',
        b'{"x.yaml": []}',
        b'{"x.yaml": [1]}',
        b"9" * 5000,
    ],
)
def test_what_is_no_record_of_a_question_is_none(data: bytes) -> None:
    assert loads(data) == {}


def test_halves_of_characters_are_told_from_words_about_them() -> None:
    assert checked.loads(json.dumps({"a": "\\ud800"}).encode()) == {"a": "\\ud800"}
    assert checked.loads(json.dumps("🚀").encode()) == "🚀"
    for data in (b'"\\ud800"', b'["\\uDFFF x"]', b'{"\\ud83d": 1}', b"NaN", b"[-Infinity]"):
        with pytest.raises(ValueError):
            checked.loads(data)


# By the real command: each file below .figmill/, damaged in each way.

DAMAGE = {
    "nothing": b"",
    "null": b"null",
    "a list": b"[]",
    "a mapping": b"{}",
    "a number": b"5",
    "no UTF-8": b"\xff\xfe",
    "deep": b"[" * 200_000,
    "long": b"9" * 6_000,
    "NULs": b"\0" * 1_000,
}


@pytest.mark.parametrize("name", ["journal", "snapshot"])
def test_a_build_over_damaged_files_of_its_own_ends_well(built_book: Space, name: str) -> None:
    before = {**built_book.outputs(), "manifest": (built_book.root / "build/manifest.json").read_bytes()}
    for damage, data in DAMAGE.items():
        built_book.keep(name, data)
        done = built_book.run()
        assert (done.code, done.err) == (0, ""), damage
        assert {
            **built_book.outputs(),
            "manifest": (built_book.root / "build/manifest.json").read_bytes(),
        } == before, damage


def changed(book: Space, *way: str | int, value: Any) -> None:
    whole: Any = book.records()
    place = whole
    for key in way[:-1]:
        place = place[key]
    place[way[-1]] = value
    book.forge(whole)


def test_a_journal_with_false_types_publishes_nothing_of_them(copy_of: CopyOf) -> None:
    book = copy_of(two_figures)
    before = (book.root / "build/manifest.json").read_bytes()
    figure = ("figure", "graph", "published")
    for way, value in (
        ((*figure, 8), {"nodes": "\ud800"}),
        ((*figure, 8), [["nodes", 3]]),
        ((*figure, 6), {"alt": "<script>"}),
        ((*figure, 9, 0, 2), "/etc/passwd"),
        ((*figure, 9, 0, 4), "wide"),
        (("figure", "graph", "traced"), [-1]),
        (("figure", "graph", "warnings"), [[["x", "1", None], "::error::", "contrast"]]),
    ):
        changed(book, *way, value=value)
        done = book.run()
        assert (done.code, done.err) == (0, "")
        assert (book.root / "build/manifest.json").read_bytes() == before


def test_a_journal_names_no_file_outside_the_book(built_book: Space) -> None:
    """What a forged entry says was read is looked at by the next build; nothing outside the book is, or hangs it."""
    upwards = "../" * 30 + "dev/zero"
    records = built_book.records()
    records["inputs"]["outside"] = [[upwards, "0" * 64]]
    records["figure"]["plot"]["traced"] = ["outside"]
    built_book.forge(records)
    began = time.monotonic()
    assert built_book.run().code == 0
    assert time.monotonic() - began < 60 and upwards not in built_book.kept("journal")


def test_records_with_false_digests_are_not_believed(built_book: Space) -> None:
    status = (built_book.root / "visuals/a.dot").stat()
    before = built_book.records()
    stamps = [status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns]
    digests = ("\ud800", "x\n::error::", 5, None, [], "0" * 10**6)
    for row in (*([*stamps, digest] for digest in digests), [*stamps[:3], "0" * 64]):
        built_book.forge({**built_book.records(), "digest": {"visuals/a.dot": row}})
        (built_book.root / ".figmill/snapshot").unlink(missing_ok=True)
        done = built_book.run()
        assert (done.code, done.err) == (0, "")
        assert built_book.records()["figure"] == before["figure"]


@pytest.mark.parametrize("name", ["", "../aside", "questions/../../aside", "linked", "linked/.", "./linked"])
def test_a_snapshot_has_nothing_outside_the_book_walked(built_book: Space, tmp_path: Path, name: str) -> None:
    """name: of the folder outside; empty: its whole path."""
    traced()
    aside = tmp_path / "aside"
    aside.mkdir()
    (built_book.root / "linked").symlink_to(aside)
    data = built_book.kept("snapshot")
    folders = "questions\0,\0visuals"
    assert folders in data
    built_book.keep("snapshot", data.replace(folders, f"{folders}\0,\0{name or aside}", 1))
    told = tmp_path / "told"
    command = ["strace", "-f", "-e", "trace=openat", "-o", str(told), sys.executable, "-m", "figmill"]
    subprocess.run(command, cwd=built_book.root, check=True, capture_output=True, timeout=120)
    assert "aside" not in told.read_text(errors="replace")
