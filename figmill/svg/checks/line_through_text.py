"""Lines that run through text: a connector over a label, an edge of a shape between two letters.

A line counts only where readers see it: not below an area or a halo that belongs to the text, and not if it is as faint
as a grid. Not reported: strokes that belong to the text (underlines, strikethroughs, fraction bars, a broad band behind
it), lifelines behind the messages of a sequence diagram, and lines in a mask, which tools cut open for text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise

from figmill.font_metrics import width as measured
from figmill.palette import PAGE
from figmill.svg.checks.ratios import ratio
from figmill.svg.document import Draft
from figmill.svg.geometry.backdrop import Ground
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.label_fit import Lettering, lettering
from figmill.svg.geometry.labels import LEVEL, Label
from figmill.svg.geometry.outlines import Bounds, Point
from figmill.svg.geometry.precision import view_box
from figmill.svg.geometry.rectangles import has
from figmill.svg.geometry.stripes import Stripes
from figmill.svg.geometry.strokes import Stroke, clipped, strokes
from figmill.svg.geometry.structure import structure
from figmill.svg.passes.page import page_colour
from figmill.svg.spec import Sheet
from figmill.svg.steps import SpentError, Steps

CHECK = "line-through-text"
# em above the baseline, and below the top of the letters: between these a line cuts them
LOW, HIGH = 0.1, 0.09
# em, and share of the width, at each end: the letters there may be narrower elsewhere
ENDS, SHARE = 0.25, 0.06
LEAST = 0.3  # em of a line within the letters
FAINT = 2.2  # contrast of a grid line
INVISIBLE = 1.3  # contrast below which nobody sees a text
PALE = 0.3  # opacity of a watermark
BAND = 0.7  # em: a broader line behind text is an area
LONG, HAIRLINE = 6.0, 0.8  # em, the least length of a lifeline; px, the width of one that is not dashed
MOST = 3000  # labels, and
MOST_SHAPES = 60_000  # shapes: a drawing with more is data
CLEAR = 4.0  # px between a text and a line, where it is moved to
MAX_STEPS = 2_000_000


def check_lines(draft: Draft, sheet: Sheet) -> None:
    """Warn of every label with a visible line through its letters."""
    view = view_box(draft.root)
    if CHECK not in sheet.checks or view is None:
        return
    fit, scene = lettering(draft), drawn(draft)
    masked = {at for effect in scene.effects if "mask" in effect.node.attrib for at in range(*effect.shapes)}
    if not fit.every or len(fit.every) > MOST or len(scene.shapes) > MOST_SHAPES:
        return
    boxes = Stripes([label.bounds(label.width) for label in fit.every], lambda box: box, fit.view)
    shapes = (shape for number, shape in enumerate(scene.shapes) if number not in masked and not shape.rough)
    every = list(strokes(shapes, boxes))
    layers = sorted([*scene.shapes, *scene.pictures], key=lambda shape: shape.order)
    ground = Ground(layers, view, Steps(MAX_STEPS), scene.ids)
    near = Stripes(every, lambda stroke: stroke.box, fit.view)
    page = page_colour(sheet) or PAGE[0]
    with suppress(SpentError):  # keep what was found so far
        for label in fit.every:
            line = next(_through(label, fit, near, ground, page), None)
            if line is not None:
                where = "over" if line.shape.order > label.text.order else "through"
                in_box = any(label in box.labels for box in structure(draft).boxes)
                cure = "lead it around" if in_box else _aside(label, line, fit.px)
                draft.warn(CHECK, label.text.node, f"a line runs {where} the text '{short(label)}'; {cure}")


def _through(
    label: Label, fit: Lettering, near: Stripes[Stroke], ground: Ground, page: str
) -> Iterator[Stroke]:
    if label.text.shown[label.runs[0].node] < PALE or has_halo(label):
        return
    is_seen: bool | None = None
    em = label.size
    core = _core(label)
    for stroke in near.meeting(label.bounds(label.width)):
        shape = stroke.shape
        is_behind = shape.order < label.text.order
        if _is_part(stroke, label):
            continue
        if is_behind and (stroke.width >= BAND * em or _is_lifeline(stroke, label, fit.px)):
            continue
        framed = [label.frame(point) for point in stroke.points]
        parts = [part for pair in pairwise(framed) if (part := clipped(pair, core)) is not None]
        if not parts or sum(_long(part) for part in parts) < LEAST * em or _is_in_a_gap(parts, label):
            continue
        longest = max(parts, key=_long)
        middle = (longest[0][0] + longest[1][0]) / 2, (longest[0][1] + longest[1][1]) / 2
        point = label.at(*middle)
        if shape.clip is not None and not has(shape.clip, point):
            continue
        top = ground.top(point, label.text.order if is_behind else _LAST)
        if top is not None and top is not shape and top.order > shape.order:
            continue  # an area hides it
        if _is_seen(stroke, ground.behind(point, shape.order, page)):
            is_seen = stands_out(label, ground, page) if is_seen is None else is_seen
            if is_seen:
                yield stroke


def _aside(label: Label, line: Stroke, px: float) -> str:
    """The shortest move of a text that takes it off a line."""
    if label.along != LEVEL:
        return "move it aside"
    framed = [label.frame(point) for point in line.points]
    start, end = label.span(label.width)
    far = label.size * label.width + max(abs(number) for point in framed for number in point)
    over = _within(framed, (start, -far, end, far))  # what lies above or below it, and beside it
    beside = _within(framed, (-far, label.bottom, far, label.top))
    moves = {
        "up": max(y for _, y in over) - label.bottom,
        "down": label.top - min(y for _, y in over),
        "right": max(x for x, _ in beside) - start,
        "left": end - min(x for x, _ in beside),
    }
    way = min(moves, key=moves.__getitem__)
    return f"move it {math.ceil(moves[way] * px + line.width * px / 2 + CLEAR)} px {way}"


def _within(line: list[Point], box: Bounds) -> list[Point]:
    """The ends of the parts of a line in a box."""
    return [point for pair in pairwise(line) if (part := clipped(pair, box)) is not None for point in part]


_LAST = 1 << 60  # an order after all others


def stands_out(label: Label, ground: Ground, page: str) -> bool:
    """Whether a text differs from what is painted behind it; if not, it is on the content of a marker or a mask."""
    ink = label.text.inks.get(label.runs[0].node)
    if ink is None:
        return True
    behind = ground.behind(label.centre(), label.text.order, page)
    return all(ratio(ink[0], colour) >= INVISIBLE for colour in behind)


def _core(label: Label) -> Bounds:
    """The box in a label's frame that certainly contains letters: first along, lowest, last along, highest."""
    start, end = label.span(label.width)
    inset = min(ENDS * label.size + SHARE * label.width, label.width / 3)
    return start + inset, LOW * label.size, end - inset, label.top - HIGH * label.size


