"""PipeFisher's rules: against what its authors' script prints for 150 recordings, and by hand."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from helpers.generators import generator, texts

from figmill_timelines.pipeline import filling, schedules
from figmill_timelines.pipeline.filling import Filled, Work, WorkCosts
from figmill_timelines.spans import Span, Timeline, timeline
from figmill_timelines.traces import pipeline_events

TABLE = Path(__file__).parent / "pipefisher.csv"
# Calls of different lengths; printed by the same script.
UNEVEN = Path(__file__).parent / "pipefisher_uneven.csv"
MARGIN = 0.05


def recording(
    schedule: str,
    p: int,
    m: int,
    forward: int,
    backward: int,
    curvature_a: int,
    curvature_b: int,
    sync: int,
    inversion: int,
    modules: int,
    jitter: int = 0,
    ranges: int = 1,
) -> dict[str, dict[str, list[list[int]]]]:
    """A recording in ns: a simulated step, and work behind it that is longer with each module.

    jitter: each call is longer by less than this. ranges: of curvature of a module; 0: one for each microbatch.
    """
    drawn = schedules.simulate(schedule, p, m, None, forward, backward)
    drawn = timeline(drawn.lanes, uneven(drawn, jitter))
    pipes = ("", ":up_pipe") if schedule == "chimera" else ("",)
    devices = {}
    for lane in range(p):
        events: dict[str, list[list[int]]] = {}
        for span in drawn.spans:
            if span.lane == lane:
                name = f"call_{span.kind}{pipes[span.chunk]}"
                events.setdefault(name, []).append([int(span.start), int(span.end)])
        count, now = len(events["call_forward"]), int(drawn.makespan)
        costs = {
            "cov_kron_A": count * curvature_a,
            "cov_kron_B": count * curvature_b,
            "sync_kron_A": sync,
            "sync_kron_B": sync,
            "inv_kron_A": inversion,
            "inv_kron_B": inversion,
        }
        for module in range(modules):
            for name, cost in costs.items():
                for pipe in pipes if cost else ():
                    parts = (ranges or count) if name.startswith("cov") else 1
                    for _ in range(parts):
                        events.setdefault(f"{name}:m{module}{pipe}", []).append(
                            [now, now + cost * (1 + module) // parts]
                        )
                        now += cost * (1 + module) // parts
        devices[f"GPU {lane}"] = events
    return devices


def uneven(drawn: Timeline, jitter: int) -> Iterator[Span]:
    """The same calls in the same order, each as early as its device and its data allow, of different lengths."""
    ends: dict[tuple[str, int, int, int], float] = {}
    free = [0.0] * len(drawn.lanes)
    for number, span in enumerate(sorted(drawn.spans, key=lambda span: (span.start, span.lane))):
        back = span.kind == "backward"
        before = (span.kind, span.chunk, span.microbatch, span.stage + (1 if back else -1))
        own = ("forward", span.chunk, span.microbatch, span.stage)
        start = max(free[span.lane], ends.get(before, 0.0), ends.get(own, 0.0))
        end = start + span.end - span.start + (7919 * number * number % jitter if jitter else 0)
        free[span.lane] = ends[span.kind, span.chunk, span.microbatch, span.stage] = end
        yield span._replace(start=start, end=end)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.soak)])
def test_a_hundred_and_fifty_recordings_are_filled_as_by_the_authors_script(step: int) -> None:
    with TABLE.open() as table:
        rows = list(csv.DictReader(table))
    assert len(rows) == 150
    for row in rows[::step]:
        schedule, *numbers, steps, usage = row.values()
        before, work = pipeline_events.step(recording(schedule, *map(int, numbers)), unit="ns")
        facts = filling.fill(before, work, MARGIN, rules="pipefisher").facts()
        assert facts["iterations_per_device"] == [int(word) for word in steps.split()], row
        assert facts["unplaced"] == 0
        for own, said in zip(facts["usage_per_device"], usage.split(), strict=True):
            # `twice`: of a row that fits only in part, the script counts the placed part once more at the end.
            assert said == "twice" or own == pytest.approx(float(said), abs=1e-6), row


def test_calls_of_different_lengths_are_filled_as_by_the_authors_script() -> None:
    with UNEVEN.open() as table:
        rows = list(csv.DictReader(table))
    assert len(rows) == 60
    latest = set()
    for row in rows:
        schedule, *numbers, steps, usage = row.values()
        devices = recording(schedule, *map(int, numbers))
        before, work = pipeline_events.step(devices, unit="ns", rules="pipefisher")
        latest.add(max(before.spans, key=lambda span: span.end).lane)
        facts = filling.fill(before, work, MARGIN, rules="pipefisher").facts()
        assert facts["iterations_per_device"] == [int(word) for word in steps.split()], row
        for own, said in zip(facts["usage_per_device"], usage.split(), strict=True):
            assert said == "twice" or own == pytest.approx(float(said), abs=6e-5), row
    assert len(latest) > 2  # not device 0 alone


def test_a_step_is_as_long_as_device_0() -> None:
    def device(first: int) -> dict[str, list[list[int]]]:
        return {
            "call_forward": [[0, 100]],
            "call_backward": [[first, first + 200]],
            "cov_kron_A:m": [[500, 540]],
            "inv_kron_A:m": [[540, 580]],
        }

    before, work = pipeline_events.step({"node0": device(200), "node1": device(210)}, rules="pipefisher")
    facts = filling.fill(before, work, MARGIN, rules="pipefisher").facts()
    assert facts["iterations_per_device"] == [1, 1]
    # 100 + 200 of calls and 40 + 40 of work, in the 400 of device 0; device 1 ends at 410.
    assert facts["usage_per_device"] == [0.95, 0.95] and facts["usage"] == 0.95
    assert before.makespan == 410
    earliest = filling.fill(before, work, MARGIN).facts()
    assert earliest["usage_per_device"] == pytest.approx([380 / 410] * 2)


def test_a_device_that_begins_before_device_0_fills_no_bubble_there() -> None:
    calls = {"call_forward": [[50, 60]], "call_backward": [[90, 100]]}
    early = {"call_forward": [[0, 10]], "call_backward": [[70, 100]], "inv_kron_A": [[200, 230]]}
    before, work = pipeline_events.step({"node0": calls, "node1": early}, rules="pipefisher")
    done = filling.fill(before, work, rules="pipefisher")
    # Device 0's step is from 50 on: between 10 and 50 there is room for 30, between 50 and 70 there is not.
    assert [(s.start, s.end) for s in done.after.spans if s.kind == "inversion"] == [(10, 40)]
    assert done.counted == 50


def test_each_range_of_curvature_is_divided_by_the_microbatches() -> None:
    events = {
        "call_forward": [[0, 10], [10, 20]],
        "call_backward": [[60, 80], [90, 110]],
        "cov_kron_A": [[200, 208], [208, 216]],
    }
    _, work = pipeline_events.step({"GPU 0": events}, rules="pipefisher")
    assert [(w.duration, w.counted) for w in work] == [(4, 10), (4, 10), (4, 20), (4, 20)]
    assert len({w.row for w in work}) == 2
    _, each = pipeline_events.step({"GPU 0": events})
    assert [(w.duration, w.ready) for w in each] == [(8, 10), (8, 20)]


def lane(*busy: tuple[float, float], until: float) -> Timeline:
    return timeline(["GPU 0"], [Span(0, start, end, "forward") for start, end in busy], until=until)


def filled(before: Timeline, *work: Work, margin: float = 0.0) -> Filled:
    return filling.fill(before, work, margin, rules="pipefisher")


def placed(done: Filled) -> list[tuple[str, float, float]]:
    return [(s.label, s.start, s.end) for s in done.after.spans if s.kind in filling.PRIORITY]


def piece(kind: str, label: str, duration: float, ready: float = 0.0, row: int = 0) -> Work:
    return Work(0, kind, label, duration, ready, (), label[0], (0.0, row, 0))


def test_what_missed_its_data_goes_into_the_same_step_of_the_next_refresh() -> None:
    before = lane((2, 3), until=3)
    done = filled(before, piece("curvature", "A0", 1, ready=3))
    assert placed(done) == [("A0", 0, 1)] and done.steps == (1,)


def test_a_step_is_added_where_not_all_of_the_rest_fits() -> None:
    before = lane((2, 3), until=3)
    work = [piece("curvature", "A0", 1.5, ready=3), piece("curvature", "A1", 1.5, ready=3, row=1)]
    done = filled(before, *work)
    assert placed(done) == [("A1", 0, 1.5), ("A0", 3, 4.5)] and done.steps == (2,)


def test_a_row_that_an_added_step_does_not_end_runs_behind_it() -> None:
    before = lane((2, 3), until=3)
    work = [piece("curvature", "A0", 1.5, ready=3), piece("curvature", "A1", 1.5, ready=3)]
    done = filled(before, *work)
    assert placed(done) == [("A0", 3, 4.5), ("A1", 6, 7.5)] and done.steps == (2,)


def test_priority_goes_before_the_earliest_start() -> None:
    before = lane((0, 1), (4, 5), until=5)
    work = [piece("inversion", "B", 1), piece("curvature", "A0", 1, ready=1)]
    assert placed(filled(before, *work)) == [("A0", 1, 2), ("B", 2, 3)]


def test_inversion_waits_for_all_curvature_of_its_factor() -> None:
    before = lane((0, 1), (5, 6), until=6)
    work = [
        piece("inversion", "A", 1, row=1),
        piece("curvature", "A0", 1, 1),
        piece("curvature", "A1", 1, 9, 2),
    ]
    assert placed(filled(before, *work)) == [("A0", 1, 2), ("A1", 2, 3), ("A", 3, 4)]


def test_a_step_is_charged_for_work_that_fits_nowhere() -> None:
    before = lane((0, 1), (3, 4), until=4)
    done = filled(before, piece("inversion", "A", 2.5))
    assert done.steps == (2,) and placed(done) == [("A", 8, 10.5)]
    assert done.facts()["usage_per_device"] == [pytest.approx((4 + 2.5) / 8)]


@pytest.mark.parametrize("shape", [("gpipe", 2, 3), ("1f1b", 4, 4), ("chimera", 4, 4), ("interleaved", 2, 4)])
@pytest.mark.parametrize(
    "costs", [WorkCosts(0.3, 0.4, 0.1, 1.2, 2), WorkCosts(2.5, 0.1, 0, 9, 1), WorkCosts(0, 1, 0, 0, 3)]
)
def test_work_is_conserved_and_nothing_overlaps(shape: tuple[str, int, int], costs: WorkCosts) -> None:
    before = schedules.simulate(*shape, backward=2)
    work = filling.work_for(before, costs)
    done = filling.fill(before, work, MARGIN, rules="pipefisher")
    assert done.facts()["work_time"] == pytest.approx(sum(item.duration for item in work))
    assert done.facts()["unplaced"] == 0
    for a, b in pairwise(done.after.spans):
        assert a.lane != b.lane or b.start >= a.end - 1e-9


@pytest.mark.parametrize("schedule", ["1f1b", "gpipe", "chimera"])
def test_a_simulated_schedule_is_filled_as_its_recording(schedule: str) -> None:
    before, work = pipeline_events.step(
        recording(schedule, 4, 8, 1000, 2000, 400, 300, 90, 1100, 1), unit="ns"
    )
    recorded = filling.fill(before, work, MARGIN, rules="pipefisher")
    drawn = schedules.simulate(schedule, 4, 8, None, 1000, 2000)
    again = filling.fill(
        drawn, filling.work_for(drawn, WorkCosts(400, 300, 90, 1100)), MARGIN, rules="pipefisher"
    )
    assert again.steps == recorded.steps


def test_the_figure_names_its_rules() -> None:
    by_script = generator("bubble_filling").draw(rules="pipefisher")
    assert by_script.facts["iterations_per_device"] == [1, 2, 2, 1]
    assert [round(100 * x, 2) for x in by_script.facts["usage_per_device"]] == [90.48, 73.81, 73.81, 90.48]
    assert any("PipeFisher's rules" in text for text in texts(by_script.figure))
    own = generator("bubble_filling").draw()
    assert own.facts["iterations_per_device"] == [2, 2, 2, 2]
    assert not any("PipeFisher" in text for text in texts(own.figure))
    with pytest.raises(ValueError, match="remove stale"):
        generator("bubble_filling").draw(rules="pipefisher", stale=True)
