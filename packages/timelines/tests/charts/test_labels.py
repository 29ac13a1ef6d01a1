"""Numbers in cells, lines beside them, names in legends: what a reader of a Gantt chart looks for."""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from helpers.book import Space
from helpers.generators import VISUALS, generator, texts
from helpers.words import texts_of, typefaces_of_a_build
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.text import Text

from figmill_timelines.charts import areas, gantt, looks
from figmill_timelines.charts.canvas import PAPER, text_width
from figmill_timelines.charts.density import placed
from figmill_timelines.charts.legends import ACCENT
from figmill_timelines.palette import role
from figmill_timelines.pipeline import schedules
from figmill_timelines.spans import Span, Timeline, timeline
from figmill_timelines.traces.event_kinds import what_is

TWELVE_PIXELS = 9.0  # points
LANES = 38.0  # points: legends of one row begin above it, and lanes below
HAIRLINE = 0.4  # points; the line between two cells of an area


def numbers_of(figure: Figure) -> list[Text]:
    """The numbers in cells; those of the axis are in another colour."""
    return [t for t in texts_of(figure) if t.get_text().isdigit() and t.get_color() == "#2b2b2b"]


@pytest.mark.parametrize(
    ("name", "p", "m"),
    [("dualpipe", 4, 8), ("1f1b", 6, 10), ("zb-h1", 4, 8), ("zb-v", 4, 8), ("gpipe", 4, 12)],
)
def test_every_cell_that_is_twelve_pixels_wide_carries_its_number(name: str, p: int, m: int) -> None:
    drawn = schedules.simulate(name, p, m, backward=2)
    figure = gantt.draw(drawn)
    room = 7.6 * 72 - 14 - 14 - text_width("GPU 0", 9) - 7
    narrowest = min(span.end - span.start for span in drawn.spans) / drawn.makespan * room
    assert narrowest >= TWELVE_PIXELS
    assert sorted(text.get_text() for text in numbers_of(figure)) == sorted(
        span.label for span in drawn.spans
    )


SIZES = [(1, 1), (4, 4), (4, 8), (8, 20), (30, 60)]


@cache
def _simulated(name: str, p: int, m: int) -> Timeline:
    return schedules.simulate(name, p, m, backward=2)


@pytest.mark.parametrize(
    ("narrow", "arimo"),
    [
        pytest.param(False, True, id="page-Arimo"),
        pytest.param(True, False, id="phone-DejaVu"),
        pytest.param(True, True, id="phone-Arimo", marks=pytest.mark.soak),
        pytest.param(False, False, id="page-DejaVu", marks=pytest.mark.soak),
    ],
)
@pytest.mark.parametrize("name", schedules.SCHEDULES)
def test_numbers_are_level_lie_in_cells_of_twelve_pixels_and_do_not_overlap(
    name: str, narrow: bool, arimo: bool
) -> None:
    options = gantt.ChartOptions(width=gantt.width(narrow))
    pixels = 343 / (3.6 * 72) if narrow else 96 / 72  # of a point, on a phone of 375 px and on a page
    with typefaces_of_a_build() if arimo else nullcontext():
        for p, m in SIZES:
            try:
                drawn = _simulated(name, p, m)
            except ValueError:  # a shape that the schedule does not define
                continue
            figure = gantt.draw(drawn, options=options)
            placed = [(text, text.get_window_extent()) for text in numbers_of(figure)]
            assert all(text.get_rotation() == 0 for text in texts_of(figure) if text.get_text())
            assert len(placed) in (0, len(drawn.spans)), (name, p, m)  # a microbatch can be followed
            rows: dict[float, list[tuple[float, float]]] = {}
            for text, box in placed:
                rows.setdefault(round(text.get_position()[1], 1), []).append((box.x0, box.x1))
            for row in rows.values():
                assert all(a[1] < b[0] for a, b in pairwise(sorted(row))), (name, p, m)
            if not placed:
                continue
            narrowest = min(span.end - span.start for span in drawn.spans)
            scale = _points_of_a_unit(placed, drawn)
            assert narrowest * scale * pixels >= 12 * 0.999, (name, p, m)
            widest = max(box.width * 72 / figure.dpi for _, box in placed)
            assert widest <= narrowest * scale, (name, p, m)


