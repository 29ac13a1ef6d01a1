"""Times since 1970: every reader keeps the nanoseconds that a float of such a time cannot hold."""

from __future__ import annotations

import json
import pickle
import sqlite3
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from helpers.generators import generator, texts

from figmill_timelines.traces import pipeline_events, readers

EPOCH_US = 1_712_195_495_505_582  # April 2024
STEP, LENGTH, COUNT = Fraction("1.037"), Fraction("0.6"), 8  # of kernels, in us
WHOLE = (COUNT - 1) * STEP + LENGTH  # 7.859 us
IDLE = 1 - COUNT * LENGTH / WHOLE  # 38.9 %


def decimal(value: Fraction) -> str:
    """A number of at most six decimals, exactly."""
    whole, rest = divmod(value * 10**6, 10**6)
    return f"{whole}.{int(rest):06d}"


def times(epoch: int) -> list[tuple[Fraction, Fraction]]:
    begins = [epoch + Fraction("0.1") + n * STEP for n in range(COUNT)]
    return [(start, start + LENGTH) for start in begins]


def complete(folder: Path, epoch: int) -> Path:
    return chrome(
        folder,
        [f'"ph":"X","ts":{decimal(s)},"dur":{decimal(e - s)}' for s, e in times(epoch)],
    )


def pairs(folder: Path, epoch: int) -> Path:
    return chrome(
        folder,
        [f'"ph":"{ph}","ts":{decimal(at)}' for s, e in times(epoch) for ph, at in (("B", s), ("E", e))],
    )


def quoted(folder: Path, epoch: int) -> Path:
    return chrome(folder, [f'"ph":"X","ts":"{decimal(s)}","dur":0.6' for s, _ in times(epoch)])


def chrome(folder: Path, events: list[str]) -> Path:
    common = '"cat":"kernel","name":"gemm","pid":0,"tid":7'
    (folder / "t.json").write_text('{"traceEvents":[' + ",".join(f"{{{common},{e}}}" for e in events) + "]}")
    return folder / "t.json"


def megatron(folder: Path, epoch: int) -> Path:
    rows = [
        f'"forward-{n}-{what}":{decimal(at)}'
        for n, (s, e) in enumerate(times(epoch))
        for what, at in (("start", s), ("end", e))
    ]
    (folder / "timers.json").write_text("{" + ",".join(rows) + "}")
    return folder / "timers.json"


def table(folder: Path, epoch: int) -> Path:
    rows = [f"GPU 0,{decimal(s)},{decimal(e)},forward" for s, e in times(epoch)]
    (folder / "t.csv").write_text("\n".join(["lane,start,end,kind", *rows]))
    return folder / "t.csv"


def nsight(folder: Path, epoch: int) -> Path:
    with sqlite3.connect(folder / "t.sqlite") as base:
        base.executescript(
            "CREATE TABLE StringIds(id INTEGER, value TEXT);"
            "CREATE TABLE NVTX_EVENTS(globalTid INTEGER, start INTEGER, end INTEGER, text TEXT, textId INTEGER);"
        )
        rows = [(1, int(1000 * s), int(1000 * e), "forward", None) for s, e in times(epoch)]
        base.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?, ?)", rows)
    base.close()
    return folder / "t.sqlite"


@pytest.mark.parametrize("epoch", [0, EPOCH_US])
@pytest.mark.parametrize(
    "write, unit_us", [(complete, 1), (pairs, 1), (quoted, 1), (megatron, 1000), (table, 1000), (nsight, 1)]
)
def test_kernels_of_nanoseconds_are_measured_at_any_time(
    tmp_path: Path, epoch: int, write: Callable[[Path, int], Path], unit_us: int
) -> None:
    trace = readers.read(write(tmp_path, epoch))
    (device,) = trace.parts[0].devices
    assert device.length == pytest.approx(float(WHOLE * unit_us / 1000), rel=1e-12)
    assert device.idle / device.length == pytest.approx(float(IDLE), rel=1e-12)
    lengths = [span.end - span.start for span in trace.timeline.spans]
    assert lengths == pytest.approx([float(LENGTH * unit_us / 1000)] * COUNT, rel=1e-10)


