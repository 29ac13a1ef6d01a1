"""Recorded events of a pipeline, turned into a timeline of one step and the work for its bubbles.

A recording maps each device to {name: [[start, end], ...]}. `call_forward` and `call_backward` are in the order of
microbatches; `:up_pipe` behind them is the second direction of a bidirectional schedule. `start_end` lies around each
iteration, and the last iteration is taken. The work to place is `cov_kron_A/B`, once for each microbatch, and
`sync_kron_A/B` and `inv_kron_A/B`, once for each module, all with an optional `:<module>`. A recording is JSON, CSV
(device,name,start,end) or a pickle of plain data.
"""

from __future__ import annotations

import csv
import io
import json
import pickle
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from figmill.timelines.pipeline.filling import Work
from figmill.timelines.spans import Span, Timeline, timeline

Events = Mapping[str, Sequence[tuple[float, float]]]
MOST_BYTES = 64 << 20
PIPES = ("", ":up_pipe")


class EventError(ValueError):
    """A recording that cannot be right; the message names the device and the event."""


def read(path: str | Path) -> dict[str, Events]:
    """The events of each device by its name. EventError where the file is not a recording."""
    file = Path(path)
    if file.stat().st_size > MOST_BYTES:
        raise EventError(f"{file.name}: larger than {MOST_BYTES >> 20} MB")
    data = file.read_bytes()
    if file.suffix in (".pkl", ".pickle"):
        loaded = _unpickle(data, file.name)
    elif file.suffix == ".csv":
        loaded = _from_csv(data.decode())
    else:
        loaded = json.loads(data)
    devices = loaded if isinstance(loaded, dict) else dict(_named(loaded))
    if devices and all(name.partition(":")[0] in _KNOWN for name in devices):
        devices = {"GPU 0": devices}  # one device's events by themselves
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


def _from_csv(text: str) -> dict[str, dict[str, list[tuple[float, float]]]]:
    devices: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        try:
            span = (float(row["start"]), float(row["end"]))
            devices.setdefault(row["device"], {}).setdefault(row["name"], []).append(span)
        except (KeyError, TypeError, ValueError) as error:
            raise EventError(f"a row needs device,name,start,end; this one: {row}") from error
    return devices


class _PlainUnpickler(pickle.Unpickler):
    """Builds dicts, lists, tuples, strings and numbers; refuses everything that would need an import."""

    def find_class(self, module: str, name: str) -> Any:
        raise EventError(f"the pickle asks for {module}.{name}; only plain data is read")


def _unpickle(data: bytes, name: str) -> Any:
    try:
        return _PlainUnpickler(io.BytesIO(data)).load()
    except EventError as error:
        raise EventError(f"{name}: {error}") from None
    except Exception as error:  # a damaged pickle raises almost anything
        raise EventError(f"{name}: not a pickle of plain data: {error}") from error


def _checked(device: str, events: Any) -> Events:
    if not isinstance(events, dict):
        raise EventError(f"{device}: events must be a mapping of names to [start, end] pairs")
    checked: dict[str, list[tuple[float, float]]] = {}
    for name, pairs in events.items():
        try:
            checked[str(name)] = sorted((float(start), float(end)) for start, end in pairs)
        except (TypeError, ValueError):
            raise EventError(f"{device}, {name}: must be a list of [start, end] pairs") from None
        for start, end in checked[str(name)]:
            if not start <= end:
                raise EventError(f"{device}, {name}: ends at {end:g} before it starts at {start:g}")
    return checked


def step(
    devices: Mapping[str, Events], clocks: Literal["shared", "own"] = "shared", unit: str = "ms"
) -> tuple[Timeline, tuple[Work, ...]]:
    """The timeline and the work of the last iteration. EventError names the device and the event.

    clocks: `shared` takes all timestamps from one clock; `own` starts the iteration of each device at 0.
    """
    windows = {name: _last_window(name, events) for name, events in devices.items()}
    first = min((start for start, _ in windows.values()), default=0.0)
    spans: list[Span] = []
    work: list[Work] = []
    until = 0.0
    for lane, (name, events) in enumerate(devices.items()):
        start, end = windows[name]
        zero = start if clocks == "own" else first
        until = max(until, end - zero)
        own = list(_pipeline(lane, name, events, (start, end), zero))
        spans += own
        work += _work(lane, name, events, (start, end), own, len(work))
    return timeline(tuple(devices), spans, unit, until), tuple(work)


