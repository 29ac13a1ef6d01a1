"""Reads measured timelines from the files that profilers write.

Chrome Trace Event JSON (PyTorch profiler, `ray timeline`, Perfetto), one file or one for each rank; the files of
pipeline ranks and the plain CSV of `rank_files`; schedules of `schedule_csv`; and Nsight Systems SQLite exports.
The kind of an event is guessed from its name. An error names the place in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

from figmill_timelines.spans import Timeline, busy_elsewhere, idle_per_lane
from figmill_timelines.traces import chrome_events, columns, nsight, rank_files, recording, schedule_csv
from figmill_timelines.traces.chrome_events import MOST_SAMPLES
from figmill_timelines.traces.columns import TraceError
from figmill_timelines.traces.device_time import DeviceTime, measure
from figmill_timelines.traces.recording import Annotation, Recording

__all__ = ["MOST_SAMPLES", "Trace", "TraceError", "TracePart", "read"]

MOST_LEVELS = 6  # the most levels of nested annotations
MOST_PARTS = 16  # ranks x steps


@dataclass(frozen=True, slots=True)
class TracePart:
    """One rank or one step of a recording, or all of it. Times count from 0, where the part begins.

    - counters: name -> (time, value) steps.
    - annotations: rows that do not overlap.
    - gpus: whether the devices are GPUs.
    """

    timeline: Timeline
    spans: int
    condensed: bool
    devices: tuple[DeviceTime, ...]
    rank: str = ""
    step: int | None = None
    gpus: bool = False
    counters: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    annotations: tuple[tuple[Annotation, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace.

    - damage: where the file is damaged; empty for a sound file.
    - parts: one for each rank and step that was requested, at least one.
    - origin: the time in the file, in its own unit, at which the first part begins.
    """

    parts: tuple[TracePart, ...]
    events: int
    damage: str = ""
    origin: float = 0.0

    @property
    def timeline(self) -> Timeline:
        """The timeline of the first part; a trace of one rank that is not divided into steps has no other."""
        return self.parts[0].timeline

    @property
    def counters(self) -> Mapping[str, tuple[tuple[float, float], ...]]:
        """The counters of the first part."""
        return self.parts[0].counters

    @property
    def spans(self) -> int:
        """How many spans were read, in all parts."""
        return sum(int(part.spans) for part in self.parts)

    @property
    def condensed(self) -> bool:
        """Whether any part had too many spans to draw each of them."""
        return any(part.condensed for part in self.parts)


def read(
    path: str | Path | Sequence[str | Path],
    zero: float | Sequence[float] | None = None,
    lanes: str = "auto",
    steps: bool | Sequence[int] = False,
    annotations: bool | Sequence[str] = False,
) -> Trace:
    """A trace of any known format, recognised by its suffix and its first bytes; times in ms from 0.

    path: several files are Chrome traces of one rank each. zero: the time in the file, in its own unit, that becomes 0;
    None takes the first span. With several files: one for each, or None if they share a clock. lanes, of a Chrome
    trace: `gpu` for kernels and copies only, `all`, or `auto`, which is gpu if there are any. steps: a part for each
    ProfilerStep, or for those with these numbers. annotations: keep them, or those whose names begin with these texts.
    TraceError or ValueError for a file that cannot be read.
    """
    files = [Path(path)] if isinstance(path, str | Path) else [Path(each) for each in path]
    if not files:
        raise TraceError("no file is given")
    zeros = list(zero) if isinstance(zero, Sequence) else []
    if isinstance(zero, Sequence) and (len(zeros) != len(files) or len(files) == 1):
        raise TraceError(
            f"zero: {len(zeros)} times for {len(files)} files; give one for each of several files"
        )
    if len(files) > 1 and zero is not None and not zeros:
        raise TraceError("zero: one number for several files; give a list, with one for each")
    if len(files) == 1 and _form(files[0]) == "schedule":
        _only_chrome(files[0], steps, annotations)
        timeline = schedule_csv.read(files[0])
        return Trace((_whole(timeline),), len(timeline.spans))
    content = _recording(files, lanes, zeros, steps, annotations)
    try:
        return _divided(
            content,
            0.0 if zeros else zero if isinstance(zero, int | float) else None,
            steps,
            bool(annotations),
        )
    except TraceError:
        raise
    except ValueError as error:
        raise TraceError(content.damage or f"{error}; {content.events} events were read") from None