def test_the_figure_prints_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = generator("trace_timeline")
    monkeypatch.setattr(script, "beside", lambda _, name: tmp_path / name)
    drawing = script.draw(source=complete(tmp_path, EPOCH_US).name)
    assert drawing.facts["makespan"] == pytest.approx(0.007859)
    assert drawing.facts["computing_ms"] == pytest.approx(0.0048)
    assert "The GPU is idle for 38.9% of the recorded time" in texts(drawing.figure)


def test_counters_steps_and_zero_count_on_the_same_clock(tmp_path: Path) -> None:
    def event(ph: str, start: str, rest: str) -> str:
        return f'{{"ph":"{ph}","pid":0,"tid":7,"ts":{EPOCH_US}.{start},{rest}}}'

    notes = [
        event("X", "100", '"dur":1.037,"cat":"gpu_user_annotation","name":"ProfilerStep#1"'),
        event("X", "100", '"dur":0.600,"cat":"kernel","name":"gemm"'),
        event("X", "850", '"dur":0.100,"cat":"kernel","name":"gemm"'),
        event("C", "475", '"name":"memory","args":{"allocated":3.5}'),
    ]
    (tmp_path / "t.json").write_text("[" + ",".join(notes) + "]")
    trace = readers.read(tmp_path / "t.json", steps=True)
    assert trace.timeline.makespan == pytest.approx(1.037e-3, rel=1e-10)
    assert [round(1e3 * at, 9) for at, _ in trace.counters["memory: allocated"]] == [0.375]
    whole = readers.read(tmp_path / "t.json", zero=EPOCH_US)
    assert whole.timeline.spans[0].start == pytest.approx(0.1e-3, rel=1e-10)


def test_ranks_with_bases_of_nanoseconds_share_a_clock(tmp_path: Path) -> None:
    for rank, base in enumerate((1_712_195_495_000_000_000, 1_712_195_495_000_000_137)):
        event = {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 505_582, "dur": 1}
        content = {"baseTimeNanoseconds": base, "distributedInfo": {"rank": rank}, "traceEvents": [event]}
        (tmp_path / f"rank{rank}.json").write_text(json.dumps(content))
    parts = readers.read([tmp_path / "rank0.json", tmp_path / "rank1.json"]).parts
    assert [part.timeline.spans[0].start for part in parts] == [0, pytest.approx(0.137e-3, rel=1e-10)]


@pytest.mark.parametrize("form", ["json", "csv", "pkl"])
def test_recordings_in_nanoseconds_since_1970(tmp_path: Path, form: str) -> None:
    first = EPOCH_US * 1000 + 77
    events = {"call_forward": [[first, first + 100]], "call_backward": [[first + 150, first + 350]]}
    path = tmp_path / f"recording.{form}"
    if form == "pkl":
        path.write_bytes(pickle.dumps({"GPU 0": events}))
    elif form == "json":
        path.write_text(json.dumps({"GPU 0": events}))
    else:
        rows = [f"GPU 0,{name},{s},{e}" for name, spans in events.items() for s, e in spans]
        path.write_text("\n".join(["device,name,start,end", *rows]))
    before, _ = pipeline_events.step(pipeline_events.read(path), unit="ns")
    assert [(span.start, span.end) for span in before.spans] == [(0, 100), (150, 350)]


@pytest.mark.parametrize("number", ["1e9999999999999999999", "1e999999999", "NaN", "-Infinity"])
def test_a_number_beyond_all_decimals_is_reported(tmp_path: Path, number: str) -> None:
    (tmp_path / "t.json").write_text(
        f'[{{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":{number},"dur":1}}]'
    )
    with pytest.raises(ValueError, match=r"t\.json: (broken after 0|event 1)|not a finite number"):
        readers.read(tmp_path / "t.json")
    (tmp_path / "r.json").write_text(f'{{"GPU 0": {{"call_forward": [[0, {number}]]}}}}')
    with pytest.raises(pipeline_events.EventError):
        pipeline_events.read(tmp_path / "r.json")
    (tmp_path / "t.csv").write_text(f"lane,start,end,kind\nGPU 0,0,{number},forward")
    with pytest.raises(readers.TraceError, match=r"t\.csv:2: end must be a number of ms"):
        readers.read(tmp_path / "t.csv")