def _is_part(stroke: Stroke, label: Label) -> bool:
    """Whether a line belongs to the text: it lies within the text, or runs along it and is as long."""
    framed = [label.frame(point) for point in stroke.points]
    start, end = label.span(label.width)
    along = [x for x, _ in framed]
    up = [y for _, y in framed]
    em = label.size
    return start - em <= min(along) and max(along) <= end + em and -em <= min(up) and max(up) <= 1.3 * em


def _is_lifeline(stroke: Stroke, label: Label, px: float) -> bool:
    """Whether a line is straight, thin or dashed, and crosses the text, like a lifeline behind its messages."""
    if len(stroke.points) > 2 and not stroke.is_closed:
        return False
    framed = [label.frame(point) for point in stroke.points]
    along, up = zip(*framed, strict=True)
    is_across = max(along) - min(along) <= 0.1 * label.size and max(up) - min(up) >= LONG * label.size
    return is_across and (stroke.shape.dashes != "none" or stroke.width * px <= HAIRLINE)


def _is_in_a_gap(parts: list[tuple[Point, Point]], label: Label) -> bool:
    """Whether a line passes between two words."""
    left = min(min(start[0], end[0]) for start, end in parts)
    right = max(max(start[0], end[0]) for start, end in parts)
    if right - left > 0.3 * label.size:
        return False
    middle = (left + right) / 2 - label.span(label.width)[0]
    at = 0.0
    natural = sum(run.width for run in label.runs) or 1.0
    scale = label.width / natural
    for run in label.runs:
        style = run.type.bold, run.type.italic, run.type.mono
        whole = measured(run.text, *style) or 1.0
        for number, character in enumerate(run.text):
            if character.isspace():
                before = at + scale * run.width * measured(run.text[:number], *style) / whole
                after = at + scale * run.width * measured(run.text[: number + 1], *style) / whole
                if before - 0.15 * label.size <= middle <= after + 0.15 * label.size:
                    return True
        at += scale * run.width
    return False


def _long(part: tuple[Point, Point]) -> float:
    (x0, y0), (x1, y1) = part
    return float(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)


def _is_seen(stroke: Stroke, behind: frozenset[str]) -> bool:
    """Whether a line stands out from what lies behind it; on a picture it always does."""
    return all(ratio(tone, colour) >= FAINT for tone in stroke.shape.stroke[:1] for colour in behind)


def has_halo(label: Label) -> bool:
    """Whether the letters have an outline of their own, which separates them from lines."""
    return any(run.node in label.text.outlined for run in label.runs)


def short(label: Label) -> str:
    text = label.words
    return text if len(text) <= 40 else text[:39] + "…"