def _points_of_a_unit(placed: list[tuple[Text, Any]], drawn: Timeline) -> float:
    """How wide a unit of time is, from the first and last number of the first lane."""
    lane = [span for span in drawn.spans if span.lane == 0]
    xs = sorted(text.get_position()[0] for text, _ in placed)
    middles = sorted((span.start + span.end) / 2 for span in drawn.spans)
    if middles[-1] == middles[0]:
        return 500.0 / lane[0].end
    return (xs[-1] - xs[0]) / (middles[-1] - middles[0])


def boxes_of(figure: Figure, fill: str) -> list[Any]:
    """The separate parts of all patches of this fill."""
    return [
        ring
        for patch in figure.findobj(PathPatch)
        if to_hex(patch.get_facecolor()) == fill and patch.get_facecolor()[3]
        for ring in patch.get_path().to_polygons()
    ]


def test_narrow_cells_of_one_kind_run_together() -> None:
    blue = role("compute").fill
    spans = [Span(0, n, n + 1, "forward", str(n), microbatch=n) for n in range(60)]
    rest = [Span(0, 60 + 20 * n, 80 + 20 * n, "forward", "x") for n in range(3)]
    drawn = gantt.draw(timeline(["GPU 0"], [*spans, *rest]), options=gantt.ChartOptions(numbered="Items"))
    # the entry of the legend, microbatches 1 to 29, 31 to 59, and three wide cells; 0 and 30 are solid
    assert len(boxes_of(drawn, blue)) == 1 + 2 + 3
    assert "Items 0 and 30" in texts(drawn)


@pytest.mark.parametrize("lanes", [24, 25])
def test_more_than_24_lanes_are_flat_areas(lanes: int) -> None:
    drawn = schedules.simulate("1f1b", lanes, 64, backward=2)
    figure = gantt.draw(drawn)
    hatched = [patch for patch in figure.findobj(PathPatch) if patch.get_hatch()]
    # Without areas of work and idle time in turn.
    idle = [patch for patch in hatched if not patch.get_facecolor()[3]]
    gaps = sum(len(patch.get_path().to_polygons()) for patch in idle)
    named = [text for text in texts(figure) if text.startswith("GPU")]
    assert gaps > 100 if lanes == 24 else gaps < 12
    assert len(named) == (24 if lanes == 24 else 4) and f"GPU {lanes - 1}" in named
    if lanes > 24:
        assert "Forward or backward" in texts(figure) and "Idle" in texts(figure)


@settings(max_examples=60, deadline=None)
@given(
    p=st.integers(1, 12),
    m=st.integers(1, 24),
    name=st.sampled_from(["gpipe", "1f1b", "zb-h1", "1f1b-overlap"]),
    visible=st.floats(0, 12),
)
def test_areas_cover_all_time_once(p: int, m: int, name: str, visible: float) -> None:
    drawn = schedules.simulate(name, p, m, forward=1.3, backward=2.1)
    stretches = areas.stretches(drawn, visible)
    assert sum(area.end - area.start for area in stretches) == pytest.approx(p * drawn.makespan)
    assert all(a.end <= b.start + 1e-9 for a, b in pairwise(stretches) if a.lane == b.lane)
    chains = areas.polygons(stretches)
    assert sorted(area.start for chain in chains for area in chain) == sorted(
        area.start for area in stretches
    )
    for chain in chains:
        assert all(b.lane == a.lane + 1 and a.kinds == b.kinds for a, b in pairwise(chain))
    busy = sum(area.end - area.start for area in stretches if area.kinds == {"idle"})
    assert busy <= sum(gap.end - gap.start for gap in drawn.idle) + 1e-6


