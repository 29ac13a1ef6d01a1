"""Messages between processes over time: lanes, an arrow for each message, labels beside.

Time is to scale, and runs down or to the right. The figure grows until every label has a place of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from matplotlib.figure import Figure

from figmill_timelines.charts.canvas import (
    BODY,
    INK,
    QUIET,
    SMALL,
    TINY,
    Canvas,
    PagePoint,
    TableCell,
    text_width,
    wrapped,
)
from figmill_timelines.charts.gantt import ticks
from figmill_timelines.charts.legends import draw_boxes
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.charts.table_rows import unit_of
from figmill_timelines.palette import role
from figmill_timelines.plots import key_list, page
from figmill_timelines.plots.labels import LabelledPage, PageSegment, Patch
from figmill_timelines.quantities import significant

LOST, LOST_INK = role("error").line, role("error").ink
LANE = role("neutral").line
PAIR, PAIR_DASH = role("accent").line, (1.5, 1.5)
DOT, PAIR_DOT = 3.4, 4.6  # the size of a moment, and of one of a pair
BAR = 9.0  # the width of a state on its lane, in points
NEAR = 6.5  # distance from a lane to its labels
WIDEST = 96.0  # a row of a label at a lane
STEEPEST = 32.0  # degrees; labels of steeper arrows are horizontal
LONGEST, LEAST = 660.0, 7.0  # points: the length of the axis of time; the distance of two moments of one lane
LOST_AT = 0.62  # the share of its way after which a lost message ends
BESIDE_PAIR = 4.0  # from the line of a pair to what keeps its labels off
# the distances of an arrow's label from other lines and from labels, where there is room
APART, ASIDE = 11.0, 7.0
GAPS = (50.0, 62.0, 76.0, 92.0, 110.0)  # distances of lanes one above the other


@dataclass(frozen=True, slots=True)
class MessageArrow:
    """An arrow from lane to lane.

    - lost: it never arrives; `end` is when it would.
    """

    source: int
    target: int
    start: float
    end: float
    label: str = ""
    kind: int = 0  # an index into the strokes of the chart
    lost: bool = False


@dataclass(frozen=True, slots=True)
class EventMark:
    """A moment of a lane.

    - label: what happens.
    - clock: a small label.
    """

    lane: int
    time: float
    label: str = ""
    clock: str = ""


@dataclass(frozen=True, slots=True)
class StateBar:
    """A stretch of a lane, as a bar in a style.

    - note: a text beside it, where there is room.
    """

    lane: int
    start: float
    end: float
    look: CellLook
    note: str = ""


@dataclass(frozen=True, slots=True)
class MarkedPair:
    """Two moments, (lane, time) of each, joined by a dotted line that the legend calls `label`."""

    label: str
    first: tuple[int, float]
    second: tuple[int, float]


@dataclass(frozen=True, slots=True)
class SequenceChart:
    """A chart of messages.

    - kinds: name and stroke of each kind of arrow.
    - axis: the name of the axis of time.
    - scale: a tick at t shows t x scale.
    - pair: two marks to look at.
    """

    lanes: tuple[str, ...]
    arrows: tuple[MessageArrow, ...]
    marks: tuple[EventMark, ...]
    states: tuple[StateBar, ...]
    kinds: tuple[tuple[str, tuple[str, tuple[float, ...]]], ...]
    axis: str
    end: float
    scale: float = 1.0
    pair: MarkedPair | None = None


@dataclass(frozen=True, slots=True)
class _SequenceFrame:
    """Where lanes and times lie on the page: places across, where time begins, the length of its axis."""

    lanes: tuple[float, ...]
    first: float
    length: float
    down: bool


@dataclass(frozen=True, slots=True)
class _ChartLabel:
    """A label and its place."""

    rows: tuple[str, ...]
    size: float
    colour: str
    patch: Patch


def draw(chart: SequenceChart, title: str, down: bool = True) -> Figure:
    """A figure of this chart. ValueError, with the label, if a label cannot be placed."""
    keys = [page.Key(name, None, *stroke) for name, stroke in chart.kinds if len(chart.kinds) > 1]
    if any(arrow.lost for arrow in chart.arrows):
        keys.append(page.Key("Lost", None, LOST, (3.0, 1.5)))
    if chart.pair:
        keys.append(page.Key(chart.pair.label, None, PAIR, PAIR_DASH))
    looks = dict.fromkeys(state.look for state in chart.states)
    keys += [page.Key(look.label, look) for look in looks]
    frames = list((_down if down else _right)(chart))
    for frame, height in frames:
        sheet = _LabelSheet(chart, frame, height)
        if not sheet.place():
            return _figure(chart, frame, height, sheet, title, keys)
    frame, height = frames[-1]
    sheet = _LabelSheet(chart, frame, height, may_number=True)
    if missing := sheet.place():
        raise ValueError(
            f"draw fewer messages: there is no place for the label '{missing}' between the lines"
        )
    return _figure(chart, frame, height, sheet, title, keys)


HEAD, AXIS, FOOT = 26.0, 44.0, 16.0  # names of lanes; labels of time; below the last moment


def _down(chart: SequenceChart) -> Iterator[tuple[_SequenceFrame, float]]:
    """Frames with time running down, from short to long; and their heights."""
    beside = {0: 30.0, len(chart.lanes) - 1: 30.0}
    for mark in chart.marks:
        if mark.lane in beside:
            need = max(text_width(row, SMALL) for row in [*wrapped(mark.label, WIDEST, SMALL), mark.clock])
            beside[mark.lane] = max(beside[mark.lane], need + NEAR + 4)
    ends = [text_width(chart.lanes[lane], BODY, bold=True) / 2 for lane in (0, len(chart.lanes) - 1)]
    left = page.MARGIN + AXIS + max(beside[0], ends[0])
    right = page.WIDTH - page.MARGIN - max(beside[len(chart.lanes) - 1], ends[1])
    each = (right - left) / max(1, len(chart.lanes) - 1)
    lanes = tuple(left + each * n for n in range(len(chart.lanes)))
    moments = {mark.time for mark in chart.marks}
    length = min(LONGEST, max(150.0, 27.0 * len(moments), _length(chart)))
    while True:
        yield _SequenceFrame(lanes, HEAD + 10, length, True), HEAD + 10 + length + FOOT
        if length >= LONGEST:
            return
        length = min(LONGEST, length * 1.12 + 8)


def _right(chart: SequenceChart) -> Iterator[tuple[_SequenceFrame, float]]:
    """Frames with time running to the right, with lanes ever further apart; and their heights."""
    first = page.MARGIN + max(text_width(name, BODY, bold=True) for name in chart.lanes) + 18
    for gap in GAPS:
        lanes = tuple(28 + gap * n for n in range(len(chart.lanes)))
        yield _SequenceFrame(lanes, first, page.WIDTH - page.MARGIN - 26 - first, False), lanes[-1] + 60


def _length(chart: SequenceChart) -> float:
    """The length of the axis at which any two moments of a lane are far enough apart."""
    apart = [
        after - before
        for lane in range(len(chart.lanes))
        for before, after in pairwise(sorted({mark.time for mark in chart.marks if mark.lane == lane}))
    ]
    return LEAST * chart.end / min(apart) if apart else 0.0


def _at(chart: SequenceChart, frame: _SequenceFrame, lane: float, time: float) -> PagePoint:
    """The place of a moment; lane may lie between two."""
    low = min(int(lane), len(frame.lanes) - 1)
    high = min(low + 1, len(frame.lanes) - 1)
    across = frame.lanes[low] + (lane - low) * (frame.lanes[high] - frame.lanes[low])
    along = frame.first + frame.length * time / chart.end
    return (across, along) if frame.down else (along, across)


def _ends(chart: SequenceChart, frame: _SequenceFrame, arrow: MessageArrow) -> PageSegment:
    start, end = _at(chart, frame, arrow.source, arrow.start), _at(chart, frame, arrow.target, arrow.end)
    if arrow.lost:
        end = (start[0] + LOST_AT * (end[0] - start[0]), start[1] + LOST_AT * (end[1] - start[1]))
    return start, end


def _pair(chart: SequenceChart, frame: _SequenceFrame) -> list[PageSegment]:
    """The line between the two marks of a pair, if there is one."""
    pair = chart.pair
    return [(_at(chart, frame, *pair.first), _at(chart, frame, *pair.second))] if pair else []


def _parallels(line: PageSegment, away: float) -> list[PageSegment]:
    """The lines at this distance at both sides of a line."""
    (x, y), (u, v) = line
    length = max(1e-9, math.hypot(u - x, v - y))
    across, down = away * (y - v) / length, away * (u - x) / length
    return [
        ((x + side * across, y + side * down), (u + side * across, v + side * down)) for side in (1.0, -1.0)
    ]


def _lane(chart: SequenceChart, frame: _SequenceFrame, lane: int) -> PageSegment:
    (x, y), (u, v) = _at(chart, frame, lane, 0.0), _at(chart, frame, lane, chart.end)
    return ((x, y - 8), (u, v + 8)) if frame.down else ((x - 8, y), (u + 8, v))


class _LabelSheet:
    """All labels with their places.

    - may_number: numbers, explained in a list, replace labels that cannot be placed.
    """

    def __init__(
        self, chart: SequenceChart, frame: _SequenceFrame, height: float, may_number: bool = False
    ) -> None:
        self.chart, self.frame, self.may_number = chart, frame, may_number
        lines = [_lane(chart, frame, lane) for lane in range(len(chart.lanes))]
        lines += [_ends(chart, frame, arrow) for arrow in chart.arrows]
        lines += [edge for line in _pair(chart, frame) for edge in _parallels(line, BESIDE_PAIR)]
        lines += [edge for state in chart.states for edge in _edges(chart, frame, state)]
        self.page = LabelledPage((page.MARGIN, 0.0, page.WIDTH - page.MARGIN, height), lines)
        self.written: list[_ChartLabel] = []
        self.numbers: dict[str, str] = {}

    def place(self) -> str:
        """Place the labels, those at lanes first: they can move least. Returns the first label without room, or ""."""
        for mark in self.chart.marks:
            at = _at(self.chart, self.frame, mark.lane, mark.time)
            for text, colour in ((mark.label, INK), (mark.clock, QUIET)):
                sizes = {
                    size: tuple(wrapped(text, WIDEST, size))
                    for size in (SMALL, TINY)[: 1 if colour == INK else 2]
                }
                if text and not (
                    any(
                        self._take(_beside(at, rows, size, self.frame.down), rows, size, colour)
                        for size, rows in sizes.items()
                    )
                    or self._number(text, lambda rows, at=at: _beside(at, rows, TINY, self.frame.down))  # type: ignore[misc]
                ):
                    return text
        for state in self.chart.states:
            if state.note:
                middle = _at(self.chart, self.frame, state.lane, (state.start + state.end) / 2)
                places = _beside(middle, (state.note,), SMALL, self.frame.down, BAR / 2 + NEAR)
                self._take(places, (state.note,), SMALL, INK)
        for arrow in self.chart.arrows:
            line, rows = _ends(self.chart, self.frame, arrow), (arrow.label,)
            if arrow.label and not (
                self._take(_along(line, arrow.label), rows, SMALL, LOST_INK if arrow.lost else INK, line)
                or self._number(arrow.label, lambda rows, line=line: _along(line, rows[0]))  # type: ignore[misc]
            ):
                return arrow.label
        return ""

    def _take(
        self,
        candidates: Iterable[Patch],
        rows: tuple[str, ...],
        size: float,
        colour: str,
        own: PageSegment | None = None,
    ) -> bool:
        """Place a text. own: the arrow that it names, from which no other line is as near, where there is room."""
        patch = None
        if own is not None:
            candidates = list(candidates)
            patch = self.page.place(candidates, label=ASIDE, own=own, apart=APART)
        patch = patch or self.page.place(candidates)
        if patch is not None:
            self.written.append(_ChartLabel(rows, size, colour, patch))
        return patch is not None

    def _number(self, text: str, candidates: Callable[[tuple[str, ...]], Iterable[Patch]]) -> bool:
        if not self.may_number:
            return False
        number = self.numbers.get(text, str(len(self.numbers) + 1))
        if not self._take(candidates((number,)), (number,), TINY, INK):
            return False
        self.numbers[text] = number
        return True


def _size(rows: Sequence[str], size: float) -> tuple[float, float]:
    """The width and the height of a text, from the top of its capitals to its descenders."""
    return max(text_width(row, size) for row in rows), 0.94 * size + (len(rows) - 1) * (size + 2)


def _beside(
    at: PagePoint, rows: Sequence[str], size: float, down: bool, near: float = NEAR
) -> Iterator[Patch]:
    """Places for a label at a moment of a lane: beside it, then farther and farther along the lane, first
    towards what is later.

    near: the distance from the lane.
    """
    width, height = _size(rows, size)
    for step in (0.0, 5.0, -5.0, 9.0, -9.0, 13.0, -13.0, 17.0, -17.0, 22.0, -22.0, 28.0, -28.0):
        for shift in (0.0,) if down else (0.0, 0.5, -0.5):
            for side in (1.0, -1.0):
                if down:
                    yield Patch(at[0] + side * (near + width / 2), at[1] + step, width, height)
                else:
                    away = -side * (near + height / 2)
                    yield Patch(at[0] + step + shift * (width + 4), at[1] + away, width, height)


def _along(line: PageSegment, label: str) -> Iterator[Patch]:
    """Places for a label along an arrow, over it and under it: rotated with it, or horizontal if it is steep."""
    (x, y), (u, v) = line
    width, height = _size((label,), SMALL)
    degrees = math.degrees(math.atan2(y - v, u - x))
    slope = (degrees + 90) % 180 - 90  # so that no text is upside down
    length = max(1e-9, math.hypot(u - x, v - y))
    across, down = -(v - y) / length, (u - x) / length
    if down > 0:
        across, down = -across, -down  # first above the line
    is_rotated = abs(slope) <= STEEPEST
    reach = height / 2 + 3.0 if is_rotated else abs(across) * width / 2 + abs(down) * height / 2 + 3.5
    for step in range(23):
        share = 0.5 + 0.04 * (-1) ** step * ((step + 1) // 2)
        for side in (1.0, -1.0):
            middle = x + share * (u - x) + side * reach * across, y + share * (v - y) + side * reach * down
            yield Patch(*middle, width, height, slope if is_rotated else 0.0)


def _edges(chart: SequenceChart, frame: _SequenceFrame, state: StateBar) -> list[PageSegment]:
    """The long edges of a state's bar."""
    (x, y), (u, v) = _at(chart, frame, state.lane, state.start), _at(chart, frame, state.lane, state.end)
    half = BAR / 2
    if frame.down:
        return [((x - half, y), (u - half, v)), ((x + half, y), (u + half, v))]
    return [((x, y - half), (u, v - half)), ((x, y + half), (u, v + half))]


