"""The inside of a Gantt panel: idle time, cells or shares, and the critical path.

Cells of one sort carry labels where all of them fit; otherwise every n-th microbatch is solid. Where cells would be
thinner than a hairline, each kind's share of the time is drawn instead, so that area still means time.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

from figmill.timelines.charts import looks
from figmill.timelines.charts.canvas import PAPER, TINY, Box, Canvas, text_width
from figmill.timelines.charts.layout import Frame, Options
from figmill.timelines.charts.legends import ACCENT, draw_boxes
from figmill.timelines.charts.looks import Look
from figmill.timelines.charts.shares import shares
from figmill.timelines.spans import Span, Timeline

MOST_CELLS = 9000  # a panel with more spans shows shares
HAIRLINE = 0.9  # points; the thinnest cell

_Sort = tuple[str, bool]  # (kind, runs in a pair): all of a sort are labelled, or none


def _sort(span: Span) -> _Sort:
    return span.kind, span.row != 0


@dataclass(frozen=True, slots=True)
class Cells:
    """How a panel draws its spans: as shares or cells, which sorts carry labels, and their size."""

    as_shares: bool
    labelled: frozenset[_Sort]
    size: float
    every: int  # every n-th microbatch of the other sorts is solid; 0: none


def plan(timeline: Timeline, frame: Frame, options: Options) -> Cells:
    scale = (frame.right - frame.left) / frame.end
    narrowest: dict[_Sort, float] = {}
    longest: dict[_Sort, int] = {}
    for span in timeline.spans:
        if span.label:
            sort, width = _sort(span), (span.end - span.start) * scale
            narrowest[sort] = min(narrowest.get(sort, width), width)
            longest[sort] = max(longest.get(sort, 0), len(span.label))
    most = max((span.microbatch for span in timeline.spans), default=-1) + 1
    every = options.every or (max(4, 2 ** round(math.log2(max(1, most) / 5))) if most else 0)
    if len(timeline.spans) > MOST_CELLS or _typical_width(timeline) * scale < HAIRLINE:
        return Cells(True, frozenset(), TINY, every)
    for size in (8.5, 8.0, 7.5, TINY):
        digit = text_width("0", size) if frame.height >= size + 2 else math.inf
        fits = frozenset(sort for sort in longest if longest[sort] * digit + 1.6 <= narrowest[sort])
        if len(fits) == len(longest):
            return Cells(False, fits, size, options.every)
    lost = any(span.microbatch >= 0 and span.label and _sort(span) not in fits for span in timeline.spans)
    return Cells(False, fits, TINY, every if lost and most > 4 else 0)


def _typical_width(timeline: Timeline) -> float:
    """The median length of a span, in time."""
    lengths = sorted(span.end - span.start for span in timeline.spans)
    return lengths[len(lengths) // 2] if lengths else math.inf


def _box(span: Span, top: float, frame: Frame) -> Box:
    y = top + span.lane * frame.pitch
    upper = y + (frame.height / 2 if span.row == 2 else 0)
    lower = y + (frame.height / 2 if span.row == 1 else frame.height)
    return (frame.x(span.start), upper, frame.x(span.end), lower)


def draw_idle(
    canvas: Canvas, timeline: Timeline, plan: Cells, top: float, frame: Frame, options: Options
) -> None:
    boxes: dict[Look, list[Box]] = defaultdict(list)
    for gap in timeline.idle:
        look = looks.IDLE[gap.kind] if options.classes else looks.BUBBLE
        box = _box(gap, top, frame)
        if not (plan.as_shares and box[2] - box[0] < HAIRLINE):  # shorter gaps are part of the shares
            boxes[look].append(box)
    for look, same in boxes.items():
        canvas.boxes(same, look.fill, look.line, hatch=look.hatch)


def draw_cells(canvas: Canvas, timeline: Timeline, plan: Cells, top: float, frame: Frame) -> None:
    boxes: dict[Look, list[Box]] = defaultdict(list)
    texts: list[tuple[Box, str]] = []
    typical = _typical_width(timeline) * (frame.x(1) - frame.left)
    for span in timeline.spans:
        look, box = looks.of(span.kind), _box(span, top, frame)
        labelled = _sort(span) in plan.labelled
        if plan.every and not labelled and span.microbatch % plan.every == 0:
            look = Look(look.label, look.line, look.line)
        elif span.chunk % 2:
            look = Look(look.label, PAPER, look.line, bar=look.bar)
        boxes[look].append(box)
        if labelled and span.label:
            texts.append((_clear(box, look) if span.row else box, span.label))
    outline = min(0.9, typical * 0.1)
    for look, same in boxes.items():
        draw_boxes(canvas, same, look, outline, min(2.2, 0.12 * frame.height))
    for box, label in texts:
        canvas.text((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, label, plan.size, align="center")


def _clear(box: Box, look: Look) -> Box:
    """The part of a half-height cell that its bar leaves free."""
    left, top, right, bottom = box
    return (left, top, right, bottom - 2.2) if look.bar == "foot" else box


def draw_shares(canvas: Canvas, timeline: Timeline, plan: Cells, top: float, frame: Frame) -> None:
    """Draw each kind's share of every stretch, stacked from the top, and the start of every n-th microbatch."""
    hairline = HAIRLINE * frame.end / (frame.right - frame.left)
    boxes: dict[Look, list[Box]] = defaultdict(list)
    for stretch in shares(timeline, hairline):
        y = top + stretch.lane * frame.pitch
        left, right = frame.x(stretch.start), frame.x(stretch.end)
        for kind, share in stretch.parts:
            look = looks.BUBBLE if kind == "idle" else looks.of(kind)
            boxes[look].append((left, y, right, y + share * frame.height))
            y += share * frame.height
    for look, same in boxes.items():
        canvas.boxes(same, look.fill, look.line if look.hatch else None, hatch=look.hatch)
    ticks: dict[str, list[Box]] = defaultdict(list)
    for span in timeline.spans:
        if span.microbatch >= 0 and span.microbatch % plan.every == 0 and span.kind != "backward_weight":
            x, y = frame.x(span.start), top + span.lane * frame.pitch
            ticks[looks.of(span.kind).line].append((x, y, x + HAIRLINE, y + frame.height))
    for colour, starts in ticks.items():
        canvas.boxes(starts, colour)


def draw_critical(canvas: Canvas, timeline: Timeline, top: float, frame: Frame) -> None:
    """Outline the spans of the critical path, and join them where the path changes lanes."""
    path = [timeline.spans[index] for index in timeline.critical]
    for span, after in pairwise(path):
        here, there = (_box(end._replace(row=0), top, frame) for end in (span, after))
        if span.lane != after.lane:
            canvas.line(
                [(here[2], (here[1] + here[3]) / 2), (there[0], (there[1] + there[3]) / 2)], ACCENT, 1.4
            )
    for box in (_box(span._replace(row=0), top, frame) for span in path):
        corners = [(box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3]), (box[0], box[1])]
        canvas.line(corners, ACCENT, 1.4 if frame.pitch > 12 else 0.9)
