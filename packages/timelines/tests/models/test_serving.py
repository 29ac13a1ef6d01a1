"""Policies of serving: by hand, tick by tick, and against recursions for single servers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill_timelines.charts.ascii import ascii  # noqa: A004
from figmill_timelines.models import serving
from figmill_timelines.models.serving import POLICIES, IterationCosts, Promise, ServingRequest

# whole milliseconds: a clock that ticks can follow them
WHOLE = IterationCosts(base=2, prefill=1, decode=1, transfer=1)
PROMISE = Promise(100, 100)


def letters(policy: str, requests: list[ServingRequest], **more: int) -> str:
    return ascii(serving.to_timeline(serving.serve(policy, requests, WHOLE, **more), PROMISE), 1).replace(
        "  ", " "
    )


def test_a_static_batch_lets_the_next_request_wait_for_its_longest() -> None:
    requests = [ServingRequest(0, 1, 3), ServingRequest(0, 1, 1), ServingRequest(1, 1, 1)]
    assert letters("static", requests, batch=2) == (
        "p p p p d d d d d d .. .. ..\n"
        "p p p p .. .. .. .. .. .. .. .. ..\n"
        ".. .. .. .. .. .. .. .. .. .. p p p\n"
    )


def test_continuous_batching_gives_the_free_place_at_once() -> None:
    requests = [ServingRequest(0, 1, 3), ServingRequest(0, 1, 1), ServingRequest(1, 1, 1)]
    assert letters("continuous", requests, batch=2) == (
        "p p p p d d d d d d d\np p p p .. .. .. .. .. .. ..\n.. .. .. .. p p p p .. .. ..\n"
    )


def ticking(
    policy: str, requests: list[ServingRequest], costs: IterationCosts, batch: int, budget: int
) -> list[tuple[float, float]]:
    """(first token, last token) of each request, by a clock of single milliseconds. Knows nothing of the module."""
    todo, given = [r.prompt for r in requests], [0] * len(requests)
    first, last = [0.0] * len(requests), [0.0] * len(requests)
    inside: list[int] = []
    never: set[int] = set(range(len(requests)))
    work: list[tuple[int, int]] = []  # (request, prompt tokens; 0 is a decode)
    ends = clock = 0
    while never or inside:
        if clock == ends and work:
            for request, tokens in work:
                todo[request] -= tokens
                if todo[request] == 0:
                    given[request] += 1
                    last[request] = clock
                    if given[request] == 1:
                        first[request] = clock
            inside = [r for r in inside if given[r] < requests[r].output]
            work = []
        if clock >= ends:
            here = sorted(r for r in never if requests[r].arrival <= clock)
            if policy != "static" or not inside:
                for r in here[: batch - len(inside)]:
                    inside.append(r)
                    never.discard(r)
            work = [(r, 0) for r in inside if todo[r] == 0]
            room = budget - len(work) if policy == "chunked" else 10**9
            length = costs.base + costs.decode * len(work)
            for r in inside:
                tokens = min(todo[r], room)
                if todo[r] and tokens > 0:
                    work.append((r, tokens))
                    room -= tokens
                    length += costs.prefill * tokens
            ends = clock + int(length) if work else clock
        clock += 1 if clock >= ends else ends - clock
        if clock < ends:
            continue
    return list(zip(first, last, strict=True))


REQUESTS = st.lists(
    st.builds(ServingRequest, st.integers(0, 60), st.integers(1, 12), st.integers(1, 6)),
    min_size=1,
    max_size=9,
)


@settings(max_examples=150, deadline=None)
@given(REQUESTS, st.sampled_from(POLICIES[:3]), st.integers(1, 4), st.integers(5, 9))
def test_each_policy_is_what_a_ticking_clock_finds(
    requests: list[ServingRequest], policy: str, batch: int, budget: int
) -> None:
    ordered = sorted(requests, key=lambda r: r.arrival)
    served = serving.serve(policy, ordered, WHOLE, batch, budget)
    times = list(zip(served.first, served.last, strict=True))
    assert times == ticking(policy, ordered, WHOLE, batch, budget)


@settings(max_examples=100, deadline=None)
@given(REQUESTS, st.sampled_from(POLICIES), st.integers(1, 4))
def test_every_token_is_made_once(requests: list[ServingRequest], policy: str, batch: int) -> None:
    served = serving.serve(policy, requests, IterationCosts(), batch, 16)
    for n, request in enumerate(served.requests):
        own = [piece for piece in served.pieces if piece.request == n]
        assert sum(p.tokens for p in own if p.kind == "prefill") == request.prompt
        assert sum(p.kind == "decode" for p in own) == request.output - 1
        assert min(p.start for p in own) >= request.arrival


@settings(max_examples=60, deadline=None)
@given(REQUESTS)
def test_one_at_a_time_is_lindleys_recursion(requests: list[ServingRequest]) -> None:
    costs, free = IterationCosts(), 0.0
    served = serving.serve("static", requests, costs, batch=1)
    for request, last in zip(served.requests, served.last, strict=True):
        service = costs.iteration(request.prompt, 0) + (request.output - 1) * costs.iteration(0, 1)
        free = max(free, request.arrival) + service
        assert last == pytest.approx(free)
    free = 0.0
    split = serving.serve("disaggregated", requests, costs)
    for request, first in zip(split.requests, split.first, strict=True):
        free = max(free, request.arrival) + costs.iteration(request.prompt, 0)
        assert first == pytest.approx(free)


@settings(max_examples=60, deadline=None)
@given(REQUESTS, st.integers(1, 4))
def test_chunks_without_end_are_whole_prompts(requests: list[ServingRequest], batch: int) -> None:
    assert serving.serve("chunked", requests, IterationCosts(), batch, 10**6) == serving.serve(
        "continuous", requests, IterationCosts(), batch
    )


def test_goodput_counts_those_who_kept_both_promises() -> None:
    served = serving.serve("continuous", [ServingRequest(0, 10, 2), ServingRequest(0, 90, 2)], WHOLE, batch=1)
    assert served.first == (12, 107) and served.last == (15, 110)
    facts = serving.facts(served, Promise(20, 3))
    assert (facts["kept"], facts["attainment"]) == (1, 0.5)
    assert facts["goodput_per_gpu_per_s"] == pytest.approx(1000 / 110)
    assert facts["ttft_p90_ms"] == 107 and facts["longest_gap_ms"] == 3


def test_a_policy_that_nobody_knows_is_told() -> None:
    with pytest.raises(ValueError, match="no policy 'magic'; choose one of static"):
        serving.serve("magic", [ServingRequest(0, 1, 1)], IterationCosts())


def test_a_request_of_one_token_has_no_part_in_the_time_of_further_ones() -> None:
    costs, promise = serving.IterationCosts(10, 0, 0, 0), serving.Promise(1e9, 1e9)
    pair = [serving.ServingRequest(0, 1, 1), serving.ServingRequest(0, 1, 3)]
    facts = serving.facts(serving.serve("continuous", pair, costs), promise)
    assert facts["tpot_mean_ms"] == facts["tpot_p90_ms"] == 10
    alone = serving.facts(serving.serve("continuous", pair[:1], costs), promise)
    assert alone["tpot_mean_ms"] == 0
