"""Timelines as figures: what is drawn is what is stated, also where there are too many cells to draw."""

from __future__ import annotations

import io
import math
import re
import sys

import pytest
from helpers.generators import generator, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.text import Text

from figmill_timelines import palette
from figmill_timelines.charts import gantt, looks
from figmill_timelines.charts.shares import shares
from figmill_timelines.charts.table_rows import phases
from figmill_timelines.pipeline import activations, schedules
from figmill_timelines.spans import Span, Timeline, idle_per_lane, own_span_bubble, timeline


def svg(figure: Figure) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg")
    return out.getvalue()


def test_the_numbers_of_the_gpipe_bubble_are_those_of_its_cells() -> None:
    drawing = generator("pipeline_bubble").draw(devices=4, microbatches=4, schedule="gpipe")
    assert drawing.facts["makespan"] == 14
    assert (drawing.facts["idle_time"], drawing.facts["device_time"]) == (24, 56)
    assert drawing.facts["bubble_fraction"] == pytest.approx(3 / 7)
    labels = texts(drawing.figure)
    assert "24 of 56 cells idle" in labels and "GPipe leaves 3/7 of the device time idle" in labels
    assert sum(label in ("0", "1", "2", "3") for label in labels) >= 32  # all 32 cells carry their number
    longer = generator("pipeline_bubble").draw(devices=4, microbatches=4, schedule="gpipe", backward=2)
    assert "36 of 84 units of time idle" in texts(longer.figure)  # a backward is one cell


def test_schedules_that_are_compared_do_the_same_work() -> None:
    names = ["zb-v", "interleaved", "zb-h1", "gpipe"]
    facts = generator("pipeline_bubble").draw(4, 8, "1f1b", compare=names, forward=2).facts
    for name in names:
        suffix = "_" + name.replace("-", "_")
        busy = facts[f"device_time{suffix}"] - facts[f"idle_time{suffix}"]
        assert busy == pytest.approx(facts["device_time"] - facts["idle_time"]), name
    assert facts["makespan_zb_h1"] < facts["makespan"] == facts["makespan_gpipe"]


def test_every_colour_is_a_role_of_the_palette() -> None:
    figure = (
        generator("pipeline_bubble")
        .draw(schedule="dualpipe", compare=["zb-h1", "1f1b"], p2p=0.5, critical_path=True, memory=[0])
        .figure
    )
    colours = {colour for r in palette.ROLES for colour in (r.fill, r.line)}
    colours |= {palette.TEXT[0], palette.MUTED[0], palette.GRID[0], palette.PAGE[0], "#000000"}
    assert set(re.findall(r"#[0-9a-f]{6}\b", svg(figure))) <= colours


def test_nothing_leaves_the_page() -> None:
    figure = generator("pipeline_bubble").draw(schedule="1f1b", compare=["zb-v"], memory=[0, 3]).figure
    figure.draw_without_rendering()
    for text in figure.findobj(lambda a: hasattr(a, "get_text") and a.get_text() and a.get_visible()):
        box = text.get_window_extent()
        if box.width and text.axes is not None and text in text.axes.get_children():
            assert box.x0 >= 0 and box.x1 <= figure.bbox.width, text.get_text()
            assert box.y0 >= 0 and box.y1 <= figure.bbox.height, text.get_text()


def test_no_label_is_lost_in_silence() -> None:
    drawn = schedules.simulate("1f1b", 8, 32, backward=2)
    labels = texts(gantt.draw(drawn))
    assert "Microbatches 0 and 16" in labels
    assert "31" not in labels  # it fits into backwards, and not into forwards


@settings(max_examples=40, deadline=None)
@given(
    p=st.integers(1, 6),
    m=st.integers(1, 40),
    name=st.sampled_from(["gpipe", "1f1b", "zb-h1", "1f1b-overlap"]),
    visible=st.floats(0, 20),
)
def test_shares_keep_every_second_of_work_and_of_idleness(p: int, m: int, name: str, visible: float) -> None:
    drawn = schedules.simulate(name, p, m, forward=1.3, backward=2.1)
    stretches = shares(drawn, visible)
    work: dict[str, float] = {}
    for stretch in stretches:
        assert math.isclose(sum(share for _, share in stretch.parts), 1)
        for kind, share in stretch.parts:
            work[kind] = work.get(kind, 0) + share * (stretch.end - stretch.start)
    small = sum(gap.end - gap.start for gap in drawn.idle if gap.end - gap.start < visible)
    assert math.isclose(work.pop("idle", 0.0), small, abs_tol=1e-6)
    for kind, total in work.items():
        expected = sum((s.end - s.start) / (2 if s.row else 1) for s in drawn.spans if s.kind == kind)
        assert math.isclose(total, expected, rel_tol=1e-6)


