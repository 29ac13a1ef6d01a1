"""Serving a language model: how requests share a GPU's iterations, and when they get their tokens.

An iteration takes base + prefill x (prompt tokens in it) + decode x (requests that get one more token). The iteration
that ends a request's prompt gives its first token; each further token takes a decode. Four policies, first come first
served, of at most `batch` requests at a time:

    static         a batch is taken together, and the next batch when all of it is done
    continuous     requests join and leave at every iteration, prompts whole: Orca (Yu et al., OSDI 2022)
    chunked        the same with at most `budget` tokens in an iteration, decodes first: Sarathi-Serve
                   (Agrawal et al. 2024, arXiv:2403.02310)
    disaggregated  one GPU for prompts, one at a time, and one for decodes, which begin when the cache has been sent:
                   DistServe (Zhong et al. 2024, arXiv:2401.09670)

Times are milliseconds.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from types import MappingProxyType
from typing import Any, NamedTuple

from figmill_timelines.spans import Span, Timeline


@dataclass(frozen=True, slots=True)
class ServingRequest:
    """A request.

    - arrival: in ms.
    - prompt, output: tokens, at least 1 each.
    """

    arrival: float
    prompt: int
    output: int


@dataclass(frozen=True, slots=True)
class IterationCosts:
    """What an iteration takes: `base`, and more for each prompt token and each decoding request; and the way of a
    prompt token's cache from one GPU to the other. All in ms."""

    base: float = 20.0
    prefill: float = 0.1
    decode: float = 0.5
    transfer: float = 0.01

    def iteration(self, tokens: int, decodes: int) -> float:
        return self.base + self.prefill * tokens + self.decode * decodes


class RequestWork(NamedTuple):
    """The work of one iteration for a request.

    - tokens: of its prompt, or 1 for a decode.
    - gives: whether it gives a token at its end.
    """

    request: int
    start: float
    end: float
    kind: str  # "prefill", "decode", "transfer"; with a limited cache also "recompute" and "swap"
    tokens: int
    gives: bool = False


@dataclass(frozen=True, slots=True)
class Served:
    """The pieces of all requests in the order of time; when each request got its first and its last token."""

    requests: tuple[ServingRequest, ...]
    pieces: tuple[RequestWork, ...]
    first: tuple[float, ...]
    last: tuple[float, ...]
    gpus: int


@dataclass
class _ServerState:
    """Requests on one GPU between two iterations.

    - todo: prompt tokens left.
    - given: output tokens so far.
    """

    requests: Sequence[ServingRequest]
    todo: list[int]
    given: list[int]
    arrived: list[int] = field(default_factory=list)
    running: list[int] = field(default_factory=list)


# The prompt tokens of each request and the decoding requests of the next iteration.
_Choice = tuple[dict[int, int], list[int]]
_Policy = Callable[[_ServerState, int, int], _Choice]


def _static(state: _ServerState, batch: int, budget: int) -> _Choice:
    if not state.running:
        state.running, state.arrived = state.arrived[:batch], state.arrived[batch:]
    return _all_of(state)


def _continuous(state: _ServerState, batch: int, budget: int) -> _Choice:
    _admit(state, batch)
    return _all_of(state)


def _chunked(state: _ServerState, batch: int, budget: int) -> _Choice:
    _admit(state, batch)
    prompts, decoding = _all_of(state)
    left = budget - len(decoding)
    chunks = {}
    for request, todo in prompts.items():
        if left > 0:
            chunks[request] = min(todo, left)
            left -= chunks[request]
    return chunks, decoding


def _admit(state: _ServerState, batch: int) -> None:
    free = batch - len(state.running)
    state.running += state.arrived[:free]
    del state.arrived[:free]


def _all_of(state: _ServerState) -> _Choice:
    prompts = {request: state.todo[request] for request in state.running if state.todo[request]}
    return prompts, [request for request in state.running if not state.todo[request]]


_TOGETHER: Mapping[str, _Policy] = MappingProxyType(
    {"static": _static, "continuous": _continuous, "chunked": _chunked}
)
POLICIES = (*_TOGETHER, "disaggregated")


def serve(
    policy: str, requests: Sequence[ServingRequest], costs: IterationCosts, batch: int = 8, budget: int = 512
) -> Served:
    """Run a policy until every request has its last token. ValueError for an unknown policy."""
    ordered = tuple(sorted(requests, key=lambda request: request.arrival))
    if policy == "disaggregated":
        return _disaggregated(ordered, costs, batch)
    if policy not in _TOGETHER:
        raise ValueError(f"no policy '{policy}'; choose one of {', '.join(POLICIES)}")
    state = _ServerState(ordered, [r.prompt for r in ordered], [0] * len(ordered))
    arrivals = [(request.arrival, n) for n, request in enumerate(ordered)]
    pieces = _run(state, arrivals, costs, batch, budget, _TOGETHER[policy])
    return served(ordered, pieces, 1)


def _run(
    state: _ServerState,
    arrivals: Sequence[tuple[float, int]],
    costs: IterationCosts,
    batch: int,
    budget: int,
    policy: _Policy,
) -> list[RequestWork]:
    """Run iteration after iteration on one GPU. arrivals: (time, request), in the order of time."""
    pieces: list[RequestWork] = []
    coming = list(reversed(arrivals))
    now = 0.0
    while coming or state.arrived or state.running:
        if not state.arrived and not state.running:
            now = max(now, coming[-1][0])
        while coming and coming[-1][0] <= now:
            state.arrived.append(coming.pop()[1])
        prompts, decoding = policy(state, batch, budget)
        end = now + costs.iteration(sum(map(int, prompts.values())), len(decoding))
        for request, tokens in prompts.items():
            state.todo[request] -= tokens
            pieces.append(RequestWork(request, now, end, "prefill", tokens, not state.todo[request]))
            state.given[request] += not state.todo[request]
        for request in decoding:
            pieces.append(RequestWork(request, now, end, "decode", 1, True))
            state.given[request] += 1
        now = end
        state.running = [r for r in state.running if state.given[r] < state.requests[r].output]
    return pieces


