"""A path of links with their rates: where the bottleneck is, and what a transfer takes in whole or in chunks."""

from __future__ import annotations

from typing import Annotated, Any

from annotated_types import Interval
from matplotlib.lines import Line2D

from figmill import Drawing
from figmill.palette import GRID, MUTED, role
from figmill_timelines.bounds import hold, within
from figmill_timelines.charts.canvas import Canvas, text_width
from figmill_timelines.charts.gantt import ticks
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.models import link_path
from figmill_timelines.models.link_path import ChainLink
from figmill_timelines.plots import gaps, page
from figmill_timelines.quantities import duration, number, percent, plural, quantity, scale
from figmill_timelines.titles import titled

BUSY = CellLook("Bytes enter the link", role("compute").fill, role("compute").line)
SLOW = CellLook("Bottleneck", role("error").fill, role("error").line, bar="foot")


def draw(
    links: list[Any] | None = None,
    size_mb: Annotated[float, Interval(ge=1e-6, le=1e12)] = 1000,
    chunk_mb: Annotated[float, Interval(ge=1e-9, le=1e12)] | None = 64,
    title: str = "",
) -> Drawing:
    """Facts: bottleneck, bottleneck_bytes_per_s, transfer_s, store_and_forward_s, chunks, last_chunk_bytes, efficiency,
    store_and_forward_efficiency, seconds_per_link, latency_s, latency_share.

    links: 1 to 10, from source to target, each the name of a known one (PCIe 5.0 x16, NVLink 4, HBM3, Wi-Fi 6,
    BLE 2M, ...) or a mapping of name, gb_s (10^9 bytes a second) and latency_us. size_mb: 10^6 bytes. chunk_mb: of a
    chunk, null to send the whole from link to link. title: what to see.
    """
    hold(draw, locals())
    given = ["NVMe SSD", "PCIe 4.0 x16", "DDR5-4800", "PCIe 5.0 x16", "HBM3"] if links is None else links
    within(1, 10, links=len(given))
    path = [_link(row) for row in given]
    size, chunk = size_mb * 1e6, chunk_mb and chunk_mb * 1e6
    facts = link_path.facts(path, size, chunk)
    slow = link_path.slowest(path)
    heading = titled(title, _heading(path, size, facts), facts)
    ways = [("Each link hands on the whole", link_path.transfer(path, size))]
    if facts["chunks"] > 1:
        each = f"{plural(facts['chunks'], 'chunk')} of {quantity(chunk or size, 'B')}"
        last = facts["last_chunk_bytes"]
        if chunk and last < chunk * (1 - 1e-9):
            each += f", the last of {quantity(last, 'B')}"
        ways.append((f"In {each}", link_path.transfer(path, size, chunk)))
    keys = [page.Key(SLOW.label, SLOW), page.Key(BUSY.label, BUSY)]
    rates = [_rate(link) for link in path]
    left = (
        page.MARGIN
        + 12  # room for a reader's wider font
        + max(text_width(name, size) for row in rates for name, size in zip(row, (9.0, 8.0), strict=True))
    )
    pitches = [25.0, *[20.0] * (len(ways) - 1)]
    height = sum(24 + pitch * len(path) + 8 for pitch in pitches) + 34
    canvas, top = page.start(heading, keys, height, left)
    canvas.tell("Links", (_row(link, size) for link in path))
    canvas.tell("Transfers", ({"Way": name, "Time (s)": way.seconds} for name, way in ways))
    end = max(way.seconds for _, way in ways)
    right = page.WIDTH - page.MARGIN
    for (name, way), pitch in zip(ways, pitches, strict=True):
        canvas.text(left, top + 7, name, 9.5, bold=True)
        note = f"{duration(way.seconds)}, {percent(size / slow.rate / way.seconds)} of the bottleneck's rate"
        canvas.text(right, top + 7, note, 9.0, MUTED[0], align="right")
        top += 24
        lines = _lanes(canvas, path, way, (left, right), top, pitch, end)
        if way is ways[0][1]:
            times = [size / link.rate for link in path]
            _describe(canvas, rates, times, way, lines, (left, right), top, pitch, end)
        else:
            for lane, link in enumerate(path):
                canvas.text(left - 8, top + lane * pitch + 7.5, link.name, 9.0, align="right")
        top += pitch * len(path) + 8
    factor, unit = scale(end, "s") if end < 100 else _longer(end)
    for tick in ticks(end / factor, 10):
        x = left + (right - left) * tick * factor / end
        canvas.text(x, top + 5, number(tick), 8.0, MUTED[0], align="center")
    canvas.text((left + right) / 2, top + 19, f"Time in {unit}", 8.0, MUTED[0], align="center")
    return Drawing(canvas.figure, facts)


def _row(link: ChainLink, size: float) -> dict[str, Any]:
    """A link as a row for readers who cannot see it. size: bytes of the transfer."""
    return {
        "Link": link.name,
        "Rate (B/s)": link.rate,
        "Latency (s)": link.latency,
        "Time for all bytes (s)": size / link.rate,
    }


