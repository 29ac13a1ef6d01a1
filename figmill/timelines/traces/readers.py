"""Read measured timelines from the files that profilers write.

Chrome Trace Event JSON (PyTorch profiler, `ray timeline`, Perfetto), the event times of Megatron-LM's pipeline
timers, the schedule CSV of torch.distributed.pipelining, a plain CSV, and Nsight Systems SQLite exports (see
`nsight`). The kind of an event is guessed from its name. An error names the place in the file.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from figmill.timelines.spans import Timeline
from figmill.timelines.traces import chrome_json, nsight
from figmill.timelines.traces.columns import Columns, to_timeline
from figmill.timelines.traces.event_kinds import GPU_CATEGORIES, what_is

MOST_SAMPLES = 4000  # of one counter


class TraceError(ValueError):
    """A file that is no trace of its form; the message says where."""


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace that was read. counters: name -> (time, value) steps. damage: where the file broke, or empty."""

    timeline: Timeline
    events: int
    spans: int
    condensed: bool = False
    counters: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    damage: str = ""


def read(path: str | Path, zero: float | None = None, lanes: str = "auto") -> Trace:
    """A trace of any known form, recognised by its suffix and its first bytes; times in ms from 0.

    zero: the time in the file, in its own unit, that becomes 0; None takes the first span. lanes, of a Chrome
    trace: `gpu` for kernels and copies only, `all`, or `auto`, which is gpu where there are any. TraceError or
    ValueError for a file that cannot be read.
    """
    file = Path(path)
    if file.is_dir():
        return _event_times_folder(file)
    with file.open("rb") as stream:
        head = stream.read(16)
    if head.startswith(b"SQLite format 3"):
        columns, names = nsight.read(file)
        return _trace(columns, sorted(columns.lanes, key=names.__getitem__), names, 1e-6, zero)
    if file.suffix == ".csv":
        return _plain_csv(file, zero) if b"," in head and b"lane" in head.lower() else _schedule_csv(file)
    if not head.startswith(b"\x1f\x8b"):
        trace = _event_times(file)
        if trace is not None:
            return trace
    return _chrome(file, zero, lanes)


def _trace(
    columns: Columns,
    order: list[Hashable],
    names: Mapping[Any, str],
    scale: float,
    zero: float | None,
    events: int = 0,
    damage: str = "",
) -> Trace:
    try:
        made = to_timeline(columns, order, [names[key] for key in order], "ms", scale, zero)
    except ValueError as error:
        raise TraceError(damage or f"{error}; {events} events were read") from None
    return Trace(made.timeline, events or made.spans, made.spans, made.condensed, {}, damage)


def _chrome(file: Path, zero: float | None, lanes: str) -> Trace:
    reading = chrome_json.Reading()
    chrome = _Chrome()
    handlers: Mapping[str, Callable[[dict[str, Any]], None]] = {
        "X": chrome.complete,
        "B": chrome.begin,
        "E": chrome.end,
        "b": chrome.begin_async,
        "e": chrome.end_async,
        "M": chrome.name,
        "C": chrome.count,
    }
    for event in chrome_json.events(file, reading):
        handler = handlers.get(event.get("ph", ""))
        if handler is not None:
            try:
                handler(event)
            except (KeyError, TypeError, ValueError) as error:
                where = f"{file.name}: event {reading.events} ({event.get('name')})"
                raise TraceError(f"{where}: {error!r}") from error
    gpu_only = lanes == "gpu" or (lanes == "auto" and chrome.gpu)
    keys = [key for key in chrome.columns.lanes if not gpu_only or key in chrome.gpu]
    order = sorted(keys, key=chrome.rank)
    names = {key: chrome.lane_name(key) for key in order}
    trace = _trace(chrome.columns, order, names, 1e-3, zero, reading.events, reading.damage)
    first = min(chrome.columns.start) if zero is None else zero
    counters = {
        name: tuple(((at - first) / 1000, value) for at, value in sorted(samples) if at >= first)
        for name, samples in chrome.counters.items()
    }
    return Trace(trace.timeline, reading.events, trace.spans, trace.condensed, counters, reading.damage)


