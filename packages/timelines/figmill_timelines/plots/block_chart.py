"""A network as blocks from top to bottom, the shape of what flows on the arrows, and a table of weights beside them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from matplotlib.figure import Figure

from figmill_timelines.charts.canvas import BODY, INK, QUIET, SMALL, TINY, Canvas, text_width, wrapped
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.palette import GRID, role
from figmill_timelines.plots import page
from figmill_timelines.quantities import amount, grouped, tenths

LEFT, RIGHT = 52.0, 192.0  # the left and right edge of a block, with lines and a frame at its left
NEAREST = 20.0  # the left edge of a block without them
TABLE = 20.0  # from a block to the weights
# from the start of the weights to the end of their numbers: at least, at most
WEIGHTS, MOST_WEIGHTS = 148.0, 212.0
COLUMN = 20.0  # between the column of weights and that of their numbers
BARS = 14.0  # from there to the bars
BRACE = 5.0  # points between a share and the bracket around it and others
EDGE = page.WIDTH - page.MARGIN
ALL_ROOM = 64.0  # room for numbers
HEAD, FOOT = 26.0, 34.0  # above the first arrow; the total
JOIN = 17.0  # the height of a sum
BACK = 38.0  # where the line runs that passes a few blocks
FRAME = 8.0  # between blocks and the frame around those that repeat
LINE = role("neutral").line


@dataclass(frozen=True, slots=True)
class LabelledBox:
    """A box of a row.

    - label: its name.
    - sub: a line below the name, such as a shape; "" for none.
    """

    label: str
    sub: str = ""


@dataclass(frozen=True, slots=True)
class BoxRow:
    """Boxes side by side, and the arrow that leaves them.

    - shape: of the result.
    - weights, each: those of all its boxes; weights is "" if they have none.
    - adds: the row before which the residual that is added here begins; a row with `adds` has no boxes.
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
    """Where rows and columns lie, in points.

    - places: (top, bottom) of each row, below the head.
    - arrow: its length.
    - height: of all rows.
    - left, right: the edges of a block.
    - table: where the weights begin.
    - all: where their numbers end.
    - bars: where shares begin.
    - longest: the longest bar.
    """

    places: tuple[tuple[float, float], ...]
    arrow: float
    height: float
    left: float
    right: float
    table: float
    all: float
    bars: float
    longest: float


def draw(
    rows: Sequence[BoxRow],
    title: str,
    source: str,
    repeat: Repeat | None = None,
    sums: Sequence[tuple[int, int]] = (),
) -> Figure:
    """A figure of these rows, top to bottom. source: the input of the first row. sums: (first, last) of rows whose
    shares have a bracket with their sum.
    """
    shares = _shares(rows, repeat)
    layout = _laid(rows, repeat, shares, sums)
    canvas, top = page.start(title, [], layout.height + FOOT)
    places = [(top + start, top + end) for start, end in layout.places]
    middle = (layout.left + layout.right) / 2
    beside = max(middle, page.MARGIN + text_width(source, SMALL) / 2)
    canvas.text(beside, places[0][0] - layout.arrow - 8, source, SMALL, QUIET, align="center")
    if repeat is not None:
        _draw_frame(canvas, repeat, sum(shares[repeat.first : repeat.last + 1]), places, layout.arrow)
    for number, (row, (start, end)) in enumerate(zip(rows, places, strict=True)):
        before = places[number - 1][1] if number else start - layout.arrow
        _draw_arrow(canvas, middle, before, start, rows[number - 1] if number else None)
        _draw_boxes(canvas, row, layout, start, end)
        if row.adds >= 0:
            _draw_sum(canvas, (middle, (start + end) / 2), places[row.adds][0] - 0.55 * layout.arrow)
    _draw_arrow(canvas, middle, places[-1][1], places[-1][1] + layout.arrow, rows[-1])
    _draw_table(canvas, rows, places, repeat, layout, top + layout.height)
    _draw_shares(canvas, rows, shares, places, layout, sums)
    for number, (row, times) in enumerate(zip(rows, _times(rows, repeat), strict=True)):
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
                    "share (%)": 100 * shares[number],
                }
            ],
        )
    return canvas.figure


def _times(rows: Sequence[BoxRow], repeat: Repeat | None) -> list[int]:
    """How often each row occurs."""
    return [repeat.times if repeat and repeat.first <= n <= repeat.last else 1 for n in range(len(rows))]


def _shares(rows: Sequence[BoxRow], repeat: Repeat | None) -> list[float]:
    """The share of each row in all weights."""
    weights = [row.each * times for row, times in zip(rows, _times(rows, repeat), strict=True)]
    return [weight / max(1, sum(weights)) for weight in weights]


