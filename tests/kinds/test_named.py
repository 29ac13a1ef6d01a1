"""Names of facts that are made of labels, and numbers with their units in text."""

from __future__ import annotations

import pytest
from helpers.cases import cases

from figmill.kind.answer import NAME, facts_of
from figmill.kind.named import LEFT_OUT, MOST, Row, name_of, named, of_edges, printed, quantity
from figmill.kind.tables import table
from figmill_timelines.units import unit_of

QUANTITIES = {
    "7": (7, ""), "-5": (-5, ""), "\N{MINUS SIGN}5": (-5, ""), "1,234.5": (1234.5, ""), ".5": (0.5, ""),
    "1.2e3": (1200.0, ""), "43 %": (43, "percent"), "43%": (43, "percent"), "30ms": (30, "ms"),
    "18.1 \N{MICRO SIGN}s": (18.1, "us"), "1.5 GB/s": (1.5, "gb_per_s"), "64 B": (64, "bytes"), "5 min": (5, "minutes"),
    "3 workers": (3, "workers"), "2 d": (2, "days"), "9" * 99: (int("9" * 99), ""), "5 €": (5, ""),
}  # fmt: skip
OTHERS = (
    "",
    "v2",
    "3a",
    "1.",
    "12:30",
    "2026-11-29",
    "2 phase commit",
    "1,23",
    "1e999",
    "9" * 400,
    "1/2",
    "٣",
    "10k\n3",
)


@cases(("text", "expected"), QUANTITIES.items())
def test_a_number_with_its_unit(text: str, expected: tuple[float, str]) -> None:
    assert quantity(text) == expected


@cases("text", OTHERS)
def test_no_number(text: str) -> None:
    assert quantity(text) is None


def test_a_name_is_the_words_of_labels() -> None:
    assert name_of(("Größe, in Byte", "GPU 0")) == "grosse_in_byte_gpu_0"
    assert name_of(("2024",), "period") == "period_2024" and name_of(("5",), "Load (%)") == "load_5"
    assert (
        name_of(("人口",)) == "value_人口"
        and name_of(("5",), "人口") == "value_5"
        and name_of(("?!",)) == "value"
    )
    long = name_of((f"{'very ' * 50}long", "to", "x" * 500, "ms"))
    assert long == f"very_very_very_very_very_very_to_{'x' * 32}_ms"
    facts_of({name_of(("w " * 400,) * 9): 1, "a" * NAME: 2})
    assert unit_of(name_of(("Wait time (ms)", "ring"))) == (1e-3, "s")


def test_equal_names_are_numbered_and_texts_of_the_figure_stay_its_own() -> None:
    rows = [
        Row(("a",), 1),
        Row(("A",), 2),
        Row(("a 2",), 3),
        Row(("Title",), 4, "Load (%)"),
        Row(("nodes",), 5),
    ]
    assert named(rows, {"nodes": 9, "a": 0}) == {
        "nodes": 9, "a": 0, "a_2": 1, "a_3": 2, "a_2_2": 3, "load_title": 4, "nodes_2": 5
    }  # fmt: skip


def test_the_rest_is_counted() -> None:
    facts = named([Row((f"n{n}",), n) for n in range(MOST + 7)], {"nodes": 1})
    assert facts[LEFT_OUT] == 7 and len(facts) == MOST + 2 and LEFT_OUT not in named([Row(("a",), 1)], {})


def test_labels_of_edges() -> None:
    rows = [("Client", "Disk", "30 ms"), ("Disk", "Client", "asks"), ("Client", "Disk", "")]
    tables = [
        table("Edges", ("from", "to", "label"), rows, "edges"),
        table("Data", ("a", "b", "c"), [("x", "y", "3")]),
    ]
    assert named(of_edges(tables), {}) == {"client_to_disk_ms": 30}


def test_printed_facts() -> None:
    text = "fact a = 1\n  fact wait_ms = 2.5 ms\nfact wait = 3 ms\nfact ok = true\nfact a = 2\n"
    others = "the fact b = 4\nfact c: 5\n"
    assert printed(f'{text}{others}fact d = "x y"\n') == {"a": 2, "wait_ms": 3, "ok": True, "d": "x y"}
    for wrong in ("high", "[1]", "1 2", "NaN {"):
        with pytest.raises(ValueError, match="fact 'a' is"):
            printed(f"fact a = {wrong}\n")
