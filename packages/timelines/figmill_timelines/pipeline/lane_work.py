"""The input and the output of every set of rules for filling the bubbles of one device."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from figmill_timelines.pipeline.kfac import Work
from figmill_timelines.spans import Span


@dataclass(frozen=True, slots=True)
class FillingTask:
    """One device's bubbles in one step, and its own work with the place of each piece in the list of all work.

    - step: the length of a step.
    - margin: the free time to leave after a piece, as a share of the piece's length.
    - stale: all data exists from the start.
    """

    bubbles: tuple[Span, ...]
    work: tuple[tuple[int, Work], ...]
    step: float
    margin: float
    stale: bool


@dataclass(frozen=True, slots=True)
class FilledLane:
    """One device's work with its times.

    - inside: in bubbles, over all steps.
    - left: outside of bubbles, from 0 on.
    """

    inside: list[Span]
    left: list[Span]
    steps: int


def in_line(work: Iterable[Work]) -> list[Span]:
    """The pieces one after the other, from 0 on."""
    spans, now = [], 0.0
    for item in work:
        spans.append(Span(item.lane, now, now + item.duration, item.kind, item.label))
        now += item.duration
    return spans
