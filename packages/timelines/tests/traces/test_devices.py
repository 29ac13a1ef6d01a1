"""When a GPU works, computes and communicates: counted a second time tick by tick, on traces as Kineto writes them."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from helpers.book import REPOSITORY
from helpers.cases import cases
from helpers.generators import generator, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill_timelines.traces import columns, device_time, readers
from figmill_timelines.traces.event_kinds import GPU_CATEGORIES, NO_WORK, what_is

NCCL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
GEMM = "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_64x3_tn>"
COPY = "Memcpy HtoD (Pinned -> Device)"

Event = tuple[str, str, int, int, int, int]  # category, name, device, stream, start, length in us


def kineto(event: Event) -> dict[str, Any]:
    category, name, device, stream, start, length = event
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": device,
        "tid": stream,
        "ts": start,
        "dur": length,
        "args": {"External id": 9, "device": device, "stream": stream},
    }


def written(folder: Path, events: list[Event], name: str = "t.json", **head: Any) -> Path:
    path = folder / name
    trace = {"schemaVersion": 1, **head, "traceEvents": [kineto(event) for event in events]}
    path.write_text(json.dumps(trace), encoding="utf-8")
    return path


def drawn(folder: Path, monkeypatch: pytest.MonkeyPatch, **params: Any) -> Any:
    module = generator("trace_timeline")
    monkeypatch.setattr(module, "__file__", str(folder / "trace_timeline.py"))
    return module.draw(**params)


WORK = st.sampled_from(
    [("kernel", GEMM), ("kernel", NCCL), ("gpu_memcpy", COPY), ("gpu_memset", "Memset (Device)")]
)
NO = st.sampled_from(
    [
        ("gpu_user_annotation", "ProfilerStep#3"),
        ("gpu_user_annotation", "nccl:all_reduce"),
        ("cuda_sync", "Stream Sync"),
    ]
)
EVENTS = st.lists(
    st.builds(
        lambda what, device, stream, start, length: (*what, device, stream, start, length),
        WORK | NO,
        st.integers(0, 1),
        st.sampled_from([7, 20, 24]),
        st.integers(0, 60),
        st.integers(0, 25),
    ),
    max_size=24,
)


def ticks(events: list[Event], device: int, *kinds: str) -> set[int]:
    """The microseconds in which such work runs on a device, one by one."""
    named = {GEMM: "computing", NCCL: "communication"}
    return {
        tick
        for category, name, own, _, start, length in events
        if own == device and category in ("kernel", "gpu_memcpy", "gpu_memset")
        if not kinds or named.get(name, "copy") in kinds
        for tick in range(start, start + length)
    }


@settings(max_examples=60, deadline=None)
@given(EVENTS, st.sampled_from([3, 1 << 18]))
def test_every_microsecond_is_counted_once(
    tmp_path_factory: pytest.TempPathFactory, events: list[Event], chunk: int
) -> None:
    folder = tmp_path_factory.mktemp("t")
    work = [event for event in events if event[0] in GPU_CATEGORIES and event[5] > 0]
    if not work:
        with pytest.raises(readers.TraceError, match="no spans are left"):
            readers.read(written(folder, events), lanes="gpu")
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device_time, "CHUNK", chunk)
        (part,) = readers.read(written(folder, events)).parts
    first, last = min(event[4] for event in work), max(event[4] + event[5] for event in work)
    for device, measured in zip(
        sorted({event[2] for event in events if event[0] in GPU_CATEGORIES}), part.devices, strict=True
    ):
        computing, communication = ticks(events, device, "computing"), ticks(events, device, "communication")
        assert measured.name == f"GPU {device}"
        counted = [
            measured.length,
            measured.idle,
            measured.computing,
            measured.communication,
            measured.hidden,
        ]
        assert [time * 1000 for time in counted] == pytest.approx(
            [
                last - first,
                last - first - len(ticks(events, device)),
                len(computing),
                len(communication),
                len(computing & communication),
            ],
            abs=1e-9,
        )
        # What is hatched is the device's idle time, on each of its lanes.
        lanes = [n for n, lane in enumerate(part.timeline.lanes) if lane.startswith(f"GPU {device}")]
        whole = set(range(first, last)) - ticks(events, device)
        for lane in lanes:
            hatched = [gap for gap in part.timeline.idle if gap.lane == lane and gap.kind != "beside"]
            shown = {
                tick
                for gap in hatched
                for tick in range(first + round(gap.start * 1000), first + round(gap.end * 1000))
            }
            assert shown == whole


def test_gaps_and_spans_still_cover_every_lane() -> None:
    for part in readers.read(REPOSITORY / "visuals" / "data" / "profile.json").parts:
        for lane in range(len(part.timeline.lanes)):
            own = sorted(
                (s.start, s.end) for s in (*part.timeline.spans, *part.timeline.idle) if s.lane == lane
            )
            assert own[0][0] == 0 and own[-1][1] == part.timeline.makespan
            assert all(before[1] == after[0] for before, after in pairwise(own))


# Every activity type of Kineto (libkineto/include/ActivityType.h), and the names before it.
ACTIVITIES = """
    cpu_op user_annotation gpu_user_annotation gpu_memcpy gpu_memset kernel external_correlation cuda_runtime
    cuda_driver cpu_instant_event python_function overhead mtia_runtime mtia_ccp_events mtia_insight cuda_sync
    cuda_event mtia_counters glow_runtime cuda_profiler_range hpu_op xpu_runtime xpu_driver collective_comm
    privateuse1_runtime privateuse1_driver xpu_scope_profiler xpu_sync Kernel Memcpy Memset concurrent_kernel Trace
