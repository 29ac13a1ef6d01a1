"""A plan: the operations of each device of a pipeline in order, as numbers.

A plan does not contain times, and does not know which schedule it follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Plan:
    """The operations of each device in order, as codes.

    With S stages and M microbatches, the forward of stage s and microbatch m has the code s M + m. Its backward
    is S M more and its weight gradient 2 S M more, so that a dependency is an addition (see `evaluate`). A
    backward whose weight gradient is in the plan computes input gradients only.
    """

    stages: int
    microbatches: int
    orders: tuple[tuple[int, ...], ...]
    # A forward -> the backward that runs together with it, or the second of two microbatches in one forward.
    pairs: Mapping[int, int] = field(default_factory=dict)
    up_from: int | None = None  # later microbatches run up the pipeline: stage s on device P-1-s

    def name(self, code: int) -> str:
        """`F2.0`: the forward of stage 2 for microbatch 0; B backward, W weight gradient."""
        kind, index = divmod(code, self.stages * self.microbatches)
        return f"{'FBW'[kind]}{index // self.microbatches}.{index % self.microbatches}"


def blocking(plan: Plan) -> frozenset[int]:
    """The operations whose result a device sends to another before its first backward or after its last forward.

    For these, Megatron-LM's interleaved schedule sends synchronously by default: nothing overlaps with the transfer.
    """
    size, m = plan.stages * plan.microbatches, plan.microbatches
    device = {code: i for i, order in enumerate(plan.orders) for code in order}
    device |= {pair: device[code] for code, pair in plan.pairs.items()}
    codes = set()
    for i, order in enumerate(plan.orders):
        first = next((n for n, code in enumerate(order) if plan.pairs.get(code, code) >= size), len(order))
        last = max((n for n, code in enumerate(order) if code < size), default=-1)
        for code in (*order[:first], *order[max(first, last + 1) :]):
            if code < size:
                reader = code + m if code + m < size else code
            elif code < 2 * size:
                reader = code - m if code - m >= size else code
            else:
                reader = code
            if device[reader] != i:
                codes.add(code)
    return frozenset(codes)
