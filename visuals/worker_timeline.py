"""Data-parallel workers in step and out of step, on the same batch times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill_timelines.bounds import hold
from figmill_timelines.charts import gantt
from figmill_timelines.quantities import percent, rescaled, significant
from figmill_timelines.titles import titled
from figmill_timelines.training import workers as simulate


def draw(
    workers: Annotated[int, Interval(ge=1, le=64)] = 4,
    batches: Annotated[int, Interval(ge=1, le=200)] = 10,
    batch_ms: Annotated[float, Interval(ge=0.001, le=1e6)] = 500,
    jitter: Annotated[float, Interval(ge=0, le=0.95)] = 0.2,
    latency_ms: Annotated[float, Interval(ge=0, le=1e6)] = 200,
    mode: Literal["synchronous", "asynchronous", "both"] = "both",
    seed: int = 0,
    title: str = "",
    narrow: bool = False,
) -> Drawing:
    """Facts: epoch_ms, idle_fraction, overhead_fraction, waiting_of_drawn, throughput_batches_per_s, ...

    With mode `both`, those of the synchronous run, those of the other with `_asynchronous` at their end, and
    longer_in_step.

    workers: how many. batches: per worker. batch_ms: mean time of a batch. jitter: batch times are uniform within
    this share of the mean. latency_ms: of communication. mode: in step, out of step, or one above the other.
    seed: of the batch times, which both modes share. title: what to see. narrow: as wide as a
    phone.
    """
    hold(draw, locals())
    load = simulate.Load(workers, batches, batch_ms, jitter, latency_ms, seed)
    modes = {"synchronous": simulate.synchronous, "asynchronous": simulate.asynchronous}
    facts: dict[str, Any] = {}
    runs = {name: run(load) for name, run in modes.items() if mode in (name, "both")}
    factor, unit = rescaled(max(timeline.makespan for timeline in runs.values()), "ms", 1000)
    panels = []
    for name, timeline in runs.items():
        stated = simulate.facts(timeline)
        epoch = significant(stated["epoch_ms"] * factor, 4)  # the title's three digits follow from four
        panels.append(gantt.Panel(timeline, name.capitalize(), f"epoch {epoch} {unit}"))
        suffix = "_asynchronous" if mode == "both" and name == "asynchronous" else ""
        facts |= {key + suffix: value for key, value in stated.items()}
    if mode == "both":
        facts["longer_in_step"] = facts["epoch_ms"] / facts["epoch_ms_asynchronous"] - 1
    options = gantt.ChartOptions(
        width=gantt.width(narrow),
        axis=f"Time in {unit}",
        idle="Waiting",
        scale=factor,
        numbered="Batches",
        end_digits=4,
    )
    return Drawing(gantt.draw(panels, titled(title, claim(facts, mode), facts), options), facts)


def claim(facts: Mapping[str, Any], mode: str) -> str:
    """The title: what the barrier costs, as computed."""
    if mode == "synchronous":
        return f"{percent(facts['idle_fraction'])} of the time goes into waiting for the slowest"
    if mode == "asynchronous":
        return f"{percent(facts['idle_fraction'])} of the time is waiting, all of it at the end"
    longer = facts["longer_in_step"]
    return (
        f"In step, the epoch takes {percent(longer)} longer"
        if longer > 1e-9
        else "Here the barrier costs nothing"
    )
