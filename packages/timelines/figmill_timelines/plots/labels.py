"""Places labels among lines so that none covers a line or another label.

Boxes may be rotated. Candidates are tried in their order, the best one first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from figmill_timelines.charts.canvas import PagePoint

PageSegment = tuple[PagePoint, PagePoint]


@dataclass(frozen=True, slots=True)
class Patch:
    """A box around its middle, rotated anticlockwise by `degrees`. y runs down."""

    x: float
    y: float
    width: float
    height: float
    degrees: float = 0.0

    def corners(self, margin: float = 0.0) -> list[PagePoint]:
        turn = math.radians(-self.degrees)
        cos, sin = math.cos(turn), math.sin(turn)
        across, down = self.width / 2 + margin, self.height / 2 + margin
        return [
            (self.x + a * cos - b * sin, self.y + a * sin + b * cos)
            for a, b in ((-across, -down), (across, -down), (across, down), (-across, down))
        ]


def meets(patch: Patch, segment: PageSegment, margin: float = 0.0) -> bool:
    """Whether a segment comes nearer to a box than `margin`."""
    (x, y), (u, v) = segment
    x, y, u, v = x - patch.x, y - patch.y, u - patch.x, v - patch.y
    if patch.degrees:
        turn = math.radians(patch.degrees)
        cos, sin = math.cos(turn), math.sin(turn)
        x, y, u, v = x * cos - y * sin, x * sin + y * cos, u * cos - v * sin, u * sin + v * cos
    first, last = 0.0, 1.0  # Liang and Barsky 1984
    for at, step, room in ((x, u - x, patch.width / 2 + margin), (y, v - y, patch.height / 2 + margin)):
        if step == 0:
            if abs(at) > room:
                return False
            continue
        enters, leaves = (-room - at) / step, (room - at) / step
        if step < 0:
            enters, leaves = leaves, enters
        first = enters if enters > first else first
        last = leaves if leaves < last else last
        if first > last:
            return False
    return True


def overlap(one: Patch, other: Patch, margin: float = 0.0) -> bool:
    """Whether two boxes come nearer to each other than `margin`: no line along an edge of either separates them."""
    mine, yours = one.corners(margin), other.corners()
    for degrees in (one.degrees, other.degrees):
        turn = math.radians(-degrees)
        for axis in ((math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))):
            a = [x * axis[0] + y * axis[1] for x, y in mine]
            b = [x * axis[0] + y * axis[1] for x, y in yours]
            if max(a) <= min(b) or max(b) <= min(a):
                return False
    return True


class LabelledPage:
    """The lines and the labels that are drawn already.

    - box: left, top, right, bottom of the page.
    """

    def __init__(self, box: tuple[float, float, float, float], lines: Sequence[PageSegment]) -> None:
        self.box, self.lines = box, tuple(lines)
        self.taken: list[Patch] = []

    def place(
        self,
        candidates: Iterable[Patch],
        line: float = 2.0,
        label: float = 3.0,
        own: PageSegment | None = None,
        apart: float = 0.0,
    ) -> Patch | None:
        """The first candidate with this distance from lines and labels; its place is then occupied.

        own, apart: the line that the label names, and its distance from all others. None: no
        candidate.
        """
        others = [other for other in self.lines if other != own] if apart else []
        for patch in candidates:
            if self._is_free(patch, line, label) and not any(meets(patch, other, apart) for other in others):
                self.taken.append(patch)
                return patch
        return None

    def _is_free(self, patch: Patch, line: float, label: float) -> bool:
        left, top, right, bottom = self.box
        return (
            all(left <= x <= right and top <= y <= bottom for x, y in patch.corners())
            and not any(overlap(patch, other, label) for other in self.taken)
            and not any(meets(patch, segment, line) for segment in self.lines)
        )
