"""Messages between processes over time, to scale. By default, the way to the first byte over HTTPS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill.palette import role
from figmill_timelines.bounds import hold, within
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.models import messages as exchanges
from figmill_timelines.plots import page, sequence_chart
from figmill_timelines.quantities import percent, plural, rescaled, time
from figmill_timelines.titles import titled

STATES = (("routing", None), ("data", "////"), ("accent", "...."), ("neutral", "||||"))
TIMES = ("ns", "us", "µs", "ms", "s")


def draw(
    known: Literal["https", "tcp", "two-phase-commit", "clocks"] = "https",
    latency: Annotated[float, Interval(ge=1e-9, le=1e9)] = 25,
    participants: Annotated[int, Interval(ge=1, le=6)] = 2,
    processes: list[str] | None = None,
    messages: list[dict[str, Any]] | None = None,
    events: list[dict[str, Any]] | None = None,
    states: list[dict[str, Any]] | None = None,
    clocks: Literal["none", "lamport", "vector"] = "none",
    direction: Literal["down", "right"] = "down",
    unit: str = "ms",
    title: str = "",
) -> Drawing:
    """Facts: processes, messages, lost, events (with every sending and receiving), duration (with the unit behind it),
    latency, longest_chain, pairs, concurrent_pairs; of each process, numbered from 0, lamport_0, vectors_0; of
    each kind of state its longest, as longest_in_doubt_ms.

    known: drawn without messages. latency: of a message, one way. participants: of two-phase-commit.
    processes: their names; without them, in the order in which messages name them. messages: a list of from, to, sent,
    and optionally received (else sent and latency), label, group (a stroke), lost. events: a list of at, time, label.
    states: a list of at, start, end, label. clocks: beside each event. direction: of time. unit: of all times.
    title: what to see.
    """
    hold(draw, locals())
    if messages is None and (processes or events or states):
        raise ValueError("processes, events and states need messages; without them, 'known' is drawn")
    if messages is None:
        more = (participants,) if known == "two-phase-commit" else ()
        exchange = exchanges.KNOWN[known](latency, *more)
    else:
        exchange = _own(processes, messages, events or [], states or [], latency)
    facts = exchanges.facts(exchange, unit if unit in TIMES else "")
    facts |= {"latency_" + unit.replace("µ", "u") if unit in TIMES else "latency": latency}
    heading = titled(title, _heading(exchange, facts, unit, clocks), facts)
    chart = _chart(exchange, clocks, latency, unit)
    return Drawing(sequence_chart.draw(chart, heading, direction == "down"), facts)


def _chart(
    exchange: exchanges.Exchange, clocks: str, latency: float, unit: str
) -> sequence_chart.SequenceChart:
    groups = list(
        dict.fromkeys(message.group for message in exchange.messages if message.received is not None)
    )
    if len(groups) > len(page.STROKES):
        raise ValueError(f"{len(groups)} groups; a figure can tell {len(page.STROKES)} apart")
    arrows = tuple(
        sequence_chart.MessageArrow(
            m.source,
            m.target,
            m.sent,
            m.sent + latency if m.received is None else m.received,
            m.label,
            groups.index(m.group) if m.received is not None else 0,
            m.received is None,
        )
        for m in exchange.messages
    )
    labels = list(dict.fromkeys(stretch.label for stretch in exchange.stretches))
    if len(labels) > len(STATES):
        raise ValueError(f"{len(labels)} kinds of states; a figure can tell {len(STATES)} apart")
    looks = {
        label: CellLook(label, role(name).fill, role(name).line, hatch)
        for label, (name, hatch) in zip(labels, STATES, strict=False)
    }
    longest = {
        label: max(s.end - s.start for s in exchange.stretches if s.label == label) for label in labels
    }
    stretches = tuple(
        sequence_chart.StateBar(
            s.process,
            s.start,
            s.end,
            looks[s.label],
            time(s.end - s.start, unit) if s.end - s.start == longest[s.label] else "",
        )
        for s in exchange.stretches
    )
    end = max(exchange.end, *(arrow.end for arrow in arrows))
    factor, shown = rescaled(end, unit)
    kinds = tuple((group or "Message", page.stroke(n)) for n, group in enumerate(groups))
    axis = f"Time in {shown}" if shown else "Time"
    marks = _marks(exchange, clocks)
    pair = _pair(exchange) if clocks != "none" else None
    return sequence_chart.SequenceChart(
        exchange.processes, arrows, marks, stretches, kinds, axis, end, factor, pair
    )


def _pair(exchange: exchanges.Exchange) -> sequence_chart.MarkedPair | None:
    """A pair that is concurrent although Lamport's clock orders it, of events whose clocks are drawn."""
    last = {(point.process, point.time): point for point in exchanges.points(exchange)}
    pair = exchanges.misordered(list(last.values()))
    if pair is None:
        return None
    first, second = ((point.process, point.time) for point in pair)
    return sequence_chart.MarkedPair("Concurrent, though Lamport's clock orders them", first, second)


