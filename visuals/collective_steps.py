"""A collective operation step by step, or the cost of several by size: where the fastest one changes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill.palette import TEXT
from figmill_timelines.bounds import hold
from figmill_timelines.models import collective_steps
from figmill_timelines.plots import page, step_chart
from figmill_timelines.plots.plot import Axis, Plot, beside
from figmill_timelines.quantities import plural, quantity
from figmill_timelines.titles import titled

NAMES = {
    "ring": "Ring",
    "halving-doubling": "Halving and doubling",
    "tree": "Binomial tree",
    "two-tree": "Two trees",
    "hierarchical": "Hierarchical",
    "all-to-all": "All-to-all",
}
KINDS = (
    ("Added at the receiver", step_chart.ADDS),
    ("Kept at the receiver", step_chart.KEEPS),
    ("Between nodes", step_chart.FAR),
)
MOST_PLACES = 600  # steps times ranks in one figure


def draw(
    pattern: Literal["ring", "halving-doubling", "tree", "two-tree", "hierarchical", "all-to-all"] = "ring",
    view: Literal["steps", "cost"] = "steps",
    ranks: Annotated[int, Interval(ge=2, le=32)] = 8,
    size_mb: Annotated[float, Interval(ge=1e-6, le=1e6)] = 256,
    alpha_us: Annotated[float, Interval(ge=0, le=1e6)] = 10,
    bandwidth_gb_s: Annotated[float, Interval(ge=1e-6, le=1e6)] = 25,
    node: Annotated[int, Interval(ge=2, le=16)] | None = None,
    near_alpha_us: Annotated[float, Interval(ge=0, le=1e6)] = 2,
    near_bandwidth_gb_s: Annotated[float, Interval(ge=1e-6, le=1e6)] = 300,
    blocks: Annotated[int, Interval(ge=1, le=16)] = 2,
    smallest_kb: Annotated[float, Interval(ge=1e-3, le=1e6)] = 1,
    title: str = "",
) -> Drawing:
    """Facts of steps: steps, messages, time_us, sent_per_rank_bytes. Of cost: fastest, crossover_bytes (lists, from
    small to large messages) and time_us_<pattern> for size_mb.

    size_mb: 10^6 bytes on each rank. alpha_us: for each message. bandwidth_gb_s: of a link in one direction. node:
    ranks on a node (4), for hierarchical, whose inner links have near_alpha_us and near_bandwidth_gb_s; view: cost
    shows it where node is given. blocks: pipelined blocks of each half, for two-tree; with view: cost the best power
    of two up to 128. smallest_kb: where the axis of sizes begins; it ends at size_mb. title: what to see.
    """
    hold(draw, locals())
    size = size_mb * 1e6
    flat = collective_steps.Wires(alpha_us * 1e-6, bandwidth_gb_s * 1e9)
    near = collective_steps.Wires(near_alpha_us * 1e-6, near_bandwidth_gb_s * 1e9, flat.alpha, flat.bandwidth)
    if view == "cost":
        return _cost(ranks, (smallest_kb * 1e3, size), (flat, near), node, title)
    made = {
        "two-tree": lambda: collective_steps.two_tree(ranks, blocks),
        "hierarchical": lambda: collective_steps.hierarchical(ranks, node or 4),
        "all-to-all": lambda: collective_steps.all_to_all(ranks),
    }
    chart = made[pattern]() if pattern in made else collective_steps.ALLREDUCE[pattern](ranks)
    if len(chart.steps) * ranks > MOST_PLACES:
        text = (
            f"{len(chart.steps)} steps of {ranks} ranks are too dense to be read; take fewer ranks or blocks"
        )
        raise ValueError(text)
    wires = near if pattern == "hierarchical" else flat
    facts = collective_steps.facts(chart, size, wires)
    columns = [
        step_chart.StepColumn(
            tuple(step_chart.StepArrow(m.source, m.target, 2 if m.far else 0 if m.adds else 1) for m in step),
            phase,
            _share(Fraction(max(len(m.blocks) for m in step), chart.blocks)),
        )
        for step, phase in zip(chart.steps, chart.phases, strict=True)
    ]
    heading = titled(
        title, f"{NAMES[pattern]}: {plural(len(chart.steps), 'step')}, {_time(facts['time_us'])}", facts
    )
    axis = f"Step, and the share of S = {quantity(size, 'B')} in its longest message"
    lanes = [f"Rank {rank}" for rank in range(ranks)]
    return Drawing(step_chart.draw(lanes, columns, heading, KINDS, axis), facts)


def _share(part: Fraction) -> str:
    """`S`, `S/8`, `3S/8`."""
    if part == 1:
        return "S"
    return f"{part.numerator if part.numerator > 1 else ''}S/{part.denominator}"


def _time(microseconds: float) -> str:
    return quantity(microseconds * 1e-6, "s")


def _cost(
    ranks: int,
    sizes: tuple[float, float],
    wires: tuple[collective_steps.Wires, collective_steps.Wires],
    node: int | None,
    title: str,
) -> Drawing:
    if sizes[0] * 10 > sizes[1]:
        raise ValueError("size_mb must be at least ten times smallest_kb")
    flat, near = wires
    charts = {"tree": collective_steps.tree(ranks), "ring": collective_steps.ring(ranks)}
    if not ranks & (ranks - 1):
        charts["halving-doubling"] = collective_steps.halving_doubling(ranks)
    if node:
        charts["hierarchical"] = collective_steps.hierarchical(ranks, node)

    def seconds(name: str, size: float) -> float:
        if name == "two-tree":
            return collective_steps.best_two_tree(ranks, size, flat)[0]
        return collective_steps.seconds(charts[name], size, near if name == "hierarchical" else flat)

    names = [name for name in NAMES if name in charts or name == "two-tree"]
    grid = [sizes[0] * (sizes[1] / sizes[0]) ** (n / 160) for n in range(161)]
    curves = {name: [seconds(name, size) for size in grid] for name in names}
    fastest, crossings = _fastest(curves, grid, seconds)
    facts: dict[str, Any] = {"fastest": fastest, "crossover_bytes": crossings}
    facts |= {f"time_us_{name.replace('-', '_')}": 1e6 * times[-1] for name, times in curves.items()}
    parts = [
        f"{NAMES[name].lower()} below {quantity(at, 'B')}"
        for name, at in zip(fastest, crossings, strict=False)
    ]
    words = ", ".join([*parts, f"{NAMES[fastest[-1]].lower()} above"])
    own = curves[fastest[0]]
    tied = any(
        name != fastest[0] and any(a <= b * (1 + 1e-9) for a, b in zip(row, own, strict=True))
        for name, row in curves.items()
    )
    claim = words[0].upper() + words[1:]
    if not parts and tied:
        claim = f"{NAMES[fastest[0]]}: no other is faster at any size shown"
    elif not parts:
        claim = f"{NAMES[fastest[0]]} is fastest at every size shown"
    heading = titled(title, claim, facts)
    labels = [f"{NAMES[name]} {_time(1e6 * curves[name][-1])}" for name in names]
    canvas, top = page.start(heading, [], 318, left=60)
    across = Axis(
        f"Bytes on each of {ranks} ranks, up to {quantity(sizes[1], 'B')}",
        *sizes,
        log=True,
        text=lambda v: quantity(v, "B"),
    )
    times = [time for row in curves.values() for time in row]
    up = Axis(
        "Time of an AllReduce",
        min(times) / 1.5,
        max(times) * 1.2,
        log=True,
        unit="s",
        text=lambda v: quantity(v, "s"),
    )
    right = page.WIDTH - page.MARGIN - beside(labels)
    plot = Plot(canvas, (60, top + 18, right, top + 274), across, up)
    plot.frame()
    for n, (name, label) in enumerate(zip(names, labels, strict=True)):
        colour, dash = page.stroke(n)
        plot.curve(zip(grid, curves[name], strict=True), colour, 1.8, dash, NAMES[name], label)
    for n, (name, at) in enumerate(zip(fastest[1:], crossings, strict=True)):
        plot.dot(at, seconds(name, at), TEXT[0])
        if n and across.share(at) - across.share(crossings[n - 1]) < 0.09:
            continue  # its label would lie over the one before
        plot.note(at, seconds(name, at), quantity(at, "B"), TEXT[0], "left", (7, 9), clear=True)
    plot.write_labels()
    return Drawing(canvas.figure, facts)


def _fastest(
    curves: dict[str, list[float]], grid: list[float], seconds: Any
) -> tuple[list[str], list[float]]:
    """The fastest pattern from small to large messages, and the sizes at which it changes."""
    order: list[str] = []
    crossings: list[float] = []
    for n, size in enumerate(grid):
        best = min(curves, key=lambda name: curves[name][n])
        if order and curves[order[-1]][n] <= curves[best][n] * (1 + 1e-9):
            continue
        if order and best != order[-1]:
            low, high = grid[n - 1], size
            for _ in range(50):
                middle = math.sqrt(low * high)
                ahead = seconds(best, middle) < seconds(order[-1], middle)
                low, high = (low, middle) if ahead else (middle, high)
            crossings.append(math.sqrt(low * high))
        if not order or best != order[-1]:
            order.append(best)
    return order, crossings
