"""A recorded trace as a timeline, alone or above the simulated schedule that it should follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import fsum
from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill_timelines.bounds import hold, within
from figmill_timelines.charts import gantt
from figmill_timelines.files import beside
from figmill_timelines.pipeline import schedule_panels, schedules
from figmill_timelines.quantities import amount, percent, tenths, time
from figmill_timelines.spans import Timeline, busy_per_lane
from figmill_timelines.titles import titled
from figmill_timelines.traces import readers
from figmill_timelines.traces.readers import TracePart


def draw(
    source: str | list[str] = "profile.json",
    lanes: Literal["auto", "gpu", "all"] = "auto",
    zero: Annotated[float, Interval(ge=-1e19, le=1e19)]
    | list[Annotated[float, Interval(ge=-1e19, le=1e19)]]
    | None = None,
    steps: bool | list[int] = False,
    annotations: bool | list[str] = False,
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
    narrow: bool = False,
) -> Drawing:
    """Facts: events, spans, condensed, makespan, idle_fraction and idle_per_device of devices, lane_idle_fraction,
    busy_ms_<kind>; of several panels also length_per_panel, and the shares idle_, communication_ and hidden_per_panel;
    of GPUs also computing_ms, communication_ms, hidden_fraction; with a simulated schedule also makespan_simulated,
    bubble_fraction_simulated and slowdown.

    source: a file or folder in data/ or beside this script: Chrome trace, Megatron timers, torch pipelining CSV,
    lane,start,end,kind CSV, Nsight SQLite; or a list of Chrome traces, one for each rank, which makes a panel of each.
    lanes: of a Chrome trace. zero: the time in the trace that becomes 0, by default the first span; of ranks that share
    no clock, a list of one for each. steps: a panel for each ProfilerStep, or for those with these numbers.
    annotations: a band above the lanes with what record_function names, or with names that begin so. simulate: a
    schedule of devices, microbatches, forward, backward and p2p in ms, which starts `offset` ms after 0. title: what
    to see.
    """
    hold(draw, locals())
    files = [beside(__file__, name) for name in (source if isinstance(source, list) else [source])]
    trace = readers.read(files, zero, lanes, steps, annotations)
    if trace.damage and not allow_damage:
        raise ValueError(f"{trace.damage}; allow_damage: true draws what was read")
    within(1, 256, lanes=sum(len(part.timeline.lanes) for part in trace.parts))
    if simulate and len(trace.parts) > 1:
        raise ValueError("simulate: beside one recording, not beside several ranks or steps")
    facts = _facts(trace)
    measured = trace.timeline
    panels = [_panel(part, _name(part, trace, bool(simulate)), counters) for part in trace.parts]
    if len(panels) == 1 and not (simulate or title) and panels[0].note.endswith(" idle"):
        panels = [replace(panels[0], note="")]  # the title says it
    if simulate:
        timeline = schedules.simulate(
            simulate, devices, microbatches, forward=forward, backward=backward, p2p=p2p, unit=measured.unit
        )
        simulated = schedules.facts(simulate, timeline)
        facts["makespan_simulated"] = simulated["makespan"]
        facts["bubble_fraction_simulated"] = simulated["bubble_fraction"]
        facts["slowdown"] = measured.makespan / simulated["makespan"]
        note = f"{tenths(simulated['bubble_fraction'])} idle"
        panels.append(
            gantt.Panel(timeline.moved(offset), f"Simulated: {schedules.named(simulate).title}", note)
        )
    factor, unit = schedule_panels.scale([panel.timeline for panel in panels], measured.unit)
    axis = f"Time in {unit}" if unit else "Time in slots"
    if simulate:
        lengths = schedule_panels.axis([timeline], p2p, measured.unit, [panel.timeline for panel in panels])
        axis += f" (simulated: {lengths.partition('(')[2]}"
    streams = trace.parts[0].gpus and all(
        lane.startswith("GPU") for part in trace.parts for lane in part.timeline.lanes
    )
    options = gantt.ChartOptions(
        width=gantt.width(narrow),
        axis=axis,
        idle="GPU idle" if streams else "Idle",
        scale=factor,
        hollow="Second stage of a rank",
    )
    return Drawing(gantt.draw(panels, titled(title, _said(trace, facts), facts), options), facts)


def _facts(trace: readers.Trace) -> dict[str, Any]:
    """The facts of all that is drawn. A device is idle while none of its lanes works; a lane, whenever it does not."""
    parts, unit = trace.parts, trace.timeline.unit
    devices = [device for part in parts for device in part.devices]
    area, idle = fsum(device.length for device in devices), fsum(device.idle for device in devices)
    lane_area = fsum(len(part.timeline.lanes) * part.timeline.makespan for part in parts)
    lane_idle = lane_area - fsum(busy for part in parts for busy in busy_per_lane(part.timeline))
    facts: dict[str, Any] = {
        "events": trace.events,
        "spans": trace.spans,
        "condensed": trace.condensed,
        "makespan": max(part.timeline.makespan for part in parts),
        "devices": len({device.name for device in devices}),
        "device_time": area,
        "idle_time": idle,
        "idle_fraction": idle / area,
        "bubble_fraction": idle / area,
        "bubble_ratio": idle / (area - idle) if area > idle else 0.0,
        "idle_per_device": [device.idle for device in devices],
        "lane_idle_time": max(0.0, lane_idle),
        "lane_idle_fraction": max(0.0, lane_idle / lane_area),
    }
    if any(part.step is not None for part in parts):
        facts["steps"] = list(dict.fromkeys(part.step for part in parts))
        facts["step_ms"] = [part.timeline.makespan for part in parts if part.rank == parts[0].rank]
    if parts[0].gpus:
        communication = fsum(device.communication for device in devices)
        hidden = fsum(device.hidden for device in devices)
        facts[_named("computing", unit)] = fsum(device.computing for device in devices)
        facts[_named("communication", unit)] = communication
        facts[_named("hidden communication", unit)] = hidden
        facts["computing_fraction"] = fsum(device.computing for device in devices) / area
        facts["communication_fraction"] = communication / area
        if communication:
            facts["hidden_fraction"] = hidden / communication
    if len(parts) > 1:
        facts["length_per_panel"] = [part.timeline.makespan for part in parts]
        for name in ("idle", "communication", "hidden"):
            facts[f"{name}_per_panel"] = [
                fsum(getattr(device, name) for device in part.devices) / _whole(part, name) for part in parts
            ]
    for span in (span for part in parts for span in part.timeline.spans):
        name = _named("busy", unit, span.kind)
        facts[name] = facts.get(name, 0.0) + span.end - span.start
    return facts


def _whole(part: TracePart, name: str) -> float:
    """What a share of a panel is of: of communication if it is hidden, else of the time of all devices."""
    of = "communication" if name == "hidden" else "length"
    return fsum(getattr(device, of) for device in part.devices) or 1.0


def _named(*words: str) -> str:
    """A fact's name of these words: `busy_ms_forward`; `busy_forward` where times have no unit."""
    return "".join(c if c.isalnum() else "_" for c in " ".join(word for word in words if word))


