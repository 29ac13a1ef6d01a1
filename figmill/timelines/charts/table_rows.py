"""The panels of a Gantt chart as rows of tables, for readers who cannot see the chart. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from figmill.timelines.charts import looks
from figmill.timelines.charts.canvas import Canvas, TableCell
from figmill.timelines.charts.layout import ChartOptions
from figmill.timelines.spans import Span, Timeline

IDLE = {
    "warm-up": "idle: warm-up",
    "dependency": "idle: waits for another lane",
    "p2p": "idle: waits for a transfer",
    "waiting": "idle",
    "tail": "idle: tail",
    "beside": "idle: another lane of its device works",
}


def tell(canvas: Canvas, name: str, timeline: Timeline, options: ChartOptions) -> None:
    """Record the phases of a timeline, lane by lane, for readers who cannot see the chart."""
    canvas.tell(name or "Phases", phases(timeline, options.scale, unit_of(options.axis)))


def unit_of(axis: str) -> str:
    """The unit in the name of an axis: `Time in ms (...)`."""
    words = axis.split()
    return f" ({words[2].rstrip(',')})" if words[:2] == ["Time", "in"] and len(words) > 2 else ""


def phases(timeline: Timeline, scale: float = 1.0, unit: str = "") -> Iterator[dict[str, TableCell]]:
    """Each span and gap: its lane, what it is, when it starts and ends. Equal neighbours without labels are one row."""
    every = sorted((*timeline.spans, *timeline.idle), key=lambda span: (span.lane, span.start, span.row))
    idle = {*timeline.idle}
    for first, last in _joined(every, idle):
        work = IDLE.get(first.kind, first.kind) if first in idle else _work(first)
        yield {
            "lane": timeline.lanes[first.lane],
            "work": work,
            f"start{unit}": first.start * scale,
            f"end{unit}": last.end * scale,
        }


def _joined(spans: Sequence[Span], idle: set[Span]) -> Iterator[tuple[Span, Span]]:
    start = last = None
    for span in spans:
        is_alike = (
            last is not None
            and start is not None
            and not span.label
            and (span.lane, span.kind, span.label, span.row, span.microbatch, span.chunk)
            == (start.lane, start.kind, start.label, start.row, start.microbatch, start.chunk)
            and abs(span.start - last.end) < 1e-9
            and (span in idle) == (start in idle)
        )
        if not is_alike:
            if start is not None and last is not None:
                yield start, last
            start = span
        last = span
    if start is not None and last is not None:
        yield start, last


def _work(span: Span) -> str:
    label = looks.of(span.kind).label
    number = span.label or (str(span.microbatch) if span.microbatch >= 0 else "")
    return f"{label} {number}".strip()
