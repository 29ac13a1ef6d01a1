"""Clocks and times of messages: against the reachability of events in a graph, and labels against every line."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import pytest
from helpers.cases import cases
from helpers.examples import examples
from helpers.generators import generator, texts
from helpers.words import typefaces_of_a_build
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.lines import Line2D
from matplotlib.text import Text

from figmill_timelines.models import messages
from figmill_timelines.models.messages import Event, EventPoint, Exchange, Message
from figmill_timelines.plots import sequence_chart
from figmill_timelines.plots.labels import Patch, meets, overlap


@st.composite
def exchanges(draw: st.DrawFn) -> Exchange:
    count = draw(st.integers(2, 5))
    lanes = st.integers(0, count - 1)
    exchanged = []
    for _ in range(draw(st.integers(0, 12))):
        source, target, sent = draw(lanes), draw(lanes), draw(st.integers(0, 30))
        lost = draw(st.integers(0, 5)) == 0
        if source != target:
            exchanged.append(Message(source, target, sent, None if lost else sent + draw(st.integers(1, 9))))
    events = tuple(Event(draw(lanes), draw(st.integers(0, 30))) for _ in range(draw(st.integers(0, 4))))
    return Exchange(tuple(f"P{n}" for n in range(count)), tuple(exchanged), events)


def reached(points: list[EventPoint]) -> dict[int, set[int]]:
    """Of each event all that happened before it: the closure of a graph of steps, which knows nothing of clocks."""
    edges: dict[int, set[int]] = defaultdict(set)
    for process in {point.process for point in points}:
        own = [n for n, point in enumerate(points) if point.process == process]
        for a, b in pairwise(own):
            edges[b].add(a)
    sends = {point.message: n for n, point in enumerate(points) if point.kind == "send"}
    for n, point in enumerate(points):
        if point.kind == "receive":
            edges[n].add(sends[point.message])
    closed: dict[int, set[int]] = {}

    def close(n: int) -> set[int]:
        if n not in closed:
            closed[n] = set().union(*({m} | close(m) for m in edges[n]))
        return closed[n]

    for n in range(len(points)):
        close(n)
    return closed


@examples(40, 200, exchanges())
def test_vectors_say_what_happened_before_what_and_lamports_clock_is_the_longest_chain(
    exchange: Exchange,
) -> None:
    points = messages.points(exchange)
    closed = reached(points)
    for a, b in product(range(len(points)), repeat=2):
        assert messages.before(points[a], points[b]) == (a in closed[b])
    concurrent = sum(a not in closed[b] and b not in closed[a] for b in range(len(points)) for a in range(b))
    assert messages.facts(exchange)["concurrent_pairs"] == concurrent
    longest: dict[int, int] = {}
    for n in sorted(closed, key=lambda n: len(closed[n])):
        longest[n] = 1 + max([longest[m] for m in closed[n]], default=0)
    assert [point.lamport for point in points] == [longest[n] for n in range(len(points))]
    # And a vector's entries count events: its own process's, and those of others that are known of.
    for n, point in enumerate(points):
        processes = [points[m].process for m in (*closed[n], n)]
        assert point.vector == tuple(processes.count(process) for process in range(len(exchange.processes)))


@settings(max_examples=200, deadline=None)
@given(exchanges())
def test_a_misordered_pair_is_concurrent_though_lamports_clock_orders_it(exchange: Exchange) -> None:
    points = messages.points(exchange)
    before = reached(points)
    pairs = [
        (points[a], points[b])
        for b in range(len(points))
        for a in range(b)
        if a not in before[b] and b not in before[a] and points[a].lamport != points[b].lamport
    ]
    pair = messages.misordered(points)
    assert (pair is None) == (not pairs)
    if pair is not None:
        assert pair in pairs
        assert abs(pair[0].process - pair[1].process) == min(abs(a.process - b.process) for a, b in pairs)


def test_the_clocks_show_a_pair_that_they_do_not_order() -> None:
    labels = texts(generator("message_sequence").draw(known="clocks", clocks="vector").figure)
    assert "Concurrent, though Lamport's clock orders them" in labels
    one, other = messages.misordered(messages.points(messages.clocks(25))) or ((), ())
    assert (one.vector, other.vector, one.lamport, other.lamport) == ((2, 0, 0), (1, 3, 0), 2, 3)
    assert not any(
        "Concurrent" in word for word in texts(generator("message_sequence").draw(known="tcp").figure)
    )


def test_a_clock_is_nearest_to_its_own_event_and_all_events_have_one_dot() -> None:
    drawing = generator("message_sequence").draw(known="clocks", clocks="vector", direction="right")
    dots = [line for line in drawing.figure.findobj(Line2D) if line.get_marker() == "o"]
    marks, pair = (list(zip(*dot.get_data(), strict=True)) for dot in dots)
    assert len(marks) == drawing.facts["events"] and len(pair) == 2 and set(pair) <= set(marks)
    at = {text.get_text(): text.get_position() for text in drawing.figure.findobj(Text)}
    for point, mark in zip(messages.points(messages.clocks(25)), marks, strict=True):
        x, y = at[messages.written(point.vector)]
        assert min(marks, key=lambda other: math.dist(other, (x, y))) == mark, point


def test_round_trips_by_hand() -> None:
    facts = messages.facts(messages.https(25), "ms")
    assert facts["duration_ms"] == 3 * 2 * 25 and facts["messages"] == 6 and facts["concurrent_pairs"] == 0
    assert messages.facts(messages.tcp(25), "ms")["duration_ms"] == 1.5 * 2 * 25
    facts = messages.facts(messages.two_phase_commit(20, 2), "ms")
    # The second participant is 25 ms away: votes are there after 50, its doubt lasts from 25 to 75.
    assert facts["longest_in_doubt_ms"] == 50 and facts["duration_ms"] == 100
    assert facts["messages"] == 4 * 2


def test_a_lost_message_is_sent_and_never_received() -> None:
    exchange = Exchange(("A", "B"), (Message(0, 1, 0, None), Message(0, 1, 5, 9)))
    points = messages.points(exchange)
    assert [(p.kind, p.lamport) for p in points] == [("send", 1), ("send", 2), ("receive", 3)]
    assert messages.facts(exchange)["lost"] == 1


@cases(
    ("params", "message"),
    [
        ({"messages": [{"from": "A", "to": "B"}]}, "message 1 has from, to, sent and where wanted received"),
        ({"messages": [{"from": "A", "to": "B", "sent": -1}]}, "sent of message 1 must be from 0 to 1e"),
        (
            {"messages": [{"from": "A", "to": "B", "sent": 5, "received": 5}]},
            "message 1 is received at 5, but sent at",
        ),
        ({"messages": [{"from": "A", "to": "A", "sent": 5}], "processes": ["A", "B"]}, "from A to itself"),
        ({"messages": [{"from": "A", "to": "C", "sent": 5}], "processes": ["A", "B"]}, "no process .C."),
        ({"messages": [{"from": "A", "to": "B", "sent": 5, "lost": 1}]}, "lost must be true or false"),
        ({"messages": []}, "messages must be from 1 to 60, not 0"),
        ({"processes": ["A", "B"]}, "processes, events and states need messages"),
        (
            {"messages": [{"from": "A", "to": "B", "sent": 5}], "processes": ["A", "B", "A"]},
            "has a name twice",
        ),
        (
            {"messages": [{"from": "A", "to": "B", "sent": 5}], "events": [{"at": "A"}]},
            "event 1 has at, time",
        ),
        (
            {
                "messages": [{"from": "A", "to": "B", "sent": 5}],
                "states": [{"at": "A", "start": 3, "end": 3, "label": "x"}],
            },
            "'x' ends at 3",
        ),
    ],
)
def test_what_cannot_be_drawn_is_told(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        generator("message_sequence").draw(**params)
    assert "\n" not in str(refused.value)


@pytest.fixture
def _typefaces() -> Iterator[None]:
    with typefaces_of_a_build():
        yield


MANY = [
    {
        "from": f"P{n % 4}",
        "to": f"P{(n * n + 1 + n) % 4}",
        "sent": 7 * n,
        "received": 7 * n + 20 + 5 * (n % 3),
        "label": f"message {n}",
    }
    for n in range(14)
    if n % 4 != (n * n + 1 + n) % 4
]


@pytest.mark.usefixtures("_typefaces")
@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize(
    "params",
    [
        {"known": "https"},
        {"known": "two-phase-commit", "participants": 5},
        {"known": "clocks", "clocks": "vector"},
        {"known": "tcp", "clocks": "lamport"},
        {"messages": MANY},
        {"messages": MANY, "clocks": "vector"},
    ],
)
def test_no_label_lies_over_a_line_or_another_label(
    params: dict[str, Any], direction: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where labels were put is looked at once more, in steps of a point along every line."""
    sheets: list[Any] = []
    figure = sequence_chart._figure
    monkeypatch.setattr(sequence_chart, "_figure", lambda *a: [sheets.append(a[3]), figure(*a)][1])
    drawing = generator("message_sequence").draw(direction=direction, **params)
    sheet = sheets[0]
    patches = [label.patch for label in sheet.written]
    for (x, y), (u, v) in sheet.page.lines:
        steps = max(2, int(math.hypot(u - x, v - y)))
        for n in range(steps + 1):
            at = x + (u - x) * n / steps, y + (v - y) * n / steps
            assert not any(inside(patch, at) for patch in patches)
    for n, one in enumerate(patches):
        assert not any(overlap(one, other) for other in patches[:n])
    said = texts(drawing.figure)
    wanted = [row["label"] for row in params.get("messages", [])]
    assert [label for label in wanted if label not in said] == []