def _figure(
    chart: SequenceChart,
    frame: _SequenceFrame,
    height: float,
    sheet: _LabelSheet,
    title: str,
    keys: Sequence[page.Key],
) -> Figure:
    explained = [(number, text) for text, number in sheet.numbers.items()]
    room = page.WIDTH - 2 * page.MARGIN
    canvas, top = page.start(title, keys, height + 4 + key_list.height(explained, room))
    key_list.draw(canvas, explained, page.MARGIN, top + height + 2, room)

    def moved(point: PagePoint) -> PagePoint:
        return point[0], point[1] + top

    for lane, name in enumerate(chart.lanes):
        start, end = _lane(chart, frame, lane)
        canvas.line([moved(start), moved(end)], LANE, 1.1)
        if frame.down:
            canvas.text(start[0], top + HEAD / 2 - 4, name, BODY, bold=True, align="center")
        else:
            canvas.text(start[0] - 6, start[1] + top, name, BODY, bold=True, align="right")
    for state in chart.states:
        (a, _), (_, d) = _edges(chart, frame, state)
        (left, upper), (right, lower) = moved(a), moved(d)
        draw_boxes(canvas, [(left, upper, right, lower)], state.look, 0.8, 0.0)
    _draw_time(canvas, chart, frame, top, height)
    ends = [_ends(chart, frame, arrow) for arrow in chart.arrows]
    _draw_arrows(canvas, chart, [(moved(start), moved(end)) for start, end in ends])
    if chart.marks:
        canvas.dots([moved(_at(chart, frame, mark.lane, mark.time)) for mark in chart.marks], QUIET, DOT)
    for start, end in _pair(chart, frame):
        canvas.line([moved(start), moved(end)], PAIR, 1.4, PAIR_DASH)
        canvas.dots([moved(start), moved(end)], PAIR, PAIR_DOT)
    for label in sheet.written:
        _write(canvas, label, top)
    _describe(canvas, chart)
    return canvas.figure


