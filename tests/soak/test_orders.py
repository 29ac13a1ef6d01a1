"""Each engine's graphs in fifty shuffled orders, in processes whose memory and random numbers were disturbed."""

from __future__ import annotations

import pytest
from helpers.layouts import ENGINES, corpus, drawn_in_one_process

pytestmark = pytest.mark.soak

ORDERS = 50


@pytest.mark.parametrize("engine", ENGINES)
def test_a_layout_depends_on_its_graph_alone(engine: str) -> None:
    pairs = [pair for pair in corpus(16) if pair[0] == engine]
    counts, first = drawn_in_one_process(pairs, ORDERS, 1)
    assert counts == [1] * len(pairs)
    for seed in (2, 3):
        assert drawn_in_one_process(pairs, 1, seed)[1] == first