def _heading(path: list[ChainLink], size: float, facts: dict[str, Any]) -> str:
    """The title: what limits the transfer, a link or the latency of the path."""
    takes = f"{quantity(size, 'B')} takes {duration(facts['transfer_s'])}"
    slow = link_path.slowest(path)
    if facts["latency_share"] > 0.5:
        return f"Latency is {percent(facts['latency_share'])} of the way: {takes}"
    if len(path) > 1 and all(link.rate == slow.rate for link in path):
        return f"All links are equally fast: {takes}"
    return f"{slow.name} sets the pace: {takes}"


def _rate(link: ChainLink) -> tuple[str, str]:
    """The two lines at a lane: the link's name, and its rate with what that is the rate of."""
    return link.name, ", ".join(filter(None, (quantity(link.rate, "B/s"), link.what)))


def _describe(
    canvas: Canvas,
    rates: list[tuple[str, str]],
    seconds: list[float],
    way: link_path.Transfer,
    lines: list[Line2D],
    between: tuple[float, float],
    top: float,
    pitch: float,
    end: float,
) -> None:
    """Write each link's name and rate at its lane, and beside its bar, in a gap of the line, the time for all bytes."""
    left, right = between
    for lane, ((name, rate), time, spans) in enumerate(zip(rates, seconds, way.busy, strict=True)):
        y = top + lane * pitch
        canvas.text(left - 8, y + 4, name, 9.0, align="right")
        canvas.text(left - 8, y + 14, rate, 8.0, MUTED[0], align="right")
        text = duration(time)
        start, stop = (left + (right - left) * place / end for place in (spans[0][0], spans[-1][1]))
        width = text_width(text, 8.0)
        x = stop + 6 if stop + 6 + width <= right else start - 6 - width
        if x < left:  # the bar takes all the room
            x = (start + stop - width) / 2
        else:
            edges = (stop, x + width + 2) if x > stop else (x - 2, start)
            gaps.leave_out(lines[lane], (edges[0], y + 2, edges[1], y + 13))
            gaps.drop_stubs(lines[lane])  # beside a label, a short piece looks like a dash
        canvas.text(x, y + 7.5, text, 8.0)


def _lanes(
    canvas: Canvas,
    path: list[ChainLink],
    way: link_path.Transfer,
    between: tuple[float, float],
    top: float,
    pitch: float,
    end: float,
) -> list[Line2D]:
    """Draw each link's line with its bars; returns the lines."""
    left, right = between
    slow, room = link_path.slowest(path), (right - left) / end
    lines = []
    for lane, (link, spans) in enumerate(zip(path, way.busy, strict=True)):
        y = top + lane * pitch
        lines.append(canvas.line([(left, y + 7.5), (right, y + 7.5)], GRID[0], 0.6))
        look = SLOW if link is slow else BUSY
        starts = [(left + start * room, left + stop * room) for start, stop in _drawn(spans, 1.5 / room)]
        boxes = [(x, y, max(after, x + 0.6), y + 15) for x, after in starts]
        canvas.boxes(boxes, look.fill, look.line, 0.7)
        if link is slow:
            canvas.boxes([(x, bottom - 2, right_, bottom) for x, _, right_, bottom in boxes], look.line)
    return lines


def _drawn(spans: link_path.Spans, visible: float) -> list[tuple[float, float]]:
    """Chunks as cells, or joined if the cells and the gaps between them are too thin to see."""
    joined: list[tuple[float, float]] = []
    for start, end in spans:
        if joined and end - start < visible and start - joined[-1][1] < visible:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _longer(seconds: float) -> tuple[float, str]:
    for length, unit in ((86400.0, "days"), (3600.0, "h")):
        if seconds >= 1.6 * length:
            return length, unit
    return 60.0, "min"


def _link(row: Any) -> ChainLink:
    if isinstance(row, str):
        if row not in link_path.KNOWN:
            raise ValueError(
                f"no link '{row}'; known are {', '.join(link_path.KNOWN)}, others take name and gb_s"
            )
        known = link_path.KNOWN[row]
        return ChainLink(row, known.gb_s * 1e9, known.latency_us * 1e-6, known.what)
    if not isinstance(row, dict) or not {"name", "gb_s"} <= row.keys() <= {"name", "gb_s", "latency_us"}:
        raise ValueError(f"a link is a name, or a mapping of name, gb_s and latency_us, not {row!r}")
    for key in ("gb_s", "latency_us"):
        if isinstance(row.get(key, 0), bool) or not isinstance(row.get(key, 0), int | float):
            raise ValueError(f"{key} of link '{row['name']}' must be a number, not {row[key]!r}")
    if not 1 <= len(str(row["name"])) <= 24:
        raise ValueError(f"the name of a link has 1 to 24 characters, not '{row['name']}'")
    within(1e-9, 1e9, **{f"gb_s of link '{row['name']}'": row["gb_s"]})
    within(0, 1e12, **{f"latency_us of link '{row['name']}'": row.get("latency_us", 0)})
    return ChainLink(str(row["name"]), row["gb_s"] * 1e9, row.get("latency_us", 0) * 1e-6)