@pytest.mark.parametrize("label", ["3", "12", "127", "A0"])
@pytest.mark.parametrize("size", [7.0, 8.5])
def test_a_label_stays_within_its_cell(label: str, size: float) -> None:
    for width in np.arange(3, 30, 0.7):
        for height in np.arange(4, 40, 1.7):
            if placed(label, width, height, size):
                assert text_width(label, size) <= width and 0.72 * size <= height and width >= TWELVE_PIXELS
            else:
                assert width < max(9.1, text_width(label, size) + 1.6) or 0.72 * size + 1.6 > height


@pytest.mark.parametrize(
    "params",
    [
        {"schedule": "interleaved", "devices": 4, "microbatches": 8, "p2p": 0.25},
        {"schedule": "1f1b", "devices": 4, "microbatches": 8, "p2p": 0.5},
        {"schedule": "zb-v", "devices": 4, "microbatches": 8},
        {"schedule": "interleaved", "devices": 4, "microbatches": 4, "backward": 2},
    ],
)
def test_the_critical_path_passes_beside_digits(params: dict[str, Any]) -> None:
    figure = generator("pipeline_bubble").draw(critical_path=True, **params).figure
    figure.draw_without_rendering()
    labels = [text.get_window_extent() for text in numbers_of(figure)]
    paths = [line for line in figure.findobj(Line2D) if line.get_color() == ACCENT and line.axes is not None]
    dashed = sum(line.is_dashed() for line in paths)  # past the lanes of others
    assert bool(dashed) == (params["schedule"] == "interleaved")
    # One in the legend; a dashed one between two others, interrupted at digits.
    assert len(labels) > 20 and 2 <= len(paths) - dashed <= 2 + dashed
    assert sum(len(line.get_xdata()) for line in paths) > 10
    left, low, right, high = np.array([box.extents for box in labels]).T + np.c_[0.3, 1.5, -0.3, -1.5].T
    for line in paths:
        points = line.axes.transData.transform(np.column_stack(line.get_data()))
        for a, b in pairwise(points):
            x, y = np.linspace(a, b, 60).T[:, :, None]
            assert not ((left < x) & (x < right) & (low < y) & (y < high)).any()


def test_forwards_up_the_pipeline_look_the_same_with_and_without_numbers() -> None:
    amber = looks.UPWARD_FORWARD.fill
    for params in (
        {"schedule": "chimera", "microbatches": 4},
        {"schedule": "dualpipe", "devices": 8, "microbatches": 20},
        {"schedule": "chimera", "microbatches": 4, "compare": ["interleaved"]},
    ):
        figure = generator("pipeline_bubble").draw(**params).figure
        assert len(boxes_of(figure, amber)) > 8
        assert texts(figure).count("Forward, up the pipeline") == 1
        assert ("Second chunk" in texts(figure)) == ("compare" in params)


def test_a_swatch_of_solid_cells_has_every_colour_of_them() -> None:
    figure = generator("pipeline_bubble").draw(8, 20, "dualpipe").figure
    colours = (role("compute").line, role("routing").line, role("data").line)
    swatch = [
        [box for box in boxes_of(figure, colour) if box[:, 1].max() < 80 and np.ptp(box[:, 0]) < 5]
        for colour in colours
    ]
    assert all(swatch)


def test_a_line_in_the_colour_of_the_page_parts_solid_cells_that_touch() -> None:
    figure = generator("pipeline_bubble").draw(8, 20, "dualpipe").figure
    solid = [box for box in boxes_of(figure, role("data").line) if np.ptp(box[:, 1]) > 4]
    touching = {
        round(left[:, 0].max(), 3)
        for left in solid
        for right in solid
        if abs(left[:, 0].max() - right[:, 0].min()) < 0.01
        and left[:, 1].min() < right[:, 1].max()
        and right[:, 1].min() < left[:, 1].max()
    }
    parted = {
        round(x, 3)
        for patch in figure.findobj(PathPatch)
        if not patch.get_facecolor()[3] and to_hex(patch.get_edgecolor()) == PAPER
        for x, _ in patch.get_path().vertices
    }
    assert touching and parted == touching


