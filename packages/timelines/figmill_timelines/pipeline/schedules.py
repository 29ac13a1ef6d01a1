"""Pipeline schedules by name: the shapes each is defined for, and one function that simulates any of them.

    simulate("1f1b", devices=4, microbatches=8) -> Timeline;  facts("1f1b", timeline) -> numbers

`orders` has the order on each device, `evaluate` computes the times. This module does not know figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Literal

from figmill_timelines.bounds import within
from figmill_timelines.pipeline import evaluate, orders, search
from figmill_timelines.pipeline.activations import peaks
from figmill_timelines.pipeline.plan import Plan, blocking
from figmill_timelines.spans import Timeline, own_span_bubble

Stagewise = float | Sequence[float]  # one number, or one per stage
MOST_SEARCHED = 300_000  # operations of a shape whose order is searched
SHORTEST, LONGEST = 1e-12, 1e12  # limits of a time: sums of longer times would lose the short ones


class ShapeError(ValueError):
    """A schedule is not defined for this shape; the message names the rule."""


@dataclass(frozen=True, slots=True)
class ShapeRule:
    """A condition on a shape: in text for the reader, and as a test of (P, M, v)."""

    words: str
    holds: Callable[[int, int, int], bool]


@dataclass(frozen=True, slots=True)
class Schedule:
    """One row of the table.

    - chunks: on each device; None if the author chooses.
    - splits: a backward and its weight gradient are separate operations.
    - weights: copies of a stage's parameters on a device, as the DualPipe authors count.
    - grouped: a group of microbatches goes through a chunk before the device turns to the next chunk; see `grouping`.
    """

    title: str
    order: Callable[..., Plan]  # takes P, M, v; and the group, if it has groups
    rules: tuple[ShapeRule, ...] = ()
    chunks: int | None = 1
    splits: bool = False
    overlaps: bool = False
    weights: int = 1
    grouped: bool = False
    # An order that depends on the times.
    search: Callable[[int, int, evaluate.Times, float], Plan] | None = None


WAVES = ShapeRule(
    "chunks even: a wave is two chunks, down the devices and up again", lambda p, m, v: v % 2 == 0
)
MULTIPLE = ShapeRule("M % P = 0: microbatches must be a multiple of devices", lambda p, m, v: m % p == 0)
EVEN_P = ShapeRule("P even: the number of devices must be even", lambda p, m, v: p % 2 == 0)
EVEN_M = ShapeRule("M even: half of the microbatches run in each direction", lambda p, m, v: m % 2 == 0)
TWICE = ShapeRule("M >= 2P: at least twice as many microbatches as devices", lambda p, m, v: m >= 2 * p)

SCHEDULES: Mapping[str, Schedule] = MappingProxyType(
    {
        "gpipe": Schedule("GPipe", orders.gpipe),
        "1f1b": Schedule("1F1B", orders.one_f_one_b),
        "interleaved": Schedule("Interleaved 1F1B", orders.interleaved, chunks=None, grouped=True),
        "looped-bfs": Schedule("Looped BFS", orders.looped_bfs, chunks=None),
        "zb-h1": Schedule("ZB-H1", orders.zb_h1, splits=True),
        "interleaved-zb": Schedule(
            "Interleaved ZB", orders.interleaved_zb, chunks=None, splits=True, grouped=True
        ),
        "zb-v": Schedule("ZB-V", orders.zb_v, chunks=2, splits=True, search=search.zb_v),
        "v-half": Schedule("V-Half", orders.zb_v, chunks=2, splits=True, search=search.v_half),
        "v-min": Schedule("V-Min", orders.zb_v, chunks=2, splits=True, search=search.v_min),
        "zb-2p": Schedule("ZB-2p", orders.zb_h1, splits=True, search=search.zb_2p),
        "dualpipe": Schedule("DualPipe", orders.dualpipe, (EVEN_P, EVEN_M, TWICE), overlaps=True, weights=2),
        "dualpipe-v": Schedule("DualPipeV", orders.dualpipe_v, (TWICE,), chunks=2, overlaps=True, weights=2),
        "1f1b-overlap": Schedule("1F1B, overlapped", orders.one_f_one_b_overlap, overlaps=True),
        "interleaved-overlap": Schedule(
            "Interleaved 1F1B, overlapped",
            orders.interleaved_overlap,
            chunks=None,
            overlaps=True,
            grouped=True,
        ),
        "chimera": Schedule("Chimera", orders.chimera, (EVEN_P, MULTIPLE), weights=2),
        "chimera-doubling": Schedule(
            "Chimera, forward doubling", orders.chimera_doubling, (EVEN_P, MULTIPLE), weights=2
        ),
        "hanayo": Schedule("Hanayo", orders.hanayo, (WAVES,), chunks=None),
    }
)
GROUPED = tuple(name for name, row in SCHEDULES.items() if row.grouped)


def plan(
    schedule: str,
    devices: int,
    microbatches: int,
    chunks: int | None = None,
    lengths: evaluate.Times | None = None,
    p2p: float = 0.0,
    group: int | None = None,
) -> Plan:
    """The order of operations on each device. ShapeError names the rule that the shape breaks.

    lengths, p2p: for a schedule whose order depends on them; by default, all operations take equally long. group: for a
    schedule with groups.
    """
    row = named(schedule)
    for name, value in (("devices", devices), ("microbatches", microbatches), ("chunks", chunks or 1)):
        if value < 1:
            raise ShapeError(f"{schedule}: {name} must be at least 1, not {value}")
    if row.chunks is not None and chunks not in (None, 1, row.chunks):
        raise ShapeError(
            f"{schedule}: chunks must be {row.chunks}, for which the schedule is defined, not {chunks}"
        )
    v = row.chunks or chunks or 2
    for rule in row.rules:
        if not rule.holds(devices, microbatches, v):
            chunking = f", chunks = {v}" if row.chunks is None else ""
            raise ShapeError(f"{schedule}: {rule.words}; got P = {devices}, M = {microbatches}{chunking}")
    if row.grouped:
        return row.order(devices, microbatches, v, grouping(schedule, devices, microbatches, group))
    if group is not None:
        raise ShapeError(f"{schedule}: it has no groups; group is for {', '.join(GROUPED)}")
    if row.search is None:
        return row.order(devices, microbatches, v)
    if 3 * v * devices * microbatches > MOST_SEARCHED:
        raise ShapeError(
            f"{schedule}: P x M must be at most {MOST_SEARCHED // (3 * v)} for an order that is searched,"
            f" not {devices * microbatches}"
        )
    return row.search(devices, microbatches, lengths or times(devices * v, splits=True), p2p)


def grouping(schedule: str, devices: int, microbatches: int, group: int | None = None) -> int:
    """How many microbatches go through a chunk before the next chunk. ShapeError names the nearest possible group.

    At least P, or all if there are fewer; the last group, which takes the rest, must be as large: a microbatch comes
    back to the first device no sooner than P forwards later. These are the bounds of Megatron-LM's
    microbatch_group_size_per_vp_stage. By default it is the smallest group within them. If M is a multiple of P, that
    is P; and wherever torch.distributed.pipelining divides M into M // P equal rounds, it is such a round.
    """
    least = min(devices, microbatches)

    def fits(size: int) -> bool:
        return least <= size <= microbatches and (microbatches % size == 0 or microbatches % size >= least)

    smallest = next(size for size in range(least, microbatches + 1) if fits(size))
    if group is not None and not fits(group):
        near = next((size for size in range(max(group, least), microbatches + 1) if fits(size)), microbatches)
        remainder = f", and leave a rest of 0 or at least {least}" if least > 1 else ""
        raise ShapeError(
            f"{schedule}: group must be from {least} to {microbatches}{remainder}: of M = {microbatches}"
            f" a group of {near} does, {group} does not"
        )
    return group or smallest


def named(schedule: str) -> Schedule:
    """The row of the table. ValueError names the known schedules and the nearest."""
    if schedule in SCHEDULES:
        return SCHEDULES[schedule]
    near = get_close_matches(schedule, SCHEDULES, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    raise ValueError(f"no schedule '{schedule}'{hint}; choose one of {', '.join(SCHEDULES)}")


def simulate(
    schedule: str,
    devices: int,
    microbatches: int,
    chunks: int | None = None,
    forward: Stagewise = 1.0,
    backward: Stagewise | None = None,
    backward_input: Stagewise | None = None,
    backward_weight: Stagewise | None = None,
    overlapped: float | None = None,
    p2p: float = 0.0,
    unit: str = "",
    sends: Literal["overlapped", "synchronous"] = "overlapped",
    group: int | None = None,
) -> Timeline:
    """When each operation of a training step runs.

    A time is one number, or a list with one for each stage (each chunk, if a device has several). A backward that
    is not given takes as long as a forward, or as its two parts if the schedule splits it. p2p: the lag on
    each edge between devices. sends: with `synchronous`, a device waits for its own sends in warm-up and cool-down.
    group: microbatches of a chunk that run before the next chunk (see `grouping`), if the schedule has groups.
    unit: of all times, for figures. ShapeError for a shape or a time for which the schedule is not defined.
    """
    row = named(schedule)
    if not 0 <= p2p <= LONGEST:
        raise ShapeError(f"p2p must be a time from 0 to {LONGEST:g}, not {p2p:g}")
    given = (forward, backward, backward_input, backward_weight, overlapped)
    if row.search is None:
        order = plan(schedule, devices, microbatches, chunks, group=group)
        lengths = times(order.stages, *given, splits=row.splits)
    else:
        lengths = times(devices * (row.chunks or 1), *given, splits=row.splits)
        order = plan(schedule, devices, microbatches, chunks, lengths, p2p, group)
    holding = blocking(order) if sends == "synchronous" and p2p else frozenset()
    return evaluate.to_timeline(order, evaluate.run(order, lengths, p2p, holding), p2p, unit)


def times(
    stages: int,
    forward: Stagewise = 1.0,
    backward: Stagewise | None = None,
    backward_input: Stagewise | None = None,
    backward_weight: Stagewise | None = None,
    overlapped: float | None = None,
    splits: bool = False,
) -> evaluate.Times:
    """The times of every stage; those not given are derived so that b = d + w holds.

    Given b and one of d and w, the other is the rest. b alone is halved. With none of them, d = w = f if the
    schedule splits, else b = f.
    """
    f = _per_stage("forward", forward, stages)
    b = None if backward is None else _per_stage("backward", backward, stages)
    d = None if backward_input is None else _per_stage("backward_input", backward_input, stages)
    w = None if backward_weight is None else _per_stage("backward_weight", backward_weight, stages)
    if b is None:
        if d is None and w is None:
            b = tuple(2 * x for x in f) if splits else f
        else:
            d, w = d or f, w or f
            b = tuple(x + y for x, y in zip(d, w, strict=True))
    if d is None:
        d = tuple(x / 2 for x in b) if w is None else tuple(x - y for x, y in zip(b, w, strict=True))
    if w is None:
        w = tuple(x - y for x, y in zip(b, d, strict=True))
    for x, y, z in zip(b, d, w, strict=True):
        if y <= 0 or z <= 0 or not math.isclose(x, y + z, rel_tol=1e-9):
            raise ShapeError(f"b = d + w: backward {x:g} is not backward_input {y:g} + backward_weight {z:g}")
    if overlapped is not None:
        _per_stage("overlapped", overlapped, 1)
    return evaluate.Times(f, b, d, w, overlapped)


def _per_stage(name: str, value: Stagewise, stages: int) -> tuple[float, ...]:
    if not isinstance(value, int | float | Sequence) or isinstance(value, str | bool):
        raise ShapeError(f"{name}: one number, or one for each of the {stages} stages; got {value!r}")
    values = (value,) * stages if isinstance(value, int | float) else tuple(value)
    if len(values) != stages:
        raise ShapeError(f"{name}: one number, or one for each of the {stages} stages; got {len(values)}")
    for number in values:
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number < math.inf:
            raise ShapeError(f"{name} must be a finite time above 0, not {number!r}")
        try:
            within(SHORTEST, LONGEST, **{name: number})
        except ValueError as error:
            raise ShapeError(str(error)) from None
    return tuple(map(float, values))


def facts(schedule: str, timeline: Timeline) -> dict[str, Any]:
    """The facts of a figure of this schedule, computed from the spans of `timeline`.

    If a backward is split, own_span_bubble is the idle share of a device from its first to its last operation.
    """
    row = named(schedule)
    stated = timeline.facts()
    stated["peak_activations"] = peaks(timeline)
    stated["weights_copies"] = row.weights
    path = [timeline.spans[index] for index in timeline.critical]
    length = path[-1].end - path[0].start if path else 0.0
    stated["critical_path_length"] = length
    compute = math.fsum(span.end - span.start for span in path)
    stated["compute_share_of_critical_path"] = compute / length if length else 0.0
    if any(span.kind == "backward_weight" for span in timeline.spans):
        stated["own_span_bubble"] = own_span_bubble(timeline)
    return stated
