"""List scheduling under a memory limit: a free device takes the best operation that it can run.

Backwards have priority over forwards, and forwards of a later chunk over those of an earlier one. A weight gradient
runs when the device would otherwise wait. A forward may not take the last place in memory unless it belongs to the last
chunk: then the oldest microbatch can always continue, and no deadlock occurs.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from figmill_timelines.pipeline.evaluate import Times


@dataclass(slots=True)
class _Devices:
    """The state of the devices.

    - device: of each stage.
    - stages: of each device, in the order of chunks.
    """

    device: Sequence[int]
    microbatches: int
    times: Times
    lag: float
    room: int
    stages: list[list[int]] = field(init=False)
    ends: tuple[list[list[float]], list[list[float]]] = field(init=False)  # forwards, backwards of each stage
    held: list[int] = field(init=False)
    waiting: list[deque[tuple[int, int]]] = field(init=False)
    orders: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        count = max(self.device) + 1
        self.stages = [[s for s, device in enumerate(self.device) if device == i] for i in range(count)]
        self.ends = ([[] for _ in self.device], [[] for _ in self.device])
        self.held = [0] * count
        self.waiting = [deque() for _ in range(count)]
        self.orders = [[] for _ in range(count)]

    def after(self, end: float, source: int, target: int) -> float:
        return end + (self.lag if self.device[source] != self.device[target] else 0.0)

    def possible(self, lane: int) -> list[tuple[float, int, int, int]]:
        """(ready, kind, chunk, stage) of each operation of this device whose inputs have run or are running."""
        choices = []
        last = len(self.stages[lane]) - 1
        forwards, backwards = self.ends
        for chunk, stage in enumerate(self.stages[lane]):
            number = len(forwards[stage])
            if number < self.microbatches and self.held[lane] < self.room - (chunk < last):
                if stage == 0:
                    choices.append((0.0, 0, chunk, stage))
                elif number < len(forwards[stage - 1]):
                    choices.append(
                        (self.after(forwards[stage - 1][number], stage - 1, stage), 0, chunk, stage)
                    )
            number = len(backwards[stage])
            if number < len(forwards[stage]):
                ready = forwards[stage][number]
                if stage == len(self.device) - 1:
                    choices.append((ready, 1, chunk, stage))
                elif number < len(backwards[stage + 1]):
                    arrived = self.after(backwards[stage + 1][number], stage + 1, stage)
                    choices.append((max(ready, arrived), 1, chunk, stage))
        return choices


def scheduled(
    device: Sequence[int],
    microbatches: int,
    times: Times,
    lag: float,
    room: int,
    patience: float = 1.0,
) -> list[tuple[int, ...]]:
    """The order on each device, as the codes of a Plan. device: of each stage; room: activations held at once.

    patience: a weight gradient starts if the device would otherwise wait for at least this share of its length.
    """
    state = _Devices(device, microbatches, times, lag, room)
    lanes, size = len(state.stages), len(device) * microbatches
    free = [0.0] * lanes
    events = [(0.0, lane) for lane in range(lanes)]
    while events:
        now, lane = heapq.heappop(events)
        if now < free[lane]:
            continue
        choice, wake = _choose(state, lane, now, patience)
        if choice is None:
            if wake is not None:
                heapq.heappush(events, (wake, lane))
            continue
        kind, stage = choice
        if kind == 2:
            stage, number = state.waiting[lane].popleft()
            free[lane] = now + times.backward_weight[stage]
            state.held[lane] -= 1
        else:
            number = len(state.ends[kind][stage])
            free[lane] = now + (times.backward_input if kind else times.forward)[stage]
            state.ends[kind][stage].append(free[lane])
            neighbour = stage - 1 if kind else stage + 1
            if kind:
                state.waiting[lane].append((stage, number))
            else:
                state.held[lane] += 1
            if 0 <= neighbour < len(device):
                other = device[neighbour]
                heapq.heappush(events, (max(free[other], state.after(free[lane], stage, neighbour)), other))
        state.orders[lane].append(kind * size + stage * microbatches + number)
        heapq.heappush(events, (free[lane], lane))
    return [tuple(order) for order in state.orders]


def _choose(
    state: _Devices, lane: int, now: float, patience: float
) -> tuple[tuple[int, int] | None, float | None]:
    """((kind, stage) to start now or None, the time of the next attempt or None)."""
    possible = state.possible(lane)
    ready = [
        ((-kind, chunk if kind else -chunk), kind, stage) for at, kind, chunk, stage in possible if at <= now
    ]
    if ready:
        _, kind, stage = min(ready)
        return (kind, stage), None
    next_one = min((at for at, *_ in possible), default=None)
    if state.waiting[lane]:
        stage = state.waiting[lane][0][0]
        if next_one is None or next_one >= now + patience * state.times.backward_weight[stage]:
            return (2, stage), None
    return None, next_one
