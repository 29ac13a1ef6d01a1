"""A network as blocks from top to bottom, the shape of what flows on the arrows, and a table of weights beside them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from figmill_timelines.charts.canvas import BODY, INK, PAPER, QUIET, SMALL, TINY, Canvas, text_width, wrapped
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.palette import GRID, role
from figmill_timelines.plots import page
from figmill_timelines.quantities import amount, tenths

LEFT, RIGHT = 52.0, 192.0  # the left and right edge of a block
TABLE, ALL = 212.0, 360.0  # where the weights begin, and where their numbers end
BARS, LONGEST = 368.0, 144.0  # where shares begin as bars, and the longest bar
EDGE = page.WIDTH - page.MARGIN
ALL_ROOM = 64.0  # room for numbers
HEAD, FOOT = 26.0, 34.0  # above the first arrow; the total
JOIN = 17.0  # the height of a sum
BACK = 38.0  # where the line runs that passes a few blocks
FRAME = 8.0  # between blocks and the frame around those that repeat
LINE = role("neutral").line


@dataclass(frozen=True, slots=True)
class LabelledBox:
    """A box of a row. label: its name. sub: a line below the name, such as a shape; "" for none."""

    label: str
    sub: str = ""


@dataclass(frozen=True, slots=True)
class BoxRow:
    """Boxes side by side, and the arrow that leaves them.

    shape: of the result. weights, each: those of all its boxes; weights is "" if they have none. adds: the row before
    which the residual that is added here begins; a row with `adds` has no boxes.
    """

    boxes: tuple[LabelledBox, ...]
    look: CellLook
    shape: str = ""
    weights: str = ""
    each: int = 0
    adds: int = -1
    after: str = ""  # printed on the arrow before the shape


@dataclass(frozen=True, slots=True)
class Repeat:
    """Rows `first` to `last` are repeated this many times."""

    first: int
    last: int
    times: int


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where rows lie, (top, bottom) of each in points below the head; the length of an arrow, and the height of all."""

    places: tuple[tuple[float, float], ...]
    arrow: float
    height: float


def draw(rows: Sequence[BoxRow], title: str, source: str, repeat: Repeat | None = None) -> Figure:
    """A figure of these rows, top to bottom. source: the input of the first row."""
    layout = _laid(rows, repeat)
    canvas, top = page.start(title, [], layout.height + FOOT)
    places = [(top + start, top + end) for start, end in layout.places]
    middle = (LEFT + RIGHT) / 2
    canvas.text(middle, places[0][0] - layout.arrow - 8, source, SMALL, QUIET, align="center")
    if repeat is not None:
        _draw_frame(canvas, repeat, places, layout.arrow)
    for number, (row, (start, end)) in enumerate(zip(rows, places, strict=True)):
        before = places[number - 1][1] if number else start - layout.arrow
        _draw_arrow(canvas, middle, before, start, rows[number - 1] if number else None)
        _draw_boxes(canvas, row, start, end)
        if row.adds >= 0:
            _draw_sum(canvas, (middle, (start + end) / 2), places[row.adds][0] - 0.55 * layout.arrow)
    _draw_arrow(canvas, middle, places[-1][1], places[-1][1] + layout.arrow, rows[-1])
    _draw_table(canvas, rows, places, repeat, top + layout.height)
    all_weights = sum(row.each * times for row, times in zip(rows, _times(rows, repeat), strict=True))
    for number, row in enumerate(rows):
        times = _times(rows, repeat)[number]
        blocks = ", ".join(f"{box.label} {box.sub}".strip() for box in row.boxes) or None
        canvas.tell(
            "Blocks",
            [
                {
                    "row": number + 1,
                    "blocks": blocks,
                    "shape": row.shape or None,
                    "weights": row.weights or None,
                    "times": times,
                    "parameters": row.each,
                    "all parameters": row.each * times,
                    "share (%)": 100 * row.each * times / max(1, all_weights),
                }
            ],
        )
    return canvas.figure


def _times(rows: Sequence[BoxRow], repeat: Repeat | None) -> list[int]:
    """How often each row occurs."""
    return [repeat.times if repeat and repeat.first <= n <= repeat.last else 1 for n in range(len(rows))]


def _laid(rows: Sequence[BoxRow], repeat: Repeat | None) -> _Layout:
    is_long = len(rows) > 12
    arrow, block = (15.0, 16.0) if is_long else (21.0, 21.0)
    places: list[tuple[float, float]] = []
    y = HEAD
    for number, row in enumerate(rows):
        # A frame needs room above its first row's arrow and below its last row.
        y += 2 * FRAME if repeat and number in (repeat.first, repeat.last + 1) else 0.0
        height = JOIN if row.adds >= 0 else block + (10.0 if any(box.sub for box in row.boxes) else 0.0)
        places.append((y + arrow, y + arrow + height))
        y += arrow + height
    return _Layout(tuple(places), arrow, y + arrow)


def _draw_arrow(canvas: Canvas, x: float, start: float, end: float, row: BoxRow | None) -> None:
    """An arrow, with the shape of this row's result beside it."""
    canvas.line([(x, start), (x, end - 4.5)], QUIET, 1.0)
    canvas.areas([[(x, end), (x - 2.4, end - 5.0), (x + 2.4, end - 5.0)]], QUIET)
    if row is not None:
        middle = (start + end) / 2 - (0.5 if end - start < 30 else 0.0)
        label = ", ".join(filter(None, (row.after, row.shape)))
        canvas.text(x + 7, middle, _spaced(label), TINY, QUIET)


