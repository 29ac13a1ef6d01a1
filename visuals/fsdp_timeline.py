"""One step of fully sharded data parallelism: which communication hides behind computing, and what is in memory."""

from __future__ import annotations

from typing import Annotated, Any

from annotated_types import Interval

from figmill import Drawing
from figmill_timelines.bounds import hold, within
from figmill_timelines.charts import gantt
from figmill_timelines.models import sharding
from figmill_timelines.models.sharding import LayerTimes, ShardingPlan
from figmill_timelines.quantities import percent, plural, rescaled
from figmill_timelines.titles import titled

NAMES = {
    "no-prefetch": "No prefetch in the backward",
    "no-limit": "No limit on all-gathers",
    "no-overlap": "No overlap: no prefetch, one layer at a time",
    "no-reshard": "Weights kept whole after the forward",
    "two-links": "All-gather and reduce-scatter on links of their own",
}


def draw(
    layers: Annotated[int, Interval(ge=1, le=128)] = 6,
    forward: Annotated[float, Interval(ge=0, le=1e6)] | list[Annotated[float, Interval(ge=0, le=1e6)]] = 4,
    backward: Annotated[float, Interval(ge=0, le=1e6)] | list[Annotated[float, Interval(ge=0, le=1e6)]] = 8,
    all_gather: Annotated[float, Interval(ge=0, le=1e6)] | list[Annotated[float, Interval(ge=0, le=1e6)]] = 3,
    reduce_scatter: Annotated[float, Interval(ge=0, le=1e6)]
    | list[Annotated[float, Interval(ge=0, le=1e6)]] = 3,
    prefetch: bool = True,
    limit: Annotated[int, Interval(ge=1, le=128)] | None = 2,
    reshard: bool = True,
    shared_link: bool = True,
    compare: list[str] | None = None,
    memory: bool = True,
    unit: str = "ms",
    title: str = "",
    narrow: bool = False,
) -> Drawing:
    """Facts: step, compute, communication, exposed, exposed_fraction, peak_unsharded; those of each variant in
    `compare` end in its name.

    forward .. reduce_scatter: times of a layer, one number or one for each layer. prefetch: in the backward. limit:
    layers that may be whole and not yet freed, null for any number. reshard: free the weights after the forward.
    shared_link: all-gathers and reduce-scatters go one after the other. compare: no-prefetch, no-limit, no-overlap,
    no-reshard, two-links. memory: draw how many layers are whole. title: what to see. narrow: as wide as a
    phone.
    """
    hold(draw, locals())
    rows = [
        _each(name, value, layers)
        for name, value in (
            ("forward", forward),
            ("backward", backward),
            ("all_gather", all_gather),
            ("reduce_scatter", reduce_scatter),
        )
    ]
    model = [LayerTimes(*row) for row in zip(*rows, strict=True)]
    within(1e-9, 1e9, **{"forward + backward": max(layer.forward + layer.backward for layer in model)})
    plan = ShardingPlan(prefetch, limit, reshard, shared_link)
    facts: dict[str, Any] = {}
    panels, facts_by_name = [], {}
    for name in ["", *dict.fromkeys(compare or [])]:
        step = sharding.simulate(model, sharding.variant(plan, name) if name else plan)
        stated = sharding.facts(step)
        facts_by_name[name] = stated
        facts |= {
            key + ("_" + name.replace("-", "_") if name else ""): value for key, value in stated.items()
        }
        alone = not (compare or title)  # then the title says it
        note = "" if alone else f"{percent(stated['exposed_fraction'])} exposed"
        most = f"in memory: at most {plural(stated['peak_unsharded'], 'whole layer')}"
        curves = (gantt.Curve("whole layers", step.unsharded, most),) if memory else ()
        own = _name(plan) if len(compare or []) else ""
        panels.append(gantt.Panel(step.timeline, NAMES[name] if name else own, note, curves))
    heading = titled(title, _heading(facts_by_name), facts)
    factor, shown = rescaled(max(panel.timeline.makespan for panel in panels), unit)
    axis = f"Time in {shown}" if shown else "Time"
    options = gantt.ChartOptions(
        width=gantt.width(narrow), axis=axis, idle="Exposed: nothing computed", scale=factor
    )
    return Drawing(gantt.draw(panels, heading, options), facts)


def _each(name: str, value: float | list[float], layers: int) -> list[float]:
    if not isinstance(value, list):
        return [value] * layers
    if len(value) != layers:
        given = plural(len(value), "entry", "entries")
        raise ValueError(
            f"{name} has {given}; it takes one number, or one for each of {plural(layers, 'layer')}"
        )
    return value


def _name(plan: ShardingPlan) -> str:
    words = ["Prefetch" if plan.prefetch else "No prefetch"]
    words.append(f"at most {plural(plan.limit, 'layer')} ahead" if plan.limit else "no limit")
    return ", ".join(words)


def _heading(facts_by_name: dict[str, dict[str, Any]]) -> str:
    exposed = percent(facts_by_name[""]["exposed_fraction"])
    if len(facts_by_name) == 1 and exposed == "0%":
        return "No part of the step waits for communication"
    if len(facts_by_name) == 1:
        return f"{exposed} of the step waits for communication"
    longest = max(facts_by_name.values(), key=lambda stated: stated["step"])
    if longest["exposed_fraction"] > facts_by_name[""]["exposed_fraction"]:
        worst = percent(longest["exposed_fraction"])
        return f"Overlap hides communication: {exposed} of the step is exposed, not {worst}"
    return f"{exposed} of the step waits for communication, and no variant is slower"
