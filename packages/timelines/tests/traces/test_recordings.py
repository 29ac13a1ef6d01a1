"""Recordings as PipeFisher's own tools write them: numpy's numbers, a file for each device, work inside start_end."""

from __future__ import annotations

import json
import pickle
import pickletools
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.cases import cases
from helpers.generators import generator, texts

from figmill_timelines.pipeline import filling
from figmill_timelines.traces import pipeline_events, plain_pickle
from figmill_timelines.traces.pipeline_events import EventError


def device(zero: int, number: int) -> dict[str, list[tuple[Any, Any]]]:
    """One of two GPUs with two microbatches in ns, recorded twice; the second-order work follows each iteration."""
    events: dict[str, list[tuple[Any, Any]]] = {"start_end": []}

    def add(name: str, start: int, end: int) -> None:
        events.setdefault(name, []).append((np.int64(start), np.int64(end)))

    for turn in range(2):
        t = zero + 100_000 * turn
        events["start_end"].append((np.int64(t), np.int64(t + 60_000)))
        for k in range(2):
            add("call_forward", t + 1000 * (number + k), t + 1000 * (number + k + 1))
            add("call_backward", t + 5000 + 4000 * k - 2000 * number, t + 7000 + 4000 * k - 2000 * number)
        # One range for the whole step of each module, behind the pipeline; the host's range ends before the kernel.
        add("cov_kron_A:q", t + 20_000, t + 21_000)
        add("cov_kron_B:q", t + 21_000, t + 22_000)
        add("inv_kron_A:q", t + 22_000, t + 24_000)
        add("inv_kron_B:q", t + 24_000, t + 61_000 if turn else t + 26_000)
        add("precondition", t + 30_000, t + 31_000)
    events["inv_kron_B:q"] = [(s, s + 2000) for s, _ in events["inv_kron_B:q"]]
    return events


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_numpys_numbers_are_read_from_every_protocol(protocol: int) -> None:
    value = OrderedDict(
        a=[(np.int64(-5), np.float64(2.5)), (np.uint32(7), np.int16(-3))], b=[np.float32(0.5), np.bool_(True)]
    )
    loaded = plain_pickle.loads(pickle.dumps(value, protocol))
    assert loaded == {"a": [(-5, 2.5), (7, -3)], "b": [0.5, True]}
    assert {type(n) for pair in loaded["a"] for n in pair} == {int, float}
    big = np.dtype(">i8").type(77).newbyteorder() if hasattr(np.int64, "newbyteorder") else np.int64(77)
    assert plain_pickle.loads(pickle.dumps(np.int64(big), protocol)) == int(big)


class _Call:
    def __init__(self, function: Any, *values: Any) -> None:
        self.made = (function, values)

    def __reduce__(self) -> Any:
        return self.made


@cases(
    "value",
    [
        _Call(print, "run"),
        _Call(eval, "1"),
        _Call(np.frombuffer, b"12345678"),
        _Call(np.dtype, "O"),
        np.array([1, 2]),
        np.array([None], dtype=object),
        {1, 2}.__class__,
        Path("x"),
        np.datetime64("2026-01-01"),
    ],
)
def test_whatever_else_a_pickle_asks_for_is_refused(value: Any) -> None:
    for protocol in (2, 5):
        with pytest.raises(plain_pickle.PickleError):
            plain_pickle.loads(pickle.dumps({"GPU 0": value}, protocol))


def test_a_forged_number_is_refused_and_runs_nothing() -> None:
    sound = pickle.dumps(np.int64(5), 4)
    assert any(op.name == "REDUCE" for op, _, _ in pickletools.genops(sound))
    for old, new in (
        (b"i8", b"O8"),
        (b"scalar", b"_recon"),
        (b"dtype", b"ctype"),
        (b"multiarray", b"multiarraz"),
    ):
        with pytest.raises(plain_pickle.PickleError):
            plain_pickle.loads(sound.replace(old, new))
    with pytest.raises(plain_pickle.PickleError, match="not a pickle of plain data"):
        plain_pickle.loads(sound[:-4])


def test_a_step_ends_with_its_pipeline_although_start_end_has_the_work_in_it() -> None:
    before, work = pipeline_events.step({"GPU 0": pipeline_events._checked("GPU 0", device(500, 0))})
    assert before.makespan == 11_000  # from the first forward to the last backward
    assert [(w.kind, w.label, w.duration, w.ready) for w in work] == [
        ("curvature", "A0", 500, 1000),
        ("curvature", "A1", 500, 2000),
        ("curvature", "B0", 500, 7000),
        ("curvature", "B1", 500, 11_000),
        ("inversion", "Aq", 2000, 0.0),
        ("inversion", "Bq", 2000, 0.0),
    ]


