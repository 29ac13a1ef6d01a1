"""Pipeline schedules: drawn as text, against their closed forms, and against an evaluation of another kind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

import pytest
from helpers.cases import cases
from helpers.examples import examples
from hypothesis import strategies as st

from figmill_timelines.charts.ascii import ascii  # noqa: A004
from figmill_timelines.pipeline import activations, evaluate, schedules
from figmill_timelines.pipeline.evaluate import DeadlockError
from figmill_timelines.pipeline.orders import Plan
from figmill_timelines.pipeline.schedules import SCHEDULES, ShapeError, simulate
from figmill_timelines.spans import busy_per_lane, idle_per_lane

GOLDEN = {
    ("gpipe", 2, 2): """
        F0 F1 .. .. B0 B1
        .. F0 F1 B0 B1 ..
    """,
    ("gpipe", 4, 4): """
        F0 F1 F2 F3 .. .. .. .. .. .. B0 B1 B2 B3
        .. F0 F1 F2 F3 .. .. .. .. B0 B1 B2 B3 ..
        .. .. F0 F1 F2 F3 .. .. B0 B1 B2 B3 .. ..
        .. .. .. F0 F1 F2 F3 B0 B1 B2 B3 .. .. ..
    """,
    ("1f1b", 4, 4): """
        F0 F1 F2 F3 .. .. .. B0 .. B1 .. B2 .. B3
        .. F0 F1 F2 .. .. B0 F3 B1 .. B2 .. B3 ..
        .. .. F0 F1 .. B0 F2 B1 F3 B2 .. B3 .. ..
        .. .. .. F0 B0 F1 B1 F2 B2 F3 B3 .. .. ..
    """,
    ("zb-h1", 3, 3): """
        F0 F1 F2 .. .. D0 W0 D1 W1 D2 W2
        .. F0 F1 .. D0 F2 D1 W0 D2 W1 W2
        .. .. F0 D0 F1 D1 F2 D2 W0 W1 W2
    """,
    ("interleaved", 2, 4): """
        F0  F1  F0' F1' F2  B0' F3  B1' F2' B0  F3' B1  ... B2' ... B3' B2  B3
        ... F0  F1  F0' B0' F1' B1' F2  B0  F3  B1  F2' B2' F3' B3' B2  B3  ...
    """,
    ("looped-bfs", 2, 2): """
        F0  F1  F0' F1' ... ... B0' B1' B0  B1
        ... F0  F1  F0' F1' B0' B1' B0  B1  ...
    """,
    ("zb-v", 2, 3): """
        F0  F1  F2  F0' D0' W0' F1' D1' W1' D0  W0  F2' D2' W2' D1  W1  D2  W2  ...
        ... F0  F0' F1  F1' D0' W0' F2  D0  W0  F2' D1' W1' D1  D2' D2  W1  W2' W2
    """,
    ("chimera", 2, 2): """
        F0  F1' B1' B0
        F1' F0  B0  B1'
    """,
    ("interleaved", 2, 3): """
        F0  F1  F2  F0' F1' F2' B0' ... B1' ... B2' B0  B1  B2
        ... F0  F1  F2  F0' B0' F1' B1' F2' B2' B0  B1  B2  ...
    """,
    ("hanayo", 3, 3): """
        F0  F1  F2  ... ... F0' B0' F1' B1' F2' B2' B0  ... B1  ... B2
        ... F0  F1  ... F0' F2  F1' B0' F2' B1' B0  B2' B1  ... B2  ...
        ... ... F0  F0' F1  F1' F2  F2' B0' B0  B1' B1  B2' B2  ... ...
    """,
}


@cases("schedule, devices, microbatches", GOLDEN)
def test_a_reader_of_the_subject_can_check_it_by_eye(schedule: str, devices: int, microbatches: int) -> None:
    lines = GOLDEN[schedule, devices, microbatches].strip().splitlines()
    expected = "".join(f"{line.strip()}\n" for line in lines)
    assert ascii(simulate(schedule, devices, microbatches)) == expected


def test_two_that_run_together_stand_in_one_cell() -> None:
    assert ascii(simulate("1f1b-overlap", 2, 3, overlapped=2)) == (
        "F0    F1    F2    ..... B0    ..... B1    B2\n..... F0    F1+B0 F1+B0 F2+B1 F2+B1 B2    .....\n"
    )


def test_a_doubled_forward_is_as_long_as_one_backward() -> None:
    assert ascii(simulate("chimera-doubling", 2, 4, backward=2)) == (
        "F0+F1   F2'+F3' B2'     B0      B3'     B1\nF2'+F3' F0+F1   B0      B2'     B1      B3'\n"
    )


def test_both_directions_of_dualpipe_share_their_devices() -> None:
    first = " ".join(ascii(simulate("dualpipe", 2, 4)).splitlines()[0].split())
    assert first == "F0 F0 F2' F2' F1 F1 B2' B2' F3'+B0 F3'+B0 F3'+B0 F3'+B0 B3' B3' D1 W1"


# The closed forms of the papers, for uniform times and no lag: P devices, M microbatches, v chunks a device.


def makespan(name: str, p: int, m: int, v: int, f: float, d: float, w: float, o: float) -> float:
    b = d + w
    zero_bubble = (p - 1) * max(f + d - w, d, f)

    def dual(h: int, n: int) -> float:
        return 2 * h * f + 2 * b + h * d + w + max(h * f, (h - 1) * d) + (h - 1) * max(d, w) + (n - h - 2) * o

    warm = schedules.grouping(name, p, m) * (v - 1) + 1
    units, doubled = m // p, max(1, m // (2 * p))
    return {
        "gpipe": (m + p - 1) * (f + b),
        "1f1b": (m + p - 1) * (f + b),
        "interleaved": (m * v + p - 1) * (f + b),
        "looped-bfs": (m * v + p - 1) * (f + b),
        "zb-h1": m * (f + d + w) + zero_bubble,
        "interleaved-zb": m * v * (f + d + w) + zero_bubble,
        "zb-v": 6 * m * f + (p - 1) * f,
        "dualpipe": dual(p // 2, m),
        "dualpipe-v": dual(p, 2 * m),
        "1f1b-overlap": p * (f + b) + (m - 1) * o,
        "interleaved-overlap": (p - 1 + warm) * (f + b) + (m * v - warm) * o,
        "chimera": m * (f + b) + (p - 2) * (b + (units - 1) * (b - f)),
        "chimera-doubling": m * (f + b)
        + (p - 2) * (b + (doubled - 1) * (b - 2 * f) + (units % 2 if units > 1 else 0) * (b - f)),
        "hanayo": m * v * (f + b) + (2 * p - 2) * (b + (units - 1) * (b - f)),
    }[name]


def peak(name: str, p: int, m: int, v: int, i: int) -> int:
    late = (v - 1) * schedules.grouping(name, p, m)
    return {
        "gpipe": m,
        "1f1b": min(m, p - i),
        "interleaved": min(m * v, 2 * (p - 1 - i) + late + 1),
        "looped-bfs": m * v,
        "zb-h1": min(m, p),
        "interleaved-zb": p + late,
        "zb-v": 2 * p,
        "dualpipe": p + 1,
        "dualpipe-v": 2 * p + 1,
        "1f1b-overlap": min(m, 2 * (p - i)),
        "interleaved-overlap": min(m * v, 2 * (p - 1 - i) + late + 2),
        "hanayo": (v - 1) * p + i + 1,
    }[name]


# Where the closed form holds; a shape that the schedule is not defined for is not in the grid at all.
HOLDS = {
    "interleaved": lambda p, m, f, d, w: m >= p,
    "interleaved-zb": lambda p, m, f, d, w: m >= p,
    "interleaved-overlap": lambda p, m, f, d, w: m >= p,
    "looped-bfs": lambda p, m, f, d, w: m % p == 0,
    "zb-h1": lambda p, m, f, d, w: m >= p,
    "zb-v": lambda p, m, f, d, w: m >= 2 * p - 1 and f == d == w,
    "1f1b-overlap": lambda p, m, f, d, w: m >= 2 * p - 1,
    "chimera": lambda p, m, f, d, w: d + w >= f,
    "chimera-doubling": lambda p, m, f, d, w: d + w >= 2 * f,
    "hanayo": lambda p, m, f, d, w: m % p == 0 and d + w >= f,
}
# Activations at once over all devices; a doubled forward makes two.
LEAST_AND_MOST = {
    "chimera": lambda p, m: (min(p // 2 + 1, p), p),
    "chimera-doubling": lambda p, m: (2 * p - p // 2 + 1, 2 * p) if m > p else (min(p // 2 + 1, p), p),
}
TIMES = ((1, 1, 1, 3), (1, 1, 1, 2.5), (2, 2, 1, 4), (1, 2, 3, 6), (3, 2, 2, 7), (2, 3, 2, 6), (1, 2, 1, 3.5))


@pytest.mark.parametrize("name", [name for name in SCHEDULES if name not in ("v-half", "v-min", "zb-2p")])
def test_the_closed_form_holds_over_a_grid(name: str) -> None:
    cases = 0
    for p in (1, 2, 3, 4, 5, 6, 8):
        for m in (1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24):
            for v in (1, 2, 3) if SCHEDULES[name].chunks is None else (SCHEDULES[name].chunks or 1,):
                for f, d, w, o in TIMES:
                    if not HOLDS.get(name, lambda *shape: True)(p, m, f, d, w):
                        continue
                    try:
                        drawn = simulate(name, p, m, v, f, d + w, d, w, o)
                    except ShapeError:
                        continue
                    cases += 1
                    shape = (p, m, v, f, d, w, o)
                    assert math.isclose(drawn.makespan, makespan(name, *shape), rel_tol=1e-12), shape
                    peaks = activations.peaks(drawn)
                    if name in LEAST_AND_MOST:
                        assert (min(peaks), max(peaks)) == LEAST_AND_MOST[name](p, m), shape
                    else:
                        assert peaks == [peak(name, p, m, v, i) for i in range(p)], shape
    assert cases >= 100


# An evaluation of another kind: relax every constraint over and over until nothing moves.


def longest_path(plan: Plan, duration: Mapping[str, float], p2p: float) -> dict[str, float]:
    """End of each operation by name; a pair shares its start and its duration."""
    place = {plan.name(c): lane for lane, order in enumerate(plan.orders) for c in order}
    together = {plan.name(f): plan.name(b) for f, b in plan.pairs.items()}
    place |= {b: place[f] for f, b in together.items()}
    rows = [[plan.name(c) for c in order] for order in plan.orders]
    start = dict.fromkeys(place, 0.0)

    def needed(name: str) -> list[str]:
        kind, rest = name[0], name[1:]
        stage, microbatch = map(int, rest.split("."))
        needs = [f"F{stage - 1}.{microbatch}"] if kind == "F" and stage else []
        if kind == "B":
            needs += [f"F{stage}.{microbatch}", f"B{stage + 1}.{microbatch}"]
        return [n for n in (*needs, *([f"B{rest}"] if kind == "W" else [])) if n in place]

    moved = True
    while moved:
        moved = False
        for row in rows:
            for before, name in zip(["", *row], row, strict=False):
                parts = [name, together[name]] if name in together else [name]
                ready = [start[before] + duration[before]] if before else [0.0]
                for need in (n for part in parts for n in needed(part)):
                    lag = p2p if place[need] != place[name] else 0.0
                    ready.append(start[need] + duration[need] + lag)
                for part in parts:
                    if max(ready) > start[part]:
                        start[part], moved = max(ready), True
    return {name: start[name] + duration[name] for name in place}


SHAPES = st.sampled_from(
    [
        (name, p, m)
        for name in SCHEDULES
        for p in (1, 2, 3, 4)
        for m in (1, 2, 3, 4, 6, 8, 9)
        if all(rule.holds(p, m, 2) for rule in SCHEDULES[name].rules)
    ]
)
TIME = st.floats(0.1, 9, allow_nan=False).map(lambda x: round(x, 3))


@examples(40, 120, SHAPES, st.data(), st.sampled_from([0.0, 0.0, 0.7, 3.0]))
def test_an_independent_evaluation_agrees_whatever_the_times(
    shape: tuple[str, int, int], data: st.DataObject, p2p: float
) -> None:
    name, p, m = shape
    plan = schedules.plan(name, p, m)
    per_stage = st.lists(TIME, min_size=plan.stages, max_size=plan.stages)
    f, d, w = (tuple(data.draw(per_stage)) for _ in "fdw")
    o = data.draw(st.none() | TIME)
    times = schedules.times(plan.stages, f, None, d, w, o)
    plan = schedules.plan(name, p, m, None, times, p2p)
    drawn = simulate(name, p, m, None, f, None, d, w, o, p2p)
    split = {plan.name(c)[1:] for order in plan.orders for c in order if plan.name(c)[0] == "W"}
    duration = {}
    for order in (*plan.orders, tuple(plan.pairs.values())):
        for code in order:
            op = plan.name(code)
            stage = int(op[1:].split(".")[0])
            backward = times.backward_input if op[1:] in split else times.backward
            duration[op] = {"F": f, "B": backward, "W": w}[op[0]][stage]
    for first, second in plan.pairs.items():
        a, b = plan.name(first), plan.name(second)
        duration[a] = duration[b] = duration[a] + duration[b] if o is None or b[0] == "F" else o
    expected = longest_path(plan, duration, p2p)
    letters = {"forward": "F", "backward": "B", "backward_input": "B", "backward_weight": "W"}
    ends = {f"{letters[s.kind]}{s.stage}.{s.microbatch}": s.end for s in drawn.spans}
    assert ends.keys() == expected.keys()
    assert all(math.isclose(ends[op], expected[op], rel_tol=1e-9) for op in ends)

    # Conservation: every stage of every microbatch runs once, and work and idle time fill the rectangle.
    assert len(drawn.spans) == len(ends)
    area = p * drawn.makespan
    assert math.isclose(sum(busy_per_lane(drawn)) + sum(idle_per_lane(drawn)), area, rel_tol=1e-9)
    # Exclusivity: on one device nothing overlaps but the two halves of a pair.
    for before, after in zip(drawn.spans, drawn.spans[1:], strict=False):
        if before.lane == after.lane and not (before.row == 1 and after.row == 2):
            assert after.start >= before.end - 1e-9
    # The critical path leads from 0 to the end, and nothing on it overlaps.
    path = [drawn.spans[index] for index in drawn.critical]
    assert path[0].start == 0 and path[-1].end == drawn.makespan
    assert all(b.start - a.end in (0.0, p2p) or b.start >= a.end for a, b in pairwise(path))
    facts = schedules.facts(name, drawn)
    assert 0 <= facts["bubble_fraction"] < 1 and facts["bubble_ratio"] >= 0
    assert math.isclose(facts["critical_path_length"], drawn.makespan)
    assert 0 < facts["compute_share_of_critical_path"] <= 1 + 1e-9


def test_idle_time_is_told_apart_by_its_cause() -> None:
    drawn = simulate("1f1b", 2, 2, p2p=0.5)
    told = [(gap.lane, gap.start, gap.end, gap.kind) for gap in drawn.idle]
    assert told == [
        (0, 2.0, 3.5, "dependency"),
        (0, 3.5, 4.0, "p2p"),
        (0, 5.0, 5.5, "dependency"),
        (0, 5.5, 6.0, "p2p"),
        (1, 0.0, 1.5, "warm-up"),
        (1, 5.5, 7.0, "tail"),
    ]
    assert ascii(drawn, tick=0.5) == (
        "F0 F0 F1 F1 .. .. .. .. B0 B0 .. .. B1 B1\n.. .. .. F0 F0 B0 B0 F1 F1 B1 B1 .. .. ..\n"
    )


def test_1f1b_lowers_the_peak_and_not_the_bubble() -> None:
    gpipe = schedules.facts("gpipe", simulate("gpipe", 4, 8, backward=2))
    one_f = schedules.facts("1f1b", simulate("1f1b", 4, 8, backward=2))
    assert gpipe["bubble_fraction"] == one_f["bubble_fraction"] == 9 / 33
    assert gpipe["bubble_ratio"] == 9 / 24
    assert (gpipe["peak_activations"], one_f["peak_activations"]) == ([8, 8, 8, 8], [4, 3, 2, 1])


def test_the_zero_bubble_papers_count_from_a_devices_own_first_to_its_own_last() -> None:
    facts = schedules.facts("zb-h1", simulate("zb-h1", 3, 6))
    assert facts["own_span_bubble"] == pytest.approx([2 / 20, 1 / 19, 0])
    assert "own_span_bubble" not in schedules.facts("1f1b", simulate("1f1b", 3, 6))


def test_a_pair_that_gains_from_overlap_never_makes_the_bubble_negative() -> None:
    facts = schedules.facts("dualpipe", simulate("dualpipe", 4, 8, backward=2, overlapped=2.1))
    assert 0 < facts["bubble_fraction"] < 1 and facts["weights_copies"] == 2


@cases(
    "arguments, rule",
    [
        (
            ("hanayo", 4, 4, 3),
            "hanayo: chunks even: a wave is two chunks, down the devices and up again; .*chunks = 3",
        ),
        (("chimera-doubling", 3, 6), "P even"),
        (("chimera-doubling", 4, 6), "M % P = 0: microbatches must be a multiple of devices"),
        (("dualpipe", 3, 6), "P even"),
        (("dualpipe", 4, 9), "M even"),
        (("dualpipe", 4, 6), "M >= 2P"),
        (("dualpipe-v", 4, 7), "M >= 2P"),
        (("chimera", 3, 6), "P even"),
        (("chimera", 4, 6), "M % P = 0"),
        (("gpipe", 0, 4), "devices must be at least 1"),
        (("gpipe", 2, 0), "microbatches must be at least 1"),
        (("zb-v", 2, 4, 3), "chunks must be 2"),
        (("gpipe", 2, 2, None, [1, 2, 3]), "one for each of the 2 stages"),
        (("gpipe", 2, 2, None, -1), "forward must be a finite time above 0"),
        (("zb-h1", 2, 2, None, 1, 3, 1, 1), "b = d + w"),
    ],
)
def test_what_a_schedule_does_not_define_is_refused_with_the_rule(arguments: tuple, rule: str) -> None:
    with pytest.raises(ShapeError, match=rule.replace("+", r"\+")):
        simulate(*arguments)


def test_an_unknown_schedule_names_the_nearest() -> None:
    with pytest.raises(ValueError, match="did you mean '1f1b'"):
        simulate("1f1", 2, 2)


@cases("name", ["gpipe", "1f1b", "looped-bfs", "zb-h1", "zb-v", "1f1b-overlap", "interleaved", "hanayo"])
def test_fewer_microbatches_than_devices_are_scheduled_where_the_order_allows_it(name: str) -> None:
    drawn = simulate(name, 6, 2)
    stages = 6 * (2 if name in ("looped-bfs", "zb-v", "interleaved", "hanayo") else 1)
    assert sum(span.kind == "forward" for span in drawn.spans) == 2 * stages


def test_a_deadlock_names_the_cycle_of_operations() -> None:
    # Two stages, two microbatches; each device begins with what only the other can make possible.
    f = [[0, 1], [2, 3]]
    b = [[4, 5], [6, 7]]
    orders = ((f[0][0], b[0][0], f[0][1], b[0][1]), (f[1][1], b[1][1], f[1][0], b[1][0]))
    with pytest.raises(DeadlockError) as caught:
        evaluate.run(Plan(2, 2, orders), schedules.times(2))
    assert set(caught.value.cycle) == {"B0.0", "F1.1"}
    assert caught.value.cycle[0] == caught.value.cycle[-1]
    assert "B0.0 (device 0) needs B1.0, which device 1 runs only after F1.1" in str(caught.value)


def test_a_long_chain_that_cannot_run_is_no_recursion_error() -> None:
    p, m = 2, 4000
    backwards_first = Plan(
        p, m, tuple(tuple(reversed(order)) for order in schedules.plan("gpipe", p, m).orders)
    )
    with pytest.raises(DeadlockError, match="can never run"):
        evaluate.run(backwards_first, schedules.times(p))


def test_an_operation_that_nobody_runs_is_named() -> None:
    with pytest.raises(DeadlockError, match=r"needs F0.0, which no device runs"):
        evaluate.run(Plan(2, 1, ((2,), (1, 3))), schedules.times(2))
