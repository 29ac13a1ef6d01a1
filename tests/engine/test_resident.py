"""The resident builder: one change after the other, with the bytes and words of a build from nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.book import DOT, PLOT, Space

from figmill import config
from figmill.engine.resident.builder import Resident
from figmill.engine.resident.views import CURRENT, FAILED


@pytest.fixture
def book(space: Space) -> Space:
    space.write({"visuals/a.dot": DOT, "visuals/p.py": PLOT})
    space.question("graph", "source: a.dot, alt: a graph")
    return space.question(
        "plot",
        "source: p.py, kind: matplotlib, alt: '{points} points', params: {n: 4}, expect: {facts: {points: 4}}",
    )


@pytest.fixture
def resident(book: Space) -> Iterator[Resident]:
    with Resident(book.root, lambda: config.load(book.root)) as resident:
        yield resident


def test_an_update_tells_what_it_looked_at(book: Space, resident: Resident) -> None:
    assert {row.id: row.status for row in resident.update().looked_at} == {
        "graph": "rendered",
        "plot": "rendered",
    }
    book.write({"visuals/a.dot": DOT.replace("sends", "waits")})
    found = resident.update([book.root / "visuals/a.dot"])
    assert [(row.id, row.status, row.reasons) for row in found.looked_at] == [
        ("graph", "rendered", ("visuals/a.dot",))
    ]
    assert ">waits</text>" in book.read("build/global/graph.svg")
    assert resident.update([]).looked_at == ()
    Path(book.root / "questions/plot.yaml").unlink()
    assert resident.update().removed == ("plot",)
    assert [*resident.figures()] == ["graph"]


def test_figures_are_seen_with_their_errors(book: Space, resident: Resident) -> None:
    resident.update()
    seen = resident.figures()["graph"]
    assert (seen.status, str(seen.at), seen.source) == (CURRENT, "questions/graph.yaml:4:9", "visuals/a.dot")
    assert seen.published is not None and seen.published.alt == "a graph"
    book.write(
        {
            "visuals/a.dot": "digraph {\n  a -> -> b\n}\n",
            "questions/plot.yaml": "id: plot\nvisual: {alt: 1}\n",
        }
    )
    resident.update()
    views = resident.figures()
    assert views["graph"].status == FAILED and str(views["graph"].errors[0].origin) == "visuals/a.dot:2:5"
    assert views["graph"].published is not None  # the last good picture
    assert views["plot"].status == FAILED and views["plot"].errors


def test_other_parameters_are_drawn_and_not_published(book: Space, resident: Resident) -> None:
    resident.update()
    before = book.outputs()
    found = resident.what_if("plot", {"n": 7})
    assert (
        found.settled is not None and found.settled.facts["points"] == 7 and found.settled.alt == "7 points"
    )
    assert [page.theme for page in found.settled.pages] == ["light", "dark"]
    assert [error.message for error in found.unmet] == ["points: expected 4, drawn 7, tolerance 0.004"]
    wrong = resident.what_if("plot", {"m": 7})
    assert wrong.settled is None and "m" in wrong.errors[0].message
    assert book.outputs() == before and resident.update().looked_at == ()
