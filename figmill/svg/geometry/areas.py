"""The closed shapes that labels may belong to, and the room they leave a label."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from figmill.late_dataclasses import dataclass
from figmill.svg.document import Element
from figmill.svg.geometry.display_list import SHOWS
from figmill.svg.geometry.labels import LEVEL, Interval, Label
from figmill.svg.geometry.outlines import Bounds, Point, Ring
from figmill.svg.geometry.scene import PaintedShape, rings, round_bounds

LONGEST = 1000  # characters of path data: longer paths are pictures, not label boxes
SMALLEST = 8.0  # px, the shortest side of an area
CLEAR = 0.2  # em, between text and a shape beside it
SEAM = 1e-3  # units
STRIPES = 32  # stripes of the view: a label searches one of them for its shape
DECIMALS = 3  # of a size
MOST = 40  # areas over each other: of a larger crowd, no area is left out
OPAQUE = 0.95  # opacity from which an area hides what is below


@dataclass(slots=True, eq=False)
class Area:
    """A closed shape with one outline, in root units."""

    shape: PaintedShape
    box: Bounds
    size: float  # of the bounding box
    is_upright: bool  # a rectangle parallel to the axes
    is_round: bool  # an ellipse parallel to the axes
    outline: Ring = ()

    @property
    def ring(self) -> Ring:
        if not self.outline:
            self.outline = rings(self.shape)[0]
        return self.outline

    @property
    def inner(self) -> Bounds | None:
        """An inscribed upright rectangle, enough for most labels; None if none is known."""
        if self.is_upright:
            return self.box
        if not self.is_round:
            return None
        left, top, right, bottom = self.box
        dx, dy = 0.15 * (right - left), 0.15 * (bottom - top)  # a little more than 1 - 1/√2 of each half
        return left + dx, top + dy, right - dx, bottom - dy

    def holds(self, point: Point) -> bool:
        x, y = point
        left, top, right, bottom = self.box
        if not (left <= x <= right and top <= y <= bottom):
            return False
        if self.is_round:
            across = (2 * x - left - right) / (right - left)
            up = (2 * y - top - bottom) / (bottom - top)
            return across * across + up * up <= 1.0
        return self.is_upright or _is_inside(self.ring, x, y)

    def room(self, label: Label, heights: Iterable[float]) -> Interval | None:
        """The free interval around the label's middle at all of these heights (em); None if there is none."""
        middle = (0.5 - label.share) * label.width
        is_level = label.along == LEVEL
        if is_level and self.is_upright:
            return self.box[0] - label.x, self.box[2] - label.x
        ring = self.ring if is_level else [label.frame(point) for point in self.ring]
        low, high = -math.inf, math.inf
        for height in heights:
            if is_level:
                crossings = [x - label.x for x in _crossings(ring, label.y - height * label.size)]
            else:
                crossings = _crossings(ring, height * label.size)
            before = [crossing for crossing in crossings if crossing <= middle]
            after = [crossing for crossing in crossings if crossing > middle]
            if not before or not after:
                return None
            low, high = max(low, before[-1]), min(high, after[0])
        return low, high


def _is_inside(ring: Ring, x: float, y: float) -> bool:
    inside = False
    x0, y0 = ring[-1]
    for x1, y1 in ring:
        if (y0 <= y) != (y1 <= y) and x < x0 + (y - y0) * (x1 - x0) / (y1 - y0):
            inside = not inside
        x0, y0 = x1, y1
    return inside


def _crossings(ring: Sequence[Point], height: float) -> list[float]:
    """The x positions where the outline crosses a horizontal line, sorted."""
    crossings = []
    x0, y0 = ring[-1]
    for x1, y1 in ring:
        if (y0 <= height) != (y1 <= height):
            crossings.append(x0 + (height - y0) * (x1 - x0) / (y1 - y0))
        x0, y0 = x1, y1
    crossings.sort()
    return _without_seams(crossings)


def _without_seams(crossings: list[float]) -> list[float]:
    """The crossings without pairs at one place: two parts of one outline touch there, and nobody sees an edge."""
    kept: list[float] = []
    for crossing in crossings:
        if kept and abs(crossing - kept[-1]) < SEAM:
            kept.pop()
        else:
            kept.append(crossing)
    return kept