def _laid(
    rows: Sequence[BoxRow], repeat: Repeat | None, shares: Sequence[float], sums: Sequence[tuple[int, int]]
) -> _Layout:
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
    left = LEFT if repeat or any(row.adds >= 0 for row in rows) else NEAREST
    table = left + RIGHT - LEFT + TABLE
    counted = [(row, many) for row, many in zip(rows, _times(rows, repeat), strict=True) if row.each]
    numbers = (_grouped(row.each * many, ALL_ROOM) for row, many in counted)
    widest = max((text_width(number, SMALL) for number in numbers), default=0.0)
    weights = (_spaced(_repeated(row.weights, many)) for row, many in counted)
    wide = max((text_width(text, SMALL) for text in weights), default=0.0)
    end = table + min(max(WEIGHTS, wide + COLUMN + widest), MOST_WEIGHTS)
    bars, longest = end + BARS, EDGE - end - BARS - 3 - text_width("99.9%", TINY)
    summed = [n for first, last in sums for n in range(first, last + 1)]
    if summed:
        texts = _percents(shares, sums)
        beside = 3 + max(text_width(texts[n], TINY) for n in summed) + 2 * BRACE + 3
        beside += max(text_width(_total(shares, rows), SMALL, bold=True) for rows in sums)
        room = EDGE - bars - beside
        longest = min(longest, room * max(shares) / max(1e-12, *(shares[n] for n in summed)))
    return _Layout(tuple(places), arrow, y + arrow, left, left + RIGHT - LEFT, table, end, bars, longest)


def _percents(shares: Sequence[float], sums: Sequence[tuple[int, int]]) -> list[str]:
    """Each share as a percentage; those of a sum with as many digits as it takes for them to add up to it."""
    texts = [_percent(share) for share in shares]
    for first, last in sums:
        parts = shares[first : last + 1]
        for digits in (3, 4, 5):
            if abs(fsum(round(part, digits) for part in parts) - fsum(parts)) < 0.0005:
                break
        if digits > 3:
            texts[first : last + 1] = [f"{part:.{digits - 2}%}" if part else "" for part in parts]
    return texts


def _total(shares: Sequence[float], rows: tuple[int, int]) -> str:
    """The sum of the shares from the first to the last of these rows."""
    return _percent(fsum(shares[rows[0] : rows[1] + 1]))


def _draw_arrow(canvas: Canvas, x: float, start: float, end: float, row: BoxRow | None) -> None:
    """An arrow, with the shape of this row's result beside it."""
    canvas.line([(x, start), (x, end - 4.5)], QUIET, 1.0)
    canvas.areas([[(x, end), (x - 2.4, end - 5.0), (x + 2.4, end - 5.0)]], QUIET)
    if row is not None:
        middle = (start + end) / 2 - (0.5 if end - start < 30 else 0.0)
        label = ", ".join(filter(None, (row.after, row.shape)))
        canvas.text(x + 7, middle, _spaced(label), TINY, QUIET)


def _draw_boxes(canvas: Canvas, row: BoxRow, layout: _Layout, top: float, bottom: float) -> None:
    gap = 5.0
    each = (layout.right - layout.left - gap * (len(row.boxes) - 1)) / max(1, len(row.boxes))
    for number, box in enumerate(row.boxes):
        left = layout.left + number * (each + gap)
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
    canvas.line(ring, QUIET, 1.0)
    canvas.lines([[(x - 3.5, y), (x + 3.5, y)], [(x, y - 3.5), (x, y + 3.5)]], QUIET, 1.0)


def _draw_frame(
    canvas: Canvas, repeat: Repeat, share: float, places: Sequence[tuple[float, float]], arrow: float
) -> None:
    """A frame around the blocks that repeat, to the end of the table; at its left, how often and their share."""
    top, bottom = places[repeat.first][0] - arrow - FRAME, places[repeat.last][1] + FRAME
    left, right = page.MARGIN + 10, EDGE + 8
    ring = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    canvas.line(ring, LINE, 0.9, (4.0, 2.5))
    canvas.rotated(left - 8, (top + bottom) / 2, f"{repeat.times} layers: {tenths(share)}", 90, INK, BODY)


