"""What fills a GPU's memory: a model in training by ZeRO stage, requests, or a token's cache by kind of attention."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from annotated_types import Ge, Interval

from figmill import Drawing
from figmill.palette import role
from figmill_timelines.bounds import hold
from figmill_timelines.charts import gantt
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.models import accelerators, memory_budget, mixtures
from figmill_timelines.plots import bars
from figmill_timelines.quantities import number, percent, plural, quantity, scale, significant, tick
from figmill_timelines.titles import titled


def _look(label: str, name: str, bar: str | None = None, hatch: str | None = None) -> CellLook:
    return CellLook(label, role(name).fill, role(name).line, hatch, bar)


WEIGHTS, GRADIENTS = _look("Weights", "compute"), _look("Gradients", "data", "foot")
OPTIMISER, ACTIVATIONS = _look("Optimiser states", "routing", "head"), _look("Activations", "neutral", "both")
TOKEN = _look("Cache of one token", "data", "foot")
USED, WASTED = _look("Cache in use", "data", "foot"), _look("Reserved, not used", "error", hatch="////")


def draw(
    use: Literal["training", "serving", "cache"] = "training",
    parameters_b: Annotated[float, Interval(ge=1e-6, le=1e5)] = 7.5,
    layers: Annotated[int, Interval(ge=1, le=10_000)] = 36,
    hidden: Annotated[int, Interval(ge=1, le=1_000_000)] = 4096,
    heads: Annotated[int, Interval(ge=1, le=10_000)] = 32,
    kv_heads: Annotated[int, Interval(ge=1, le=10_000)] | None = None,
    head_dimension: Annotated[int, Interval(ge=1, le=100_000)] | None = None,
    hbm_gb: Annotated[float, Interval(ge=1e-3, le=1e6)] = 80,
    accelerator: Literal["A100", "H100", "H200", "B200", "GB200", "MI300X", "MI325X", "MI355X"] | None = None,
    ranks: Annotated[int, Interval(ge=1, le=100_000)] = 64,
    hybrid: Annotated[int, Interval(ge=1, le=100_000)] | None = None,
    tensor: Annotated[int, Interval(ge=1, le=1024)] = 1,
    sequence_parallel: bool = False,
    experts: Annotated[int, Interval(ge=1, le=10_000)] | None = None,
    top_k: Annotated[int, Interval(ge=1, le=10_000)] = 2,
    expert_inner: Annotated[int, Interval(ge=1, le=10_000_000)] = 14_336,
    expert_layers: Annotated[int, Interval(ge=1, le=10_000)] | None = None,
    expert_parallel: Annotated[int, Interval(ge=1, le=100_000)] = 1,
    gated: bool = True,
    weight_bytes: Annotated[float, Interval(ge=0.125, le=8)] = 2,
    gradient_bytes: Annotated[float, Interval(ge=0, le=8)] = 2,
    optimiser_bytes: Annotated[float, Interval(ge=0, le=64)] = 12,
    sequence: Annotated[int, Interval(ge=1, le=10_000_000)] = 2048,
    batch: Annotated[int, Interval(ge=0, le=100_000)] = 1,
    recompute: Literal["none", "selective", "full"] = "selective",
    cache_bytes: Annotated[float, Interval(ge=0.125, le=8)] = 2,
    latent: Annotated[int, Interval(ge=1, le=1_000_000)] | None = None,
    rope: Annotated[int, Interval(ge=0, le=1_000_000)] = 64,
    page: Annotated[int, Interval(ge=1, le=100_000)] = 16,
    requests: Annotated[int, Interval(ge=1, le=10_000)] = 64,
    shortest: Annotated[int, Interval(ge=1, le=10_000_000)] = 100,
    seed: Annotated[int, Ge(0)] = 0,
    title: str = "",
    narrow: bool = False,
) -> Drawing:
    """Facts in training: total_bytes_<stage>, weights_bytes, gradients_bytes, optimiser_bytes (of stage 0),
    activations_bytes, memory_bytes, first_stage_that_fits (-1: none), total_bytes_hybrid. In serving: weights_bytes,
    memory_bytes, cache_bytes_per_token, requests_reserved, requests_paged, used_fraction_reserved,
    used_fraction_paged, wasted_fraction_.... In cache: bytes_per_token_<way>, bytes_per_sequence_<way>. With experts:
    expert_parameters, active_parameters.

    parameters_b: in 10^9. head_dimension: hidden / heads without it. hbm_gb: 10^9 bytes; an accelerator sets it.
    ranks: data-parallel. hybrid: ranks of a group that shards all, beside other groups that do the same. tensor: ranks
    that divide each layer; sequence_parallel: norms and dropouts too. experts, top_k, expert_inner, gated: of a mixture
    in each of expert_layers (all) layers. expert_parallel: ranks that share experts out. sequence, batch: of a
    microbatch; in serving, sequence is the longest request. latent, rope: numbers of both vectors of multi-head latent
    attention. page: tokens. requests, shortest, seed: the requests that come round and round have lengths uniform from
    shortest to sequence. title: what to see. narrow: as wide as a phone.
    """
    hold(draw, locals())
    width = 72 * gantt.width(narrow)
    shape = memory_budget.ModelShape(
        parameters_b * 1e9, layers, hidden, heads, kv_heads or heads, head_dimension
    )
    memory = (accelerators.ACCELERATORS[accelerator].hbm_gb if accelerator else hbm_gb) * 1e9
    split = memory_budget.Split(tensor, sequence_parallel, expert_parallel)
    mixture = (
        mixtures.Experts(experts, top_k, expert_inner, expert_layers or layers, gated) if experts else None
    )
    memory_budget.check(shape, split, mixture, ranks)
    each = memory_budget.cache_per_token(shape, cache_bytes, tensor)
    if use == "cache":
        return _cache(
            memory_budget.caches(shape, cache_bytes, tensor, latent, rope), sequence, tensor, title, width
        )
    if use == "serving":
        if shortest > sequence:
            raise ValueError("shortest must not be above sequence, which is the longest request")
        lengths = memory_budget.lengths(requests, shortest, sequence, seed)
        whole = memory_budget.training(
            shape, 0, ranks, memory_budget.Precision(weight_bytes, 0, 0), 0.0, split, mixture
        )
        if latent is not None:
            each = memory_budget.latent_per_token(shape, latent, rope, cache_bytes)
        drawing = _serving((whole.weights, each), memory, lengths, (sequence, page), title, split, width)
        return replace(drawing, facts=drawing.facts | _experts(shape, mixture))
    if mixture and tensor > 1 and not sequence_parallel:
        raise ValueError(
            "sequence_parallel must be true for experts beside tensor parallelism, as in Megatron-Core"
        )
    precision = memory_budget.Precision(weight_bytes, gradient_bytes, optimiser_bytes)
    kept = memory_budget.activations(shape, sequence, batch, recompute, split, mixture) if batch else 0.0
    held = [
        memory_budget.training(shape, stage, ranks, precision, kept, split, mixture)
        for stage in memory_budget.STAGES
    ]
    if hybrid is not None:
        if ranks % hybrid:
            raise ValueError(f"ranks must be a multiple of hybrid: {ranks} is not a multiple of {hybrid}")
        memory_budget.check(shape, split, mixture, hybrid)
        held.append(memory_budget.training(shape, 3, hybrid, precision, kept, split, mixture))
    drawing = _training(shape, memory, held, (ranks, hybrid or 1), split, title, width)
    return replace(drawing, facts=drawing.facts | _experts(shape, mixture))


def _experts(shape: memory_budget.ModelShape, mixture: mixtures.Experts | None) -> dict[str, float]:
    if mixture is None:
        return {}
    active = shape.parameters - mixture.idle_parameters(shape.hidden)
    return {"expert_parameters": mixture.parameters(shape.hidden), "active_parameters": active}


def _training(
    shape: memory_budget.ModelShape,
    memory: float,
    each_stage: list[memory_budget.Training],
    ranks: tuple[int, int],
    split: memory_budget.Split,
    title: str,
    width: float,
) -> Drawing:
    """each_stage: the ZeRO stages, and behind them the hybrid where there is one. ranks: all, and of the hybrid."""
    rows, facts = [], {}
    gb, unit = scale(max(memory, each_stage[0].total / 100), "B")
    fits, kept = -1, each_stage[0].activations
    for stage, held in enumerate(each_stage):
        parts = ((WEIGHTS, held.weights), (GRADIENTS, held.gradients), (OPTIMISER, held.optimiser))
        name = "Data parallel" if stage == 0 else f"ZeRO stage {stage}"
        if stage not in memory_budget.STAGES:
            name = f"HSDP, groups of {ranks[1]}"
        total = quantity(held.total, "B")
        rows.append(bars.Bar(name, (*((look, v / gb) for look, v in parts), (ACTIVATIONS, kept / gb)), total))
        facts[f"total_bytes_{stage if stage in memory_budget.STAGES else 'hybrid'}"] = held.total
        if held.total <= memory and fits < 0 and stage in memory_budget.STAGES:
            fits = stage
    whole = each_stage[0]
    facts |= {"weights_bytes": whole.weights, "gradients_bytes": whole.gradients}
    facts |= {"optimiser_bytes": whole.optimiser, "activations_bytes": kept, "memory_bytes": memory}
    facts["first_stage_that_fits"] = fits
    size = f"{_many(shape.parameters)} parameters"
    heading = f"{size} fit from ZeRO stage {fits} on" if fits > 0 else f"{size} fit as they are"
    if fits < 0:
        heading = f"{size} do not fit at any stage"
    axis = f"{unit} on one of {plural(ranks[0], 'rank')}{_beside(split)}{_bytes(gb, unit)}"
    limit = bars.Limit(memory / gb, f"{quantity(memory, 'B')} of memory")
    return Drawing(bars.draw(rows, titled(title, heading, facts), axis, limit, _rounded, width=width), facts)


def _rounded(value: float) -> str:
    """Three digits; a half goes up, as there is no room for a fourth."""
    return number(value * (1 + 1e-9))


def _beside(split: memory_budget.Split) -> str:
    """` × 8 tensor-parallel, 64 expert-parallel`, or nothing."""
    words = f" × {split.tensor} tensor-parallel" if split.tensor > 1 else ""
    return words + (f", experts over {split.expert}" if split.expert > 1 else "")


def _serving(
    sizes: tuple[float, float],
    memory: float,
    lengths: list[int],
    tokens: tuple[int, int],
    title: str,
    split: memory_budget.Split,
    width: float,
) -> Drawing:
    """sizes: bytes of the weights, and of a token's cache. tokens: of the longest request, and of a page."""
    weights, each = sizes
    if weights >= memory:
        text = f"the weights take {quantity(weights, 'B')}, and the GPU has {quantity(memory, 'B')}"
        raise ValueError(f"{text}: no room for a cache")
    longest, page = tokens
    room = int((memory - weights) / each)
    ways = {
        "reserved": memory_budget.reserved(room, lengths, longest),
        "paged": memory_budget.paged(room, lengths, page),
    }
    facts: dict[str, Any] = {"weights_bytes": weights, "memory_bytes": memory, "cache_bytes_per_token": each}
    facts["room_tokens"] = room
    names = {
        "reserved": f"Reserved: {plural(longest, 'token')} each",
        "paged": f"Pages of {plural(page, 'token')}",
    }
    gb, unit = scale(memory, "B")
    rows = []
    for way, cache in ways.items():
        stated = memory_budget.cache_facts(cache)
        facts |= {f"{key}_{way}": value for key, value in stated.items()}
        parts = (
            (WEIGHTS, weights / gb),
            (USED, cache.used * each / gb),
            (WASTED, cache.wasted * each / gb),
        )
        note = f"{plural(cache.requests, 'request')}, {percent(stated['wasted_fraction'])} wasted"
        rows.append(bars.Bar(names[way], parts, note=note))
    if facts["requests_reserved"]:
        facts["times_as_many_in_pages"] = facts["requests_paged"] / facts["requests_reserved"]
    limit = bars.Limit(memory / gb, f"{quantity(memory, 'B')} of memory")
    heading = _compared(ways["reserved"].requests, ways["paged"].requests)
    where = f" on one of {split.tensor} GPUs" if split.tensor > 1 else ""
    axis = f"{unit}{where}{_bytes(gb, unit)}; a token's keys and values take {quantity(each, 'B')}"
    return Drawing(bars.draw(rows, titled(title, heading, facts), axis, limit, width=width), facts)


