"""Whether words fit: in the picture, in their shapes, beside each other, and in wider fonts.

Measured in the book's font. A warning also names words that do not fit in a wider font even when squeezed. Unaware of
how room is made.
"""

from __future__ import annotations

from figmill.svg.document import Draft
from figmill.svg.geometry.label_fit import Lettering, Seat, lettering
from figmill.svg.geometry.labels import Label, beyond, depth
from figmill.svg.spec import Sheet

CHECKS = frozenset(("text-outside", "text-overflow", "text-overlap", "text-squeezed"))
TOLD = 1.0  # px: less is invisible
SPILLED = 0.06  # em, within the white space at the ends of words
TOUCH = 0.12  # em that two texts may share
FAINT = 0.3  # opacity of a watermark, which lies behind other words


def check_fit(draft: Draft, sheet: Sheet) -> None:
    """Warn of every label that leaves the picture or its shape, or overlaps another."""
    if CHECKS.isdisjoint(sheet.checks):
        return
    found = lettering(draft)
    told: set[Label] = set()
    for label in found.outside:
        _outside(draft, label, found, told)
    for seat in found.tight:
        _overflow(draft, seat, told)
    for meeting in found.meetings:
        one, other, by = meeting.one, meeting.other, meeting.narrow * found.px
        if by > _touching(one, other, found.px) and not _is_faint(one, other):
            draft.warn("text-overlap", other.text.node,
                       f"the words '{_short(other)}' lie over '{_short(one)}' by {by:.0f} px")  # fmt: skip
            told |= {one, other}
    _squeezed(draft, found, told)


def _outside(draft: Draft, label: Label, found: Lettering, told: set[Label]) -> None:
    over = {side: by for side, by in beyond(label, label.width, found.view).items()
            if by * found.px > max(TOLD, SPILLED * label.size * found.px)}  # fmt: skip
    if over:
        far = ", ".join(f"{by * found.px:.0f} px on the {side}" for side, by in over.items())
        far = far.replace("on the top", "at the top").replace("on the bottom", "at the bottom")
        draft.warn(
            "text-outside", label.text.node, f"the words '{_short(label)}' run out of the picture: {far}"
        )
        told.add(label)


def _overflow(draft: Draft, seat: Seat, told: set[Label]) -> None:
    if max(seat.over, seat.above) <= TOLD:
        return
    shape = seat.area.shape.node.tag
    if seat.over > TOLD:
        words = f"run {seat.over:.0f} px out of their {shape}"
    else:
        words = f"are {seat.above:.0f} px taller than their {shape}"
    draft.warn("text-overflow", seat.label.text.node, f"the words '{_short(seat.label)}' {words}")
    told.add(seat.label)


def _squeezed(draft: Draft, found: Lettering, told: set[Label]) -> None:
    """Labels that do not fit in a wider font even when squeezed, but fit in the book's font."""

    def final(label: Label) -> float:
        return found.squeezed.get(label, label.wide)

    for label in found.outside:
        over = max([0.0, *beyond(label, final(label), found.view).values()]) * found.px
        if label not in told and over > TOLD and label.wide > label.width:
            _tell(draft, label, f"run {over:.0f} px out of the picture", told)
    for seat in found.tight:
        label, over = seat.label, seat.lacks(final(seat.label)) * found.px
        if label not in told and over > TOLD and label.wide > label.width:
            _tell(draft, label, f"run {over:.0f} px out of their {seat.area.shape.node.tag}", told)
    for meeting in found.meetings:
        one, other = meeting.one, meeting.other
        if meeting.narrow or one in told or other in told:
            continue
        by = depth(one, final(one), other, final(other)) * found.px
        if by > _touching(one, other, found.px):
            _tell(draft, other, f"run {by:.0f} px into '{_short(one)}'", told)


def _tell(draft: Draft, label: Label, what: str, told: set[Label]) -> None:
    draft.warn("text-squeezed", label.text.node,
               f"in a wider font the words '{_short(label)}' {what}, squeezed as far as can be read; "
               "give them more room")  # fmt: skip
    told.add(label)


def _touching(one: Label, other: Label, px: float) -> float:
    """How many px two texts may overlap: the white space around their letters."""
    return max(TOLD, TOUCH * min(one.size, other.size) * px)


def _is_faint(*labels: Label) -> bool:
    return any(label.text.shown[label.runs[0].node] < FAINT for label in labels)


def _short(label: Label) -> str:
    words = label.words
    return words if len(words) <= 40 else words[:39] + "…"
