"""Zero-bubble schedules that depend on the times: the one of several orders that ends first.

Each function takes devices, microbatches, the times of the stages and the lag between devices, and returns a Plan
within the memory of its paper. The orders are those of the papers' own searches, the handcrafted one, and those of
list scheduling with two degrees of patience; if several end equally early, the first is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import fsum

from figmill_timelines.pipeline import evaluate, greedy, heuristic, orders, rounds, vee
from figmill_timelines.pipeline.evaluate import Times
from figmill_timelines.pipeline.plan import Plan

MOST_OPERATIONS = 60_000  # the most operations of a searched shape; a larger shape gets the handcrafted order
PATIENCE = (1.0, 0.34)


def zb_v(p: int, m: int, times: Times, lag: float) -> Plan:
    """ZB-V within 2P chunks' activations, 1F1B's memory: Qi et al., arXiv:2401.10241, section 6."""
    handcrafted = orders.zb_v(p, m)
    # Device P-1 has its first forward after P-1 others, and then works without a gap: no order is shorter.
    if 6 * p * m > MOST_OPERATIONS or _span(handcrafted, times, lag) <= _bound(p, times, m) * (1 + 1e-12):
        return handcrafted
    task = rounds.SearchTask(p, m, times, lag, 2 * p)
    searched = (Plan(2 * p, m, tuple(order)) for order in rounds.searched(task))
    return _first([handcrafted, *searched, *_listed(_vee(p), m, times, lag, 2 * p)], times, lag)


def v_half(p: int, m: int, times: Times, lag: float) -> Plan:
    """V-Half: about half of 1F1B's memory; Qi et al., arXiv:2405.15362."""
    return _within(vee.half, p, m, times, lag)


def v_min(p: int, m: int, times: Times, lag: float) -> Plan:
    """V-Min: about a third of 1F1B's memory; Qi et al., arXiv:2405.15362."""
    return _within(vee.least, p, m, times, lag)


def zb_2p(p: int, m: int, times: Times, lag: float) -> Plan:
    """ZB-2p, one chunk a device and 2P activations: Qi et al., arXiv:2401.10241, section 4, without its optimiser."""
    simple = orders.zb_h1(p, m)
    if 3 * p * m > MOST_OPERATIONS:
        return _first(
            [Plan(p, m, tuple(greedy.scheduled(range(p), m, times, lag, 2 * p))), simple], times, lag
        )
    searched = heuristic.plans(p, m, times, lag, 2 * p)
    return _first([*_listed(range(p), m, times, lag, 2 * p), simple, *searched], times, lag)


def _within(block: vee.BuildingBlock, p: int, m: int, times: Times, lag: float) -> Plan:
    plan, room = vee.built(block, p, m)
    if 6 * p * m > MOST_OPERATIONS:
        return plan
    return _first([plan, *_listed(_vee(p), m, times, lag, room)], times, lag)


def _vee(p: int) -> list[int]:
    return [*range(p), *reversed(range(p))]


def _listed(device: Iterable[int], m: int, times: Times, lag: float, room: int) -> Iterator[Plan]:
    places = list(device)
    for patience in PATIENCE:
        # Two chunks need two places at once, one for a forward on its way down and one on its way up.
        listed = greedy.scheduled(places, m, times, lag, max(room, 2), patience)
        yield Plan(len(places), m, tuple(listed))


def _first(plans: Iterable[Plan], times: Times, lag: float) -> Plan:
    return min(plans, key=lambda plan: _span(plan, times, lag))


def _span(plan: Plan, times: Times, lag: float) -> float:
    return max(evaluate.run(plan, times, lag).end)


def _bound(p: int, times: Times, m: int) -> float:
    """A lower bound on the end of a schedule over a V: the last device's wait for its first input, and its work."""
    outer, inner = p - 1, p
    work = fsum(
        row[stage]
        for row in (times.forward, times.backward_input, times.backward_weight)
        for stage in (outer, inner)
    )
    return fsum(times.forward[:outer]) + m * work