def _form(file: Path) -> str:
    """The reader for a file or folder."""
    if file.is_dir():
        return "folder"
    with file.open("rb") as stream:
        head = stream.read(16)
    if head.startswith(b"SQLite format 3"):
        return "nsight"
    if file.suffix == ".csv":
        return "plain" if b"," in head and b"lane" in head.lower() else "schedule"
    return "json"


def _recording(
    files: Sequence[Path],
    lanes: str,
    zeros: Sequence[float],
    steps: bool | Sequence[int],
    annotations: bool | Sequence[str],
) -> Recording:
    wanted = _wanted(steps, annotations)
    if len(files) > 1:
        for file in files:
            if _form(file) != "json" or rank_files.timers(file) is not None:
                raise TraceError(f"{file.name}: several files must be Chrome traces, one for each rank")
        return chrome_events.read(files, lanes, zeros, wanted)
    (file,) = files
    form = _form(file)
    if form == "json":
        timers = rank_files.timers(file)
        if timers is None:
            return chrome_events.read(files, lanes, (), wanted)
        _only_chrome(file, steps, annotations)
        return timers
    _only_chrome(file, steps, annotations)
    return {"folder": rank_files.timers_in, "nsight": nsight.read, "plain": rank_files.plain}[form](file)


def _wanted(steps: bool | Sequence[int], annotations: bool | Sequence[str]) -> chrome_events.NameFilter:
    """The annotations to keep: the requested ones, and ProfilerSteps if steps are requested."""
    beginnings = () if isinstance(annotations, bool) else tuple(annotations)
    return lambda name: (
        annotations is True
        or name.startswith(beginnings)
        or (steps is not False and name.startswith("ProfilerStep#"))
    )


def _only_chrome(file: Path, steps: bool | Sequence[int], annotations: bool | Sequence[str]) -> None:
    for name, is_wanted in (("steps", steps is not False), ("annotations", annotations is not False)):
        if is_wanted:
            raise TraceError(
                f"{name}: {file.name} has none; they are of Chrome traces, as the PyTorch profiler writes"
            )


def _whole(timeline: Timeline) -> TracePart:
    """A timeline whose lanes are its devices."""
    idle = idle_per_lane(timeline)
    devices = tuple(
        DeviceTime(lane, timeline.makespan, length, timeline.makespan - length, 0.0, 0.0)
        for lane, length in zip(timeline.lanes, idle, strict=True)
    )
    return TracePart(timeline, len(timeline.spans), False, devices)


def _divided(content: Recording, zero: float | None, chosen: bool | Sequence[int], annotated: bool) -> Trace:
    """The parts of a recording, from `zero` or its first span on."""
    base = content.columns.base or Decimal(0)
    start = None if zero is None else float(Decimal(zero) - base)
    windows = _windows(content, chosen) if chosen is not False else {None: (start, None)}
    if len(windows) * len(content.ranks) > MOST_PARTS:
        raise TraceError(
            f"{len(windows)} steps of {len(content.ranks)} ranks: at most {MOST_PARTS} panels are drawn; "
            "name the steps to draw, as in steps: [1, 2]"
        )
    parts: list[TracePart] = []
    origins: list[float] = []
    for step, (start, end) in windows.items():
        cuts = {
            rank: columns.cut(
                content.columns, [lane.key for lane in content.lanes if lane.rank == rank], start, end
            )
            for rank in content.ranks
        }
        held = {rank: cut for rank, cut in cuts.items() if any(len(starts) for starts, _, _ in cut.rows)}
        if not held:
            continue
        _same_clock(held)
        origin, last = min(cut.origin for cut in held.values()), max(cut.end for cut in held.values())
        origins.append(origin)
        parts += [
            _part(content, rank, step, replace(cut, origin=origin, end=last), annotated)
            for rank, cut in cuts.items()
        ]
    if not parts:
        raise ValueError("no spans are left to draw")
    if annotated and not any(part.annotations for part in parts):
        raise TraceError("annotations: none of these in the trace; record_function names them")
    return Trace(
        tuple(parts),
        content.events or sum(int(part.spans) for part in parts),
        content.damage,
        float(base) + origins[0],
    )


