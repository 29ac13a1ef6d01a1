"""The search that makes a zero-bubble schedule over a V of two chunks: Qi et al., arXiv:2401.10241, section 6.

A microbatch passes every device four times: its forward down the V (leg 0) and up again (leg 1), its backward down (leg
2) and up (leg 3). After the warm-up, the search repeats a round: one backward on every device, then one forward, of a
leg whose input is there. A weight gradient runs when the device would otherwise wait; it also goes into a gap that is
shorter than itself, unless the device's bubble is smaller than the worst one. The next attempt may assume the worst
bubble of the attempt before it, as long as that helps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from figmill_timelines.pipeline.evaluate import Times

DeviceOrders = list[tuple[int, ...]]


class _NoRoomError(Exception):
    """This attempt needs more activations at once than are allowed."""


@dataclass(frozen=True, slots=True)
class SearchTask:
    """What is scheduled.

    The shape, the times of its 2P stages, the lag between devices, the most activations on one.
    """

    devices: int
    microbatches: int
    times: Times
    lag: float
    room: int

    def stage(self, leg: int, device: int) -> int:
        return device if leg in (0, 3) else 2 * self.devices - 1 - device

    def code(self, leg: int, device: int, microbatch: int) -> int:
        """The code of an operation in a Plan; leg 4: the weight gradient of the outer chunk, 5: of the inner."""
        stages = 2 * self.devices
        stage = self.stage({4: 0, 5: 1}.get(leg, leg), device)
        kind = 0 if leg < 2 else 1 if leg < 4 else 2
        return (kind * stages + stage) * self.microbatches + microbatch


@dataclass(slots=True)
class _Attempt:
    task: SearchTask
    ends: list[list[list[float]]] = field(init=False)  # of each device and leg, by microbatch
    now: list[float] = field(init=False)
    held: list[int] = field(init=False)
    bubble: list[float] = field(init=False)  # idle time of each device since its first operation
    waiting: list[deque[tuple[int, int]]] = field(init=False)  # weight gradients: (leg 4 or 5, microbatch)
    orders: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        p = self.task.devices
        self.ends = [[[], [], [], []] for _ in range(p)]
        self.now, self.held, self.bubble = [0.0] * p, [0] * p, [0.0] * p
        self.waiting = [deque() for _ in range(p)]
        self.orders = [[] for _ in range(p)]

    def count(self, device: int, leg: int) -> int:
        return len(self.ends[device][leg])

    def arrival(self, device: int, leg: int) -> float | None:
        """When the next input of this leg arrives: -1 if it comes from no neighbour, None if that is not yet known."""
        neighbour = device - 1 if leg % 2 == 0 else device + 1
        if not 0 <= neighbour < self.task.devices:
            return -1.0
        done = self.ends[neighbour][leg]
        number = self.count(device, leg)
        return done[number] + self.task.lag if number < len(done) else None

    def put(self, device: int, leg: int) -> None:
        task, number = self.task, self.count(device, leg)
        arrived = self.arrival(device, leg)
        if arrived is None or number >= task.microbatches or (leg and number >= self.count(device, leg - 1)):
            raise _NoRoomError
        if leg < 2 and self.held[device] >= task.room:
            raise _NoRoomError
        times = task.times.forward if leg < 2 else task.times.backward_input
        begin = max(self.now[device], arrived)
        if self.orders[device]:
            self.bubble[device] += begin - self.now[device]
        self.now[device] = begin + times[task.stage(leg, device)]
        self.ends[device][leg].append(self.now[device])
        self.orders[device].append(task.code(leg, device, number))
        if leg < 2:
            self.held[device] += 1
        else:
            self.waiting[device].append((5 if leg == 2 else 4, number))

    def weigh(self, device: int) -> None:
        """Run the oldest waiting weight gradient."""
        if not self.waiting[device]:
            raise _NoRoomError
        leg, number = self.waiting[device].popleft()
        self.now[device] += self._weight_time(device, leg)
        self.orders[device].append(self.task.code(leg, device, number))
        self.held[device] -= 1

    def _weight_time(self, device: int, leg: int) -> float:
        return self.task.times.backward_weight[self.task.stage(0 if leg == 4 else 1, device)]

    def fill(self, device: int, leg: int, approved: list[float], eager: bool) -> None:
        """Weight gradients into the gap before the next operation of `leg`; eager: one more that lengthens it."""
        arrived = self.arrival(device, leg)
        if arrived is None or arrived < 0:
            return
        queue = self.waiting[device]
        while queue and arrived >= self.now[device] + self._weight_time(device, queue[0][0]):
            self.weigh(device)
        spare = max(*self.bubble, max(approved) - approved[device]) - self.bubble[device]
        if eager and queue and arrived - self.now[device] > spare:
            self.weigh(device)


def searched(task: SearchTask) -> Iterator[DeviceOrders]:
    """The orders that the search finds, one for each way of treating gaps that are shorter than a weight gradient."""
    for eager_backward in (True, False):
        for eager_forward in (True, False):
            approved = [0.0] * task.devices
            best: _Attempt | None = None
            while True:
                try:
                    attempt = _attempt(task, approved, eager_backward, eager_forward)
                except _NoRoomError:
                    break
                if best is not None and max(attempt.bubble) >= max(best.bubble):
                    break
                best, approved = attempt, attempt.bubble
            if best is not None:
                yield [tuple(order) for order in best.orders]


def _attempt(task: SearchTask, approved: list[float], eager_backward: bool, eager_forward: bool) -> _Attempt:
    run = _Attempt(task)
    _warm_up(run)
    for _ in range(2 * task.microbatches):
        for device, leg in _backwards(run):
            run.fill(device, leg, approved, leg == 3 or eager_backward)
            run.put(device, leg)
        for device in range(task.devices):
            possible = _forward(run, device)
            if possible is None:
                continue
            while run.held[device] >= task.room:
                run.weigh(device)
            run.fill(device, possible, approved, eager_forward)
            run.put(device, possible)
    for device in range(task.devices):
        while run.waiting[device]:
            run.weigh(device)
    return run


def _warm_up(run: _Attempt) -> None:
    """Forwards until each device can begin with backwards: the first microbatch's trip, and others in its gaps."""
    task = run.task
    p, m = task.devices, task.microbatches
    for device in range(p):
        run.put(device, 0)
    for device in reversed(range(p)):
        arrived = run.arrival(device, 1)
        while (
            arrived is not None
            and device < p - 1
            and run.held[device] + 2 + 2 * device <= task.room
            and run.now[device] + task.times.forward[device] <= arrived
            and run.count(device, 0) < m
        ):
            for other in range(device + 1):
                run.put(other, 0)
        run.put(device, 1)
    leg = 0
    for device in range(1, p):
        while _behind(run, device):
            for other in reversed(range(device, p)):
                if run.count(other, leg) < m:
                    run.put(other, leg)
            leg = 1 - leg


def _behind(run: _Attempt, device: int) -> bool:
    before, own = (run.count(d, 0) + run.count(d, 1) for d in (device - 1, device))
    return own < before or run.count(device, 1) <= run.count(device - 1, 1) < run.task.microbatches


def _backwards(run: _Attempt) -> list[tuple[int, int]]:
    """The leg of each device's backward in this round: those up the V first, from its foot."""
    up: list[int] = []
    down: list[int] = []
    for device in range(run.task.devices):
        inner, outer = run.count(device, 2), run.count(device, 3)
        ready = inner > outer and (run.arrival(device, 3) is not None or inner >= run.task.microbatches)
        (up if ready else down).append(device)
    return [(device, 3) for device in reversed(up)] + [(device, 2) for device in down]


def _forward(run: _Attempt, device: int) -> int | None:
    """The leg of a device's forward in this round, up the V where its input is there; None without one."""
    outer, inner = run.count(device, 0), run.count(device, 1)
    if inner >= run.task.microbatches:
        return None
    if inner < outer and run.arrival(device, 1) is not None:
        return 1
    possible = outer < run.task.microbatches and (inner >= outer or run.arrival(device, 0) is not None)
    return 0 if possible else None
