"""Chrome traces as recordings: what each event means, of one file or of several ranks.

On a GPU's streams, only kernels, copies and memory sets are work (`event_kinds.GPU_CATEGORIES`). Other events there,
such as annotations, enclose kernels and would hide them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any

from figmill_timelines.traces import chrome_json
from figmill_timelines.traces.columns import Columns, FileTime, TraceError
from figmill_timelines.traces.event_kinds import ANNOTATIONS, GPU_CATEGORIES, NO_WORK, what_is
from figmill_timelines.traces.recording import Annotation, RecordedLane, Recording, Samples

MOST_SAMPLES = 4000  # the most samples of one counter

NAMING = ANNOTATIONS | {"user_annotation"}

NameFilter = Callable[[str], bool]


def read(files: Sequence[Path], lanes: str, zeros: Sequence[float], wanted: NameFilter) -> Recording:
    """The recording of these files; if there are several, each is a rank. Times are in us.

    lanes: `gpu` for streams only, `all`, or `auto`, which is gpu if there are any. zeros: the time in each file that
    becomes 0; empty: the clocks are those that the files state. wanted: which annotations to keep, by name.
    """
    columns = Columns()
    traces = [_Chrome(columns, number, wanted) for number in range(len(files))]
    base: int | None = None
    for number, (file, trace) in enumerate(zip(files, traces, strict=True)):
        reading = trace.reading
        for event in chrome_json.events(file, reading):
            if reading.events == 1 and len(files) > 1:
                nanoseconds = reading.head.get("baseTimeNanoseconds", 0)
                nanoseconds = nanoseconds if isinstance(nanoseconds, int) else 0
                base = nanoseconds if base is None else base
                trace.shift = -Decimal(zeros[number]) if zeros else Decimal(nanoseconds - base) / 1000
            handler = _HANDLERS.get(str(event.get("ph", "")))
            if handler is not None:
                try:
                    handler(trace, event)
                except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
                    where = f"{file.name}: event {reading.events} ({event.get('name')})"
                    raise TraceError(f"{where}: {error!r}") from error
    ranks = _ranks([file.name for file in files], traces) if len(files) > 1 else [""]
    on_gpu = lanes == "gpu" or (lanes == "auto" and any(trace.streams for trace in traces))
    drawn = [
        lane
        for rank, trace in sorted(zip(ranks, traces, strict=True), key=lambda pair: _by_number(pair[0]))
        for lane in trace.lanes(rank, on_gpu)
    ]
    notes = [
        note._replace(rank=rank) for rank, trace in zip(ranks, traces, strict=True) for note in trace.notes
    ]
    return Recording(
        columns,
        tuple(drawn),
        scale=1e-3,
        gpus=frozenset(lane.device for lane in drawn if lane.key in columns.lanes and _on_gpu(lane.key)),
        annotations=tuple(notes),
        counters={rank: trace.counters for rank, trace in zip(ranks, traces, strict=True)},
        events=sum(int(trace.reading.events) for trace in traces),
        damage="; ".join(trace.reading.damage for trace in traces if trace.reading.damage),
    )


def _ranks(names: Sequence[str], traces: Sequence[_Chrome]) -> list[str]:
    """The names of the ranks: by the number in the file, else by the number in its name, else by its name."""
    ranks = []
    for name, trace in zip(names, traces, strict=True):
        info = trace.reading.head.get("distributedInfo")
        number = info.get("rank") if isinstance(info, dict) else None
        in_name = re.search(r"rank[-_ ]?(\d+)", name, re.I)
        if isinstance(number, int):
            ranks.append(f"Rank {number}")
        else:
            ranks.append(f"Rank {int(in_name[1])}" if in_name else name.split(".")[0])
    for number, rank in enumerate(ranks):
        if rank in ranks[:number]:
            raise TraceError(
                f"{names[ranks.index(rank)]} and {names[number]} are both {rank}; give one file for each rank"
            )
    return ranks


def _by_number(rank: str) -> tuple[float, str]:
    number = re.search(r"\d+$", rank)
    return (float(number[0]) if number else 1e18, rank)


def _device(pid: Any) -> str:
    return f"GPU {pid}"


def _on_gpu(key: Any) -> bool:
    return bool(key[3])


@dataclass(slots=True)
class _Chrome:
    """The state of a Chrome trace while it is read, with a method for each phase. Times are microseconds.

    A lane's key is (number of the file, pid, tid, whether a GPU works there).

    - shift: what is added to each time.
    """

    columns: Columns
    number: int
    wanted: NameFilter
    shift: FileTime = 0
    reading: chrome_json.ReadProgress = field(default_factory=chrome_json.ReadProgress)
    open: dict[Hashable, list[tuple[float, str, str]]] = field(default_factory=dict)
    names: dict[Hashable, str] = field(default_factory=dict)
    sort: dict[Hashable, float] = field(default_factory=dict)
    counters: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    # on a GPU or not
    annotations: dict[bool, list[Annotation]] = field(default_factory=lambda: {True: [], False: []})

    def _exact(self, event: dict[str, Any]) -> FileTime:
        """The time of an event, as the file states it."""
        value = event["ts"]
        time: FileTime = value if isinstance(value, int | Decimal) else Decimal(value)
        return time + self.shift if self.shift else time

    def _time(self, event: dict[str, Any]) -> float:
        """The time of an event, from the columns' base on."""
        return self.columns.since(self._exact(event))

    def complete(self, event: dict[str, Any]) -> None:
        get = event.get
        time, length, category = self._exact(event), get("dur", 0), get("cat", "")
        if not isinstance(length, int | Decimal):
            length = Decimal(length)
        start, end = self.columns.since(time), self.columns.since(time + length)
        on_gpu = category in GPU_CATEGORIES
        if on_gpu or category not in NO_WORK:
            key = (self.number, get("pid"), get("tid"), on_gpu)
            self.columns.add(key, start, end, what_is(event["name"], category))
        if not on_gpu and category in NAMING and self.wanted(event["name"]):
            number = get("args", {}).get("External id")
            device = _device(get("pid")) if category in ANNOTATIONS else f"process {get('pid')}"
            note = Annotation(event["name"], start, end, device, number=number)
            self.annotations[category in ANNOTATIONS].append(note)

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
        begun = (self._time(event), event.get("name", ""), event.get("cat", ""))
        self.open.setdefault(key, []).append(begun)

    def _end(self, key: Hashable, lane: tuple[Any, Any], event: dict[str, Any]) -> None:
        stack = self.open.get(key)
        if stack:  # an end without a beginning is dropped: the recording began after the beginning
            start, name, category = stack.pop()
            if category not in NO_WORK:
                key = (self.number, *lane, category in GPU_CATEGORIES)
                self.columns.add(key, start, self._time(event), what_is(name, category))

    def name(self, event: dict[str, Any]) -> None:
        what, values = event.get("name"), event.get("args", {})
        pid, tid = event.get("pid"), event.get("tid")
        if what == "process_name":
            self.names[pid] = str(values.get("name", pid))
        elif what == "thread_name":
            self.names[pid, tid] = str(values.get("name", tid))
        elif what == "process_sort_index":
            self.sort[pid] = float(values.get("sort_index", 0))

    def count(self, event: dict[str, Any]) -> None:
        for name, value in event.get("args", {}).items():
            at, number = self._time(event), float(value)
            if not (isfinite(at) and isfinite(number)):
                raise ValueError(f"{name} is {value} at {event['ts']}, not a finite number")
            samples = self.counters.setdefault(f"{event['name']}: {name}", [])
            samples.append((at, number))
            if len(samples) > MOST_SAMPLES:  # keep the higher value of every two, so that no peak is lost
                ordered = sorted(samples)
                samples[:] = [
                    max(pair, key=lambda s: s[1]) for pair in zip(ordered[::2], ordered[1::2], strict=False)
                ]

    def lanes(self, rank: str, on_gpu: bool) -> list[RecordedLane]:
        """The lanes of this file in the order that the file states. on_gpu: only those of GPUs."""
        keys = [key for key in self.columns.lanes if key[0] == self.number and (not on_gpu or _on_gpu(key))]  # type: ignore[index]
        names = [(key, *self._lane(key)) for key in sorted(keys, key=self._order)]
        return [RecordedLane(key, name, f"{rank} {device}".strip(), rank) for key, name, device in names]

    @property
    def streams(self) -> list[Any]:
        """The keys of this file's lanes that are streams of GPUs."""
        return [key for key in self.columns.lanes if key[0] == self.number and _on_gpu(key)]  # type: ignore[index]

    @property
    def notes(self) -> list[Annotation]:
        """The annotations with the GPU's times, or with the host's if none reached a GPU."""
        return self.annotations[True] or self.annotations[False]

    def _order(self, key: Any) -> tuple[Any, ...]:
        _, pid, tid, on_gpu = key
        return (self.sort.get(pid, 0), _number(pid), str(pid), not on_gpu, _number(tid), str(tid))

    def _lane(self, key: Any) -> tuple[str, str]:
        """The name of a lane and of its device; a thread is its own device."""
        _, pid, tid, on_gpu = key
        streams = self.streams
        if on_gpu:
            device = _device(pid)
            return (
                f"{device} stream {tid}" if len({key[1] for key in streams}) < len(streams) else device
            ), device
        name = self.names.get((pid, tid), f"thread {tid}" if not str(tid).startswith("async") else str(tid))
        process = self.names.get(pid, "")
        shown = (f"{process} {name}" if process and len(process) + len(name) < 28 else name)[:28]
        return shown, f"{pid} {tid}"