@pytest.mark.parametrize("form", ["list", "folder"])
def test_a_pickle_for_each_device_makes_one_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    folder = tmp_path / "run" if form == "folder" else tmp_path
    folder.mkdir(exist_ok=True)
    for number in range(2):
        file = folder / f"timeline_rank{number}.pickle"
        file.write_bytes(pickle.dumps(device(1_000_000, number)))
    module = generator("bubble_filling")
    monkeypatch.setattr(module, "__file__", str(tmp_path / "bubble_filling.py"))
    names = "run" if form == "folder" else [f"timeline_rank{number}.pickle" for number in range(2)]
    drawing = module.draw(source=names, unit="ns")
    facts = drawing.facts
    assert {"GPU 0", "GPU 1"} <= set(texts(drawing.figure))
    # By hand: 6 of 11 us are busy; A and B curvature and both inversions take 6 us, in as many steps as it takes.
    assert len(facts["usage_per_device"]) == len(facts["iterations_per_device"]) == 2
    for usage, steps in zip(facts["usage_per_device"], facts["iterations_per_device"], strict=True):
        assert usage == pytest.approx((6000 * steps + 6000) / (11_000 * steps))
    assert facts["unplaced"] == 0 and max(facts["iterations_per_device"]) == facts["iterations"]


def test_files_of_a_folder_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (10, 9, 1):
        (tmp_path / f"rank{number}.json").write_text(json.dumps(one(number)), encoding="utf-8")
    devices = pipeline_events.read(tmp_path)
    assert [events["call_forward"][0][0] for events in devices.values()] == [1, 9, 10]


def one(start: float) -> dict[str, list[list[float]]]:
    return {"call_forward": [[start, start + 1]], "call_backward": [[start + 4, start + 6]]}


def test_work_up_the_pipe_waits_for_its_own_pipe() -> None:
    both = {
        "call_forward": [[0, 1]],
        "call_backward": [[4, 6]],
        "call_forward:up_pipe": [[1, 2]],
        "call_backward:up_pipe": [[2, 4]],
        **{f"cov_kron_B:q{pipe}": [[0, 0.5]] for pipe in ("", ":up_pipe")},
        **{f"sync_kron_B:q{pipe}": [[0, 0.25]] for pipe in ("", ":up_pipe")},
        **{f"inv_kron_B:q{pipe}": [[0, 0.75]] for pipe in ("", ":up_pipe")},
        "inv_kron_B": [[0, 0.1]],
    }
    _, work = pipeline_events.step({"GPU 0": both})
    told = [(w.kind, w.label, w.ready, w.after) for w in work]
    assert told == [
        ("curvature", "B0", 6, ()),
        ("curvature", "B0", 4, ()),
        ("sync", "Bq", 0.0, (0,)),
        ("sync", "Bq", 0.0, (1,)),
        ("inversion", "B", 0.0, ()),
        ("inversion", "Bq", 0.0, (0, 2)),
        ("inversion", "Bq", 0.0, (1, 3)),
    ]


def test_a_range_of_a_whole_step_is_shared_out_to_its_microbatches() -> None:
    events = {
        "call_forward": [[n, n + 1] for n in range(4)],
        "call_backward": [[10 + 2 * n, 12 + 2 * n] for n in range(4)],
        "cov_kron_A:k": [[30, 32]],
        "cov_kron_A:v": [[32, 32.5], [33, 33.5], [34, 34.5], [35, 35.5]],
    }
    before, work = pipeline_events.step({"GPU 0": events})
    assert [(w.duration, w.ready) for w in work] == [(0.5, n + 1.0) for n in range(4)] * 2
    filled = filling.fill(before, work)
    assert filled.facts()["work_time"] == pytest.approx(4)


def test_pieces_in_one_bubble_follow_each_other_and_the_margin_stays_behind_the_last() -> None:
    events = {"call_forward": [[0, 1]], "call_backward": [[4.1, 5]]}
    before, _ = pipeline_events.step({"GPU 0": events})
    work = [filling.Work(0, "curvature", str(n), 1) for n in range(3)]
    starts = [s.start for s in filling.fill(before, work, margin=0.05).after.spans if s.kind == "curvature"]
    assert starts == pytest.approx([1, 2, 3])


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ({"call_forward": [[0, float("nan")]], "call_backward": [[1, 2]]}, "is not a pair of times"),
        ({"call_forward": [[0, 1e308]], "call_backward": [[1, 2]]}, "is not a pair of times"),
        ({"call_forward": [[0, 0]], "call_backward": [[0, 0]]}, "takes no time"),
        (one(0) | {"cov_kron_A": [[3, 3]]}, "cov_kron_A: takes no time"),
        (one(0) | {"cov_kron_A:up_pipe": [[3, 4]]}, "its pipeline has no forward"),
    ],
)
def test_odd_recordings_end_in_words(tmp_path: Path, events: dict[str, Any], message: str) -> None:
    (tmp_path / "r.json").write_text(json.dumps(events), encoding="utf-8")
    with pytest.raises(EventError, match=message):
        pipeline_events.step(pipeline_events.read(tmp_path / "r.json"))
    (tmp_path / "r.json").write_text("{", encoding="utf-8")
    with pytest.raises(EventError, match=r"r\.json: "):
        pipeline_events.read(tmp_path / "r.json")
