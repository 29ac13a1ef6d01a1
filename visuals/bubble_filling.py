"""The bubbles of a pipeline before and after they are filled with second-order work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill_timelines.bounds import hold
from figmill_timelines.charts import gantt
from figmill_timelines.files import beside
from figmill_timelines.pipeline import filling, schedule_panels, schedules
from figmill_timelines.quantities import percent, plural, tenths
from figmill_timelines.spans import Timeline
from figmill_timelines.titles import titled
from figmill_timelines.traces import pipeline_events

NAMED = {"Inversion": "Inversion (A or B)"}
BY = {"earliest": "", "pipefisher": ", by PipeFisher's rules"}


def draw(
    source: str | list[str] = "",
    clocks: Literal["shared", "own"] = "shared",
    schedule: Literal["gpipe", "1f1b", "interleaved", "chimera"] = "1f1b",
    devices: Annotated[int, Interval(ge=1, le=64)] = 4,
    microbatches: Annotated[int, Interval(ge=1, le=64)] = 4,
    forward: float = 1,
    backward: float = 2,
    curvature_a: Annotated[float, Interval(ge=0, le=1e9)] = 0.5,
    curvature_b: Annotated[float, Interval(ge=0, le=1e9)] = 0.5,
    sync: Annotated[float, Interval(ge=0, le=1e9)] = 0,
    inversion: Annotated[float, Interval(ge=0, le=1e9)] = 1.5,
    modules: Annotated[int, Interval(ge=1, le=16)] = 1,
    margin: Annotated[float, Interval(ge=0, le=1)] = 0.05,
    stale: bool = False,
    rules: Literal["earliest", "pipefisher"] = "earliest",
    unit: str = "",
    title: str = "",
    narrow: bool = False,
) -> Drawing:
    """Facts: iterations, step_time, usage, busy_before, busy_after, bubble_fraction_before, _after, unplaced, and the
    lists iterations_per_device, usage_per_device.

    source: a recording in data/ or beside this script (JSON, CSV, plain pickle), instead of a schedule; or a list of
    them or a folder, with a file for each device.
    clocks: whether its devices share one. schedule .. backward: the simulated schedule.
    curvature_a, curvature_b: time for each microbatch. sync, inversion: time for each module and factor.
    modules: of a stage. margin: free share behind each piece. stale: the first step may use
    data of the step before. rules: `earliest` start first, or those of PipeFisher's script. title: what to see.
    narrow: as wide as a phone.
    """
    hold(draw, locals())
    names = [source] if isinstance(source, str) else source
    if any(names):
        before, work = pipeline_events.step(
            pipeline_events.read(*(beside(__file__, name) for name in names)), clocks, unit, rules
        )
    else:
        before = schedules.simulate(
            schedule, devices, microbatches, forward=forward, backward=backward, unit=unit
        )
        work = filling.work_for(before, filling.WorkCosts(curvature_a, curvature_b, sync, inversion, modules))
    filled = filling.fill(before, work, margin, stale, rules)
    facts = filled.facts()
    steps = plural(filled.iterations, "step")
    upward = not any(names) and schedule in schedule_panels.UPWARDS
    panels = [
        gantt.Panel(
            before,
            "Before: one step",
            f"{tenths(facts['bubble_fraction_before'])} idle",
            upward=upward,
        ),
        gantt.Panel(
            _by_factor(filled.after),
            f"After: the work of one refresh in {steps}{BY[rules]}",
            f"{tenths(facts['bubble_fraction_after'])} idle",
            marks=tuple((turn * before.makespan, f"step {turn + 1}") for turn in range(1, filled.iterations)),
            upward=upward,
        ),
    ]
    options = gantt.ChartOptions(
        width=gantt.width(narrow),
        axis=schedule_panels.axis([before], 0, unit, [filled.after]),
        scale=schedule_panels.scale([filled.after], unit)[0],
        named=NAMED,
    )
    return Drawing(gantt.draw(panels, titled(title, claim(facts), facts), options), facts)


def _by_factor(timeline: Timeline) -> Timeline:
    """The same with a kind for the curvature of each factor, so that they look different."""
    spans = (
        span._replace(kind=f"curvature of {span.label[0]}", label=span.label[1:])
        if span.kind == "curvature"
        else span
        for span in timeline.spans
    )
    return replace(timeline, spans=tuple(spans))


def claim(facts: Mapping[str, Any]) -> str:
    """The title: what the extra work costs, as computed."""
    often = "every step" if facts["iterations"] == 1 else f"every {facts['iterations']} steps"
    if not facts["work_time"]:
        return f"No extra work: {percent(facts['bubble_fraction_before'])} of the device time is idle"
    if not facts["lengthened_by"]:
        return f"A second-order refresh {often}, in time that was idle"
    longer = percent(facts["lengthened_share"])
    if not facts["bubble_fraction_before"]:
        return f"Nothing was idle: a second-order refresh {often} makes it {longer} longer"
    return (
        f"A second-order refresh {often} makes {'it' if facts['iterations'] == 1 else 'them'} {longer} longer"
    )
