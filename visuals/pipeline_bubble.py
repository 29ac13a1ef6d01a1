"""Pipeline schedules of one training step as a Gantt chart: which device works when, and where the bubble is."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill.timelines.bounds import hold, whole, within
from figmill.timelines.charts import gantt
from figmill.timelines.pipeline import schedule_panels, schedules
from figmill.timelines.quantities import plural
from figmill.timelines.titles import titled


def draw(
    devices: Annotated[int, Interval(ge=1, le=256)] = 4,
    microbatches: Annotated[int, Interval(ge=1, le=1024)] = 8,
    schedule: Literal[
        "gpipe",
        "1f1b",
        "interleaved",
        "looped-bfs",
        "zb-h1",
        "interleaved-zb",
        "zb-v",
        "v-half",
        "v-min",
        "zb-2p",
        "dualpipe",
        "dualpipe-v",
        "1f1b-overlap",
        "interleaved-overlap",
        "chimera",
        "chimera-doubling",
        "hanayo",
    ] = "gpipe",
    compare: list[str] | None = None,
    chunks: Annotated[int, Interval(ge=1, le=16)] | None = None,
    group: Annotated[int, Interval(ge=1, le=1024)] | None = None,
    forward: float | list[float] = 1,
    backward: float | list[float] | None = None,
    backward_input: float | list[float] | None = None,
    backward_weight: float | list[float] | None = None,
    overlapped: float | None = None,
    p2p: float = 0,
    sends: Literal["overlapped", "synchronous"] = "overlapped",
    unit: str = "",
    idle: Literal["causes", "one"] = "causes",
    critical_path: bool = False,
    memory: list[int] | None = None,
    title: str = "",
) -> Drawing:
    """Facts: those of `schedule`; those of each schedule in `compare` end in its name.

    devices: pipeline ranks. microbatches: of one step. compare: schedules of the same work, below on the same axis.
    chunks: model chunks on a device, for interleaved and looped schedules; two for each wave of hanayo. group:
    microbatches of a chunk that run before the next chunk, for interleaved schedules. forward .. p2p: times, one
    number or one per stage; backward = backward_input + backward_weight. sends: with `synchronous`, a device waits
    for its own transfers in warm-up and cool-down. idle: one look for all idle time, or
    one for each cause. memory: devices whose live activations are drawn. title: what to see; facts may stand in
    it in braces.
    """
    hold(draw, locals())
    names = [schedule, *(compare or [])]
    schedule_panels.check(names, chunks, group)
    within(1, 1_500_000, operations=2 * devices * microbatches * (chunks or 2))
    for device in memory or []:
        whole(0, devices - 1, memory=device)
    times = {
        "forward": forward,
        "backward": backward,
        "backward_input": backward_input,
        "backward_weight": backward_weight,
        "overlapped": overlapped,
        "p2p": p2p,
    }
    facts: dict[str, Any] = {}
    panels = []
    for name, (own, lengths) in zip(names, schedule_panels.same_work(names, chunks, times), strict=True):
        groups = group if schedules.named(name).grouped else None
        timeline = schedules.simulate(
            name, devices, microbatches, own, unit=unit, sends=sends, group=groups, **lengths
        )
        stated = schedules.facts(name, timeline)
        panels.append(schedule_panels.panel(name, timeline, stated, memory or []))
        suffix = "" if name == schedule else "_" + name.replace("-", "_")
        facts |= {key + suffix: value for key, value in stated.items()}
    options = gantt.ChartOptions(
        classes=idle == "causes",
        critical=critical_path,
        hollow=schedule_panels.hollow(names, chunks),
        axis=schedule_panels.axis([panel.timeline for panel in panels], p2p, unit),
        scale=schedule_panels.scale([panel.timeline for panel in panels], unit)[0],
    )
    work = f"{plural(devices, 'device')}, {plural(microbatches, 'microbatch', 'microbatches')}"
    if len(names) == 1:
        idle_share = f"{schedule_panels.share(facts)} of the device time" if facts["idle_time"] else "nothing"
        heading = f"{schedules.named(schedule).title} leaves {idle_share} idle"
        panels = [replace(panels[0], name=work)]
    else:
        heading = f"{len(names)} schedules for {work}"
    return Drawing(gantt.draw(panels, titled(title, heading, facts), options), facts)
