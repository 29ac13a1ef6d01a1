"""What the slowest of n workers costs, what workers in reserve win back, or how far parallel work scales at all."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill.palette import TEXT, role
from figmill_timelines.bounds import hold
from figmill_timelines.models import stragglers as model
from figmill_timelines.plots import page
from figmill_timelines.plots.plot import Axis, Plot
from figmill_timelines.quantities import number, percent, plural
from figmill_timelines.titles import titled

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
    """Facts of slowest: expected_slowest, expected_with_reserve, lost_fraction, lost_with_reserve; of reserve:
    best_reserve, gain, expected_slowest; of scaling: amdahl, amdahl_limit, gustafson.

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
        "expected_with_reserve": helped,
        "lost_fraction": 1 - 1 / slowest,
        "lost_with_reserve": 1 - 1 / helped,
    }
    claim = f"{workers} workers wait {percent(1 - 1 / slowest)} of each step for the slowest"
    if slowest > 2:
        claim = f"The slowest of {workers} workers takes {number(slowest)} times as long as the mean"
    heading = titled(title, claim, facts)
    names = [f"Slowest, {row.distribution}" for row in times]
    counts = _counts(workers)
    curves = [[(n, model.expected(row, n)) for n in counts] for row in times]
    if reserve:
        names.append(f"With {reserve} in reserve, {own.distribution}")
        curves.append([(n, model.expected(own, n, reserve)) for n in counts])
    top = max(y for curve in curves for _, y in curve)
    low = min(1.0, *(y for curve in curves for _, y in curve))
    across = Axis("Workers that a step waits for", 1, workers, log=True)
    up = Axis("Mean time of a step, in means of one worker", low if low < 0.98 else 0.9, 1.06 * top)
    plot, figure = _plot(heading, names, across, up)
    plot.curve([(1, 1), (workers, 1)], TEXT[0], 0.9, (2, 2))
    for n, curve in enumerate(curves):
        plot.curve(curve, page.stroke(n)[0], 1.9, page.stroke(n)[1])
    ends = [(curve[-1][1], number(curve[-1][1])) for curve in curves]
    plot.labels([*ends, (1.0, "one worker")])
    return Drawing(figure, facts)


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
    plot, figure = _plot(heading, [row.distribution.capitalize() for row in times], across, up)
    for n, curve in enumerate(curves):
        plot.curve(curve, page.stroke(n)[0], 1.9, page.stroke(n)[1])
    peak = rate(own, best)
    plot.dot(best, peak, role("accent").line)
    plot.note(best, peak, f"{best} left out: {number(peak)}", TEXT[0], "left", (6, -10), clear=True)
    plot.labels([(curve[-1][1], number(curve[-1][1])) for curve in curves])
    return Drawing(figure, facts)


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
    across = Axis("Workers", 1, workers, log=True)
    up = Axis("Speed-up", 1, 1.2 * workers, log=True)
    names = ["Ideal", "Work that grows (Gustafson)", "The same work (Amdahl)"]
    laws = [lambda n: float(n), lambda n: model.gustafson(serial, n), lambda n: model.amdahl(serial, n)]
    plot, figure = _plot(heading, names, across, up)
    grid = [workers ** (n / 100) for n in range(101)]
    for n, law in enumerate(laws):
        plot.curve([(x, law(x)) for x in grid], page.stroke(n)[0], 1.9, page.stroke(n)[1])
    ends = [(float(workers), f"{workers}"), (grown, number(grown)), (fixed, number(fixed))]
    if serial and 1 / serial < 1.2 * workers:
        plot.curve([(1, 1 / serial), (workers, 1 / serial)], TEXT[0], 0.9, (2, 2))
        plot.note(
            1, 1 / serial, f"at most 1 / {number(serial)} = {number(1 / serial)}", TEXT[0], shift=(4, -8)
        )
    plot.labels(ends)
    return Drawing(figure, facts)


def _plot(heading: str, names: list[str], across: Axis, up: Axis) -> tuple[Plot, Any]:
    keys = [page.Key(name, None, *page.stroke(n)) for n, name in enumerate(names)]
    canvas, top = page.start(heading, keys, 288, left=50)
    plot = Plot(canvas, (50, top + 18, page.WIDTH - page.MARGIN - 56, top + 244), across, up)
    plot.frame()
    return plot, canvas.figure


def _counts(workers: int) -> list[int]:
    """Whole numbers from 1 to `workers`, evenly on a logarithmic axis."""
    spaced = {max(1, round(workers ** (n / 60))) for n in range(61)}
    return sorted(n for n in spaced | {1, 2, 3, workers} if n <= workers)
