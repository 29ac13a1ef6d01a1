"""Requests to a language model as lanes: how batching decides when each gets its tokens."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from annotated_types import Ge, Interval

from figmill import Drawing
from figmill_timelines.bounds import hold
from figmill_timelines.charts import gantt
from figmill_timelines.models import paged_serving, repeated, serving
from figmill_timelines.quantities import number, plural, rescaled, time
from figmill_timelines.titles import titled

NAMES = {
    "static": "Static batches",
    "continuous": "Continuous batching, whole prompts",
    "chunked": "Continuous batching, chunked prompts",
    "disaggregated": "Prefill and decode on two GPUs",
}

# With a limited cache: what a preempted request loses. `unlimited` is the same policy with room for all.
LIMITED = {
    "recompute": "Recompute after preemption",
    "swap": "Swap to the host",
    "unlimited": "Room for all caches",
}

SHOWN = ("ttft_p90_ms", "tpot_p90_ms", "goodput_per_gpu_per_s")


def draw(
    policy: Literal["static", "continuous", "chunked", "disaggregated"] = "continuous",
    compare: list[str] | None = None,
    requests: Annotated[int, Interval(ge=1, le=64)] = 8,
    rate_per_s: Annotated[float, Interval(ge=1e-3, le=1e6)] = 8,
    prompt_low: Annotated[int, Interval(ge=1, le=100_000)] = 200,
    prompt_high: Annotated[int, Interval(ge=1, le=100_000)] = 2000,
    output_low: Annotated[int, Interval(ge=1, le=2000)] = 8,
    output_high: Annotated[int, Interval(ge=1, le=2000)] = 24,
    arrivals_ms: list[Annotated[float, Interval(ge=0, le=1e9)]] | None = None,
    prompts: list[Annotated[int, Interval(ge=1, le=100_000)]] | None = None,
    outputs: list[Annotated[int, Interval(ge=1, le=2000)]] | None = None,
    batch: Annotated[int, Interval(ge=1, le=256)] = 8,
    budget: Annotated[int, Interval(ge=1, le=1_000_000)] = 512,
    base_ms: Annotated[float, Interval(ge=0.001, le=1e6)] = 20,
    prefill_us: Annotated[float, Interval(ge=0, le=1e6)] = 100,
    decode_ms: Annotated[float, Interval(ge=0, le=1e6)] = 0.5,
    transfer_us: Annotated[float, Interval(ge=0, le=1e6)] = 10,
    cache_blocks: Annotated[int, Interval(ge=1, le=10_000_000)] | None = None,
    block: Annotated[int, Interval(ge=1, le=100_000)] = 16,
    preemption: Literal["recompute", "swap"] = "recompute",
    swap_us: Annotated[float, Interval(ge=0, le=1e6)] = 30,
    ttft_ms: Annotated[float, Interval(ge=0, le=1e9)] = 500,
    tpot_ms: Annotated[float, Interval(ge=0, le=1e9)] = 60,
    seed: Annotated[int, Ge(0)] = 0,
    title: str = "",
    narrow: bool = False,
) -> Drawing:
    """Facts: requests; ttft_p50_ms, ttft_p90_ms, tpot_mean_ms, tpot_p90_ms, longest_gap_ms, kept, attainment,
    tokens_per_s, goodput_per_gpu_per_s, makespan_ms; those of each policy in `compare` end in its name. Of random
    requests also runs, and of both P90s and of goodput _low and _high: 95 % of so many other runs lie between them.
    With cache_blocks also peak_blocks, peak_cache_fraction, preemptions, preempted_requests, recomputed_tokens,
    swapped_tokens.

    requests .. output_high: Poisson arrivals, prompts and outputs uniform in tokens, from the seed; or arrivals_ms,
    prompts and outputs, lists of one length. batch: requests at a time. budget: tokens of an iteration, for chunked.
    base_ms, prefill_us (a prompt token), decode_ms (a request): the time of an iteration. transfer_us: of a prompt
    token's cache between GPUs. cache_blocks: of `block` tokens each, for continuous and chunked; compare then takes
    recompute, swap and unlimited, too. preemption: what is done with a cache for which there is no room. swap_us:
    copying a token's cache to or from the host. ttft_ms, tpot_ms: the promise. title: what to see. narrow: as wide as a
    phone.
    """
    hold(draw, locals())

    def workload(seed: int) -> list[serving.ServingRequest]:
        return serving.workload(
            requests, rate_per_s, (prompt_low, prompt_high), (output_low, output_high), seed
        )

    if arrivals_ms or prompts or outputs:
        lists = (arrivals_ms or [], prompts or [], outputs or [])
        if len({len(row) for row in lists}) != 1 or len(lists[0]) > 64:
            raise ValueError("arrivals_ms, prompts and outputs must have one length, of at most 64")
        work = [serving.ServingRequest(*row) for row in zip(*lists, strict=True)]
    else:
        if prompt_low > prompt_high or output_low > output_high:
            raise ValueError("prompt_low and output_low must not be above prompt_high and output_high")
        work = workload(seed)
    costs = serving.IterationCosts(base_ms, prefill_us / 1000, decode_ms, transfer_us / 1000)
    promise = serving.Promise(ttft_ms, tpot_ms)
    facts: dict[str, Any] = {"requests": len(work)}
    panels, facts_by_name = [], {}
    for name in dict.fromkeys([policy, *(compare or [])]):
        run = partial(
            _serve, name, policy, costs, batch, budget, _cache(name, cache_blocks, block, preemption, swap_us)
        )
        served, paged = run(work)
        stated = _facts(served, paged, promise)
        if not arrivals_ms:
            others = repeated.seeds(seed, sum(int(request.output) for request in work))
            names = (*SHOWN, "preemptions") if paged else SHOWN
            stated |= repeated.intervals(
                lambda seed, run=run: _facts(*run(workload(seed)), promise), others, names
            )
        facts_by_name[name] = stated
        panels.append(_panel(name, served, paged, promise, stated, preemption))
        suffixes = [""] if name == policy else []
        suffixes += [f"_{name}"] if name in (compare or []) else []
        facts |= {key + suffix: value for suffix in suffixes for key, value in stated.items()}
    factor, unit = rescaled(max(panel.timeline.makespan for panel in panels), "ms", 100_000)
    options = gantt.ChartOptions(
        width=gantt.width(narrow),
        axis=f"Time in {unit}",
        idle="Waiting",
        runs={"decode": "Decodes in a row"},
        scale=factor,
    )
    return Drawing(
        gantt.draw(panels, titled(title, _heading(facts_by_name, len(work)), facts), options), facts
    )


def _cache(
    name: str, blocks: int | None, block: int, preemption: str, swap_us: float
) -> paged_serving.PagedCache | None:
    """The cache of a panel; None if it has room for all. ValueError for a comparison that needs a limit."""
    if name in LIMITED and blocks is None:
        raise ValueError(f"compare: '{name}' needs cache_blocks")
    if blocks is None or name == "unlimited":
        return None
    return paged_serving.PagedCache(blocks, block, name if name in LIMITED else preemption, swap_us / 1000)


def _serve(
    name: str,
    policy: str,
    costs: serving.IterationCosts,
    batch: int,
    budget: int,
    cache: paged_serving.PagedCache | None,
    work: list[serving.ServingRequest],
) -> tuple[serving.Served, paged_serving.Paged | None]:
    """A run, and what its cache did if it is limited."""
    runs = policy if name in LIMITED else name
    if cache is None:
        return serving.serve(runs, work, costs, batch, budget), None
    paged = paged_serving.serve(runs, work, costs, cache, batch, budget)
    return paged.served, paged


def _facts(
    served: serving.Served, paged: paged_serving.Paged | None, promise: serving.Promise
) -> dict[str, Any]:
    return serving.facts(served, promise) | (paged_serving.facts(paged) if paged else {})


def _panel(
    name: str,
    served: serving.Served,
    paged: paged_serving.Paged | None,
    promise: serving.Promise,
    stated: dict[str, Any],
    preemption: str,
) -> gantt.Panel:
    named = NAMES.get(name) or LIMITED[name]
    curves: tuple[gantt.Curve, ...] = ()
    if paged:
        named = LIMITED[name if name in LIMITED else preemption]
        blocks = plural(stated["cache_blocks"], "block")
        curves = (
            gantt.Curve(
                "cache",
                paged.used,
                f"at most {stated['peak_blocks']} of {blocks}",
                limit=stated["cache_blocks"],
            ),
        )
    note = f"{stated['kept']} of {len(served.requests)} in time"
    if stated["longest_gap_ms"] and not paged:
        note = f"longest gap {time(stated['longest_gap_ms'], 'ms')}, {note}"
    late = tuple((n, "late") for n, good in enumerate(serving.kept(served, promise)) if not good)
    timeline = serving.to_timeline(served)
    decodes = [span for span in timeline.spans if span.kind == "decode"]
    longest = tuple(
        (span.lane, span.start, span.end, time(span.end - span.start, "ms"))
        for span in decodes
        if abs(span.end - span.start - stated["longest_gap_ms"]) < 1e-6
    )
    return gantt.Panel(timeline, named, note, curves, behind=late, intervals=longest[:1])


def _heading(facts_by_name: dict[str, dict[str, Any]], count: int) -> str:
    """Who keeps the most promises for each GPU, or what a single policy keeps."""
    best = max(facts_by_name, key=lambda name: facts_by_name[name]["goodput_per_gpu_per_s"])
    kept = facts_by_name[best]["kept"]
    limited = next((stated for stated in facts_by_name.values() if "preemptions" in stated), None)
    if limited is not None:
        return _of_limit(limited)
    if len(facts_by_name) == 1:
        verb = "gets its" if count == 1 else "get their"
        return f"{kept or 'None'} of {plural(count, 'request')} {verb} tokens in time"
    if not kept:
        return "No policy keeps the promise to any request"
    rates = [stated["goodput_per_gpu_per_s"] for stated in facts_by_name.values()]
    if sum(rate > (1 - 1e-9) * max(rates) for rate in rates) > 1:
        return f"Several policies keep equally many promises per GPU: {number(max(rates))} a second"
    words = {
        "static": "Static batches",
        "continuous": "Whole prompts",
        "chunked": "Chunked prompts",
        "disaggregated": "GPUs apart",
    }
    return f"{words[best]} keep the most promises per GPU: {kept} of {count}"


def _of_limit(facts: dict[str, Any]) -> str:
    """What the cache did to the first panel that has a limited one."""
    blocks = plural(facts["cache_blocks"], "block")
    if not facts["preemptions"]:
        return f"A cache of {blocks} has room for all who run"
    many = plural(facts["preemptions"], "preemption")
    if facts["swapped_tokens"]:
        return (
            f"A cache of {blocks} is too small: {many}, and {plural(facts['swapped_tokens'], 'token')} copied"
        )
    return f"A cache of {blocks} is too small: {many}, and {plural(facts['recomputed_tokens'], 'token')} computed twice"
