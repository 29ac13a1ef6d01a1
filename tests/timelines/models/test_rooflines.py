"""Rooflines: operations and bytes counted one by one, and times by walking through them."""

from __future__ import annotations

from itertools import product as every

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from figmill.timelines.models import rooflines
from figmill.timelines.models.rooflines import Kernel, Layer, Machine

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
    layer = Layer(hidden, inner, heads, kv_heads)
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
        requests * heads * per_head, cache.nbytes + inputs.nbytes)  # fmt: skip


@given(POSITIVE, POSITIVE, POSITIVE, POSITIVE)
def test_the_roof_is_the_lower_of_both_times(
    peak: float, bandwidth: float, flops: float, moved: float
) -> None:
    machine, kernel = Machine(peak, bandwidth), Kernel("k", flops, moved)
    slower = max(flops / peak, moved / bandwidth)
    assert rooflines.seconds(machine, kernel) == slower
    assert rooflines.attainable(machine, kernel.intensity) == pytest.approx(flops / slower)
    expected = "memory" if moved / bandwidth > flops / peak else "compute"
    if abs(moved / bandwidth - flops / peak) > 1e-9 * slower:
        assert rooflines.bound(machine, kernel) == expected


def test_decodes_attention_gains_nothing_from_a_batch_and_its_weights_do() -> None:
    layer = Layer(8192, 28672, 64, 8)
    one, many = (rooflines.decode(layer, 4096, batch) for batch in (1, 64))
    assert one[1].intensity == pytest.approx(many[1].intensity)
    assert many[0].intensity > 60 * one[0].intensity
    assert one[1].intensity == pytest.approx(8, rel=0.01)  # heads that share keys and values, 64 / 8


def test_heads_must_divide() -> None:
    with pytest.raises(ValueError, match="multiple of heads"):
        Layer(10, 10, 3, 1)
