"""Fields of bits as a diagram: a line for each word, a cell for each field, the numbers of the bits above.

A field that takes several lines is one shape. A field that takes more than a reader needs to see is broken. No label is
lost: a label that does not fit horizontally is rotated, or replaced with a short word or a letter, which a list
explains.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, pairwise
from string import ascii_letters
from types import MappingProxyType

from matplotlib.figure import Figure

from figmill_timelines.charts.canvas import (
    BODY,
    INK,
    PAPER,
    QUIET,
    SMALL,
    TINY,
    Bounds,
    Canvas,
    TableCell,
    text_width,
    wrapped,
)
from figmill_timelines.charts.legends import draw_boxes
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.palette import role
from figmill_timelines.plots import key_list, page

HEIGHTS = (27.0, 36.0, 46.0, 58.0)  # heights of a line of cells, in points: the least that its labels need
BROKEN = 46.0  # the height of a broken field
UPPER, NOTE = 0.62, 10.0  # the share of it above the waves; points for its note
MOST_LINES = 4  # the most lines of one field; a longer field is broken
SCALE = 12.0  # a row of numbers
NAME = 96.0  # the room for a diagram's name at its left, in points
BETWEEN = 13.0  # two diagrams
GAP = 5.0  # above the numbers of a further word
SIZES = (BODY, SMALL, TINY)
# The height of a style's bars. No two are equal, so that bars also differ in more than colour.
BARS: Mapping[str | None, float] = MappingProxyType({None: 0.0, "foot": 2.0, "head": 2.7, "both": 1.4})
RIM = role("neutral").line


@dataclass(frozen=True, slots=True)
class FieldCell:
    """A field: its columns in words, as (word, first, last).

    - short: for a narrow cell.
    - varies: its length is not fixed.
    - note: a line below its name if it is broken, such as its size.
    """

    name: str
    places: tuple[tuple[int, int, int], ...]
    look: CellLook
    short: str = ""
    varies: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Diagram:
    """Cells in order.

    - name: at the left.
    - scales: rows of (label, numbers of a word's columns) above each word, or above the first alone.
    - starts: a label at the left of each word.
    """

    name: str
    cells: tuple[FieldCell, ...]
    scales: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...] = ()
    starts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _FieldLine:
    """A line of the diagram: its words (several if a field is broken), and its height."""

    first: int
    last: int
    height: float
    is_broken: bool = False


@dataclass(frozen=True, slots=True)
class _FieldLabel:
    rows: tuple[str, ...]
    size: float
    rotated: bool = False
    explains: str = ""  # what this label means, for the list below


def draw(diagrams: Sequence[Diagram], word: int, title: str, looks: Sequence[CellLook]) -> Figure:
    """A figure of these diagrams, one below the other, each line a word of `word` bits. looks: the legend's order."""
    beside = [
        text for diagram in diagrams for text in (*diagram.starts, *(name for name, _ in diagram.scales))
    ]
    widths = [text_width(text, SMALL) for text in beside]
    widths += [text_width(row, BODY, bold=True) for diagram in diagrams for row in _named(diagram)]
    left = page.MARGIN + max(widths, default=0.0) + 8
    right = page.WIDTH - page.MARGIN
    pitch = (right - left) / word
    taken = {text for diagram in diagrams for cell in diagram.cells for text in (cell.name, cell.short)}
    letters = (text for text in chain(ascii_letters, map(str, count(1))) if text not in taken)
    plans = []
    for diagram in diagrams:
        lines = _lines(diagram, pitch)
        plans.append((lines, [_label(cell, lines, pitch, letters) for cell in diagram.cells]))
    explained = dict.fromkeys(
        (label.rows[0], label.explains) for _, labels in plans for label in labels if label.explains
    )
    below = key_list.height(explained, right - left)
    heights = [_height(diagram, lines) for diagram, (lines, _) in zip(diagrams, plans, strict=True)]
    total = math.fsum(heights) + BETWEEN * (len(diagrams) - 1) + below + page.MARGIN
    used = {cell.look for diagram in diagrams for cell in diagram.cells}
    keys = [page.Key(look.label, look) for look in looks if look in used] if len(used) > 1 else []
    canvas, top = page.start(title, keys, total, left)
    for diagram, (lines, labels), height in zip(diagrams, plans, heights, strict=True):
        _draw(canvas, diagram, lines, labels, (left, top, pitch))
        top += height + BETWEEN
    key_list.draw(canvas, explained, left, top, right - left)
    for diagram in diagrams:
        for cell in diagram.cells:
            places = ", ".join(f"{at * word + first}-{at * word + last}" for at, first, last in cell.places)
            row: dict[str, TableCell] = {"field": cell.name, "columns": places, "note": cell.note or None}
            canvas.tell(diagram.name or "Fields", [row])
    return canvas.figure


def _named(diagram: Diagram) -> list[str]:
    """A diagram's name in rows."""
    return wrapped(diagram.name, NAME, BODY, bold=True)


def _lines(diagram: Diagram, pitch: float) -> list[_FieldLine]:
    """The words of a diagram; those that one long field fills are combined."""
    lines: list[_FieldLine] = []
    end = max(word for cell in diagram.cells for word, _, _ in cell.places) + 1
    # Every word that a cell fills from edge to edge -> the last such word of this cell.
    filled: dict[int, int] = {}
    for cell in diagram.cells:
        widest = max(last - first for _, first, last in cell.places)
        full = [word for word, first, last in cell.places if len(cell.places) > 1 and last - first == widest]
        if len(full) > MOST_LINES or (cell.varies and cell.places):
            full = full or [cell.places[0][0]]
            filled |= dict.fromkeys(full, full[-1])
    word = 0
    while word < end:
        last = filled.get(word, word)
        if word in filled:
            lines.append(_FieldLine(word, last, BROKEN, True))
        else:
            inside = [(cell, place) for cell in diagram.cells for place in cell.places if place[0] == word]
            lines.append(_FieldLine(word, word, _needed(inside, pitch)))
        word = last + 1
    return lines


def _needed(inside: Sequence[tuple[FieldCell, tuple[int, int, int]]], pitch: float) -> float:
    """The least height at which the fewest labels of a line become letters."""

    def letters(height: float) -> int:
        return sum(
            _fit(cell, (last - first + 1) * pitch, height) is None
            for cell, (_, first, last) in inside
            if len(cell.places) == 1
        )

    return min(HEIGHTS, key=lambda height: (letters(height), height))


def _fit(cell: FieldCell, width: float, height: float) -> _FieldLabel | None:
    """How a cell's name fits into this room: horizontal, in several rows, as the short word, rotated; or None."""
    explains = cell.name if cell.short else ""
    for size in SIZES:
        if text_width(cell.name, size) + 5 <= width:
            return _FieldLabel((cell.name,), size)
    for size in SIZES[1:]:
        rows = wrapped(cell.name, width - 5, size)
        fits = all(text_width(row, size) + 5 <= width for row in rows)
        if fits and len(rows) * (size + 2) + 4 <= height:
            return _FieldLabel(tuple(rows), size)
    for size in SIZES if cell.short else ():
        if text_width(cell.short, size) + 5 <= width:
            return _FieldLabel((cell.short,), size, explains=explains)
    for text, explanation in ((cell.short, explains), (cell.name, "")):
        for size in SIZES[1:]:
            if text and text_width(text, size) + 5 <= height and size + 1 <= width:
                return _FieldLabel((text,), size, True, explanation)
    return None


def _label(cell: FieldCell, lines: Sequence[_FieldLine], pitch: float, letters: Iterator[str]) -> _FieldLabel:
    box = _room(cell, lines, pitch)
    if box is None:
        return _FieldLabel(("",), TINY)
    label = _fit(cell, *box)
    if label is None:
        label = _FieldLabel((next(letters),), TINY, explains=cell.name)
    return label


def _home(cell: FieldCell, lines: Sequence[_FieldLine]) -> tuple[list[int], int, int]:
    """The lines in which a cell's name is placed, one or several of full width, and its columns there."""
    widest = max(last - first for _, first, last in cell.places)
    word, first, last = next(place for place in cell.places if place[2] - place[1] == widest)
    same = [place[0] for place in cell.places if place[1:] == (first, last)]
    run = [w for n, w in enumerate(same) if w == word + n]
    return [n for n, line in enumerate(lines) if line.first in run], first, last


def _room(cell: FieldCell, lines: Sequence[_FieldLine], pitch: float) -> tuple[float, float] | None:
    inside, first, last = _home(cell, lines)
    if not inside:
        return None
    height = math.fsum(lines[n].height for n in inside)
    if lines[inside[0]].is_broken:
        height = UPPER * height - (NOTE if cell.note else 0.0)
    return (last - first + 1) * pitch, height


def _height(diagram: Diagram, lines: Sequence[_FieldLine]) -> float:
    rows = max((len(numbers) for _, numbers in diagram.scales), default=0)
    numbered = min(rows, len(lines))
    scales = SCALE * len(diagram.scales) * numbered + GAP * max(0, numbered - 1)
    return math.fsum(line.height for line in lines) + scales


def _draw(
    canvas: Canvas,
    diagram: Diagram,
    lines: Sequence[_FieldLine],
    labels: Sequence[_FieldLabel],
    place: tuple[float, float, float],
) -> None:
    left, top, pitch = place
    tops = []
    for number, line in enumerate(lines):
        for name, numbers in diagram.scales:
            if number < len(numbers):
                top += GAP if number else 0.0
                _draw_scale(canvas, name, numbers[line.first], (left, top + SCALE / 2 - 1, pitch))
                top += SCALE
        tops.append(top)
        if line.first < len(diagram.starts):
            canvas.text(
                left - 8, top + line.height / 2, diagram.starts[line.first], SMALL, QUIET, align="right"
            )
        top += line.height
    middle = (tops[0] + tops[-1] + lines[-1].height) / 2
    rows = _named(diagram)
    for number, row in enumerate(rows):
        y = middle + (number - (len(rows) - 1) / 2) * (BODY + 2)
        canvas.text(left - 8, y, row, BODY, align="right", bold=True)
    for cell in diagram.cells:
        boxes = _boxes(cell, lines, tops, (left, pitch))
        if _is_one(boxes):  # without the seams between its lines
            boxes = [(boxes[0][0], boxes[0][1], boxes[0][2], boxes[-1][3])]
        draw_boxes(canvas, boxes, cell.look, 0.0, BARS[cell.look.bar])
        canvas.lines(_outline(boxes), RIM, 0.8)
    for cell, label in zip(diagram.cells, labels, strict=True):
        inside, first, last = _home(cell, lines)
        if not inside:
            continue
        box = (
            left + first * pitch,
            tops[inside[0]],
            left + (last + 1) * pitch,
            tops[inside[-1]] + lines[inside[-1]].height,
        )
        is_broken = lines[inside[0]].is_broken
        if is_broken:
            upper = box[1] + UPPER * (box[3] - box[1])
            _write(canvas, label, (box[0], box[1], box[2], upper - (NOTE if cell.note else 0.0)))
            canvas.text((box[0] + box[2]) / 2, upper - 0.7 * NOTE, cell.note, TINY, QUIET, align="center")
            _break(canvas, box)
        else:
            _write(canvas, label, box)
        others = [b for b in _boxes(cell, lines, tops, (left, pitch)) if b[0] != box[0] or b[2] != box[2]]
        for x, y, end, bottom in others:
            if end - x > 12:
                canvas.text((x + end) / 2, (y + bottom) / 2, "…", SMALL, QUIET, align="center")


def _draw_scale(canvas: Canvas, name: str, numbers: Sequence[int], place: tuple[float, float, float]) -> None:
    left, middle, pitch = place
    widest = max(text_width(str(number), TINY) for number in numbers) + 2.5
    every = next(n for n in (1, 2, 4, 8, 16, 32, 64) if n * pitch >= widest)
    canvas.text(left - 8, middle, name, TINY, QUIET, align="right")
    for column, number in enumerate(numbers):
        if number % every == 0:
            canvas.text(left + (column + 0.5) * pitch, middle, str(number), TINY, QUIET, align="center")


def _boxes(
    cell: FieldCell, lines: Sequence[_FieldLine], tops: Sequence[float], across: tuple[float, float]
) -> list[Bounds]:
    left, pitch = across
    return [
        (left + first * pitch, tops[n], left + (last + 1) * pitch, tops[n] + line.height)
        for word, first, last in cell.places
        for n, line in enumerate(lines)
        if line.first == word
    ]


def _is_one(boxes: Sequence[Bounds]) -> bool:
    """Whether several boxes lie one below the other, without a gap and with equal widths."""
    return len(boxes) > 1 and all(
        a[0] == b[0] and a[2] == b[2] and abs(a[3] - b[1]) < 1e-6 for a, b in pairwise(boxes)
    )


def _outline(boxes: Sequence[Bounds]) -> list[list[tuple[float, float]]]:
    """The outer edges of boxes that are one shape: an edge that two of them share is not drawn."""
    edges: dict[float, list[list[float]]] = defaultdict(list)
    lines = []
    for x, y, end, bottom in boxes:
        lines += [[(x, y), (x, bottom)], [(end, y), (end, bottom)]]
        edges[y].append([x, end])
        edges[bottom].append([x, end])
    for y, spans in edges.items():
        cuts = sorted({x for span in spans for x in span})
        for a, b in pairwise(cuts):
            if len([span for span in spans if span[0] <= a and b <= span[1]]) == 1:
                lines.append([(a, y), (b, y)])
    return lines


def _write(canvas: Canvas, label: _FieldLabel, box: Bounds) -> None:
    x, middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    if label.rotated:
        canvas.rotated(x + 0.36 * label.size, middle, label.rows[0], 90, INK, label.size)
        return
    pitch = label.size + 2
    for number, row in enumerate(label.rows):
        y = middle + (number - (len(label.rows) - 1) / 2) * pitch
        canvas.text(x, y, row, label.size, align="center")


def _break(canvas: Canvas, box: Bounds) -> None:
    """Two waves across a cell with the page between them: the cell has more than is drawn."""
    left, top, right, bottom = box
    waves = []
    for shift in (-2.0, 2.0):
        base = top + 0.78 * (bottom - top) + shift
        steps = max(24, int((right - left) / 2))
        waves.append(
            [
                (
                    left + (right - left) * n / steps,
                    base + 2.2 * math.sin(2 * math.pi * n * (right - left) / steps / 46),
                )
                for n in range(steps + 1)
            ]
        )
    canvas.areas([[*waves[0], *reversed(waves[1])]], PAPER)
    canvas.lines(waves, RIM, 0.8)
