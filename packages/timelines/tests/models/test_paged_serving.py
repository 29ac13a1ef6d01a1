"""A cache of limited size: by hand, against a second simulation with a table of pages, and against none at all."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill_timelines.charts.ascii import ascii  # noqa: A004
from figmill_timelines.models import paged_serving, serving
from figmill_timelines.models.paged_serving import Paged, PagedCache
from figmill_timelines.models.serving import IterationCosts, Promise, ServingRequest

WHOLE = IterationCosts(base=2, prefill=1, decode=1)
# Two blocks of four tokens: both prompts fit, and the fifth token of the first takes the second one's block.
PAIR = [ServingRequest(0, 3, 4), ServingRequest(0, 2, 2)]


def letters(paged: Paged) -> str:
    return ascii(serving.to_timeline(paged.served, Promise(100, 100)), 1).replace("  ", " ")


def test_the_latest_request_is_preempted_and_computed_again() -> None:
    # p: prefill, d: decode, r: prefill again. The second request has 2 + 2 tokens when the first needs a block.
    paged = paged_serving.serve(
        "continuous", [ServingRequest(0, 3, 4), ServingRequest(0, 2, 4)], WHOLE, PagedCache(2, 4), batch=2
    )
    assert letters(paged) == (
        "p p p p p p p d d d d d d d d d d .. .. .. .. .. .. .. .. ..\n"
        "p p p p p p p d d d d .. .. .. .. .. .. r r r r r r d d d\n"
    )
    stated = paged_serving.facts(paged)
    assert (stated["preemptions"], stated["recomputed_tokens"], stated["swapped_tokens"]) == (1, 3, 0)
    assert (stated["peak_blocks"], stated["peak_cache_fraction"]) == (2, 1.0)


def test_a_swapped_cache_is_copied_out_and_in_and_nothing_is_computed_again() -> None:
    cache = PagedCache(2, 4, "swap", 1)
    paged = paged_serving.serve(
        "continuous", [ServingRequest(0, 3, 4), ServingRequest(0, 2, 4)], WHOLE, cache, batch=2
    )
    assert letters(paged) == (
        "p p p p p p p d d d d .. .. .. d d d d d d .. .. .. .. .. .. .. .. ..\n"
        "p p p p p p p d d d d s s s .. .. .. .. .. .. s s s d d d d d d\n"
    )
    stated = paged_serving.facts(paged)
    assert (stated["preemptions"], stated["recomputed_tokens"], stated["swapped_tokens"]) == (1, 0, 6)


def test_who_comes_later_is_not_admitted_before_who_was_preempted() -> None:
    requests = [ServingRequest(0, 4, 6), ServingRequest(0, 4, 6), ServingRequest(1, 1, 1)]
    paged = paged_serving.serve("continuous", requests, WHOLE, PagedCache(3, 4))
    again = next(p.start for p in paged.served.pieces if p.kind == "recompute")
    late = next(p.start for p in paged.served.pieces if p.request == 2)
    assert late >= again


class Pages:
    """The same rules over again with a table of numbered pages: every token lies in a page of its own request."""

    def __init__(
        self,
        requests: list[ServingRequest],
        cache: PagedCache,
        costs: IterationCosts,
        batch: int,
        budget: int,
    ) -> None:
        self.jobs = [
            {"n": n, "r": r, "made": 0, "cached": 0, "pages": [], "state": "coming"}
            for n, r in enumerate(requests)
        ]
        self.pool = list(range(cache.blocks))
        self.cache, self.costs, self.batch, self.budget = cache, costs, batch, budget
        self.clock, self.peak = 0.0, 0
        self.tokens: list[list[float]] = [[] for _ in requests]
        self.preemptions = self.dropped = self.moved = 0

    def of(self, *states: str) -> list[dict[str, Any]]:
        return [job for job in self.jobs if job["state"] in states]

    @staticmethod
    def target(job: dict[str, Any]) -> int:
        """How many tokens its cache holds once it can give its next one."""
        return int(job["r"].prompt + job["made"])

    def grow(self, job: dict[str, Any]) -> bool:
        missing = -(-self.target(job) // self.cache.block) - len(job["pages"])
        if missing > len(self.pool):
            return False
        for _ in range(missing):
            job["pages"].append(self.pool.pop())
        return True

    def evict(self, job: dict[str, Any]) -> float:
        self.preemptions += 1
        self.pool += job["pages"]
        job["pages"] = []
        if self.cache.preemption == "swap":
            job["state"] = "away"
            self.moved += job["cached"]
            return job["cached"] * self.cache.swap
        job["state"] = "waiting"
        self.dropped += job["cached"]
        job["cached"] = 0
        return 0.0

    def run(self) -> None:
        while self.of("coming", "waiting", "away", "in"):
            if not self.of("waiting", "away", "in"):
                self.clock = max(self.clock, self.of("coming")[0]["r"].arrival)
            for job in self.of("coming"):
                if job["r"].arrival <= self.clock:
                    job["state"] = "waiting"
            self.step()

    def step(self) -> None:
        copying, evicted = 0.0, False
        for job in self.of("in"):
            while job["state"] == "in" and not self.grow(job):
                copying += self.evict(self.of("in")[-1])
                evicted = True
        for state in ("away", "waiting"):
            for job in self.of(state):
                if evicted or len(self.of("in")) == self.batch or self.of("away") not in ([], self.of(state)):
                    break
                if not self.grow(job):
                    break
                job["state"] = "in"
                copying += job["cached"] * self.cache.swap if state == "away" else 0
                self.moved += job["cached"] if state == "away" else 0
        self.peak = max(self.peak, self.cache.blocks - len(self.pool))
        # A request that has made no token of its present prompt, or lost its cache, computes many at once.
        decoding = [job for job in self.of("in") if job["made"] and job["cached"] == self.target(job) - 1]
        decoding = [job for job in decoding if not job.get("long")]
        room, many = self.budget - len(decoding), {}
        for job in self.of("in"):
            if job not in decoding:
                job["long"] = True
                many[job["n"]] = max(0, min(room, self.target(job) - job["cached"]))
                room -= many[job["n"]]
        self.clock += (
            copying
            + self.costs.base
            + self.costs.decode * len(decoding)
            + self.costs.prefill * sum(many.values())
        )
        for job in self.of("in"):
            job["cached"] += many.get(job["n"], 1)
            if job["cached"] == self.target(job):
                job["long"] = False
                job["made"] += 1
                self.tokens[job["n"]].append(self.clock)
                if job["made"] == job["r"].output:
                    job["state"] = "done"
                    self.pool += job["pages"]


REQUESTS = st.lists(
    st.builds(ServingRequest, st.integers(0, 60), st.integers(1, 12), st.integers(1, 9)),
    min_size=1,
    max_size=8,
)


@examples(
    40,
    300,
    REQUESTS,
    st.sampled_from(paged_serving.POLICIES),
    st.sampled_from(paged_serving.PREEMPTION),
    st.integers(5, 14),
    st.integers(2, 5),
    st.integers(1, 4),
    st.integers(4, 9),
)
def test_a_table_of_pages_finds_the_same_times(
    requests: list[ServingRequest],
    policy: str,
    preemption: str,
    blocks: int,
    block: int,
    batch: int,
    budget: int,
) -> None:
    ordered = sorted(requests, key=lambda request: request.arrival)
    most = max(-(-(r.prompt + r.output - 1) // block) for r in ordered)
    cache = PagedCache(max(blocks, most), block, preemption, 0.5)
    paged = paged_serving.serve(policy, ordered, WHOLE, cache, batch, budget)
    pages = Pages(ordered, cache, WHOLE, batch, budget if policy == "chunked" else 10**9)
    pages.run()
    gave = sorted((p for p in paged.served.pieces if p.gives), key=lambda piece: piece.end)
    assert [[p.end for p in gave if p.request == n] for n in range(len(ordered))] == pages.tokens
    stated = paged_serving.facts(paged)
    assert stated["preemptions"] == pages.preemptions
    assert (stated["recomputed_tokens"], stated["swapped_tokens"]) == (pages.dropped, pages.moved)
    assert stated["peak_blocks"] == pages.peak <= cache.blocks
    gaps = [after - before for row in pages.tokens for before, after in pairwise(row)]
    assert serving.longest_gap(paged.served) == max([0.0, *gaps])


@settings(max_examples=60, deadline=None)
@given(REQUESTS, st.sampled_from(paged_serving.POLICIES), st.integers(1, 4))
def test_a_cache_with_room_for_all_changes_nothing(
    requests: list[ServingRequest], policy: str, batch: int
) -> None:
    paged = paged_serving.serve(policy, requests, IterationCosts(), PagedCache(10**6), batch, 16)
    assert paged.served == serving.serve(policy, requests, IterationCosts(), batch, 16)
    assert not paged.preempted and paged.recomputed == paged.swapped == 0


@settings(max_examples=60, deadline=None)
@given(REQUESTS, st.sampled_from(paged_serving.PREEMPTION))
def test_every_request_gets_its_tokens_and_nothing_stays_in_the_cache(
    requests: list[ServingRequest], preemption: str
) -> None:
    paged = paged_serving.serve("continuous", requests, WHOLE, PagedCache(10, 2, preemption))
    for n, request in enumerate(paged.served.requests):
        assert sum(p.gives for p in paged.served.pieces if p.request == n) == request.output
    assert paged.used[-1] == (max(paged.served.last), 0)


@pytest.mark.parametrize(
    ("policy", "cache", "message"),
    [
        ("static", PagedCache(9), "a limited cache is for continuous and chunked, not for static"),
        ("chunked", PagedCache(9, 16, "wait"), "preemption must be recompute or swap, not 'wait'"),
        (
            "continuous",
            PagedCache(1, 4),
            "request R0 needs 2 blocks of 4 tokens for its 6 tokens; the cache has 1",
        ),
    ],
)
def test_what_cannot_run_is_told(policy: str, cache: PagedCache, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        paged_serving.serve(policy, PAIR, WHOLE, cache)
