"""Memory: formulas against tensors that are listed one by one, and caches that are filled token by token."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases import cases
from helpers.generators import generator, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill_timelines.models import memory_budget as budget
from figmill_timelines.models.memory_budget import ModelShape, Precision, Split
from figmill_timelines.models.mixtures import Experts

ZERO = ModelShape(7.5e9, 36, 4096, 32, 32)


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
    memory = budget.training(ModelShape(count, 1, 8, 2, 1), stage, ranks, Precision())
    assert (memory.weights, memory.gradients, memory.optimiser) == pytest.approx(tuple(held.values()))


@pytest.mark.parametrize(("s", "b", "h", "a"), [(16, 2, 32, 4), (128, 1, 64, 8)])
def test_activations_are_the_tensors_of_a_layer(s: int, b: int, h: int, a: int) -> None:
    half, mask = 2, 1  # bytes of an element
    inputs = [(s, b, h, half)] * 2  # of attention and of its projection
    qkv = [(s, b, h, half)] * 3
    # Softmax, dropout's mask, its result.
    scores = [(a, s, s * b, half), (a, s, s * b, mask), (a, s, s * b, half)]
    dropout = [(s, b, h, mask)] * 2
    mlp = [(s, b, h, half), (s, b, 4 * h, half), (s, b, 4 * h, half)]
    norms = [(s, b, h, half)] * 2
    listed = sum(int(np.prod(t)) for t in [*inputs, *qkv, *scores, *dropout, *mlp, *norms])
    shape = ModelShape(1, 3, h, a, a)
    assert budget.activations(shape, s, b) == 3 * listed
    assert budget.activations(shape, s, b, "selective") == 3 * (listed - 5 * a * s * s * b)
    assert budget.activations(shape, s, b, "full") == 3 * 2 * s * b * h


@pytest.mark.parametrize(("layers", "hidden", "heads", "kv"), [(2, 64, 8, 8), (5, 96, 12, 4), (3, 32, 4, 1)])
def test_a_tokens_cache_is_that_of_its_arrays(layers: int, hidden: int, heads: int, kv: int) -> None:
    arrays = [np.zeros((kv, hidden // heads), np.float16) for _ in range(layers) for _ in ("key", "value")]
    assert budget.cache_per_token(ModelShape(1, layers, hidden, heads, kv)) == sum(
        int(a.nbytes) for a in arrays
    )


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
        ModelShape(*wrong)
    with pytest.raises(ValueError, match="recompute must be one of"):
        budget.activations(ZERO, 1, 1, "some")


# A model over t tensor-parallel ranks, N data-parallel ones and e ranks for experts: every parameter dealt out.


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([1, 2, 4]),
    st.integers(1, 6),
    st.sampled_from([1, 2, 4, 8]),
    st.integers(0, 3),
    st.integers(1, 3),
)
def test_a_split_is_what_its_ranks_own_parameter_by_parameter(
    tensor: int, ranks: int, expert: int, stage: int, each: int
) -> None:
    world = tensor * ranks
    if world % expert:
        return
    experts = Experts(8, 2, 3, 1)  # 8 experts of 3 products of 4 x 3
    hidden, in_experts = 4, 8 * 3 * 4 * 3
    copies = world // expert  # of each expert
    dense = each * tensor * ranks
    held = {"weights": 0.0, "gradients": 0.0, "optimiser": 0.0}
    for number, (what, size) in enumerate((("optimiser", 12), ("gradients", 2), ("weights", 2)), 1):
        shares = stage >= number
        # Rank 0 of all: which parameters are in its part, and of these, which it owns.
        mine = [p for p in range(dense) if p % tensor == 0]
        held[what] += size * sum(1 for n in range(len(mine)) if not shares or n % ranks == 0)
        for number_of_expert in range(8):
            if number_of_expert % expert == 0:  # this rank's
                held[what] += size * (3 * 4 * 3) / (copies if shares else 1)
    shape = ModelShape(dense + in_experts, 1, hidden, 4, 4)
    memory = budget.training(shape, stage, ranks, Precision(), 0.0, Split(tensor, True, expert), experts)
    assert (memory.weights, memory.gradients, memory.optimiser) == pytest.approx(tuple(held.values()))


def test_a_hybrid_repeats_the_shards_of_a_group() -> None:
    """64 ranks in groups of 8, dealt out one by one: each group holds everything once."""
    owned = {rank: {p for p in range(800) if p % 8 == rank % 8} for rank in range(64)}
    assert all(
        set().union(*(owned[8 * group + n] for n in range(8))) == set(range(800)) for group in range(8)
    )
    memory = budget.training(ModelShape(800, 1, 8, 2, 1), 3, 8, Precision())
    assert memory.total == 16 * len(owned[17])


@pytest.mark.parametrize(
    ("heads", "kv", "head", "tensor"),
    [(64, 8, None, 1), (64, 64, None, 1), (64, 1, None, 1), (16, 4, None, 8), (16, 4, 24, 2)],
)
def test_shared_heads_keep_fewer_keys_and_values(heads: int, kv: int, head: int | None, tensor: int) -> None:
    s, b, h, half, mask = 16, 2, 512, 2, 1
    each = head or h // heads
    own = heads // tensor
    read = {query // (heads // kv) for query in range(own)}  # the heads of keys and values of rank 0
    tensors = [(s, b, h, half)] * 4 + [(s, b, h, mask)] * 2  # inputs, norms, dropouts
    tensors += [(s, b, own * each, half)] * 2  # queries, what attention returns
    tensors += [(s, b, len(read) * each, half)] * 2  # keys, values
    tensors += [(s, b, 4 * h // tensor, half)] * 2
    listed = sum(int(np.prod(x)) for x in tensors)
    shape = ModelShape(1, 3, h, heads, kv, head)
    activations = budget.activations(shape, s, b, "selective", Split(tensor))
    assert activations == pytest.approx(3 * listed)
    if (heads, kv, tensor) == (64, 8, 1):
        assert activations == pytest.approx(3 * 30.5 * s * b * h)


@pytest.mark.parametrize("tensor", [1, 2, 4])
@pytest.mark.parametrize("sequence", [False, True])
def test_activations_of_a_rank_are_its_parts_of_the_tensors(tensor: int, sequence: bool) -> None:
    """Table 2 of Korthikanti et al., from the tensors: what lies before and behind a divided product is whole."""
    s, b, h, a, t = 16, 2, 32, 4, tensor
    half, mask = 2, 1
    whole = s // t if sequence else s
    # Inputs, norms, dropouts.
    outside = [(whole, b, h, half)] * 2 + [(whole, b, h, half)] * 2 + [(whole, b, h, mask)] * 2
    qkv, projected = [(s, b, h // t, half)] * 3, [(s, b, h // t, half)]
    mlp = [(s, b, 4 * h // t, half)] * 2
    scores = [(a // t, s, s * b, half), (a // t, s, s * b, mask), (a // t, s, s * b, half)]
    listed = sum(int(np.prod(x)) for x in [*outside, *qkv, *projected, *mlp, *scores])
    shape, split = ModelShape(1, 3, h, a, a), Split(tensor, sequence)
    assert budget.activations(shape, s, b, "none", split) == pytest.approx(3 * listed)
    full = 3 * 2 * whole * b * h
    assert budget.activations(shape, s, b, "full", split) == pytest.approx(full)


@pytest.mark.parametrize(("gated", "top_k", "tensor"), [(True, 2, 1), (False, 1, 1), (True, 3, 4)])
def test_a_mixture_keeps_the_tensors_of_its_experts(gated: bool, top_k: int, tensor: int) -> None:
    s, b, h, inner, half, mask = 16, 2, 32, 24, 2, 1
    tokens = s // tensor * b  # with sequence parallelism, each rank sends its own
    arrays = [(tokens, h, half), (tokens, h, mask)]  # what the router reads; a dropout's mask
    for _ in range(top_k):
        arrays += [(tokens, h, half), (tokens, h, half)]  # sent to the expert, and its result
        arrays += [(tokens, inner, half)] * (3 if gated else 2)
    listed = sum(int(np.prod(x)) for x in arrays)
    shape, split = ModelShape(1, 5, h, 4, 4), Split(tensor, True)
    without = budget.activations(shape, s, b, "selective", split)
    activations = budget.activations(shape, s, b, "selective", split, Experts(8, top_k, inner, 3, gated))
    assert activations - without == pytest.approx(3 * (listed - 19 * tokens * h))
    assert budget.activations(shape, s, b, "full", split, Experts(8, top_k, inner, 3)) == 5 * 2 * tokens * h


@pytest.mark.parametrize(
    ("layers", "heads", "kv", "head", "latent", "kilobytes"),
    [(61, 128, 128, 128, 512, 70.272), (126, 128, 8, 128, None, 516.096), (80, 64, 8, 128, None, 327.680)],
    ids=["DeepSeek-V3", "Llama 3.1 405B", "Qwen2.5 72B"],
)
def test_caches_of_published_models(
    layers: int, heads: int, kv: int, head: int, latent: int | None, kilobytes: float
) -> None:
    """Table 1 of "Insights into DeepSeek-V3" (arXiv:2505.09343)."""
    caches = budget.caches(ModelShape(1e11, layers, 7168, heads, kv, head), 2, 1, latent)
    assert caches["mla" if latent else "gqa"] == pytest.approx(1000 * kilobytes)


@pytest.mark.parametrize(("heads", "kv", "tensor"), [(8, 8, 4), (8, 2, 4), (16, 4, 4), (8, 1, 8)])
def test_a_ranks_cache_is_that_of_the_heads_that_its_queries_read(heads: int, kv: int, tensor: int) -> None:
    own = range(heads // tensor)  # the queries of rank 0
    read = {query // (heads // kv) for query in own}
    shape = ModelShape(1e9, 3, 64, heads, kv)
    assert budget.cache_per_token(shape, 2, tensor) == 2 * 3 * len(read) * (64 // heads) * 2


def test_ways_of_attention_that_are_the_same_are_shown_once() -> None:
    assert list(budget.caches(ModelShape(1, 1, 64, 8, 8))) == ["mha", "mqa"]
    assert list(budget.caches(ModelShape(1, 1, 64, 8, 2), latent=16)) == ["mha", "gqa", "mqa", "mla"]


def test_mixtral_as_its_authors_count_it() -> None:
    """46.7 and 12.9 thousand million parameters in all and for a token: Jiang et al. 2024, arXiv:2401.04088."""
    facts = (
        generator("memory_budget")
        .draw(parameters_b=46.7, layers=32, hidden=4096, heads=32, kv_heads=8, experts=8, expert_inner=14336)
        .facts
    )
    assert facts["active_parameters"] / 1e9 == pytest.approx(12.9, abs=0.05)
    each = 3 * np.zeros((4096, 14336), np.int8).size
    assert facts["expert_parameters"] == 32 * 8 * each


WRONG = [
    ({"tensor": 3}, "heads must be a multiple of tensor: 32 is not a multiple of 3"),
    (
        {"tensor": 2, "head_dimension": 8, "heads": 31},
        "heads must be a multiple of tensor: 31 is not a multiple of 2",
    ),
    (
        {"kv_heads": 6, "heads": 24, "hidden": 48, "tensor": 4},
        "kv_heads must be a multiple of tensor, or divide it",
    ),
    ({"expert_parallel": 2}, "expert_parallel needs experts"),
    (
        {"experts": 8, "expert_parallel": 3},
        "experts must be a multiple of expert_parallel: 8 is not a multiple of 3",
    ),
    (
        {"experts": 8, "expert_parallel": 8, "ranks": 4},
        "tensor x ranks must be a multiple of expert_parallel: 4",
    ),
    ({"experts": 2, "top_k": 3}, "top_k must be at most experts, which is 2, not 3"),
    ({"experts": 8}, "parameters_b must be at least 50.73, which the experts alone have, not 7.5"),
    (
        {"experts": 8, "expert_inner": 8, "expert_layers": 37},
        "expert_layers must be at most layers, which is 36",
    ),
    (
        {"experts": 8, "expert_inner": 8, "tensor": 2},
        "sequence_parallel must be true for experts beside tensor",
    ),
    ({"hybrid": 7}, "ranks must be a multiple of hybrid: 64 is not a multiple of 7"),
    (
        {"experts": 8, "expert_inner": 8, "expert_parallel": 8, "hybrid": 4},
        "tensor x ranks must be a multiple of",
    ),
    ({"accelerator": "H1000"}, "accelerator must be A100 or H100"),
    ({"hybrid": False}, "hybrid must be a whole number or none, not False"),
    ({"latent": 1.5}, "latent must be a whole number or none, not 1.5"),
]


@cases(("params", "message"), WRONG)
def test_a_model_that_cannot_be_spread_so_is_refused(params: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generator("memory_budget").draw(**({"heads": 32} | params))


def test_an_accelerator_sets_the_memory() -> None:
    drawn = generator("memory_budget").draw(accelerator="B200", hybrid=8)
    assert "180 GB of memory" in texts(drawn.figure)
    assert drawn.facts["total_bytes_hybrid"] - drawn.facts["activations_bytes"] == 16 * 7.5e9 / 8


@pytest.mark.parametrize(
    ("hidden", "unit"), [(1, "B of"), (4096, "kB of each token's cache (1 kB = 1000 bytes)")]
)
def test_an_axis_says_what_a_kilobyte_is_and_nothing_of_a_byte(hidden: int, unit: str) -> None:
    drawn = generator("memory_budget").draw(use="cache", layers=1, hidden=hidden, heads=1)
    axis = next(text for text in texts(drawn.figure) if "of each token's cache" in text)
    assert axis.startswith(unit) and ("bytes" in axis) == (hidden > 1)
