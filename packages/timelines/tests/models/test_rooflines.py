"""Rooflines: operations and bytes counted one by one, and times by walking through them."""

from __future__ import annotations

import math
from itertools import combinations
from itertools import product as every
from typing import get_args, get_type_hints

import numpy as np
import pytest
from helpers.book import REPOSITORY
from helpers.cases import cases
from helpers.generators import generator, texts
from hypothesis import given
from hypothesis import strategies as st

from figmill_timelines.models import accelerators, rooflines
from figmill_timelines.models.mixtures import Experts
from figmill_timelines.models.rooflines import Kernel, Roof, TransformerLayer

POSITIVE = st.floats(1e-3, 1e6)


@pytest.mark.parametrize(("m", "k", "n"), [(1, 1, 1), (2, 3, 4), (5, 2, 7)])
def test_a_product_is_counted_as_a_machine_would_do_it(m: int, k: int, n: int) -> None:
    steps, touched = 0, set()
    for i, j, x in every(range(m), range(n), range(k)):
        steps += 2  # multiply and add
        touched |= {("a", i, x), ("b", x, j), ("c", i, j)}
    assert rooflines.product(m, k, n, 2) == (steps, 2 * len(touched))


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
@pytest.mark.parametrize(("queries", "context", "requests"), [(1, 6, 3), (5, 5, 1), (1, 1, 1)])
def test_a_layer_is_the_sum_of_its_arrays(kv_heads: int, queries: int, context: int, requests: int) -> None:
    hidden, inner, heads = 16, 40, 4
    dimension, tokens = hidden // heads, queries * requests
    layer = TransformerLayer(hidden, inner, heads, kv_heads)
    flops = moved = 0
    for rows in (hidden + 2 * kv_heads * dimension, hidden, inner):
        taken, weight = np.zeros((tokens, hidden), np.float16), np.zeros((hidden, rows), np.float16)
        flops += 2 * taken.size * rows
        moved += taken.nbytes + weight.nbytes + np.zeros((tokens, rows), np.float16).nbytes
    down = np.zeros((inner, hidden), np.float16)
    flops += 2 * tokens * down.size
    moved += down.nbytes + 2 * tokens * (inner + hidden)
    assert layer.weights(tokens) == (flops, moved)
    cache = np.zeros((requests, 2, kv_heads, context, dimension), np.float16)
    inputs = np.zeros((requests, 2, queries, hidden), np.float16)  # queries and results
    per_head = 2 * queries * context * dimension * 2  # scores, and sums of values
    assert layer.attention(queries, context, requests) == (
        requests * heads * per_head,
        cache.nbytes + inputs.nbytes,
    )


@given(POSITIVE, POSITIVE, POSITIVE, POSITIVE)
def test_the_roof_is_the_lower_of_both_times(
    peak: float, bandwidth: float, flops: float, moved: float
) -> None:
    machine, kernel = Roof(peak, bandwidth), Kernel("k", flops, moved)
    slower = max(flops / peak, moved / bandwidth)
    assert rooflines.seconds(machine, kernel) == slower
    assert rooflines.attainable(machine, kernel.intensity) == pytest.approx(flops / slower)
    expected = "memory" if moved / bandwidth > flops / peak else "compute"
    if abs(moved / bandwidth - flops / peak) > 1e-9 * slower:
        assert rooflines.bound(machine, kernel) == expected


def test_decodes_attention_gains_nothing_from_a_batch_and_its_weights_do() -> None:
    layer = TransformerLayer(8192, 28672, 64, 8)
    single, many = (rooflines.decode(layer, 4096, batch) for batch in (1, 64))
    assert single[1].intensity == pytest.approx(many[1].intensity)
    assert many[0].intensity > 60 * single[0].intensity
    assert single[1].intensity == pytest.approx(8, rel=0.01)  # heads that share keys and values, 64 / 8


def test_heads_must_divide() -> None:
    with pytest.raises(ValueError, match="multiple of heads"):
        TransformerLayer(10, 10, 3, 1)


