"""Simple tables: columns as wide as their cells need, rows as high (CSS 2.1, 17.5). Joined cells are not supported."""

from __future__ import annotations

import math
from dataclasses import replace

from figmill.svg.html.blocks import Flow, LabelLayout, anonymous
from figmill.svg.html.boxes import CssBox, LaidBox, LaidPart, Plate
from figmill.svg.html.css.style import below

ROWS = ("table-row", "table-row-group")


def rows(box: CssBox) -> list[CssBox]:
    """The rows of a table; a cell outside a row gets one of its own. Empty if other content is found."""
    its_rows: list[CssBox] = []
    for child in box.children:
        if not isinstance(child, CssBox):
            continue
        if child.style.display == "table-row-group":
            its_rows += [row for row in child.children if isinstance(row, CssBox)]
        elif child.style.display == "table-row":
            its_rows.append(child)
        elif child.style.display == "table-cell":
            its_rows.append(CssBox(replace(below(box.style), display="table-row"), [child]))
        else:
            return []
    return its_rows


def cells(row: CssBox) -> list[CssBox]:
    return [
        child if child.style.display == "table-cell" else _cell(child)
        for child in row.children
        if isinstance(child, CssBox)
    ]


def _cell(content: CssBox) -> CssBox:
    cell = anonymous([content], content.style)
    cell.style = replace(cell.style, display="table-cell")
    return cell


def _columns(layout: LabelLayout, table: list[list[CssBox]]) -> tuple[list[float], list[float]]:
    """Minimum and maximum width of each column."""
    count = max(map(len, table), default=0)
    least, most = [0.0] * count, [0.0] * count
    for row in table:
        for column, cell in enumerate(row):
            low, high = layout.limits(cell)
            least[column], most[column] = max(least[column], low), max(most[column], high)
    return least, most


def _grid(box: CssBox) -> list[list[CssBox]]:
    """The cells by row. They replace the rows' children, so that they are made only once."""
    its_rows = rows(box)
    for row in its_rows:
        row.children = list(cells(row))
    return [[cell for cell in row.children if isinstance(cell, CssBox)] for row in its_rows]


def limits(layout: LabelLayout, box: CssBox) -> tuple[float, float]:
    table = _grid(box)
    if not table:
        return layout.flow_limits(box)
    least, most = _columns(layout, table)
    gaps = box.style.border_spacing * (len(least) + 1)
    return math.fsum(least) + gaps, math.fsum(most) + gaps


def lay(layout: LabelLayout, box: CssBox, width: float, height: float | None) -> Flow:
    table = _grid(box)
    if not table:
        return layout.flow(box, width, height)
    gap = box.style.border_spacing
    least, most = _columns(layout, table)
    widths = _shared(least, most, width - gap * (len(least) + 1))
    flow = Flow()
    y = gap
    for row, its_cells in zip(rows(box), table, strict=True):
        laid_cells = [
            layout.box(cell, wide, None, wide) for cell, wide in zip(its_cells, widths, strict=False)
        ]
        tall = max((laid.height for laid in laid_cells), default=0.0)
        if row.style.height is not None:
            tall = max(tall, row.style.height.px)
        parts: list[tuple[float, float, LaidPart]] = []
        x = gap
        for cell, laid in zip(its_cells, laid_cells, strict=True):
            share = {"top": 0.0, "baseline": 0.0, "bottom": 1.0}.get(cell.style.vertical_align, 0.5)
            parts.append((x, y, _stretched(laid, tall, share)))
            x += laid.width + gap
        flow.parts.append((gap, y, Plate(max(0.0, x - 2 * gap), tall, row.style)))
        flow.parts += parts
        y += tall + gap
    flow.height = y
    first = next((part for _, _, part in flow.parts if isinstance(part, LaidBox)), None)
    if first is not None and first.first is not None:
        flow.first = flow.last = gap + first.first
    return flow


def _stretched(laid: LaidBox, tall: float, share: float) -> LaidBox:
    """A cell as high as its row, with its text moved up or down by `share` of the free height."""
    free = tall - laid.height
    parts: list[tuple[float, float, LaidPart]] = []
    for x, y, part in laid.parts:
        if isinstance(part, Plate) and y == 0:
            parts.append((x, y, Plate(part.width, tall, part.style)))
        else:
            parts.append((x, y + share * free, part))
    first = None if laid.first is None else laid.first + share * free
    return LaidBox(laid.width, tall, first, first, parts, clips=laid.clips)


def _shared(least: list[float], most: list[float], room: float) -> list[float]:
    """The widths of the columns (CSS 2.1, 17.5.2.2)."""
    low, high = math.fsum(least), math.fsum(most)
    if room >= high:
        extra = (room - high) / high if high else 0.0
        return [wide + wide * extra for wide in most]
    if high <= low or room <= low:
        return least
    part = (room - low) / (high - low)
    return [minimum + part * (maximum - minimum) for minimum, maximum in zip(least, most, strict=True)]
