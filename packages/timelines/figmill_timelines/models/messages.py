"""Messages between processes: when each is sent and received, and the logical clocks of the processes.

One event happened before another if a chain of steps in a process and of messages leads from one to the other;
otherwise they are concurrent. A Lamport clock adds one for each event, and a receiver first takes the message's value
if that is more (Lamport 1978, Time, Clocks, and the Ordering of Events in a Distributed System, CACM 21(7)). A vector
clock has a count for each process; one event happened before another exactly where its vector is less (Fidge 1988,
Mattern 1989). A lost message is sent, and never received.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Any

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """A message from one process to another, by their numbers.

    - received: None if it is lost.
    """

    source: int
    target: int
    sent: float
    received: float | None
    label: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a process does by itself."""

    process: int
    time: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class ProcessState:
    """A state of a process from `start` to `end`."""

    process: int
    start: float
    end: float
    label: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """Processes and their messages. ValueError if a message arrives no later than it is sent, or goes to its sender."""

    processes: tuple[str, ...]
    messages: tuple[Message, ...]
    events: tuple[Event, ...] = ()
    stretches: tuple[ProcessState, ...] = ()

    def __post_init__(self) -> None:
        for number, message in enumerate(self.messages, 1):
            name = f"message {number}" + (f" '{message.label}'" if message.label else "")
            if message.source == message.target:
                raise ValueError(f"{name} goes from {self.processes[message.source]} to itself")
            if message.received is not None and message.received <= message.sent:
                raise ValueError(f"{name} is received at {message.received:g}, but sent at {message.sent:g}")
        for stretch in self.stretches:
            if stretch.end <= stretch.start:
                raise ValueError(
                    f"'{stretch.label}' ends at {stretch.end:g}, but begins at {stretch.start:g}"
                )

    @property
    def end(self) -> float:
        """The last time in the exchange."""
        times = [time for message in self.messages for time in (message.sent, message.received or 0.0)]
        times += [event.time for event in self.events] + [stretch.end for stretch in self.stretches]
        return max(times, default=0.0)


@dataclass(frozen=True, slots=True)
class EventPoint:
    """An event of a process: it receives, acts or sends, in this order if times are equal.

    - message: the number of the message; -1 for an event of its own.
    - lamport, vector: the clocks right after it.
    """

    process: int
    time: float
    kind: str
    message: int
    lamport: int
    vector: Vector


_ORDER = ("receive", "event", "send")


def points(exchange: Exchange) -> list[EventPoint]:
    """All events with their clocks, in the order of time."""
    rows: list[tuple[float, int, int, int]] = []  # time, place in _ORDER, message, process
    for number, message in enumerate(exchange.messages):
        rows.append((message.sent, 2, number, message.source))
        if message.received is not None:
            rows.append((message.received, 0, number, message.target))
    rows += [(event.time, 1, -1, event.process) for event in exchange.events]
    count = len(exchange.processes)
    clocks, vectors = [0] * count, [(0,) * count] * count
    stamps: dict[int, tuple[int, Vector]] = {}
    events = []
    for time, order, number, process in sorted(rows):
        if order == 0:
            clock, vector = stamps[number]
            clocks[process] = max(clocks[process], clock)
            vectors[process] = tuple(map(max, vectors[process], vector))
        clocks[process] += 1
        entries = vectors[process]
        vectors[process] = (*entries[:process], entries[process] + 1, *entries[process + 1 :])
        if order == 2:
            stamps[number] = clocks[process], vectors[process]
        events.append(EventPoint(process, time, _ORDER[order], number, clocks[process], vectors[process]))
    return events


def before(one: EventPoint, other: EventPoint) -> bool:
    """Whether one event happened before another."""
    return one.vector != other.vector and all(a <= b for a, b in zip(one.vector, other.vector, strict=True))


def misordered(events: Sequence[EventPoint]) -> tuple[EventPoint, EventPoint] | None:
    """Two concurrent events that Lamport's clock orders all the same; None: there are none.

    Of several pairs, the one whose processes are nearest to each other, then the one nearest in time, then the first.
    """
    pairs = (
        (one, other)
        for one, other in combinations(events, 2)
        if one.lamport != other.lamport and not before(one, other) and not before(other, one)
    )
    return min(pairs, key=lambda pair: (_away(*pair), pair[0].time), default=None)


def _away(one: EventPoint, other: EventPoint) -> tuple[int, float]:
    return abs(one.process - other.process), abs(one.time - other.time)