def _last_window(device: str, events: Events) -> tuple[float, float]:
    if events.get("start_end"):
        return events["start_end"][-1]
    calls = [pair for name, pairs in events.items() if name.startswith("call_") for pair in pairs]
    if not calls:
        raise EventError(f"{device}: no call_forward and no start_end")
    return min(calls)[0], max(end for _, end in calls)


def _inside(pairs: Sequence[tuple[float, float]], window: tuple[float, float]) -> list[tuple[float, float]]:
    slack = 1e-9 * max(1.0, abs(window[1]))
    return [(s, e) for s, e in pairs if s >= window[0] - slack and e <= window[1] + slack]


def _pipeline(
    lane: int, device: str, events: Events, window: tuple[float, float], zero: float
) -> Iterator[Span]:
    calls_in_order: list[tuple[float, float, str, int, int]] = []
    for chunk, pipe in enumerate(PIPES):
        calls = {
            kind: _inside(events.get(f"call_{kind}{pipe}", ()), window) for kind in ("forward", "backward")
        }
        if len(calls["forward"]) != len(calls["backward"]):
            raise EventError(
                f"{device}, call_forward{pipe}: {len(calls['forward'])} times,"
                f" but call_backward{pipe} {len(calls['backward'])} times"
            )
        if not pipe and not calls["forward"]:
            raise EventError(f"{device}, call_forward: missing in the last iteration")
        for kind, pairs in calls.items():
            calls_in_order += [(start, end, kind, index, chunk) for index, (start, end) in enumerate(pairs)]
    reached, last = window[0], "the start of the iteration"
    for start, end, kind, index, chunk in sorted(calls_in_order):
        name = f"call_{kind}{PIPES[chunk]} number {index}"
        if start < reached - 1e-9 * max(1.0, abs(reached)):
            raise EventError(f"{device}, {name}: starts at {start:g} and overlaps {last}, until {reached:g}")
        yield Span(lane, max(start, reached) - zero, end - zero, kind, str(index), lane, index, chunk)
        reached, last = end, name


def _work(
    lane: int, device: str, events: Events, window: tuple[float, float], own: Sequence[Span], first: int
) -> list[Work]:
    """Curvature, then synchronisation, then inversion, each after the work of its own module that it needs."""
    work: list[Work] = []
    # (what, factor, module) -> indices in the list of all work
    done: dict[tuple[str, str, str], list[int]] = {}

    def earlier(what: str, factor: str, module: str) -> list[int]:
        return [*done.get((what, factor, module), []), *(done.get((what, factor, ""), []) if module else [])]

    for what, kind in (("cov", "curvature"), ("sync", "sync"), ("inv", "inversion")):
        for name in sorted(events):
            base, _, module = name.partition(":")
            if not base.startswith(f"{what}_kron_"):
                continue
            factor = base[-1]
            if base not in _KNOWN:
                raise EventError(f"{device}, {name}: factors are A and B")
            pairs = _inside(events[name], window) or events[name]
            spans = _spans_for(device, name, factor, module, own, len(pairs)) if what == "cov" else None
            if spans is not None and module == "up_pipe":
                module = ""
            for number, (start, end) in enumerate(pairs):
                after = [] if what == "cov" else earlier("cov", factor, module)
                after += earlier("sync", factor, module) if what == "inv" else []
                label = f"{factor}{spans[number].label}" if spans else f"{factor}{module}"
                ready = spans[number].end if spans else 0.0
                done.setdefault((what, factor, module), []).append(first + len(work))
                work.append(Work(lane, kind, label, end - start, ready, tuple(after)))
    return work


def _spans_for(device: str, name: str, factor: str, pipe: str, own: Sequence[Span], count: int) -> list[Span]:
    """The forwards (A) or backwards (B) that this curvature needs, sorted by microbatch."""
    kind = "forward" if factor == "A" else "backward"
    chunk = 1 if pipe == "up_pipe" else 0
    spans = sorted((s for s in own if s.kind == kind and s.chunk == chunk), key=lambda s: s.microbatch)
    if len(spans) != count:
        raise EventError(f"{device}, {name}: {count} times, but {len(spans)} microbatches have a {kind}")
    return spans