def _describe(canvas: Canvas, chart: SequenceChart) -> None:
    """Describe the messages, and the events of each lane, for readers who cannot see the chart."""
    unit = unit_of(chart.axis)
    for arrow in sorted(chart.arrows, key=lambda arrow: (arrow.start, arrow.source)):
        ends: dict[str, TableCell] = {
            f"sent{unit}": arrow.start * chart.scale,
            f"arrives{unit}": "lost" if arrow.lost else arrow.end * chart.scale,
        }
        canvas.tell(
            "Messages",
            [
                {
                    "from": chart.lanes[arrow.source],
                    "to": chart.lanes[arrow.target],
                    "message": arrow.label or None,
                    **ends,
                }
            ],
        )
    for mark in sorted(chart.marks, key=lambda mark: (mark.time, mark.lane)):
        if mark.label:
            row: dict[str, TableCell] = {
                "lane": chart.lanes[mark.lane],
                f"time{unit}": mark.time * chart.scale,
            }
            canvas.tell("Events", [{**row, "event": mark.label}])


def _draw_time(
    canvas: Canvas, chart: SequenceChart, frame: _SequenceFrame, top: float, height: float
) -> None:
    most = max(2, int(frame.length / (24 if frame.down else 48)))
    shown = _moments(chart, min(10, most)) or ticks(chart.end * chart.scale, min(10, most))
    for tick in shown:
        x, y = _at(chart, frame, 0, tick / chart.scale)
        text = significant(tick, 6)
        if frame.down:
            canvas.text(page.MARGIN + 26, top + y, text, SMALL, QUIET, align="right")
            canvas.line([(page.MARGIN + 30, top + y), (page.MARGIN + 34, top + y)], QUIET, 0.7)
        else:
            base = top + height - 34
            canvas.line([(x, base), (x, base + 4)], QUIET, 0.7)
            canvas.text(x, base + 11, text, SMALL, QUIET, align="center")
    if frame.down:
        canvas.text(page.MARGIN, top + HEAD / 2 - 4, chart.axis, SMALL, QUIET)
    else:
        middle = frame.first + frame.length / 2
        canvas.text(middle, top + height - 9, chart.axis, SMALL, QUIET, align="center")


