"""The roofline model: how fast a kernel can be, by its operations per byte.

A kernel of F operations and Q bytes has the intensity I = F / Q. It can reach min(peak, I x bandwidth). It is
memory-bound left of the ridge, peak / bandwidth, and compute-bound right of it (Williams, Waterman and Patterson 2009,
Roofline: an insightful visual performance model, CACM 52(4)).

The kernels of a transformer layer are counted as if each operand crossed the memory bus once: a product of (m, k) and
(k, n) has 2 m k n operations and moves (m k + k n + m n) numbers. Prefill multiplies all tokens of the prompts by the
weights; decode multiplies one token of each request. In decode, attention reads each request's own cache, so its
intensity does not grow with the batch. In a mixture of experts, a batch reads only the experts that it uses, and all of
them together do the work of k; on e ranks, the experts of one get the tokens of all e. Of t tensor-parallel ranks, each
has a t-th of the heads and of the inner width. This roof does not cover what ranks send each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any

from figmill_timelines.models.mixtures import Experts


@dataclass(frozen=True, slots=True)
class Roof:
    """The roof of a machine.

    - peak: operations per second.
    - bandwidth: bytes per second.
    """

    peak: float
    bandwidth: float

    @property
    def ridge(self) -> float:
        """The intensity from which a kernel can reach the peak, in operations per byte."""
        return self.peak / self.bandwidth


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel.

    - flops: operations.
    - bytes: moved between memory and chip.
    - measured: operations per second, if known.
    """

    name: str
    flops: float
    bytes: float
    measured: float | None = None

    @property
    def intensity(self) -> float:
        return self.flops / self.bytes


def attainable(machine: Roof, intensity: float) -> float:
    """The most operations per second at this intensity."""
    return min(machine.peak, intensity * machine.bandwidth)


def seconds(machine: Roof, kernel: Kernel) -> float:
    """The least time that a kernel takes, if computing and moving overlap."""
    return max(kernel.flops / machine.peak, kernel.bytes / machine.bandwidth)


def bound(machine: Roof, kernel: Kernel) -> str:
    """`memory` or `compute`."""
    return "memory" if kernel.intensity < machine.ridge else "compute"


def product(m: int, k: int, n: int, bytes_each: float) -> tuple[float, float]:
    """(operations, bytes) of an (m, k) matrix times a (k, n) matrix."""
    return 2.0 * m * k * n, bytes_each * (float(m) * k + float(k) * n + float(m) * n)


