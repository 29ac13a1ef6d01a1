"""Two drawings -> which of their boxes, lines and labels are the same, new, gone, renamed or moved. Pure.

Boxes are matched by their words, equal ones by their neighbours and places. A box with other words counts as renamed if
its neighbours, its place or its words say so. A line is the same if its ends are, and a label if its line is.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TypeAlias

from figmill.svg import BoxPart, LabelPart, LinePart, Skeleton, SvgError, skeleton_of

Bounds: TypeAlias = tuple[float, float, float, float]
Point: TypeAlias = tuple[float, float]
Pair: TypeAlias = tuple[int, int]  # the number of a part before, and of the same part after
Edge: TypeAlias = tuple[int | None, int | None]

FEWEST = 2  # boxes that can be compared
LARGEST = 400  # boxes, lines or labels of a drawing; a larger one is not matched
SAME = 0.5  # share of the boxes that has to be the same for one picture of the change
NAMED = 0.25  # share of them that has to have the same words
MOST = 60  # changes in one picture
REST = 12  # other shapes that may differ in one picture
FAR = 12.0  # px by which a box has moved
FEW = 0.25  # share of the boxes of which each has moved on its own account, if more than places has changed
NEAR = 2.0  # em between a label and the place where it should be
TOUCH = 10.0  # px between a box and the end of a line at it
ALIKE = 4.0  # px between two shifts that count as equal
LIKE = 0.6  # likeness of two texts that may be one text before and after, 0 to 1
GROWN = 0.2  # share of its size by which a bar has changed


@dataclass(frozen=True, slots=True)
class Sorted:
    """The parts of one sort, by their numbers: which are the same, new and gone.

    renamed, restyled: those of the pairs that have other words, or only another form, colour or dashes.
    """

    pairs: tuple[Pair, ...] = ()
    new: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()
    renamed: tuple[Pair, ...] = ()
    restyled: tuple[Pair, ...] = ()


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
        """Whether some have another look, and not most of them: then that of the whole drawing has changed."""
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
                _size(self.old.boxes[i].bounds), _size(self.new.boxes[j].bounds), strict=True
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


def text_of(box: BoxPart) -> str:
    return " ".join(box.words)


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


def centre(box: Bounds) -> Point:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def directed(line: LinePart) -> Edge:
    """The boxes at the ends of a line; an arrow leads to its only head."""
    return line.ends if line.heads != (True, False) else (line.ends[1], line.ends[0])


def _matched(old: Skeleton, new: Skeleton) -> Matching:
    boxes = _without_frames(_Boxes(old, new).sorted(), old, new)
    lines = _without_strays(_lines(old, new, dict(boxes.pairs)), boxes, old, new)
    moved, shift, is_new_layout = _moved(old, new, boxes)
    labels = _labels(old, new, boxes, lines)
    shifted = 0
    if any(its.new or its.gone or its.renamed for its in (boxes, lines, labels)):
        touched = _touched(boxes, lines, old, new)
        out_of_order = [
            pair for pair in moved if pair[0] not in touched and _passes(pair, old, new, boxes.pairs)
        ]
        if len(out_of_order) > FEW * len(boxes.pairs):
            out_of_order = []
        shifted, moved = len(moved) - len(out_of_order), out_of_order
    gone, come = Counter(old.rest) - Counter(new.rest), Counter(new.rest) - Counter(old.rest)
    rest = max(gone.total(), come.total())
    return Matching(old, new, boxes, lines, labels, shift, tuple(moved), shifted, is_new_layout, rest)


def _without_frames(boxes: Sorted, old: Skeleton, new: Skeleton) -> Sorted:
    """Without the containers that only look like the page in the other drawing, where their title stands alone."""

    def is_frame(box: BoxPart, other: Skeleton) -> bool:
        return box.holds and any(label.box is None and label.words == text_of(box) for label in other.labels)

    return replace(
        boxes,
        new=tuple(j for j in boxes.new if not is_frame(new.boxes[j], old)),
        gone=tuple(i for i in boxes.gone if not is_frame(old.boxes[i], new)),
    )


def _without_strays(lines: Sorted, boxes: Sorted, old: Skeleton, new: Skeleton) -> Sorted:
    """Without the lines that were not recognised in the other drawing, where something joins the same boxes."""
    after = dict(boxes.pairs)
    before = {j: i for i, j in boxes.pairs}
    return replace(
        lines,
        new=tuple(j for j in lines.new if not _has_stray(new.lines[j], before, old)),
        gone=tuple(i for i in lines.gone if not _has_stray(old.lines[i], after, new)),
    )


def _has_stray(line: LinePart, names: Mapping[int, int], other: Skeleton) -> bool:
    """Whether a stray line of the other drawing joins the boxes of a line. names: of its boxes there."""
    start, end = line.ends
    if start not in names or end not in names:
        return False
    boxes = [other.boxes[names[number]].bounds for number in (start, end) if number is not None]
    return any(
        _is_at(first, one) and _is_at(last, two)
        for ends in other.strays
        for first, last in (ends, ends[::-1])
        for one, two in [boxes]
    )


def _is_at(point: Point, box: Bounds) -> bool:
    x, y = point
    return box[0] - TOUCH <= x <= box[2] + TOUCH and box[1] - TOUCH <= y <= box[3] + TOUCH


def _touched(boxes: Sorted, lines: Sorted, old: Skeleton, new: Skeleton) -> set[int]:
    """The boxes before whose lines have changed, with all cells of their tables."""
    touched = {end for number in lines.gone for end in old.lines[number].ends if end is not None}
    ends = {end for number in lines.new for end in new.lines[number].ends}
    touched |= {i for i, j in boxes.pairs if j in ends}
    tables = {old.boxes[i].table for i in touched} - {None}
    return touched | {i for i, box in enumerate(old.boxes) if box.table in tables}


class _Boxes:
    """Matches the boxes of two drawings, the surest first."""

    def __init__(self, old: Skeleton, new: Skeleton) -> None:
        self.old, self.new = old, new
        self.after: dict[int, int] = {}  # the number after, by the number before
        self.before: dict[int, int] = {}
        self.renamed: set[Pair] = set()
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

    def _by_words(self) -> None:
        groups: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side, boxes in enumerate((self.old.boxes, self.new.boxes)):
            for number, box in enumerate(boxes):
                groups[text_of(box)][side].append(number)
        named = [its for words, its in groups.items() if words and all(its)]
        self._take((i, j) for (i, *more), (j, *others) in named if not more and not others)
        for olds, news in named:
            pairs = [(i, j) for i in olds for j in news if i not in self.after and j not in self.before]
            self._take(sorted(pairs, key=lambda pair: (-self._common(*pair), self._far(*pair), pair)))

    def _by_likeness(self) -> None:
        """Match boxes with other words; the neighbours of a new pair may decide about the next."""
        while True:
            olds = [number for number in range(len(self.old.boxes)) if number not in self.after]
            news = [number for number in range(len(self.new.boxes)) if number not in self.before]
            rows = sorted(
                ((score, i, j) for i in olds for j in news if (score := self._likeness(i, j)) > 0),
                key=lambda row: (-row[0], row[1:]),
            )
            if not rows:
                return
            _, i, j = rows[0]
            self._take([(i, j)])
            if not self.old.boxes[i].holds:
                self.renamed.add((i, j))

    def _likeness(self, i: int, j: int) -> float:
        """How much a box before and one after, with other words, look like one box; 0 if they do not."""
        one, other = self.old.boxes[i], self.new.boxes[j]
        if one.holds != other.holds or self._within(i) != other.within:
            return 0.0
        if one.holds:  # its title is a label of its own
            inside = [self.after.get(n) for n, box in enumerate(self.old.boxes) if box.within == i]
            there = [n for n, box in enumerate(self.new.boxes) if box.within == j]
            return float(2 * len({*inside} & {*there}) > max(len(inside), len(there)))
        words = SequenceMatcher(None, text_of(one), text_of(other), autojunk=False).ratio()
        mine, its = self._mapped(i), self.beside[1][j]
        count = len({*mine} | {*its})
        joined = sum((Counter(mine) & Counter(its)).values()) / max(count, 1)
        far = self._far(i, j)
        near = max(0.0, 1 - far / (max(*_size(one.bounds), *_size(other.bounds)) or 1.0))
        is_alone = not mine and not its
        is_one = (
            (words >= LIKE and (joined > 0 or near > 0 or is_alone))
            or (joined == 1 and near > 0)
            or (near > 0.7 and (joined >= 0.5 or is_alone))
        )
        return 2 * joined + 2 * words + near if is_one else 0.0  # a layout may change the place

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
        near = _Near(self.old, self.new, self.after.items())
        return near.far(self.old.boxes[i].bounds, self.new.boxes[j].bounds)


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


def _lines(old: Skeleton, new: Skeleton, after: Mapping[int, int]) -> Sorted:
    """The lines by their ends; of several between the same boxes, by their labels, then by place."""
    gone = [_key(line, after) for line in old.lines]
    come = [_key(line, None) for line in new.lines]
    texts = [_texts_at(side) for side in (old, new)]
    pairs: list[Pair] = []
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for number, key in enumerate(come):
        groups[key].append(number)
    rows = [
        (texts[0][i] != texts[1][j], math.dist(_middle(old.lines[i]), _middle(new.lines[j])), i, j)
        for i, key in enumerate(gone)
        if key is not None
        for j in groups[key]
    ]
    taken: tuple[set[int], set[int]] = (set(), set())
    for _, _, i, j in sorted(rows):
        if i not in taken[0] and j not in taken[1]:
            taken[0].add(i)
            taken[1].add(j)
            pairs.append((i, j))
    # a line may have got a second head, or lost its only one
    for i in [number for number in range(len(gone)) if number not in taken[0]]:
        for j in [number for number in range(len(come)) if number not in taken[1]]:
            if (
                gone[i] is not None
                and gone[i] != come[j]
                and _joins_the_same(old.lines[i], new.lines[j], after)
            ):
                taken[0].add(i)
                taken[1].add(j)
                pairs.append((i, j))
                break
    return Sorted(
        tuple(sorted(pairs)),
        tuple(number for number in range(len(come)) if number not in taken[1]),
        tuple(number for number in range(len(gone)) if number not in taken[0]),
        restyled=tuple((i, j) for i, j in sorted(pairs) if _drawn(old.lines[i]) != _drawn(new.lines[j])),
    )


def _joins_the_same(before: LinePart, line: LinePart, after: Mapping[int, int]) -> bool:
    """Whether two lines join the same boxes, and are not two arrows in opposite directions."""
    ends = {None if end is None else after[end] for end in before.ends}
    is_turned = all(one.heads[0] != one.heads[1] for one in (before, line))
    return ends == {*line.ends} and None not in ends and not is_turned


def _drawn(line: LinePart) -> Hashable:
    return sorted(line.heads), line.look


def _key(line: LinePart, after: Mapping[int, int] | None) -> Hashable:
    """The ends of a line in the numbers of the drawing after; None: one of them is gone."""
    ends = directed(line)
    if after is not None:
        if any(end is not None and end not in after for end in ends):
            return None
        ends = (
            None if ends[0] is None else after[ends[0]],
            None if ends[1] is None else after[ends[1]],
        )
    if line.heads[0] != line.heads[1]:
        return ends, True
    return frozenset(ends), False


def _texts_at(side: Skeleton) -> list[list[str]]:
    texts: list[list[str]] = [[] for _ in side.lines]
    for label in side.labels:
        if label.line is not None:
            texts[label.line].append(label.words)
    return texts


def _middle(line: LinePart) -> Point:
    piece = line.route[len(line.route) // 2]
    return piece[len(piece) // 2]


def _labels(old: Skeleton, new: Skeleton, boxes: Sorted, lines: Sorted) -> Sorted:
    """The labels outside of boxes: by their words and lines or places, by words alone, then by lines or places.

    What is left of a line, or of a container, that is new or gone is a part of it.
    """
    line_after = dict(lines.pairs)
    before = {n: label for n, label in enumerate(old.labels) if _is_apart(label, old, boxes.gone)}
    after = {n: label for n, label in enumerate(new.labels) if _is_apart(label, new, boxes.new)}
    own_gone = {n for n, label in before.items() if label.line is not None and label.line not in line_after}
    own_new = {n for n, label in after.items() if label.line in lines.new}
    line = {n: None if label.line is None else line_after.get(label.line) for n, label in before.items()}
    pairs: dict[int, int] = {}
    taken: set[int] = set()

    def take(rows: Iterator[tuple[float, int, int]]) -> list[Pair]:
        ours = []
        for _, i, j in sorted(rows):
            if i not in pairs and j not in taken:
                pairs[i] = j
                taken.add(j)
                ours.append((i, j))
        return ours

    near = _Near(old, new, boxes.pairs)
    every = [(near.far(before[i].bounds, after[j].bounds), i, j) for i in before for j in after]
    equal = [row for row in every if before[row[1]].words == after[row[2]].words]
    take(row for row in equal if line[row[1]] is not None and line[row[1]] == after[row[2]].line)
    take(row for row in equal if row[0] <= NEAR * before[row[1]].size)
    take(row for row in equal if row[1] not in own_gone and row[2] not in own_new)
    left = [
        row
        for row in every
        if row[1] not in pairs and row[2] not in taken and row[1] not in own_gone and row[2] not in own_new
    ]
    renamed = take(row for row in left if line[row[1]] is not None and line[row[1]] == after[row[2]].line)
    renamed += take(
        row
        for row in left
        if line[row[1]] is None and after[row[2]].line is None and row[0] <= before[row[1]].size
    )
    return Sorted(
        tuple(sorted(pairs.items())),
        tuple(j for j in after if j not in taken and j not in own_new),
        tuple(i for i in before if i not in pairs and i not in own_gone),
        tuple(sorted(renamed)),
    )


def _is_apart(label: LabelPart, side: Skeleton, lone: Collection[int]) -> bool:
    """Whether a label is no text of a box; lone: boxes that are only in this drawing, with their titles."""
    return label.box is None or (side.boxes[label.box].holds and label.box not in lone)


class _Near:
    """How far something has moved against the nearest box that is the same."""

    def __init__(self, old: Skeleton, new: Skeleton, pairs: Iterable[Pair]) -> None:
        self._boxes = [(centre(old.boxes[i].bounds), centre(new.boxes[j].bounds)) for i, j in pairs]

    def far(self, before: Bounds, after: Bounds) -> float:
        at, there = centre(before), centre(after)
        then, now = min(self._boxes, key=lambda box: math.dist(at, box[0]), default=((0.0, 0.0), (0.0, 0.0)))
        return math.dist((at[0] + now[0] - then[0], at[1] + now[1] - then[1]), there)


def _moved(old: Skeleton, new: Skeleton, boxes: Sorted) -> tuple[list[Pair], Point, bool]:
    """The boxes that have moved against most others, the shift of those, and whether more than half have moved."""
    leaves = [(i, j) for i, j in boxes.pairs if not old.boxes[i].holds and not new.boxes[j].holds]
    if not leaves:
        return [], (0.0, 0.0), False
    shifts = {pair: _shifts(old.boxes[pair[0]].bounds, new.boxes[pair[1]].bounds) for pair in leaves}
    candidates = [(0.0, 0.0), *(its[1] for its in shifts.values())]
    common = max(
        candidates,
        key=lambda shift: (sum(_off(its, shift) <= ALIKE for its in shifts.values()), -math.hypot(*shift)),
    )
    moved = [pair for pair in leaves if _off(shifts[pair], common) > FAR]
    if len(moved) > len(leaves) / 2:
        return [], common, True
    # one cell stands for its table
    first = {old.boxes[i].table: i for i, _ in reversed(moved)}
    moved = [(i, j) for i, j in moved if old.boxes[i].table is None or first[old.boxes[i].table] == i]
    return moved, common, False


def _shifts(before: Bounds, after: Bounds) -> tuple[Point, Point, Point]:
    """By how much the left top corner of a box, its centre and its right bottom corner have moved."""
    (x0, y0), (x1, y1) = centre(before), centre(after)
    return (
        (after[0] - before[0], after[1] - before[1]),
        (x1 - x0, y1 - y0),
        (after[2] - before[2], after[3] - before[3]),
    )


def _off(shifts: Sequence[Point], common: Point) -> float:
    """How far a box is off a common shift; one that only grew is at its place."""
    across, down = (min(abs(shift[axis] - common[axis]) for shift in shifts) for axis in (0, 1))
    return math.hypot(across, down)


def _passes(pair: Pair, old: Skeleton, new: Skeleton, pairs: Iterable[Pair]) -> bool:
    """Whether a box has moved past another one, and not only made room."""
    then, now = centre(old.boxes[pair[0]].bounds), centre(new.boxes[pair[1]].bounds)
    for i, j in pairs:
        before, after = centre(old.boxes[i].bounds), centre(new.boxes[j].bounds)
        if any(_side(then[axis] - before[axis]) * _side(now[axis] - after[axis]) < 0 for axis in (0, 1)):
            return True
    return False


def _side(distance: float) -> int:
    return 0 if abs(distance) <= FAR else int(math.copysign(1, distance))


def _size(box: Bounds) -> tuple[float, float]:
    return box[2] - box[0], box[3] - box[1]
