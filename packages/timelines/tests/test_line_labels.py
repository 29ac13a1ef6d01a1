"""Names at curves and points: no two lie over each other, none leaves its room, each is nearest to its own line."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np
import pytest
from helpers.cases import cases
from helpers.examples import examples
from helpers.generators import generator
from helpers.words import crowded, typefaces_of_a_build
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill_timelines.charts.canvas import BODY, PAPER, SMALL, Canvas, text_width
from figmill_timelines.palette import GRID, MUTED, role
from figmill_timelines.plots import clipping, curve_labels, gaps, point_labels
from figmill_timelines.plots.curve_labels import LabelledCurve
from figmill_timelines.plots.labels import PageSegment, Patch, meets, overlap
from figmill_timelines.plots.page import STROKES, stroke
from figmill_timelines.plots.plot import Axis, Plot, beside, ink
from figmill_timelines.plots.point_labels import PointLabel

WIDE, NARROW = (0.0, 0.0, 480.0, 220.0), (0.0, 0.0, 257.0, 180.0)  # 640 px, and 343 px of a telephone


def within(patch: Patch, box: tuple[float, float, float, float]) -> bool:
    left, top, right, bottom = box
    return all(left <= x <= right and top <= y <= bottom for x, y in patch.corners())


def distance(patch: Patch, segments: tuple[PageSegment, ...]) -> float:
    """Of a label from the nearest of many points of a curve."""
    ends = np.array(segments)
    shares = np.linspace(0, 1, 21)[:, np.newaxis, np.newaxis]
    points = ends[:, 0] + shares * (ends[:, 1] - ends[:, 0])
    beyond = np.abs(points - (patch.x, patch.y)) - (patch.width / 2, patch.height / 2)
    return float(np.linalg.norm(np.maximum(0.0, beyond), axis=-1).min())


def hockey_stick(
    box: tuple[float, float, float, float], start: float, pole: float
) -> tuple[PageSegment, ...]:
    """A curve that begins `start` points above the base and leaves the box at the top, left of `pole`."""
    left, top, right, bottom = box
    points = []
    for n in range(120):
        x = left + (right - left) * pole * n / 120
        y = bottom - start / (1 - n / 120)
        points.append((x, max(top, y)))
        if y < top:
            break
    return tuple(pairwise(points))


ROWS = st.lists(st.tuples(st.floats(2, 80), st.floats(0.3, 1.0), st.floats(8, 140)), min_size=1, max_size=5)


@examples(20, 120, st.sampled_from([WIDE, NARROW]), ROWS)
def test_a_name_along_a_curve_is_nearest_to_its_own(
    box: tuple[float, float, float, float], rows: list[tuple[float, float, float]]
) -> None:
    curves = [LabelledCurve(hockey_stick(box, start, pole), width) for start, pole, width in rows]
    places = curve_labels.along(curves, box)
    shown = [(n, patch) for n, patch in enumerate(places) if patch is not None]
    for (_, one), (_, other) in combinations(shown, 2):
        assert not overlap(one, other)
    for n, patch in shown:
        assert within(patch, box) and patch.width == rows[n][2]
        own = distance(patch, curves[n].segments)
        assert own > 0
        middle = replace(patch, width=0.0)
        for other in (curve.segments for m, curve in enumerate(curves) if m != n):
            assert 1.5 * own < distance(patch, other)
            assert 1.5 * distance(middle, curves[n].segments) < distance(middle, other)


def test_a_single_curve_always_gets_its_name_where_it_leaves_the_plot() -> None:
    (patch,) = curve_labels.along([LabelledCurve(hockey_stick(WIDE, 20, 1.0), 60.0)], WIDE)
    assert patch is not None and patch.y < 20 and patch.x > 300


@given(st.lists(st.floats(-20, 240), min_size=1, max_size=12))
def test_names_at_the_right_move_no_further_than_they_must(wanted: list[float]) -> None:
    ordered = sorted(wanted)
    places = curve_labels.spread(ordered, 0, 220)
    assert all(b - a >= curve_labels.LINE - 1e-6 for a, b in pairwise(places))
    assert all(-1e-6 <= place <= 220 + 1e-6 for place in places)
    apart = all(b - a >= curve_labels.LINE for a, b in pairwise(ordered))
    if apart and ordered[0] >= 0 and ordered[-1] <= 220:
        assert places == pytest.approx(ordered)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6), st.integers(1, 40))
def test_names_at_the_right_are_on_the_page_and_in_the_order_of_their_curves(
    ends: list[float], length: int
) -> None:
    labels = [f"{'long ' * length}{n}"[:40] + f" {n}" for n in range(len(ends))]
    canvas = Canvas(547, 260)
    right = 533 - beside(labels)
    plot = Plot(canvas, (50, 20, right, 240), Axis("x", 0, 1), Axis("y", 0, 1))
    for n, (end, label) in enumerate(zip(ends, labels, strict=True)):
        plot.curve([(0, 0.5), (1, end)], stroke(n)[0], 1.8, stroke(n)[1], label=label)
    plot.write_labels()
    written = [text for text in canvas.axes.texts if text.get_text() in labels]
    assert len(written) == len(labels)
    assert all(text.get_position()[0] + text_width(text.get_text(), 8.0) <= 533.01 for text in written)
    heights = {text.get_text(): text.get_position()[1] for text in written}
    order = sorted(range(len(ends)), key=lambda n: -ends[n])
    assert all(
        heights[labels[a]] <= heights[labels[b]] for a, b in pairwise(order) if abs(ends[a] - ends[b]) > 1e-9
    )


MARKS = st.lists(st.tuples(st.floats(10, 470), st.floats(10, 210)), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(MARKS, st.floats(20, 150))
def test_labels_of_points_cover_nothing_and_reach_their_points(
    marks: list[tuple[float, float]], width: float
) -> None:
    heaps = point_labels.heaps(marks)
    assert sorted(n for heap in heaps for n in heap) == list(range(len(marks)))
    labels = [PointLabel(tuple(marks[n] for n in heap), width, 10.0 * len(heap)) for heap in heaps]
    lines = (((0.0, 220.0), (200.0, 40.0)), ((200.0, 40.0), (480.0, 40.0)))
    places = point_labels.place(labels, WIDE, lines)
    shown = [(label, place) for label, place in zip(labels, places, strict=True) if place is not None]
    for (_, one), (_, other) in combinations(shown, 2):
        assert not overlap(one.patch, other.patch)
        assert other.leader is None or not meets(one.patch, other.leader)
        assert one.leader is None or not meets(other.patch, one.leader)
    for label, place in shown:
        assert within(place.patch, WIDE)
        assert not any(meets(place.patch, line) for line in lines)
        assert not any(overlap(place.patch, Patch(*mark, 8, 8)) for mark in marks)
        nearest = min(distance(place.patch, ((mark, mark),)) for mark in label.marks)
        assert place.leader is not None or nearest < 20


def test_points_in_one_heap_share_a_label() -> None:
    assert point_labels.heaps([(0, 0), (100, 0), (10, 0), (20, 0), (105, 3)]) == [[0, 2, 3], [1, 4]]


@given(
    st.lists(st.tuples(st.floats(60, 400), st.floats(15, 150), st.floats(8, 30)), min_size=2, max_size=6),
    st.floats(6.5, 9),
)
def test_leaders_of_a_column_end_at_their_own_labels_and_cross_no_other(
    rows: list[tuple[float, float, float]], apart: float
) -> None:
    places = curve_labels.spread(sorted(x for x, _, _ in rows), 10, 470, apart)
    marks = [(x, 20.0) for x in places]
    wall = ((40.0, 0.0), (40.0, 220.0))
    column = point_labels.column(
        marks, [lambda _, size=(w, h): size for _, w, h in rows], WIDE, [wall], size=6.5
    )
    for (x, y), (_, width, height), place in zip(marks, rows, column or [], strict=False):
        patch = place.patch
        assert (patch.width, patch.height) == (width, height) and within(patch, WIDE)
        assert place.leader is not None and place.foot is not None
        assert place.leader == ((x, y), place.foot[0]) and place.foot[0] == (x, place.foot[1][1])
        assert 0 < place.foot[1][1] - (patch.y - height / 2) < 5
        assert abs(abs(place.foot[1][0] - patch.x) - width / 2) < 2 and not meets(patch, wall)
    assert len({round(place.patch.x - place.patch.width / 2, 6) for place in column or []}) <= 1
    for one, other in permutations(column or [], 2):
        assert not overlap(one.patch, other.patch)
        for line in (other.leader, other.foot):
            assert line is not None and not meets(one.patch, line, 1.0)
        assert one.leader is not None and other.foot is not None and not crosses(one.leader, other.foot)


def crosses(upright: PageSegment, level: PageSegment) -> bool:
    """Whether an upright line and a level one have a point in common."""
    (x, top), (_, bottom) = upright
    (start, y), (end, _) = level
    return min(start, end) <= x <= max(start, end) and top <= y <= bottom


def test_marks_that_nearly_touch_have_a_column() -> None:
    marks = [(200.0, 20.0), (207.0, 20.0), (214.0, 20.0)]
    column = point_labels.column(marks, [lambda room: (min(room, 100.0), 18.0)] * 3, WIDE)
    assert column is not None and len({place.patch.y for place in column}) == 3
    assert point_labels.column(marks, [lambda _: (600.0, 18.0)] * 3, WIDE) is None


@cases(
    "intensities", [(1520, 1820), (1020, 1150, 1370), (500, 500, 500, 500), (50, 50, 51), (200, 310)], ids=str
)
def test_markers_stand_on_the_roof_they_lie_on(intensities: tuple[float, ...]) -> None:
    kernels = [
        {"name": f"kernel {n}", "flops": 1e12, "bytes": 1e12 / intensity}
        for n, intensity in enumerate(intensities)
    ]
    with typefaces_of_a_build():
        figure = generator("roofline").draw(kernels=kernels).figure
    (axes,) = figure.axes
    roof = tuple(
        pair
        for line in axes.lines
        if line.get_linewidth() == 2.2
        for pair in pairwise((float(x), float(y)) for x, y in line.get_xydata())
    )
    dots = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines if line.get_marker() != "None"]
    assert len(roof) == 2 and len(dots) == len(kernels)
    assert all(any(meets(Patch(*dot, 0.1, 0.1), piece) for piece in roof) for dot in dots)
    assert all(math.dist(*pair) >= 6.4 for pair in combinations(dots, 2))
    texts = " ".join(text.get_text() for text in axes.texts)
    assert all(texts.count(kernel["name"]) == 1 for kernel in kernels)


def test_where_a_compared_queue_breaks_the_slo_stands_beside_its_dot() -> None:
    params = {"model": "M/M/c", "servers": 4, "service_per_s": 25, "slo_ms": 200}
    with typefaces_of_a_build():
        drawing = generator("queueing").draw(**params, compare=["M/M/1"])
    (axes,) = drawing.figure.axes
    label = next(text for text in axes.texts if text.get_text() == "77 requests/s")
    colour = stroke(1)[0]
    (dot,) = (line for line in axes.lines if line.get_marker() == "o" and line.get_color() == colour)
    slo = [line for line in axes.lines if line.get_color() == role("accent").line]
    assert drawing.facts["crossing_per_s_mm1"] == pytest.approx(100 - math.log(100) / 0.2)
    assert label.get_color() == ink(colour) and dot.get_markeredgecolor() == PAPER
    assert dot.get_zorder() > max(line.get_zorder() for line in slo if line.get_marker() == "None")
    (x,), (y,) = dot.get_data()
    assert math.dist(label.get_position(), (x, y)) < text_width("77 requests/s", BODY)


@cases(
    "params",
    [{}, {"reserve": 0}, {"workers": 2}, {"distribution": "pareto", "spread": 9.0, "workers": 10_000}],
)
def test_the_axis_of_the_slowest_starts_at_a_tick_below_all_curves(params: dict[str, Any]) -> None:
    with typefaces_of_a_build():
        (axes,) = generator("stragglers").draw(**params).figure.axes
    heights = [text.get_position()[1] - 0.36 * SMALL for text in axes.texts if text.get_ha() == "right"]
    curves = [line.get_ydata() for line in axes.lines if line.get_linewidth() == 1.9]
    axis = next(line for line in axes.lines if line.get_color() == MUTED[0]).get_ydata()[0]
    assert max(heights) == pytest.approx(axis) and max(max(curve) for curve in curves) < axis - 1


def test_a_curve_with_workers_in_reserve_has_its_distribution_in_its_name() -> None:
    with typefaces_of_a_build():
        (axes,) = generator("stragglers").draw(compare=["uniform"]).figure.axes
    names = [text.get_text() for text in axes.texts]
    assert "Exponential, 3 in reserve 1.39" in names and "Exponential 1.75" in names


def test_no_piece_of_a_lane_looks_like_a_dash_beside_its_time() -> None:
    links = ["NVMe SSD", "PCIe 4.0 x16", "DDR5-4800", "PCIe 5.0 x16", "HBM3"]
    times = ["143 ms", "31.7 ms", "26 ms", "15.9 ms", "299 µs"]
    with typefaces_of_a_build():
        (axes,) = generator("bandwidth_chain").draw(size_mb=1000, chunk_mb=64, links=links).figure.axes
        widths = [text_width(time, SMALL) for time in times]
    lanes = [line.get_xdata() for line in axes.lines if line.get_color() == GRID[0]][:5]
    for time, width, across in zip(times, widths, lanes, strict=True):
        left = next(text for text in axes.texts if text.get_text() == time).get_position()[0]
        pieces = [across[n : n + 2] for n in range(0, len(across), 3)]  # nan between them
        assert all(high - low >= gaps.STUB for low, high in pieces), time
        assert not any(low < left + width + 1.9 and left - 1.9 < high for low, high in pieces), time
    assert len(lanes[2]) == 2  # nothing remains of it behind its time


LONG = "a kernel whose name is much longer than anybody would wish for in a figure that is to be read"
EXTREMES: list[tuple[str, dict[str, Any]]] = [
    *(("queueing", {"model": "M/M/c", "servers": count, "slo_ms": 1e4}) for count in (1, 64, 1000)),
    *(
        (
            "queueing",
            {"model": model, "servers": servers, "slo_ms": 300, "compare": ["M/M/1", "M/D/1", "M/G/1"]},
        )
        for model, servers in (("M/M/1", 1), ("M/M/c", 64), ("M/D/1", 1), ("M/G/1", 1))
    ),
    ("queueing", {"capacity": 1, "compare": ["M/M/1", "M/D/1", "M/G/1"]}),
    ("queueing", {"capacity": 1000, "slo_ms": 1e5, "compare": ["M/D/1"]}),
    *(
        ("stragglers", {"workers": workers, "reserve": reserve, "compare": ["uniform", "normal", "pareto"]})
        for workers, reserve in ((2, 0), (64, 64), (10_000, 1000))
    ),
    *(("stragglers", {"view": "scaling", "serial": serial}) for serial in (0, 0.001, 1)),
    ("stragglers", {"view": "reserve", "compare": ["uniform", "normal", "pareto"], "spread": 0}),
    ("speculative", {"acceptance": 0, "compare": [0.01, 0.02, 0.03, 0.04, 0.05]}),
    ("speculative", {"acceptance": 1, "most": 100, "compare": [0.999, 0.998]}),
    ("failures", {"nodes": 1, "compare": [2, 3, 4, 5, 6]}),
    ("failures", {"nodes": 10_000_000, "compare": [1, 10_000_000]}),
    ("collective_steps", {"view": "cost", "ranks": 2, "size_mb": 1e6}),
    ("collective_steps", {"view": "cost", "ranks": 32, "alpha_us": 0, "node": 16}),
    ("roofline", {"batches": [1, 2, 3, 4, 5, 6, 7, 8]}),
    ("roofline", {"batches": [100_000], "prompt": 1, "context": 1}),
    (
        "roofline",
        {"kernels": [{"name": f"{n} {LONG}", "flops": 1e12, "bytes": 1e10 + n} for n in range(12)]},
    ),
    (
        "roofline",
        {
            "kernels": [
                {"name": f"{n} {LONG}", "flops": 1e12, "bytes": 10.0 ** (8 + n / 3)} for n in range(12)
            ]
        },
    ),
]


@pytest.mark.parametrize(("name", "params"), EXTREMES, ids=lambda v: v if isinstance(v, str) else "")
def test_labels_hold_at_the_ends_of_the_controls(name: str, params: dict[str, Any]) -> None:
    with typefaces_of_a_build():
        assert crowded(generator(name).draw(**params).figure) == []


def test_there_is_a_stroke_for_each_curve() -> None:
    assert len({stroke(n) for n in range(len(STROKES))}) == len(STROKES)


def test_the_grid_has_a_gap_behind_each_label() -> None:
    plot = Plot(Canvas(300, 200), (40, 20, 280, 180), Axis("x", 0, 10), Axis("y", 0, 10))
    plot.frame()
    plot.note(5, 4, "at a line", align="center")
    plot.note(2, 4.9, "between two lines")
    lines = [line for line in plot.canvas.axes.lines if line.get_color() == GRID[0]]
    whole = [line for line in lines if not any(map(math.isnan, line.get_xdata()))]
    (cut,) = (line for line in lines if line not in whole)
    start, low, _, high, end = cut.get_xdata()
    half = text_width("at a line", BODY) / 2
    assert (start, end) == (40, 280) and low <= 160 - half < 160 + half <= high
    assert len(whole) == len(plot.y.ticks(6)) - 1


RANGE = st.tuples(st.floats(-10, 110), st.floats(0.1, 40)).map(lambda each: (each[0], each[0] + each[1]))


@given(st.lists(RANGE, max_size=6))
def test_the_grid_keeps_what_lies_in_no_gap_and_is_no_stub(holes: list[tuple[float, float]]) -> None:
    pieces = gaps.between((0, 100), holes)
    assert pieces == sorted(pieces)
    assert all(low >= 0 and high <= 100 and high - low >= gaps.STUB for low, high in pieces)
    assert not any(low < end and start < high for low, high in pieces for start, end in holes)
    edges = sorted({0.0, 100.0, *(min(max(x, 0.0), 100.0) for hole in holes for x in hole)})
    free = [pair for pair in pairwise(edges) if not any(a <= pair[0] and pair[1] <= b for a, b in holes)]
    lost = [pair for pair in free if not any(a <= pair[0] and pair[1] <= b for a, b in pieces)]
    assert all(high - low < gaps.STUB for low, high in lost)


def test_no_stub_of_the_grid_remains_beside_a_label() -> None:
    plot = Plot(Canvas(300, 200), (40, 20, 280, 180), Axis("x", 0, 10), Axis("y", 0, 10))
    plot.frame()
    plot.note(0, 4, "at the edge", shift=(4, 0))
    (cut,) = (line for line in plot.canvas.axes.lines if len(line.get_xdata()) and line.get_xdata()[0] > 40)
    assert list(cut.get_xdata())[1:] == [280]


def test_curves_have_a_gap_behind_a_label_and_no_box_of_the_page_lies_there() -> None:
    plot = Plot(Canvas(300, 200), (40, 20, 280, 180), Axis("x", 0, 10), Axis("y", 0, 10))
    plot.curve([(0, 5), (4, 5), (10, 5)], "#123456")
    plot.note(5, 5, "at a line", align="center", clear=True)
    (cut,) = (line for line in plot.canvas.axes.lines if line.get_color() == "#123456")
    half = text_width("at a line", BODY) / 2 + 2
    across = [x for x in cut.get_xdata() if not math.isnan(x)]
    ends = sorted({x for x in across if x != 136})
    assert ends == pytest.approx([40, 160 - half, 160 + half, 280])
    assert not plot.canvas.axes.patches


@given(st.lists(st.tuples(st.floats(0, 50), st.floats(0, 50)), min_size=2, max_size=6))
def test_a_gap_takes_from_a_line_what_lies_in_its_box_and_nothing_else(
    points: list[tuple[float, float]],
) -> None:
    box = (10.0, 20.0, 30.0, 40.0)
    line = Canvas(50, 50).line(points, "#000000")
    gaps.leave_out(line, box)
    rest = [
        piece for piece in pairwise(map(tuple, line.get_xydata())) if not any(map(math.isnan, sum(piece, ())))
    ]
    hidden = [piece for piece in (clipping.inside(*pair, box) for pair in pairwise(points)) if piece]
    whole = math.fsum(math.dist(*pair) for pair in pairwise(points))
    assert math.fsum(math.dist(*piece) for piece in [*rest, *hidden]) == pytest.approx(whole, abs=1e-6)
    for (x, y), (u, v) in rest:
        middle = (x + u) / 2, (y + v) / 2
        assert math.dist((x, y), (u, v)) < 1e-6 or not (
            10.01 < middle[0] < 29.99 and 20.01 < middle[1] < 39.99
        )


def test_a_cut_line_keeps_its_long_pieces() -> None:
    line = Canvas(50, 50).line([(0, 20), (30, 20), (50, 20)], "#000000")
    gaps.leave_out(line, (4, 10, 8, 30))
    gaps.leave_out(line, (12, 10, 20, 30))
    gaps.drop_stubs(line)
    assert [tuple(point) for point in line.get_xydata()] == [(20, 20), (30, 20), (50, 20)]
    gaps.leave_out(line, (18, 10, 48, 30))
    gaps.drop_stubs(line)
    assert not len(line.get_xydata())


@pytest.mark.parametrize(("end", "last"), [(64, ["50", "64"]), (52, ["20", "50"]), (100, ["50", "100"])])
def test_a_tick_at_the_end_leaves_out_no_round_one(end: float, last: list[str]) -> None:
    plot = Plot(Canvas(400, 200), (40, 20, 380, 180), Axis("", 1, end, log=True, last=True), Axis("", 0, 1))
    plot.frame()
    across = [text for text in plot.canvas.axes.texts if text.get_ha() == "center" and text.get_text()]
    assert [text.get_text() for text in across][-2:] == last
