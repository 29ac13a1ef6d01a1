"""An index of boxes by height, which finds those that meet another box. Knows nothing of what the boxes contain."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from figmill.svg.geometry.outlines import Bounds

T = TypeVar("T")
MOST = 64  # stripes of a view


class Stripes(Generic[T]):
    """Items with their boxes, in the order given."""

    def __init__(self, items: Iterable[T], box_of: Callable[[T], Bounds], view: Bounds) -> None:
        rows = [(box_of(item), number, item) for number, item in enumerate(items)]
        self._count = min(MOST, 1 + len(rows) // 8)
        self._top, self._step = view[1], (view[3] - view[1]) / self._count or 1.0
        self._stripes: list[list[tuple[Bounds, int, T]]] = [[] for _ in range(self._count)]
        for row in rows:
            for stripe in range(self._stripe(row[0][1]), self._stripe(row[0][3]) + 1):
                self._stripes[stripe].append(row)

    def meeting(self, box: Bounds) -> list[T]:
        """The items whose boxes meet this one, in their order; the edges count."""
        left, top, right, bottom = box
        items = {
            number: item
            for stripe in range(self._stripe(top), self._stripe(bottom) + 1)
            for its, number, item in self._stripes[stripe]
            if its[0] <= right and left <= its[2] and its[1] <= bottom and top <= its[3]
        }
        return [items[number] for number in sorted(items)]

    def _stripe(self, y: float) -> int:
        return int(min(max(0.0, (y - self._top) / self._step), self._count - 1))