""".split()  # noqa: SIM905 - a list of so many reads worse
ON_GPU = {
    "kernel",
    "concurrent_kernel",
    "gpu_memcpy",
    "gpu_memset",
    "mtia_ccp_events",
    "Kernel",
    "Memcpy",
    "Memset",
}


@pytest.mark.parametrize("category", ACTIVITIES)
def test_only_kernels_copies_and_memory_sets_are_work_of_a_gpu(tmp_path: Path, category: str) -> None:
    around: list[Event] = [
        ("kernel", GEMM, 0, 7, 0, 10),
        (category, "any name", 0, 7, 5, 90),
        ("kernel", GEMM, 0, 7, 97, 3),
    ]
    (part,) = readers.read(written(tmp_path, around)).parts
    assert part.devices[0].idle == pytest.approx(0.002 if category in ON_GPU else 0.087)
    assert len(part.timeline.spans) == (3 if category in ON_GPU else 2)
    everything = readers.read(written(tmp_path, around), lanes="all").timeline
    assert len(everything.lanes) == (1 if category in ON_GPU or category in NO_WORK else 2)


@cases(
    ("name", "kind"),
    [
        (NCCL, "communication"),
        ("ncclKernel_AllGather_RING_LL_Sum_int8_t", "communication"),
        ("rcclGenericKernel_1", "communication"),
        ("oneccl_allreduce_kernel", "communication"),
        ("void vllm::cross_device_reduce_1stage<half, 2>", "communication"),
        ("multimem_all_reduce_kernel", "communication"),
        ("loop_broadcast_fusion", "compute"),
        ("void at::native::elementwise_broadcast_kernel", "compute"),
        ("ambient_occlusion_kernel", "compute"),
        ("send_key_value_gemm", "compute"),
    ],
)
def test_of_kernels_only_a_collectives_name_is_communication(name: str, kind: str) -> None:
    assert what_is(name, "kernel")[0] == kind
    assert what_is(name, "gpu_memcpy")[0] == "memory"


def test_the_showcases_profile_says_what_a_sweep_over_its_events_says() -> None:
    path = REPOSITORY / "visuals" / "data" / "profile.json"
    drawing = generator("trace_timeline").draw()
    events = [e for e in json.loads(path.read_bytes())["traceEvents"] if e.get("cat") in GPU_CATEGORIES]
    ends = sorted(
        (round(at * 1000), change, "nccl" in event["name"], "Memcpy" in event["name"])
        for event in events
        for at, change in ((event["ts"], 1), (event["ts"] + event["dur"], -1))
    )
    counts, before, idle, hidden, communication = {"all": 0, "nccl": 0, "kernels": 0}, ends[0][0], 0, 0, 0
    for at, change, is_nccl, is_copy in ends:
        idle += (at - before) * (counts["all"] == 0)
        communication += (at - before) * (counts["nccl"] > 0)
        hidden += (at - before) * (counts["nccl"] > 0 and counts["kernels"] > 0)
        before = at
        counts["all"] += change
        counts["nccl" if is_nccl else "kernels"] += 0 if is_copy else change
    length = ends[-1][0] - ends[0][0]
    assert drawing.facts["idle_fraction"] == pytest.approx(idle / length, rel=1e-9)
    assert drawing.facts["hidden_fraction"] == pytest.approx(hidden / communication, rel=1e-9)
    assert drawing.facts["communication_ms"] == pytest.approx(communication / 1e6, rel=1e-9)
    assert f"{drawing.facts['idle_fraction']:.4f} {drawing.facts['lane_idle_fraction']:.3f}" == "0.0135 0.551"
    assert "The GPU is idle for 1.35% of the recorded time" in texts(drawing.figure)
    assert "64.2% of communication hidden" in texts(drawing.figure)


def test_shares_of_none_and_of_all_are_exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Times with a decimal that no float holds leave no gap where they touch, and hide all or nothing."""
    events = [kineto(("kernel", GEMM, 0, 7, 0, 0)) | {"ts": 0.1 * n, "dur": 0.1} for n in range(1000)]
    events += [kineto(("kernel", NCCL, 0, 20, 0, 0)) | {"ts": 0.3 * n, "dur": 0.3} for n in range(333)]
    (tmp_path / "t.json").write_text(json.dumps(events), encoding="utf-8")
    facts = drawn(tmp_path, monkeypatch, source="t.json").facts
    assert (facts["idle_fraction"], facts["idle_time"], facts["hidden_fraction"]) == (0, 0, 1)
    assert (facts["computing_ms"], facts["communication_ms"]) == (0.1, 0.0999)