def _windows(
    content: Recording, chosen: bool | Sequence[int]
) -> dict[int | None, tuple[float | None, float | None]]:
    """The requested steps, each with its beginning and end."""
    steps = recording.steps(content.annotations)
    if not steps:
        raise TraceError(
            "steps: the trace has no ProfilerStep; torch.profiler marks one at each call of step()"
        )
    numbers = steps if chosen is True else chosen
    assert not isinstance(numbers, bool)
    for number in numbers:
        if number not in steps:
            raise TraceError(
                f"steps: no ProfilerStep#{number} in the trace; there are {_listed(list(steps))}"
            )
    return {number: steps[number] for number in numbers}


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:12])) + (" ..." if len(numbers) > 12 else "")


def _same_clock(cuts: Mapping[str, columns.Cut]) -> None:
    """TraceError if two ranks were never recorded at the same time, which means that their clocks differ."""
    for rank, cut in cuts.items():
        for other, beside in cuts.items():
            if cut.end <= beside.origin:
                raise TraceError(
                    f"{rank} ends before {other} begins, so that their clocks differ; "
                    "give zero as a list, with the time in each file that becomes 0"
                )


def _part(content: Recording, rank: str, step: int | None, cut: columns.Cut, annotated: bool) -> TracePart:
    lanes = [lane for lane in content.lanes if lane.rank == rank]
    whats = list(content.columns.whats)
    drawing = columns.drawn(cut, whats, [lane.name for lane in lanes], content.unit, content.scale)
    length = drawing.timeline.makespan
    groups: dict[str, list[int]] = {}
    for number, lane in enumerate(lanes):
        groups.setdefault(lane.device, []).append(number)
    kinds = [kind for kind, _, _ in whats]
    devices = tuple(
        measure(device, [cut.rows[number] for number in numbers], kinds, length, cut.origin, content.scale)
        for device, numbers in groups.items()
        if device in content.gpus or not content.gpus
    )
    notes = _notes(content, rank, step, cut) if annotated else []
    return TracePart(
        busy_elsewhere(drawing.timeline, list(groups.values())),
        drawing.spans,
        drawing.condensed,
        devices,
        rank,
        step,
        bool(content.gpus),
        chrome_events.steps_of(content.counters.get(rank, {}), cut.origin, content.scale)
        if content.counters
        else {},
        tuple(tuple(row) for row in notes),
    )


def _notes(content: Recording, rank: str, step: int | None, cut: columns.Cut) -> list[list[Annotation]]:
    """The annotations of a part in its own time, in rows of one device each; for a step, without ProfilerSteps."""
    notes = [
        note._replace(
            start=(max(note.start, cut.origin) - cut.origin) * content.scale,
            end=(min(note.end, cut.end) - cut.origin) * content.scale,
        )
        for note in content.annotations
        if note.rank == rank and note.start < cut.end and note.end > cut.origin
        if step is None or note.step is None
    ]
    rows: list[list[Annotation]] = []
    # GPU 2 before GPU 10
    for device in sorted({note.device for note in notes}, key=lambda name: (len(name), name)):
        levels = recording.levels([note for note in notes if note.device == device])
        if len(levels) > MOST_LEVELS:
            raise TraceError(
                f"annotations: {len(levels)} are nested or overlap, and at most {MOST_LEVELS} can be drawn; "
                "name those to draw, as in annotations: [forward, backward]"
            )
        rows += levels
    return rows