@pytest.mark.parametrize(("heads", "kv_heads", "tensor"), [(8, 8, 4), (8, 2, 4), (8, 4, 2)])
@pytest.mark.parametrize("gated", [True, False])
def test_the_ranks_of_a_layer_do_its_operations_between_them(
    heads: int, kv_heads: int, tensor: int, gated: bool
) -> None:
    whole = TransformerLayer(64, 96, heads, kv_heads, 2, gated)
    part = TransformerLayer(64, 96, heads, kv_heads, 2, gated, tensor)
    tokens = 5
    # Keys that ranks compute again.
    shared = 2 * tokens * 64 * 2 * 64 // heads * (max(kv_heads, tensor) - kv_heads)
    assert tensor * part.weights(tokens)[0] == whole.weights(tokens)[0] + shared
    assert tensor * part.attention(1, 7, 3)[0] == whole.attention(1, 7, 3)[0]
    # Bytes of one rank, from its arrays.
    own = kv_heads // tensor if kv_heads >= tensor else 1
    cache = np.zeros((3, 2, own, 7, 64 // heads), np.float16)
    queries = np.zeros((3, 2, heads // tensor, 64 // heads), np.float16)
    assert part.attention(1, 7, 3)[1] == cache.nbytes + queries.nbytes
    assert part.parameters == whole.parameters


@pytest.mark.parametrize(
    ("count", "top_k", "tokens"), [(4, 1, 3), (4, 2, 3), (5, 3, 2), (3, 3, 2), (6, 2, 0)]
)
def test_experts_awake_are_the_mean_over_all_choices(count: int, top_k: int, tokens: int) -> None:
    choices = list(combinations(range(count), top_k))
    awake = [len({expert for chosen in row for expert in chosen}) for row in every(choices, repeat=tokens)]
    assert Experts(count, top_k, 8, 1).awake(tokens) == pytest.approx(sum(awake) / len(awake))


@pytest.mark.parametrize("gated", [True, False])
@pytest.mark.parametrize("ranks", [1, 2])
def test_a_mixture_is_the_sum_of_its_arrays(gated: bool, ranks: int) -> None:
    """Over all choices of two tokens on each rank: rows of experts, and weights of those that are awake, on rank 0."""
    count, top_k, hidden, inner, tokens = 4, 2, 8, 6, 2
    shapes = [(hidden, inner), (inner, hidden), *([(hidden, inner)] if gated else [])]
    flops, moved = [], []
    for chosen in every(list(combinations(range(count), top_k)), repeat=tokens * ranks):
        own = [expert for row in chosen for expert in row if expert % ranks == 0]
        arrays = [np.zeros((rows, columns), np.float16) for _ in set(own) for rows, columns in shapes]
        arrays += [np.zeros(width, np.float16) for _ in own for shape in shapes for width in shape]
        flops.append(sum(2 * rows * columns for _ in own for rows, columns in shapes))
        moved.append(sum(array.nbytes for array in arrays))
    layer = TransformerLayer(hidden, inner, 4, 4, 2, experts=Experts(count, top_k, inner, 1, gated))
    cost = layer.mixture(tokens, ranks)
    assert cost == pytest.approx((sum(flops) / len(flops), sum(moved) / len(moved)))
    assert layer.parameters == 4 * hidden * hidden + hidden * count + count * sum(a * b for a, b in shapes)


def test_spread_experts_read_less_for_each_token() -> None:
    layer = TransformerLayer(7168, 2048, 128, 128, 2, experts=Experts(256, 8, 2048, 1))
    alone, spread = (rooflines.decode(layer, 4096, 64, ranks)[2] for ranks in (1, 64))
    assert alone.flops == spread.flops and spread.intensity > 20 * alone.intensity
    assert len(rooflines.decode(TransformerLayer(64, 64, 4, 4), 8, 1)) == 2


@cases("name", accelerators.ACCELERATORS)
def test_an_accelerators_numbers_are_those_of_its_board(name: str) -> None:
    """What their makers state of a whole board or rack, rounded as there.

    (GPUs, all memory in GB, all bandwidth in TB/s, BF16 and FP8 in PFLOP/s with sparsity).
    """
    boards = {
        "A100": (8, 640, 8 * 2.039, 5, None),
        "H100": (8, 640, 26.8, 16, 32),
        "H200": (8, 1128, 38.4, 16, 32),
        "B200": (8, 1440, 64, 36, 72),
        "GB200": (72, 13_400, 576, 360, 720),
        "MI300X": (8, 1536, 42.4, 20.9, 41.8),
        "MI325X": (8, 2048, 48, 20.9, 41.8),
        "MI355X": (8, 2304, 64, 40.3, 80.5),
    }
    gpus, memory, bandwidth, bf16, fp8 = boards[name]
    row = accelerators.ACCELERATORS[name]
    assert row.hbm_gb == pytest.approx(memory / gpus, rel=0.005)
    assert row.bandwidth_gb_s == pytest.approx(1000 * bandwidth / gpus, rel=0.005)
    assert row.tflops[2] == pytest.approx(1000 * bf16 / gpus / 2, rel=0.012)
    assert (fp8 is None) == (1 not in row.tflops)
    if fp8:
        assert row.tflops[1] == pytest.approx(1000 * fp8 / gpus / 2, rel=0.012)
    assert row.source.startswith(("NVIDIA", "AMD"))


def test_accelerators_are_the_same_in_the_document_and_in_both_generators() -> None:
    page = (REPOSITORY / "docs" / "generators" / "serving.md").read_text("utf-8")
    table = page.split("| BF16, FP8 in TFLOP/s, dense |\n")[1].split("\n\n")[0]
    written = [line.strip("| ").split(" | ") for line in table.splitlines()[1:]]
    assert [(name.split("`")[1], *cells) for name, *cells in written] == [
        (
            name,
            f"{row.hbm_gb}",
            f"{row.bandwidth_gb_s}",
            ", ".join(f"{row.tflops[size]:g}" if size in row.tflops else "none" for size in (2, 1)),
        )
        for name, row in accelerators.ACCELERATORS.items()
    ]
    for script in ("memory_budget", "roofline"):
        hint = get_type_hints(generator(script).draw)["accelerator"]
        assert get_args(get_args(hint)[0]) == tuple(accelerators.ACCELERATORS)


def test_an_accelerator_sets_the_roof_by_the_size_of_numbers() -> None:
    drawn = generator("roofline").draw(accelerator="B200")
    assert drawn.facts["ridge_flop_per_byte"] == 2250 / 8
    assert "Compute: 2.25 PFLOP/s" in texts(drawn.figure)
    assert (
        generator("roofline").draw(accelerator="B200", bytes_each=1).facts["ridge_flop_per_byte"] == 4500 / 8
    )


@cases(
    ("params", "message"),
    [
        (
            {"accelerator": "A100", "bytes_each": 1},
            "bytes_each of A100 must be 2, for which its datasheet has a rate",
        ),
        ({"accelerator": "B200", "bytes_each": 0.5}, "bytes_each of B200 must be 2 and 1, for which"),
        ({"tensor": 3}, "heads and inner must be multiples of tensor, and kv_heads must be one or divide it"),
        ({"tensor": True}, "tensor must be a whole number, not True"),
        ({"expert_parallel": 2}, "expert_parallel needs experts"),
        (
            {"experts": 8, "expert_parallel": 3},
            "experts must be a multiple of expert_parallel: 8 is not a multiple of 3",
        ),
        ({"experts": 1}, "top_k must be at most experts, which is 1, not 2"),
        ({"experts": 0}, "experts must be from 1 to 10000, not 0"),
    ],
)
def test_what_a_layer_cannot_be_is_refused(params: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generator("roofline").draw(**params)


def test_experts_that_are_spread_are_shown_beside_those_of_one_rank() -> None:
    params = {"experts": 256, "top_k": 8, "inner": 2048, "hidden": 7168, "gated": True, "batches": [64]}
    spread = generator("roofline").draw(**params, expert_parallel=64)
    alone = generator("roofline").draw(**params)
    assert spread.facts["intensities_alone"] == alone.facts["intensities"][-1:]
    assert spread.facts["kernels"] == alone.facts["kernels"] and "intensities_alone" not in alone.facts
    labels, before = " ".join(texts(spread.figure)), " ".join(texts(alone.figure))
    assert "experts on one GPU" in labels and "spread over 64 GPUs" in labels
    assert "experts on one GPU" not in before and "spread over" not in before


def test_markers_do_not_overlap() -> None:
    params = {
        "accelerator": "B200",
        "hidden": 7168,
        "inner": 2048,
        "heads": 128,
        "kv_heads": 128,
        "gated": True,
    }
    drawing = generator("roofline").draw(**params, experts=256, top_k=8, expert_parallel=64, batches=[64])
    lines = [line for line in drawing.figure.axes[0].lines if line.get_marker() not in ("None", "")]
    marks = [(line.get_xdata()[0], line.get_ydata()[0], line.get_markersize()) for line in lines]
    for (x, y, size), (u, v, other) in combinations(marks, 2):
        assert math.hypot(x - u, y - v) >= (size + other) / 2 - 1e-6