@pytest.mark.soak
def test_sixty_four_stages_take_less_than_three_megabytes() -> None:
    drawing = generator("pipeline_bubble").draw(64, 512, "1f1b", backward=2, memory=[0])
    assert len(svg(drawing.figure)) < 3_000_000
    assert drawing.facts["bubble_fraction"] == pytest.approx(63 / 575)


def test_live_activations_step_with_forwards_and_backwards() -> None:
    drawn = schedules.simulate("1f1b", 2, 2)
    assert activations.live(drawn, 0) == ((0.0, 1), (1.0, 2), (4.0, 1), (6.0, 0))


def test_gaps_are_found_in_spans_of_any_order() -> None:
    drawn = timeline(["a", "b"], [Span(1, 2, 3, "x"), Span(0, 1, 2, "x"), Span(0, 5, 6, "x")])
    assert [(g.lane, g.start, g.end, g.kind) for g in drawn.idle] == [
        (0, 0, 1, "warm-up"),
        (0, 2, 5, "waiting"),
        (1, 0, 2, "warm-up"),
        (1, 3, 6, "tail"),
    ]
    assert own_span_bubble(drawn) == [pytest.approx(3 / 5), 0]
    assert drawn.moved(2).makespan == 8 and idle_per_lane(drawn.moved(2)) == idle_per_lane(drawn)


def test_a_span_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(ValueError, match="a: x one runs from 2 to 1"):
        timeline(["a"], [Span(0, 2, 1, "x", "one")])


def test_an_empty_timeline_is_not_drawn() -> None:
    with pytest.raises(ValueError, match="no time in it"):
        gantt.draw(Timeline(("a",), ()))


@pytest.mark.parametrize(
    "end, expected", [(14, 2), (33, 3), (1, 0.1), (0.37, 0.04), (7600, 1000), (1e6, 1e5)]
)
def test_ticks_are_round(end: float, expected: float) -> None:
    ticks = gantt.ticks(end)
    assert ticks[1] == pytest.approx(expected) and ticks[-1] <= end and len(ticks) <= 13


def test_kinds_that_nobody_named_are_drawn_under_their_own_name() -> None:
    assert looks.of("compaction").label == "compaction"


def test_generators_refuse_what_is_out_of_bounds() -> None:
    for name, params in (
        ("pipeline_bubble", {"devices": 300}),
        ("pipeline_bubble", {"memory": [9]}),
        ("worker_timeline", {"jitter": 1.5}),
        ("queueing", {"percentile": 1}),
        ("collective", {"ranks": 1}),
        ("data_stalls", {"steps": 0}),
        ("bubble_filling", {"margin": -1}),
        ("trace_timeline", {"offset": -1}),
    ):
        with pytest.raises(ValueError, match="must be from"):
            generator(name).draw(**params)


def test_generators_touch_no_global_state() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    generator("worker_timeline").draw(workers=2, batches=3)
    assert dict(matplotlib.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or not matplotlib.pyplot.get_fignums()


def test_a_timeline_without_microbatches_names_none_in_its_legend() -> None:
    many = timeline(["Job"], [Span(0, n, n + 1, "work" if n % 2 else "checkpoint") for n in range(20_000)])
    assert not [word for word in texts(gantt.draw(many)) if word.startswith("Microbatches")]


@pytest.mark.parametrize(("microbatches", "named"), [(64, "0 and 32"), (75, "0 and 38")])
def test_the_legend_names_microbatches_that_are_drawn(microbatches: int, named: str) -> None:
    spans = [Span(0, n, n + 1, "forward", str(n), microbatch=n) for n in range(microbatches)]
    assert f"Microbatches {named}" in texts(gantt.draw(timeline(["GPU 0"], spans)))


@pytest.mark.parametrize("end", [7.6512, 14, 0.10543, 1725, 103.72, 41.5, 1e-7, 3.2e9])
def test_the_axis_ends_where_the_longest_panel_does(end: float) -> None:
    figure = gantt.draw(timeline(["a"], [Span(0, 0, end, "compute")]))
    ticks = [text for text in figure.findobj(Text) if text.get_color() == palette.MUTED[0]]
    last = max(ticks, key=lambda text: text.get_position()[0])
    assert _value(last.get_text()) == pytest.approx(end, rel=0.003)


@pytest.mark.parametrize(
    ("note", "last"),
    [
        ("takes 7.65 s", "7"),
        ("7.65 s in all", "7"),
        ("7.651 s", "7.65"),
        ("17.65 s", "7.65"),
        ("7.65%", "7.65"),
    ],
)
def test_the_end_of_the_axis_has_no_tick_if_a_header_states_it(note: str, last: str) -> None:
    panel = gantt.Panel(timeline(["a"], [Span(0, 0, 7.6512, "compute")]), "Job", note)
    ticks = [text for text in gantt.draw([panel]).findobj(Text) if re.fullmatch(r"[\d.]+", text.get_text())]
    assert max(ticks, key=lambda text: text.get_position()[0]).get_text() == last


def _value(text: str) -> float:
    number, _, power = text.partition("·10")
    exponent = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) if power else "0"
    return float(f"{number}e{exponent}")


