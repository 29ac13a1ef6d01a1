"""Interleaved schedules in groups of microbatches: the orders of PyTorch and of Megatron-LM, and the bounds of a group.

torch_orders.csv has the orders that `ScheduleInterleaved1F1B` and `ScheduleInterleavedZeroBubble` of PyTorch 2.13.0
compute for each rank, without its empty slots: `4F0` is the forward of stage 4 for microbatch 0, B a backward, I its
input gradients, W its weight gradients.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from itertools import chain, count, pairwise
from pathlib import Path

import pytest
from helpers.cases import cases
from helpers.examples import examples
from helpers.generators import generator
from hypothesis import strategies as st

from figmill_timelines.pipeline import orders, schedules
from figmill_timelines.pipeline.plan import Plan
from figmill_timelines.pipeline.schedules import GROUPED, ShapeError, grouping, simulate

with (Path(__file__).parent / "torch_orders.csv").open(encoding="utf-8") as file:
    RECORDED = list(csv.DictReader(file))


def written(plan: Plan, lane: int, letters: str) -> str:
    """An order as torch writes it: `0F0 0F1 0B0`."""
    names = (plan.name(code) for code in plan.orders[lane])
    return " ".join(f"{n[1:].split('.')[0]}{letters['FBW'.index(n[0])]}{n.split('.')[1]}" for n in names)


def test_the_orders_are_those_of_pytorch() -> None:
    shapes = set()
    for row in RECORDED:
        p, m, v = (int(row[key]) for key in ("devices", "microbatches", "chunks"))
        plan = schedules.plan(row["schedule"], p, m, v)
        letters = "FIW" if row["schedule"] == "interleaved-zb" else "FBW"
        assert written(plan, int(row["rank"]), letters) == row["order"], (p, m, v)
        shapes.add((row["schedule"], p, m, v))
    assert sum(m % p > 0 for _, p, m, _ in shapes) == len(shapes) == 24


@cases("devices", range(1, 13))
def test_by_default_a_group_is_one_of_pytorchs_rounds(devices: int) -> None:
    for microbatches in range(1, 100):
        rounds = max(1, microbatches // devices)
        if microbatches % rounds == 0:
            assert grouping("interleaved", devices, microbatches) == microbatches // rounds


def megatron(p: int, m: int, v: int, group: int, lane: int) -> list[tuple[str, int, int]]:
    """Megatron-LM's order as its documents tell it: (F or B, chunk, microbatch), one virtual microbatch at a time.

    The next forward is of the first chunk that has not yet had all microbatches of the group; then a group follows.
    """
    had: dict[int, int] = defaultdict(int)
    table = []
    for first in count(0, group):
        last = min(first + group, m)
        while any(had[chunk] < last for chunk in range(v)):
            chunk = next(chunk for chunk in range(v) if had[chunk] < last)
            table.append((chunk, had[chunk]))
            had[chunk] += 1
        if last == m:
            break
    forwards = [("F", chunk, microbatch) for chunk, microbatch in table]
    backwards = [("B", v - 1 - chunk, microbatch) for chunk, microbatch in table]
    warm = min(2 * (p - lane - 1) + (v - 1) * group, m * v)
    steady = m * v - warm
    paired = chain.from_iterable((forwards[warm + n], backwards[n]) for n in range(steady))
    return [*forwards[:warm], *paired, *backwards[steady:]]


SHAPES = st.tuples(st.integers(1, 8), st.integers(1, 24), st.integers(1, 4))


@examples(40, 150, SHAPES, st.data())
def test_the_orders_are_those_of_megatron_with_any_group(
    shape: tuple[int, int, int], data: st.DataObject
) -> None:
    p, m, v = shape
    least = min(p, m)
    sizes = [n for n in range(least, m + 1) if m % n == 0 or m % n >= least]
    group = data.draw(st.sampled_from(sizes))
    plan = schedules.plan("interleaved", p, m, v, group=group)
    for lane in range(p):
        parts = [plan.name(code) for code in plan.orders[lane]]
        order = [(n[0], int(n[1:].split(".")[0]) // p, int(n.split(".")[1])) for n in parts]
        assert order == megatron(p, m, v, group, lane)
    for name in GROUPED:  # each can run
        assert simulate(name, p, m, v, group=group).makespan >= 2 * m * v


def test_megatrons_own_example() -> None:
    """PP = 2, VP = 2, groups of 3, 5 microbatches: its configuration's documentation."""
    for order in schedules.plan("interleaved", 2, 5, 2, group=3).orders:
        assert [code % 5 for code in order if code < 20] == [0, 1, 2, 0, 1, 2, 3, 4, 3, 4]