@dataclass(slots=True)
class _Chrome:
    """The state of a Chrome trace as it is read, with a method for each phase. Times are microseconds."""

    columns: Columns = field(default_factory=Columns)
    gpu: set[tuple[Any, Any]] = field(default_factory=set)
    open: dict[Hashable, list[tuple[float, str, str]]] = field(default_factory=dict)
    names: dict[Hashable, str] = field(default_factory=dict)
    ranks: dict[Hashable, float] = field(default_factory=dict)
    counters: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def complete(self, event: dict[str, Any]) -> None:
        key, start = (event.get("pid"), event.get("tid")), float(event["ts"])
        category = event.get("cat", "")
        if category in GPU_CATEGORIES:
            self.gpu.add(key)
        self.columns.add(key, start, start + float(event.get("dur", 0)), what_is(event["name"], category))

    def begin(self, event: dict[str, Any]) -> None:
        self._begin((event.get("pid"), event.get("tid")), event)

    def end(self, event: dict[str, Any]) -> None:
        self._end((event.get("pid"), event.get("tid")), (event.get("pid"), event.get("tid")), event)

    def begin_async(self, event: dict[str, Any]) -> None:
        self._begin((event.get("cat"), event.get("id"), event.get("name")), event)

    def end_async(self, event: dict[str, Any]) -> None:
        key = (event.get("cat"), event.get("id"), event.get("name"))
        self._end(key, (event.get("pid"), f"async {event.get('cat', '')}".strip()), event)

    def _begin(self, key: Hashable, event: dict[str, Any]) -> None:
        self.open.setdefault(key, []).append(
            (float(event["ts"]), event.get("name", ""), event.get("cat", ""))
        )

    def _end(self, key: Hashable, lane: Hashable, event: dict[str, Any]) -> None:
        stack = self.open.get(key)
        if stack:  # an end without a beginning is dropped: the recording began in between
            start, name, category = stack.pop()
            self.columns.add(lane, start, float(event["ts"]), what_is(name, category))

    def name(self, event: dict[str, Any]) -> None:
        what, values = event.get("name"), event.get("args", {})
        pid, tid = event.get("pid"), event.get("tid")
        if what == "process_name":
            self.names[pid] = str(values.get("name", pid))
        elif what == "thread_name":
            self.names[pid, tid] = str(values.get("name", tid))
        elif what == "process_sort_index":
            self.ranks[pid] = float(values.get("sort_index", 0))

    def count(self, event: dict[str, Any]) -> None:
        for name, value in event.get("args", {}).items():
            samples = self.counters.setdefault(f"{event['name']}: {name}", [])
            samples.append((float(event["ts"]), float(value)))
            if len(samples) > MOST_SAMPLES:  # keep the higher of each two, so that no peak is lost
                ordered = sorted(samples)
                samples[:] = [
                    max(pair, key=lambda s: s[1]) for pair in zip(ordered[::2], ordered[1::2], strict=False)
                ]

    def rank(self, key: Any) -> tuple[Any, ...]:
        pid, tid = key
        return (self.ranks.get(pid, 0), _number(pid), str(pid), _number(tid), str(tid))

    def lane_name(self, key: Any) -> str:
        pid, tid = key
        if key in self.gpu:
            return (
                f"GPU {pid} stream {tid}" if len({p for p, _ in self.gpu}) < len(self.gpu) else f"GPU {pid}"
            )
        name = self.names.get(key, f"thread {tid}" if not str(tid).startswith("async") else str(tid))
        process = self.names.get(pid, "")
        return (f"{process} {name}" if process and len(process) + len(name) < 28 else name)[:28]


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 1e18


_EVENT_TIME = re.compile(r"(forward|backward)-(?:(\d+)-)?(\d+)-(start|end)$")


