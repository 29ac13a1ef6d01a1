"""How far apart checkpoints should be, and jobs that crash and recover, as timelines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Annotated, Any, Literal

from annotated_types import Ge, Interval

from figmill import Drawing
from figmill.palette import TEXT
from figmill_timelines.bounds import hold
from figmill_timelines.charts import gantt
from figmill_timelines.charts.canvas import SMALL, text_width
from figmill_timelines.models import failures as model
from figmill_timelines.models import repeated
from figmill_timelines.plots import page
from figmill_timelines.plots.plot import Axis, Plot, beside
from figmill_timelines.quantities import duration, durations, number, percent, plural
from figmill_timelines.spans import Span, Timeline
from figmill_timelines.titles import titled

BOTH = "work and checkpoints"


def draw(
    view: Literal["interval", "timeline"] = "interval",
    node_mtbf_h: Annotated[float, Interval(ge=1e-3, le=1e9)] = 24_576,
    nodes: Annotated[int, Interval(ge=1, le=10_000_000)] = 1024,
    compare: list[Annotated[int, Interval(ge=1, le=10_000_000)]] | None = None,
    checkpoint_s: Annotated[float, Interval(ge=1e-3, le=1e7)] = 120,
    restart_s: Annotated[float, Interval(ge=0, le=1e7)] = 480,
    intervals_s: list[Annotated[float, Interval(ge=1e-3, le=1e9)]] | None = None,
    work_h: Annotated[float, Interval(ge=1e-3, le=1e6)] = 12,
    seed: Annotated[int, Ge(0)] = 0,
    title: str = "",
    narrow: bool = False,
) -> Drawing:
    """Facts: mtbf_s, young_s, daly_s, best_s, lost_young, lost_daly, lost_best; those of each number of nodes in
    `compare` end in it. Of the timeline also failures, wall_s, lost_work_s, checkpoints_s, restarts_s,
    checkpoints_fraction, lost_here, expected_here (the mean of such jobs) and interval_s of the first interval, and of
    the others with _1, _2 ... behind them; runs, lost_here_low and lost_here_high: between them lie 95 % of so many
    jobs with other crashes.

    node_mtbf_h: hours between failures of one node. nodes: the system fails as often as all of them. compare: more
    numbers of nodes, at most 5, for the view of intervals. intervals_s: of the timeline, at most 5; by default Daly's,
    a third and six times of it. work_h: of the job, in the timeline. title: what to see.
    narrow: the timeline is as wide as a phone.
    """
    hold(draw, locals())
    machine = model.FailureModel(checkpoint_s, restart_s, 3600 * node_mtbf_h / nodes)
    facts = model.facts(machine)
    if len(compare or []) > 5 or len(intervals_s or []) > 5:
        raise ValueError("compare and intervals_s take at most 5 entries")
    if view == "timeline":
        return _timeline(machine, intervals_s, work_h * 3600, seed, facts, title, gantt.width(narrow))
    rows = [machine]
    for other in compare or []:
        rows.append(model.FailureModel(checkpoint_s, restart_s, 3600 * node_mtbf_h / other))
        facts |= {f"{key}_{other}": value for key, value in model.facts(rows[-1]).items()}
    numbers = [nodes, *(compare or [])]
    claim = f"{plural(nodes, 'node')}: a checkpoint every {duration(facts['best_s'])} loses least"
    if facts["lost_best"] > 0.999:
        claim = f"{plural(nodes, 'node')}: with any interval, almost all time is lost"
    heading = titled(title, claim, facts)
    names = [
        f"{plural(n, 'node')}, a failure every {duration(row.mtbf)}"
        for n, row in zip(numbers, rows, strict=True)
    ]
    labels = [plural(n, "node") for n in numbers]
    best = [model.best(row) for row in rows]
    low, high = min(best) / 12, max(best) * 12
    factor, unit = _unit(math.sqrt(low * high))
    canvas, top = page.start(heading, [], 306, left=50)
    across = Axis(f"Computing between two checkpoints, in {unit}", low / factor, high / factor, log=True)
    most = min(1.0, 2.6 * max(model.lost(row, t) for row, t in zip(rows, best, strict=True)) + 0.02)
    up = Axis(
        "Time lost to checkpoints, crashes and restarts",
        0,
        most,
        unit="%",
        scale=100,
        text=lambda v: f"{number(100 * v)}%",
    )
    right = page.WIDTH - page.MARGIN - beside(labels)
    plot = Plot(canvas, (50, top + 18, right, top + 252), across, up)
    plot.frame()
    noted: list[tuple[float, float]] = []
    for n, row in enumerate(rows):
        grid = [low * (high / low) ** (k / 160) for k in range(161)]
        colour, dash = page.stroke(n)
        points = [(t / factor, model.lost(row, t)) for t in grid]
        plot.curve(points, colour, 1.9, dash, names[n], labels[n])
        plot.dot(model.young(row) / factor, model.lost(row, model.young(row)), TEXT[0], "s", 6)
        plot.dot(model.daly(row) / factor, model.lost(row, model.daly(row)), TEXT[0], "o", 6)
    for row, least in zip(rows, best, strict=True):  # above all curves
        place = plot.at(least / factor, model.lost(row, least))
        if any(abs(place[0] - x) < 120 and abs(place[1] - y) < 12 for x, y in noted):
            continue  # its label would lie over another one
        noted.append(place)
        words = f"{percent(model.lost(row, least))} at {duration(least)}"
        below = 12 if place[1] + 18 < plot.box[3] else -12
        plot.note(least / factor, model.lost(row, least), words, TEXT[0], "center", (0, below), clear=True)
    words = "■ Young   ● Daly"
    plot.write_labels(key_end=right - text_width(words, SMALL) - 18)
    canvas.text(right, top + 7, words, SMALL, TEXT[0], align="right")
    return Drawing(canvas.figure, facts)


def _timeline(
    machine: model.FailureModel,
    given: list[float] | None,
    work: float,
    seed: int,
    facts: dict[str, Any],
    title: str,
    width: float,
) -> Drawing:
    middle = model.daly(machine)
    intervals = given or [middle, middle / 3, middle * 6]
    named = durations(intervals)
    panels, shares, counts = list[tuple[float, gantt.Panel]](), list[float](), list[int]()
    factor, unit = _unit(work / 2)
    for n, interval in enumerate(intervals):
        if work / interval > 20_000:
            raise ValueError(f"{work / interval:.0f} checkpoints are too many to draw; lengthen the interval")
        run = model.simulated(machine, work, interval, seed)
        stated = model.run_facts(run, work)
        stated["interval_s"] = interval
        stated["expected_here"] = 1 - work / model.expected(machine, work, interval)
        again = partial(_again, machine, work, interval)
        stated |= repeated.intervals(again, repeated.seeds(seed, round(work / interval)), ["lost_here"])
        shares.append(stated["lost_here"])
        counts.append(stated["failures"])
        facts |= {f"{key}_{n}" if n else key: value for key, value in stated.items()}
        spans = tuple(s._replace(start=s.start / factor, end=s.end / factor) for s in run.timeline.spans)
        shown = Timeline(("Job",), spans, (), unit)
        note = f"{percent(stated['lost_here'])} lost"
        name, above = f"A checkpoint every {named[n]}", _repeated(shown.spans)
        panels.append((interval, gantt.Panel(shown, name, note, above=above)))
    least = named[min(range(len(shares)), key=shares.__getitem__)]
    claim = f"{_crashes(counts)}: a checkpoint every {least} loses least"
    if len(shares) == 1:
        claim = f"{_crashes(counts)}: {percent(shares[0])} of the time is lost"
    elif max(shares) - min(shares) < 1e-9:
        claim = f"{_crashes(counts)}: all intervals lose the same, {percent(shares[0])}"
    heading = titled(title, claim, facts)
    if given is None:
        panels.sort(key=lambda panel: panel[0])
    shown = _with_sums([panel for _, panel in panels], width)
    options = gantt.ChartOptions(width=width, axis=f"Time in {unit}")
    return Drawing(gantt.draw(shown, heading, options), facts)


def _repeated(spans: Sequence[Span]) -> tuple[tuple[float, str], ...]:
    """Where crashes during a restart start it again: the middle of the restarts, and how many crashes these are."""
    rows = [list(row) for kind, row in groupby(spans, key=lambda span: span.kind) if kind == "restart"]
    return tuple(((row[0].start + row[-1].end) / 2, f"{len(row)} crashes") for row in rows if len(row) > 1)


def _with_sums(panels: list[gantt.Panel], width: float) -> list[gantt.Panel]:
    """The panels, each with a second lane that sums up its time by kind if any checkpoint would be thinner than 3 px.

    Such checkpoints and the work between them have one colour in the first lane; the second one tells them apart.
    """
    end = max(panel.timeline.makespan for panel in panels)
    checkpoints = [
        span.end - span.start
        for panel in panels
        for span in panel.timeline.spans
        if span.kind == "checkpoint"
    ]
    if min(checkpoints, default=end) / end * width * 72 >= 2.25:
        return panels
    return [replace(panel, timeline=_summed(panel.timeline)) for panel in panels]


def _summed(timeline: Timeline) -> Timeline:
    """The spans with work and checkpoints joined, and below them the time of each kind, end to end."""
    spans: list[Span] = []
    for span in timeline.spans:
        kind = BOTH if span.kind in ("work", "checkpoint") else span.kind
        if spans and kind == spans[-1].kind == BOTH:
            spans[-1] = spans[-1]._replace(end=span.end)
        else:
            spans.append(span._replace(kind=kind))
    now = 0.0
    for kind in ("work", "checkpoint", "lost work", "restart"):
        length = math.fsum(span.end - span.start for span in timeline.spans if span.kind == kind)
        if length:
            spans.append(Span(1, now, now + length, kind))
            now += length
    return replace(timeline, lanes=("Job", "In sum"), spans=tuple(spans))


def _again(machine: model.FailureModel, work: float, interval: float, seed: int) -> dict[str, Any]:
    """The facts of a job that meets other crashes."""
    return model.run_facts(model.simulated(machine, work, interval, seed), work)


def _crashes(counts: list[int]) -> str:
    """How many crashes the runs meet: a longer one meets more of the same."""
    low, high = min(counts), max(counts)
    if not high:
        return "No crash"
    return plural(high, "crash", "crashes") if low == high else f"{low} to {high} crashes"


def _unit(seconds: float) -> tuple[float, str]:
    """A unit, in seconds, in which such times are easy to read."""
    return (3600.0, "h") if seconds >= 3600 * 2 else (60.0, "min") if seconds >= 60 else (1.0, "s")
