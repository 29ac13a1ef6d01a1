"""Timelines as text, one line for each lane. Tests use it, since someone who knows the subject can check it by eye."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from math import gcd

from figmill_timelines.spans import Span, Timeline

_LETTERS = {"forward": "F", "backward": "B", "backward_input": "D", "backward_weight": "W"}


def ascii(timeline: Timeline, tick: float | None = None) -> str:  # noqa: A001 - the word for it
    """Text with a column for each `tick` of time, `..` where a lane is idle.

    By default, a tick is the longest that divides all times. `F0` is the forward of microbatch 0 and `B0` its backward;
    `D0` and `W0` are the halves of a split backward. `F0'` belongs to the second chunk or direction. `F3+B1` run
    together.
    """
    columns = Fraction(tick).limit_denominator(10**6) if tick else _common(timeline)
    count = int(Fraction(timeline.makespan).limit_denominator(10**6) / columns) if columns else 0
    rows = [[""] * count for _ in timeline.lanes]
    for span in timeline.spans:
        first, last = (
            int(Fraction(time).limit_denominator(10**6) / columns) for time in (span.start, span.end)
        )
        for column in range(first, last):
            before = rows[span.lane][column]
            rows[span.lane][column] = f"{before}+{_name(span)}" if before else _name(span)
    width = max((len(cell) for row in rows for cell in row), default=0)
    width = max(width, 2)
    lines = (" ".join((cell or "." * width).ljust(width) for cell in row).rstrip() for row in rows)
    return "".join(f"{line}\n" for line in lines)


def _name(span: Span) -> str:
    return _LETTERS.get(span.kind, span.kind[:1]) + span.label + "'" * span.chunk


def _common(timeline: Timeline) -> Fraction:
    """The longest tick that divides all times."""
    times = {
        Fraction(time).limit_denominator(10**6) for span in timeline.spans for time in (span.start, span.end)
    }
    return reduce(
        lambda a, b: Fraction(
            gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator
        ),
        times,
        Fraction(0),
    )
