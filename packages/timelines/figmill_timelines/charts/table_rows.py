"""The panels of a Gantt chart as rows of tables, for readers who cannot see the chart. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from figmill_timelines.charts import looks
from figmill_timelines.charts.canvas import Canvas, TableCell
from figmill_timelines.charts.layout import ChartOptions
from figmill_timelines.spans import Span, Timeline

IDLE = {
    "warm-up": "idle: warm-up",
    "dependency": "idle: waits for another lane",
    "p2p": "idle: waits for a transfer",
    "waiting": "idle",
    "tail": "idle: tail",
    "beside": "idle: another lane of its device works",
}


def tell(
    canvas: Canvas,
    name: str,
    timeline: Timeline,
    options: ChartOptions,
    behind: Mapping[int, str],
    upward: bool,
) -> None:
    """Record the phases of a timeline, lane by lane, for readers who cannot see the chart.

    behind: the words behind the bars of lanes, which stand beside their names here. upward: odd chunks run up.
    """
    lanes = tuple(
        f"{lane} ({behind[number]})" if number in behind else lane
        for number, lane in enumerate(timeline.lanes)
    )
    rows = phases(replace(timeline, lanes=lanes), options.scale, unit_of(options.axis), upward)
    canvas.tell(name or "Phases", rows)


def unit_of(axis: str) -> str:
    """The unit in the name of an axis: `Time in ms (...)`."""
    words = axis.split()
    return f" ({words[2].rstrip(',')})" if words[:2] == ["Time", "in"] and len(words) > 2 else ""


def phases(
    timeline: Timeline, scale: float = 1.0, unit: str = "", upward: bool = False
) -> Iterator[dict[str, TableCell]]:
    """Each span and gap of the drawing: its lane, its kind of work, its chunk if there are several, its start and end.

    upward: odd chunks run up the pipeline.
    """
    idle = {*timeline.idle}
    chunks = any(span.chunk for span in timeline.spans)
    for span in sorted((*timeline.spans, *timeline.idle), key=lambda span: (span.lane, span.start, span.row)):
        row: dict[str, TableCell] = {"lane": timeline.lanes[span.lane]} if any(timeline.lanes) else {}
        row["work"] = IDLE.get(span.kind, span.kind) if span in idle else _work(span)
        if chunks and upward:
            row["direction"] = "" if span in idle else "up" if span.chunk else "down"
        elif chunks:
            row["chunk"] = "" if span in idle else span.chunk
        yield row | {f"start{unit}": span.start * scale, f"end{unit}": span.end * scale}


def _work(span: Span) -> str:
    label = looks.of(span.kind).label
    number = span.label or (str(span.microbatch) if span.microbatch >= 0 else "")
    return f"{label} {number}".strip()
