"""What a build keeps for the next one, below .figmill/: damaged or forged, it is forgotten, and nothing is raised."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.book import HAND, REPOSITORY, Space
from helpers.disturbed import traced

from figmill.book.question import Question, read
from figmill.book.resolve import resolve
from figmill.config import Options
from figmill.engine.plan import settling_inputs
from figmill.kinds.job import Raw
from figmill.model import Fact
from figmill.publish.finalise import settle
from figmill.store import checked, parse_cache

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
CODE = "the reader's"


def known(*texts: bytes) -> dict[str, tuple[str, Question]]:
    found = {}
    for number, text in enumerate(texts):
        path = f"questions/{number}.yaml"
        question, wrong = read(path, text)
        assert question is not None and wrong == ()
        found[path] = hashlib.sha256(text).hexdigest(), question
    return found


def test_questions_come_back_as_they_were_read() -> None:
    texts = [path.read_bytes() for path in sorted((REPOSITORY / "questions").rglob("*.yaml"))]
    questions = known(RICH, PLAIN, *texts)
    data = parse_cache.dumps(questions, CODE)
    assert parse_cache.loads(data, CODE) == questions
    assert parse_cache.dumps(parse_cache.loads(data, CODE), CODE) == data
    assert parse_cache.loads(data, "another reader's") == {}


def places(value: Any, *above: str | int) -> Iterator[tuple[str | int, ...]]:
    """The way to every value inside a JSON value."""
    rows = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in rows:
        yield (*above, key)
        yield from places(inner, *above, key)


JUNK = (None, True, 5, -1, 0.5, 1e308, float("nan"), 10**400, "", "x", "/dev/zero", "../../x", "a\nb", "\0", "\ud800",
        [], [[]], ["\ud800"], {}, {"a": {}})  # fmt: skip


def test_a_forged_memory_is_forgotten_or_makes_no_trouble() -> None:
    """Every value in turn is made something else: what is still believed goes through the rest of the engine."""
    data = parse_cache.dumps(known(RICH, PLAIN), CODE)
    tried = believed = 0
    for way in places(json.loads(data)):
        for junk in JUNK:
            whole = json.loads(data)
            place = whole
            for key in way[:-1]:
                place = place[key]
            place[way[-1]] = junk
            found = parse_cache.loads(json.dumps(whole).encode(), CODE)
            tried, believed = tried + 1, believed + bool(found)
            questions = [question for _, question in found.values()]
            files = frozenset({"visuals/b.py", "visuals/cloud/b.py", "visuals/data/trace.csv"})
            book = resolve(questions, files, Options())
            for visual in book.visuals:
                assert ".." not in visual.output.split("/") and not visual.output.startswith("/")
                assert settling_inputs(visual, visual.output).digest
                settle(visual, Raw(HAND.encode(), FACTS), Options())
            "".join(str(problem.error) for problem in book.problems).encode()
    assert tried > 1_000 and 0 < believed < tried / 2


def test_keys_are_looked_at_too() -> None:
    data = parse_cache.dumps(known(RICH), CODE).decode()
    for old, new in (
        ('"contrast"', '"no check"'),
        ('"alt": ', '"tla": '),
        ('"":[', '"x":['),
        ('"nodes"', '"bars"'),
    ):
        old = old.replace(": ", ":")
        assert old in data
        assert parse_cache.loads(data.replace(old, new.replace(": ", ":")).encode(), CODE) == {}, old


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"5", b"\xff", b"[" * 10**6, b"{" * 10**6, b'{"code": 1}',
                                  b'{"code": "the reader\'s", "files": []}', b"9" * 5000])  # fmt: skip
def test_what_is_no_memory_is_an_empty_one(data: bytes) -> None:
    assert parse_cache.loads(data, CODE) == {}


def test_halves_of_characters_are_told_from_words_about_them() -> None:
    assert checked.loads(json.dumps({"a": "\\ud800"}).encode()) == {"a": "\\ud800"}
    assert checked.loads(json.dumps("🚀").encode()) == "🚀"
    for data in (b'"\\ud800"', b'["\\uDFFF x"]', b'{"\\ud83d": 1}', b"NaN", b"[-Infinity]"):
        with pytest.raises(ValueError):
            checked.loads(data)


# By the real command: each file below .figmill/, damaged in each way.

DAMAGE = {
    "nothing": b"", "null": b"null", "a list": b"[]", "a mapping": b"{}", "a number": b"5", "no UTF-8": b"\xff\xfe",
    "deep": b"[" * 200_000, "long": b"9" * 6_000, "NULs": b"\0" * 1_000,
}  # fmt: skip


@pytest.mark.parametrize("name", ["ledger.json", "questions.json", "index.json", "snapshot"])
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
    whole = json.loads(book.kept("ledger.json"))
    place = whole
    for key in way[:-1]:
        place = place[key]
    place[way[-1]] = value
    book.keep("ledger.json", json.dumps(whole))


def test_a_ledger_with_false_types_publishes_nothing_of_them(built_book: Space) -> None:
    before = (built_book.root / "build/manifest.json").read_bytes()
    figure = ("entries", "plot", "published")
    for way, value in (
        ((*figure, 8), {"points": "\ud800"}),
        ((*figure, 8), [["points", 3]]),
        ((*figure, 6), {"alt": "<script>"}),
        ((*figure, 10, 0, 2), "/etc/passwd"),
        ((*figure, 10, 0, 4), "wide"),
        (("entries", "plot", "traced"), [-1]),
        (("entries", "plot", "warnings"), [["x", "1", None, "::error::", "contrast"]]),
    ):
        changed(built_book, *way, value=value)
        done = built_book.run()
        assert (done.code, done.err) == (0, "")
        assert (built_book.root / "build/manifest.json").read_bytes() == before


def test_a_ledger_names_no_file_outside_the_book(built_book: Space) -> None:
    """What a forged entry says was read is looked at by the next build; nothing outside the book is, or hangs it."""
    upwards = "../" * 30 + "dev/zero"
    whole = json.loads(built_book.kept("ledger.json"))
    whole["groups"]["outside"] = [[upwards, "0" * 64]]
    whole["entries"]["plot"]["traced"] = ["outside"]
    built_book.keep("ledger.json", json.dumps(whole))
    began = time.monotonic()
    assert built_book.run().code == 0
    assert time.monotonic() - began < 60 and upwards not in built_book.read(".figmill/ledger.json")


def test_an_index_with_false_digests_is_not_asked(built_book: Space) -> None:
    status = (built_book.root / "visuals/a.dot").stat()
    before = built_book.kept("ledger.json")
    stamps = [status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns]
    digests = ("\ud800", "x\n::error::", 5, None, [], "0" * 10**6)
    for row in (*([*stamps, digest] for digest in digests), [*stamps[:3], "0" * 64]):
        built_book.keep("index.json", json.dumps({"visuals/a.dot": row}))
        (built_book.root / ".figmill/snapshot").unlink(missing_ok=True)
        done = built_book.run()
        assert (done.code, done.err) == (0, "")
        assert built_book.kept("ledger.json") == before


def test_a_snapshot_has_nothing_outside_the_book_walked(built_book: Space, tmp_path: Path) -> None:
    traced()
    aside = tmp_path / "aside"
    aside.mkdir()
    (built_book.root / "linked").symlink_to(aside)
    data = built_book.kept("snapshot")
    for folder in (str(aside), "../aside", "questions/../../aside", "linked", "linked/.", "./linked"):
        assert "questions\0,\0visuals" in data
        built_book.keep(
            "snapshot", data.replace("questions\0,\0visuals", f"questions\0,\0visuals\0,\0{folder}", 1)
        )
        told = tmp_path / "told"
        words = ["strace", "-f", "-e", "trace=openat", "-o", str(told), sys.executable, "-m", "figmill"]
        subprocess.run(words, cwd=built_book.root, check=True, capture_output=True, timeout=120)
        assert "aside" not in told.read_text(errors="replace")
