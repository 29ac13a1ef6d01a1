"""Two drawings -> which of their boxes, lines and labels are the same, new, gone, renamed or moved. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from figmill.compare.parts import Pair, Point, Sorted, size
from figmill.compare.same_boxes import BoxMatcher, without_frames
from figmill.compare.same_lines import matched_labels, matched_lines, without_strays
from figmill.compare.shifts import moved_boxes, passes, touched_boxes
from figmill.late_dataclasses import dataclass
from figmill.svg import Skeleton, SvgError, skeleton_of

FEWEST = 2  # boxes that can be compared
LARGEST = 400  # boxes, lines or labels of a drawing; a larger one is not matched
SAME = 0.5  # share of the boxes that has to be the same for one picture of the change
NAMED = 0.25  # share of them that has to have the same words
MOST = 60  # changes in one picture
REST = 12  # other shapes that may differ in one picture
FEW = 0.25  # share of the boxes of which each has moved on its own account, if more than places has changed
GROWN = 0.2  # share of its size by which a bar has changed


@dataclass(frozen=True, slots=True)
class Matching:
    """Two drawings, part by part.

    - labels: only those outside of boxes; those of a line that is new or gone are parts of it.
    - shift: that of most boxes.
    - moved: the boxes that have moved against it.
    - shifted: how many have moved only to make room for others.
    - is_new_layout: more than half have moved, so that nothing can be said of each.
    - rest: how many other shapes differ.
    """

    old: Skeleton
    new: Skeleton
    boxes: Sorted
    lines: Sorted
    labels: Sorted
    shift: Point = (0.0, 0.0)
    moved: tuple[Pair, ...] = ()
    shifted: int = 0
    is_new_layout: bool = False
    rest: int = 0

    @property
    def is_joined(self) -> bool:
        """Whether a line joins two boxes in either drawing."""
        return any(None not in line.ends for side in (self.old, self.new) for line in side.lines)

    def are_restyled(self, parts: Sorted) -> bool:
        """Whether a minority was restyled; if most were, the whole drawing's style changed."""
        return 0 < 2 * len(parts.restyled) <= len(parts.pairs)

    @property
    def count(self) -> int:
        """The number of changes that a picture can show."""
        every = (self.boxes, self.lines, self.labels)
        parts = sum(len(its.new) + len(its.gone) + len(its.renamed) for its in every)
        looks = sum(len(its.restyled) for its in every if self.are_restyled(its))
        return parts + looks + len(self.moved)

    @property
    def is_readable(self) -> bool:
        """Whether the change can be read as one picture: something to show, at least half of the boxes as before."""
        same = len(self.boxes.pairs)
        most = max(len(self.old.boxes), len(self.new.boxes))
        return (
            0 < self.count <= MOST
            and same >= SAME * most
            and same - len(self.boxes.renamed) >= NAMED * most
            and self.rest <= max(REST, self.count)
            and (self.is_joined or not self._is_chart)
        )

    @property
    def _is_chart(self) -> bool:
        """Whether boxes have other sizes with the same words, as bars do."""
        return any(
            abs(before - after) > GROWN * max(before, after)
            for i, j in self.boxes.pairs
            for before, after in zip(
                size(self.old.boxes[i].bounds), size(self.new.boxes[j].bounds), strict=True
            )
        )


def matching(before: bytes, after: bytes) -> Matching | None:
    """The parts of two published pictures; None if the change cannot be read part by part.

    Then hardly anything is the same, or the boxes of one picture were not recognised, such as those of a small one.
    """
    try:
        old, new = _skeleton(before), _skeleton(after)
    except SvgError:
        return None
    sizes = [(len(side.boxes), len(side.lines), len(side.labels)) for side in (old, new)]
    if max(max(size) for size in sizes) > LARGEST or not min(size[0] for size in sizes):
        return None
    if max(size[0] for size in sizes) < FEWEST:
        return None
    matched = _matched(old, new)
    return matched if matched.is_readable else None


@lru_cache(maxsize=64)
def _skeleton(svg: bytes) -> Skeleton:
    return skeleton_of(svg)


def renamed_words(match: Matching) -> Iterator[tuple[str, str]]:
    """The words of each renamed box and label before and after; of several lines, those that differ."""
    for i, j in match.boxes.renamed:
        yield differing(match.old.boxes[i].words, match.new.boxes[j].words)
    for i, j in match.labels.renamed:
        yield match.old.labels[i].words, match.new.labels[j].words


def differing(before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    """The lines of a text that differ, before and after; if one of them has none, all lines."""
    old, new = (
        list((Counter(before) - Counter(after)).elements()),
        list((Counter(after) - Counter(before)).elements()),
    )
    old, new = (old, new) if old and new else (list(before), list(after))
    return " ".join(old), " ".join(new)


def _matched(old: Skeleton, new: Skeleton) -> Matching:
    boxes = without_frames(BoxMatcher(old, new).sorted(), old, new)
    lines = without_strays(matched_lines(old, new, dict(boxes.pairs)), boxes, old, new)
    moved, shift, is_new_layout = moved_boxes(old, new, boxes)
    labels = matched_labels(old, new, boxes, lines)
    shifted = 0
    if any(its.new or its.gone or its.renamed for its in (boxes, lines, labels)):
        touched = touched_boxes(boxes, lines, old, new)
        out_of_order = [
            pair for pair in moved if pair[0] not in touched and passes(pair, old, new, boxes.pairs)
        ]
        if len(out_of_order) > FEW * len(boxes.pairs):
            out_of_order = []
        shifted, moved = len(moved) - len(out_of_order), out_of_order
    gone, come = Counter(old.rest) - Counter(new.rest), Counter(new.rest) - Counter(old.rest)
    rest = max(gone.total(), come.total())
    return Matching(old, new, boxes, lines, labels, shift, tuple(moved), shifted, is_new_layout, rest)