def _name(part: TracePart, trace: readers.Trace, compared: bool) -> str:
    """The name of a panel: its rank and step, or what sets it apart."""
    words = [part.rank] if part.rank else []
    words += [f"step {part.step}" if words else f"Step {part.step}"] if part.step is not None else []
    words += ["Measured"] if compared and not words else []
    if trace.damage:
        words = [*(words or ["Measured"]), f"up to event {trace.events}"]
    return ", ".join(words)


def _panel(part: TracePart, name: str, counters: bool) -> gantt.Panel:
    timeline = part.timeline
    curves = [
        gantt.Curve(
            counter.split(": ")[0].strip("[]"),
            steps,
            f"at most {_short(counter, max(v for _, v in steps))}",
            _unit(counter),
        )
        for counter, every in part.counters.items()
        if counters and (steps := tuple(step for step in every if step[0] <= timeline.makespan))
    ]
    waits = tuple(_longest_wait(timeline)) if part.gpus else ()
    return gantt.Panel(timeline, name, _note(part), tuple(curves[:3]), tuple(_bands(part)), intervals=waits)


def _longest_wait(timeline: Timeline) -> Iterator[tuple[int, float, float, str]]:
    """The longest time for which the stream that computes most waits for another one, between two of its kernels."""
    computing: dict[int, float] = {}
    for span in timeline.spans:
        if span.kind not in ("communication", "memory"):
            computing[span.lane] = computing.get(span.lane, 0.0) + span.end - span.start
    if not computing:
        return
    lane = max(computing, key=lambda lane: computing[lane])
    spans = [span for span in timeline.spans if span.lane == lane]
    first, last = min(span.start for span in spans), max(span.end for span in spans)
    gaps = [gap for gap in timeline.idle if gap.lane == lane and gap.kind == "beside"]
    inner = [gap for gap in gaps if first < gap.start and gap.end < last]
    for gap in sorted(inner, key=lambda gap: gap.start - gap.end)[:1]:
        yield lane, gap.start, gap.end, time(gap.end - gap.start, timeline.unit)


def _bands(part: TracePart) -> Iterator[gantt.Band]:
    """The rows of annotations; the first of each device says whose they are."""
    several = len({row[0].device for row in part.annotations}) > 1
    named: set[str] = set()
    for row in part.annotations:
        device = row[0].device
        first = f"Annotations, {device}" if several else "Annotations"
        yield gantt.Band(
            "" if device in named else first, tuple((note.start, note.end, note.name) for note in row)
        )
        named.add(device)


def _note(part: TracePart) -> str:
    """How much of its communication a panel of GPUs hides; of others, the idle share."""
    communication = fsum(device.communication for device in part.devices)
    if part.gpus and communication:
        hidden = fsum(device.hidden for device in part.devices) / communication
        return f"{percent(hidden)} of communication hidden"
    area, idle = fsum(device.length for device in part.devices), fsum(device.idle for device in part.devices)
    return f"{percent(idle / area) if part.gpus else tenths(idle / area)} idle"


def _said(trace: readers.Trace, facts: dict[str, Any]) -> str:
    """The title if the author gives none."""
    idle = percent(facts["idle_fraction"])
    if not trace.parts[0].gpus:
        return (
            f"{idle} of the recorded time is idle" if trace.timeline.unit else f"{idle} of the slots are idle"
        )
    steps = facts.get("steps", [])
    during = "these steps" if len(steps) > 1 else f"step {steps[0]}" if steps else "the recorded time"
    who = "The GPU is" if facts["devices"] == 1 else f"The {facts['devices']} GPUs are"
    return f"{who} idle for {idle} of {during}"


def _short(name: str, value: float) -> str:
    """A count with an SI prefix; a counter with memory in its name counts bytes."""
    return amount(value, _unit(name))


def _unit(counter: str) -> str:
    return "B" if "memory" in counter.lower() else ""