def inside(patch: Patch, at: tuple[float, float]) -> bool:
    """Whether a point lies in a box: by the areas of the triangles that it makes with the edges."""
    corners = patch.corners()
    area = sum(
        abs((a[0] - at[0]) * (b[1] - at[1]) - (b[0] - at[0]) * (a[1] - at[1])) / 2
        for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)
    )
    return area <= patch.width * patch.height * (1 + 1e-9)


NUMBERS = st.floats(-20, 20)
PATCHES = st.builds(Patch, NUMBERS, NUMBERS, st.floats(1, 30), st.floats(1, 10), st.floats(-90, 90))


@settings(max_examples=300, deadline=None)
@given(PATCHES, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_a_segment_meets_a_box_where_one_of_its_points_lies_inside(
    patch: Patch, x: float, y: float, u: float, v: float
) -> None:
    points = [(x + (u - x) * n / 400, y + (v - y) * n / 400) for n in range(401)]
    if any(inside(patch, at) for at in points):
        assert meets(patch, ((x, y), (u, v)), 1e-6)
    elif meets(patch, ((x, y), (u, v))):  # between two of the points
        slack = 0.5 * math.hypot(u - x, v - y) / 400 + 1e-6
        wider = Patch(patch.x, patch.y, patch.width + 2 * slack, patch.height + 2 * slack, patch.degrees)
        assert any(inside(wider, at) for at in points)


@settings(max_examples=200, deadline=None)
@given(PATCHES, PATCHES)
def test_boxes_overlap_where_they_share_a_point(one: Patch, other: Patch) -> None:
    corners = one.corners()
    grid = [
        (
            corners[0][0]
            + a / 20 * (corners[1][0] - corners[0][0])
            + b / 20 * (corners[3][0] - corners[0][0]),
            corners[0][1]
            + a / 20 * (corners[1][1] - corners[0][1])
            + b / 20 * (corners[3][1] - corners[0][1]),
        )
        for a, b in product(range(1, 20), repeat=2)
    ]
    if any(inside(other, at) for at in grid):
        assert overlap(one, other)
    assert overlap(one, other) == overlap(other, one)


def test_ticks_are_at_the_messages_if_these_are_evenly_spaced() -> None:
    even = texts(generator("message_sequence").draw(known="https", latency=25).figure)
    assert {"0", "25", "50", "75", "100", "125", "150"} <= set(even)