def _draw_table(
    canvas: Canvas,
    rows: Sequence[BoxRow],
    places: Sequence[tuple[float, float]],
    repeat: Repeat | None,
    layout: _Layout,
    bottom: float,
) -> None:
    """The weights of each row and their number; the sum below."""
    times = _times(rows, repeat)
    total = sum(row.each * many for row, many in zip(rows, times, strict=True))
    head = places[0][0] - 38
    canvas.text(layout.table, head, "Weights", SMALL, QUIET)
    canvas.text(layout.all, head, "Parameters", SMALL, QUIET, align="right")
    for row, many, (start, end) in zip(rows, times, places, strict=True):
        middle = (start + end) / 2
        if not row.weights:
            continue
        every = _grouped(row.each * many, ALL_ROOM)
        room = layout.all - text_width(every, SMALL) - COLUMN - layout.table
        _draw_weights(canvas, _repeated(row.weights, many), layout.table, middle, room)
        if row.each:
            canvas.text(layout.all, middle, every, SMALL, align="right")
    canvas.line([(layout.table, bottom + 4), (EDGE, bottom + 4)], GRID[0], 0.8)
    canvas.text(layout.table, bottom + 16, "All", BODY, bold=True)
    room = layout.all - layout.table - 24
    canvas.text(layout.all, bottom + 16, _grouped(total, room), BODY, bold=True, align="right")


def _draw_shares(
    canvas: Canvas,
    rows: Sequence[BoxRow],
    shares: Sequence[float],
    places: Sequence[tuple[float, float]],
    layout: _Layout,
    sums: Sequence[tuple[int, int]],
) -> None:
    """The share of each row as a bar in the colour of its blocks, and brackets with sums."""
    canvas.text(layout.bars, places[0][0] - 38, "Share of all", SMALL, QUIET)
    scale = layout.longest / max(*shares, 1e-12)
    middles = [(start + end) / 2 for start, end in places]
    bars: dict[str, list[tuple[float, float, float, float]]] = {}
    for row, share, middle in zip(rows, shares, middles, strict=True):
        if share:
            end = layout.bars + max(0.6, scale * share)
            bars.setdefault(row.look.line, []).append((layout.bars, middle - 4.5, end, middle + 4.5))
    for colour, boxes in bars.items():
        canvas.boxes(boxes, colour)
    texts = _percents(shares, sums)
    ends = [layout.bars + max(0.6, scale * share) + 3 for share in shares]
    for share, text, end, middle in zip(shares, texts, ends, middles, strict=True):
        if share:
            canvas.text(end, middle, text, TINY, QUIET)
    summed = [n for first, last in sums for n in range(first, last + 1)]
    brace = BRACE + max((ends[n] + text_width(texts[n], TINY) for n in summed if shares[n]), default=0.0)
    for first, last in sums:
        corners = [(brace, middles[first]), (brace + BRACE, middles[first])]
        canvas.line([*corners, *((x, middles[last]) for x, _ in reversed(corners))], QUIET, 0.8)
        middle = (middles[first] + middles[last]) / 2
        canvas.text(brace + BRACE + 3, middle, _total(shares, (first, last)), SMALL, bold=True)


def _draw_weights(canvas: Canvas, text: str, left: float, middle: float, room: float) -> None:
    """In one line if they fit, otherwise in several."""
    one_line = _spaced(text)
    if text_width(one_line, SMALL) <= room + 1e-6:
        canvas.text(left, middle, one_line, SMALL)
        return
    lines = [_spaced(line) for line in _in_terms(wrapped(text, room - text_width("  ", SMALL), SMALL))]
    for number, line in enumerate(lines):
        canvas.text(left, middle + (number - (len(lines) - 1) / 2) * (SMALL + 1.5), line, SMALL)


def _repeated(weights: str, times: int) -> str:
    """`12 × (768 × 768 + bias)`."""
    if times == 1:
        return weights
    is_sum = " + " in re.sub(r"\([^()]*\)", "", weights)
    return f"{times} × ({weights})" if is_sum else f"{times} × {weights}"


def _in_terms(lines: list[str]) -> list[str]:
    """The lines of a product or a sum, in which each line but the first begins with its sign."""
    for number, line in enumerate(lines[:-1]):
        if line.endswith((" ×", " +")):
            lines[number : number + 2] = [line[:-2], f"{line[-1]} {lines[number + 1]}"]
    return lines


def _spaced(text: str) -> str:
    """`25 088 × 4 096` for `25088 × 4096`."""
    return re.sub(r"\d+", lambda digits: grouped(digits[0]), text)


def _grouped(number: int, room: float) -> str:
    """`8 030 261 248`; if there is not enough room for that, `8.03 G`."""
    text = grouped(str(number))
    return text if text_width(text, SMALL) <= room else amount(number)


def _percent(share: float) -> str:
    return tenths(share) if share >= 0.0005 else "<0.1%"