def _marks(exchange: exchanges.Exchange, clocks: str) -> tuple[sequence_chart.EventMark, ...]:
    """A mark for each moment of a process, with all that happens at it, and the clock after that."""
    labels: dict[tuple[int, float], list[str]] = {}
    for event in exchange.events:
        labels.setdefault((event.process, event.time), []).append(event.label)
    moments: dict[tuple[int, float], list[exchanges.EventPoint]] = {}
    for point in exchanges.points(exchange):
        moments.setdefault((point.process, point.time), []).append(point)
    marks = []
    for (process, moment), points in moments.items():
        clock = {"lamport": str(points[-1].lamport), "vector": exchanges.written(points[-1].vector)}.get(
            clocks, ""
        )
        label = ", ".join(filter(None, labels.get((process, moment), [])))
        marks.append(sequence_chart.EventMark(process, moment, label, clock))
    return tuple(marks)


def _heading(exchange: exchanges.Exchange, facts: dict[str, Any], unit: str, clocks: str) -> str:
    if clocks != "none" and facts["pairs"]:
        share = percent(facts["concurrent_share"])
        return f"{share} of all pairs of events are concurrent: neither can have caused the other"
    duration = next(value for name, value in facts.items() if name.startswith("duration"))
    lost = f", {facts['lost']} of them lost" if facts["lost"] else ""
    return f"{plural(facts['messages'], 'message')} in {time(duration, unit)}{lost}"


def _own(
    processes: list[str] | None,
    messages: list[dict[str, Any]],
    events: list[dict[str, Any]],
    states: list[dict[str, Any]],
    latency: float,
) -> exchanges.Exchange:
    """The author's own exchange. ValueError with the row and the key that is wrong."""
    within(1, 60, messages=len(messages))
    within(0, 60, events=len(events), states=len(states))
    rows = [
        _row("message", n, row, ("from", "to", "sent"), ("received", "label", "group", "lost"))
        for n, row in enumerate(messages, 1)
    ]
    names = list(processes or dict.fromkeys(str(row[end]) for row in rows for end in ("from", "to")))
    if len(set(names)) != len(names):
        raise ValueError("processes has a name twice")
    within(2, 12, processes=len(names))
    lanes = {name: number for number, name in enumerate(names)}
    parsed = []
    for row in rows:
        lost = row.get("lost", False)
        if not isinstance(lost, bool) or (lost and "received" in row):
            raise ValueError(f"lost must be true or false, and stands without received, not {row!r}")
        received = None if lost else row.get("received", row["sent"] + latency)
        parsed.append(
            exchanges.Message(
                _lane(lanes, row["from"]),
                _lane(lanes, row["to"]),
                row["sent"],
                received,
                str(row.get("label", "")),
                str(row.get("group", "")),
            )
        )
    own = [_row("event", n, row, ("at", "time"), ("label",)) for n, row in enumerate(events, 1)]
    stretches = [
        _row("state", n, row, ("at", "start", "end", "label"), ()) for n, row in enumerate(states, 1)
    ]
    return exchanges.Exchange(
        tuple(names),
        tuple(parsed),
        tuple(
            exchanges.Event(_lane(lanes, row["at"]), row["time"], str(row.get("label", ""))) for row in own
        ),
        tuple(
            exchanges.ProcessState(_lane(lanes, row["at"]), row["start"], row["end"], str(row["label"]))
            for row in stretches
        ),
    )


def _row(what: str, number: int, row: Any, needed: tuple[str, ...], more: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(row, Mapping) or not set(needed) <= row.keys() or row.keys() - {*needed, *more}:
        takes = f"{', '.join(needed)}" + (f" and where wanted {', '.join(more)}" if more else "")
        raise ValueError(f"{what} {number} has {takes}, not {row!r}")
    for name in ("sent", "received", "time", "start", "end"):
        if name in row:
            within(0, 1e9, **{f"{name} of {what} {number}": row[name]})
    return dict(row)


def _lane(lanes: dict[str, int], name: Any) -> int:
    if str(name) not in lanes:
        raise ValueError(f"no process '{name}'; there are {', '.join(lanes)}")
    return lanes[str(name)]
