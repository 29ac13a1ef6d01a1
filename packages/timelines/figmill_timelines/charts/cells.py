"""The inside of a Gantt panel: idle time, cells or shares, and the critical path.

A cell has its label if the label fits, horizontal or rotated: one character below the other would look like the two
labels of a pair. If labels of one kind do not fit, every n-th microbatch without a label is solid. If cells would be
thinner than a hairline, each kind's share of the time is drawn instead, so that area still means time.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from figmill_timelines.charts import looks
from figmill_timelines.charts.canvas import PAPER, TINY, Bounds, Canvas, text_width
from figmill_timelines.charts.layout import ChartOptions, Frame
from figmill_timelines.charts.legends import ACCENT, draw_boxes
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.charts.shares import shares
from figmill_timelines.spans import Span, Timeline

MOST_CELLS = 9000  # a panel with more spans shows shares
HAIRLINE = 0.9  # points; the thinnest cell
FAINT = 0.3  # points; a gap this narrow in a thin idle line would only make it look dotted
AROUND = 1.6  # points left free beside or above and below a label
BESIDE = 0.9  # points left free beside a rotated label
CLEAR = 2.4  # points between the critical path and a label
CAPITALS = 0.72  # share of a text's size: the height of digits
BAR = 2.2  # points; the thickest bar at the foot or head of a cell

_SHARED_IDLE = {"idle": looks.BUBBLE, "beside": looks.IDLE["beside"]}  # parts of a stretch that are not work

_Sort = tuple[str, bool]  # (kind, runs in a pair): all of one sort have labels, or none


def _sort(span: Span) -> _Sort:
    return span.kind, span.row != 0


@dataclass(frozen=True, slots=True)
class Cells:
    """How a panel draws its spans: as shares or cells, the size of labels, and what replaces labels that do not fit."""

    as_shares: bool
    size: float
    every: int  # every n-th microbatch without a label is solid; 0: none
    lost: int = 0  # labels of microbatches that do not fit


def plan(timeline: Timeline, frame: Frame, options: ChartOptions) -> Cells:
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
        return Cells(True, TINY, every)
    for size in (8.5, 8.0, 7.5, TINY):
        digit = text_width("0", size) if frame.height >= size + 2 else math.inf
        if all(longest[sort] * digit + AROUND <= narrowest[sort] for sort in longest):
            return Cells(False, size, options.every)
    heights = {row: _room_for_text(row, frame.height) for row in (0, 1, 2)}
    labelled = (span for span in timeline.spans if span.microbatch >= 0 and span.label)
    lost = len(
        [
            span
            for span in labelled
            if placed(span.label, (span.end - span.start) * scale, heights[span.row], TINY) is None
        ]
    )
    return Cells(False, TINY, every if lost and most > 4 else options.every, lost)


_width = lru_cache(maxsize=4096)(text_width)


def _room_for_text(row: int, height: float) -> float:
    return height if row == 0 else height / 2 - (BAR if row == 2 else 0)


@dataclass(frozen=True, slots=True)
class _CellLabel:
    """A label as it is drawn. half_width, half_height: half the size of its ink, in points."""

    text: str
    rotated: bool
    half_width: float
    half_height: float


@lru_cache(maxsize=4096)
def placed(label: str, width: float, height: float, size: float) -> _CellLabel | None:
    """A label in a cell of this size in points: horizontal if it fits, else rotated upwards; None if neither fits."""
    if not label:
        return None
    long, high = _width(label, size), CAPITALS * size
    if long + AROUND <= width and high + AROUND <= height:
        return _CellLabel(label, False, long / 2, high / 2)
    if high + BESIDE <= width and long + AROUND + BAR <= height:
        return _CellLabel(label, True, high / 2, long / 2)
    return None


def _typical_width(timeline: Timeline) -> float:
    """The median length of a span, in time."""
    lengths = sorted(span.end - span.start for span in timeline.spans)
    return lengths[len(lengths) // 2] if lengths else math.inf


def _box(span: Span, top: float, frame: Frame) -> Bounds:
    y = top + span.lane * frame.pitch
    upper = y + (frame.height / 2 if span.row == 2 else 0)
    lower = y + (frame.height / 2 if span.row == 1 else frame.height)
    return (frame.x(span.start), upper, frame.x(span.end), lower)


def draw_idle(
    canvas: Canvas, timeline: Timeline, plan: Cells, top: float, frame: Frame, options: ChartOptions
) -> None:
    boxes: dict[CellLook, list[Bounds]] = defaultdict(list)
    rests = any(gap.kind == "beside" for gap in timeline.idle)
    for gap in timeline.idle:
        box = _box(gap, top, frame)
        if gap.kind == "beside" or (rests and box[2] - box[0] < FAINT):
            look = looks.IDLE["beside"]
        else:
            look = looks.IDLE[gap.kind] if options.classes else looks.BUBBLE
        if not (plan.as_shares and box[2] - box[0] < HAIRLINE):  # shorter gaps are part of the shares
            boxes[look].append(box)
    for look, same in boxes.items():
        draw_boxes(canvas, same, look, 0.0, 0.0)


def draw_cells(
    canvas: Canvas, timeline: Timeline, plan: Cells, top: float, frame: Frame, critical: bool = False
) -> None:
    """Draw the cells, then the critical path, then the labels, so that no line lies on a digit."""
    boxes: dict[CellLook, list[Bounds]] = defaultdict(list)
    texts: list[tuple[Bounds, _CellLabel]] = []
    typical = _typical_width(timeline) * (frame.x(1) - frame.left)
    for span in timeline.spans:
        look, box = looks.of(span.kind), _box(span, top, frame)
        room = _clear(box, look) if span.row else box
        label = placed(span.label, box[2] - box[0], room[3] - room[1], plan.size)
        if plan.every and label is None and span.microbatch >= 0 and span.microbatch % plan.every == 0:
            look = CellLook(look.label, look.line, look.line)
        elif span.chunk % 2:
            look = CellLook(look.label, PAPER, look.line, bar=look.bar)
        boxes[look].append(box)
        if label is not None:
            texts.append((room, label))
    outline = min(0.9, typical * 0.1)
    for look, same in boxes.items():
        draw_boxes(canvas, same, look, outline, min(BAR, 0.12 * frame.height))
    if critical:
        _draw_critical(canvas, timeline, top, frame, [_ink(box, label) for box, label in texts])
    for box, label in texts:
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        if label.rotated:
            canvas.rotated(x + CAPITALS * plan.size / 2, y, label.text, 90, size=plan.size)
        else:
            canvas.text(x, y, label.text, plan.size, align="center")


def _ink(box: Bounds, label: _CellLabel) -> Bounds:
    """Where the characters of a label lie."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return (x - label.half_width, y - label.half_height, x + label.half_width, y + label.half_height)


