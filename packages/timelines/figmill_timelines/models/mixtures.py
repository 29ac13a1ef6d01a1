"""Mixtures of experts: their weights, how many a batch uses, and the activations that they keep.

In a mixture, a router sends each token to k of E feed-forward parts (Shazeer et al. 2017, arXiv:1701.06538; Fedus et
al. 2022, arXiv:2101.03961). Here, each token goes to k different experts, all equally likely and independent of other
tokens, and no token is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Experts:
    """The experts of a mixture.

    - count: E, in each of `layers` layers.
    - top_k: k.
    - inner: the width inside one.
    - gated: three products, not two.
    """

    count: int
    top_k: int
    inner: int
    layers: int
    gated: bool = True

    def __post_init__(self) -> None:
        if self.top_k > self.count:
            raise ValueError(f"top_k must be at most experts, which is {self.count}, not {self.top_k}")

    def weights(self, hidden: int) -> float:
        """The parameters of one expert in one layer."""
        return float(3 if self.gated else 2) * hidden * self.inner

    def parameters(self, hidden: int) -> float:
        """The parameters of all experts in all layers; routers belong to the rest of the model."""
        return self.layers * self.count * self.weights(hidden)

    def idle_parameters(self, hidden: int) -> float:
        """The parameters of the experts that a token does not use."""
        return self.layers * (self.count - self.top_k) * self.weights(hidden)

    def awake(self, tokens: float) -> float:
        """How many experts of a layer get at least one of these tokens, on average."""
        asleep: float = (1 - self.top_k / self.count) ** tokens
        return self.count * (1 - asleep)

    def kept(self, hidden: int) -> float:
        """Bytes for each token that one layer's mixture keeps for the backward, in 16 bits.

        Its input, and for each of the k experts the copy of it that was sent there, the products inside and the result;
        and a mask of dropout. An expert that is not gated keeps the inner product before and behind its activation; a
        gated one keeps the gate, the product and the two together.
        """
        inner = 3 if self.gated else 2
        return 2.0 * hidden + hidden + self.top_k * (4.0 * hidden + 2.0 * inner * self.inner)
