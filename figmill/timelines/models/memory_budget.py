"""What fills the memory of a GPU: a model in training by ZeRO stage, or a model that serves requests.

Training with Adam in mixed precision keeps 2 bytes of weights, 2 of gradients and K = 12 of optimiser states for each
parameter. Over N data-parallel ranks, stage 1 divides the optimiser's by N, stage 2 the gradients too, stage 3 the
weights too (Rajbhandari et al. 2020, ZeRO, arXiv:1910.02054). A transformer layer keeps s b h (34 + 5 a s / h) bytes of
activations in 16 bits, 34 s b h with selective recomputation, 2 s b h where all is recomputed (Korthikanti et al. 2022,
arXiv:2205.05198).

A cache of keys and values takes 2 x layers x kv-heads x head dimension x bytes for each token. A server that reserves
the longest answer for each request wastes what is not used; pages of a few tokens waste less than one page a request
(Kwon et al. 2023, PagedAttention, arXiv:2309.06180).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

STAGES = (0, 1, 2, 3)
RECOMPUTE = ("none", "selective", "full")


@dataclass(frozen=True, slots=True)
class Shape:
    """A transformer. parameters: their number. kv_heads: fewer than heads with grouped queries."""

    parameters: float
    layers: int
    hidden: int
    heads: int
    kv_heads: int

    def __post_init__(self) -> None:
        if self.hidden % self.heads:
            raise ValueError(f"hidden must be a multiple of heads: {self.hidden} is none of {self.heads}")
        if self.heads % self.kv_heads:
            raise ValueError(f"heads must be a multiple of kv_heads: {self.heads} is none of {self.kv_heads}")

    @property
    def head_dimension(self) -> int:
        return self.hidden // self.heads


@dataclass(frozen=True, slots=True)
class Precision:
    """Bytes of each parameter in training; the optimiser's 12 are Adam's 32-bit weights, momentum and variance."""

    weights: float = 2
    gradients: float = 2
    optimiser: float = 12


@dataclass(frozen=True, slots=True)
class Training:
    """Bytes on one rank."""

    weights: float
    gradients: float
    optimiser: float
    activations: float

    @property
    def total(self) -> float:
        return self.weights + self.gradients + self.optimiser + self.activations


def training(
    shape: Shape, stage: int, ranks: int, precision: Precision, activations: float = 0.0
) -> Training:
    """What one of `ranks` keeps at a ZeRO stage, 0 (all of it) to 3 (an N-th of everything)."""
    return Training(
        shape.parameters * precision.weights / (ranks if stage >= 3 else 1),
        shape.parameters * precision.gradients / (ranks if stage >= 2 else 1),
        shape.parameters * precision.optimiser / (ranks if stage >= 1 else 1),
        activations,
    )


def activations(shape: Shape, sequence: int, batch: int, recompute: str = "none") -> float:
    """Bytes that all layers keep for the backward of `batch` sequences, in 16 bits.

    ValueError for a recomputation that is none, selective or full.
    """
    if recompute not in RECOMPUTE:
        raise ValueError(f"recompute must be one of {', '.join(RECOMPUTE)}, not '{recompute}'")
    tokens = sequence * batch * shape.hidden
    attention = 5.0 * shape.heads * sequence / shape.hidden if recompute == "none" else 0.0
    return shape.layers * tokens * (2.0 if recompute == "full" else 34.0 + attention)


def cache_per_token(shape: Shape, bytes_each: float = 2) -> float:
    """Bytes of keys and values for one token in all layers."""
    return 2 * shape.layers * shape.kv_heads * shape.head_dimension * bytes_each


@dataclass(frozen=True, slots=True)
class Cache:
    """Requests side by side, and the tokens of their caches: used, reserved without use, and room that is left."""

    requests: int
    used: int
    wasted: int
    free: int


def reserved(room: int, lengths: Sequence[int], longest: int) -> Cache:
    """Each request gets room for `longest` tokens. lengths: of the requests, taken round and round."""
    count = room // longest
    rounds, rest = divmod(count, len(lengths))
    used = rounds * sum(map(int, lengths)) + sum(map(int, lengths[:rest]))
    return Cache(count, used, count * longest - used, room - count * longest)


def paged(room: int, lengths: Sequence[int], page: int) -> Cache:
    """Each request gets as many pages of `page` tokens as its own length needs."""
    pages = room // page
    needs = [-(-length // page) for length in lengths]
    rounds = pages // sum(map(int, needs))  # whole rounds at once: a small model has room for millions
    count, taken = rounds * len(lengths), rounds * sum(map(int, needs))
    used = rounds * sum(map(int, lengths))
    for length, need in zip(lengths, needs, strict=True):
        if taken + need > pages:
            break
        count, taken, used = count + 1, taken + need, used + length
    return Cache(count, used, taken * page - used, room - taken * page)


def lengths(count: int, low: int, high: int, seed: int) -> list[int]:
    """Lengths of requests, uniform from `low` to `high`."""
    source = random.Random(seed)
    return [low + int(source.random() * (high - low + 1)) for _ in range(count)]


def cache_facts(cache: Cache) -> dict[str, Any]:
    taken = cache.used + cache.wasted
    return {
        "requests": cache.requests,
        "used_fraction": cache.used / taken if taken else 0.0,
        "wasted_fraction": cache.wasted / taken if taken else 0.0,
    }
