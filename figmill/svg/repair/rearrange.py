"""Rearranges a drawing: for each finding of the layout, the first of its alternatives that helps.

An alternative is tried on a copy, which then goes through all passes and checks again. It is kept if the drawing says
the same as before (kept.py), there are fewer findings, and no check has more than before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import TypeAlias

from figmill.palette import PAGE
from figmill.svg.document import Draft
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.parts import parts_of
from figmill.svg.passes.page import page_colour
from figmill.svg.pipeline import settled
from figmill.svg.repair.apply import apply, movable
from figmill.svg.repair.boxes import equalise, part, snap, space
from figmill.svg.repair.ends import to_box, to_outline
from figmill.svg.repair.kept import content, is_kept
from figmill.svg.repair.labels import apart, clear_of_lines, into_boxes, to_lines, with_clearance
from figmill.svg.repair.moves import Move
from figmill.svg.repair.room import FreeRoom
from figmill.svg.repair.routes import bypass, straighten
from figmill.svg.repair.widths import fit
from figmill.svg.spec import Sheet, SvgError
from figmill.svg.xml.serialise import serialise

Decide: TypeAlias = Callable[[Draft, FreeRoom], Iterator[Iterator[Move]]]

MOST_TRIES = 5  # alternatives of one finding
MOST_MOVES = 200  # of a check in one drawing
ENDS = frozenset(("arrow-inside", "short-arrow"))  # what a move of a box may leave
AREA = 1e-9  # of a transform: below it nothing is visible

Repairs: TypeAlias = Mapping[str, tuple[Decide, ...]]

# The repairs for the findings of each check, in this order: boxes, then lines, then texts that have a box.
SHAPES: Repairs = MappingProxyType(
    {
        "boxes-overlap": (part,),
        "unequal": (equalise, space),
        "almost-aligned": (snap,),
        "short-arrow": (to_outline,),
        "arrow-inside": (to_outline,),
        "edge-ends-nowhere": (to_box,),
        "edge-through-box": (bypass,),
        "mixed-routes": (straighten,),
        "text-astray": (into_boxes,),
        "text-overflow": (fit,),
    }
)
# Other texts find their places last, if a halo is not enough.
TEXTS: Repairs = MappingProxyType(
    {
        "text-overlap": (apart,),
        "line-through-text": (clear_of_lines,),
        "label-far-from-line": (to_lines,),
        "clearance": (with_clearance,),
    }
)


def rearranged(draft: Draft, sheet: Sheet, table: Repairs, changes: list[str]) -> Draft:
    """The drawing, which has been through all passes, with each finding repaired that a move can repair.

    Adds a line for each move to the changes.
    """
    room = _room(draft, sheet)
    for check, repairs in table.items():
        for decide in repairs:
            skipped = 0  # findings before it that no move helps
            for _ in range(MOST_MOVES):
                if not counted(draft)[check]:
                    break
                better = _one_better(draft, sheet, room, decide, skipped)
                if better is None:
                    break
                draft, said, skipped = better
                room = _room(draft, sheet)
                changes.append(said)
    return draft


def _room(draft: Draft, sheet: Sheet) -> FreeRoom:
    return FreeRoom(parts_of(draft, page_colour(sheet) or PAGE[0]))


def counted(draft: Draft) -> Counter[str]:
    return Counter(check for _, _, check in draft.warnings)


def _one_better(
    draft: Draft, sheet: Sheet, room: FreeRoom, decide: Decide, skipped: int
) -> tuple[Draft, str, int] | None:
    """The drawing with one finding less, what was done, and the number of the finding; None if no move helps."""
    for number, alternatives in islice(enumerate(decide(draft, room)), skipped, None):
        for move, after in _tried(draft, sheet, alternatives):
            if _is_better(draft, after, move):
                return after, move.why, number
            for ended in _with_ends(after, sheet) if _leaves_ends(draft, after) else ():
                if _is_better(draft, ended, move):
                    return ended, move.why, number
    return None


def _tried(draft: Draft, sheet: Sheet, alternatives: Iterator[Move]) -> Iterator[tuple[Move, Draft]]:
    """The first possible alternatives, each with the drawing after it."""
    free = movable(draft.root)
    possible = (
        move
        for move in alternatives
        if all(change.node in free and _is_plain(change.ctm) for change in move.changes)
    )
    for move in islice(possible, MOST_TRIES):
        after = _with(draft, move, sheet)
        if after is not None:
            yield move, after


def _leaves_ends(before: Draft, after: Draft) -> bool:
    """Whether a move helps, but for one arrow that now ends within a box or before it."""
    new = counted(after) - counted(before)
    return new.total() == 1 and not new.keys().isdisjoint(ENDS) and counted(before) - counted(after) != {}


def _with_ends(draft: Draft, sheet: Sheet) -> Iterator[Draft]:
    """The drawing with one arrow that ends at the outline of its box."""
    for alternatives in to_outline(draft, _room(draft, sheet)):
        for _, after in _tried(draft, sheet, alternatives):
            yield after


def _is_plain(ctm: tuple[float, ...]) -> bool:
    return abs(ctm[0] * ctm[3] - ctm[1] * ctm[2]) > AREA


def _with(draft: Draft, move: Move, sheet: Sheet) -> Draft | None:
    """The drawing after a move, through all passes; None if it can no longer be read."""
    copy = draft.copy()
    apply(move, dict(zip(draft.root.walk(), copy.root.walk(), strict=True)))
    try:
        return settled(serialise(copy.root), sheet)
    except SvgError:
        return None


def _is_better(before: Draft, after: Draft, move: Move) -> bool:
    old, new = counted(before), counted(after)
    if new.total() >= old.total() or any(new[name] > old[name] for name in new):
        return False
    texts = {text.node: at for at, text in enumerate(drawn(before).texts)}
    freed = {texts[node] for node in move.freed}
    return is_kept(content(before, freed), content(after, freed), move.joins)
