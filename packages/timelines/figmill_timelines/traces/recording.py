"""The content of a file before it becomes timelines: columns of spans, lanes, annotations, samples of counters."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from figmill_timelines.traces.columns import Columns

_STEP = re.compile(r"ProfilerStep#(\d+)$")

Samples = Mapping[str, Sequence[tuple[float, float]]]  # counter -> (time, value)


class RecordedLane(NamedTuple):
    """A lane of the columns.

    - device: what works in it; a device is idle only while none of its lanes works.
    - rank: if there are several files, the one of this lane.
    """

    key: Hashable
    name: str
    device: str
    rank: str = ""


class Annotation(NamedTuple):
    """A named stretch of a device's time that is not work: a ProfilerStep, or a name of record_function.

    - number: the same for all streams that worked for it; None if it is not known.
    """

    name: str
    start: float
    end: float
    device: str
    rank: str = ""
    number: Hashable = None

    @property
    def step(self) -> int | None:
        """The number of a ProfilerStep; None for any other annotation."""
        match = _STEP.match(self.name)
        return int(match[1]) if match else None


@dataclass(frozen=True, slots=True)
class Recording:
    """Lanes in the order of the figure, and what belongs to them. A time t of the columns is t x scale in `unit`.

    - annotations, counters: their times count from the columns' base, too.
    - gpus: the devices whose lanes are streams of GPUs.
    """

    columns: Columns
    lanes: tuple[RecordedLane, ...]
    scale: float = 1.0
    unit: str = "ms"
    gpus: frozenset[str] = frozenset()
    annotations: tuple[Annotation, ...] = ()
    counters: Mapping[str, Samples] = field(default_factory=dict)  # of each rank
    events: int = 0
    damage: str = ""

    @property
    def ranks(self) -> tuple[str, ...]:
        """The ranks, in the order of their lanes; one without a name if there is one file."""
        return tuple(dict.fromkeys(lane.rank for lane in self.lanes))


def steps(annotations: Sequence[Annotation]) -> dict[int, tuple[float, float]]:
    """When each ProfilerStep begins and ends, over all streams and ranks.

    It ends where the next one begins; the last one of a sequence ends at its own end.
    """
    spans: dict[int, tuple[float, float]] = {}
    for note in annotations:
        if note.step is not None:
            start, end = spans.get(note.step, (note.start, note.end))
            spans[note.step] = (min(start, note.start), max(end, note.end))
    ordered = dict(sorted(spans.items()))
    return {
        number: (start, ordered[number + 1][0] if number + 1 in ordered else end)
        for number, (start, end) in ordered.items()
    }


def levels(annotations: Sequence[Annotation]) -> list[list[Annotation]]:
    """Annotations of one device in rows, top to bottom, without overlaps; the enclosing ones are above.

    An annotation that several streams worked for is drawn once, from its first work to its last.
    """
    whole: dict[Hashable, Annotation] = {}
    for number, note in enumerate(annotations):
        key = (note.name, number if note.number is None else (note.number,))
        earlier = whole.get(key, note)
        whole[key] = note._replace(start=min(earlier.start, note.start), end=max(earlier.end, note.end))
    rows: list[list[Annotation]] = []
    for note in sorted(whole.values(), key=lambda note: (note.start, -note.end, note.name)):
        for row in rows:
            if row[-1].end <= note.start:
                row.append(note)
                break
        else:
            rows.append([note])
    return rows
