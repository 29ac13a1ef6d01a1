"""Bubble filling: the rules of PipeFisher on schedules and on recorded events."""

from __future__ import annotations

import json
import math
import pickle
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill_timelines.pipeline import filling, schedules
from figmill_timelines.pipeline.filling import Filled, Work, WorkCosts
from figmill_timelines.spans import Span, Timeline, timeline
from figmill_timelines.traces import pipeline_events
from figmill_timelines.traces.pipeline_events import EventError


def one_lane(*busy: tuple[float, float], until: float) -> Timeline:
    return timeline(["GPU 0"], [Span(0, start, end, "forward") for start, end in busy], until=until)


def placed(filled: Filled) -> list[tuple[str, float, float]]:
    return [(s.label, s.start, s.end) for s in filled.after.spans if s.kind in filling.PRIORITY]


def test_work_that_fits_exactly_is_placed() -> None:
    filled = filling.fill(one_lane((0, 1), (3, 4), until=4), [Work(0, "curvature", "A0", 2)])
    assert placed(filled) == [("A0", 1, 3)]
    assert filled.facts()["bubble_fraction_after"] == 0


def test_a_margin_stays_free_behind_each_piece() -> None:
    before = one_lane((0, 1), (3, 4), until=4)
    assert placed(filling.fill(before, [Work(0, "sync", "a", 1.9)], margin=0.05)) == [("a", 1, 2.9)]
    tight = filling.fill(before, [Work(0, "sync", "a", 1.95)], margin=0.05)
    assert tight.facts()["lengthened_by"] == pytest.approx(1.95)


def test_what_does_not_fit_goes_on_to_the_next_iteration() -> None:
    before = one_lane((0, 1), (3, 4), until=4)
    filled = filling.fill(before, [Work(0, "curvature", "A0", 1.5), Work(0, "curvature", "A1", 1.5)])
    assert placed(filled) == [("A0", 1, 2.5), ("A1", 5, 6.5)]
    facts = filled.facts()
    assert (facts["iterations"], facts["step_time"], facts["unplaced"]) == (2, 4, 0)
    assert facts["usage"] == pytest.approx((4 + 3) / 8)


def test_what_no_bubble_can_hold_runs_after_the_pipeline_and_lengthens_it() -> None:
    before = one_lane((0, 1), (3, 4), until=4)
    filled = filling.fill(before, [Work(0, "inversion", "A", 2.5), Work(0, "curvature", "A0", 1)])
    assert placed(filled) == [("A0", 1, 2), ("A", 4, 6.5)]
    assert filled.facts()["lengthened_by"] == pytest.approx(2.5)
    assert filled.facts()["step_time"] == pytest.approx(6.5)


def test_a_module_is_inverted_after_its_own_curvature_and_sync_not_everyones() -> None:
    work = [
        Work(0, "curvature", "slow", 1, ready=6),
        Work(0, "sync", "slow", 1, after=(0,)),
        Work(0, "inversion", "slow", 1, after=(0, 1)),
        Work(0, "curvature", "quick", 1, ready=1),
        Work(0, "sync", "quick", 1, after=(3,)),
        Work(0, "inversion", "quick", 1, after=(3, 4)),
    ]
    filled = filling.fill(one_lane((0, 1), (9, 10), until=10), work)
    assert placed(filled) == [
        ("quick", 1, 2),
        ("quick", 2, 3),
        ("quick", 3, 4),
        ("slow", 6, 7),
        ("slow", 7, 8),
        ("slow", 8, 9),
    ]


def test_stale_work_may_use_the_data_of_the_step_before() -> None:
    before = one_lane((2, 3), until=3)
    work = [Work(0, "curvature", "A0", 1, ready=3)]
    assert placed(filling.fill(before, work)) == [("A0", 3, 4)]
    assert placed(filling.fill(before, work, stale=True)) == [("A0", 0, 1)]


@settings(max_examples=80, deadline=None)
@given(
    shape=st.sampled_from(
        [("gpipe", 2, 3), ("1f1b", 4, 4), ("1f1b", 3, 2), ("chimera", 4, 4), ("interleaved", 2, 4)]
    ),
    costs=st.builds(
        WorkCosts,
        st.floats(0.01, 4),
        st.floats(0.01, 4),
        st.sampled_from([0.0, 0.3, 20.0]),
        st.floats(0.05, 9),
        st.integers(1, 3),
    ),
    margin=st.sampled_from([0.0, 0.05, 0.5]),
    stale=st.booleans(),
)
def test_work_is_conserved_and_nothing_overlaps(
    shape: tuple[str, int, int], costs: WorkCosts, margin: float, stale: bool
) -> None:
    before = schedules.simulate(*shape, backward=2)
    work = filling.work_for(before, costs)
    filled = filling.fill(before, work, margin, stale)
    facts = filled.facts()
    assert facts["unplaced"] == 0
    assert math.isclose(facts["work_time"], sum(item.duration for item in work), rel_tol=1e-9)
    assert facts["usage"] <= 1 + 1e-9
    for a, b in pairwise(filled.after.spans):
        assert a.lane != b.lane or b.start >= a.end - 1e-9
    starts = {(s.lane, s.kind, s.label): s.start for s in filled.after.spans}
    if not stale:
        for item in work:
            assert starts[item.lane, item.kind, item.label] >= 0
    for lane in range(len(before.lanes)):
        curvature = [s.end for s in filled.after.spans if s.lane == lane and s.kind == "curvature"]
        inversion = [s.start for s in filled.after.spans if s.lane == lane and s.kind == "inversion"]
        assert min(inversion) >= min(curvature)


