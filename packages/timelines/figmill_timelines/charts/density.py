"""The rule of density, for all Gantt charts.

A cell of at least 12 px has a border, and a number if it fits. Narrower neighbours of one kind run together to an
area with a border around it, and a hairline between two if the usual cell of each kind has 4 px. No number is
turned. A panel numbers its microbatches only if the usual cell of each kind has room, so that a microbatch can be
followed; otherwise two of them are solid, in all panels of the figure. If cells would be thinner than a hairline,
each kind's share of the time is drawn instead, so that area still means time. Many or low lanes become flat areas,
without gaps and hatches. This module decides and draws nothing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from figmill_timelines.charts import areas, looks
from figmill_timelines.charts.areas import LaneArea
from figmill_timelines.charts.canvas import PAPER, TINY, text_width
from figmill_timelines.charts.layout import Frame
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.palette import role
from figmill_timelines.spans import Span, Timeline

NUMBERED = 9.1  # points: 12 px, also if a chart for a phone is shown at 343 px; no narrower cell has a number
BORDERED = 3.6  # points: 5 px; the borders of a narrower cell are thinner, and inside it
CROWD = 24  # lanes; a panel of more is drawn as areas
LOW = 9.5  # points from lane to lane; lower ones are drawn as areas, too
MOST_CELLS = 9000  # a panel with more spans shows shares
HAIRLINE = 0.9  # points; the thinnest cell
VISIBLE = 4.5  # points; the shortest run among others that is an area of its own
AROUND = 1.6  # points left free beside or above and below a label
CAPITALS = 0.72  # share of a text's size: the height of digits
BAR = 2.2  # points; the thickest bar at the foot or head of a cell
# Dashes of the outline of an area whose cells would have a bar, for readers who see no colours.
DASHES: Mapping[str | None, tuple[float, ...]] = {
    None: (),
    "foot": (4, 1),
    "head": (1, 1),
    "both": (4, 1, 1, 1),
}


@dataclass(frozen=True, slots=True)
class Cells:
    """How a panel draws its spans: as cells, as shares of stretches, or as areas of many lanes."""

    style: Literal["cells", "shares", "areas"]
    size: float  # of labels, in points
    numbers: bool = False  # whether the cells of microbatches have their numbers
    landmarks: tuple[int, ...] = ()  # microbatches that are solid where none has a number
    odd: CellLook | None = (
        None  # the style of forwards of odd chunks; None: all cells of odd chunks are hollow
    )
    outline: float = 0.9  # points; of cells
    areas: tuple[LaneArea, ...] = ()
    # the style of each area's kinds of work
    styles: Mapping[frozenset[str], CellLook] = field(default_factory=dict)


def plan(timeline: Timeline, frame: Frame, every: int = 0) -> Cells:
    """How to draw a timeline in this frame. every: the distance of the solid microbatches; 0: half of them all."""
    scale = (frame.right - frame.left) / frame.end
    solid = landmarks(timeline, every)
    if is_crowd(len(timeline.lanes), frame.pitch):
        return Cells("areas", TINY, landmarks=solid, areas=areas.stretches(timeline, VISIBLE / scale))
    if len(timeline.spans) > MOST_CELLS or typical_width(timeline) * scale < HAIRLINE:
        return Cells("shares", TINY, landmarks=solid)
    rooms = [
        (span, (span.end - span.start) * scale, _room(span.row, frame.height))
        for span in timeline.spans
        if span.label
    ]
    sizes = (8.5, 8.0, 7.5, TINY)
    wide = [(span.label, width, height) for span, width, height in rooms if width >= NUMBERED]
    size = next((size for size in sizes if all(placed(*room, size) for room in wide)), TINY)
    passes: dict[tuple[str, bool], list[bool]] = defaultdict(list)  # kind, in a pair -> whether numbers fit
    for span, width, height in rooms:
        if is_pass(span):
            passes[span.kind, span.row != 0].append(placed(span.label, width, height, size))
    numbers = all(2 * sum(fits) > len(fits) for fits in passes.values())
    return Cells("cells", size, numbers, () if numbers else solid)


def landmarks(timeline: Timeline, every: int = 0) -> tuple[int, ...]:
    """The microbatches that are solid where none has a number, `every` apart; 0: half of them all."""
    most = max((span.microbatch for span in timeline.spans if is_pass(span)), default=-1) + 1
    return tuple(range(0, most, every or math.ceil(most / 2))) if most > 1 else ()


def without_numbers(plan: Cells, timeline: Timeline, every: int = 0) -> Cells:
    """The same panel beside one whose microbatches have no numbers: a figure has numbers or solid microbatches."""
    if plan.style != "cells":
        return plan
    return replace(plan, numbers=False, landmarks=landmarks(timeline, every))


def outline(timeline: Timeline, frame: Frame) -> float:
    """The width of the borders of cells that are as wide as the typical one, in points."""
    return min(0.9, max(0.4, typical_width(timeline) * (frame.x(1) - frame.left) * 0.1))


def cell_look(span: Span, plan: Cells) -> CellLook:
    """The style of a cell. Among narrow cells, hollow ones would be a barcode."""
    style = looks.of(span.kind)
    if span.chunk % 2 and plan.odd is None:
        style = CellLook(style.label, PAPER, style.line, bar=style.bar)
    elif span.chunk % 2 and span.kind == "forward" and plan.odd:
        style = plan.odd
    return CellLook(style.label, style.line, style.line) if is_landmark(span, plan) else style


def is_landmark(span: Span, plan: Cells) -> bool:
    """Whether a cell is solid."""
    return span.microbatch in plan.landmarks and is_pass(span) and span.kind != "backward_weight"


def is_crowd(lanes: int, pitch: float) -> bool:
    """Whether so many lanes of a panel, `pitch` points apart, are drawn as areas."""
    return lanes > CROWD or pitch < LOW


def is_pass(span: Span) -> bool:
    """Whether a span is a microbatch's, under its number."""
    return span.microbatch >= 0 and span.label == str(span.microbatch)


