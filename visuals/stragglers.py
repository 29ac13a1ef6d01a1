"""What the slowest of n workers costs, what workers in reserve win back, or how far parallel work scales at all."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill.palette import TEXT, role
from figmill_timelines.bounds import hold
from figmill_timelines.charts.gantt import ticks
from figmill_timelines.models import stragglers as model
from figmill_timelines.plots import page
from figmill_timelines.plots.plot import Axis, Plot, beside
from figmill_timelines.quantities import number, percent, plural
from figmill_timelines.titles import titled

UP = 6  # the most steps of the y axis

Distribution = Literal["uniform", "exponential", "normal", "pareto"]


def draw(
    view: Literal["slowest", "reserve", "scaling"] = "slowest",
    workers: Annotated[int, Interval(ge=2, le=10_000)] = 64,
    distribution: Distribution = "exponential",
    spread: Annotated[float, Interval(ge=0, le=10)] = 0.2,
    compare: list[str] | None = None,
    reserve: Annotated[int, Interval(ge=0, le=1000)] = 3,
    serial: Annotated[float, Interval(ge=0, le=1)] = 0.05,
    title: str = "",
) -> Drawing:
    """Facts of slowest: expected_slowest, expected_wait, expected_with_reserve, lost_fraction, lost_with_reserve; of
    reserve: best_reserve, gain, expected_slowest; of scaling: amdahl, amdahl_limit, gustafson.

    view: how the expected slowest of n grows up to `workers`; the rate of a step that leaves some of `workers`
    unwaited for; or Amdahl and Gustafson with a share `serial`. distribution, spread: of one worker's time, mean 1,
    and its standard deviation. compare: further distributions of that spread. reserve: workers more than are waited
    for. title: what to see.
    """
    hold(draw, locals())
    if view == "scaling":
        return _scaling(workers, serial, title)
    names = dict.fromkeys([distribution, *(compare or [])])
    if view == "reserve":
        return _reserve([model.WorkerTimes(name, spread) for name in names], workers, title)
    return _slowest([model.WorkerTimes(name, spread) for name in names], workers, reserve, title)


def _slowest(times: list[model.WorkerTimes], workers: int, reserve: int, title: str) -> Drawing:
    own = times[0]
    slowest, helped = model.expected(own, workers), model.expected(own, workers, reserve)
    facts = {
        "expected_slowest": slowest,
        "expected_wait": slowest - 1,
        "expected_with_reserve": helped,
        "lost_fraction": 1 - 1 / slowest,
        "lost_with_reserve": 1 - 1 / helped,
    }
    claim = f"{workers} workers wait {percent(1 - 1 / slowest)} of each step for the slowest"
    if slowest > 2:
        claim = f"The slowest of {workers} workers takes {number(slowest)} times as long as the mean"
    heading = titled(title, claim, facts)
    names = [f"Slowest, {row.distribution}" for row in times]
    short = [row.distribution.capitalize() for row in times]
    counts = _counts(workers)
    curves = [[(n, model.expected(row, n)) for n in counts] for row in times]
    if reserve:
        names.append(f"With {reserve} in reserve, {own.distribution}")
        short.append(f"{own.distribution.capitalize()}, {reserve} in reserve")
        curves.append([(n, model.expected(own, n, reserve)) for n in counts])
    top = 1.06 * max(y for curve in curves for _, y in curve)
    low = min(0.95, *(y for curve in curves for _, y in curve))  # clear of the line of one worker
    across = Axis("Workers that a step waits for", 1, workers, log=True, text="{:.6g}".format, last=True)
    up = Axis("Mean time of a step, in means of one worker", _tick_below(low, top), top)
    labels = [f"{name} {number(curve[-1][1])}" for name, curve in zip(short, curves, strict=True)]
    plot = _plot(heading, [*labels, "One worker"], across, up)
    plot.curve([(1, 1), (workers, 1)], TEXT[0], 0.9, (2, 2), label="One worker")
    for n, (name, label, curve) in enumerate(zip(names, labels, curves, strict=True)):
        plot.curve(curve, page.stroke(n)[0], 1.9, page.stroke(n)[1], name, label)
    _bracket(plot, workers, sorted([1.0, *(curve[-1][1] for curve in curves)]), slowest)
    plot.write_labels()
    return Drawing(plot.canvas.figure, facts)


def _tick_below(low: float, high: float) -> float:
    """The start of an axis to `high`: the last of its ticks clearly below `low`, at least 0."""
    start = low
    for _ in range(4):  # a longer axis may have longer steps
        step = ticks(high - start, UP)[1]
        start = max(0.0, math.floor(low / step - 0.1) * step)
    return start


def _bracket(plot: Plot, workers: int, ends: list[float], slowest: float) -> None:
    """Mark the waiting of the slowest from 1 to `slowest`, between the curves' ends and their labels.

    ends: of all curves, in order.
    """
    (x, base), (_, top) = plot.at(workers, 1.0), plot.at(workers, slowest)
    if base - top < 24:
        return  # too little to be marked
    plot.canvas.line([(x + 3, base), (x + 7, base), (x + 7, top), (x + 3, top)], TEXT[0], 0.7)
    within = [end for end in ends if 1.0 <= end <= slowest]
    low, high = max(pairwise(within), key=lambda pair: pair[1] - pair[0])  # where no curve ends
    for row, text in enumerate(
        (f"{percent(1 - 1 / slowest)} waiting:", f"{number(slowest - 1)} of {number(slowest)}")
    ):
        plot.note(workers, (low + high) / 2, text, TEXT[0], "right", (-8, 12 * row + 5), clear=True)


def _reserve(times: list[model.WorkerTimes], workers: int, title: str) -> Drawing:
    own = times[0]
    best = model.best_reserve(own, workers)
    most = workers - 1 if best > workers // 2 else min(workers - 1, max(4, workers // 2))
    shown = sorted({most * n // 100 for n in range(101)} | {best})

    def rate(row: model.WorkerTimes, b: int) -> float:
        return (workers - b) / model.expected(row, workers - b, b)

    curves = [[(b, rate(row, b)) for b in shown] for row in times]
    gain = rate(own, best) / rate(own, 0) - 1
    facts: dict[str, Any] = {
        "best_reserve": best,
        "gain": gain,
        "expected_slowest": model.expected(own, workers),
        "expected_at_best": model.expected(own, workers - best, best),
    }
    claim = f"Waiting for all {workers} workers gives the most results"
    if best:
        more = f"gains {percent(gain)}" if gain < 1 else f"gives {number(1 + gain)} times as many results"
        claim = f"Leaving {plural(best, 'worker')} of {workers} unwaited for {more}"
    heading = titled(title, claim, facts)
    top = max(y for curve in curves for _, y in curve)
    across = Axis(f"Workers of {workers} that a step does not wait for", 0, most)
    up = Axis("Workers' results used in the time of one worker's mean step", 0, 1.1 * top)
    names = [row.distribution.capitalize() for row in times]
    labels = [f"{name} {number(curve[-1][1])}" for name, curve in zip(names, curves, strict=True)]
    plot = _plot(heading, labels, across, up)
    for n, (name, label, curve) in enumerate(zip(names, labels, curves, strict=True)):
        plot.curve(curve, page.stroke(n)[0], 1.9, page.stroke(n)[1], name, label)
    peak = rate(own, best)
    plot.dot(best, peak, role("accent").line)
    plot.note(best, peak, f"{best} left out: {number(peak)}", TEXT[0], "left", (6, -10), clear=True)
    plot.write_labels()
    return Drawing(plot.canvas.figure, facts)


def _scaling(workers: int, serial: float, title: str) -> Drawing:
    fixed, grown = model.amdahl(serial, workers), model.gustafson(serial, workers)
    facts: dict[str, Any] = {"amdahl": fixed, "gustafson": grown}
    if serial:
        facts["amdahl_limit"] = 1 / serial
    share = f"{percent(serial)} serial work"
    claim = f"{share}: {workers} workers do the same work {number(fixed)} times as fast (Amdahl)"
    if number(fixed) == "1":
        claim = f"{share}: {workers} workers do the same work hardly faster than one"
    heading = titled(title, claim, facts)
    across = Axis("Workers", 1, workers, log=True, text="{:.6g}".format, last=True)
    up = Axis("Speed-up", 1, 1.2 * workers, log=True)
    names = ["The same work (Amdahl)", "Work that grows (Gustafson)"]
    laws = [model.amdahl, model.gustafson]
    labels = [f"Amdahl {number(fixed)}", f"Gustafson {number(grown)}"]
    plot = _plot(heading, labels, across, up)
    grid = [workers ** (n / 100) for n in range(101)]
    for n, (name, label, law) in enumerate(zip(names, labels, laws, strict=True)):
        colour, dash = page.stroke(n)
        plot.curve([(x, law(serial, x)) for x in grid], colour, 1.9, dash, name, label)
    if serial and 1 / serial < 1.2 * workers:
        plot.curve([(1, 1 / serial), (workers, 1 / serial)], TEXT[0], 0.9, (2, 2))
        plot.note(
            1, 1 / serial, f"at most 1 / {number(serial)} = {number(1 / serial)}", TEXT[0], shift=(4, -8)
        )
    plot.write_labels()
    return Drawing(plot.canvas.figure, facts)


def _plot(heading: str, labels: list[str], across: Axis, up: Axis) -> Plot:
    """The axes, with room for labels at the right."""
    canvas, top = page.start(heading, [], 288, left=50)
    right = page.WIDTH - page.MARGIN - beside(labels)
    plot = Plot(canvas, (50, top + 18, right, top + 244), across, up)
    plot.frame(up=UP)
    return plot


def _counts(workers: int) -> list[int]:
    """Whole numbers from 1 to `workers`, evenly on a logarithmic axis."""
    spaced = {max(1, round(workers ** (n / 60))) for n in range(61)}
    return sorted(n for n in spaced | {1, 2, 3, workers} if n <= workers)
