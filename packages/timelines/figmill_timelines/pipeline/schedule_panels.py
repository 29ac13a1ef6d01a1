"""Simulated pipeline schedules as panels of a figure, with their text and numbers.

This module connects `schedules`, which knows nothing of figures, with `gantt`, which knows nothing of schedules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from figmill_timelines import quantities
from figmill_timelines.bounds import whole
from figmill_timelines.charts import looks
from figmill_timelines.charts.gantt import Curve, Panel
from figmill_timelines.pipeline import activations, schedules
from figmill_timelines.quantities import percent
from figmill_timelines.spans import Timeline

# The legend's name where one schedule splits the backward and another does not.
HALVED = {"Backward / Input gradients": "Backward, or its input gradient"}
NAMED = 5  # kinds of spans whose lengths an axis names at most

# Schedules whose odd chunks run up the pipeline; in others they are a device's second chunk.
UPWARDS = frozenset({"dualpipe", "chimera", "chimera-doubling"})


def panel(
    schedule: str,
    timeline: Timeline,
    facts: Mapping[str, Any],
    devices: Sequence[int] = (),
    compared: bool = False,
) -> Panel:
    """One schedule with its name and bubble, and the activations that `devices` hold over time.

    compared: it stands beside other schedules, whose cells are not as many, so the bubble is in percent.
    """
    curves = tuple(
        Curve(
            f"live, GPU {device}",
            ((0.0, 0), *activations.live(timeline, device)),
            f"live, GPU {device}: {_count(facts['peak_activations'][device])}",
        )
        for device in devices
    )
    row = schedules.named(schedule)
    name = f"{row.title} (weights ×2)" if schedule in UPWARDS else row.title
    note = f"{_percent(facts)} idle" if compared else bubble(timeline, facts)
    return Panel(timeline, name, note, curves, upward=schedule in UPWARDS)


def _count(peak: int) -> str:
    return f"at most {peak} activation{'s' if peak > 1 else ''}"


def bubble(timeline: Timeline, facts: Mapping[str, Any]) -> str:
    """`24 of 56 cells idle` if each cell takes one unit of time and they are few; else in units, or in percent.

    `36 of 132 units of time idle`: a cell takes several, and is drawn once. `9.1% idle`: the units cannot be counted.
    """
    if _is_countable(facts):
        each = "cells" if all(span.end - span.start == 1 for span in timeline.spans) else "units of time"
        return f"{facts['idle_time']:g} of {facts['device_time']:g} {each} idle"
    return f"{share(facts)} idle"


def share(facts: Mapping[str, Any]) -> str:
    """The bubble as a small fraction, `3/7`, if its units of time can be counted; else in percent."""
    if _is_countable(facts):
        fraction = Fraction(int(facts["idle_time"]), int(facts["device_time"]))
        if fraction.denominator <= 30:
            return str(fraction)
    return _percent(facts)


def _percent(facts: Mapping[str, Any]) -> str:
    share = facts["bubble_fraction"]
    return percent(share) if share < 0.0005 else quantities.tenths(share)


def _is_countable(facts: Mapping[str, Any]) -> bool:
    idle, area = facts["idle_time"], facts["device_time"]
    whole = all(value == int(value) for value in (idle, area, facts["makespan"]))
    return bool(whole and 0 < area < 200 and idle > 0)


def same_work(
    names: Sequence[str], chunks: int | None, times: Mapping[str, Any]
) -> list[tuple[int | None, dict[str, Any]]]:
    """The chunks and times of each schedule, chosen so that a device does the same work in all of them.

    times: of a stage of the first schedule. A schedule with more chunks on a device has stages shorter in
    proportion; lists of one entry for each stage do not change. If any schedule splits the backward and
    no backward is given, its halves are as long as a forward in all schedules.
    """
    rows = [schedules.named(name) for name in names]
    given = dict(times)
    backwards = ("backward", "backward_input", "backward_weight")
    if any(row.splits for row in rows) and all(given[name] is None for name in backwards):
        given["backward_input"] = given["backward_weight"] = given["forward"]
    counts = [row.chunks or chunks or 2 for row in rows]
    return [
        (
            None if row.chunks else chunks,
            {
                name: value if name == "p2p" else _shortened(value, counts[0], count)
                for name, value in given.items()
            },
        )
        for row, count in zip(rows, counts, strict=True)
    ]


def _shortened(value: Any, first: int, count: int) -> Any:
    """The time of one of `first` chunks, converted to one of `count` chunks; anything but a usable time stays."""
    usable = isinstance(value, int | float) and abs(value) <= schedules.LONGEST
    return value * first / count if usable and first != count else value


def check(names: Sequence[str], chunks: int | None, group: int | None = None) -> None:
    """ValueError if a schedule is compared with itself, or if `chunks` or `group` applies to none of them."""
    for number, name in enumerate(names):
        if name in names[:number]:
            raise ValueError(f"compare: '{name}' is drawn already")
    rows = {name: schedules.named(name) for name in names}
    if group is not None and not any(row.grouped for row in rows.values()):
        raise ValueError(
            f"group has no meaning for {', '.join(names)}; it is for {', '.join(schedules.GROUPED)}"
        )
    if chunks is None:
        return
    whole(1, 16, chunks=chunks)
    if not any(row.chunks in (None, chunks) for row in rows.values()):
        open_to = ", ".join(name for name, row in schedules.SCHEDULES.items() if row.chunks is None)
        raise ValueError(f"chunks has no meaning for {', '.join(names)}; it is for {open_to}")


def hollow(names: Sequence[str], chunks: int | None) -> str:
    """The legend's name for hollow cells in a figure of these schedules."""
    chunk = "odd chunk" if (chunks or 2) > 2 else "second chunk"
    several = any(name not in UPWARDS and schedules.named(name).chunks != 1 for name in names)
    return chunk.capitalize() if several else ""


def scale(timelines: Sequence[Timeline], unit: str) -> tuple[float, str]:
    """The factor for times on the axis of these timelines, and the unit of the axis."""
    return quantities.rescaled(max((t.makespan for t in timelines), default=0.0), unit)


def _doubles(timeline: Timeline) -> bool:
    """Whether two spans that share a lane are two microbatches in one forward, not a forward with a backward."""
    return any(span.row == 2 and span.kind == "forward" for span in timeline.spans)


def axis(
    timelines: Sequence[Timeline], p2p: float, unit: str, shown: Sequence[Timeline] | None = None
) -> str:
    """The axis with the length of each kind of span, if these are few: `Time (forward = 1, backward = 2)`.

    shown: all timelines on the axis, if there are more than those whose spans are named.
    """
    factor, unit = scale(shown or timelines, unit)
    lengths: dict[str, set[float]] = {}
    for timeline in timelines:
        pair = "forward of two" if _doubles(timeline) else "overlapped pair"
        for span in timeline.spans:
            kind = pair if span.row else looks.of(span.kind).label.lower().replace(",", "")
            lengths.setdefault(kind, set()).add((span.end - span.start) * factor)
    label = f"Time in {unit}" if unit else "Time"
    texts = {kind: {quantities.count(length) for length in same} for kind, same in lengths.items()}
    texts |= {"transfer": {quantities.count(p2p * factor)}} if p2p else {}
    if len(texts) > NAMED or any(len(same) > 1 for same in texts.values()):
        return label
    return f"{label} ({', '.join(f'{kind} = {text}' for kind, (text,) in texts.items())})"