def _disaggregated(requests: tuple[ServingRequest, ...], costs: IterationCosts, batch: int) -> Served:
    pieces: list[RequestWork] = []
    ready: list[tuple[float, int]] = []
    free = 0.0
    for n, request in enumerate(requests):
        start = max(free, request.arrival)
        free = start + costs.iteration(request.prompt, 0)
        pieces.append(RequestWork(n, start, free, "prefill", request.prompt, True))
        if request.output > 1:
            sent = free + costs.transfer * request.prompt
            pieces.append(RequestWork(n, free, sent, "transfer", request.prompt))
            ready.append((sent, n))
    state = _ServerState(requests, [0] * len(requests), [1] * len(requests))
    pieces += _run(state, sorted(ready), costs, batch, 1, _continuous)
    return served(requests, pieces, 2)


def served(requests: tuple[ServingRequest, ...], pieces: Sequence[RequestWork], gpus: int) -> Served:
    """The pieces in the order of time, and when each request got its first and its last token."""
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    for piece in sorted(pieces, key=lambda piece: piece.end):
        if piece.gives:
            first.setdefault(piece.request, piece.end)
            last[piece.request] = piece.end
    ordered = tuple(sorted(pieces, key=lambda piece: (piece.start, piece.request)))
    each = range(len(requests))
    return Served(requests, ordered, tuple(first[n] for n in each), tuple(last[n] for n in each), gpus)


@dataclass(frozen=True, slots=True)
class Promise:
    """An SLO: the most ms to the first token, and the most from one token to the next on average."""

    ttft: float
    tpot: float


def ttft(served: Served) -> list[float]:
    """From each arrival to the first token, in ms."""
    return [first - request.arrival for first, request in zip(served.first, served.requests, strict=True)]


def tpot(served: Served) -> list[float]:
    """The mean time of each further token, in ms, for each request; 0 if there is one token only."""
    return [
        (last - first) / (request.output - 1) if request.output > 1 else 0.0
        for first, last, request in zip(served.first, served.last, served.requests, strict=True)
    ]


def kept(served: Served, promise: Promise) -> list[bool]:
    """Whether each request met both parts of the promise."""
    return [
        first <= promise.ttft and each <= promise.tpot
        for first, each in zip(ttft(served), tpot(served), strict=True)
    ]


def longest_gap(served: Served) -> float:
    """The longest time between two tokens of one request, in ms."""
    seen: dict[int, float] = {}
    most = 0.0
    for piece in sorted(served.pieces, key=lambda piece: piece.end):
        if piece.gives:
            most = max(most, piece.end - seen.get(piece.request, piece.end))
            seen[piece.request] = piece.end
    return most


def percentile(values: Sequence[float], share: float) -> float:
    """The least value that at least this share of all values does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def facts(served: Served, promise: Promise) -> dict[str, Any]:
    """Times to the first token and of each further token; goodput is the rate of requests that met the promise."""
    end = max(served.last) - min(request.arrival for request in served.requests)
    firsts, good = ttft(served), sum(int(k) for k in kept(served, promise))
    # A request of one token has no further token, and does not count in the mean; if all are like this, there is no
    # such time.
    each = [time for time, r in zip(tpot(served), served.requests, strict=True) if r.output > 1] or [0.0]
    tokens = sum(int(request.output) for request in served.requests)
    return {
        "makespan_ms": max(served.last),
        "ttft_mean_ms": fsum(firsts) / len(firsts),
        "ttft_p50_ms": percentile(firsts, 0.5),
        "ttft_p90_ms": percentile(firsts, 0.9),
        "tpot_mean_ms": fsum(each) / len(each),
        "tpot_p90_ms": percentile(each, 0.9),
        "longest_gap_ms": longest_gap(served),
        "tokens_per_s": 1000 * tokens / end,
        "kept": good,
        "attainment": good / len(firsts),
        "gpus": served.gpus,
        "goodput_per_gpu_per_s": 1000 * good / end / served.gpus,
    }


def to_timeline(served: Served, promise: Promise | None = None) -> Timeline:
    """A lane for each request from its arrival to its last token. promise: lanes of who missed it are named late."""
    spans = [Span(p.request, p.start, p.end, p.kind) for p in served.pieces]
    spans.sort(key=lambda span: (span.lane, span.start))
    reached = [request.arrival for request in served.requests]
    waits = []
    for span in spans:
        if span.start > reached[span.lane]:
            waits.append(Span(span.lane, reached[span.lane], span.start, "waiting"))
        reached[span.lane] = span.end
    late = {n for n, good in enumerate(kept(served, promise)) if not good} if promise else set[int]()
    names = (f"late: R{n}" if n in late else f"R{n}" for n in range(len(served.requests)))
    return Timeline(tuple(names), tuple(spans), tuple(sorted(waits)), "ms")


def workload(
    count: int, rate_per_s: float, prompt: tuple[int, int], output: tuple[int, int], seed: int
) -> list[ServingRequest]:
    """Requests with Poisson arrivals, the first at 0; tokens of prompts and outputs are uniform in (least, most)."""
    source = random.Random(seed)
    now, requests = 0.0, []
    for _ in range(count):
        requests.append(ServingRequest(now, _uniform(source, *prompt), _uniform(source, *output)))
        now += -math.log1p(-source.random()) * 1000 / rate_per_s
    return requests


def _uniform(source: random.Random, low: int, high: int) -> int:
    return low + int(source.random() * (high - low + 1))
