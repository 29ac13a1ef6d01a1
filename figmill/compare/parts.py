"""The parts of two drawings by their numbers, and what their places say. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeAlias

from figmill.late_dataclasses import dataclass
from figmill.svg import BoxPart, LinePart, Skeleton

Bounds: TypeAlias = tuple[float, float, float, float]
Point: TypeAlias = tuple[float, float]
Pair: TypeAlias = tuple[int, int]  # the number of a part before, and of the same part after
Edge: TypeAlias = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Sorted:
    """The parts of one sort, by their numbers: which are the same, new and gone.

    - renamed, restyled: those of the pairs that have other words, or only another form, colour or dashes.
    """

    pairs: tuple[Pair, ...] = ()
    new: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()
    renamed: tuple[Pair, ...] = ()
    restyled: tuple[Pair, ...] = ()


def text_of(box: BoxPart) -> str:
    return " ".join(box.words)


def centre(box: Bounds) -> Point:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def size(box: Bounds) -> tuple[float, float]:
    return box[2] - box[0], box[3] - box[1]


def directed(line: LinePart) -> Edge:
    """The boxes at the ends of a line; an arrow leads to its only head."""
    return line.ends if line.heads != (True, False) else (line.ends[1], line.ends[0])


class Near:
    """How far something has moved against the nearest box that is the same; more such boxes may be added."""

    def __init__(self, old: Skeleton, new: Skeleton, pairs: Iterable[Pair] = ()) -> None:
        self._old, self._new = old, new
        self._boxes: list[tuple[Point, Point]] = []
        self._nearest: dict[Point, tuple[float, tuple[Point, Point]]] = {}  # to each place that was asked for
        for i, j in pairs:
            self.add(i, j)

    def add(self, i: int, j: int) -> None:
        """The boxes of this pair are the same."""
        box = centre(self._old.boxes[i].bounds), centre(self._new.boxes[j].bounds)
        self._boxes.append(box)
        for at, (least, _) in self._nearest.items():
            if (far := math.dist(at, box[0])) < least:
                self._nearest[at] = far, box

    def nearest(self, before: Bounds) -> tuple[Point, Point]:
        """Where the box nearest to a place was, and where it is."""
        at = centre(before)
        if at not in self._nearest:
            rows = ((math.dist(at, box[0]), box) for box in self._boxes)
            self._nearest[at] = min(
                rows, key=lambda row: row[0], default=(math.inf, ((0.0, 0.0), (0.0, 0.0)))
            )
        return self._nearest[at][1]

    def far(self, before: Bounds, after: Bounds) -> float:
        at, there = centre(before), centre(after)
        then, now = self.nearest(before)
        return math.dist((at[0] + now[0] - then[0], at[1] + now[1] - then[1]), there)
