"""Whether text fits: in the picture, in its shape, beside other text, and in wider fonts.

Measured in the book's font. A warning also names labels that do not fit in a wider font even when squeezed. Knows
nothing of how room is made.
"""

from __future__ import annotations

from collections.abc import Iterator

from figmill.palette import PAGE
from figmill.svg.checks.line_through_text import stands_out
from figmill.svg.document import Draft
from figmill.svg.geometry.backdrop import Ground
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.label_fit import Lettering, Seat, lettering
from figmill.svg.geometry.labels import Label, Meeting, beyond, depth
from figmill.svg.geometry.precision import view_box
from figmill.svg.spec import Sheet
from figmill.svg.steps import SpentError, Steps

CHECKS = frozenset(("text-outside", "text-overflow", "text-overlap", "text-squeezed"))
VISIBLE = 1.0  # px: less is invisible
SPILLED = 0.06  # em, within the white space at the ends of a label
TOUCH = 0.12  # em that two texts may share
SMALLER, INDEX = 0.85, 4  # share of the size of the text before an index, and the most characters of an index
SAMPLES = ((0.5, 0.5), (0.2, 0.3), (0.8, 0.7))  # points of the part that two texts share
MAX_STEPS = 500_000
FAINT = 0.3  # opacity of a watermark, which lies behind other text
LAST = 1 << 60  # an order after all others


def check_fit(draft: Draft, sheet: Sheet) -> None:
    """Warn of every label that leaves the picture or its shape, or overlaps another."""
    if CHECKS.isdisjoint(sheet.checks):
        return
    fit = lettering(draft)
    reported: set[Label] = set()
    for label in fit.outside:
        _outside(draft, label, fit, reported)
    for seat in fit.tight:
        _overflow(draft, seat, reported)
    for meeting in overlapping(draft):
        first, second = meeting.one, meeting.other
        draft.warn(
            "text-overlap",
            second.text.node,
            f"the text '{_short(second)}' lies over '{_short(first)}' by {meeting.narrow * fit.px:.0f} px",
        )
        reported |= {first, second}
    _squeezed(draft, fit, reported)


def overlapping(draft: Draft) -> Iterator[Meeting]:
    """The pairs of texts that overlap visibly: `text-overlap`."""
    fit = lettering(draft)
    ground: Ground | None = None
    for meeting in fit.meetings:
        first, second = meeting.one, meeting.other
        if (
            meeting.narrow * fit.px > _touching(first, second, fit.px)
            and not _is_faint(first, second)
            and not _is_index(first, second)
        ):
            ground = ground or _ground(draft)
            if not _is_hidden(first, second, ground) and _is_seen(first, ground) and _is_seen(second, ground):
                yield meeting


def _ground(draft: Draft) -> Ground:
    scene, box = drawn(draft), view_box(draft.root)
    assert box is not None  # otherwise there are no labels
    layers = sorted([*scene.shapes, *scene.pictures], key=lambda shape: shape.order)
    return Ground(layers, box, Steps(MAX_STEPS), scene.ids)


def _is_hidden(first: Label, second: Label, ground: Ground) -> bool:
    """Whether an area hides the lower of two texts where they overlap."""
    (a, b, c, d), (e, f, g, h) = (label.bounds(label.width) for label in (first, second))
    left, top, right, bottom = max(a, e), max(b, f), min(c, g), min(d, h)
    points = [(left + across * (right - left), top + down * (bottom - top)) for across, down in SAMPLES]
    try:
        tops = [ground.top(point, LAST) for point in points]
    except SpentError:
        return False
    return all(shape is not None and shape.order > first.text.order for shape in tops)


def _is_seen(label: Label, ground: Ground) -> bool:
    """Whether a text differs from the area that it is painted on."""
    try:
        on_an_area = ground.top(label.centre(), label.text.order) is not None
        return not on_an_area or stands_out(label, ground, PAGE[0])
    except SpentError:
        return True


def _outside(draft: Draft, label: Label, fit: Lettering, reported: set[Label]) -> None:
    over = {
        side: by
        for side, by in beyond(label, label.width, fit.view).items()
        if by * fit.px > max(VISIBLE, SPILLED * label.size * fit.px)
    }
    if over:
        far = ", ".join(f"{by * fit.px:.0f} px on the {side}" for side, by in over.items())
        far = far.replace("on the top", "at the top").replace("on the bottom", "at the bottom")
        draft.warn(
            "text-outside", label.text.node, f"the text '{_short(label)}' runs out of the picture: {far}"
        )
        reported.add(label)


def _overflow(draft: Draft, seat: Seat, reported: set[Label]) -> None:
    if max(seat.over, seat.above) <= VISIBLE:
        return
    shape = seat.area.shape.node.tag
    if seat.over > VISIBLE:
        fault = f"runs {seat.over:.0f} px out of its {shape}"
    else:
        fault = f"is {seat.above:.0f} px taller than its {shape}"
    draft.warn("text-overflow", seat.label.text.node, f"the text '{_short(seat.label)}' {fault}")
    reported.add(seat.label)


def _squeezed(draft: Draft, fit: Lettering, reported: set[Label]) -> None:
    """Labels that do not fit in a wider font even when squeezed, but fit in the book's font."""

    def final(label: Label) -> float:
        return fit.squeezed.get(label, label.wide)

    for label in fit.outside:
        over = max([0.0, *beyond(label, final(label), fit.view).values()]) * fit.px
        if label not in reported and over > VISIBLE and label.wide > label.width:
            _warn(draft, fit, label, f"runs {over:.0f} px out of the picture", reported)
    for seat in fit.tight:
        label, over = seat.label, seat.lacks(final(seat.label)) * fit.px
        if label not in reported and over > VISIBLE and label.wide > label.width:
            _warn(draft, fit, label, f"runs {over:.0f} px out of its {seat.area.shape.node.tag}", reported)
    for meeting in fit.meetings:
        first, second = meeting.one, meeting.other
        if meeting.narrow or first in reported or second in reported:
            continue
        by = depth(first, final(first), second, final(second)) * fit.px
        if by > _touching(first, second, fit.px):
            _warn(draft, fit, second, f"runs {by:.0f} px into '{_short(first)}'", reported)


def _warn(draft: Draft, fit: Lettering, label: Label, what: str, reported: set[Label]) -> None:
    how = ", even when squeezed as far as it stays readable" if label in fit.squeezed else ""
    message = f"in a wider font, the text '{_short(label)}' {what}{how}; give it more room"
    draft.warn("text-squeezed", label.text.node, message)
    reported.add(label)


def _touching(label: Label, other: Label, px: float) -> float:
    """How many px two texts may overlap: the white space around their letters."""
    return max(VISIBLE, TOUCH * min(label.size, other.size) * px)


def _is_faint(*labels: Label) -> bool:
    return any(label.text.shown[label.runs[0].node] < FAINT for label in labels)


def _is_index(first: Label, second: Label) -> bool:
    """Whether one label is the index of the other: small, short, at its end, and lower or higher."""
    small, large = sorted((first, second), key=lambda label: label.size)
    if small.size > SMALLER * large.size or len(small.words) > INDEX or small.along != large.along:
        return False
    along, up = large.frame(small.at(small.span(small.width)[0], 0.0))
    _, end = large.span(large.width)
    return abs(along - end) <= 0.6 * large.size and 0.1 * large.size <= abs(up) <= 0.7 * large.size


def _short(label: Label) -> str:
    text = label.words
    return text if len(text) <= 40 else text[:39] + "…"