def _clear(box: Bounds, look: CellLook) -> Bounds:
    """The part of a half-height cell that its bar does not cover."""
    left, top, right, bottom = box
    return (left, top, right, bottom - BAR) if look.bar == "foot" else box


def draw_shares(canvas: Canvas, timeline: Timeline, plan: Cells, top: float, frame: Frame) -> None:
    """Draw each kind's share of every stretch, stacked from the top, and the start of every n-th microbatch."""
    hairline = HAIRLINE * frame.end / (frame.right - frame.left)
    boxes: dict[CellLook, list[Bounds]] = defaultdict(list)
    for stretch in shares(timeline, hairline):
        y = top + stretch.lane * frame.pitch
        left, right = frame.x(stretch.start), frame.x(stretch.end)
        for kind, share in stretch.parts:
            look = _SHARED_IDLE.get(kind) or looks.of(kind)
            boxes[look].append((left, y, right, y + share * frame.height))
            y += share * frame.height
    for look, same in boxes.items():
        canvas.boxes(same, look.fill, look.line if look.hatch else None, hatch=look.hatch)
    ticks: dict[str, list[Bounds]] = defaultdict(list)
    for span in timeline.spans:
        if span.microbatch >= 0 and span.microbatch % plan.every == 0 and span.kind != "backward_weight":
            x, y = frame.x(span.start), top + span.lane * frame.pitch
            ticks[looks.of(span.kind).line].append((x, y, x + HAIRLINE, y + frame.height))
    for colour, starts in ticks.items():
        canvas.boxes(starts, colour)


def draw_critical(canvas: Canvas, timeline: Timeline, top: float, frame: Frame) -> None:
    """Outline the critical path of a panel without labels."""
    _draw_critical(canvas, timeline, top, frame, [])


def _draw_critical(
    canvas: Canvas, timeline: Timeline, top: float, frame: Frame, labels: Sequence[Bounds]
) -> None:
    """Outline the spans of the critical path, and connect them where it changes lanes, beside the labels."""
    path = [timeline.spans[index] for index in timeline.critical]
    for span, after in pairwise(path):
        if span.lane != after.lane:
            canvas.line(_joined(span, after, top, frame, labels), ACCENT, 1.4)
    for box in (_box(span._replace(row=0), top, frame) for span in path):
        corners = [(box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3]), (box[0], box[1])]
        canvas.line(corners, ACCENT, 1.4 if frame.pitch > 12 else 0.9)


def _joined(
    span: Span, after: Span, top: float, frame: Frame, labels: Sequence[Bounds]
) -> list[tuple[float, float]]:
    """A line from the end of one span to the start of another span on another lane.

    It runs between the lanes, and crosses each lane on its way where there is no label.
    """
    here, there = (_box(end._replace(row=0), top, frame) for end in (span, after))
    turn = 1 if after.lane > span.lane else -1
    beside = turn * (frame.pitch - frame.height) / 2
    x = here[2]
    points = [(x, here[3] if turn > 0 else here[1])]
    for lane in range(span.lane + turn, after.lane, turn):
        upper = top + lane * frame.pitch
        lane_labels = [box for box in labels if box[3] > upper and box[1] < upper + frame.height]
        places = (here[2] + step * (-1) ** step // 2 * 0.75 for step in range(60))
        x, before = (
            min(places, key=lambda x: sum(box[0] - CLEAR < x < box[2] + CLEAR for box in lane_labels)),
            x,
        )
        enters = (upper if turn > 0 else upper + frame.height) - beside
        points += [(before, enters), (x, enters)]
    last = there[1] if turn > 0 else there[3]
    return [*points, (x, last - beside), (there[0], last - beside), (there[0], last)]
