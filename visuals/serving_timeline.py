"""Requests to a language model as lanes: how batching decides when each gets its tokens."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

from annotated_types import Ge, Interval

from figmill import Drawing
from figmill.timelines import gantt, serving
from figmill.timelines.bounds import hold
from figmill.timelines.models import repeated
from figmill.timelines.quantities import number, plural, quantity, rescaled, time
from figmill.timelines.titles import titled

NAMES = {
    "static": "Static batches",
    "continuous": "Continuous batching, whole prompts",
    "chunked": "Continuous batching, chunked prompts",
    "disaggregated": "Prefill and decode on GPUs of their own",
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
    ttft_ms: Annotated[float, Interval(ge=0, le=1e9)] = 500,
    tpot_ms: Annotated[float, Interval(ge=0, le=1e9)] = 60,
    seed: Annotated[int, Ge(0)] = 0,
    title: str = "",
) -> Drawing:
    """Facts: ttft_p50_ms, ttft_p90_ms, tpot_mean_ms, tpot_p90_ms, longest_gap_ms, kept, attainment, tokens_per_s,
    goodput_per_gpu_per_s, makespan_ms; those of each policy in `compare` end in its name. Of random requests also runs,
    and for the numbers beside a panel _low and _high: 95 % of so many other runs lie between them.

    requests .. output_high: Poisson arrivals, prompts and outputs uniform in tokens, from the seed; or arrivals_ms,
    prompts and outputs, lists of one length. batch: requests at a time. budget: tokens of an iteration, for chunked.
    base_ms, prefill_us (a prompt token), decode_ms (a request): the time of an iteration. transfer_us: of a prompt
    token's cache between GPUs. ttft_ms, tpot_ms: the promise. title: what to see.
    """
    hold(draw, locals())

    def workload(seed: int) -> list[serving.Request]:
        return serving.workload(
            requests, rate_per_s, (prompt_low, prompt_high), (output_low, output_high), seed
        )

    if arrivals_ms or prompts or outputs:
        lists = (arrivals_ms or [], prompts or [], outputs or [])
        if len({len(row) for row in lists}) != 1 or len(lists[0]) > 64:
            raise ValueError("arrivals_ms, prompts and outputs must have one length, of at most 64")
        work = [serving.Request(*row) for row in zip(*lists, strict=True)]
    else:
        if prompt_low > prompt_high or output_low > output_high:
            raise ValueError("prompt_low and output_low must not be above prompt_high and output_high")
        work = workload(seed)
    costs = serving.Costs(base_ms, prefill_us / 1000, decode_ms, transfer_us / 1000)
    promise = serving.Promise(ttft_ms, tpot_ms)
    facts: dict[str, Any] = {}
    panels, found = [], {}
    for name in dict.fromkeys([policy, *(compare or [])]):
        served = serving.serve(name, work, costs, batch, budget)
        stated = serving.facts(served, promise)
        if not arrivals_ms:
            again = partial(_run, workload, name, costs, batch, budget, promise)
            others = repeated.seeds(seed, sum(int(request.output) for request in work))
            stated |= repeated.intervals(again, others, SHOWN)
        found[name] = stated
        panels.append(
            gantt.Panel(serving.to_timeline(served, promise), NAMES[name], _note(stated, len(work)))
        )
        suffixes = [""] if name == policy else []
        suffixes += [f"_{name}"] if name in (compare or []) else []
        facts |= {key + suffix: value for suffix in suffixes for key, value in stated.items()}
    within = f"TTFT ≤ {quantity(ttft_ms / 1000, 's')}, TPOT ≤ {quantity(tpot_ms / 1000, 's')}"
    factor, unit = rescaled(max(panel.timeline.makespan for panel in panels), "ms", 100_000)
    late = "" if all(stated["kept"] == len(work) for stated in found.values()) else "; late: who missed it"
    options = gantt.Options(axis=f"Time in {unit} (promise: {within}{late})", idle="Waiting", scale=factor)
    return Drawing(gantt.draw(panels, titled(title, _heading(found, len(work)), facts), options), facts)


def _run(
    workload: Callable[[int], list[serving.Request]],
    policy: str,
    costs: serving.Costs,
    batch: int,
    budget: int,
    promise: serving.Promise,
    seed: int,
) -> dict[str, Any]:
    """The facts of another run."""
    return serving.facts(serving.serve(policy, workload(seed), costs, batch, budget), promise)


def _note(facts: dict[str, Any], count: int) -> str:
    ttft, tpot, rate = (repeated.said(facts, name) for name in SHOWN)
    return f"P90 of TTFT {_ms(ttft)}, of TPOT {_ms(tpot)} · {facts['kept']} of {count} kept · {number(rate)}/s per GPU"


def _ms(value: float) -> str:
    return time(value, "ms")


def _heading(found: dict[str, dict[str, Any]], count: int) -> str:
    """Who keeps the most promises for each GPU, or what a single policy keeps."""
    best = max(found, key=lambda name: found[name]["goodput_per_gpu_per_s"])
    kept = found[best]["kept"]
    if len(found) == 1:
        verb = "gets its" if count == 1 else "get their"
        return f"{kept or 'None'} of {plural(count, 'request')} {verb} tokens in time"
    if not kept:
        return "No policy keeps the promise to any request"
    rates = [stated["goodput_per_gpu_per_s"] for stated in found.values()]
    if sum(rate > (1 - 1e-9) * max(rates) for rate in rates) > 1:
        rate = repeated.said(found[best], "goodput_per_gpu_per_s")
        return f"Several policies keep equally many promises per GPU: {number(rate)} a second"
    words = {"static": "Static batches", "continuous": "Whole prompts", "chunked": "Chunked prompts",
             "disaggregated": "GPUs apart"}  # fmt: skip
    return f"{words[best]} keep the most promises per GPU: {kept} of {count}"
