"""Nine what-ifs of data loading: fetches of equal length, fetches that begin together, and both."""

from __future__ import annotations

from typing import Any, Literal

from figmill import Drawing
from figmill.timelines import gantt, stallchart, stalls, stalltable
from figmill.timelines.bounds import within
from figmill.timelines.files import beside


def draw(
    source: str = "stalls.csv",
    view: Literal["sweep", "timeline"] = "sweep",
    fetch_align: Literal["none", "min", "mean"] = "none",
    start_align: Literal["none", "min", "midrange"] = "none",
    carry: bool = False,
    depth: int = 2,
    skip: int = 10,
    batch: int = 32,
    steps: int = 8,
    title: str = "",
) -> Drawing:
    """Facts: those of the chosen scenario (iteration_mean, stall_mean, delay_mean, effective_delay_percent, ...)
    and, in the sweep, iteration_mean_<fetch>_<start> of all nine.

    source: a table in data/ or beside this script. view: all nine scenarios, or one as a timeline of its first
    `steps` (1 to 40) after `skip` (0 to 10 000). fetch_align, start_align: the scenario. carry: delays carry
    over, with a prefetch queue of `depth` (1 to 64) batches. batch: samples for each GPU and step.
    """
    within(1, 64, depth=depth)
    within(0, 10_000, skip=skip)
    within(1, 1e6, batch=batch)
    within(1, 40, steps=steps)
    table = stalltable.read(beside(__file__, source))
    scenario = stalls.Scenario(fetch_align, start_align, carry, depth)
    if view == "timeline":
        replayed = stalls.replay(table, scenario)
        facts = stalls.facts(replayed, skip, batch)
        shown = stalls.to_timeline(table, replayed, skip, steps)
        heading = title or f"{facts['effective_delay_percent']:.0f} % of the steps wait for one GPU's data"
        note = f"mean step {1000 * facts['iteration_mean']:.0f} ms · mean delay {1000 * facts['delay_mean']:.0f} ms"
        panel = gantt.Panel(shown, f"Steps {skip} to {skip + steps - 1}", note)
        options = gantt.Options(axis="Time in ms", idle="Waits for another GPU")
        return Drawing(gantt.draw([panel], heading, options), facts)
    sweep = stalls.sweep(table, carry=carry, depth=depth, skip=skip, batch=batch)
    stated: dict[str, Any] = dict(sweep[fetch_align, start_align])
    for (fetch, start), facts in sweep.items():
        stated[f"iteration_mean_{fetch}_{start}"] = facts["iteration_mean"]
    best = min(facts["iteration_mean"] for facts in sweep.values())
    measured = sweep["none", "none"]["iteration_mean"]
    heading = title or f"Even fetches would save up to {1 - best / measured:.0%} of a step"
    return Drawing(stallchart.draw(sweep, heading), stated)
