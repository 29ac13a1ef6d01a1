"""A recorded trace as a timeline, alone or above the simulated schedule that it should follow."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill.timelines import gantt, pipeline, schedules, traces
from figmill.timelines.bounds import hold, within
from figmill.timelines.files import beside
from figmill.timelines.quantities import amount, percent, time
from figmill.timelines.titles import titled


def draw(
    source: str = "profile.json",
    lanes: Literal["auto", "gpu", "all"] = "auto",
    zero: float | None = None,
    allow_damage: bool = False,
    counters: bool = True,
    simulate: str = "",
    devices: Annotated[int, Interval(ge=1, le=64)] = 4,
    microbatches: Annotated[int, Interval(ge=1, le=512)] = 8,
    forward: float | list[float] = 10,
    backward: float | list[float] = 20,
    p2p: Annotated[float, Interval(ge=0, le=1e6)] = 0,
    offset: Annotated[float, Interval(ge=0, le=1e6)] = 0,
    title: str = "",
) -> Drawing:
    """Facts: events, spans, condensed, makespan, bubble_fraction, idle_per_device, busy_ms_<kind>; with a simulated
    schedule also makespan_simulated, bubble_fraction_simulated and slowdown.

    source: a file or folder in data/ or beside this script: Chrome trace, Megatron timers, torch pipelining CSV,
    lane,start,end,kind CSV, Nsight SQLite. lanes: of a Chrome trace. zero: the time in the trace that becomes 0;
    by default the first span. simulate: a schedule of devices, microbatches, forward, backward and p2p in ms,
    which starts `offset` ms after 0. title: what to see.
    """
    hold(draw, locals())
    trace = traces.read(beside(__file__, source), zero, lanes)
    if trace.damage and not allow_damage:
        raise ValueError(f"{trace.damage}; allow_damage: true draws what was read")
    measured = trace.timeline
    within(1, 256, lanes=len(measured.lanes))
    facts: dict[str, Any] = {
        "events": trace.events,
        "spans": trace.spans,
        "condensed": trace.condensed,
        **measured.facts(),
    }
    for span in measured.spans:
        name = "".join(
            c if c.isalnum() else "_" for c in f"busy {measured.unit} {span.kind}".replace("  ", " ")
        )
        facts[name] = facts.get(name, 0.0) + span.end - span.start
    curves = [
        gantt.Curve(
            name.split(": ")[0].strip("[]"), steps, f"at most {_short(name, max(v for _, v in steps))}"
        )
        for name, every in trace.counters.items()
        if counters and (steps := tuple(step for step in every if step[0] <= measured.makespan))
    ]
    note = f"{time(measured.makespan, measured.unit)} · idle {facts['bubble_fraction']:.1%} of lane time"
    name = "Measured" if not trace.damage else f"Measured, up to event {trace.events}"
    panels = [gantt.Panel(measured, name if simulate or trace.damage else "", note, tuple(curves[:3]))]
    if simulate:
        timeline = schedules.simulate(
            simulate, devices, microbatches, forward=forward, backward=backward, p2p=p2p, unit=measured.unit
        )
        simulated = schedules.facts(simulate, timeline)
        facts["makespan_simulated"] = simulated["makespan"]
        facts["bubble_fraction_simulated"] = simulated["bubble_fraction"]
        facts["slowdown"] = measured.makespan / simulated["makespan"]
        note = f"{time(simulated['makespan'], measured.unit)} · idle {simulated['bubble_fraction']:.1%} of device time"
        shifted = timeline.moved(offset)
        panels.append(gantt.Panel(shifted, f"Simulated: {schedules.named(simulate).title}", note))
    factor, unit = pipeline.scale([panel.timeline for panel in panels], measured.unit)
    axis = f"Time in {unit}" if unit else "Time in slots"
    if simulate:
        lengths = pipeline.axis([timeline], p2p, measured.unit, [panel.timeline for panel in panels])
        axis += f" ({lengths.partition('(')[2]}"
    heading = titled(title, f"{percent(facts['bubble_fraction'])} of the recorded time is idle", facts)
    return Drawing(gantt.draw(panels, heading, gantt.Options(axis=axis, idle="Idle", scale=factor)), facts)


def _short(name: str, value: float) -> str:
    """A count with an SI prefix; a counter with memory in its name counts bytes."""
    return amount(value, "B" if "memory" in name.lower() else "")