def test_a_condensed_trace_states_the_numbers_of_all_its_spans(tmp_path: Path) -> None:
    source = random.Random(5)
    events: list[Event] = []
    for stream, name in ((7, GEMM), (20, NCCL), (24, COPY)):
        at = 0
        for _ in range(7000):
            at += source.randint(1, 30)
            length = source.randint(1, 40)
            events.append(("gpu_memcpy" if name == COPY else "kernel", name, 0, stream, at, length))
            at += length if stream != 7 else length // 2  # some kernels of a stream overlap
    trace = readers.read(written(tmp_path, events))
    (device,) = trace.parts[0].devices
    computing, communication = ticks(events, 0, "computing"), ticks(events, 0, "communication")
    length = max(event[4] + event[5] for event in events) - min(event[4] for event in events)
    assert trace.condensed
    assert device.idle * 1000 == pytest.approx(length - len(ticks(events, 0)), abs=1e-6)
    assert device.hidden / device.communication == pytest.approx(
        len(computing & communication) / len(communication), rel=1e-12
    )


STEPS: list[Event] = [
    ("gpu_user_annotation", "ProfilerStep#4", 0, 7, 100, 50),
    ("gpu_user_annotation", "ProfilerStep#4", 0, 20, 110, 60),  # its communication ends in the next step
    ("gpu_user_annotation", "ProfilerStep#5", 0, 7, 160, 40),
    ("user_annotation", "ProfilerStep#4", 4711, 4711, 20, 60),
    ("kernel", GEMM, 0, 7, 100, 40),
    ("kernel", NCCL, 0, 20, 120, 50),
    ("kernel", GEMM, 0, 7, 160, 40),
]


def test_a_panel_for_each_step_cut_where_the_next_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = readers.read(written(tmp_path, STEPS), steps=True)
    seen = [
        (
            part.step,
            part.timeline.makespan,
            part.devices[0].idle,
            part.devices[0].communication,
            part.devices[0].hidden,
        )
        for part in trace.parts
    ]
    assert [tuple(round(1000 * x, 6) for x in row[1:]) for row in seen] == [(60, 0, 40, 20), (40, 0, 10, 10)]
    drawing = drawn(tmp_path, monkeypatch, source="t.json", steps=True)
    assert {"Step 4", "Step 5"} <= set(texts(drawing.figure))
    assert drawing.facts["steps"] == [4, 5] and drawing.facts["step_ms"] == pytest.approx([0.06, 0.04])
    assert drawing.facts["communication_ms"] == pytest.approx(0.05)
    assert [part.step for part in readers.read(tmp_path / "t.json", steps=[5]).parts] == [5]
    with pytest.raises(readers.TraceError, match=r"steps: no ProfilerStep#7 in the trace; there are 4, 5"):
        readers.read(tmp_path / "t.json", steps=[7])
    with pytest.raises(readers.TraceError, match="steps: the trace has no ProfilerStep"):
        readers.read(written(tmp_path, STEPS[4:]), steps=True)