def facts(exchange: Exchange, unit: str = "") -> dict[str, Any]:
    """Counts, the whole time, the clocks of each process in the order of time, and pairs of concurrent events."""
    events = points(exchange)
    pairs = list(combinations(events, 2))
    concurrent = len([1 for a, b in pairs if not before(a, b) and not before(b, a)])
    ending = f"_{unit.replace('µ', 'u')}" if unit else ""
    stated: dict[str, Any] = {
        "processes": len(exchange.processes),
        "messages": len(exchange.messages),
        "lost": sum(message.received is None for message in exchange.messages),
        "events": len(events),
        f"duration{ending}": exchange.end - min([point.time for point in events], default=0.0),
        "longest_chain": max([point.lamport for point in events], default=0),
        "pairs": len(pairs),
        "concurrent_pairs": concurrent,
        "concurrent_share": concurrent / len(pairs) if pairs else 0.0,
    }
    for number in range(len(exchange.processes)):
        of_process = [point for point in events if point.process == number]
        stated[f"lamport_{number}"] = [point.lamport for point in of_process]
        stated[f"vectors_{number}"] = [written(point.vector) for point in of_process]
    for label in dict.fromkeys(stretch.label for stretch in exchange.stretches):
        name = "".join(c if c.isalnum() else "_" for c in label.lower())
        lengths = [stretch.end - stretch.start for stretch in exchange.stretches if stretch.label == label]
        stated[f"longest_{name}{ending}"] = max(lengths)
    return stated


def written(vector: Vector) -> str:
    """`(1, 0, 2)`."""
    return f"({', '.join(map(str, vector))})"


def tcp(latency: float) -> Exchange:
    """A connection is opened by three messages (RFC 9293, section 3.5), and the third may carry data."""
    states = [
        Event(0, 0.0, "SYN-SENT"),
        Event(1, latency, "SYN-RECEIVED"),
        Event(0, 2 * latency, "ESTABLISHED"),
        Event(1, 3 * latency, "ESTABLISHED"),
    ]
    sent = [(0, "SYN, seq = x"), (1, "SYN, ACK, seq = y, ack = x + 1"), (0, "ACK, ack = y + 1")]
    return Exchange(("Client", "Server"), _in_turn(sent, latency), tuple(states))


def https(latency: float) -> Exchange:
    """The first request over a new connection: TCP (RFC 9293), then TLS 1.3 (RFC 8446, section 2), then HTTP."""
    sent = [
        (0, "SYN"),
        (1, "SYN, ACK"),
        (0, "ACK, ClientHello"),
        (1, "ServerHello … Finished"),
        (0, "Finished, GET"),
        (1, "200 OK"),
    ]
    events = (
        Event(0, 2 * latency, "connected"),
        Event(0, 4 * latency, "keys agreed"),
        Event(0, 6 * latency, "first byte"),
    )
    return Exchange(("Client", "Server"), _in_turn(sent, latency), events)


def _in_turn(sent: Sequence[tuple[int, str]], latency: float) -> tuple[Message, ...]:
    return tuple(
        Message(source, 1 - source, n * latency, (n + 1) * latency, label)
        for n, (source, label) in enumerate(sent)
    )


def two_phase_commit(latency: float, participants: int = 2) -> Exchange:
    """All vote, the coordinator decides (Gray 1978, Notes on Data Base Operating Systems).

    After its vote, a participant can neither commit nor abort by itself. Each further participant is a quarter of the
    first one's latency further away, and so answers later.
    """
    far = [latency * (1 + 0.25 * n) for n in range(participants)]
    decided = 2 * far[-1]
    messages, stretches = [], []
    for n, away in enumerate(far, 1):
        messages += [
            Message(0, n, 0.0, away, "prepare"),
            Message(n, 0, away, 2 * away, "yes"),
            Message(0, n, decided, decided + away, "commit"),
            Message(n, 0, decided + away, decided + 2 * away, "done"),
        ]
        stretches.append(ProcessState(n, away, decided + away, "In doubt"))
    names = ("Coordinator", *(f"Participant {n}" for n in range(1, participants + 1)))
    return Exchange(names, tuple(messages), (Event(0, decided, "commits"),), tuple(stretches))


def clocks(latency: float) -> Exchange:
    """Three processes that exchange a few messages, so that their clocks differ."""
    step = latency / 2
    rows = [(0, 1, 1, 3), (1, 2, 4, 6), (2, 0, 3, 7), (2, 1, 7, 9), (0, 2, 8, 11), (1, 0, 10, 12)]
    messages = tuple(
        Message(source, target, step * sent, step * received, f"m{n}")
        for n, (source, target, sent, received) in enumerate(rows, 1)
    )
    events = (Event(0, step * 4, "a"), Event(1, step * 1, "b"), Event(2, step * 1, "c"))
    return Exchange(("P1", "P2", "P3"), messages, events)


# Exchanges by name. participants: for two_phase_commit only.
KNOWN: Mapping[str, Any] = MappingProxyType(
    {"tcp": tcp, "https": https, "two-phase-commit": two_phase_commit, "clocks": clocks}
)
