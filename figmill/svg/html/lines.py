"""Sets a paragraph in lines: breaks them at the width of the box, and places baselines as browsers do.

CSS 2.1, 10.8, with the rounding of Chromium. Knows nothing of where the box is placed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from figmill.svg.html.boxes import CssBox, LaidBox, LineBox, LinePiece, Plate
from figmill.svg.html.breaks import Wrapping
from figmill.svg.html.css.values import px
from figmill.svg.html.paragraph import (
    NO_BREAK,
    PRESERVED,
    Inline,
    InlineRun,
    Paragraph,
    extent,
    leaded,
    lifted,
    measure,
)

EDGE = 1 / 64  # px: browsers' layout unit; a line may exceed its box by one unit of rounding


LineLimits = Callable[[CssBox], "tuple[float, float]"]
Shrunk = Callable[[CssBox, float], LaidBox]


def limits(paragraph: Paragraph, of: LineLimits) -> tuple[float, float]:
    """The smallest width without overflow, and the width with forced breaks only.

    of: the same two widths of an inline block.
    """
    least = most = 0.0
    start = 0
    if paragraph.atoms:
        measure(paragraph, lambda run: of(run.box)[0] if run.box else 0.0)
    for stop in sorted({*paragraph.stops, *paragraph.forced, len(paragraph.text)}):
        least = max(least, _breadth(paragraph, start, stop))
        start = stop
    if paragraph.atoms:
        measure(paragraph, lambda run: of(run.box)[1] if run.box else 0.0)
    start = 0
    for stop in (*paragraph.forced, len(paragraph.text)):
        most = max(most, _breadth(paragraph, start, stop))
        start = stop
    return least, most


def _breadth_of_atom(run: InlineRun) -> float:
    return 0.0 if run.atom is None else run.atom.left + run.atom.width + run.atom.right


def _breadth(paragraph: Paragraph, start: int, stop: int) -> float:
    """The width of these characters as a line; trailing spaces do not count."""
    while stop > start and paragraph.text[stop - 1] in " \n":
        stop -= 1
    return paragraph.ends[stop - 1] - (paragraph.ends[start - 1] if start else 0.0) if stop > start else 0.0


def set_lines(paragraph: Paragraph, room: float, shrunk: Shrunk) -> LaidBox:
    """Set the paragraph in lines of this width. shrunk: lays out an inline block in that width."""
    laid = LaidBox(room, 0.0)
    for run in paragraph.atoms:
        run.atom = shrunk(run.box, room) if run.box is not None else None
    if paragraph.atoms:
        measure(paragraph, _breadth_of_atom)
    start = 0
    for number, stop in enumerate(_stops(paragraph, room)):
        _line(paragraph, start, stop, room, laid, paragraph.style.text_indent if number == 0 else 0.0)
        start = stop
    return laid


def _stops(paragraph: Paragraph, room: float) -> list[int]:
    """The index at which each line ends."""
    ends: list[int] = []
    start, last = 0, 0  # start of the line; last allowed end
    allowed = sorted({*paragraph.stops, *paragraph.forced, len(paragraph.text)})
    forced = set(paragraph.forced)
    for stop in allowed:
        indent = paragraph.style.text_indent if not ends else 0.0
        if last > start and _breadth(paragraph, start, stop) + indent > room + EDGE:
            ends.append(last)
            start, indent = last, 0.0
        for end in _torn(paragraph, start, stop, room - indent):
            ends.append(end)
            start = end
        last = stop
        if stop in forced:
            ends.append(stop)
            start = last = stop
    if start < len(paragraph.text):
        ends.append(len(paragraph.text))
    return ends


def _torn(paragraph: Paragraph, start: int, stop: int, room: float) -> list[int]:
    """The breaks inside a word that is wider than its line, if its style allows them."""
    ends: list[int] = []
    if paragraph.wrapping[start] is not Wrapping.EMERGENCY:
        return ends
    while _breadth(paragraph, start, stop) > room + EDGE:
        zero = paragraph.ends[start - 1] if start else 0.0
        end = max(start + 1, bisect_right(paragraph.ends, zero + room + EDGE, start, stop))
        if end >= stop:
            break
        ends.append(end)
        start = end
    return ends


def _line(paragraph: Paragraph, start: int, stop: int, room: float, laid: LaidBox, indent: float) -> None:
    """Add one line to the layout."""
    style = paragraph.style
    end = stop
    while end > start and paragraph.text[end - 1] in " \n":
        end -= 1
    width = _breadth(paragraph, start, end) + indent
    free = max(0.0, room - width)
    share = {"center": 0.5, "-webkit-center": 0.5, "right": 1.0, "end": 1.0}.get(style.text_align, 0.0)
    zero = free * share + indent - (paragraph.ends[start - 1] if start else 0.0)
    runs = _within(paragraph, start, max(end, start + 1))
    above, under = leaded(style)
    for run in runs:
        if run.atom is None:
            up, down = leaded(run.style)
            above, under = max(above, up - run.shift), max(under, down + run.shift)
        else:
            whole = run.atom.top + run.atom.height + run.atom.bottom
            above, under = max(above, lifted(run)), max(under, whole - lifted(run))
    base = laid.height + above
    laid.parts += _grounds(paragraph, runs, start, end, zero, base)
    anchor = "start" if not share else "middle" if share == 0.5 else "end"
    pieces: list[LinePiece] = []
    left = 0.0

    def flush(upto: float) -> None:
        if any(piece.text.strip() for piece in pieces):
            laid.parts.append(
                (left, base, LineBox(tuple(pieces), upto - left, anchor if whole_line else "start"))
            )
        pieces.clear()

    whole_line = all(run.atom is None for run in runs) and not any(
        at in paragraph.before or at in paragraph.after for at in range(start, end + 1)
    )
    x = zero + (paragraph.ends[start - 1] if start else 0.0)
    for run in runs:
        first, last = max(run.start, start), min(run.end, end)
        if last <= first:
            continue
        gap = paragraph.before.get(first, 0.0) + (paragraph.after.get(first, 0.0) if first > start else 0.0)
        if run.atom is not None:
            flush(x)
            ahead = paragraph.before.get(first, 0.0)
            laid.parts.append((x + ahead + run.atom.left, base - lifted(run) + run.atom.top, run.atom))
        else:
            if gap:
                flush(x)
            while not pieces and first < last and paragraph.text[first] == " ":
                first += 1  # a leading space is not drawn
            if first == last:
                x = zero + paragraph.ends[last - 1]
                continue
            if not pieces:
                left = zero + (paragraph.ends[first - 1] if first else 0.0) + paragraph.before.get(first, 0.0)
            text = paragraph.text[first:last].replace("\n", "").replace("\u200b", "").replace("\u00ad", "")
            if run.style.white_space in PRESERVED:
                text = text.replace(" ", NO_BREAK) if "  " in text or text.strip(" ") != text else text
            if text and run.style.is_visible:
                pieces.append(LinePiece(text, run.style, run.shift, run.href))
        x = zero + paragraph.ends[last - 1]
        if last in paragraph.after:
            x_inside = x - paragraph.after[last]
            flush(x_inside)
    flush(x)
    if laid.first is None:
        laid.first = base
    laid.last = base
    laid.height += above + under


def _within(paragraph: Paragraph, start: int, stop: int) -> list[InlineRun]:
    at = max(0, bisect_right(paragraph.starts, start) - 1)
    runs = []
    while at < len(paragraph.runs) and paragraph.runs[at].start < stop:
        runs.append(paragraph.runs[at])
        at += 1
    return runs


def _grounds(
    paragraph: Paragraph, runs: list[InlineRun], start: int, end: int, zero: float, base: float
) -> list[tuple[float, float, Plate]]:
    """The backgrounds of inline boxes in a line, outermost first."""
    spans: dict[Inline, list[float]] = {}
    for run in runs:
        first, last = max(run.start, start), min(run.end, end)
        if last <= first:
            continue
        left = zero + (paragraph.ends[first - 1] if first else 0.0) + paragraph.before.get(first, 0.0)
        right = zero + paragraph.ends[last - 1] - paragraph.after.get(last, 0.0)
        for box in run.around:
            span = spans.setdefault(box, [left - box.left, right, run.shift])
            span[1] = right
    plates = []
    for box, (left, right, shift) in spans.items():
        if not box.style.is_visible:
            continue
        up, down = extent(box.style)
        up += px(box.style.padding.top) + box.style.borders[0].width
        down += px(box.style.padding.bottom) + box.style.borders[2].width
        plates.append((left, base + shift - up, Plate(right + box.right - left, up + down, box.style)))
    return plates
