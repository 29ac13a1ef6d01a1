"""The roofline model: how fast a kernel can be, by what it computes for each byte that it moves.

A kernel of F operations and Q bytes has the intensity I = F / Q. It can reach min(peak, I x bandwidth), and is bound by
memory left of the ridge, peak / bandwidth, and by compute right of it (Williams, Waterman and Patterson 2009, Roofline:
an insightful visual performance model, CACM 52(4)).

The kernels of a transformer layer are counted as if each operand went over the memory bus once: a product of (m, k) and
(k, n) has 2 m k n operations and moves (m k + k n + m n) numbers. Prefill multiplies all tokens of the prompts with the
weights; decode one token of each request. Attention of decode reads each request's own cache, and so its intensity does
not grow with the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any


@dataclass(frozen=True, slots=True)
class Machine:
    """peak: operations a second. bandwidth: bytes a second."""

    peak: float
    bandwidth: float

    @property
    def ridge(self) -> float:
        """The intensity from which on a kernel can reach the peak, in operations a byte."""
        return self.peak / self.bandwidth


@dataclass(frozen=True, slots=True)
class Kernel:
    """flops: operations. bytes: moved between memory and chip. measured: operations a second, where known."""

    name: str
    flops: float
    bytes: float
    measured: float | None = None

    @property
    def intensity(self) -> float:
        return self.flops / self.bytes


def attainable(machine: Machine, intensity: float) -> float:
    """The most operations a second at this intensity."""
    return min(machine.peak, intensity * machine.bandwidth)


def seconds(machine: Machine, kernel: Kernel) -> float:
    """The least time that a kernel takes: computing and moving overlap."""
    return max(kernel.flops / machine.peak, kernel.bytes / machine.bandwidth)


def bound(machine: Machine, kernel: Kernel) -> str:
    """`memory` or `compute`."""
    return "memory" if kernel.intensity < machine.ridge else "compute"


def product(m: int, k: int, n: int, bytes_each: float) -> tuple[float, float]:
    """(operations, bytes) of an (m, k) matrix times a (k, n) matrix."""
    return 2.0 * m * k * n, bytes_each * (float(m) * k + float(k) * n + float(m) * n)


@dataclass(frozen=True, slots=True)
class Layer:
    """A transformer layer: its width, that of its feed-forward part, heads, and bytes of a number.

    gated: the feed-forward part has a third product of the same size, a gate (Shazeer 2020, arXiv:2002.05202), as in
    Llama.
    """

    hidden: int
    inner: int
    heads: int
    kv_heads: int
    bytes_each: float = 2.0
    gated: bool = False

    def __post_init__(self) -> None:
        if self.hidden % self.heads or self.heads % self.kv_heads:
            given = f"{self.hidden}, {self.heads} and {self.kv_heads}"
            raise ValueError(
                f"hidden must be a multiple of heads, and heads a multiple of kv_heads: not {given}"
            )

    def weights(self, tokens: int) -> tuple[float, float]:
        """(operations, bytes) of all products with weights."""
        return _total([product(tokens, k, n, self.bytes_each) for k, n in self.shapes])

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Of the weights: queries, keys and values in one; output; into the feed-forward part, and out of it."""
        kv = self.hidden // self.heads * self.kv_heads
        into = (self.hidden, self.inner)
        return (
            (self.hidden, self.hidden + 2 * kv),
            (self.hidden, self.hidden),
            *((into, into) if self.gated else (into,)),
            (self.inner, self.hidden),
        )

    @property
    def parameters(self) -> int:
        """How many weights the layer's products have, without norms and biases."""
        return sum(int(rows * columns) for rows, columns in self.shapes)

    def attention(self, queries: int, context: int, requests: int) -> tuple[float, float]:
        """(operations, bytes) of scores and sums of `queries` tokens of each request over its `context` tokens.

        Scores stay on the chip (Dao et al. 2022, FlashAttention); heads of one group read the same keys and values.
        """
        dimension = self.hidden // self.heads
        flops = 4.0 * requests * queries * context * self.hidden
        numbers = 2.0 * requests * (queries * self.hidden + context * self.kv_heads * dimension)
        return flops, self.bytes_each * numbers


def _total(parts: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return fsum(flops for flops, _ in parts), fsum(moved for _, moved in parts)


def prefill(layer: Layer, prompt: int, requests: int = 1) -> list[Kernel]:
    """The kernels of a layer for prompts of this many tokens."""
    return [
        Kernel(
            f"Prefill, weights ({prompt} token{'' if prompt == 1 else 's'})",
            *layer.weights(prompt * requests),
        ),
        Kernel("Prefill, attention", *layer.attention(prompt, prompt, requests)),
    ]


def decode(layer: Layer, context: int, requests: int) -> list[Kernel]:
    """The kernels of a layer for one token of each request."""
    return [
        Kernel(f"Decode, weights (batch {requests})", *layer.weights(requests)),
        Kernel("Decode, attention (any batch)", *layer.attention(1, context, requests)),
    ]


def facts(machine: Machine, kernels: Sequence[Kernel]) -> dict[str, Any]:
    """The ridge, and of each kernel, in their order, intensity, the attainable rate, the least time and its bound."""
    return {
        "ridge_flop_per_byte": machine.ridge,
        "intensities": [kernel.intensity for kernel in kernels],
        "attainable_flops": [attainable(machine, kernel.intensity) for kernel in kernels],
        "least_us": [1e6 * seconds(machine, kernel) for kernel in kernels],
        "memory_bound": sum(bound(machine, kernel) == "memory" for kernel in kernels),
    }