def _room(row: int, height: float) -> float:
    """The height for a label: a half of a lane has a bar, and a line to the other half."""
    return height / 2 - BAR - HAIRLINE if row else height


def placed(label: str, width: float, height: float, size: float) -> bool:
    """Whether a label of this size has room in a cell of these measures, in points."""
    return (
        bool(label)
        and width >= max(NUMBERED, text_width(label, size) + AROUND)
        and height >= CAPITALS * size + AROUND
    )


def typical_width(timeline: Timeline) -> float:
    """The median length of a span, in time."""
    lengths = sorted(span.end - span.start for span in timeline.spans)
    return lengths[len(lengths) // 2] if lengths else math.inf


def of_areas(areas: Collection[frozenset[str]]) -> dict[frozenset[str], CellLook]:
    """The style of each area of a figure by its kinds of work; "idle" stands for idle time.

    Areas of several kinds share one style, in a role that no single kind has here. With idle time, their own colour is
    hatched.
    """
    styles = {
        kinds: looks.IDLE_AREA if kinds == {"idle"} else _plain(looks.of(*kinds))
        for kinds in areas
        if len(kinds) == 1
    }
    taken = {look.fill for look in styles.values()}
    free = [name for name in _MIXED if role(name).fill not in taken] + list(_MIXED)
    mixed = [kinds for kinds in areas if len(kinds) > 1]
    colours = role(free[0])
    busy = [kinds for kinds in mixed if "idle" not in kinds]
    style = CellLook(_in_turn(busy) or "Several in turn", colours.fill, colours.line, edge=0.0)
    styles |= dict.fromkeys(busy, style)
    waiting = [kinds for kinds in mixed if "idle" in kinds]
    work = sorted(frozenset().union(*waiting) - {"idle"})
    fill = looks.of(*work).fill if len(work) == 1 else colours.fill
    label = _in_turn(waiting) or "Work and waiting in turn"
    return styles | dict.fromkeys(waiting, replace(looks.BUBBLE, label=label, fill=fill, edge=0.0))


_MIXED = ("neutral", "routing", "data", "compute", "accent")


def _plain(look: CellLook) -> CellLook:
    return CellLook(look.label, look.fill, look.line, edge=0.5, dash=DASHES[look.bar])


def _in_turn(areas: Collection[frozenset[str]]) -> str:
    """`Forward or backward`, if there are no other areas of several kinds."""
    first = sorted(next(iter(areas), ()))
    if len(areas) != 1 or len(first) != 2:
        return ""
    listed = [kind for kind in dict.fromkeys((*looks.WORK, *first)) if kind in first and kind != "idle"]
    names = [looks.of(kind).label for kind in listed] + (["idle"] if "idle" in first else [])
    return f"{names[0]} or {names[1].lower()}"
