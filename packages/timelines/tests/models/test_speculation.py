"""Speculative decoding: formulas against all patterns of kept and rejected drafts, and against sampling itself."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import fsum, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from figmill_timelines.models import speculation


@pytest.mark.parametrize("a", [Fraction(0), Fraction(1, 3), Fraction(7, 10), Fraction(1)])
@pytest.mark.parametrize("g", range(9))
def test_tokens_of_a_pass_by_every_pattern_of_drafts(a: Fraction, g: int) -> None:
    mean = Fraction(0)
    for pattern in product((True, False), repeat=g):
        chance = prod((a if kept else 1 - a for kept in pattern), start=Fraction(1))
        kept = next((n for n, good in enumerate(pattern) if not good), g)
        mean += chance * (kept + 1)
    assert speculation.tokens(float(a), g) == pytest.approx(float(mean))


@given(st.floats(0, 0.999), st.integers(0, 40), st.floats(0, 2))
def test_the_closed_forms_of_the_paper(a: float, g: int, c: float) -> None:
    closed = (1 - a ** (g + 1)) / (1 - a)
    assert speculation.tokens(a, g) == pytest.approx(closed, rel=1e-9)
    assert speculation.speedup(a, g, c) == pytest.approx(closed / (g * c + 1), rel=1e-9)
    assert speculation.operations(a, g, c) == pytest.approx(
        (1 - a) * (g * c + g + 1) / (1 - a ** (g + 1)), rel=1e-9
    )


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)), min_size=2, max_size=6))
def test_sampling_with_drafts_gives_the_large_models_tokens(weights: list[tuple[int, int]]) -> None:
    """Every draw of the small model, kept with chance min(1, p/q), else redrawn from what is left of p."""
    p = [Fraction(a, sum(a for a, _ in weights)) for a, _ in weights]
    q = [Fraction(b, sum(b for _, b in weights)) for _, b in weights]
    kept = [qx * min(1, px / qx) for px, qx in zip(p, q, strict=True)]
    left = [max(Fraction(0), px - qx) for px, qx in zip(p, q, strict=True)]
    again = (1 - sum(kept)) / sum(left) if sum(left) else Fraction(0)
    assert [k + again * rest for k, rest in zip(kept, left, strict=True)] == p
    assert speculation.acceptance([float(x) for x in p], [float(x) for x in q]) == pytest.approx(
        float(sum(kept))
    )


@pytest.mark.parametrize(("a", "g", "c"), [(0.8, 4, 0.05), (0.6, 2, 0.2), (0.95, 10, 0.02)])
def test_a_long_run_has_the_expected_speed(a: float, g: int, c: float) -> None:
    run = speculation.simulated(a, g, c, 20_000, seed=2)
    assert run.tokens / len(run.passes) == pytest.approx(speculation.tokens(a, g), rel=0.02)
    assert run.tokens / run.timeline.makespan == pytest.approx(speculation.speedup(a, g, c), rel=0.02)
    ends = fsum(span.end - span.start for span in run.timeline.spans)
    assert run.timeline.makespan == pytest.approx(ends)  # one model at a time


@pytest.mark.parametrize("a", [0.0, 0.3, 0.6, 0.8, 0.9])
@pytest.mark.parametrize("c", [0.0, 0.01, 0.1, 0.5])
def test_the_best_lookahead_is_the_best_of_all(a: float, c: float) -> None:
    best = speculation.best_lookahead(a, c, 30)
    assert all(speculation.speedup(a, best, c) >= speculation.speedup(a, g, c) for g in range(31))
    if a <= c:
        assert best == 0  # corollary 3.9: a gain needs an acceptance above the cost
    if a > c > 0:
        assert speculation.speedup(a, best, c) >= (1 + a) / (1 + c) * (1 - 1e-12)
