"""Speculative decoding: a small model drafts tokens, the large one checks all of them in one pass.

With acceptance a, the chance that a drafted token is kept, and lookahead g, the tokens drafted for each pass, a pass
gives (1 - a^(g+1)) / (1 - a) tokens on average: those kept, and one more from the large model itself. A pass takes 1,
and a draft c, so that decoding is (1 - a^(g+1)) / ((1 - a) (g c + 1)) times as fast (Leviathan, Kalman and Matias 2023,
arXiv:2211.17192, theorem 3.8). It does (g c' + g + 1) (1 - a) / (1 - a^(g+1)) times the operations of plain decoding,
with a draft of c' of the large model's (theorem 3.11).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from figmill_timelines.spans import Span, Timeline


def tokens(acceptance: float, lookahead: int) -> float:
    """The mean number of tokens of one pass: 1 + a + a^2 + ... + a^g, which is also exact at a = 1."""
    return fsum(acceptance**power for power in range(lookahead + 1))


def speedup(acceptance: float, lookahead: int, cost: float) -> float:
    """How many times as fast as plain decoding; a draft takes `cost` of a pass."""
    return tokens(acceptance, lookahead) / (lookahead * cost + 1)


def operations(acceptance: float, lookahead: int, cost: float) -> float:
    """How many times the operations of plain decoding; a draft does `cost` of those of the large model."""
    return (lookahead * cost + lookahead + 1) / tokens(acceptance, lookahead)


def best_lookahead(acceptance: float, cost: float, most: int) -> int:
    """The lookahead from 0 (plain decoding) to `most` with the greatest speed-up; the least of equal ones."""
    return max(range(most + 1), key=lambda g: (speedup(acceptance, g, cost), -g))


def acceptance(large: Sequence[float], small: Sequence[float]) -> float:
    """The chance that a token drawn from `small` is kept: the sum of the smaller probabilities (theorem 3.5)."""
    return fsum(min(p, q) for p, q in zip(large, small, strict=True))


@dataclass(frozen=True, slots=True)
class DecodingRun:
    """A run.

    - passes: the number of kept drafts of each.
    - timeline: lanes of the large and the small model.
    """

    passes: tuple[int, ...]
    timeline: Timeline

    @property
    def tokens(self) -> int:
        return sum(map(int, self.passes)) + len(self.passes)


def simulated(acceptance: float, lookahead: int, cost: float, count: int, seed: int) -> DecodingRun:
    """Simulate passes until there are `count` tokens. Each draft is kept with the same chance, until one is not."""
    source = random.Random(seed)
    spans, passes, now, tokens = [], [], 0.0, 0
    while tokens < count:
        kept = 0
        while kept < lookahead and source.random() < acceptance:
            kept += 1
        for n in range(lookahead):
            kind = "kept draft" if n < kept else "rejected draft"
            spans.append(Span(1, now, now + cost, kind, str(tokens + n) if n < kept else ""))
            now += cost
        spans.append(Span(0, now, now + 1, "large model", f"{kept + 1}"))
        now += 1
        tokens += kept + 1
        passes.append(kept)
    spans.sort(key=lambda span: (span.lane, span.start))
    return DecodingRun(tuple(passes), Timeline(("Large model", "Small model"), tuple(spans), (), ""))


def plain(count: int) -> Timeline:
    """Plain decoding: a pass for each token."""
    spans = tuple(Span(0, float(n), n + 1.0, "large model", "1") for n in range(count))
    return Timeline(("Large model",), spans, (), "")


def facts(acceptance: float, lookahead: int, cost: float, most: int) -> dict[str, Any]:
    """The facts of a figure: for this lookahead, and for the best lookahead from 0 to `most`."""
    best = best_lookahead(acceptance, cost, most)
    return {
        "tokens_per_pass": tokens(acceptance, lookahead),
        "speedup": speedup(acceptance, lookahead, cost),
        "operations_factor": operations(acceptance, lookahead, cost),
        "best_lookahead": best,
        "best_speedup": speedup(acceptance, best, cost),
    }