def test_a_legend_of_several_lines_is_even() -> None:
    figure = generator("trace_timeline").draw(source="profile.json").figure
    rows: dict[float, int] = {}
    for text in figure.findobj(Text):
        if text.get_fontsize() == 8 and text.get_color() == palette.TEXT[0]:
            place = round(text.get_position()[1])
            rows[place] = rows.get(place, 0) + 1
    assert sorted(rows.values()) == [3, 4]


def test_the_rows_of_a_table_are_found_without_comparing_each_span_with_each_gap() -> None:
    compared = []

    class Lane(int):
        def __eq__(self, other: object) -> bool:
            compared.append(other)
            return int(self) == other

        __hash__ = int.__hash__

    many = 500
    spans = tuple(Span(Lane(0), 2 * at, 2 * at + 1, "forward", microbatch=at) for at in range(many))
    gaps = tuple(Span(Lane(0), 2 * at + 1, 2 * at + 2, "dependency") for at in range(many))
    rows = list(phases(Timeline(("GPU 0",), spans, gaps)))
    assert [row["work"] for row in rows[:2]] == ["Forward 0", "idle: waits for another lane"]
    assert len(rows) == 2 * many
    assert len(compared) < 60 * many


def test_each_cell_that_is_drawn_is_a_row_of_its_own() -> None:
    chat = generator("serving_timeline").draw(
        arrivals_ms=[0], prompts=[100], outputs=[4], base_ms=10, prefill_us=100, decode_ms=2
    )
    (rows,) = chat.figure.figmill_tables.values()
    # 10 + 100 x 0.1 ms for the prompt, and 10 + 2 ms for each of three further tokens.
    assert [(row["work"], row["start (ms)"], row["end (ms)"]) for row in rows] == [
        ("Prefill", 0, 20),
        *(("Decode", at, at + 12) for at in (20, 32, 44)),
    ]


def test_chunks_and_directions_are_named() -> None:
    spans = [Span(0, n, n + 1, "forward", microbatch=0, chunk=n) for n in range(2)]
    both = timeline(["GPU 0"], spans, until=3)
    assert [(row["work"], row["chunk"]) for row in phases(both)] == [
        ("Forward 0", 0),
        ("Forward 0", 1),
        ("idle: tail", ""),
    ]
    assert [row["direction"] for row in phases(both, upward=True)] == ["down", "up", ""]
    assert "chunk" not in next(phases(timeline(["GPU 0"], spans[:1])))


def test_the_label_of_a_curve_is_above_its_longest_plateau_in_however_many_steps() -> None:
    lane = timeline(["GPU"], [Span(0, 0.0, 100.0, "work")])

    def place(*first: tuple[float, float]) -> tuple[float, float]:
        curve = gantt.Curve("layers", (*first, (60.0, 0.0), (80.0, 1.0)), "at most 1 layer")
        figure = gantt.draw([gantt.Panel(lane, curves=(curve,))])
        return next(text.get_position() for text in figure.findobj(Text) if "at most" in text.get_text())

    assert place((0.0, 1.0), (25.0, 1.0), (40.0, 1.0)) == place((0.0, 1.0))


def test_a_reader_counts_the_crashes_of_the_title() -> None:
    drawing = generator("failures").draw(view="timeline", nodes=16_384, seed=1)
    counts = [drawing.facts[name] for name in ("failures_1", "failures", "failures_2")]
    assert counts == [15, 12, 17] and "12 to 17 crashes" in " ".join(texts(drawing.figure))
    repeated = [text for text in texts(drawing.figure) if text.endswith(" crashes")]
    assert repeated == ["2 crashes"] * (2 + 1 + 2)  # those that come during a restart


def test_restarts_have_a_border_between_them() -> None:
    rows = [Span(0, 0.0, 100.0, "work"), Span(0, 100.0, 100.5, "restart"), Span(0, 100.5, 101.0, "restart")]
    for kind, boxes in (("restart", 2), ("transfer", 1)):
        spans = [span._replace(kind=kind) if span.kind == "restart" else span for span in rows]
        (axes,) = gantt.draw(timeline(["Job"], spans)).axes
        line = looks.of(kind).line
        borders = [p for p in axes.patches if to_hex(p.get_facecolor()) == line]
        counts = [len(patch.get_path().vertices) // 5 for patch in borders if _narrow(patch)]
        assert max(counts) == boxes, kind  # the others are in the legend


def _narrow(patch: Patch) -> bool:
    xs = patch.get_path().vertices[:, 0]
    return bool(xs.min() > 100 and xs.max() - xs.min() < 10)
