"""The inside of a Gantt panel as `density` planned it: idle time, cells, shares or areas, and the critical path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from figmill_timelines.charts import areas, legends, looks
from figmill_timelines.charts.areas import LaneArea
from figmill_timelines.charts.canvas import PAPER, Bounds, Canvas, PagePoint, text_width
from figmill_timelines.charts.density import (
    BAR,
    BORDERED,
    CAPITALS,
    HAIRLINE,
    NUMBERED,
    Cells,
    cell_look,
    is_landmark,
    is_pass,
    placed,
)
from figmill_timelines.charts.layout import ChartOptions, Frame
from figmill_timelines.charts.legends import ACCENT, draw_boxes
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.charts.shares import shares
from figmill_timelines.spans import Span, Timeline

FAINT = 0.3  # points; a gap this narrow in a thin idle line would only make it look dotted
SLIVER = 2.2  # points; a narrower gap of a device has a tick above its lanes
DIVIDED = 3.0  # points: 4 px; the narrowest cell with a hairline between it and its neighbour in an area
JOINT = 0.4  # points; the width of that hairline
PARTED = 0.75  # points; the width of the line between two solid cells
SIDE = 0.15  # of a narrow cell's width: its border at each side
TOUCHING = 1.0  # points; the critical path is interrupted where it comes nearer to a label

_SHARED_IDLE = {"idle": looks.BUBBLE, "beside": looks.IDLE["beside"]}  # parts of a stretch that are not work


def _box(span: Span, top: float, frame: Frame) -> Bounds:
    y = top + span.lane * frame.pitch
    upper = y + (frame.height / 2 if span.row == 2 else 0)
    lower = y + (frame.height / 2 if span.row == 1 else frame.height)
    return (frame.x(span.start), upper, frame.x(span.end), lower)


def draw(
    canvas: Canvas, timeline: Timeline, plan: Cells, top: float, frame: Frame, options: ChartOptions
) -> None:
    """Draw a panel's spans and idle time, and its critical path if asked for."""
    if plan.style == "areas":
        _draw_areas(canvas, timeline, plan, top, frame)
    else:
        _draw_idle(canvas, timeline, plan, top, frame, options)
    if plan.style == "cells":
        _draw_cells(canvas, timeline, plan, top, frame, options.critical, options.runs)
        return
    if plan.style == "shares":
        _draw_shares(canvas, timeline, plan, top, frame)
    if options.critical:
        _draw_critical(canvas, timeline, top, frame, [])