def recorded() -> dict[str, dict[str, list[list[float]]]]:
    """Two GPUs, two microbatches, forward 1, backward 2; two iterations, the second from 100 on."""
    first = {
        "call_forward": [[0, 1], [1, 2], [100, 101], [101, 102]],
        "call_backward": [[5, 7], [7, 9], [105, 107], [107, 109]],
        "start_end": [[0, 9], [100, 109]],
        "cov_kron_A": [[0, 0.5], [0, 0.5]],
        "cov_kron_B": [[0, 0.5], [0, 0.5]],
        "sync_kron_A:fc": [[0, 0.25]],
        "inv_kron_A:fc": [[0, 1]],
    }
    second = {
        "call_forward": [[1, 2], [2, 3], [101, 102], [102, 103]],
        "call_backward": [[3, 5], [5, 7], [103, 105], [105, 107]],
        "start_end": [[0, 9], [100, 109]],
    }
    return {"GPU 0": first, "GPU 1": second}


def test_the_last_iteration_is_taken_and_its_work_with_its_rules() -> None:
    before, work = pipeline_events.step(recorded())
    assert before.makespan == 9
    assert [(s.kind, s.start, s.end) for s in before.spans if s.lane == 1] == [
        ("forward", 1, 2),
        ("forward", 2, 3),
        ("backward", 3, 5),
        ("backward", 5, 7),
    ]
    assert [(w.kind, w.label, w.duration, w.ready, w.after) for w in work] == [
        ("curvature", "A0", 0.5, 1, ()),
        ("curvature", "A1", 0.5, 2, ()),
        ("curvature", "B0", 0.5, 7, ()),
        ("curvature", "B1", 0.5, 9, ()),
        ("sync", "Afc", 0.25, 0.0, (0, 1)),
        ("inversion", "Afc", 1, 0.0, (0, 1, 4)),
    ]
    filled = filling.fill(before, work)
    assert placed(filled)[:4] == [("A0", 2, 2.5), ("A1", 2.5, 3), ("Afc", 3, 3.25), ("Afc", 3.25, 4.25)]


def test_a_bidirectional_schedule_keeps_its_pipes_apart() -> None:
    events = {
        "call_forward": [[0, 1]],
        "call_backward": [[4, 6]],
        "call_forward:up_pipe": [[1, 2]],
        "call_backward:up_pipe": [[2, 4]],
        "cov_kron_B": [[0, 0.5]],
        "cov_kron_B:up_pipe": [[0, 0.5]],
    }
    _, work = pipeline_events.step({"GPU 0": events})
    assert [w.ready for w in work] == [6, 4]


def test_clocks_are_aligned_when_asked() -> None:
    late = {name: [[s + 40, e + 40] for s, e in pairs] for name, pairs in recorded()["GPU 1"].items()}
    both = {"GPU 0": recorded()["GPU 0"], "GPU 1": late}
    assert pipeline_events.step(both)[0].makespan == 49
    assert pipeline_events.step(both, clocks="own")[0].makespan == 9


def test_json_csv_and_plain_pickle_say_the_same(tmp_path: Path) -> None:
    data = recorded()
    (tmp_path / "a.json").write_text(json.dumps(data))
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(data))
    rows = [f"{d},{n},{s},{e}" for d, events in data.items() for n, pairs in events.items() for s, e in pairs]
    (tmp_path / "a.csv").write_text("\n".join(["device,name,start,end", *rows]))
    read = [
        pipeline_events.step(pipeline_events.read(tmp_path / f"a.{suffix}"))
        for suffix in ("json", "pkl", "csv")
    ]
    assert read[0] == read[1] == read[2]


def test_a_pickle_that_would_run_code_is_refused(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple:
            return (print, ("run",))

    (tmp_path / "evil.pkl").write_bytes(pickle.dumps({"GPU 0": Evil()}))
    with pytest.raises(EventError, match=r"asks for builtins.print; only plain data"):
        pipeline_events.read(tmp_path / "evil.pkl")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"call_backward": [[105, 107]]}, "GPU 0, call_forward: 2 times, but call_backward 1 times"),
        (
            {"call_forward": [[100, 106], [106, 107]]},
            "GPU 0, call_backward number 0: starts at 105 and overlaps",
        ),
        ({"cov_kron_A:up_pipe": [[0, 1]]}, "GPU 0, cov_kron_A:up_pipe: its pipeline has no forward"),
        ({"call_forward": [], "call_backward": []}, "GPU 0, call_forward: missing in the last iteration"),
    ],
)
def test_a_recording_that_cannot_be_right_is_told_with_device_and_event(change: dict, message: str) -> None:
    data = recorded()
    data["GPU 0"].update(change)
    with pytest.raises(EventError, match=message):
        pipeline_events.step(data)


def test_events_of_a_wrong_form_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"GPU 0": {"call_forward": [[2, 1]]}}')
    with pytest.raises(EventError, match="GPU 0, call_forward: ends at 1 before it starts at 2"):
        pipeline_events.read(tmp_path / "a.json")
