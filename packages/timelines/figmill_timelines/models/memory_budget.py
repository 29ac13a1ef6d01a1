"""What fills the memory of a GPU: a model in training by ZeRO stage, or a model that serves requests.

Training with Adam in mixed precision keeps 2 bytes of weights, 2 of gradients and K = 12 of optimiser states for each
parameter. Over N data-parallel ranks, stage 1 divides the optimiser's by N, stage 2 the gradients too, stage 3 the
weights too (Rajbhandari et al. 2020, ZeRO, arXiv:1910.02054). A transformer layer keeps s b h (34 + 5 a s / h) bytes of
activations in 16 bits, 34 s b h with selective recomputation, 2 s b h where all is recomputed (Korthikanti et al. 2022,
arXiv:2205.05198). Of the 34, keys and values have 2 each, or their share of the heads if several queries share them.

Over t tensor-parallel ranks, attention and feed-forward parts are divided by t; with sequence parallelism, so are norms
and dropouts (Korthikanti et al.): 10 + 24/t + 5 a s / (h t), or 34/t + 5 a s / (h t). Experts are not divided by t, but
shared out over e ranks, and so have t N / e data-parallel copies (Megatron-Core's expert data parallelism). A hybrid
shards all three over the ranks of a group, and repeats that in every group (Zhao et al. 2023, PyTorch FSDP,
arXiv:2304.11277, section 3.2.2): stage 3 over the ranks of one group.

A cache of keys and values takes 2 x layers x kv-heads x head dimension x bytes for each token. A server that reserves
room for the longest answer for each request wastes the unused part; pages of a few tokens waste less than one page per
request (Kwon et al. 2023, PagedAttention, arXiv:2309.06180). Multi-head latent attention keeps one compressed vector
and one with the position instead, (d_c + d_R) x layers (DeepSeek-V2, arXiv:2405.04434, section 2.1).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from figmill_timelines.models.mixtures import Experts

STAGES = (0, 1, 2, 3)
RECOMPUTE = ("none", "selective", "full")


@dataclass(frozen=True, slots=True)
class ModelShape:
    """A transformer. Raises ValueError for sizes that do not divide each other.

    - parameters: their number.
    - kv_heads: fewer than heads with grouped queries.
    - head: the width of a head; by default, hidden / heads.
    """

    parameters: float
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head: int | None = None

    def __post_init__(self) -> None:
        if self.head is None and self.hidden % self.heads:
            raise ValueError(
                f"hidden must be a multiple of heads: {self.hidden} is not a multiple of {self.heads}"
            )
        if self.heads % self.kv_heads:
            raise ValueError(
                f"heads must be a multiple of kv_heads: {self.heads} is not a multiple of {self.kv_heads}"
            )

    @property
    def head_dimension(self) -> int:
        return self.head or self.hidden // self.heads


@dataclass(frozen=True, slots=True)
class Split:
    """How a model is divided.

    - tensor: ranks that divide a layer.
    - sequence: norms and dropouts are divided too.
    - expert: ranks that share the experts.
    """

    tensor: int = 1
    sequence: bool = False
    expert: int = 1


WHOLE = Split()


def check(shape: ModelShape, split: Split, experts: Experts | None, ranks: int) -> None:
    """ValueError if a model cannot be divided like this over `ranks` data-parallel ranks."""
    if shape.heads % split.tensor:
        raise ValueError(
            f"heads must be a multiple of tensor: {shape.heads} is not a multiple of {split.tensor}"
        )
    if shape.kv_heads % split.tensor and split.tensor % shape.kv_heads:
        raise ValueError(
            f"kv_heads must be a multiple of tensor, or divide it: {shape.kv_heads} and {split.tensor} do neither"
        )
    if experts is None:
        if split.expert > 1:
            raise ValueError("expert_parallel needs experts")
        return
    if experts.count % split.expert:
        raise ValueError(
            f"experts must be a multiple of expert_parallel: {experts.count} is not a multiple of {split.expert}"
        )
    if split.tensor * ranks % split.expert:
        raise ValueError(
            f"tensor x ranks must be a multiple of expert_parallel: "
            f"{split.tensor * ranks} is not a multiple of {split.expert}"
        )
    if experts.layers > shape.layers:
        raise ValueError(
            f"expert_layers must be at most layers, which is {shape.layers}, not {experts.layers}"
        )
    if experts.parameters(shape.hidden) > shape.parameters:
        many = experts.parameters(shape.hidden) / 1e9
        raise ValueError(
            f"parameters_b must be at least {many:.4g}, which the experts alone have, not {shape.parameters / 1e9:.4g}"
        )


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
    shape: ModelShape,
    stage: int,
    ranks: int,
    precision: Precision,
    activations: float = 0.0,
    split: Split = WHOLE,
    experts: Experts | None = None,
) -> Training:
    """The memory of one of `ranks` data-parallel ranks at a ZeRO stage, 0 (all of it) to 3 (an N-th of everything)."""
    in_experts = experts.parameters(shape.hidden) if experts else 0.0
    dense, expert = (shape.parameters - in_experts) / split.tensor, in_experts / split.expert
    copies = split.tensor * ranks / split.expert  # the number of copies of an expert

    def held(each: float, from_stage: int) -> float:
        shares = stage >= from_stage
        return dense * each / (ranks if shares else 1) + expert * each / (copies if shares else 1)

    return Training(
        held(precision.weights, 3), held(precision.gradients, 2), held(precision.optimiser, 1), activations
    )


def activations(
    shape: ModelShape,
    sequence: int,
    batch: int,
    recompute: str = "none",
    split: Split = WHOLE,
    experts: Experts | None = None,
) -> float:
    """Bytes that all layers keep for the backward of `batch` sequences, in 16 bits.

    Queries and what attention returns have the width of all heads, keys and values that of their own. With more
    tensor-parallel ranks than heads of keys and values, several ranks hold the same head. A mixture of experts replaces
    the feed-forward part, which has 19 s b h. recompute: `none`, `selective` or `full`;
    ValueError for any other.
    """
    if recompute not in RECOMPUTE:
        raise ValueError(f"recompute must be one of {', '.join(RECOMPUTE)}, not '{recompute}'")
    tokens, t = sequence * batch * shape.hidden, split.tensor
    everywhere = t if split.sequence else 1
    if recompute == "full":
        return shape.layers * tokens * (2.0 / everywhere)
    attention = 5.0 * shape.heads * sequence / shape.hidden / t if recompute == "none" else 0.0
    width = shape.head_dimension / shape.hidden
    heads = (4.0 * shape.heads / t + 4.0 * max(1.0, shape.kv_heads / t)) * width  # each number has 2 bytes
    kept = shape.layers * tokens * (10.0 / everywhere + 16.0 / t + heads + attention)
    if experts:
        kept += experts.layers * tokens * (experts.kept(shape.hidden) / shape.hidden - 19.0) / t
    return kept


def cache_per_token(shape: ModelShape, bytes_each: float = 2, tensor: int = 1) -> float:
    """Bytes of keys and values for one token in all layers, on one of `tensor` ranks that share the heads.

    With more ranks than heads of keys and values, several ranks hold the same head.
    """
    heads = max(1, shape.kv_heads // tensor)
    return 2 * shape.layers * heads * shape.head_dimension * bytes_each


def latent_per_token(shape: ModelShape, latent: int, rope: int, bytes_each: float = 2) -> float:
    """Bytes for one token in all layers with multi-head latent attention; every rank needs the whole vectors."""
    return shape.layers * (latent + rope) * bytes_each


def caches(
    shape: ModelShape, bytes_each: float = 2, tensor: int = 1, latent: int | None = None, rope: int = 64
) -> dict[str, float]:
    """Bytes for one token in all layers, by kind of attention.

    `mha`: every head has its own keys and values. `gqa`: as many as the shape has, if that is neither all nor one.
    `mqa`: one for all heads. `mla`: a latent vector, if `latent` is given.
    """
    ways = {"mha": shape.heads, "gqa": shape.kv_heads, "mqa": 1}
    sizes = {
        way: cache_per_token(replace(shape, kv_heads=heads), bytes_each, tensor)
        for way, heads in ways.items()
        if way != "gqa" or heads not in (1, shape.heads)
    }
    return sizes if latent is None else sizes | {"mla": latent_per_token(shape, latent, rope, bytes_each)}


@dataclass(frozen=True, slots=True)
class CacheUse:
    """Concurrent requests, and the tokens of their caches: used, reserved without use, and free."""

    requests: int
    used: int
    wasted: int
    free: int


def reserved(room: int, lengths: Sequence[int], longest: int) -> CacheUse:
    """Each request gets room for `longest` tokens. room: in tokens. lengths: of the requests, repeated in turn."""
    count = room // longest
    rounds, remainder = divmod(count, len(lengths))
    used = rounds * sum(map(int, lengths)) + sum(map(int, lengths[:remainder]))
    return CacheUse(count, used, count * longest - used, room - count * longest)


def paged(room: int, lengths: Sequence[int], page: int) -> CacheUse:
    """Each request gets as many pages of `page` tokens as its length needs."""
    pages = room // page
    needs = [-(-length // page) for length in lengths]
    rounds = pages // sum(map(int, needs))  # whole rounds at once: a small model has room for millions
    count, taken = rounds * len(lengths), rounds * sum(map(int, needs))
    used = rounds * sum(map(int, lengths))
    for length, need in zip(lengths, needs, strict=True):
        if taken + need > pages:
            break
        count, taken, used = count + 1, taken + need, used + length
    return CacheUse(count, used, taken * page - used, room - taken * page)


def lengths(count: int, low: int, high: int, seed: int) -> list[int]:
    """Lengths of requests, uniform from `low` to `high`."""
    source = random.Random(seed)
    return [low + int(source.random() * (high - low + 1)) for _ in range(count)]


def cache_facts(cache: CacheUse) -> dict[str, Any]:
    """The number of requests, and the shares of the reserved tokens that are used and wasted."""
    taken = cache.used + cache.wasted
    return {
        "requests": cache.requests,
        "used_fraction": cache.used / taken if taken else 0.0,
        "wasted_fraction": cache.wasted / taken if taken else 0.0,
    }