_HANDLERS: Mapping[str, Callable[[_Chrome, dict[str, Any]], None]] = {
    "X": _Chrome.complete,
    "B": _Chrome.begin,
    "E": _Chrome.end,
    "b": _Chrome.begin_async,
    "e": _Chrome.end_async,
    "M": _Chrome.name,
    "C": _Chrome.count,
}


def _number(value: Any) -> float:
    if not isinstance(value, int | Decimal) or Decimal(value).is_nan():
        return 1e18
    return float(max(-(10**18), min(value, 10**18)))


def steps_of(samples: Samples, origin: float, scale: float) -> dict[str, tuple[tuple[float, float], ...]]:
    """The counters from a time on, as steps; a counter without steps is left out."""
    counters = {
        name: _steps([((at - origin) * scale, value) for at, value in sorted(every)])
        for name, every in samples.items()
    }
    return {name: steps for name, steps in counters.items() if steps}


def _steps(samples: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """The samples from 0 on; the last one before 0 holds at 0. Before the first sample, nothing is known."""
    before = [value for at, value in samples if at < 0]
    drawn = [(at, value) for at, value in samples if at >= 0]
    has_start = before and not (drawn and drawn[0][0] == 0)
    return ((0.0, before[-1]), *drawn) if has_start else tuple(drawn)
