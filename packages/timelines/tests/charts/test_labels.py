"""Numbers in cells, lines beside them, names in legends: what a reader of a Gantt chart looks for."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from helpers.book import Space
from helpers.generators import VISUALS, generator, texts
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from figmill_timelines.charts import gantt
from figmill_timelines.charts.canvas import text_width
from figmill_timelines.charts.cells import placed
from figmill_timelines.charts.legends import ACCENT
from figmill_timelines.pipeline import schedules
from figmill_timelines.spans import Timeline
from figmill_timelines.traces.event_kinds import what_is

EIGHT_PIXELS = 6.0  # points


def characters(figure: Figure) -> list[str]:
    return [c for text in texts(figure) if text.isdigit() for c in text]


def digits_of(timeline: Timeline) -> int:
    return sum(len(span.label) for span in timeline.spans)


@pytest.mark.parametrize(
    ("name", "p", "m"),
    [("dualpipe", 8, 18), ("1f1b", 8, 18), ("zb-h1", 8, 17), ("zb-v", 4, 11), ("gpipe", 4, 20)],
)
def test_every_cell_that_is_eight_pixels_wide_carries_its_number(name: str, p: int, m: int) -> None:
    drawn = schedules.simulate(name, p, m, backward=2)
    figure = gantt.draw(drawn)
    axis = [
        text for text in figure.findobj(Text) if text.get_text().isdigit() and text.get_color() != "#2b2b2b"
    ]
    shown = len(characters(figure)) - sum(len(text.get_text()) for text in axis)
    room = 7.6 * 72 - 14 - 14 - text_width("GPU 0", 9) - 7
    narrowest = min(span.end - span.start for span in drawn.spans) / drawn.makespan * room
    assert narrowest >= EIGHT_PIXELS * 0.99
    assert shown == digits_of(drawn)
    assert not any("…" in text for text in texts(figure))


def test_lanes_grow_taller_before_labels_go() -> None:
    # 20 lanes of pairs, whose halves are too low for a label in lanes of the usual height.
    drawn = schedules.simulate("dualpipe", 20, 40)
    tall = gantt.draw(drawn)
    assert tall.get_figheight() * 72 > 20 * 30
    many = gantt.draw(schedules.simulate("dualpipe", 40, 80))
    assert many.get_figheight() * 72 < 600  # but not beyond a page


@pytest.mark.parametrize("label", ["3", "12", "127", "A0"])
@pytest.mark.parametrize("size", [7.0, 8.5])
def test_a_label_stays_within_its_cell(label: str, size: float) -> None:
    for width in np.arange(3, 30, 0.7):
        for height in np.arange(4, 40, 1.7):
            found = placed(label, width, height, size)
            along, across = (height, width) if found and found.rotated else (width, height)
            if found:
                assert found.text == label
                assert text_width(label, size) <= along and 0.72 * size <= across
            else:
                assert text_width(label, size) + 1.6 > width or 0.72 * size + 1.6 > height


def test_a_narrow_cell_turns_its_label_and_stacks_no_digits() -> None:
    """One digit above another means two labels: those of a pair."""
    level, rotated = placed("12", 12, 20, 7), placed("12", 6, 20, 7)
    assert level and not level.rotated
    assert rotated and rotated.rotated and rotated.half_height > rotated.half_width
    assert placed("12", 6, 10, 7) is None


@pytest.mark.parametrize(
    "params",
    [
        {"schedule": "interleaved", "devices": 4, "microbatches": 8, "p2p": 0.25},
        {"schedule": "1f1b", "devices": 4, "microbatches": 8, "p2p": 0.5},
        {"schedule": "zb-v", "devices": 4, "microbatches": 8},
        {"schedule": "interleaved", "devices": 4, "microbatches": 8, "backward": 2},
    ],
)
def test_the_critical_path_passes_beside_digits(params: dict[str, Any]) -> None:
    figure = generator("pipeline_bubble").draw(critical_path=True, **params).figure
    figure.draw_without_rendering()
    labels = [
        text.get_window_extent()
        for text in figure.findobj(Text)
        if text.get_text().isdigit() and text.get_color() == "#2b2b2b"
    ]
    paths = [line for line in figure.findobj(Line2D) if line.get_color() == ACCENT and line.axes is not None]
    assert len(labels) > 20 and len(paths) > 5
    left, low, right, high = np.array([box.extents for box in labels]).T + np.c_[0.3, 1.5, -0.3, -1.5].T
    for line in paths:
        points = line.axes.transData.transform(np.column_stack(line.get_data()))
        for a, b in pairwise(points):
            x, y = np.linspace(a, b, 60).T[:, :, None]
            assert not ((left < x) & (x < right) & (low < y) & (y < high)).any()


def test_a_dashed_line_marks_each_step_of_a_refresh() -> None:
    drawing = generator("bubble_filling").draw(inversion=4, curvature_a=1)
    dashed = [line for line in drawing.figure.findobj(Line2D) if line.is_dashed()]
    assert len(dashed) == drawing.facts["iterations"] - 1 >= 1


def test_legends_name_what_is_drawn() -> None:
    said = texts(generator("worker_timeline").draw(workers=4, batches=200, mode="synchronous").figure)
    assert not any("icrobatch" in text for text in said)
    said = texts(generator("bubble_filling").draw().figure)
    assert "Curvature (factor A or B)" in said and "A0" in said
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
        found = space.read(f"build/global/r{ranks}.svg")
        width = float(found.partition('width="')[2].partition('"')[0])
        assert width <= 7.6 * 96, ranks
        assert ("Rank 2" in found) == (ranks <= 10), ranks
        assert (f"Ranks 0 to {ranks - 1}" in found) == (ranks > 10), ranks