class Areas:
    """The closed shapes that a label may belong to, indexed by height."""

    def __init__(self, shapes: Iterable[PaintedShape], view: Bounds, px: float) -> None:
        left, top, right, bottom = view
        holding = [shape for shape in shapes if _may_hold(shape)]
        self._count = min(STRIPES, 1 + len(holding) // 16)
        self._top, self._step = top, (bottom - top) / self._count
        self._stripes: list[list[Area]] = [[] for _ in range(self._count)]
        least = SMALLEST / px
        marks: dict[Element, float] = {}  # the unscaled size of shapes that are used often
        # A shape that may count as the page in one theme does not count as an area in any theme, so text has the same
        # position in both.
        low, high = left + (1 - SHOWS) * (right - left) + 1, right - (1 - SHOWS) * (right - left) - 1
        upper, lower = top + (1 - SHOWS) * (bottom - top) + 1, bottom - (1 - SHOWS) * (bottom - top) - 1
        for shape in holding:
            node = shape.node
            shared = shape.writers[0] is not node or shape.writers[1] is not node
            if shared and marks.get(node, math.inf) * max(map(abs, shape.ctm[:4])) < least:
                continue
            bounds = round_bounds(shape)
            ring: Ring = ()
            is_upright = False
            if bounds is None:
                polygons = rings(shape)
                if len(polygons) != 1 or len(polygons[0]) < 3:
                    continue
                ring = polygons[0]
                xs, ys = zip(*ring, strict=True)
                bounds = min(xs), min(ys), max(xs), max(ys)
                is_upright = len(xs) < 6 and len(set(xs)) == 2 and len(set(ys)) == 2
            across, tall = bounds[2] - bounds[0], bounds[3] - bounds[1]
            if shared:
                marks[node] = max(across, tall) / (max(map(abs, shape.ctm[:4])) or 1.0)
            if across < least or tall < least:
                continue
            if bounds[0] <= low and bounds[2] >= high and bounds[1] <= upper and bounds[3] >= lower:
                continue
            self._add(Area(shape, bounds, across * tall, is_upright, not ring, ring))

    def _add(self, area: Area) -> None:
        for stripe in range(self._stripe(area.box[1]), self._stripe(area.box[3]) + 1):
            self._stripes[stripe].append(area)

    def _stripe(self, y: float) -> int:
        return int(min(max(0, (y - self._top) / self._step), self._count - 1))

    def near(self, label: Label) -> tuple[list[Area], list[Area]]:
        """Areas painted before a label that hold its middle, smallest first; and others that meet it at its widest.

        An area that a larger one hides is not among them. Of a stack of equal ones, the topmost is first.
        """
        point = label.centre()
        order = label.text.order
        left, top, right, bottom = label.box
        across, up = abs(label.along[0]) * CLEAR * label.size, abs(label.along[1]) * CLEAR * label.size
        left, top, right, bottom = left - across, top - up, right + across, bottom + up
        around, beside = [], []
        for area in self._stripes[self._stripe(point[1])]:
            box = area.box
            if box[0] < right and left < box[2] and box[1] < bottom and top < box[3]:
                if not area.holds(point):
                    beside.append(area)
                elif area.shape.order < order:
                    around.append(area)
        if 1 < len(around) <= MOST:
            around = [area for area in around if not any(_hides(other, area) for other in around)]
        if len(around) > 1:
            around.sort(key=lambda area: (round(area.size, DECIMALS), -area.shape.order))
        return around, beside

    def all(self) -> list[Area]:
        """Every area once, in paint order."""
        areas = {id(area): area for stripe in self._stripes for area in stripe}
        return sorted(areas.values(), key=lambda area: area.shape.order)

    def inside(self, box: Bounds) -> Iterator[Area]:
        """The areas whose middle lies in the box."""
        for stripe in range(self._stripe(box[1]), self._stripe(box[3]) + 1):
            for area in self._stripes[stripe]:
                left, top, right, bottom = area.box
                x, y = (left + right) / 2, (top + bottom) / 2
                if self._stripe(y) == stripe and box[0] <= x <= box[2] and box[1] <= y <= box[3]:
                    yield area


def _hides(area: Area, other: Area) -> bool:
    """Whether nothing of another area is visible: this one is painted later, is opaque and larger, and holds it."""
    shape = area.shape
    if shape.order <= other.shape.order or area.size <= other.size or not shape.fill:
        return False
    left, top, right, bottom = other.box
    return all(alpha >= OPAQUE for _, alpha in shape.fill) and all(
        area.holds(corner) for corner in ((left, top), (right, top), (right, bottom), (left, bottom))
    )


def _returns(d: str) -> bool:
    """Whether a path ends where it begins, as the rounded boxes of Graphviz do, which do not close it."""
    tokens = d.replace(",", " ").split()
    return len(tokens) > 6 and tokens[1:3] == tokens[-2:]


def _may_hold(shape: PaintedShape) -> bool:
    """Whether a shape can be a label's box, judged without its outline."""
    tag = shape.node.tag
    if tag == "path":
        d = shape.node.attrib.get("d", "")
        return 20 < len(d) <= LONGEST and (bool(shape.fill) or "Z" in d or _returns(d))
    return tag in ("rect", "polygon", "ellipse", "circle")