def test_a_cell_under_five_pixels_has_the_marks_of_wider_ones() -> None:
    spans = [
        Span(0, 0, 100, "forward"),
        Span(0, 100, 100.5, "communication"),
        Span(0, 100.5, 200, "forward"),
        Span(0, 200, 230, "communication"),
    ]
    figure = gantt.draw(timeline(["GPU 0"], spans))
    legend, wide, narrow = sorted(
        boxes_of(figure, role("routing").fill), key=lambda box: (box[:, 1].min() > LANES, -np.ptp(box[:, 0]))
    )
    dark = sorted(
        (box for box in boxes_of(figure, role("routing").line) if box[:, 1].min() > LANES),
        key=lambda box: (np.ptp(box[:, 0]), box[:, 1].min()),
    )
    border, head, foot = dark
    assert np.ptp(legend[:, 1]) < np.ptp(wide[:, 1]) and np.ptp(head[:, 0]) == np.ptp(wide[:, 0])
    # The border shows at all sides of the narrow cell, at its head and foot as high as the bars of the wide one.
    assert border[:, 0].min() < narrow[:, 0].min() and narrow[:, 0].max() < border[:, 0].max()
    assert narrow[:, 1].min() == pytest.approx(head[:, 1].max())
    assert narrow[:, 1].max() == pytest.approx(foot[:, 1].min())


def test_both_halves_of_a_pair_have_one_bar_at_the_edge_of_the_lane() -> None:
    figure = generator("pipeline_bubble").draw(4, 8, "chimera-doubling", backward=2).figure
    halves = [box for box in boxes_of(figure, looks.UPWARD_FORWARD.fill) if box[:, 1].min() > LANES]
    bars = [box for box in boxes_of(figure, looks.UPWARD_FORWARD.line) if box[:, 1].min() > LANES]
    assert len(halves) == 2 * len(bars) > 0
    tops = {round(float(box[:, 1].min()), 3) for box in bars}
    assert tops <= {round(float(box[:, 1].min()), 3) for box in halves} and len(tops) == 4


def test_cells_that_look_the_same_run_together_whatever_they_are_called() -> None:
    spans = [
        Span(0, n, n + 1, ("backward", "backward_input")[n % 2], str(n), microbatch=n) for n in range(90)
    ]
    drawn = gantt.draw(timeline(["GPU 0"], spans), options=gantt.ChartOptions(every=100))
    assert len([box for box in boxes_of(drawn, role("data").fill) if box[:, 1].min() > LANES]) == 1


def test_panels_have_borders_of_one_width_and_merge_backwards_as_forwards() -> None:
    figure = generator("pipeline_bubble").draw(4, 64, "gpipe", compare=["1f1b"], backward=2).figure
    fills = (role("compute").fill, role("data").fill)
    drawn = [patch for patch in figure.findobj(PathPatch) if to_hex(patch.get_facecolor()) in fills]
    widths = {patch.get_linewidth() for patch in drawn if patch.get_path().vertices[:, 1].min() > 80}
    assert len(widths - {0}) == 1


def test_the_longest_wait_and_the_longest_gap_are_named() -> None:
    with typefaces_of_a_build():
        profile = generator("trace_timeline").draw(source="profile.json").figure
        chat = generator("serving_timeline").draw(ttft_ms=500, tpot_ms=60)
    assert "7.55 ms" in texts(profile)
    assert f"{chat.facts['longest_gap_ms']:.0f} ms" in texts(chat.figure)


def test_a_dashed_line_marks_each_step_of_a_refresh() -> None:
    drawing = generator("bubble_filling").draw(inversion=4, curvature_a=1)
    dashed = [line for line in drawing.figure.findobj(Line2D) if line.is_dashed()]
    assert len(dashed) == drawing.facts["iterations"] - 1 >= 1
    assert "step 2" in texts(drawing.figure)


