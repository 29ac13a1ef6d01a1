"""The ledger: comes back as it was, and is empty where it is torn."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill.ledger import VERSION, Entry, Ledger, dumps, loads
from figmill.manifest import File, Published
from figmill.model import Inputs, Origin, Warned

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
number = st.floats(allow_nan=False, allow_infinity=False) | st.integers(0, 4000)
scalar = st.none() | st.booleans() | number | text
inputs = st.builds(Inputs.of, st.lists(st.tuples(text, text), max_size=5))
files = st.builds(File, text, st.sampled_from(["svg", "png", "pdf"]), text, text, number, number)
published = st.builds(
    Published, text, st.none() | text, text, st.none() | text, text, text, text, st.none() | text,
    st.dictionaries(text, scalar | st.lists(scalar, max_size=3), max_size=3),
    st.lists(files, max_size=3).map(tuple),
)  # fmt: skip
line = st.none() | st.integers(1, 999)
warned = st.builds(Warned, st.builds(Origin, text, line, line), text, text)
entries = st.builds(Entry, text, inputs, inputs, inputs, published, st.lists(warned, max_size=2).map(tuple))
ledgers = st.builds(
    Ledger,
    st.dictionaries(text, entries, max_size=4),
    st.lists(text, unique=True, max_size=3).map(sorted).map(tuple),
)


@given(ledgers)
@settings(max_examples=150, deadline=None)
def test_comes_back_as_it_was_and_always_in_the_same_bytes(ledger: Ledger) -> None:
    data = dumps(ledger)
    assert loads(data) == ledger
    assert dumps(loads(data)) == data


def a_ledger() -> Ledger:
    rows = Inputs.of([("visuals/x.dot", "0" * 64), ("kind", "dot")])
    drawn = Published("x", None, "cloud", "T", "dot", "visuals/x.dot", "alt", None, {"n": 3},
                      (File("light", "svg", "build/x.svg", "0" * 64, 384, 288.5),))  # fmt: skip
    return Ledger(
        {
            "x": Entry(
                "questions/x.yaml",
                rows,
                rows,
                rows,
                drawn,
                (Warned(Origin("visuals/x.dot"), "w", "contrast"),),
            )
        },
        ("old.svg",),
    )


def test_a_ledger_cut_short_anywhere_is_an_empty_one() -> None:
    data = dumps(a_ledger())
    assert {loads(data[:end]) == Ledger() for end in range(len(data))} == {True}


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_overwritten_bytes_never_raise(draw: st.DataObject) -> None:
    data = bytearray(dumps(a_ledger()))
    for place in draw.draw(st.lists(st.integers(0, len(data) - 1), min_size=1, max_size=4)):
        data[place] = draw.draw(st.integers(0, 255))
    found = loads(bytes(data))
    assert all(isinstance(entry, Entry) for entry in found.entries.values())


@pytest.mark.parametrize(
    "data",
    [None, b"", b"null", b"[]", b"5", b"{}", b'{"version": 1}', b"\xff", b"[" * 100_000,
     json.dumps({"version": VERSION + 1, "rows": [], "entries": {}, "orphans": []}).encode(),
     json.dumps({"version": VERSION, "rows": [1], "entries": {}, "orphans": []}).encode(),
     json.dumps({"version": VERSION, "rows": [], "entries": [], "orphans": []}).encode(),
     json.dumps({"version": VERSION, "rows": [], "entries": {"x": {}}, "orphans": []}).encode(),
     json.dumps({"version": VERSION, "rows": [], "entries": {}, "orphans": None}).encode()],
)  # fmt: skip
def test_what_is_no_ledger_is_an_empty_one(data: bytes | None) -> None:
    assert loads(data) == Ledger()


def test_rows_that_figures_share_are_kept_once() -> None:
    assert dumps(a_ledger()).count(b"0" * 64) == 2  # the row of the source, and the output's own digest