def _moments(chart: SequenceChart, most: int) -> list[float]:
    """The moments of all marks in equal steps from 0, if they lie in at most so many; otherwise nothing."""
    moments = sorted({mark.time * chart.scale for mark in chart.marks} | {0.0, chart.end * chart.scale})
    step = min((after - before for before, after in pairwise(moments)), default=0.0)
    if step <= 0 or moments[-1] > step * most * (1 + 1e-9):
        return []
    count = round(moments[-1] / step)
    is_even = all(abs(moment / step - round(moment / step)) < 1e-6 for moment in moments)
    return [n * step for n in range(count + 1)] if is_even else []


def _draw_arrows(canvas: Canvas, chart: SequenceChart, ends: Sequence[PageSegment]) -> None:
    drawn = list(zip(chart.arrows, ends, strict=True))
    for kind, (_, (colour, dash)) in enumerate(chart.kinds):
        parts = [_arrow(*line) for arrow, line in drawn if arrow.kind == kind and not arrow.lost]
        canvas.lines([shaft for shaft, _ in parts], colour, 1.2, dash)
        canvas.areas([head for _, head in parts], colour)
    lost = [line for arrow, line in drawn if arrow.lost]
    canvas.lines(lost, LOST, 1.2, (3.0, 1.5))
    crosses = [
        [(x - 3.2, y + side * 3.2), (x + 3.2, y - side * 3.2)] for _, (x, y) in lost for side in (1.0, -1.0)
    ]
    canvas.lines(crosses, LOST, 1.5)


