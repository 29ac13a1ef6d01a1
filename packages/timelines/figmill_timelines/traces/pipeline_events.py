"""Recorded events of a pipeline as a timeline of one step, and the work for its bubbles.

A recording maps each device to {name: [[start, end], ...]}, or each device has a file of its own. `call_forward` and
`call_backward` are in the order of microbatches; `:up_pipe` at the end of a name is the second direction of a
bidirectional schedule. `start_end` encloses each iteration, and the last iteration is taken. The work to place is
`cov_kron_A/B`, once for each microbatch or once for all of them, and `sync_kron_A/B` and `inv_kron_A/B`, all with an
optional `:<module>`. If there is such work, the step is as long as its forwards and backwards, since `start_end` may
include the work. A recording is JSON, CSV (device,name,start,end) or a pickle of plain data.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from figmill_timelines.files import csv_rows
from figmill_timelines.pipeline.kfac import Work
from figmill_timelines.spans import Span, Timeline, timeline
from figmill_timelines.traces import plain_pickle

Time = float | Decimal  # as the file states it: a float of nanoseconds since 1970 has a grain of 256
Events = Mapping[str, Sequence[tuple[Time, Time]]]
NearEvents = Mapping[str, Sequence[tuple[float, float]]]  # from near the first event on, as floats
MOST_BYTES = 64 << 20
FARTHEST = 4e18  # a time; in nanoseconds, a hundred years
UP = "up_pipe"
PIPES = ("", f":{UP}")


class EventError(ValueError):
    """A recording that cannot be correct; the message names the device and the event."""


def read(*paths: str | Path) -> dict[str, Events]:
    """The events of each device by its name. EventError if a file is not a recording.

    A folder stands for its files, in the order of the numbers in their names. If there are several files, each is a
    device or has its own devices.
    """
    files = [file for path in paths for file in _files(Path(path))]
    devices: dict[str, Events] = {}
    for number, file in enumerate(files):
        for name, events in _of_file(file, f"GPU {number}").items():
            if name in devices:
                raise EventError(f"{file.name}: {name} is in an earlier file too")
            devices[name] = events
    return devices


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = [file for file in path.iterdir() if file.suffix in (".json", ".csv", ".pkl", ".pickle")]
    if not files:
        raise EventError(f"{path.name}: no recording in this folder")
    return sorted(
        files, key=lambda file: [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", file.name)]
    )


def _of_file(file: Path, alone: str) -> dict[str, Events]:
    if file.stat().st_size > MOST_BYTES:
        raise EventError(f"{file.name}: larger than {MOST_BYTES >> 20} MB")
    data = file.read_bytes()
    try:
        if file.suffix in (".pkl", ".pickle"):
            loaded = plain_pickle.loads(data)
        elif file.suffix == ".csv":
            loaded = _from_csv(data.decode("utf-8-sig"))
        else:
            loaded = json.loads(data, parse_float=Decimal)
    except EventError:
        raise
    except (ArithmeticError, ValueError, RecursionError) as error:
        raise EventError(f"{file.name}: {error}") from None
    devices = loaded if isinstance(loaded, dict) else dict(_named(loaded))
    if any(str(name).partition(":")[0] in _KNOWN for name in devices):
        devices = {alone: devices}  # one device's events by themselves
    return {str(name): _checked(str(name), events) for name, events in devices.items()}


_KNOWN = frozenset(
    ["call_forward", "call_backward", "start_end"]
    + [f"{what}_kron_{factor}" for what in ("cov", "sync", "inv") for factor in "AB"]
)


def _named(devices: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(devices, list):
        raise EventError(f"a list or a mapping of devices is needed, not {type(devices).__name__}")
    for number, events in enumerate(devices):
        yield f"GPU {number}", events


def _from_csv(text: str) -> dict[str, dict[str, list[tuple[Time, Time]]]]:
    devices: dict[str, dict[str, list[tuple[Time, Time]]]] = {}
    for row in csv_rows(csv.DictReader(io.StringIO(text)), "line "):
        try:
            span = (Decimal(row["start"]), Decimal(row["end"]))
            devices.setdefault(row["device"], {}).setdefault(row["name"], []).append(span)
        except (ArithmeticError, KeyError, TypeError, ValueError) as error:
            raise EventError(f"a row needs device,name,start,end; this one: {row}") from error
    return devices


def _checked(device: str, events: Any) -> Events:
    if not isinstance(events, dict):
        raise EventError(f"{device}: events must be a mapping of names to [start, end] pairs")
    checked: dict[str, list[tuple[Time, Time]]] = {}
    for name, pairs in events.items():
        try:
            # An event without a kernel has neither.
            complete = [(start, end) for start, end in pairs if start is not None and end is not None]
            checked[str(name)] = sorted((_time(start), _time(end)) for start, end in complete)
        except (ArithmeticError, TypeError, ValueError):
            raise EventError(f"{device}, {name}: must be a list of [start, end] pairs") from None
        for start, end in checked[str(name)]:
            if not abs(float(start)) + abs(float(end)) < FARTHEST:
                raise EventError(f"{device}, {name}: [{start:g}, {end:g}] is not a pair of times")
            if not start <= end:
                raise EventError(f"{device}, {name}: ends at {end:g} before it starts at {start:g}")
    return checked


def _time(value: Any) -> Time:
    if isinstance(value, int):  # of those too large for a float, all are as far
        return max(-(10**19), min(value, 10**19))
    return value if isinstance(value, float | Decimal) else float(value)  # numpy's numbers, from a pickle


def _near(devices: Mapping[str, Events]) -> dict[str, NearEvents]:
    """The events as floats, which count from a whole number near the first of them."""
    starts = [pairs[0][0] for events in devices.values() for pairs in events.values() if pairs]
    base = math.floor(min(starts, default=0))
    return {
        device: {
            name: [(float(start - base), float(end - base)) for start, end in pairs]
            for name, pairs in events.items()
        }
        for device, events in devices.items()
    }


@dataclass(frozen=True, slots=True)
class _Last:
    """The last iteration of a device: when the range around it begins and ends."""

    start: float
    end: float

    def since(self, pairs: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """The events that begin in it: a kernel may end after the range that launched it."""
        slack = 1e-9 * max(1.0, abs(self.end))
        return [(s, e) for s, e in pairs if s >= self.start - slack]


def step(
    devices: Mapping[str, Events],
    clocks: Literal["shared", "own"] = "shared",
    unit: str = "ms",
    rules: Literal["earliest", "pipefisher"] = "earliest",
) -> tuple[Timeline, tuple[Work, ...]]:
    """The timeline and the work of the last iteration. EventError names the device and the event.

    clocks: `shared` takes all timestamps from one clock; `own` starts the iteration of each device at 0. rules: those
    by which the work will be placed; PipeFisher's script divides every range of curvature by the number of
    microbatches.
    """
    near = _near(devices)
    last = {name: _last(name, events) for name, events in near.items()}
    calls = {name: list(_calls(name, events, last[name])) for name, events in near.items()}
    # If other work must be placed, the step is as long as its forwards and backwards.
    works = {name for name, events in near.items() if any(e.partition("_kron_")[0] in _KINDS for e in events)}
    begins = {name: calls[name][0][0] if name in works else last[name].start for name in near}
    first = min(begins.values(), default=0.0)
    spans: list[Span] = []
    work: list[Work] = []
    until = 0.0
    for lane, (name, events) in enumerate(near.items()):
        zero = begins[name] if clocks == "own" else first
        of_lane = [
            Span(lane, start - zero, end - zero, kind, str(index), lane, index, chunk)
            for start, end, kind, index, chunk in calls[name]
        ]
        until = max(until, of_lane[-1].end, 0.0 if name in works else last[name].end - zero)
        spans += of_lane
        work += _work(lane, name, events, last[name], of_lane, len(work), rules == "pipefisher")
    if until <= 0:
        raise EventError("the last iteration takes no time")
    return timeline(tuple(near), spans, unit, until), tuple(work)


def _last(device: str, events: NearEvents) -> _Last:
    if events.get("start_end"):
        return _Last(*events["start_end"][-1])
    calls = [pair for name, pairs in events.items() if name.startswith("call_") for pair in pairs]
    if not calls:
        raise EventError(f"{device}: no call_forward and no start_end")
    return _Last(min(calls)[0], max(end for _, end in calls))


def _calls(device: str, events: NearEvents, last: _Last) -> Iterator[tuple[float, float, str, int, int]]:
    """(start, end, kind, microbatch, pipe) of the forwards and backwards, by start; none overlaps another."""
    in_order: list[tuple[float, float, str, int, int]] = []
    for chunk, pipe in enumerate(PIPES):
        calls = {kind: last.since(events.get(f"call_{kind}{pipe}", ())) for kind in ("forward", "backward")}
        if len(calls["forward"]) != len(calls["backward"]):
            raise EventError(
                f"{device}, call_forward{pipe}: {len(calls['forward'])} times,"
                f" but call_backward{pipe} {len(calls['backward'])} times"
            )
        if not pipe and not calls["forward"]:
            raise EventError(f"{device}, call_forward: missing in the last iteration")
        for kind, pairs in calls.items():
            in_order += [(start, end, kind, index, chunk) for index, (start, end) in enumerate(pairs)]
    reached, before = float("-inf"), ""
    for start, end, kind, index, chunk in sorted(in_order):
        name = f"call_{kind}{PIPES[chunk]} number {index}"
        if before and start < reached - 1e-9 * max(1.0, abs(reached)):
            raise EventError(
                f"{device}, {name}: starts at {start:g} and overlaps {before}, until {reached:g}"
            )
        yield max(start, reached), end, kind, index, chunk
        reached, before = end, name


_KINDS = {"cov": "curvature", "sync": "sync", "inv": "inversion"}
_SOURCE = {"A": "forward", "B": "backward"}  # what the curvature of a factor needs
_Key = tuple[str, str, str, bool]  # what, factor, module, up the pipeline


def _work(
    lane: int,
    device: str,
    events: NearEvents,
    last: _Last,
    of_lane: Sequence[Span],
    first: int,
    divided: bool,
) -> list[Work]:
    """Curvature, then synchronisation, then inversion, each after its needs: work of its own module and pipeline."""
    work: list[Work] = []
    names = list(events)
    done: dict[_Key, list[int]] = {}  # indices in the list of all work

    def earlier(what: str, factor: str, module: str, pipes: Sequence[bool]) -> list[int]:
        modules = dict.fromkeys((module, ""))
        return [n for up in pipes for m in modules for n in done.get((what, factor, m, up), [])]

    for what, kind in _KINDS.items():
        for name in sorted(events):
            base, *tags = name.split(":")
            if not base.startswith(f"{what}_kron_"):
                continue
            factor, up = base[-1], UP in tags
            if base not in _KNOWN:
                raise EventError(f"{device}, {name}: factors are A and B")
            module = ":".join(tag for tag in tags if tag != UP)
            # Work that names no pipeline belongs to both.
            pipes = [up] if up or f"{name}:{UP}" in events else [False, True]
            pairs = last.since(events[name]) or events[name]
            if what == "cov":
                pieces = _pieces(device, name, factor, up and not divided, of_lane, pairs, divided)
            else:
                pieces = [
                    (end - start, f"{factor}{module}", 0.0, start, n) for n, (start, end) in enumerate(pairs)
                ]
            after = [] if what == "cov" else earlier("cov", factor, module, pipes)
            after += earlier("sync", factor, module, pipes) if what == "inv" else []
            down = (
                [s.end for s in of_lane if s.kind == _SOURCE[factor] and not s.chunk] if what == "cov" else []
            )
            for turn, (duration, label, ready, start, number) in enumerate(pieces):
                if duration <= 0:
                    raise EventError(f"{device}, {name}: takes no time")
                done.setdefault((what, factor, module, up), []).append(first + len(work))
                row = (start, names.index(name), number)
                # First a piece of each range for the first microbatch, then one of each for the second.
                at = turn * len(down) // len(pieces)
                counted = down[at] if down else None
                work.append(Work(lane, kind, label, duration, ready, tuple(after), factor, row, counted))
    return work


def _pieces(
    device: str,
    name: str,
    factor: str,
    up: bool,
    of_lane: Sequence[Span],
    pairs: Sequence[tuple[float, float]],
    divided: bool,
) -> list[tuple[float, str, float, float, int]]:
    """The curvature of each microbatch, after its forward (A) or backward (B).

    For each piece: its length, its label, when its data is ready, and the recorded start and number of its range. If
    there are as many ranges as microbatches, each has its own. Otherwise, and always if `divided`, a range is of a
    whole step and is divided evenly.
    """
    kind = _SOURCE[factor]
    spans = sorted((s for s in of_lane if s.kind == kind and s.chunk == int(up)), key=lambda s: s.microbatch)
    if not spans:
        raise EventError(f"{device}, {name}: its pipeline has no {kind}")
    if len(pairs) == len(spans) and not divided:
        ranges = [[(end - start, pairs[0][0], 0)] for start, end in pairs]
    else:
        ranges = [
            [((end - start) / len(spans), start, n) for n, (start, end) in enumerate(pairs)] for _ in spans
        ]
    return [
        (length, f"{factor}{span.label}", span.end, start, number)
        for span, own_ranges in zip(spans, ranges, strict=True)
        for length, start, number in own_ranges
    ]