@settings(max_examples=40, deadline=None)
@given(EVENTS, st.lists(st.integers(1, 30), min_size=1, max_size=4))
def test_steps_add_up_to_what_they_divide(
    tmp_path_factory: pytest.TempPathFactory, events: list[Event], lengths: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("t")
    events = [event for event in events if event[0] != "gpu_user_annotation"]
    events += [("kernel", GEMM, 0, 7, 0, 1)]
    edges = [sum(lengths[:n]) for n in range(len(lengths) + 1)]
    marks: list[Event] = [
        ("gpu_user_annotation", f"ProfilerStep#{n}", 0, 7, start, length)
        for n, (start, length) in enumerate(zip(edges, lengths, strict=False))
    ]
    parts = readers.read(written(folder, events + marks), steps=True).parts
    for device in {event[2] for event in events if event[0] in GPU_CATEGORIES and event[5]}:
        for part in parts:
            window = set(range(edges[part.step or 0], edges[(part.step or 0) + 1]))
            (own,) = [measured for measured in part.devices if measured.name == f"GPU {device}"]
            assert own.idle * 1000 == pytest.approx(len(window - ticks(events, device)), abs=1e-9)
            assert own.communication * 1000 == pytest.approx(
                len(window & ticks(events, device, "communication")), abs=1e-9
            )


RANK: list[Event] = [("kernel", GEMM, 0, 7, 100, 50), ("kernel", NCCL, 0, 20, 120, 60)]


def test_ranks_have_a_panel_each_and_one_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = 1_700_000_000_123_456_789
    written(tmp_path, RANK, "b.json", distributedInfo={"rank": 10}, baseTimeNanoseconds=base + 30_000)
    written(tmp_path, RANK, "a.json", distributedInfo={"rank": 2}, baseTimeNanoseconds=base)
    trace = readers.read([tmp_path / "b.json", tmp_path / "a.json"])
    assert [part.rank for part in trace.parts] == ["Rank 2", "Rank 10"]
    assert [part.timeline.spans[0].start for part in trace.parts] == pytest.approx([0, 0.03])
    assert [part.timeline.makespan for part in trace.parts] == pytest.approx([0.11, 0.11])
    assert [part.devices[0].idle for part in trace.parts] == pytest.approx([0.03, 0.03])
    drawing = drawn(tmp_path, monkeypatch, source=["b.json", "a.json"])
    assert {"Rank 2", "Rank 10"} <= set(texts(drawing.figure)) and drawing.facts["devices"] == 2
    assert drawing.facts["idle_fraction"] == pytest.approx(60 / 220)
    assert "The 2 GPUs are idle for 27.3% of the recorded time" in texts(drawing.figure)


def test_ranks_are_named_by_their_files_where_these_do_not_say(tmp_path: Path) -> None:
    for name in ("rank-3.Apr_03.pt.trace.json", "rank-1.Apr_03.pt.trace.json"):
        written(tmp_path, RANK, name)
    trace = readers.read(sorted(tmp_path.iterdir()))
    assert [part.rank for part in trace.parts] == ["Rank 1", "Rank 3"]


@pytest.mark.parametrize(
    ("shift", "zero", "message"),
    [
        (1000, None, "Rank 0 ends before Rank 1 begins, so that their clocks differ; give zero as a list"),
        (0, 5, "zero: one number for several files; give a list"),
        (0, [1, 2, 3], "zero: 3 times for 2 files"),
    ],
)
def test_clocks_of_ranks_are_declared(tmp_path: Path, shift: int, zero: Any, message: str) -> None:
    files = [written(tmp_path, RANK, "r0.json", distributedInfo={"rank": 0})]
    later: list[Event] = [(*event[:4], event[4] + shift, event[5]) for event in RANK]  # type: ignore[misc]
    files.append(written(tmp_path, later, "r1.json", distributedInfo={"rank": 1}))
    with pytest.raises(readers.TraceError, match=re.escape(message)):
        readers.read(files, zero)
    aligned = readers.read(files, [100, 90 + shift])
    assert [part.timeline.spans[0].start for part in aligned.parts] == pytest.approx([0, 0.01])
    with pytest.raises(
        readers.TraceError, match=r"r0\.json and r0\.json are both Rank 0; give one file for each rank"
    ):
        readers.read([files[0], files[0]])


NOTES: list[Event] = [
    ("gpu_user_annotation", "ProfilerStep#1", 0, 7, 0, 100),
    ("gpu_user_annotation", "forward", 0, 7, 0, 40),
    ("gpu_user_annotation", "backward", 0, 7, 40, 50),
    ("kernel", GEMM, 0, 7, 0, 100),
]


def test_annotations_are_a_band_above_the_lanes_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, NOTES)
    for n, event in enumerate(events := json.loads(path.read_bytes())["traceEvents"]):
        event["args"]["External id"] = n
    # The same annotation, as another stream worked for it.
    other = {
        **events[0],
        "tid": 20,
        "ts": 30,
        "dur": 100,
    }
    path.write_text(json.dumps([*events, other]), encoding="utf-8")
    assert readers.read(path).parts[0].annotations == ()
    rows = readers.read(path, annotations=True).parts[0].annotations
    assert [[(note.name, note.start, note.end) for note in row] for row in rows] == [
        [("ProfilerStep#1", 0, 0.1)],
        [("forward", 0, 0.04), ("backward", 0.04, pytest.approx(0.09))],
    ]
    said = texts(drawn(tmp_path, monkeypatch, source="t.json", annotations=["back"]).figure)
    assert "backward" in said and "forward" not in said and "Annotations" in said
    assert "ProfilerStep#1" not in texts(
        drawn(tmp_path, monkeypatch, source="t.json", annotations=True, steps=True).figure
    )
    with pytest.raises(readers.TraceError, match="annotations: none of these in the trace"):
        readers.read(path, annotations=["no such"])
    deep: list[Event] = [("gpu_user_annotation", f"level {n}", 0, 7, n, 100 - 2 * n) for n in range(9)]
    with pytest.raises(readers.TraceError, match="annotations: 9 are nested or overlap"):
        readers.read(written(tmp_path, [*deep, *NOTES[3:]]), annotations=True)


