"""What fills a GPU's memory: a model in training by ZeRO stage, or the caches of the requests that it serves."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_types import Ge, Interval
from figmill.timelines.look import Look

from figmill import Drawing
from figmill.palette import role
from figmill.timelines import bars, budget
from figmill.timelines.bounds import hold
from figmill.timelines.quantities import number, percent, plural, quantity, scale, tick
from figmill.timelines.titles import titled


def _look(label: str, name: str, bar: str | None = None, hatch: str | None = None) -> Look:
    return Look(label, role(name).fill, role(name).line, hatch, bar)


WEIGHTS, GRADIENTS = _look("Weights", "compute"), _look("Gradients", "data", "foot")
OPTIMISER, ACTIVATIONS = _look("Optimiser states", "routing", "head"), _look("Activations", "neutral", "both")
USED, WASTED = _look("Cache in use", "data", "foot"), _look("Reserved, not used", "error", hatch="////")


def draw(
    use: Literal["training", "serving"] = "training",
    parameters_b: Annotated[float, Interval(ge=1e-6, le=1e5)] = 7.5,
    layers: Annotated[int, Interval(ge=1, le=10_000)] = 36,
    hidden: Annotated[int, Interval(ge=1, le=1_000_000)] = 4096,
    heads: Annotated[int, Interval(ge=1, le=10_000)] = 32,
    kv_heads: Annotated[int, Interval(ge=1, le=10_000)] | None = None,
    hbm_gb: Annotated[float, Interval(ge=1e-3, le=1e6)] = 80,
    ranks: Annotated[int, Interval(ge=1, le=100_000)] = 64,
    weight_bytes: Annotated[float, Interval(ge=0.125, le=8)] = 2,
    gradient_bytes: Annotated[float, Interval(ge=0, le=8)] = 2,
    optimiser_bytes: Annotated[float, Interval(ge=0, le=64)] = 12,
    sequence: Annotated[int, Interval(ge=1, le=10_000_000)] = 2048,
    batch: Annotated[int, Interval(ge=0, le=100_000)] = 1,
    recompute: Literal["none", "selective", "full"] = "selective",
    cache_bytes: Annotated[float, Interval(ge=0.125, le=8)] = 2,
    page: Annotated[int, Interval(ge=1, le=100_000)] = 16,
    requests: Annotated[int, Interval(ge=1, le=10_000)] = 64,
    shortest: Annotated[int, Interval(ge=1, le=10_000_000)] = 100,
    seed: Annotated[int, Ge(0)] = 0,
    title: str = "",
) -> Drawing:
    """Facts in training: total_bytes_<stage>, weights_bytes, gradients_bytes, optimiser_bytes (of stage 0),
    activations_bytes, first_stage_that_fits (-1: none). In serving: weights_bytes, cache_bytes_per_token,
    requests_reserved, requests_paged, used_fraction_reserved, used_fraction_paged, wasted_fraction_....

    parameters_b: in 10^9. hbm_gb: 10^9 bytes. ranks: data-parallel. sequence, batch: of a microbatch; in serving,
    sequence is the longest request. page: tokens. requests, shortest, seed: the requests that come round and round
    have lengths uniform from shortest to sequence. title: what to see.
    """
    hold(draw, locals())
    shape = budget.Shape(parameters_b * 1e9, layers, hidden, heads, kv_heads or heads)
    memory = hbm_gb * 1e9
    if use == "serving":
        if shortest > sequence:
            raise ValueError("shortest must not be above sequence, which is the longest request")
        found = budget.lengths(requests, shortest, sequence, seed)
        return _serving(shape, memory, weight_bytes, cache_bytes, found, (sequence, page), title)
    precision = budget.Precision(weight_bytes, gradient_bytes, optimiser_bytes)
    kept = budget.activations(shape, sequence, batch, recompute) if batch else 0.0
    return _training(shape, memory, ranks, precision, kept, title)


def _training(
    shape: budget.Shape, memory: float, ranks: int, precision: budget.Precision, kept: float, title: str
) -> Drawing:
    rows, facts = [], {}
    each_stage = [budget.training(shape, stage, ranks, precision, kept) for stage in budget.STAGES]
    gb, unit = scale(max(memory, each_stage[0].total / 100), "B")
    fits = -1
    for stage, held in enumerate(each_stage):
        parts = ((WEIGHTS, held.weights), (GRADIENTS, held.gradients), (OPTIMISER, held.optimiser))
        name = "Data parallel" if stage == 0 else f"ZeRO stage {stage}"
        total = quantity(held.total, "B")
        rows.append(bars.Bar(name, (*((look, v / gb) for look, v in parts), (ACTIVATIONS, kept / gb)), total))
        facts[f"total_bytes_{stage}"] = held.total
        if held.total <= memory and fits < 0:
            fits = stage
    whole = budget.training(shape, 0, 1, precision, kept)
    facts |= {"weights_bytes": whole.weights, "gradients_bytes": whole.gradients}
    facts |= {"optimiser_bytes": whole.optimiser, "activations_bytes": kept, "first_stage_that_fits": fits}
    size = f"{_many(shape.parameters)} parameters"
    heading = f"{size} fit from ZeRO stage {fits} on" if fits > 0 else f"{size} fit as they are"
    if fits < 0:
        heading = f"{size} do not fit at any stage"
    axis = f"{unit} on one of {plural(ranks, 'rank')} ({_bytes(gb, unit)})"
    limit = bars.Limit(memory / gb, f"{quantity(memory, 'B')} of memory")
    return Drawing(bars.draw(rows, titled(title, heading, facts), axis, limit), facts)


def _serving(
    shape: budget.Shape,
    memory: float,
    weight_bytes: float,
    cache_bytes: float,
    found: list[int],
    sizes: tuple[int, int],
    title: str,
) -> Drawing:
    weights = shape.parameters * weight_bytes
    each = budget.cache_per_token(shape, cache_bytes)
    if weights >= memory:
        text = f"the weights take {quantity(weights, 'B')}, and the GPU has {quantity(memory, 'B')}"
        raise ValueError(f"{text}: no room for a cache")
    longest, page = sizes
    room = int((memory - weights) / each)
    ways = {"reserved": budget.reserved(room, found, longest), "paged": budget.paged(room, found, page)}
    facts: dict[str, Any] = {"weights_bytes": weights, "cache_bytes_per_token": each, "room_tokens": room}
    names = {
        "reserved": f"Reserved: {plural(longest, 'token')} each",
        "paged": f"Pages of {plural(page, 'token')}",
    }
    gb, unit = scale(memory, "B")
    rows = []
    for way, cache in ways.items():
        stated = budget.cache_facts(cache)
        facts |= {f"{key}_{way}": value for key, value in stated.items()}
        parts = (
            (WEIGHTS, weights / gb),
            (USED, cache.used * each / gb),
            (WASTED, cache.wasted * each / gb),
        )
        note = f"{plural(cache.requests, 'request')}, {percent(stated['wasted_fraction'])} wasted"
        rows.append(bars.Bar(names[way], parts, note))
    limit = bars.Limit(memory / gb, f"{quantity(memory, 'B')} of memory")
    heading = _compared(ways["reserved"].requests, ways["paged"].requests)
    axis = f"{unit} ({_bytes(gb, unit)}); a token's keys and values take {quantity(each, 'B')}"
    return Drawing(bars.draw(rows, titled(title, heading, facts), axis, limit), facts)


def _compared(reserved: int, paged: int) -> str:
    """The title: how many requests pages serve against reserved caches."""
    if not paged and not reserved:
        return "Not one request fits beside the weights"
    if not reserved:
        return f"Reserved whole, no request fits; in pages {paged} {'does' if paged == 1 else 'do'}"
    if paged > reserved:
        return f"Pages serve {number(paged / reserved)} times as many requests from the same memory"
    if paged == reserved:
        return f"Pages serve no more than reserved caches: {plural(paged, 'request')} in either"
    return f"Pages this large serve fewer: {plural(paged, 'request')} instead of {reserved}"


def _many(parameters: float) -> str:
    """`7.5 billion`."""
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if parameters >= size * (1 - 1e-9):
            return f"{number(parameters / size)} {word}"
    return number(parameters)


def _bytes(size: float, unit: str) -> str:
    """`1 GB = 10⁹ bytes`."""
    return f"1 {unit} = {tick(size) if size >= 1e6 else number(size)} bytes"