def _draw_boxes(canvas: Canvas, row: BoxRow, top: float, bottom: float) -> None:
    gap = 5.0
    each = (RIGHT - LEFT - gap * (len(row.boxes) - 1)) / max(1, len(row.boxes))
    for number, box in enumerate(row.boxes):
        left = LEFT + number * (each + gap)
        canvas.boxes([(left, top, left + each, bottom)], row.look.fill, row.look.line)
        x, middle = left + each / 2, (top + bottom) / 2
        size = next((size for size in (BODY, SMALL, TINY) if text_width(box.label, size) + 6 <= each), TINY)
        canvas.text(x, middle - (5.5 if box.sub else 0.0), box.label, size, align="center")
        canvas.text(x, middle + 5.5, _spaced(box.sub), TINY, QUIET, align="center")


def _draw_sum(canvas: Canvas, at: tuple[float, float], taken: float) -> None:
    """A circle with a plus, and the residual's line from the arrow above its block down to the circle."""
    (x, y), half = at, JOIN / 2 - 1.5
    canvas.line([(x, taken), (BACK, taken), (BACK, y), (x - half - 4.5, y)], QUIET, 1.0)
    canvas.areas([[(x - half, y), (x - half - 5, y - 2.4), (x - half - 5, y + 2.4)]], QUIET)
    ring = [(x + half * math.cos(n * math.pi / 18), y + half * math.sin(n * math.pi / 18)) for n in range(37)]
    canvas.area(ring, PAPER)
    canvas.line(ring, QUIET, 1.0)
    canvas.lines([[(x - 3.5, y), (x + 3.5, y)], [(x, y - 3.5), (x, y + 3.5)]], QUIET, 1.0)


def _draw_frame(canvas: Canvas, repeat: Repeat, places: Sequence[tuple[float, float]], arrow: float) -> None:
    """A frame around the blocks that repeat, to the end of the table; at its left, how often they repeat."""
    top, bottom = places[repeat.first][0] - arrow - FRAME, places[repeat.last][1] + FRAME
    left, right = page.MARGIN + 10, EDGE + 8
    ring = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    canvas.line(ring, LINE, 0.9, (4.0, 2.5))
    canvas.rotated(left - 8, (top + bottom) / 2, f"{repeat.times} layers", 90, INK, BODY)


def _draw_table(
    canvas: Canvas,
    rows: Sequence[BoxRow],
    places: Sequence[tuple[float, float]],
    repeat: Repeat | None,
    bottom: float,
) -> None:
    """The weights of each row, their number, and its share of all; the sum below."""
    times = _times(rows, repeat)
    total = sum(row.each * many for row, many in zip(rows, times, strict=True))
    head = places[0][0] - 38
    canvas.text(TABLE, head, "Weights", SMALL, QUIET)
    heading = "in all layers" if repeat else "parameters"
    canvas.text(ALL, head, heading, SMALL, QUIET, align="right")
    canvas.text(BARS, head, "share of all", SMALL, QUIET)
    bars, colours = [], role("compute")
    largest = max([row.each * many / total for row, many in zip(rows, times, strict=True)]) if total else 1.0
    room = LONGEST / max(largest, 1e-12)
    for row, many, (start, end) in zip(rows, times, places, strict=True):
        middle = (start + end) / 2
        if not row.weights:
            continue
        every = _grouped(row.each * many, ALL_ROOM)
        _draw_weights(canvas, row.weights, middle, ALL - text_width(every, SMALL) - 6 - TABLE)
        if not row.each:
            continue
        canvas.text(ALL, middle, every, SMALL, align="right")
        share = row.each * many / total
        end = BARS + max(0.6, room * share)
        bars.append((BARS, middle - 4.5, end, middle + 4.5))
        canvas.text(end + 3, middle, _percent(share), TINY, QUIET)
    canvas.boxes(bars, colours.line)
    canvas.line([(TABLE, bottom + 4), (EDGE, bottom + 4)], GRID[0], 0.8)
    canvas.text(TABLE, bottom + 16, "All", BODY, bold=True)
    canvas.text(ALL, bottom + 16, _grouped(total, ALL - TABLE - 24), BODY, bold=True, align="right")


def _draw_weights(canvas: Canvas, text: str, middle: float, room: float) -> None:
    """In one line if they fit, otherwise in several."""
    lines = [_spaced(line) for line in _in_terms(wrapped(text, room - text_width("  ", SMALL), SMALL))]
    for number, line in enumerate(lines):
        canvas.text(TABLE, middle + (number - (len(lines) - 1) / 2) * (SMALL + 1.5), line, SMALL)


def _in_terms(lines: list[str]) -> list[str]:
    """The lines of a product or a sum, in which each line but the first begins with its sign."""
    for number, line in enumerate(lines[:-1]):
        if line.endswith((" ×", " +")):
            lines[number : number + 2] = [line[:-2], f"{line[-1]} {lines[number + 1]}"]
    return lines


def _spaced(text: str) -> str:
    """`25 088 × 4 096` for `25088 × 4096`."""
    return re.sub(r"\d{4,}", lambda digits: f"{int(digits[0]):,}".replace(",", " "), text)


def _grouped(number: int, room: float) -> str:
    """`8 030 261 248`; if there is not enough room for that, `8.03 G`."""
    text = f"{number:,}".replace(",", " ")
    return text if text_width(text, SMALL) <= room else amount(number)


def _percent(share: float) -> str:
    return tenths(share) if share >= 0.0005 else "<0.1%"