def test_what_only_chrome_traces_have_is_refused_of_others(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("0F0,0B0\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("lane,start,end,kind\na,0,1,forward\n", encoding="utf-8")
    for name in ("s.csv", "t.csv"):
        with pytest.raises(readers.TraceError, match=rf"steps: {name} has none"):
            readers.read(tmp_path / name, steps=True)
        with pytest.raises(readers.TraceError, match=f"{name}: several files must be Chrome traces"):
            readers.read([tmp_path / name, tmp_path / name])


def test_a_million_spans_of_four_streams_are_measured_in_little_memory() -> None:
    lanes = []
    import numpy as np

    for lane in range(4):
        start = np.arange(250_000) * 8.0 + 2 * lane
        lanes.append((start, start + 3, np.full(250_000, lane % 2, dtype=np.int32)))
    device = device_time.measure("GPU 0", lanes, ["compute", "communication"], 2_000_001.0, 0.0, 1.0)
    assert (device.idle, device.computing, device.communication) == (0, 1_500_000, 1_500_000)
    assert device.hidden == 1_500_000 * 2 - 2_000_001 == 999_999


def test_zero_and_until_cut_the_spans_that_cross_them() -> None:
    table = columns.Columns()
    for start, end in ((0, 4), (4, 9), (9, 12)):
        table.add("a", start, end, ("compute", "", -1))
    part = columns.cut(table, ["a"], 2, 10)
    trace = columns.drawn(part, list(table.whats), ["a"], "ms", 1.0)
    assert [(span.start, span.end) for span in trace.timeline.spans] == [(0, 2), (2, 7), (7, 8)]
