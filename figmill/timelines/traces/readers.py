"""Read measured timelines from the files that profilers write.

Chrome Trace Event JSON (PyTorch profiler, `ray timeline`, Perfetto), the files of pipeline ranks and the plain CSV of
`rank_files`, and Nsight Systems SQLite exports (see `nsight`).
The kind of an event is guessed from its name. An error names the place in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

from figmill.timelines.spans import Timeline
from figmill.timelines.traces import chrome_json, nsight, rank_files
from figmill.timelines.traces.columns import Columns, TraceError, to_timeline
from figmill.timelines.traces.event_kinds import GPU_CATEGORIES, what_is

__all__ = ["MOST_SAMPLES", "Trace", "TraceError", "read"]

MOST_SAMPLES = 4000  # of one counter


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace that was read. counters: name -> (time, value) steps. damage: where the file broke, or empty.

    origin: the time in the file, in its own unit, that became 0.
    """

    timeline: Timeline
    events: int
    spans: int
    condensed: bool = False
    counters: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    damage: str = ""
    origin: float = 0.0


def read(path: str | Path, zero: float | None = None, lanes: str = "auto") -> Trace:
    """A trace of any known form, recognised by its suffix and its first bytes; times in ms from 0.

    zero: the time in the file, in its own unit, that becomes 0; None takes the first span. lanes, of a Chrome
    trace: `gpu` for kernels and copies only, `all`, or `auto`, which is gpu where there are any. TraceError or
    ValueError for a file that cannot be read.
    """
    file = Path(path)
    if file.is_dir():
        return _of_lanes(rank_files.timers_in(file), None)
    with file.open("rb") as stream:
        head = stream.read(16)
    if head.startswith(b"SQLite format 3"):
        columns, names = nsight.read(file)
        return _trace(columns, sorted(columns.lanes, key=names.__getitem__), names, 1e-6, zero)
    if file.suffix == ".csv":
        if b"," in head and b"lane" in head.lower():
            return _of_lanes(rank_files.plain(file), zero)
        return _of_lanes(rank_files.schedule(file), 0.0, unit="")  # its slots have no unit
    timers = None if head.startswith(b"\x1f\x8b") else rank_files.timers(file)
    return _chrome(file, zero, lanes) if timers is None else _of_lanes(timers, None)


def _of_lanes(found: rank_files.Lanes, zero: float | None, unit: str = "ms") -> Trace:
    columns, names = found
    return _trace(columns, list(columns.lanes), names, 1.0, zero, unit=unit)


def _trace(
    columns: Columns,
    order: list[Hashable],
    names: Mapping[Any, str],
    scale: float,
    zero: float | None,
    events: int = 0,
    damage: str = "",
    unit: str = "ms",
) -> Trace:
    try:
        made = to_timeline(columns, order, [names[key] for key in order], unit, scale, zero)
    except ValueError as error:
        raise TraceError(damage or f"{error}; {events} events were read") from None
    read = events or made.spans
    return Trace(made.timeline, read, made.spans, made.condensed, {}, damage, made.origin)


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
        handler = handlers.get(str(event.get("ph", "")))
        if handler is not None:
            try:
                handler(event)
            except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
                where = f"{file.name}: event {reading.events} ({event.get('name')})"
                raise TraceError(f"{where}: {error!r}") from error
    gpu_only = lanes == "gpu" or (lanes == "auto" and chrome.gpu)
    keys = [key for key in chrome.columns.lanes if not gpu_only or key in chrome.gpu]
    order = sorted(keys, key=chrome.rank)
    names = {key: chrome.lane_name(key) for key in order}
    trace = _trace(chrome.columns, order, names, 1e-3, zero, reading.events, reading.damage)
    counters = {
        name: _steps([((at - trace.origin) / 1000, value) for at, value in sorted(samples)])
        for name, samples in chrome.counters.items()
    }
    return replace(trace, counters={name: steps for name, steps in counters.items() if steps})


def _steps(samples: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """The samples from 0 on; the last one before 0 holds at 0. Before the first one nothing is known."""
    before = [value for at, value in samples if at < 0]
    drawn = [(at, value) for at, value in samples if at >= 0]
    known = before and not (drawn and drawn[0][0] == 0)
    return ((0.0, before[-1]), *drawn) if known else tuple(drawn)


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
        get = event.get
        key, start, category = (get("pid"), get("tid")), float(event["ts"]), get("cat", "")
        if category in GPU_CATEGORIES:
            self.gpu.add(key)
        self.columns.add(key, start, start + float(get("dur", 0)), what_is(event["name"], category))

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
            at, number = float(event["ts"]), float(value)
            if not (isfinite(at) and isfinite(number)):
                raise ValueError(f"{name} is {value} at {event['ts']}, no finite number")
            samples = self.counters.setdefault(f"{event['name']}: {name}", [])
            samples.append((at, number))
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
    return float(max(-1e18, min(value, 1e18))) if isinstance(value, int | float) else 1e18
