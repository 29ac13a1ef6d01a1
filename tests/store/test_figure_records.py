"""Figures as records: they come back as they were, and a malformed record makes the ledger an empty one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from helpers.examples import examples
from hypothesis import strategies as st

from figmill.model import File, Inputs, Origin, Published, Warned
from figmill.store.journal import lines, packed
from figmill.store.ledger import Entry, Export, Ledger
from figmill.store.memory import ledger_of, records_of

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
number = st.floats(allow_nan=False, allow_infinity=False) | st.integers(0, 4000)
size = st.floats(0, 1e9) | st.integers(0, 4000)
fact = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
line_text = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp", "Cn", "Co"]), max_size=12)
# the schema keeps twelve digits of a fact
rounded = number.map(lambda value: float(f"{value:.12g}") if isinstance(value, float) else value)
scalar = st.none() | st.booleans() | rounded | line_text
inputs = st.builds(Inputs.of, st.lists(st.tuples(text, text), max_size=5))
name = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="/\\:\0"), min_size=1, max_size=8
).filter(lambda name: name not in (".", ".."))
path = st.lists(name, min_size=1, max_size=3).map("/".join)
read = st.builds(Inputs.of, st.lists(st.tuples(path | path.map("{}/".format), text), max_size=5))
files = st.builds(File, text, st.sampled_from(["svg", "png", "pdf"]), path, text, size, size)
published = st.builds(
    Published,
    text,
    st.none() | text,
    text,
    st.none() | text,
    text,
    path,
    text,
    st.none() | text,
    st.dictionaries(fact, scalar | st.lists(scalar, max_size=3), max_size=3),
    st.lists(files, max_size=3).map(tuple),
)
line = st.none() | st.integers(1, 999)
warned = st.builds(Warned, st.builds(Origin, text, line, line), text, text)
entries = st.builds(Entry, path, inputs, read, inputs, published, st.lists(warned, max_size=2).map(tuple))


def named(entry: Entry) -> str:
    figure = entry.published
    return figure.id if figure.name is None else f"{figure.id}/{figure.name}"


ledgers = st.builds(
    Ledger,
    st.lists(entries, max_size=4).map(
        lambda ledger_entries: {named(entry): entry for entry in ledger_entries}
    ),
    st.lists(path, unique=True, max_size=3).map(sorted).map(tuple),
)


def dumps(ledger: Ledger) -> bytes:
    return packed({key: text for key, text in sorted(records_of(ledger).items()) if text})


def loads(data: bytes) -> Ledger:
    return ledger_of(lines(data))


@examples(30, 400, ledgers)
def test_comes_back_as_it_was_and_always_in_the_same_bytes(ledger: Ledger) -> None:
    data = dumps(ledger)
    assert loads(data) == ledger
    assert dumps(loads(data)) == data


def a_ledger() -> Ledger:
    rows = Inputs.of([("visuals/x.dot", "0" * 64), ("kind", "dot")])
    exported = Export(File("light", "png", "build/x.png", "0" * 64, 384, 288.5), rows)
    drawn = Published(
        "x",
        None,
        "cloud",
        "T",
        "dot",
        "visuals/x.dot",
        "alt",
        None,
        {"n": 3},
        (File("light", "svg", "build/x.svg", "0" * 64, 384, 288.5),),
    )
    return Ledger(
        {
            "x": Entry(
                "questions/x.yaml",
                rows,
                rows,
                rows,
                drawn,
                (Warned(Origin("visuals/x.dot"), "w", "contrast"),),
                (exported,),
            )
        },
        ("old.svg",),
    )


def rows() -> dict[bytes, Any]:
    return {key: json.loads(text) for key, text in records_of(a_ledger()).items()}


def forged(*keys: str | int, value: Any) -> bytes:
    """The records of one figure with another value in one place."""
    whole = rows()
    first, *way, last = keys
    (place,) = (key for key in whole if key.startswith(str(first).encode()))
    if not way and last == "":
        assert whole[place] != value
        whole[place] = value
    else:
        at = whole[place]
        for key in way:
            at = at[key]
        assert at[last] != value
        at[last] = value
    return packed({key: json.dumps(row).encode() for key, row in whole.items()})


X = ("figure",)
NUMBERS: tuple[Any, ...] = (
    ["", -1],
    ["", True],
    ["", 0.0],
    ["", "0"],
    ["", 99],
    [0],
    [None],
    ["no group"],
    [],
    None,
    {},
    "0",
    5,
    [["", 0]],
)
OUTSIDE = ("/etc/passwd", "../x", "build/../../x", "", "a//b", "\0", "\ud800", 5, None, True, [], {})
FORGERIES = [
    *[(("orphans", 0), value) for value in OUTSIDE],
    *[((*X, "question"), value) for value in OUTSIDE],
    *[((*X, "published", 5), value) for value in OUTSIDE],
    *[((*X, "published", 9, 0, 2), value) for value in OUTSIDE],
    *[((*X, "exports", 0, 0, 2), value) for value in OUTSIDE],
    *[((*X, "rows", 0, 0), value) for value in OUTSIDE],
    *[((*X, "traced"), value) for value in NUMBERS],
    *[((*X, "declared"), value) for value in NUMBERS],
    *[((*X, "settling"), value) for value in NUMBERS],
    *[((*X, "exports", 0, 1), value) for value in NUMBERS],
    *[((*X, "published", place), value) for place in (0, 2, 4, 6) for value in (None, 5, [], {}, "\ud800")],
    *[((*X, "published", place), value) for place in (1, 3, 7) for value in (5, [], {}, True, "\ud800")],
    ((*X, "published", 0), "another"),
    ((*X, "published", 1), "name"),
    *[
        ((*X, "published", 8), value)
        for value in ([], 1, None, {"n": {}}, {"n": [[]]}, {"a b": 1}, {"n": 10**400})
    ],
    *[((*X, "published", 8, "n"), value) for value in ("\ud800", "\n", float("nan"), "x" * 1001, [0] * 257)],
    *[
        ((*X, "published", 9, 0, place), value)
        for place in (4, 5)
        for value in ("1", None, True, -1, float("inf"))
    ],
    *[((*X, "published", 9, 0, place), value) for place in (0, 1, 3) for value in (None, 5, [])],
    *[((*X, "published", 9), value) for value in (None, 5, [[]], [5], {}, [[1, 2, 3]])],
    *[
        ((*X, "published", 10), value)
        for value in (5, [], {}, [[1]], [{}, 0, [], 0], [{"a": [1]}, -1, [[]], 0])
    ],
    *[
        ((*X, "warnings"), value)
        for value in (None, 5, [[]], [[["x", 1, 1], "m"]], [[["x", "1", 1], "m", "c"]])
    ],
    *[((*X, "warnings", 0, place), value) for place in (0, 1, 2) for value in (None, 5, [])],
    *[((*X, "warnings", 0, 0, 0), value) for value in (None, 5, [])],
    (("figure", ""), []),
    ((*X, "rows", 0), ["a"]),
    ((*X, "rows", 0), ["a", "b", "c"]),
    ((*X, "rows"), {"a": "b"}),
    (("inputs", ""), {}),
    (("orphans", ""), "abc"),
    (("orphans", ""), {"a": 1}),
]


def test_a_forged_record_makes_the_ledger_an_empty_one() -> None:
    measure = loads(packed({key: json.dumps(row).encode() for key, row in rows().items()}))
    assert measure == a_ledger()
    believed = [(keys, value) for keys, value in FORGERIES if loads(forged(*keys, value=value)) != Ledger()]
    assert len(FORGERIES) > 200 and believed == []


def test_rows_that_figures_share_are_kept_once() -> None:
    one = a_ledger()
    assert dumps(one).count(b"0" * 64) == 3  # the row of the source, and the digests of two outputs
    other = replace(one.entries["x"], published=replace(one.entries["x"].published, id="y"))
    assert dumps(Ledger({**one.entries, "y": other})).count(b'["kind","dot"]') == 1