def test_legends_name_what_is_drawn() -> None:
    said = texts(generator("worker_timeline").draw(workers=4, batches=200, mode="synchronous").figure)
    assert not any("icrobatch" in text for text in said)
    said = texts(generator("bubble_filling").draw().figure)
    assert "Inversion (A or B)" in said and "A" in said and "A0" not in said
    assert "A1" in texts(generator("bubble_filling").draw(modules=2, inversion=1.5).figure)
    said = texts(generator("trace_timeline").draw(source="profile.json").figure)
    assert "Optimiser" in said and "Forward / Compute" not in said
    for name in ("multi_tensor_apply_kernel adam", "Optimizer.step#SGD.step", "fused_lamb"):
        assert what_is(name, "kernel")[0] in ("optimizer", "compute")
    assert what_is("Optimizer.step#SGD.step", "kernel")[0] == "optimizer"
    assert what_is("adamantine", "kernel")[0] == "compute"


def test_a_ring_of_any_size_fits_a_page(space: Space) -> None:
    space.write({"visuals/ring.py": (VISUALS / "collective.py").read_bytes()})
    sizes = (3, 8, 10, 11, 24, 40, 64)
    for ranks in sizes:
        params = f"{{pattern: ring, ranks: {ranks}}}"
        drawn = f"kind: dot, source: ring.py, engine: neato, params: {params}"
        space.question(f"r{ranks}", f"{drawn}, alt: A ring of ranks")
    ran = space.run()
    assert ran.code == 0, ran.err
    for ranks in sizes:
        picture = space.read(f"build/global/r{ranks}.svg")
        width = float(picture.partition('width="')[2].partition('"')[0])
        assert width <= 7.6 * 96, ranks
        assert ("Rank 2" in picture) == (ranks <= 10), ranks
        assert (f"Ranks 0 to {ranks - 1}" in picture) == (ranks > 10), ranks


def test_a_figure_has_numbers_in_all_panels_or_in_none() -> None:
    params = {"schedule": "chimera", "compare": ["chimera-doubling"], "microbatches": 8, "backward": 2}
    with typefaces_of_a_build():
        wide, narrow = (generator("pipeline_bubble").draw(**params, narrow=n).figure for n in (False, True))
    assert numbers_of(wide) and not numbers_of(narrow)
    assert "Microbatches 0 and 4" in texts(narrow) and "Microbatches 0 and 4" not in texts(wide)


def test_schedules_side_by_side_have_bubbles_in_percent() -> None:
    params = {
        "schedule": "chimera",
        "compare": ["chimera-doubling"],
        "devices": 4,
        "microbatches": 8,
        "backward": 2,
    }
    figure = generator("pipeline_bubble").draw(**params).figure
    said = texts(figure)
    assert {"20.0% idle", "14.3% idle"} <= set(said)
    numbers = [label for label in figure.findobj(Text) if label.get_text().isdigit()]
    heights = {round(label.get_position()[1], 3) for label in numbers}
    # Whole lanes; lanes and their halves, of which the upper has a bar or none; the axis.
    assert len(heights) == 4 + 4 * 4 + 1


def test_narrow_cells_of_one_kind_are_divided_in_a_figure_with_room_for_the_lines() -> None:
    params = {"schedule": "gpipe", "devices": 4, "microbatches": 40}
    lines_in = {}
    for narrow in (False, True):
        figure = generator("pipeline_bubble").draw(**params, narrow=narrow).figure
        drawn = [patch for patch in figure.findobj(PathPatch) if not patch.get_facecolor()[3]]
        lines = [patch for patch in drawn if patch.get_linewidth() == HAIRLINE]
        lines_in[narrow] = sum(len(line.get_path().vertices) for line in lines) // 2
    assert lines_in == {False: 4 * 2 * (40 - 4), True: 0}  # two are solid, and the others two areas
