"""Nine what-ifs of data loading: fetches of equal length, fetches that begin together, and both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, count
from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill_timelines.bounds import hold
from figmill_timelines.charts import gantt, stall_chart
from figmill_timelines.files import beside
from figmill_timelines.quantities import plural, significant, time
from figmill_timelines.titles import titled
from figmill_timelines.training import stall_table, stalls

NAMED = {"Compute": "Training and exchange"}


def draw(
    source: str = "stalls.csv",
    view: Literal["sweep", "timeline"] = "sweep",
    fetch_align: Literal["none", "min", "mean"] = "none",
    start_align: Literal["none", "min", "midrange"] = "none",
    carry: bool = False,
    depth: Annotated[int, Interval(ge=1, le=64)] = 2,
    skip: Annotated[int, Interval(ge=0, le=10_000)] = 10,
    batch: Annotated[int, Interval(ge=1, le=1_000_000)] = 32,
    steps: Annotated[int, Interval(ge=1, le=40)] = 8,
    title: str = "",
    narrow: bool = False,
) -> Drawing:
    """Facts: those of the chosen scenario (iteration_mean, stall_mean, delay_mean, effective_delay_percent, ...);
    in the sweep, iteration_mean_<fetch>_<start> of all nine, the measured ones (iteration_mean_measured, ...) and
    model_error_percent. In the timeline, the plain names are of the drawn steps, those with _all of all steps,
    steps_delayed is the number of delayed ones, and delay_longest the longest delay.

    source: a table in data/ or beside this script, or a folder of them. view: all nine scenarios, or one as a
    timeline of its first `steps` after `skip`. fetch_align, start_align: the scenario. carry: delays carry over, with
    a prefetch queue of `depth` batches. batch: samples for each GPU and step. title: what to see.
    narrow: the timeline is as wide as a phone.
    """
    hold(draw, locals())
    table = stall_table.read(beside(__file__, source))
    scenario = stalls.Scenario(fetch_align, start_align, carry, depth)
    if view == "timeline":
        return timeline(table, scenario, skip, batch, steps, title, gantt.width(narrow))
    sweep = stalls.sweep(table, carry=carry, depth=depth, skip=skip, batch=batch)
    measured = stalls.facts(stalls.measured(table), skip, batch)
    plain = sweep["none", "none"]
    stated: dict[str, Any] = dict(sweep[fetch_align, start_align])
    for (fetch, start), facts in sweep.items():
        stated[f"iteration_mean_{fetch}_{start}"] = facts["iteration_mean"]
    for name in ("iteration_mean", "stall_mean", "slowest_stall_mean", "samples_per_s"):
        stated[f"{name}_measured"] = measured[name]
    miss = stated["model_error_percent"] = stalls.miss(plain, measured)
    best = min(facts["iteration_mean"] for facts in sweep.values())
    saved = stated["saved_at_best"] = 1 - best / plain["iteration_mean"]
    written = stall_chart.ColumnFormat.of(sweep, measured if carry else None)
    before, after = written.text(plain["iteration_mean"]), written.text(best)
    wish = stall_chart.wish(sweep, written)
    heading = f"{wish} would cut the step from {before} to {after} {written.unit}"
    if saved < 0.005 or before == after:
        heading = "Fetches of equal length would save nothing"
    if not carry:
        return Drawing(stall_chart.draw(sweep, titled(title, heading, stated)), stated)
    amount = f"makes the measured step {significant(abs(miss), 2)}% too {'long' if miss > 0 else 'short'}"
    verdict = amount if abs(miss) >= 0.05 else "reproduces the measured step"
    note = f"The model, with queues of {plural(depth, 'batch', 'batches')}, {verdict}"
    if abs(miss) > 10:
        heading = "This model does not fit the measured steps"
        note += ", too far off to go by"
    return Drawing(stall_chart.draw(sweep, titled(title, heading, stated), measured, note), stated)


def timeline(
    table: stalls.StallTable,
    scenario: stalls.Scenario,
    skip: int,
    batch: int,
    steps: int,
    title: str,
    width: float,
) -> Drawing:
    """`steps` steps of one scenario after the first `skip`, and their own means."""
    count = len(table.steps)
    if skip + steps > count:
        raise ValueError(
            f"skip {skip} and steps {steps} need {skip + steps} steps, but the table has {count};"
            f" after skip {skip} there are {max(0, count - skip)}"
        )
    replayed = stalls.replay(table, scenario)
    drawn = replayed[skip : skip + steps]
    facts = stalls.facts(drawn, 0, batch, least=1)
    stated = facts | {
        f"{name}_all": value for name, value in stalls.facts(replayed, skip, batch, least=1).items()
    }
    stated |= {"steps_drawn": steps, "steps_in_table": count}
    delayed = stated["steps_delayed"] = round(steps * facts["effective_delay_percent"] / 100)
    verb = "is" if delayed == 1 else "are"
    heading = f"{delayed or 'None'} of {plural(steps, 'step')} {verb} delayed by more than 30 ms"
    as_it_was = (scenario.fetch, scenario.start, scenario.carry) == ("none", "none", False)
    numbers = f"{skip} to {skip + steps - 1}" if steps > 1 else str(skip)
    name = (
        f"{'Measured' if as_it_was else 'Modelled'}: {'steps' if steps > 1 else 'step'} {numbers} of {count}"
    )
    longest = stated["delay_longest"] = max(max(step.stall) - min(step.stall) for step in drawn)
    note = f"longest delay {time(longest, 's')}"
    drawn_steps = stalls.to_timeline(table, replayed, skip, steps)
    panel = gantt.Panel(drawn_steps, name, note, bands=(_steps(drawn, skip),))
    options = gantt.ChartOptions(
        width=width, axis="Time in ms", idle="Waits for another GPU", numbered="Steps", named=NAMED
    )
    return Drawing(gantt.draw([panel], titled(title, heading, stated), options), stated)


def _steps(steps: Sequence[stalls.ReplayedStep], first: int) -> gantt.Band:
    """The steps by number, each from the start of its stalls to the end of its exchange."""
    ends = list(accumulate((1000 * step.iteration for step in steps), initial=0.0))
    names = (str(number) for number in count(first))
    return gantt.Band("Step", tuple(zip(ends, ends[1:], names, strict=False)))
