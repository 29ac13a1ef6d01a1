"""Speculative decoding: how much faster by lookahead and acceptance, or some passes as a timeline."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_types import Ge, Interval

from figmill import Drawing
from figmill.palette import TEXT, role
from figmill_timelines.bounds import hold
from figmill_timelines.charts import gantt
from figmill_timelines.models import speculation
from figmill_timelines.plots import page
from figmill_timelines.plots.plot import Axis, Plot, beside
from figmill_timelines.quantities import number, percent, plural
from figmill_timelines.titles import titled

PLAIN = "Plain decoding"
STEP = 5.2  # points: the width of the mark at a whole number
SHAPES = ("o", "s", "^", "D", "v", "P")  # of these marks, by curve


def draw(
    view: Literal["lookahead", "timeline"] = "lookahead",
    acceptance: Annotated[float, Interval(ge=0, le=1)] = 0.8,
    compare: list[Annotated[float, Interval(ge=0, le=1)]] | None = None,
    cost: Annotated[float, Interval(ge=0, le=10)] = 0.05,
    lookahead: Annotated[int, Interval(ge=0, le=100)] | None = None,
    most: Annotated[int, Interval(ge=1, le=100)] = 16,
    tokens: Annotated[int, Interval(ge=1, le=200)] = 24,
    seed: Annotated[int, Ge(0)] = 0,
    title: str = "",
) -> Drawing:
    """Facts: tokens_per_pass, speedup, operations_factor (of the lookahead), best_lookahead, best_speedup; with
    compare lists of these two, best_lookaheads, best_speedups; those of the timeline: passes, kept_drafts, drafts,
    time, speedup_here.

    acceptance: the chance that a drafted token is kept. compare: further ones, at most 5. cost: of a draft, in passes
    of the large model. lookahead: tokens drafted for each pass; by default the best one up to `most`. tokens, seed:
    of the timeline. title: what to see.
    """
    hold(draw, locals())
    if len(compare or []) > 5:
        raise ValueError("compare takes at most 5 further acceptances")
    best = speculation.best_lookahead(acceptance, cost, most)
    chosen = best if lookahead is None else lookahead
    facts = speculation.facts(acceptance, chosen, cost, most)
    if view == "timeline":
        return _timeline(acceptance, chosen, cost, (tokens, seed), facts, title)
    rates = list(dict.fromkeys([acceptance, *(compare or [])]))
    peaks = [speculation.best_lookahead(rate, cost, most) for rate in rates]
    end = max(most, chosen)
    curves = [[(g, speculation.speedup(rate, g, cost)) for g in range(end + 1)] for rate in rates]
    heading = _heading(acceptance, cost, facts, most)
    if len(rates) > 1:
        facts["best_lookaheads"] = peaks
        facts["best_speedups"] = [curve[peak][1] for peak, curve in zip(peaks, curves, strict=True)]
        heading = f"At {percent(acceptance)} accepted, {heading[0].lower()}{heading[1:]}"
    labels = [f"{percent(rate)} accepted" for rate in rates]
    canvas, top = page.start(titled(title, heading, facts), [], 288, left=46)
    across = Axis("Tokens drafted for each pass of the large model", 0, end)
    high = max(y for curve in curves for _, y in curve)
    up = Axis("Speed-up over plain decoding", 0, 1.12 * high)
    right = page.WIDTH - page.MARGIN - beside([*labels, PLAIN])
    plot = Plot(canvas, (46, top + 18, right, top + 244), across, up)
    plot.frame()
    plot.curve([(0, 1), (end, 1)], TEXT[0], 0.9, (2, 2), label=PLAIN)
    is_counted = (right - 46) / end >= 2 * STEP if end else False  # whole numbers can be told apart
    for n, (peak, label, curve) in enumerate(zip(peaks, labels, curves, strict=True)):
        colour, dash = page.stroke(n)
        plot.curve(curve, colour, 1.0 if is_counted else 1.9, dash, label, label)
        for x, y in curve if is_counted else ():
            plot.dot(x, y, colour, SHAPES[n % len(SHAPES)], STEP)
        peak_colour = role("accent").line if n == 0 else colour
        plot.dot(peak, curve[peak][1], peak_colour, SHAPES[n % len(SHAPES)], 7 if n == 0 else 6)
    noted: list[tuple[float, float]] = []
    for peak, curve in zip(peaks, curves, strict=True):  # above all curves
        place = plot.at(peak, curve[peak][1])
        if any(abs(place[0] - x) < 52 and abs(place[1] - y) < 13 for x, y in noted):
            continue  # its label would lie over another one
        noted.append(place)
        words = f"{number(curve[peak][1])} at {peak}"
        plot.note(peak, curve[peak][1], words, TEXT[0], "center", (0, -10), clear=len(rates) > 1)
    plot.write_labels()
    return Drawing(canvas.figure, facts)


def _heading(acceptance: float, cost: float, facts: dict[str, Any], most: int) -> str:
    """The title: the best lookahead, or that none pays, or that more would be better still."""
    best, faster = facts["best_lookahead"], f"{number(facts['best_speedup'])} times as fast"
    if not best:
        return "No lookahead pays: drafts cost at least what they save"
    if best == most and speculation.best_lookahead(acceptance, cost, most + 1) > most:
        return f"Up to {plural(most, 'draft')}, each one more pays: {faster}"
    return f"{plural(best, 'drafted token')} {'is' if best == 1 else 'are'} best: {faster}"


def _timeline(
    acceptance: float, lookahead: int, cost: float, what: tuple[int, int], facts: dict[str, Any], title: str
) -> Drawing:
    tokens, seed = what
    run = speculation.simulated(acceptance, lookahead, cost, tokens, seed)
    count, kept, time = run.tokens, run.tokens - len(run.passes), run.timeline.makespan
    facts |= {"passes": len(run.passes), "kept_drafts": kept, "drafts": lookahead * len(run.passes)}
    facts |= {"time": time, "speedup_here": count / time}
    panels = [
        gantt.Panel(
            speculation.plain(count),
            "Plain decoding",
            plural(count, "pass", "passes"),
        ),
        gantt.Panel(
            run.timeline,
            f"Lookahead {lookahead}",
            f"{number(count / time)} times as fast",
        ),
    ]
    axis = "Time in passes of the large model"
    claim = f"{plural(len(run.passes), 'pass', 'passes')} instead of {count} for the same tokens"
    if not lookahead:
        claim = f"Without drafts, {plural(count, 'token')} take {plural(count, 'pass', 'passes')}"
    elif count / time < 1:
        claim = f"{plural(len(run.passes), 'pass', 'passes')} instead of {count}"
        claim += f", yet {number(time / count)} times as slow"
    heading = titled(title, claim, facts)
    return Drawing(gantt.draw(panels, heading, gantt.ChartOptions(axis=axis)), facts)