def test_larger_groups_cost_memory_and_no_time() -> None:
    peaks = [
        schedules.facts("interleaved", simulate("interleaved", 4, 16, 2, group=g)) for g in (4, 6, 8, 16)
    ]
    assert len({stated["makespan"] for stated in peaks}) == 1
    assert all(max(a["peak_activations"]) < max(b["peak_activations"]) for a, b in pairwise(peaks))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"group": 3},
            "interleaved: group must be from 4 to 10, and leave a rest of 0 or at least 4: of M = 10 a group"
            " of 5 does, 3 does not",
        ),
        ({"group": 7}, "of M = 10 a group of 10 does, 7 does not"),
        ({"group": 11}, "of M = 10 a group of 10 does, 11 does not"),
        ({"group": 0}, "group must be from 1 to 1024, not 0"),
        ({"group": 2.5}, "group must be a whole number or none, not 2.5"),
        ({"group": True}, "group must be a whole number or none, not True"),
        (
            {"group": 5, "schedule": "gpipe"},
            "group has no meaning for gpipe; it is for interleaved, interleaved-zb",
        ),
    ],
)
def test_a_group_that_cannot_run_is_refused(params: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generator("pipeline_bubble").draw(
            **{"devices": 4, "microbatches": 10, "schedule": "interleaved"} | params
        )


def test_a_group_is_for_those_that_have_one() -> None:
    with pytest.raises(ShapeError, match="1f1b: it has no groups; group is for interleaved"):
        simulate("1f1b", 2, 4, group=2)
    assert set(GROUPED) == {"interleaved", "interleaved-zb", "interleaved-overlap"}
    drawing = generator("pipeline_bubble").draw(
        devices=2, microbatches=5, schedule="interleaved", compare=["1f1b"], group=3
    )
    assert drawing.facts["peak_activations"] == [6, 4] and drawing.facts["peak_activations_1f1b"] == [2, 1]


def test_waves_are_chimera_folded() -> None:
    """One wave over P devices runs as one of Chimera's pipes over 2P, each device with both of its ends."""
    for p, m in ((1, 2), (2, 4), (3, 6), (4, 4), (5, 10)):
        wave, both = orders.hanayo(p, m, 2), orders.chimera(2 * p, 2 * m)
        for lane in range(p):
            down = {both.name(code) for code in both.orders[lane]} | {
                both.name(code) for code in both.orders[2 * p - 1 - lane]
            }
            mine = {wave.name(code) for code in wave.orders[lane]}
            assert mine == {name for name in down if int(name.split(".")[1]) < m}
        for times in ({}, {"backward": 2}, {"forward": 2, "backward": 3}):
            assert (
                simulate("hanayo", p, m, 2, **times).makespan
                == simulate("chimera", 2 * p, 2 * m, **times).makespan
            )


def test_forward_doubling_takes_the_bubbles_between_units_away() -> None:
    direct = [simulate("chimera", 4, 4 * k, backward=2).facts()["idle_time"] / 4 for k in (1, 2, 4, 8)]
    doubled = [
        simulate("chimera-doubling", 4, 4 * k, backward=2).facts()["idle_time"] / 4 for k in (1, 2, 4, 8)
    ]
    assert direct == [4, 6, 10, 18]
    assert doubled == [4, 4, 4, 4]
