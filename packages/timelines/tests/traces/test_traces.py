"""Traces: every format, what is streamed, what is damaged, what is condensed."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from helpers.book import REPOSITORY

from figmill_timelines.spans import Timeline, busy_per_lane
from figmill_timelines.traces import columns, readers
from figmill_timelines.traces.readers import TraceError

DATA = REPOSITORY / "visuals" / "data"


def drawn(timeline: Timeline) -> list[tuple[str, str, float, float]]:
    return [(timeline.lanes[s.lane], s.kind, round(s.start, 6), round(s.end, 6)) for s in timeline.spans]


def chrome(tmp_path: Path, events: list[dict[str, Any]], text: str | None = None) -> Path:
    path = tmp_path / "trace.json"
    path.write_text(text if text is not None else json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return path


X = [
    {"ph": "X", "pid": 1, "tid": 1, "ts": 1000, "dur": 500, "name": "forward mb 0"},
    {"ph": "X", "pid": 1, "tid": 1, "ts": 1500, "dur": 1000, "name": "backward mb 0", "args": {"a": [1, {}]}},
    {"ph": "X", "pid": 1, "tid": 2, "ts": 2500, "dur": 250, "name": "ncclAllReduce"},
]
EXPECTED = [
    ("thread 1", "forward", 0, 0.5),
    ("thread 1", "backward", 0.5, 1.5),
    ("thread 2", "communication", 1.5, 1.75),
]


@pytest.mark.parametrize("form", ["object", "array", "unclosed", "trailing", "gzip"])
def test_chrome_traces_of_every_form(tmp_path: Path, form: str) -> None:
    array = json.dumps(X)
    text = {"array": array, "unclosed": array[:-1], "trailing": array[:-1] + ",\n"}.get(form)
    path = chrome(tmp_path, X, text)
    if form == "gzip":
        path = tmp_path / "trace.json.gz"
        path.write_bytes(gzip.compress(json.dumps({"traceEvents": X, "after": {"x": 1}}).encode()))
    trace = readers.read(path)
    assert drawn(trace.timeline) == EXPECTED and not trace.damage and trace.events == 3
    assert trace.timeline.spans[0].microbatch == 0


def test_begin_and_end_nest_async_pairs_have_lanes_and_metadata_names_them(tmp_path: Path) -> None:
    events = [
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "trainer"}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "main"}},
        {"ph": "E", "pid": 1, "tid": 1, "ts": 5},  # began before the recording
        {"ph": "B", "pid": 1, "tid": 1, "ts": 0, "name": "forward"},
        {"ph": "B", "pid": 1, "tid": 1, "ts": 1000, "name": "inner"},
        {"ph": "E", "pid": 1, "tid": 1, "ts": 2000},
        {"ph": "E", "pid": 1, "tid": 1, "ts": 4000},
        {"ph": "b", "pid": 1, "tid": 1, "id": "7", "cat": "io", "ts": 1000, "name": "fetch"},
        {"ph": "e", "pid": 1, "tid": 9, "id": "7", "cat": "io", "ts": 3000, "name": "fetch"},
        {"ph": "C", "pid": 1, "ts": 1000, "name": "mem", "args": {"bytes": 5}},
        {"ph": "C", "pid": 1, "ts": 2000, "name": "mem", "args": {"bytes": 7}},
    ]
    trace = readers.read(chrome(tmp_path, events))
    assert drawn(trace.timeline) == [
        ("trainer main", "forward", 0, 4),
        ("trainer async io", "fetch", 1, 3),
    ]
    assert trace.counters == {"mem: bytes": ((1.0, 5.0), (2.0, 7.0))}


def test_of_a_profilers_trace_the_gpus_streams_are_drawn() -> None:
    trace = readers.read(DATA / "profile.json")
    assert trace.timeline.lanes == ("GPU 0 stream 7", "GPU 0 stream 13", "GPU 0 stream 20")
    assert {s.kind for s in trace.timeline.spans} == {
        "forward",
        "backward",
        "optimizer",
        "memory",
        "communication",
    }
    everything = readers.read(DATA / "profile.json", lanes="all")
    assert "python main thread" in everything.timeline.lanes


@pytest.mark.parametrize(
    "cut, events", [('{"ph": "X", "pid": 1, "ts', 3), ("nonsense", 3), ('{"ph": "X", "na', 3)]
)
def test_of_a_damaged_trace_it_is_told_what_was_read_and_where_it_broke(
    tmp_path: Path, cut: str, events: int
) -> None:
    text = json.dumps(X)[:-1] + ", " + cut
    trace = readers.read(chrome(tmp_path, [], text))
    assert drawn(trace.timeline) == EXPECTED
    assert trace.damage.startswith(
        f"trace.json: broken after {events} events, at character {len(text) - len(cut)}"
    )


def test_a_gzip_that_ends_too_early_is_read_up_to_there(tmp_path: Path) -> None:
    many = [{**X[0], "ts": 1000 * n, "name": f"forward {n * 7919 % 1000}"} for n in range(20000)]
    whole = gzip.compress(json.dumps(many).encode())
    path = tmp_path / "t.json.gz"
    path.write_bytes(whole[: len(whole) // 2])
    trace = readers.read(path)
    assert 0 < trace.events < 20000 and "broken after" in trace.damage


def test_an_event_that_lacks_its_time_is_named(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"event 2 \(oops\): KeyError\('ts'\)"):
        readers.read(chrome(tmp_path, [X[0], {"ph": "X", "pid": 1, "tid": 1, "name": "oops"}]))


def test_a_trace_of_nothing_says_so(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no spans are left to draw; 0 events"):
        readers.read(chrome(tmp_path, []))


def test_clocks_are_declared(tmp_path: Path) -> None:
    assert drawn(readers.read(chrome(tmp_path, X), zero=500).timeline)[0][2:] == (0.5, 1.0)


def test_megatrons_timers(tmp_path: Path) -> None:
    first = {"forward-0-start": 10, "forward-0-end": 12, "backward-0-start": 15, "backward-0-end": 19}
    second = {"forward-1-0-start": 12, "forward-1-0-end": 14}
    (tmp_path / "a.json").write_text(json.dumps({"0": first, "1": second}))
    expected = [("GPU 0", "forward", 0, 2), ("GPU 0", "backward", 5, 9), ("GPU 1", "forward", 2, 4)]
    assert drawn(readers.read(tmp_path / "a.json").timeline) == expected
    folder = tmp_path / "ranks"
    folder.mkdir()
    for rank, data in enumerate((first, second)):
        (folder / f"event_times_PP2_VPP1_TPxCPxDP_rank_0_pp_rank_{rank}_rank_{rank}.json").write_text(
            json.dumps(data)
        )
    assert drawn(readers.read(folder).timeline) == expected
    (tmp_path / "b.json").write_text(json.dumps({"forward-0-start": 1}))
    with pytest.raises(TraceError, match=r"forward-0-start has no end"):
        readers.read(tmp_path / "b.json")


def test_torchs_schedule_csv(tmp_path: Path) -> None:
    path = tmp_path / "schedule.csv"
    path.write_text("0F0,0F1,,0B0\n,1F0,1I0,1W0\n")
    assert drawn(readers.read(path).timeline) == [
        ("GPU 0", "forward", 0, 1),
        ("GPU 0", "forward", 1, 2),
        ("GPU 0", "backward", 3, 4),
        ("GPU 1", "forward", 1, 2),
        ("GPU 1", "backward_input", 2, 3),
        ("GPU 1", "backward_weight", 3, 4),
    ]
    path.write_text("0F0,0X1\n")
    with pytest.raises(TraceError, match=r"schedule.csv:1: column 2: '0X1' is not an action"):
        readers.read(path)


def test_a_plain_csv(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("lane,start,end,kind,microbatch\nGPU 1,5,7,forward,3\nGPU 0,6,8,load,\n")
    assert drawn(readers.read(path).timeline) == [("GPU 1", "forward", 0, 2), ("GPU 0", "load", 1, 3)]
    path.write_text("lane,start,end,kind\na,2,1,x\n")
    with pytest.raises(TraceError, match=r"t.csv:2: ends at 1 before it starts at 2"):
        readers.read(path)


def nsight(path: Path, kernels: bool = True) -> None:
    with sqlite3.connect(path) as base:
        base.executescript("""
            CREATE TABLE StringIds (id INTEGER, value TEXT);
            INSERT INTO StringIds VALUES (1, 'backward mb 1'), (2, 'gemm'), (3, 'ncclKernel_AllReduce');
            CREATE TABLE NVTX_EVENTS (start INT, end INT, text TEXT, textId INT, globalTid INT);
            INSERT INTO NVTX_EVENTS VALUES (0, 100, 'step', NULL, 5), (10, 40, 'forward mb 1', NULL, 5),
                (50, 90, NULL, 1, 5);
        """)
        if kernels:
            base.executescript("""
                CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT);
                INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (20, 22, 5, 71), (60, 61, 5, 72), (62, 63, 5, 73);
                CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL
                    (start INT, end INT, deviceId INT, streamId INT, correlationId INT, shortName INT);
                INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000000, 3000000, 0, 7, 71, 2),
                    (3000000, 7000000, 0, 7, 72, 2), (5000000, 8000000, 0, 9, 73, 3);
            """)
    base.close()


def test_nsight_kernels_are_named_after_the_range_that_launched_them(tmp_path: Path) -> None:
    nsight(tmp_path / "a.sqlite")
    assert drawn(readers.read(tmp_path / "a.sqlite").timeline) == [
        ("GPU 0 stream 7", "forward", 0, 2),
        ("GPU 0 stream 7", "backward", 2, 6),
        ("GPU 0 stream 9", "communication", 4, 7),
    ]


def test_nsights_copies_are_work_too(tmp_path: Path) -> None:
    nsight(tmp_path / "a.sqlite")
    with sqlite3.connect(tmp_path / "a.sqlite") as base:
        base.executescript("""
            CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT, copyKind INT);
            INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (9000000, 11000000, 0, 13, 1);
            CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT, streamId INT);
            INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (10000000, 12000000, 0, 7);
        """)
    base.close()
    (part,) = readers.read(tmp_path / "a.sqlite").parts
    assert part.timeline.lanes == tuple(f"GPU 0 stream {n}" for n in (7, 9, 13))  # by number, not as text
    assert [(s.lane, s.kind) for s in part.timeline.spans if s.kind == "memory"] == [
        (0, "memory"),
        (2, "memory"),
    ]
    (device,) = part.devices
    assert (device.length, device.idle, device.computing, device.communication, device.hidden) == (
        11,
        1,
        6,
        3,
        2,
    )


def test_nsight_without_kernels_shows_the_ranges(tmp_path: Path) -> None:
    nsight(tmp_path / "a.sqlite", kernels=False)
    assert readers.read(tmp_path / "a.sqlite").timeline.lanes == ("thread 0",)


def test_very_many_spans_are_condensed_without_losing_time() -> None:
    table = columns.Columns()
    for n in range(30_000):
        table.add(n % 2, n, n + 0.75, (("forward", "backward")[n // 2 % 2], "", -1))
    trace = columns.to_timeline(table, [0, 1], ["a", "b"], "ms")
    assert trace.condensed and trace.spans == 30_000
    assert len(trace.timeline.spans) <= 2 * 2 * columns.BINS
    assert busy_per_lane(trace.timeline) == pytest.approx([15_000 * 0.75] * 2, rel=1e-6)


def test_counters_keep_their_peaks(tmp_path: Path) -> None:
    events = [X[0]] + [
        {"ph": "C", "ts": 1000 + n, "name": "mem", "args": {"b": 9 if n == 5000 else n % 3}}
        for n in range(20_000)
    ]
    samples = readers.read(chrome(tmp_path, events)).counters["mem: b"]
    assert len(samples) <= readers.MOST_SAMPLES and max(value for _, value in samples) == 9


LONG = "x" * 200_000
NO_TRACES = {
    "a.json": ("[" * 100_000, "broken after 0 events, at character"),
    "b.json": ('{"traceEvents": [' + "[" * 100_000, "nested too deep"),
    "c.csv": (f"lane,start,end,kind\nGPU 0,0,1,{LONG}\n", "c.csv:2: field larger than field limit"),
    "d.csv": (f"0F0,{LONG}\n", "d.csv:1: field larger than field limit"),
    "e.json": ('{"forward-0-start": "5", "forward-0-end": 1}', "forward-0-start 5 is later than its end 1"),
}


@pytest.mark.parametrize("name", NO_TRACES)
def test_what_no_reader_can_follow_is_told(tmp_path: Path, name: str) -> None:
    text, told = NO_TRACES[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=told):
        readers.read(tmp_path / name)


def test_a_time_of_nsight_that_is_no_number_is_told(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.sqlite") as base:
        base.executescript(
            """CREATE TABLE StringIds(id INTEGER, value TEXT);
            CREATE TABLE NVTX_EVENTS(globalTid INTEGER, start INTEGER, end INTEGER, text TEXT, textId INTEGER);
            INSERT INTO NVTX_EVENTS VALUES (1, 'soon', 90, 'forward', NULL);"""
        )
    base.close()
    with pytest.raises(ValueError, match=r"a\.sqlite: a range or a kernel is not a name and two times"):
        readers.read(tmp_path / "a.sqlite")
