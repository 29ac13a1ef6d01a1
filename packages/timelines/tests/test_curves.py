"""Plots: curves are cut at the edges, labels keep apart, ticks are round."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from figmill_timelines.charts.canvas import Canvas
from figmill_timelines.plots.curve_labels import spread
from figmill_timelines.plots.page import wrapped
from figmill_timelines.plots.plot import Axis, Plot, _pieces

BOX = (0.0, 0.0, 10.0, 10.0)


@pytest.mark.parametrize(
    ("points", "pieces"),
    [
        ([(0, 5), (10, 5)], [[(0, 5), (10, 5)]]),
        ([(-5, 5), (5, 5)], [[(0, 5), (5, 5)]]),
        ([(5, -5), (5, 15)], [[(5, 0), (5, 10)]]),
        ([(2, 5), (4, -5), (6, 5)], [[(2, 5), (3, 0)], [(5, 0), (6, 5)]]),
        ([(20, 20), (30, 30)], []),
    ],
)
def test_a_curve_is_cut_where_it_leaves_the_plot(points: list, pieces: list) -> None:
    assert _pieces(points, BOX) == [[pytest.approx(point) for point in piece] for piece in pieces]


@pytest.mark.parametrize("count", [1, 2, 24, 50, 91, 92, 200])
def test_the_table_of_a_curve_has_both_of_its_ends(count: int) -> None:
    canvas = Canvas(100, 100)
    points = [(float(n), n / 2) for n in range(count)]
    Plot(canvas, BOX, Axis("x", 0, count), Axis("y", 0, count)).curve(points, "black", name="a")
    rows = [(row["x"], row["y"]) for row in canvas.tables["y"]]
    assert rows == sorted(set(rows)) and {points[0], points[-1]} <= set(rows) <= set(points)


@given(st.lists(st.floats(0, 200), min_size=1, max_size=12))
def test_labels_keep_apart_and_in_their_order(wanted: list[float]) -> None:
    places = spread(sorted(wanted), 0, 200, 10)
    assert all(b - a >= 10 - 1e-9 for a, b in pairwise(places))
    assert places[0] >= -1e-9 and places[-1] <= 200 + 1e-9


@pytest.mark.parametrize(
    ("axis", "ticks"),
    [
        (Axis("", 0, 1), [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (Axis("", 0.9, 1.8), [1, 1.2, 1.4, 1.6, 1.8]),
        (Axis("", 1, 1000, log=True), [1, 10, 100, 1000]),
        (Axis("", 3, 60, log=True), [5, 10, 20, 50]),
    ],
)
def test_ticks_are_round(axis: Axis, ticks: list[float]) -> None:
    assert axis.ticks(6) == pytest.approx(ticks)
    assert [axis.share(axis.low), axis.share(axis.high)] == pytest.approx([0, 1])


def test_a_long_title_goes_on_in_the_next_line() -> None:
    lines = wrapped("one two three four five six", 60, 12, bold=True)
    assert len(lines) > 1 and " ".join(lines) == "one two three four five six"
