"""The heuristic of ZB-1p and ZB-2p, one chunk a device: Qi et al., arXiv:2401.10241, section 3.1.

In the warm-up, a device runs forwards until its first backward arrives. After that, each round is one forward down the
pipeline and one backward up. A weight gradient runs when a device would otherwise wait, and when memory is full. Three
choices are open, and all eight ways are tried: one more forward that delays the first backward; a forward left out if
the next device could not take it yet; a weight gradient in a gap that is shorter than itself, although the device's
bubble is smaller than the worst one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from figmill_timelines.pipeline.evaluate import Times
from figmill_timelines.pipeline.plan import Plan


@dataclass(frozen=True, slots=True)
class Choices:
    late_backward: bool
    skip_forward: bool
    always_fill: bool


@dataclass(slots=True)
class _PartialSchedule:
    """A schedule under construction.

    - ends: of the forwards and backwards of each device, by microbatch.
    """

    devices: int
    microbatches: int
    times: Times
    lag: float
    room: int
    choices: Choices
    forwards: list[list[float]] = field(init=False)
    backwards: list[list[float]] = field(init=False)
    weights: list[int] = field(init=False)
    now: list[float] = field(init=False)
    bubble: list[float] = field(init=False)  # idle time of each device since its first forward
    orders: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        p = self.devices
        self.forwards, self.backwards = [[] for _ in range(p)], [[] for _ in range(p)]
        self.weights, self.now, self.bubble = [0] * p, [0.0] * p, [0.0] * p
        self.orders = [[] for _ in range(p)]

    def held(self, device: int) -> int:
        return len(self.forwards[device]) - self.weights[device]

    def can_weigh(self, device: int) -> bool:
        return self.weights[device] < len(self.backwards[device])

    def forward(self, device: int) -> None:
        ends = self.forwards[device]
        arrived = self.forwards[device - 1][len(ends)] + self.lag if device else 0.0
        self._operate(device, 0, len(ends), arrived, self.times.forward[device])
        ends.append(self.now[device])

    def backward(self, device: int) -> None:
        ends = self.backwards[device]
        last = device == self.devices - 1
        arrived = 0.0 if last else self.backwards[device + 1][len(ends)] + self.lag
        self._operate(device, 1, len(ends), arrived, self.times.backward_input[device])
        ends.append(self.now[device])

    def weigh(self, device: int) -> None:
        self._operate(device, 2, self.weights[device], 0.0, self.times.backward_weight[device])
        self.weights[device] += 1

    def _operate(self, device: int, kind: int, number: int, arrived: float, length: float) -> None:
        start = max(self.now[device], arrived)
        if self.orders[device]:
            self.bubble[device] += start - self.now[device]
        self.now[device] = start + length
        self.orders[device].append((kind * self.devices + device) * self.microbatches + number)

    def spare(self, device: int) -> float:
        return max(self.bubble) - self.bubble[device]

    def fill(self, device: int, arrived: float) -> None:
        """Weight gradients into the gap before an input arrives."""
        length = self.times.backward_weight[device]
        while self.can_weigh(device) and self.now[device] + length <= arrived:
            self.weigh(device)
        gap = arrived - self.now[device]
        if self.can_weigh(device) and gap > 0 and (self.choices.always_fill or gap > self.spare(device)):
            self.weigh(device)


def plans(p: int, m: int, times: Times, lag: float, room: int) -> Iterator[Plan]:
    """The plans of all eight ways, within `room` activations on each device."""
    for late, skip, fill in product((True, False), repeat=3):
        run = _PartialSchedule(p, m, times, lag, room, Choices(late, skip, fill))
        _warm_up(run)
        for number in range(1, m):
            _round(run, number)
        for device in range(p):
            while run.can_weigh(device):
                run.weigh(device)
        yield Plan(p, m, tuple(map(tuple, run.orders)))


def _warm_up(run: _PartialSchedule) -> None:
    for device in range(run.devices):
        run.forward(device)
    for device, count in enumerate(_ahead(run)):
        for _ in range(count):
            run.forward(device)
    for device in reversed(range(run.devices)):
        run.backward(device)


def _ahead(run: _PartialSchedule) -> list[int]:
    """How many forwards but one each device runs before its first backward: fewer than the device before it."""
    ahead = [0] * run.devices
    arrives = 0.0
    for device in reversed(range(run.devices)):
        now, length = run.now[device], run.times.forward[device]
        if device < run.devices - 1:
            most = min(run.microbatches, run.room) - 1
            while ahead[device] < most:
                if now + length > arrives if run.choices.late_backward else now >= arrives:
                    break
                now += length
                ahead[device] += 1
        arrives = max(now, arrives) + run.times.backward_input[device] + run.lag
    for device in range(1, run.devices):
        # A device that has run all forwards may follow only a device that has also run them all.
        if not ahead[device] == ahead[device - 1] == run.microbatches - 1:
            ahead[device] = min(ahead[device], max(0, ahead[device - 1] - 1))
    return ahead


def _round(run: _PartialSchedule, number: int) -> None:
    """One forward on each device that takes one, then backward `number` on all devices."""
    for device in _takers(run):
        while run.held(device) >= run.room:
            run.weigh(device)
        if device:
            run.fill(device, run.forwards[device - 1][len(run.forwards[device])] + run.lag)
        run.forward(device)
    for device in reversed(range(run.devices)):
        if device < run.devices - 1:
            run.fill(device, run.backwards[device + 1][number] + run.lag)
        if device == 0 and len(run.forwards[0]) == run.microbatches:
            while run.can_weigh(0):
                run.weigh(0)
        run.backward(device)


def _takers(run: _PartialSchedule) -> list[int]:
    """The devices with a forward in this round: from the first one on after which every device has one."""
    takes = [
        len(run.forwards[device]) < run.microbatches and not _waits(run, device)
        for device in range(run.devices)
    ]
    first = run.devices
    while first and takes[first - 1]:
        first -= 1
    return list(range(first, run.devices))


def _waits(run: _PartialSchedule, device: int) -> bool:
    """Whether a device leaves its forward out: the next one has enough to do, and the bubble does not grow."""
    after = device + 1
    if not run.choices.skip_forward or after == run.devices:
        return False
    if len(run.forwards[device]) < len(run.forwards[after]) + 2:
        return False
    now, times = run.now[device], run.times
    needed = run.now[after] + times.forward[after] + times.backward_input[after] + run.lag
    if now >= needed:
        return True
    # A full memory needs weight gradients first.
    full = run.held(device) >= run.room and run.can_weigh(device)
    if now + times.forward[device] + (times.backward_weight[device] if full else 0.0) <= needed:
        return False
    return needed - now <= run.spare(device)