def _draw_idle(
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
        if not (plan.style == "shares" and box[2] - box[0] < HAIRLINE):  # shorter gaps are part of the shares
            boxes[look].append(box)
    for look, same in boxes.items():
        draw_boxes(canvas, same, look, 0.0, 0.0)
    if rests:
        idle = {box[0]: box[2] for look, same in boxes.items() if look.hatch for box in same}
        slivers = [(left + right) / 2 for left, right in idle.items() if FAINT <= right - left < SLIVER]
        canvas.lines([[(x, top - 6), (x, top - 1)] for x in slivers], looks.BUBBLE.line, 1.2)


def _draw_cells(
    canvas: Canvas,
    timeline: Timeline,
    plan: Cells,
    top: float,
    frame: Frame,
    critical: bool,
    ticked: Collection[str],
) -> None:
    """Draw the cells, then the critical path, then the labels, so that no line lies on a digit."""
    boxes: dict[CellLook, list[Bounds]] = defaultdict(list)
    joined: dict[CellLook, list[Bounds]] = defaultdict(list)  # cells that continue an area
    texts: list[tuple[Bounds, str]] = []
    narrow: dict[
        tuple[int, int], CellLook
    ] = {}  # lane, row -> the style of its last cell, if that may run on
    for span, style in _styles(timeline, plan):
        box = _box(span, top, frame)
        last = boxes[style][-1] if narrow.get((span.lane, span.row)) == style else None
        is_numbered = box[2] - box[0] >= NUMBERED and not (plan.landmarks and is_pass(span))
        if is_numbered or span.kind in looks.COUNTED:
            narrow.pop((span.lane, span.row), None)
        else:
            narrow[span.lane, span.row] = style
        beside = last and last[1::2] == box[1::2] and box[0] - last[2] < FAINT / 10
        if last and beside and (span.lane, span.row) in narrow:
            boxes[style][-1] = (*last[:2], *box[2:])
            if span.kind not in ticked and style.fill != style.line:  # a solid cell would hide the hairline
                joined[style].append(box)
        else:
            boxes[style].append(box)
        room = _clear(box, style, plan.outline) if span.row else box
        fits = placed(span.label, box[2] - box[0], room[3] - room[1], plan.size)
        if fits and (plan.numbers or not is_pass(span)):
            texts.append((room, span.label))
    bar = min(BAR, 0.12 * frame.height)
    for style, same in boxes.items():
        wide = [box for box in same if style.hatch or box[2] - box[0] >= BORDERED]
        draw_boxes(canvas, wide, style, plan.outline, bar)
    for style, same in boxes.items():  # over the borders beside them
        if not style.hatch:
            narrow_boxes = [box for box in same if box[2] - box[0] < BORDERED]
            _draw_narrow(canvas, narrow_boxes, style, plan.outline, bar)
    _divide(canvas, joined)
    _part(canvas, boxes)
    for kind in ticked:
        for run in runs(timeline, top, frame, kind):
            _draw_run(canvas, run, looks.of(kind).line)
    if critical:
        _draw_critical(canvas, timeline, top, frame, [_ink(box, label, plan.size) for box, label in texts])
    for box, label in texts:
        canvas.text((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, label, plan.size, align="center")


def _divide(canvas: Canvas, joined: Mapping[CellLook, Sequence[Bounds]]) -> None:
    """Draw a hairline before each cell that continues an area, if the usual cell of each style has room for one."""
    if all(median(box[2] - box[0] for box in same) >= DIVIDED for same in joined.values()):
        for look, same in joined.items():
            wide = [box for box in same if box[2] - box[0] >= DIVIDED]
            canvas.lines([[(left, top), (left, bottom)] for left, top, _, bottom in wide], look.line, JOINT)


def _part(canvas: Canvas, boxes: Mapping[CellLook, Sequence[Bounds]]) -> None:
    """Draw a line in the page's colour between solid cells that touch: they would look like one cell."""
    for look, same in boxes.items():
        if look.fill != look.line:
            continue
        before: dict[float, list[Bounds]] = defaultdict(list)
        for box in same:
            before[round(box[2], 3)].append(box)
        canvas.lines(
            [
                [(left, max(top, upper)), (left, min(bottom, lower))]
                for left, top, _, bottom in same
                for _, upper, _, lower in before[round(left, 3)]
                if upper < bottom and top < lower
            ],
            PAPER,
            PARTED,
        )


def runs(timeline: Timeline, top: float, frame: Frame, kind: str) -> list[list[Bounds]]:
    """The narrow cells of a kind that run together, at least two in each run."""
    runs: list[list[Bounds]] = []
    last: dict[int, list[Bounds]] = {}  # lane -> its run, if that may go on
    for span in timeline.spans:
        box = _box(span, top, frame)
        run = last.get(span.lane)
        if span.kind != kind or box[2] - box[0] >= NUMBERED:
            last.pop(span.lane, None)
        elif run and box[0] - run[-1][2] < FAINT / 10:
            run.append(box)
        else:
            last[span.lane] = [box]
            runs.append(last[span.lane])
    return [run for run in runs if len(run) > 1]


def _draw_run(canvas: Canvas, run: Sequence[Bounds], colour: str) -> None:
    """Draw a tick at the foot between each two cells."""
    _, upper, _, lower = run[0]
    foot = lower - legends.TICK * (lower - upper)
    canvas.lines([[(box[0], foot), (box[0], lower)] for box in run[1:]], colour, 0.7)


def _styles(timeline: Timeline, plan: Cells) -> Iterator[tuple[Span, CellLook]]:
    """Each span with its style. Kinds that look the same share a style, so that they run together.

    If both halves of a pair look the same, their bar is at the edge of the lane, as in an undivided cell.
    """
    styles = [replace(cell_look(span, plan), label="") for span in timeline.spans]
    halves = {
        (span.lane, span.row, span.start, span.end, style)
        for span, style in zip(timeline.spans, styles, strict=True)
        if span.row
    }
    for span, style in zip(timeline.spans, styles, strict=True):
        if style.bar and (span.lane, 3 - span.row, span.start, span.end, style) in halves:
            edge = "head" if span.row == 1 else "foot"
            yield span, replace(style, bar=edge if style.bar in (edge, "both") else None)
        else:
            yield span, style


def _draw_narrow(canvas: Canvas, boxes: Sequence[Bounds], look: CellLook, outline: float, bar: float) -> None:
    """Draw cells with the marks of wider ones of their style. Their side borders lie inside, and are thinner."""
    edge = outline / 2
    head = bar if look.bar in ("head", "both") else edge
    foot = bar if look.bar in ("foot", "both") else edge
    canvas.boxes([(left, top - edge, right, bottom + edge) for left, top, right, bottom in boxes], look.line)
    inner: list[Bounds] = []
    for left, top, right, bottom in boxes:
        side = min(outline, SIDE * (right - left))
        inner.append((left + side, top + head, right - side, bottom - foot))
    canvas.boxes(inner, look.fill)


def _ink(box: Bounds, label: str, size: float) -> Bounds:
    """Where the characters of a label lie."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    across, up = text_width(label, size) / 2, CAPITALS * size / 2
    return (x - across, y - up, x + across, y + up)


def _clear(box: Bounds, look: CellLook, outline: float) -> Bounds:
    """The part of a half of a lane that its bars and its border do not cover: the label's."""
    left, top, right, bottom = box
    head = BAR if look.bar in ("head", "both") else outline / 2
    foot = BAR if look.bar in ("foot", "both") else outline / 2
    return (left, top + head, right, bottom - foot)


def _draw_areas(canvas: Canvas, timeline: Timeline, plan: Cells, top: float, frame: Frame) -> None:
    """Draw the areas as polygons, and the way of each landmark from lane to lane."""
    shapes: dict[CellLook, list[list[PagePoint]]] = defaultdict(list)
    for chain in areas.polygons(plan.areas):
        if chain[0].kinds in plan.styles:
            shapes[plan.styles[chain[0].kinds]].append(_outline(chain, top, frame))
    for look, same in shapes.items():
        canvas.areas(same, look.fill, look.line, look.edge or 0.0, look.dash, look.hatch)
    for colour, pieces in _ways(timeline, plan, top, frame).items():
        canvas.lines(pieces, colour, 1.1)


def _outline(chain: Sequence[LaneArea], top: float, frame: Frame) -> list[PagePoint]:
    """The corners of a polygon: down its right side, and up its left one."""
    right = [
        (frame.x(area.end), top + (area.lane + lower) * frame.pitch) for area in chain for lower in (0, 1)
    ]
    left = [
        (frame.x(area.start), top + (area.lane + lower) * frame.pitch)
        for area in reversed(chain)
        for lower in (1, 0)
    ]
    return [*right, *left]


def _ways(timeline: Timeline, plan: Cells, top: float, frame: Frame) -> Mapping[str, list[list[PagePoint]]]:
    """Lines through the starts of each landmark's spans, as long as each is on a lane beside the last."""
    rows: dict[tuple[str, int], list[Span]] = defaultdict(list)
    for span in timeline.spans:
        if is_landmark(span, plan):
            rows[span.kind, span.microbatch].append(span)
    pieces: dict[str, list[list[PagePoint]]] = defaultdict(list)
    for (kind, _), spans in rows.items():
        last = -9
        for span in sorted(spans, key=lambda span: (span.chunk, span.stage, span.lane)):
            point = (frame.x(span.start), top + (span.lane + 0.5) * frame.pitch)
            if abs(span.lane - last) == 1:
                pieces[looks.of(kind).line][-1].append(point)
            else:
                pieces[looks.of(kind).line].append([point])
            last = span.lane
    return {colour: [piece for piece in same if len(piece) > 1] for colour, same in pieces.items()}


def _draw_shares(canvas: Canvas, timeline: Timeline, plan: Cells, top: float, frame: Frame) -> None:
    """Draw each kind's share of every stretch, stacked from the top, and the start of every landmark."""
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
        if is_landmark(span, plan):
            x, y = frame.x(span.start), top + span.lane * frame.pitch
            ticks[looks.of(span.kind).line].append((x, y, x + HAIRLINE, y + frame.height))
    for colour, starts in ticks.items():
        canvas.boxes(starts, colour)


def _height_of_path(span: Span, top: float, frame: Frame) -> float:
    """Where the critical path runs through a cell: above its number, or between the two halves of a pair."""
    share = 0.5 if span.row or frame.height < 14 else 0.17
    return top + span.lane * frame.pitch + share * frame.height


def _draw_critical(
    canvas: Canvas, timeline: Timeline, top: float, frame: Frame, labels: Sequence[Bounds]
) -> None:
    """Draw the critical path as a line through its cells, which changes lanes beside the labels.

    It is dashed where it passes lanes of others.
    """
    path = [timeline.spans[index] for index in timeline.critical]
    if not path:
        return
    width = 1.6 if frame.pitch > 12 else 0.9
    points = [(frame.x(path[0].start), _height_of_path(path[0], top, frame))]
    for span, after in pairwise(path):
        points.append((frame.x(span.end), _height_of_path(span, top, frame)))
        way = _joined(span, after, top, frame, labels) if span.lane != after.lane else []
        start = (frame.x(after.start), _height_of_path(after, top, frame))
        if abs(span.lane - after.lane) > 1:
            canvas.line(points, ACCENT, width)
            for piece in _interrupted([points[-1], *way, start], labels):
                canvas.line(piece, ACCENT, width, (2, 1.5))
            points = [start]
        else:
            points += [*way, start]
    points.append((frame.x(path[-1].end), _height_of_path(path[-1], top, frame)))
    canvas.line(points, ACCENT, width)


def _joined(span: Span, after: Span, top: float, frame: Frame, labels: Sequence[Bounds]) -> list[PagePoint]:
    """The corners of a line from the end of one span to the start of another span on another lane.

    It crosses the lanes on its way between the times of the two spans.
    """
    here, there = (_box(end._replace(row=0), top, frame) for end in (span, after))
    turn = 1 if after.lane > span.lane else -1
    beside = turn * (frame.pitch - frame.height) / 2
    x = here[2]
    points = [(x, here[3] if turn > 0 else here[1])]
    for lane in range(span.lane + turn, after.lane, turn):
        upper = top + lane * frame.pitch
        lane_labels = [box for box in labels if box[3] > upper and box[1] < upper + frame.height]
        before, x = x, _crossing((here[2], there[0]), lane_labels)
        enters = (upper if turn > 0 else upper + frame.height) - beside
        points += [(before, enters), (x, enters)]
    last = there[1] if turn > 0 else there[3]
    return [*points, (x, last - beside), (there[0], last - beside), (there[0], last)]


def _crossing(between: tuple[float, float], labels: Sequence[Bounds]) -> float:
    """Where a line crosses a lane: between these two places, as far from labels as it can."""
    places = [between[0] + share * (between[1] - between[0]) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    return max(places, key=lambda x: min((max(box[0] - x, x - box[2], 0.0) for box in labels), default=0.0))


def _interrupted(line: Sequence[PagePoint], labels: Sequence[Bounds]) -> list[list[PagePoint]]:
    """The pieces of a line of horizontal and vertical parts that touch no label."""
    pieces: list[list[PagePoint]] = [[line[0]]]
    for (x, y), (u, v) in pairwise(line):
        if x == u:
            turn = 1 if v > y else -1
            touched = [
                (box[1] - TOUCHING, box[3] + TOUCHING)
                for box in labels
                if box[0] - TOUCHING < x < box[2] + TOUCHING and box[3] > min(y, v) and box[1] < max(y, v)
            ]
            for edges in sorted(touched, reverse=turn < 0):
                pieces[-1].append((x, edges[turn < 0]))
                pieces.append([(x, edges[turn > 0])])
        pieces[-1].append((u, v))
    return pieces
