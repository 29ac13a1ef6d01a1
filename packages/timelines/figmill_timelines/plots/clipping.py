"""The part of a segment inside a box (Liang and Barsky 1984)."""

from __future__ import annotations

from figmill_timelines.charts.canvas import Bounds, PagePoint


def inside(start: PagePoint, end: PagePoint, box: Bounds) -> tuple[PagePoint, PagePoint] | None:
    """The ends of the part of a segment in a box of left, top, right and bottom; None: it has no part there."""
    (x, y), dx, dy = start, end[0] - start[0], end[1] - start[1]
    first, last = 0.0, 1.0
    for step, room in ((-dx, x - box[0]), (dx, box[2] - x), (-dy, y - box[1]), (dy, box[3] - y)):
        if step == 0:
            if room < 0:
                return None
        elif step < 0:
            first = max(first, room / step)
        else:
            last = min(last, room / step)
    if first > last:
        return None
    return (
        start if first == 0 else (x + first * dx, y + first * dy),
        end if last == 1 else (x + last * dx, y + last * dy),
    )