WAYS = {"mha": "Multi-head", "gqa": "Grouped-query", "mqa": "Multi-query", "mla": "Latent"}


def _cache(sizes: dict[str, float], sequence: int, tensor: int, title: str, width: float) -> Drawing:
    """A bar for each way of attention. sizes: bytes of a token's cache."""
    size, unit = scale(min(sizes.values()), "B")  # one unit for all, so that they can be compared
    whole_size, whole_unit = scale(min(sizes.values()) * sequence, "B")
    rows, facts = [], {}
    for way, each in sizes.items():
        facts |= {f"bytes_per_token_{way}": each, f"bytes_per_sequence_{way}": each * sequence}
        whole = f"{significant(each * sequence / whole_size, zeros=True)} {whole_unit}"
        rows.append(bars.Bar(WAYS[way], ((TOKEN, each / size),), f"{number(each / size)} {unit}", whole))
    shown = "mla" if "mla" in sizes else "gqa" if "gqa" in sizes else "mqa"
    factor = facts[f"mha_over_{shown}"] = sizes["mha"] / sizes[shown]
    less = f"{WAYS[shown].lower()} attention"
    heading = f"Multi-head attention caches {number(factor)} times as much as {less}"
    if factor <= 1:
        heading = f"Multi-head attention caches no more than {less}"
    where = f" on one of {tensor} GPUs" if tensor > 1 else ""
    axis = f"{unit} of each token's cache{where}{_bytes(size, unit)}"
    notes = f"cache of {plural(sequence, 'token')}"
    return Drawing(bars.draw(rows, titled(title, heading, facts), axis, notes=notes, width=width), facts)


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
    """` (1 GB = 10⁹ bytes)`, or nothing for bytes themselves."""
    return f" (1 {unit} = {tick(size) if size >= 1e6 else number(size)} bytes)" if size > 1 else ""
