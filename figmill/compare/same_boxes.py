"""Which boxes of two drawings are the same. Pure.

Boxes are matched by their words, equal ones by their neighbours and places. A box with other words counts as renamed if
its neighbours, its place or its words say so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import replace
from difflib import SequenceMatcher

from figmill.compare.parts import Near, Pair, Sorted, directed, size, text_of
from figmill.svg import BoxPart, Skeleton

LIKE = 0.6  # likeness of two texts that may be one text before and after, 0 to 1


class BoxMatcher:
    """Matches the boxes of two drawings, the surest first."""

    def __init__(self, old: Skeleton, new: Skeleton) -> None:
        self.old, self.new = old, new
        self.after: dict[int, int] = {}  # the number after, by the number before
        self.before: dict[int, int] = {}
        self.renamed: set[Pair] = set()
        self.near = Near(old, new)
        self.beside = [_neighbours(side) for side in (old, new)]

    def sorted(self) -> Sorted:
        self._by_words()
        self._by_likeness()
        pairs = tuple(sorted(self.after.items()))
        old, new = self.old.boxes, self.new.boxes
        return Sorted(
            pairs,
            tuple(number for number in range(len(new)) if number not in self.before),
            tuple(number for number in range(len(old)) if number not in self.after),
            tuple(pair for pair in pairs if pair in self.renamed),
            tuple((i, j) for i, j in pairs if old[i].look != new[j].look and (i, j) not in self.renamed),
        )

    def _take(self, pairs: Iterable[Pair]) -> None:
        """Match pairs, the best first, each box once."""
        for i, j in pairs:
            if i not in self.after and j not in self.before:
                self.after[i], self.before[j] = j, i
                self.near.add(i, j)

    def _by_words(self) -> None:
        groups: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side, boxes in enumerate((self.old.boxes, self.new.boxes)):
            for number, box in enumerate(boxes):
                groups[text_of(box)][side].append(number)
        named = [its for text, its in groups.items() if text and all(its)]
        self._take((i, j) for (i, *more), (j, *others) in named if not more and not others)
        for olds, news in named:
            pairs = [(i, j) for i in olds for j in news if i not in self.after and j not in self.before]
            self._take(sorted(pairs, key=lambda pair: (-self._common(*pair), self._far(*pair), pair)))

    def _by_likeness(self) -> None:
        """Match boxes with other words; the neighbours of a new pair may decide about the next."""
        rows: dict[int, tuple[Hashable, dict[int, float]]] = {}
        while True:
            news = [number for number in range(len(self.new.boxes)) if number not in self.before]
            best = []
            for i in range(len(self.old.boxes)):
                if i in self.after:
                    continue
                state = self._state(i)
                if i not in rows or rows[i][0] != state:
                    rows[i] = state, {j: score for j in news if (score := self._likeness(i, j)) > 0}
                best += [(-score, i, j) for j, score in rows[i][1].items() if j not in self.before]
            if not best:
                return
            _, i, j = min(best)
            self._take([(i, j)])
            if not self.old.boxes[i].holds:
                self.renamed.add((i, j))

    def _state(self, i: int) -> Hashable:
        """The pairs so far that decide what a box before looks like."""
        inside = tuple(self._inside(i)) if self.old.boxes[i].holds else ()
        return tuple(self._mapped(i)), self._within(i), self.near.nearest(self.old.boxes[i].bounds), inside

    def _likeness(self, i: int, j: int) -> float:
        """How much a box before and one after, with other words, look like one box; 0 if they do not."""
        one, other = self.old.boxes[i], self.new.boxes[j]
        if one.holds != other.holds or self._within(i) != other.within:
            return 0.0
        if one.holds:  # its title is a label of its own
            inside = self._inside(i)
            there = [n for n, box in enumerate(self.new.boxes) if box.within == j]
            return float(2 * len({*inside} & {*there}) > max(len(inside), len(there)))
        likeness = SequenceMatcher(None, text_of(one), text_of(other), autojunk=False).ratio()
        mine, its = self._mapped(i), self.beside[1][j]
        count = len({*mine} | {*its})
        joined = sum((Counter(mine) & Counter(its)).values()) / max(count, 1)
        far = self._far(i, j)
        near = max(0.0, 1 - far / (max(*size(one.bounds), *size(other.bounds)) or 1.0))
        is_alone = not mine and not its
        is_one = (
            (likeness >= LIKE and (joined > 0 or near > 0 or is_alone))
            or (joined == 1 and near > 0)
            or (near > 0.7 and (joined >= 0.5 or is_alone))
        )
        return 2 * joined + 2 * likeness + near if is_one else 0.0  # a layout may change the place

    def _inside(self, i: int) -> list[int | None]:
        """The boxes in a box before, as those after."""
        return [self.after.get(n) for n, box in enumerate(self.old.boxes) if box.within == i]

    def _within(self, i: int) -> int | None:
        within = self.old.boxes[i].within
        return within if within is None else self.after.get(within)

    def _mapped(self, i: int) -> list[Hashable]:
        """The neighbours of a box before, as those after; -1 for one that is gone."""
        return [(way, self.after.get(other, -1)) for way, other in self.beside[0][i]]

    def _common(self, i: int, j: int) -> int:
        same = sum((Counter(self._mapped(i)) & Counter(self.beside[1][j])).values())
        return 2 * same + (self._within(i) == self.new.boxes[j].within)

    def _far(self, i: int, j: int) -> float:
        return self.near.far(self.old.boxes[i].bounds, self.new.boxes[j].bounds)


def _neighbours(side: Skeleton) -> list[list[tuple[str, int]]]:
    """For each box, the boxes that lines join it to, each with the direction."""
    beside: list[list[tuple[str, int]]] = [[] for _ in side.boxes]
    for line in side.lines:
        start, end = directed(line)
        if start is not None and end is not None:
            is_arrow = line.heads[0] != line.heads[1]
            beside[start].append(("to" if is_arrow else "with", end))
            beside[end].append(("from" if is_arrow else "with", start))
    return beside


def without_frames(boxes: Sorted, old: Skeleton, new: Skeleton) -> Sorted:
    """Without the containers that only look like the page in the other drawing, where their title stands alone."""

    def is_frame(box: BoxPart, other: Skeleton) -> bool:
        return box.holds and any(label.box is None and label.words == text_of(box) for label in other.labels)

    return replace(
        boxes,
        new=tuple(j for j in boxes.new if not is_frame(new.boxes[j], old)),
        gone=tuple(i for i in boxes.gone if not is_frame(old.boxes[i], new)),
    )
