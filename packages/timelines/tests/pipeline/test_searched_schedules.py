"""Schedules whose order is searched: against their papers' numbers, bounds, and all schedules of small shapes."""

from __future__ import annotations

import csv
from graphlib import TopologicalSorter
from itertools import accumulate, pairwise, product
from pathlib import Path

import pytest
from helpers.cases import cases
from helpers.generators import generator, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill_timelines.pipeline import activations, evaluate, heuristic, schedules
from figmill_timelines.pipeline.plan import Plan, blocking
from figmill_timelines.pipeline.schedules import ShapeError, simulate
from figmill_timelines.spans import busy_per_lane

SEARCHED = ("zb-v", "v-half", "v-min", "zb-2p")


def room(name: str, p: int) -> int:
    """The most activations of its paper: of half-size chunks, but for zb-2p of whole stages."""
    return {"zb-v": 2 * p, "v-half": p + 2 + p % 2, "v-min": max(2, (2 * p + 8) // 3), "zb-2p": 2 * p}[name]


@pytest.mark.parametrize(
    ("name", "makespan", "peak"),
    [("v-half", 209, 10), ("v-min", 219, 8), ("zb-2p", 103, 16), ("zb-v", 199, 16)],
)
def test_eight_devices_and_thirty_two_microbatches(name: str, makespan: int, peak: int) -> None:
    drawn = simulate(name, 8, 32)
    assert (drawn.makespan, max(activations.peaks(drawn))) == (makespan, peak)


# What the authors' published scheduler reaches within 2P chunks' activations: P, M, f, d, w, lag.
AUTHORS = {
    (12, 6, 1, 1, 1, 0): 59,
    (8, 12, 2, 3, 1, 0): 171,
    (12, 20, 10, 14, 6, 0): 1370,
    (5, 8, 2, 3, 1, 0): 111,
    (6, 12, 10, 8, 14, 1): 835,
    (12, 4, 10, 9, 11, 1): 572,
    (6, 12, 10, 14, 6, 0): 794,
    (8, 20, 3, 2, 4, 0): 382,
    (8, 4, 10, 11, 8, 1): 442,
}


@cases("shape", AUTHORS)
def test_zb_v_is_no_longer_than_its_authors_schedule(shape: tuple[int, ...]) -> None:
    p, m, f, d, w, lag = shape
    drawn = simulate("zb-v", p, m, None, f, d + w, d, w, p2p=lag)
    assert drawn.makespan <= AUTHORS[shape] + 1e-9
    assert max(activations.peaks(drawn)) <= 2 * p


with (Path(__file__).parent / "authors.csv").open() as table:
    RECORDED = [tuple(row.values()) for row in csv.DictReader(table)]


def check_against_its_authors(row: tuple[str, ...]) -> None:
    """A row of `authors.csv`: what the authors' published scheduler reaches within the same memory."""
    name, *numbers = row
    p, m, f, d, w, lag, makespan, peak = map(int, numbers)
    lengths = schedules.times(p * (1 if name == "zb-2p" else 2), f, None, d, w, splits=True)
    order = schedules.plan(name, p, m, None, lengths, lag)
    end, held = timed_again(order, (f, d, w), lag)
    assert end <= makespan, f"{row}: {end} is longer"
    assert held <= peak, f"{row}: {held} activations are more"
    drawn = simulate(name, p, m, None, f, None, d, w, p2p=lag)
    assert (drawn.makespan, max(activations.peaks(drawn))) == (end, held)


def timed_again(order: Plan, lengths: tuple[int, int, int], lag: int) -> tuple[int, int]:
    """The end and the most activations of a plan, by the longest path through its operations."""
    m, size = order.microbatches, order.stages * order.microbatches
    device = {code: i for i, codes in enumerate(order.orders) for code in codes}
    assert sorted(device) == list(range(3 * size))
    reads: dict[int, set[int]] = {code: set() for code in device}
    for code in device:
        kind, stage = code // size, code % size // m
        if kind:
            reads[code].add(code - size)
        neighbour = code - m if kind == 0 and stage else code + m if kind == 1 else code
        if neighbour != code and not (kind == 1 and stage == order.stages - 1):
            reads[code].add(neighbour)
    follows = {after: before for codes in order.orders for before, after in pairwise(codes)}
    graph = {code: reads[code] | ({follows[code]} if code in follows else set()) for code in device}
    end: dict[int, int] = {}
    for code in TopologicalSorter(graph).static_order():
        arrivals = [end[n] + lag * (device[n] != device[code]) for n in reads[code]]
        begin = max([0, end[follows[code]] if code in follows else 0, *arrivals])
        end[code] = begin + lengths[code // size]
    steps = [[(c < size) - (c >= 2 * size) for c in codes] for codes in order.orders]
    return max(end.values()), max(max(accumulate(own)) for own in steps)


def test_no_schedule_is_longer_than_its_authors_in_the_same_memory() -> None:
    for row in RECORDED[:5] + RECORDED[5::11]:
        check_against_its_authors(row)


@pytest.mark.soak
def test_no_schedule_is_longer_than_its_authors_in_five_hundred_cases() -> None:
    assert len(RECORDED) == 500
    for row in RECORDED:
        check_against_its_authors(row)


def test_stages_of_different_length_run_in_the_heuristic_too() -> None:
    # The authors' heuristic has no order here: it would run a forward before its input exists.
    forward = [1, 9, 2, 14, 3, 7]
    drawn = simulate("zb-2p", 6, 6, None, forward, None, 12, 6)
    assert max(activations.peaks(drawn)) <= 12
    lengths = schedules.times(6, forward, None, 12, 6, splits=True)
    for order in heuristic.plans(6, 6, lengths, 0.0, 12):
        assert max(evaluate.run(order, lengths).end) >= drawn.makespan


def least(p: int, m: int, most: int, vee: bool) -> int:
    """The shortest makespan of all schedules with unit times and `most` activations a device, by trying them all.

    A state is how often each device has run each of its operations; all states that one slot of time can reach from
    those of the slot before are kept.
    """
    legs = 4 if vee else 2
    weights = legs  # the index of the weight gradients, which are all alike

    def choices(state: tuple[tuple[int, ...], ...], i: int) -> list[int]:
        own = state[i]
        runnable = []
        for leg in range(legs):
            k = own[leg]
            backwards = leg >= legs // 2
            neighbour = i + 1 if leg % 2 else i - 1  # odd legs run up the pipeline
            if k == m or (leg and own[leg - 1] <= k):
                continue
            if 0 <= neighbour < p and state[neighbour][leg] <= k:
                continue
            held = sum(own[: legs // 2]) - own[weights]
            if backwards or held < most:
                runnable.append(leg)
        if own[weights] < sum(own[legs // 2 : legs]):
            runnable.append(weights)
        return runnable or [-1]

    done = tuple((m,) * legs + (m * legs // 2,) for _ in range(p))
    states = {tuple((0,) * (legs + 1) for _ in range(p))}
    for slot in range(1000):
        if done in states:
            return slot
        states = {
            tuple(
                own if leg < 0 else (*own[:leg], own[leg] + 1, *own[leg + 1 :])
                for own, leg in zip(state, chosen, strict=True)
            )
            for state in states
            for chosen in product(*(_with_waiting(choices(state, i)) for i in range(p)))
        }
    raise AssertionError("no schedule ends")


def _with_waiting(choices: list[int]) -> list[int]:
    """A device may wait although it could work, but not to run a weight gradient later."""
    return choices if choices == [-1] or len(choices) > 1 else [*choices, -1]


SMALL = [(1, 2), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2)]


@pytest.mark.parametrize(("p", "m"), SMALL)
def test_of_all_schedules_of_a_small_shape_none_is_shorter(p: int, m: int) -> None:
    assert simulate("zb-v", p, m).makespan == least(p, m, 2 * p, vee=True)
    assert simulate("zb-2p", p, m).makespan == least(p, m, 2 * p, vee=False)


@pytest.mark.parametrize("name", ["v-half", "v-min"])
@pytest.mark.parametrize(("p", "m"), [(1, 2), (2, 1), (2, 2), (3, 1), (3, 2)])
def test_with_less_memory_small_shapes_are_as_short_as_can_be(name: str, p: int, m: int) -> None:
    drawn = simulate(name, p, m)
    assert drawn.makespan == least(p, m, max(activations.peaks(drawn)), vee=True)


TIME = st.sampled_from([0.5, 1.0, 1.0, 1.3, 2.0, 3.0])


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(SEARCHED),
    p=st.integers(1, 9),
    m=st.integers(1, 20),
    f=TIME,
    d=TIME,
    w=TIME,
    lag=st.sampled_from([0.0, 0.0, 0.4]),
)
def test_no_schedule_is_shorter_than_its_work_or_takes_more_memory_than_its_paper(
    name: str, p: int, m: int, f: float, d: float, w: float, lag: float
) -> None:
    drawn = simulate(name, p, m, None, f, None, d, w, p2p=lag)
    assert max(activations.peaks(drawn)) <= room(name, p)
    chunks = 1 if name == "zb-2p" else 2
    assert busy_per_lane(drawn) == pytest.approx([chunks * m * (f + d + w)] * p)
    assert drawn.makespan >= (p - 1) * (f + lag) + chunks * m * (f + d + w) - 1e-9
    # One microbatch alone goes all the way down and back.
    assert drawn.makespan >= chunks * p * (f + d) + w + 2 * (p - 1) * chunks * lag - 1e-9
    if name == "zb-v" and m >= 2 * p - 1 and f == d == w and not lag:
        assert drawn.makespan == pytest.approx(6 * m * f + (p - 1) * f)
    if name == "zb-2p" and m >= 2 * p - 1 and f == d == w and not lag:
        assert drawn.makespan == pytest.approx(3 * m * f + (p - 1) * f)


def test_less_memory_takes_more_time() -> None:
    for p in (4, 6, 8, 12):
        spans = [simulate(name, p, 3 * p).makespan for name in ("zb-v", "v-half", "v-min")]
        assert spans == sorted(spans), p


def test_the_same_search_finds_the_same_order() -> None:
    for name in SEARCHED:
        assert schedules.plan(name, 5, 7).orders == schedules.plan(name, 5, 7).orders


def test_what_is_too_large_to_search_is_refused_in_words() -> None:
    with pytest.raises(ShapeError, match="v-half: P x M must be at most 50000"):
        simulate("v-half", 256, 1024)


# Synchronous sends: a device does nothing while its own result travels, in warm-up and cool-down.


def test_synchronous_sends_hold_their_device_in_warm_up_and_cool_down() -> None:
    plain = simulate("1f1b", 3, 4, p2p=0.5)
    synchronous = simulate("1f1b", 3, 4, p2p=0.5, sends="synchronous")
    first = [s.start for s in synchronous.spans if s.lane == 0 and s.kind == "forward"][:3]
    assert first == [0, 1.5, 3.0]  # each forward of the warm-up, then its transfer
    assert [s.start for s in plain.spans if s.lane == 0 and s.kind == "forward"][:3] == [0, 1, 2]
    overlapped = simulate("gpipe", 2, 4, p2p=0.5)
    assert simulate("gpipe", 2, 4, p2p=0.5, sends="synchronous").makespan == overlapped.makespan + 3 * 0.5 * 2
    last = [s.start for s in synchronous.spans if s.lane == 2 and s.kind == "backward"][-1]
    assert last == [s.start for s in synchronous.spans if s.lane == 2][-1]


@pytest.mark.parametrize("name", ["gpipe", "1f1b", "interleaved", "zb-h1", "zb-v", "dualpipe", "chimera"])
def test_synchronous_sends_are_what_a_second_evaluation_says(name: str) -> None:
    p, m, lag = 4, 8, 0.7
    plan = schedules.plan(name, p, m, None, None, lag) if name != "zb-v" else schedules.plan(name, p, m)
    order = schedules.plan(
        name, p, m, None, schedules.times(plan.stages, splits=schedules.named(name).splits), lag
    )
    holding = blocking(order)
    drawn = simulate(name, p, m, p2p=lag, sends="synchronous")
    letters = {"forward": "F", "backward": "B", "backward_input": "B", "backward_weight": "W"}
    for lane in range(p):
        own = sorted((s for s in drawn.spans if s.lane == lane), key=lambda s: (s.start, s.row))
        for before, after in pairwise(own):
            name_of = f"{letters[before.kind]}{before.stage}.{before.microbatch}"
            code = next(
                c for c in order.orders[lane] + tuple(order.pairs.values()) if order.name(c) == name_of
            )
            if before.row == 0:
                assert after.start >= before.end + (lag if code in holding else 0.0) - 1e-9
    area = p * drawn.makespan
    idle = sum(gap.end - gap.start for gap in drawn.idle)
    assert sum(busy_per_lane(drawn)) + idle == pytest.approx(area)
    assert drawn.makespan >= simulate(name, p, m, p2p=lag).makespan - 1e-9


def test_the_generator_draws_them() -> None:
    drawing = generator("pipeline_bubble").draw(
        8, 16, "v-half", compare=["v-min"], sends="synchronous", p2p=0.1, idle="one"
    )
    said = texts(drawing.figure)
    assert "V-Half" in said and "V-Min" in said
    assert max(drawing.facts["peak_activations"]) <= 10
