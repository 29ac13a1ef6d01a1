"""Which lines and labels of two drawings are the same. Pure.

A line is the same if its ends are, and a label if its line is.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import replace

from figmill.compare.parts import Bounds, Near, Pair, Point, Sorted, directed
from figmill.svg import LabelPart, LinePart, Skeleton

NEAR = 2.0  # em between a label and the place where it should be
TOUCH = 10.0  # px between a box and the end of a line at it


def matched_lines(old: Skeleton, new: Skeleton, after: Mapping[int, int]) -> Sorted:
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
    is_turned = all(part.heads[0] != part.heads[1] for part in (before, line))
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


def without_strays(lines: Sorted, boxes: Sorted, old: Skeleton, new: Skeleton) -> Sorted:
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
        _is_at(first, start_box) and _is_at(last, end_box)
        for ends in other.strays
        for first, last in (ends, ends[::-1])
        for start_box, end_box in [boxes]
    )


def _is_at(point: Point, box: Bounds) -> bool:
    x, y = point
    return box[0] - TOUCH <= x <= box[2] + TOUCH and box[1] - TOUCH <= y <= box[3] + TOUCH


def matched_labels(old: Skeleton, new: Skeleton, boxes: Sorted, lines: Sorted) -> Sorted:
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

    near = Near(old, new, boxes.pairs)
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
    """Whether a label does not belong to a box. lone: boxes that are only in this drawing, with their titles."""
    return label.box is None or (side.boxes[label.box].holds and label.box not in lone)