def _event_times(path: Path) -> Trace | None:
    """Megatron-LM's pipeline timers: {"forward-<microbatch>-start": ms, ...}, one file a pipeline rank.

    The key may also be `forward-<chunk>-<microbatch>-start`. A file of several ranks maps each rank to such a
    mapping. None for any other file.
    """
    if path.stat().st_size > 64 << 20:
        return None
    try:
        loaded = json.loads(path.read_bytes())
    except ValueError:
        return None
    if not isinstance(loaded, dict) or not loaded:
        return None
    ranks = loaded if all(isinstance(value, dict) for value in loaded.values()) else {"0": loaded}
    if not all(_EVENT_TIME.match(key) for times in ranks.values() for key in times):
        return None
    return _of_ranks(path.name, ranks)


def _event_times_folder(folder: Path) -> Trace:
    """The timers of all ranks in one folder, each file with `pp_rank_<n>` in its name."""
    ranks: dict[str, Any] = {}
    for file in sorted(folder.glob("*.json")):
        number = re.search(r"pp_rank_(\d+)", file.name)
        if number:
            ranks[number[1]] = json.loads(file.read_bytes())
    if not ranks:
        raise TraceError(f"{folder.name}: no file with pp_rank_<number> in its name")
    return _of_ranks(folder.name, dict(sorted(ranks.items(), key=lambda pair: int(pair[0]))))


def _of_ranks(origin: str, ranks: Mapping[str, Mapping[str, float]]) -> Trace:
    columns = Columns()
    for rank, times in ranks.items():
        for key, start in times.items():
            name = _EVENT_TIME.match(key)
            if name is None or name[4] == "end":
                continue
            end = times.get(key.removesuffix("start") + "end")
            if end is None:
                raise TraceError(f"{origin}, rank {rank}: {key} has no end")
            columns.add(rank, start, end, (name[1], name[3], int(name[3])))
    names = {rank: f"GPU {rank}" if rank.isdigit() else rank for rank in ranks}
    return _trace(columns, list(columns.lanes), names, 1.0, None)


_ACTION = re.compile(r"(\d+)(F|B|I|W)(\d+)$")
_ACTIONS = {"F": "forward", "B": "backward", "I": "backward_input", "W": "backward_weight"}


def _schedule_csv(path: Path) -> Trace:
    """torch.distributed.pipelining: lines are ranks, columns time slots; `0F1` is stage 0, forward, microbatch 1."""
    columns = Columns()
    for rank, cells in enumerate(csv.reader(path.read_text().splitlines())):
        for slot, cell in enumerate(cells):
            action = _ACTION.match(cell.strip())
            if action:
                number = int(action[3])
                columns.add(rank, slot, slot + 1, (_ACTIONS[action[2]], str(number), number))
            elif cell.strip():
                raise TraceError(f"{path.name}:{rank + 1}: column {slot + 1}: '{cell}' is no action like 0F1")
    return _trace(columns, list(columns.lanes), {rank: f"GPU {rank}" for rank in columns.lanes}, 1.0, 0.0)


def _plain_csv(path: Path, zero: float | None) -> Trace:
    """lane,start,end,kind[,microbatch], in ms."""
    columns = Columns()
    with path.open(newline="", encoding="utf-8") as stream:
        for line, row in enumerate(csv.DictReader(stream), start=2):
            try:
                number = int(row.get("microbatch") or -1)
                what = (row["kind"], str(number) if number >= 0 else "", number)
                start, end = float(row["start"]), float(row["end"])
            except (KeyError, TypeError, ValueError) as error:
                raise TraceError(f"{path.name}:{line}: needs lane,start,end,kind: {error!r}") from error
            if not start <= end:
                raise TraceError(f"{path.name}:{line}: ends at {end:g} before it starts at {start:g}")
            columns.add(row["lane"], start, end, what)
    return _trace(columns, list(columns.lanes), {lane: str(lane) for lane in columns.lanes}, 1.0, zero)
