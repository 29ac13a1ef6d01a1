"""The legend of a Gantt chart, one entry for each style, and boxes drawn in a style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum

from figmill_timelines.charts import density, looks
from figmill_timelines.charts.canvas import PAPER, SMALL, Bounds, Canvas, text_width
from figmill_timelines.charts.density import Cells
from figmill_timelines.charts.layout import ChartOptions
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.palette import role
from figmill_timelines.spans import Span, Timeline

ACCENT = role("accent").line
TICK = 0.28  # of a cell's height: a tick in a run of cells


def entries(panels: Sequence[tuple[Timeline, Cells]], options: ChartOptions) -> list[CellLook]:
    """One entry for each style that is drawn, in the order of the table of styles."""
    order = {kind: number for number, kind in enumerate(looks.WORK)}
    kinds: dict[str, None] = {}
    areas: dict[frozenset[str], CellLook] = {}
    for timeline, plan in panels:
        if plan.style == "areas":
            areas |= plan.styles
        else:
            kinds |= dict.fromkeys(span.kind for span in timeline.spans if span.end > span.start)
    entries = _merged(
        [looks.of(kind) for kind in sorted(kinds, key=lambda kind: order.get(kind, len(order)))]
    )
    entries += _merged([areas[area] for area in sorted(areas, key=lambda area: _rank(area, order))])
    names = {**options.named, looks.IDLE_AREA.label: options.idle}
    entries = [replace(look, label=names.get(look.label, look.label)) for look in entries]
    cells = [(timeline, plan) for timeline, plan in panels if plan.style == "cells"]
    odd = dict.fromkeys(
        plan.odd for timeline, plan in cells if any(span.chunk % 2 for span in timeline.spans)
    )
    if options.hollow and None in odd:
        entries.append(CellLook(options.hollow, PAPER, looks.WORK["other"].line))
    if options.hollow and looks.ODD_FORWARD in odd:
        label = f"Forward, {options.hollow[0].lower()}{options.hollow[1:]}"
        entries.insert(1, replace(looks.ODD_FORWARD, label=label))
    if looks.UPWARD_FORWARD in odd:
        entries.insert(1, looks.UPWARD_FORWARD)
    entries += _idle([timeline for timeline, plan in panels if plan.style != "areas"], options)
    landmarks = sorted({number for _, plan in panels for number in plan.landmarks})
    if landmarks:
        named = " and ".join(map(str, landmarks))
        if len(landmarks) > 2:
            named = ", ".join([*map(str, landmarks[:3]), *(["…"] if len(landmarks) > 3 else [])])
        solid = {
            density.cell_look(span, plan).line: None
            for timeline, plan in panels
            for span in _solid(timeline, plan)
        }
        entries.append(
            CellLook(f"{options.numbered} {named}", PAPER, ACCENT, bar="solid", parts=tuple(solid))
        )
    if options.critical:
        entries.append(CellLook("Critical path", PAPER, ACCENT, bar="path"))
    return entries


def with_runs(entries: Sequence[CellLook], runs: Mapping[str, str]) -> list[CellLook]:
    """The entries, with one for the runs of each of these kinds behind its own."""
    behind = {
        looks.of(kind).label: replace(looks.of(kind), label=name, bar="ticks") for kind, name in runs.items()
    }
    return [each for entry in entries for each in (entry, behind.get(entry.label)) if each]


def _solid(timeline: Timeline, plan: Cells) -> list[Span]:
    """The solid cells of a panel, in the order of the table of styles."""
    order = list(looks.WORK)
    solid = [span for span in timeline.spans if density.is_landmark(span, plan)]
    return sorted(solid, key=lambda span: (order.index(span.kind), span.chunk % 2))


def _merged(styles: Sequence[CellLook]) -> list[CellLook]:
    """Styles with their names; kinds that look the same share an entry."""
    merged: dict[CellLook, list[str]] = {}
    for look in styles:
        merged.setdefault(replace(look, label=""), []).append(look.label)
    return [replace(look, label=" / ".join(dict.fromkeys(labels))) for look, labels in merged.items()]


def _rank(kinds: frozenset[str], order: Mapping[str, int]) -> tuple[int, int, list[str]]:
    """One kind alone before several, and idle time last."""
    group = 2 if kinds == {"idle"} else len(kinds) > 1
    return (group, min(order.get(kind, len(order)) for kind in kinds), sorted(kinds))


def _idle(timelines: Sequence[Timeline], options: ChartOptions) -> list[CellLook]:
    causes = dict.fromkeys(span.kind for timeline in timelines for span in timeline.idle)
    if options.classes:
        return [
            replace(look, label=f"Idle: {look.label}") for kind, look in looks.IDLE.items() if kind in causes
        ]
    entries = [replace(looks.BUBBLE, label=options.idle)] if causes.keys() - {"beside"} else []
    return entries + ([replace(looks.IDLE["beside"], label=options.beside)] if "beside" in causes else [])


def width(entries: Sequence[CellLook]) -> float:
    """The width of one row of these entries, in points."""
    return fsum(13 + 5 + text_width(entry.label, SMALL) for entry in entries) + 14 * (len(entries) - 1)


def wrap(entries: Sequence[CellLook], room: float) -> list[list[CellLook]]:
    """The entries in as few rows of at most `room` points as possible, and rows as even as possible."""
    rows = _filled(entries, room)
    for limit in sorted(
        {width(entries[a:b]) for a in range(len(entries)) for b in range(a + 1, len(entries) + 1)}
    ):
        even = _filled(entries, min(limit, room))
        if len(even) == len(rows) and all(width(row) <= limit for row in even):
            return even
    return rows


def _filled(entries: Sequence[CellLook], room: float) -> list[list[CellLook]]:
    rows: list[list[CellLook]] = [[]]
    for entry in entries:
        if rows[-1] and width([*rows[-1], entry]) > room:
            rows.append([])
        rows[-1].append(entry)
    return rows


def draw(canvas: Canvas, entries: Sequence[CellLook], x: float, middle: float) -> None:
    """Draw one row of entries from x on, centred on `middle`."""
    for entry in entries:
        box = (x, middle - 4.5, x + 13, middle + 4.5)
        if entry.bar == "solid":  # for all kinds at once
            part = 13 / len(entry.parts)
            for number, colour in enumerate(entry.parts):
                canvas.boxes([(x + part * number, box[1], x + part * (number + 1), box[3])], colour)
        elif entry.edge is not None:
            corners = [(box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3])]
            canvas.areas([corners], entry.fill, entry.line, entry.edge, entry.dash, entry.hatch)
        elif entry.bar == "path":
            canvas.line([(x, middle), (x + 13, middle)], entry.line, 1.6)
        else:
            draw_boxes(canvas, [box], entry, 0.8, 1.8)
        canvas.text(x + 18, middle, entry.label, SMALL)
        x += 13 + 5 + text_width(entry.label, SMALL) + 14


def draw_boxes(canvas: Canvas, boxes: Sequence[Bounds], look: CellLook, outline: float, bar: float) -> None:
    """Draw boxes in one style: hatched, or a line, or filled and outlined with bars at their foot or head."""
    if look.hatch:
        canvas.boxes(boxes, look.fill, look.line, hatch=look.hatch)
        return
    if look.bar == "rest":
        middles = [(x, (y + bottom) / 2, right) for x, y, right, bottom in boxes]
        canvas.boxes([(x, middle - 0.4, right, middle + 0.4) for x, middle, right in middles], look.line)
        return
    canvas.boxes(boxes, look.fill, look.line, width=outline)
    if look.bar == "ticks":
        for x, y, right, bottom in boxes:
            foot, step = bottom - TICK * (bottom - y), (right - x) / 4
            canvas.lines([[(x + n * step, foot), (x + n * step, bottom)] for n in (1, 2, 3)], look.line, 0.7)
    if look.bar in ("foot", "both"):
        canvas.boxes([(x, bottom - bar, right, bottom) for x, _, right, bottom in boxes], look.line)
    if look.bar in ("head", "both"):
        canvas.boxes([(x, y, right, y + bar) for x, y, right, _ in boxes], look.line)