def _arrow(start: PagePoint, end: PagePoint) -> tuple[list[PagePoint], list[PagePoint]]:
    """The shaft and the head of an arrow between two dots."""
    length = math.hypot(end[0] - start[0], end[1] - start[1])
    dx, dy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    tip = (end[0] - DOT / 2 * dx, end[1] - DOT / 2 * dy)
    foot = (tip[0] - 6.0 * dx, tip[1] - 6.0 * dy)
    side = (-dy * 2.5, dx * 2.5)
    head = [tip, (foot[0] + side[0], foot[1] + side[1]), (foot[0] - side[0], foot[1] - side[1])]
    return [start, foot], head


def _write(canvas: Canvas, label: _ChartLabel, top: float) -> None:
    patch, size = label.patch, label.size
    if patch.degrees:
        # Descenders move the baseline above the position that centres capitals alone.
        turn = math.radians(patch.degrees)
        drop = 0.25 * size
        x, y = patch.x + drop * math.sin(turn), patch.y + drop * math.cos(turn)
        canvas.rotated(x, y + top, label.rows[0], patch.degrees, label.colour, size)
        return
    first = patch.y - patch.height / 2 + 0.36 * size
    for number, row in enumerate(label.rows):
        middle = top + first + number * (size + 2)
        canvas.text(patch.x, middle, row, size, label.colour, align="center")