@dataclass(frozen=True, slots=True)
class TransformerLayer:
    """A transformer layer: its width, that of its feed-forward part, heads, and bytes of a number.

    - gated: the feed-forward part has a third product of the same size, a gate (Shazeer 2020, arXiv:2002.05202), as in
      Llama.
    - tensor: ranks that divide the layer; kernels are those of one.
    - experts: in place of the feed-forward part.
    """

    hidden: int
    inner: int
    heads: int
    kv_heads: int
    bytes_each: float = 2.0
    gated: bool = False
    tensor: int = 1
    experts: Experts | None = None

    def __post_init__(self) -> None:
        if self.hidden % self.heads or self.heads % self.kv_heads:
            given = f"{self.hidden}, {self.heads} and {self.kv_heads}"
            raise ValueError(
                f"hidden must be a multiple of heads, and heads a multiple of kv_heads: not {given}"
            )
        t = self.tensor
        if self.heads % t or (self.kv_heads % t and t % self.kv_heads) or self.inner % t:
            given = f"{self.heads}, {self.inner} and {self.kv_heads}"
            raise ValueError(
                f"heads and inner must be multiples of tensor, and kv_heads must be one or divide it: not {given}"
                f" for {t}"
            )

    @property
    def own_keys(self) -> int:
        """The width of keys, and of values, on one rank; ranks share a head where there are more of them."""
        return self.hidden // self.heads * max(1, self.kv_heads // self.tensor)

    def weights(self, tokens: int) -> tuple[float, float]:
        """(operations, bytes) of all products with weights."""
        return _total([product(tokens, k, n, self.bytes_each) for k, n in self.shapes])

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """The shapes of the weights: queries, keys and values in one; output; into the feed-forward part; out of it.

        A mixture of experts has its router in place of the latter; `mixture` counts its experts.
        """
        shard, inner = self.hidden // self.tensor, self.inner // self.tensor
        attention = ((self.hidden, shard + 2 * self.own_keys), (shard, self.hidden))
        if self.experts:
            return (*attention, (self.hidden, self.experts.count))
        into = (self.hidden, inner)
        return (*attention, *((into, into) if self.gated else (into,)), (inner, self.hidden))

    @property
    def parameters(self) -> int:
        """How many weights the products of the whole layer have, without norms and biases."""
        dense = sum(int(rows * columns) for rows, columns in replace(self, tensor=1).shapes)
        return dense + (int(self.experts.count * self.experts.weights(self.hidden)) if self.experts else 0)

    def attention(self, queries: int, context: int, requests: int) -> tuple[float, float]:
        """(operations, bytes) of scores and sums of `queries` tokens of each request over its `context` tokens.

        Scores stay on the chip (Dao et al. 2022, FlashAttention); heads of one group read the same keys and values.
        """
        shard = self.hidden // self.tensor
        flops = 4.0 * requests * queries * context * shard
        numbers = 2.0 * requests * (queries * shard + context * self.own_keys)
        return flops, self.bytes_each * numbers

    def mixture(self, tokens: int, ranks: int = 1) -> tuple[float, float]:
        """(operations, bytes) of the experts of one of `ranks` ranks, each of which adds this many tokens.

        tokens x k rows pass this rank's experts; it reads the experts that a token of any rank uses.
        """
        experts = self.experts
        if experts is None:
            raise ValueError("a layer without experts has no mixture")
        rows = float(tokens) * experts.top_k
        awake = experts.awake(float(tokens) * ranks) / ranks
        products = 3 if experts.gated else 2
        moved = awake * experts.weights(self.hidden) + products * rows * (self.hidden + experts.inner)
        return 2.0 * rows * experts.weights(self.hidden), self.bytes_each * moved


def _total(parts: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return fsum(flops for flops, _ in parts), fsum(moved for _, moved in parts)


def prefill(layer: TransformerLayer, prompt: int, requests: int = 1, ranks: int = 1) -> list[Kernel]:
    """The kernels of a layer for prompts of this many tokens. ranks: that share the experts, each with such prompts."""
    size = f"({prompt} token{'' if prompt == 1 else 's'})"
    return [
        Kernel(f"Prefill, weights {size}", *layer.weights(prompt * requests)),
        Kernel("Prefill, attention", *layer.attention(prompt, prompt, requests)),
        *_mixture(layer, "Prefill", size, prompt * requests, ranks),
    ]


def decode(layer: TransformerLayer, context: int, requests: int, ranks: int = 1) -> list[Kernel]:
    """The kernels of a layer for one token of each request. ranks: that share the experts, each with such a batch."""
    size = f"(batch {requests})"
    return [
        Kernel(f"Decode, weights {size}", *layer.weights(requests)),
        Kernel("Decode, attention (any batch)", *layer.attention(1, context, requests)),
        *_mixture(layer, "Decode", size, requests, ranks),
    ]


def _mixture(layer: TransformerLayer, when: str, size: str, tokens: int, ranks: int) -> list[Kernel]:
    if layer.experts is None:
        return []
    return [Kernel(f"{when}, experts {size}", *layer.mixture(tokens, ranks))]


def facts(machine: Roof, kernels: Sequence[Kernel]) -> dict[str, Any]:
    """The ridge, and for each kernel, in order: intensity, attainable rate, least time and bound."""
    return {
        "ridge_flop_per_byte": machine.ridge,
        "intensities": [kernel.intensity for kernel in kernels],
        "attainable_flops": [attainable(machine, kernel.intensity) for kernel in kernels],
        "least_us": [1e6 * seconds(machine, kernel) for kernel in kernels],
        "kernels": len(kernels),
        "memory_bound": sum(bound(machine, kernel) == "memory" for kernel in kernels),
    }
