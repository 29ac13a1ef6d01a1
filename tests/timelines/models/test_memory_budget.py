"""Memory: formulas against tensors that are listed one by one, and caches that are filled token by token."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill.timelines.models import memory_budget as budget
from figmill.timelines.models.memory_budget import Precision, Shape

ZERO = Shape(7.5e9, 36, 4096, 32, 32)


@pytest.mark.parametrize(("stage", "gigabytes"), [(0, 120), (1, 31.4), (2, 16.6), (3, 1.88)])
def test_the_four_bars_of_the_zero_paper(stage: int, gigabytes: float) -> None:
    assert budget.training(ZERO, stage, 64, Precision()).total / 1e9 == pytest.approx(gigabytes, abs=0.05)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.integers(0, 3), st.integers(1, 40))
def test_a_stage_is_what_its_ranks_own_parameter_by_parameter(ranks: int, stage: int, each: int) -> None:
    count = each * ranks  # so that every rank owns as many
    held = {"weights": 0, "gradients": 0, "optimiser": 0}
    for parameter in range(count):
        owner = parameter % ranks
        for number, (what, size) in enumerate((("optimiser", 12), ("gradients", 2), ("weights", 2)), 1):
            if stage < number or owner == 0:
                held[what] += size
    found = budget.training(Shape(count, 1, 8, 2, 1), stage, ranks, Precision())
    assert (found.weights, found.gradients, found.optimiser) == pytest.approx(tuple(held.values()))


@pytest.mark.parametrize(("s", "b", "h", "a"), [(16, 2, 32, 4), (128, 1, 64, 8)])
def test_activations_are_the_tensors_of_a_layer(s: int, b: int, h: int, a: int) -> None:
    half, mask = 2, 1  # bytes of an element
    inputs = [(s, b, h, half)] * 2  # of attention and of its projection
    qkv = [(s, b, h, half)] * 3
    scores = [
        (a, s, s * b, half),
        (a, s, s * b, mask),
        (a, s, s * b, half),
    ]  # softmax, dropout's mask, its result
    dropout = [(s, b, h, mask)] * 2
    mlp = [(s, b, h, half), (s, b, 4 * h, half), (s, b, 4 * h, half)]
    norms = [(s, b, h, half)] * 2
    listed = sum(int(np.prod(t)) for t in [*inputs, *qkv, *scores, *dropout, *mlp, *norms])
    shape = Shape(1, 3, h, a, a)
    assert budget.activations(shape, s, b) == 3 * listed
    assert budget.activations(shape, s, b, "selective") == 3 * (listed - 5 * a * s * s * b)
    assert budget.activations(shape, s, b, "full") == 3 * 2 * s * b * h


@pytest.mark.parametrize(("layers", "hidden", "heads", "kv"), [(2, 64, 8, 8), (5, 96, 12, 4), (3, 32, 4, 1)])
def test_a_tokens_cache_is_that_of_its_arrays(layers: int, hidden: int, heads: int, kv: int) -> None:
    arrays = [np.zeros((kv, hidden // heads), np.float16) for _ in range(layers) for _ in ("key", "value")]
    assert budget.cache_per_token(Shape(1, layers, hidden, heads, kv)) == sum(int(a.nbytes) for a in arrays)


def token_by_token(room: int, lengths: list[int], page: int) -> tuple[int, int, int]:
    """(requests, used, taken): pages are given out one by one; a request that finds none is taken back."""
    free, requests, used, taken = room // page, 0, 0, 0
    while True:
        length, mine = lengths[requests % len(lengths)], 0
        for filled in range(length):
            if filled == mine * page:
                if mine == free:
                    return requests, used, taken
                mine += 1
        free, requests, used, taken = free - mine, requests + 1, used + length, taken + mine * page


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 800), st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(1, 12))
def test_pages_are_those_that_tokens_fill(room: int, lengths: list[int], page: int) -> None:
    cache = budget.paged(room, lengths, page)
    assert (cache.requests, cache.used, cache.used + cache.wasted) == token_by_token(room, lengths, page)
    assert cache.used + cache.wasted + cache.free == room
    whole = budget.reserved(room, lengths, 40)
    assert whole.requests == room // 40 and whole.used + whole.wasted + whole.free == room


def test_a_page_of_the_longest_length_reserves() -> None:
    lengths = budget.lengths(50, 1, 64, 3)
    assert budget.paged(10_000, lengths, 64) == budget.reserved(10_000, lengths, 64)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [((1, 1, 10, 3, 1), "hidden must be a multiple"), ((1, 1, 12, 3, 2), "heads must be a multiple")],
)
def test_a_shape_that_makes_no_sense_is_refused(wrong: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Shape(*wrong)
    with pytest.raises(ValueError, match="recompute must be one of"):
        budget.activations(ZERO, 1, 1, "some")
