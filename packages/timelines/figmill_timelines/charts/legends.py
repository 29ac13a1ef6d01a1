"""The legend of a Gantt chart, one entry for each style, and boxes drawn in a style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import fsum

from figmill_timelines.charts import looks
from figmill_timelines.charts.canvas import PAPER, SMALL, Bounds, Canvas, text_width
from figmill_timelines.charts.layout import ChartOptions
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.palette import role
from figmill_timelines.spans import Timeline

ACCENT = role("accent").line


def entries(timelines: Sequence[Timeline], every: int, options: ChartOptions) -> list[CellLook]:
    """One entry for each kind of span with a length, in the order of the table of styles."""
    spans = (span for timeline in timelines for span in timeline.spans)
    kinds = dict.fromkeys(span.kind for span in spans if span.end > span.start)
    listed = [kind for kind in looks.WORK if kind in kinds]
    merged: dict[CellLook, list[str]] = {}
    for look in (looks.of(kind) for kind in (*listed, *(kind for kind in kinds if kind not in looks.WORK))):
        # Kinds that look the same share an entry.
        merged.setdefault(replace(look, label=""), []).append(look.label)
    entries = [replace(look, label=" / ".join(dict.fromkeys(labels))) for look, labels in merged.items()]
    entries = [replace(look, label=options.named.get(look.label, look.label)) for look in entries]
    if options.hollow and any(span.chunk % 2 for timeline in timelines for span in timeline.spans):
        entries.append(CellLook(options.hollow, PAPER, looks.WORK["other"].line))
    causes = dict.fromkeys(span.kind for timeline in timelines for span in timeline.idle)
    if options.classes:
        entries += [
            CellLook(f"Idle: {look.label}", look.fill, look.line, look.hatch)
            for kind, look in looks.IDLE.items()
            if kind in causes
        ]
    else:
        entries += [replace(looks.BUBBLE, label=options.idle)] if causes.keys() - {"beside"} else []
        entries += [replace(looks.IDLE["beside"], label=options.beside)] if "beside" in causes else []
    if every:
        most = max(span.microbatch for timeline in timelines for span in timeline.spans)
        numbers = [str(number) for number in range(0, most + 1, every)]
        named = ", ".join(numbers if len(numbers) < 4 else [*numbers[:3], "…"])
        entries.append(
            CellLook(
                f"{options.numbered} {named}",
                role("compute").line,
                role("data").line,
                bar="solid",
            )
        )
    if options.critical:
        entries.append(CellLook("Critical path", PAPER, ACCENT, bar="path"))
    return entries


def width(entries: Sequence[CellLook]) -> float:
    """The width of one row of these entries, in points."""
    return fsum(13 + 5 + text_width(entry.label, SMALL) for entry in entries) + 14 * (len(entries) - 1)


def wrap(entries: Sequence[CellLook], room: float) -> list[list[CellLook]]:
    """The entries in rows of at most `room` points."""
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
            canvas.boxes([(x, box[1], x + 6.5, box[3])], entry.fill)
            canvas.boxes([(x + 6.5, box[1], x + 13, box[3])], entry.line)
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
    canvas.boxes(boxes, look.fill, look.line, width=1.6 if look.bar == "path" else outline)
    if look.bar in ("foot", "both"):
        canvas.boxes([(x, bottom - bar, right, bottom) for x, _, right, bottom in boxes], look.line)
    if look.bar in ("head", "both"):
        canvas.boxes([(x, y, right, y + bar) for x, y, right, _ in boxes], look.line)
