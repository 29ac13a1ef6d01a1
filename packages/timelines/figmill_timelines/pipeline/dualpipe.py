"""The orders of DualPipe and DualPipeV, in which two directions share the devices (DeepSeek-AI, arXiv:2412.19437)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from figmill_timelines.pipeline.plan import Plan


def dualpipe(p: int, m: int, v: int = 1) -> Plan:
    """DualPipe: DeepSeek-AI, arXiv:2412.19437, section 3.2.1. Half of the microbatches run upwards."""
    half = m // 2
    orders = []
    pairs: dict[int, int] = {}
    for i in range(p):
        # (stage, first microbatch); near: of the direction that enters nearby
        near, far = (i, 0), (p - 1 - i, half)
        if i >= p // 2:
            near, far = (p - 1 - i, half), (i, 0)
        orders.append(tuple(_dual(p, m, p // 2, min(i, p - 1 - i), half, near, far, pairs)))
    return Plan(p, m, tuple(orders), pairs, up_from=half)


def dualpipe_v(p: int, m: int, v: int = 2) -> Plan:
    """DualPipeV: DualPipe cut in half and folded into a V, stages i and 2P-1-i on device i (DeepSeek-AI)."""
    pairs: dict[int, int] = {}
    orders = [tuple(_dual(2 * p, m, p, i, m, (i, 0), (2 * p - 1 - i, 0), pairs)) for i in range(p)]
    return Plan(2 * p, m, tuple(orders), pairs)


def _dual(
    stages: int,
    m: int,
    h: int,
    r: int,
    each: int,
    near: tuple[int, int],
    far: tuple[int, int],
    pairs: dict[int, int],
) -> Iterator[int]:
    """The eight steps of DualPipe on the device at distance r from its end, with h devices to the middle.

    near, far: (stage, first microbatch) of the two directions. each: microbatches in a direction. A forward of
    one direction that runs together with a backward of the other is added to `pairs`.
    """
    size = stages * m
    ends = (near, far)
    done = {(kind, which): 0 for kind in "FB" for which in (0, 1)}
    weights: deque[int] = deque()

    def code(kind: str, which: int) -> int:
        stage, first = ends[which]
        done[kind, which] += 1
        return "FB".index(kind) * size + stage * m + first + done[kind, which] - 1

    def backward(which: int, split: bool) -> int:
        operation = code("B", which)
        if split:
            weights.append(operation + size)
        return operation

    def together(which: int) -> int:
        forward = code("F", which)
        pairs[forward] = code("B", 1 - which)
        return forward

    for _ in range(2 * (h - 1 - r)):
        yield code("F", 0)
    for _ in range(r + 1):
        yield code("F", 0)
        yield code("F", 1)
    for _ in range(h - 1 - r):
        yield backward(1, split=True)
        yield weights.popleft()
        yield code("F", 1)
    for turn in range(each - 2 * h + r + 1):
        if turn == 0 and r == h - 1:
            # In the middle the first pair would wait: run one after the other, it ends earlier.
            yield code("F", 0)
            yield backward(1, split=False)
        else:
            yield together(0)
        yield together(1)
    for _ in range(h - 1 - r):
        yield backward(1, split=False)
        yield together(1)
    # The later half of these r+1 pairs of backwards leaves its weight gradients for later bubbles.
    for place in range(2 * (r + 1)):
        yield backward(1 - place % 2, split=place >= r + 1)
    for _ in range(h - 1 - r):
        yield weights.popleft()
        yield backward(0, split=True)
    yield from weights
