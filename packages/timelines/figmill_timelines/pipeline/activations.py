"""The activations that a device holds over time, counted on the spans that are drawn.

An activation lives from the start of its forward to the end of its backward. If the backward is split, it lives
to the end of the weight gradient.
"""

from __future__ import annotations

from collections.abc import Iterable

from figmill_timelines.spans import Span, Timeline

_RELEASES = frozenset({"backward", "backward_weight"})


def live(timeline: Timeline, lane: int) -> tuple[tuple[float, int], ...]:
    """The steps (time, activations held from then on) of one lane, sorted by time."""
    return _steps(span for span in timeline.spans if span.lane == lane)


def peaks(timeline: Timeline) -> list[int]:
    """The largest number of activations that each lane holds at once."""
    lanes: list[list[Span]] = [[] for _ in timeline.lanes]
    for span in timeline.spans:
        lanes[span.lane].append(span)
    return [max((held for _, held in _steps(spans)), default=0) for spans in lanes]


def _steps(spans: Iterable[Span]) -> tuple[tuple[float, int], ...]:
    """The steps of the count. An activation released just when another is created makes no step."""
    changes: dict[float, int] = {}
    for span in spans:
        if span.kind == "forward":
            changes[span.start] = changes.get(span.start, 0) + 1
        elif span.kind in _RELEASES:
            changes[span.end] = changes.get(span.end, 0) - 1
    held = 0
    steps = []
    for time in sorted(changes):
        held += changes[time]
        if changes[time]:
            steps.append((time, held))
    return tuple(steps)
