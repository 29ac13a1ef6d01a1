"""What a diagram of WaveDrom shows, as tables: the states of signals in time, fields of a register, logic. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from figmill.kind import FigureTable
from figmill.kind.stated import Stated, stated
from figmill.kind.tables import fitting, table
from figmill_kinds.wavedrom.reading import ARC, arcs, lanes, words

# The letters of a wave and what they say; a digit or `=` has a text of `data`.
STATES: Mapping[str, str] = {
    **dict.fromkeys("pPnN", "clock"),
    **dict.fromkeys("hH1", "high"),
    **dict.fromkeys("lL0", "low"),
    "x": "unknown",
    "z": "high impedance",
    "u": "pulled up",
    "d": "pulled down",
}
DATA, GOES_ON, GAP, SUBCYCLE = "=23456789", ".", "|", "<>"
# The signs of gates in `assign`, and what a reader calls them.
GATES = {
    "~": "not",
    "=": "buffer",
    "|": "or",
    "&": "and",
    "^": "xor",
    "~|": "nor",
    "~&": "nand",
    "~^": "xnor",
}

WaveSpan = tuple[float, float, str]  # from, to (in ticks), the state or the text


def tables_of(diagram: Mapping[str, Any]) -> tuple[FigureTable, ...]:
    """The tables of a diagram."""
    if diagram.get("signal"):
        return fitting(_signals(diagram))
    if diagram.get("reg"):
        return fitting((_fields(diagram["reg"]),))
    rows = [line for tree in diagram["assign"] if isinstance(tree, list) for line in _logic(tree, 0)]
    return fitting((table("Signals", ("level", "item"), rows, "outline"),)) if rows else ()


def _signals(diagram: Mapping[str, Any]) -> Iterator[FigureTable]:
    rows = [
        (words(lane.get("name")), start, end, state)
        for lane in lanes(diagram["signal"])
        for start, end, state in _spans(lane)
    ]
    if rows:
        yield table("Signals", ("signal", "start", "end", "state"), rows, "rows")
    cells = [
        (end, start, label) if "<" in arc[2] and ">" not in arc[2] else (start, end, label)
        for start, end, label, arc in _arcs(diagram)
    ]
    if cells:
        yield table("Edges", ("from", "to", "label"), cells, "edges")


def _arcs(diagram: Mapping[str, Any]) -> Iterator[tuple[str, str, str, re.Match[str]]]:
    """The names of the lanes that each arc joins, its label, and its match with ARC."""
    points = {
        letter: words(lane.get("name"))
        for lane in lanes(_list(diagram, "signal"))
        for letter in str(lane.get("node") or "")
        if letter != "."
    }
    for arc in arcs(diagram):
        match = ARC.match(arc) if isinstance(arc, str) else None
        if match and match[1] in points and match[3] in points:
            yield points[match[1]], points[match[3]], words(arc[match.end() :].strip()), match


def _spans(lane: Mapping[str, Any]) -> Iterator[WaveSpan]:
    """The states of a lane, each for as long as it lasts; a clock that runs on is one state."""
    wave, period = lane.get("wave"), lane.get("period")
    if not isinstance(wave, str):
        return
    step = float(period) if isinstance(period, int | float) and period > 0 else 1.0
    data = lane.get("data")
    texts = map(words, data.split() if isinstance(data, str) else data or ())
    at, is_sub, spans = 0.0, False, list[WaveSpan]()
    for letter in wave:
        if letter in SUBCYCLE:
            is_sub = letter == "<"
            continue
        length = step / 2 if is_sub else step
        if letter in (GOES_ON, GAP) and spans:
            start, _, state = spans[-1]
            spans[-1] = (start, at + length, state)
        elif letter in DATA:
            spans.append((at, at + length, next(texts, "")))
        else:
            state = STATES.get(letter, "unknown")
            if spans and spans[-1][2] == state and letter in "pPnN":
                spans[-1] = (spans[-1][0], at + length, state)
            else:
                spans.append((at, at + length, state))
        at += length
    yield from spans


def stated_of(diagram: Mapping[str, Any], source: str) -> Stated:
    """The names of lanes and groups, the texts in waves, the words of arcs and fields; each arc by its id."""
    fields = diagram.get("reg")
    fields = [row for row in fields if isinstance(row, Mapping)] if isinstance(fields, list) else []
    rows = [*lanes(_list(diagram, "signal")), *fields]
    labels = [words(row.get("name")) for row in rows]
    labels += [state for row in rows for _, _, state in _spans(row) if state not in STATES.values()]
    margins = [part for name in ("head", "foot") if isinstance(part := diagram.get(name), Mapping)]
    labels += [words(part.get("text")) for part in margins]
    labels += [*_groups(_list(diagram, "signal"))]
    relations = [(start, end, label, f"gmark_{arc[1]}_{arc[3]}") for start, end, label, arc in _arcs(diagram)]
    return stated([*labels, *(label for _, _, label, _ in relations)], relations, source)


def _list(diagram: Mapping[str, Any], name: str) -> list[Any]:
    """A part of a diagram; empty if it is not a list: WaveDrom ignores it then."""
    part = diagram.get(name)
    return part if isinstance(part, list) else []


def _groups(rows: Sequence[Any]) -> Iterator[str]:
    """The names of groups of lanes."""
    for row in rows:
        if isinstance(row, list):
            yield from (words(part) for part in row[:1] if isinstance(part, str))
            yield from _groups(row)


def _fields(rows: Sequence[Mapping[str, Any]]) -> FigureTable:
    """The fields of a register from its lowest bit."""
    fields, at = [], 0
    for row in rows:
        attributes = row.get("attr")
        notes = [
            words(note) for note in (attributes if isinstance(attributes, list) else [attributes]) if note
        ]
        fields.append((at, at + row["bits"] - 1, words(row.get("name")), ", ".join(filter(None, notes))))
        at += row["bits"]
    columns = ("first bit", "last bit", "field", "note")[: 4 if any(row[3] for row in fields) else 3]
    return table("Fields", columns, [row[: len(columns)] for row in fields], "rows")


def _logic(tree: Sequence[Any], level: int) -> Iterator[tuple[int, str]]:
    """A signal or a gate, with its inputs below it."""
    if tree and isinstance(tree[0], str):
        yield level, GATES.get(tree[0], re.sub(r"\s+", " ", words(tree[0])))
        level += 1
        tree = tree[1:]
    for branch in tree:
        if isinstance(branch, list):
            yield from _logic(branch, level)
        elif branch is not None:
            yield level, words(branch)
