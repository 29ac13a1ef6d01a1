"""Serving with a cache of limited size: requests run while blocks are free, and are preempted when none are.

The cache of keys and values lies in blocks of a few tokens (Kwon et al. 2023, PagedAttention, arXiv:2309.06180). Each
request holds the blocks of its own tokens. Before an iteration, in the order of arrival, each running request gets the
block that its next token needs. If none is free, the request that came last is preempted, again and again until there
is one. Requests are admitted, first come first served, only if the blocks of their whole prompt are free and no request
was preempted in this iteration.

    recompute   a preempted request drops its cache; later its prompt and its tokens so far are computed in one prefill
    swap        its cache is copied to the host, and back once there is room, before any new request is admitted; the
                copies come before the iteration that needs them

Iterations, policies and times are those of `serving`. No watermark applies: a request may take the last free block.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from figmill_timelines.models.serving import IterationCosts, RequestWork, Served, ServingRequest, served

POLICIES = ("continuous", "chunked")
PREEMPTION = ("recompute", "swap")


@dataclass(frozen=True, slots=True)
class PagedCache:
    """A cache in blocks.

    - blocks: their number.
    - block: tokens of one.
    - swap: ms for the copy of a token's cache, one way.
    """

    blocks: int
    block: int = 16
    preemption: str = "recompute"
    swap: float = 0.03

    def needed(self, tokens: int) -> int:
        """The blocks that so many tokens take."""
        return -(-tokens // self.block)


@dataclass(frozen=True, slots=True)
class Paged:
    """A run with a limited cache.

    - used: (time, blocks in use) at each change.
    - preempted: (time, request), in the order of time.
    - recomputed: tokens whose cache was dropped, and which are computed a second time.
    - swapped: tokens copied, both out and in.
    """

    served: Served
    cache: PagedCache
    used: tuple[tuple[float, int], ...]
    preempted: tuple[tuple[float, int], ...]
    recomputed: int
    swapped: int


class _Gpu:
    """Requests between two iterations, and what has been recorded of them.

    - todo: tokens to prefill.
    - held: tokens in the cache.
    - given: output so far.
    - again: their prefill repeats work.
    """

    def __init__(self, requests: Sequence[ServingRequest], costs: IterationCosts, cache: PagedCache) -> None:
        self.requests, self.costs, self.cache = requests, costs, cache
        self.free = cache.blocks
        self.todo = [request.prompt for request in requests]
        self.held, self.given, self.blocks = ([0] * len(requests) for _ in range(3))
        self.again = [False] * len(requests)
        self.waiting: list[int] = []
        self.swapped: list[int] = []
        self.running: list[int] = []
        self.pieces: list[RequestWork] = []
        self.used: list[tuple[float, int]] = []
        self.preempted: list[tuple[float, int]] = []
        self.recomputed = self.copied = 0

    def iterate(self, now: float, batch: int, budget: int | None) -> float:
        """Run one iteration; return its end. budget: the most tokens in it."""
        out = list(self._make_room())
        self.preempted += [(now, request) for request in out]
        copies: list[int] = []
        if self.cache.preemption == "swap":
            copies += out
            self.swapped[:0] = reversed(out)
        else:
            for request in out:
                self._drop(request)
            self.waiting[:0] = reversed(out)
        if not out:
            copies += self._admit(self.swapped, batch)
            if not self.swapped:
                self._admit(self.waiting, batch)
        self.used.append((now, self.cache.blocks - self.free))
        now = self._copy(copies, now)
        chunks, decoding = self._work(budget)
        end = now + self.costs.iteration(sum(map(int, chunks.values())), len(decoding))
        for request, tokens in chunks.items():
            kind = "recompute" if self.again[request] else "prefill"
            self._compute(request, tokens, kind, now, end)
        for request in decoding:
            self._compute(request, 1, "decode", now, end)
        self._finish()
        self.used.append((end, self.cache.blocks - self.free))
        return end

    def _lacks(self, request: int) -> int:
        """The blocks that it needs next and does not hold. A prompt takes all of its own at once."""
        tokens = self.held[request] + max(1, self.todo[request])
        return self.cache.needed(tokens) - self.blocks[request]

    def _take(self, request: int) -> None:
        lacks = self._lacks(request)
        self.free -= lacks
        self.blocks[request] += lacks

    def _release(self, request: int) -> None:
        self.free += self.blocks[request]
        self.blocks[request] = 0

    def _make_room(self) -> Iterator[int]:
        """Give each running request its next block; yield the requests preempted for it, the latest first."""
        for request in list(self.running):
            while request in self.running and self._lacks(request) > self.free:
                latest = self.running.pop()
                self._release(latest)
                yield latest
            if request in self.running:
                self._take(request)

    def _drop(self, request: int) -> None:
        self.recomputed += self.held[request]
        self.again[request] = self.again[request] or self.held[request] > 0
        self.held[request] = 0
        self.todo[request] = self.requests[request].prompt + self.given[request]

    def _admit(self, queue: list[int], batch: int) -> list[int]:
        """Take requests from the head of a queue while there is room for them."""
        before = len(self.running)
        while queue and len(self.running) < batch and self._lacks(queue[0]) <= self.free:
            self._take(queue[0])
            self.running.append(queue.pop(0))
        return self.running[before:]

    def _copy(self, requests: Sequence[int], now: float) -> float:
        """Copy the caches of these requests, one after the other; return the time when that is done."""
        for request in requests:
            tokens = self.held[request]
            self.copied += tokens
            end = now + self.cache.swap * tokens
            self.pieces.append(RequestWork(request, now, end, "swap", tokens))
            now = end
        return now

    def _work(self, budget: int | None) -> tuple[dict[int, int], list[int]]:
        """The prompt tokens of each request, and the requests that decode."""
        decoding = [request for request in self.running if not self.todo[request]]
        chunks = {request: self.todo[request] for request in self.running if self.todo[request]}
        if budget is not None:
            left = max(0, budget - len(decoding))
            for request, todo in chunks.items():
                chunks[request] = min(todo, left)
                left -= chunks[request]
        return {request: tokens for request, tokens in chunks.items() if tokens}, decoding

    def _compute(self, request: int, tokens: int, kind: str, start: float, end: float) -> None:
        self.held[request] += tokens
        self.todo[request] = max(0, self.todo[request] - tokens)
        gives = not self.todo[request]
        self.given[request] += gives
        self.again[request] = self.again[request] and not gives
        self.pieces.append(RequestWork(request, start, end, kind, tokens, gives))

    def _finish(self) -> None:
        for request in [r for r in self.running if self.given[r] == self.requests[r].output]:
            self.running.remove(request)
            self._release(request)


def serve(
    policy: str,
    requests: Sequence[ServingRequest],
    costs: IterationCosts,
    cache: PagedCache,
    batch: int = 8,
    budget: int = 512,
) -> Paged:
    """Run a policy until every request has its last token.

    Times are in ms. ValueError for an unknown policy or kind of preemption, and for a request that the whole cache
    cannot hold.
    """
    if policy not in POLICIES:
        raise ValueError(f"a limited cache is for {' and '.join(POLICIES)}, not for {policy}")
    if cache.preemption not in PREEMPTION:
        raise ValueError(f"preemption must be {' or '.join(PREEMPTION)}, not '{cache.preemption}'")
    ordered = tuple(sorted(requests, key=lambda request: request.arrival))
    for n, request in enumerate(ordered):
        most = request.prompt + request.output - 1  # nothing reads the cache of the last token
        if cache.needed(most) > cache.blocks:
            blocks = f"{cache.needed(most)} blocks of {cache.block} tokens"
            raise ValueError(
                f"request R{n} needs {blocks} for its {most} tokens; the cache has {cache.blocks}"
            )
    gpu = _Gpu(ordered, costs, cache)
    now, coming = 0.0, deque(range(len(ordered)))
    while coming or gpu.waiting or gpu.swapped or gpu.running:
        if not (gpu.waiting or gpu.swapped or gpu.running):
            now = max(now, ordered[coming[0]].arrival)
        while coming and ordered[coming[0]].arrival <= now:
            gpu.waiting.append(coming.popleft())
        now = gpu.iterate(now, batch, budget if policy == "chunked" else None)
    used = tuple(dict(gpu.used).items())  # of two requests at one moment, the later one
    done = served(ordered, gpu.pieces, 1)
    return Paged(done, cache, used, tuple(gpu.preempted), gpu.recomputed, gpu.copied)


def facts(paged: Paged) -> dict[str, Any]:
    """The facts of the limit: blocks at the peak, preemptions, and the work that they cost."""
    peak = max(blocks for _, blocks in paged.used)
    return {
        "cache_blocks": paged.cache.blocks,
        "peak_blocks": peak,
        "peak_cache_fraction": peak / paged.cache.blocks,
        "preemptions": len(paged.preempted),
        "preempted_requests": len({request for _, request in paged.preempted}),
        "recomputed_tokens": paged.recomputed,
        "swapped_tokens": paged.swapped,
    }
