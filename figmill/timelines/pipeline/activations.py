"""How many activations a device holds over time, counted on the spans as drawn.

An activation lives from the start of its forward to the end of its backward, or of its weight gradient
where that runs by itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from figmill.timelines.spans import Span, Timeline

_RELEASES = frozenset({"backward", "backward_weight"})


def live(timeline: Timeline, lane: int) -> tuple[tuple[float, int], ...]:
    """The steps (time, activations held from then on) of one lane, in order of time."""
    return _steps(span for span in timeline.spans if span.lane == lane)


def peaks(timeline: Timeline) -> list[int]:
    """The most activations that each lane holds at once."""
    lanes: list[list[Span]] = [[] for _ in timeline.lanes]
    for span in timeline.spans:
        lanes[span.lane].append(span)
    return [max((held for _, held in _steps(spans)), default=0) for spans in lanes]


def _steps(spans: Iterable[Span]) -> tuple[tuple[float, int], ...]:
    """Where one is released at the very moment at which another is taken, neither is counted twice."""
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
