"""The areas behind a point of a drawing: those painted earlier that contain it, topmost first.

The winding number decides whether an area contains a point (SVG 1.1, 11.3). Knows nothing of contrast or themes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from figmill.svg.colour import Tone
from figmill.svg.document import Element
from figmill.svg.geometry.clips import meet
from figmill.svg.geometry.display_list import UNKNOWN
from figmill.svg.geometry.gradients import Gradient, gradient
from figmill.svg.geometry.outlines import Point, Ring
from figmill.svg.geometry.precision import ViewBox
from figmill.svg.geometry.scene import Paint, PaintedShape, Scene, bounds, rings
from figmill.svg.steps import Steps

CELLS = 24  # cells along each side of the view: a point searches one of them
MIXED = 256  # colours behind one point: if there are more, only a sample is tried
LAYERS = 200  # the most areas on top of each other: nothing is visible below that many
LOOK = 5  # steps to compare painting orders; a test of position costs 1
HIDES = 0.5  # opacity from which an area counts as the ground
MANY = 20_000  # shapes: with more, the cells are larger, because wide areas lie in all of them


def solid(scene: Scene) -> list[PaintedShape]:
    """The areas that hide what is below them, in paint order: no group around them makes them fainter."""
    changed = {at for effect in (*scene.effects, *scene.layers) for at in range(*effect.shapes)}
    return [
        shape
        for number, shape in enumerate(scene.shapes)
        if shape.fill
        and number not in changed
        and not shape.rough
        and all(alpha >= HIDES for _, alpha in shape.fill)
    ]


class AreaPolygon(NamedTuple):
    """One polygon of an area, with its bounds."""

    shape: PaintedShape
    ring: Ring
    left: float
    top: float
    right: float
    bottom: float


class Ground:
    """The areas of a drawing, indexed by place. Built on first use: most drawings never need it.

    Raises SpentError if a drawing needs more steps than it has.
    """

    def __init__(
        self,
        shapes: Sequence[PaintedShape],
        view: ViewBox,
        steps: Steps,
        ids: Mapping[str, Element] | None = None,
    ) -> None:
        """ids: the drawing's elements, needed for colours, because a gradient may refer to another."""
        self._shapes, self._steps, self._view, self._ids = shapes, steps, view, ids or {}
        self._gradients: dict[PaintedShape, Gradient | None] = {}
        left, top, width, height = view
        self._side = CELLS if len(shapes) < MANY else 4
        self._raster = left, top, self._side / width, self._side / height
        self._cells: dict[tuple[int, int], list[AreaPolygon]] | None = None

    def top(self, point: Point, order: int) -> PaintedShape | None:
        """The topmost mostly opaque area at the point among those painted before this order; None if the page shows."""
        near = self._near(point)
        below = near[: bisect_left(near, order, key=_order)]
        for shape, group in groupby(reversed(below), key=_shape):
            pieces = [piece for piece in group if _holds(piece, point)]
            self._steps.spend(LOOK + sum(len(piece.ring) // 2 for piece in pieces))
            if pieces and all(alpha >= HIDES for _, alpha in shape.fill) and _covers(shape, pieces, point):
                return shape
        return None

    def touches(self, point: Point, order: int) -> bool:
        """Whether the bounds of an area painted before this order contain the point."""
        near = self._near(point)
        for place, piece in enumerate(near):  # the most frequent query
            if piece.shape.order >= order:
                break
            if _holds(piece, point):
                self._steps.spend(place)
                return True
        self._steps.spend(len(near))
        return False

    def _near(self, point: Point) -> Sequence[AreaPolygon]:
        if self._cells is None:
            self._cells = self._sort()
        return self._cells.get(self._cell(*point), ())

    def behind(
        self, point: Point, order: int, page: str, but: str = "", corners: Sequence[Point] = ()
    ) -> frozenset[str]:
        """The colours that may lie behind a mark of this order at a point; several if there is a gradient.

        Empty if a picture lies there, whose colours are not read. but: skip transparent areas of this colour, since the
        band around a line is a shade of the line. corners: those of a mark as large as text, across which a gradient
        changes.
        """
        layers: list[Paint] = []
        shape: PaintedShape | None = None
        pieces: list[AreaPolygon] = []
        near = self._near(point)
        below = bisect_left(near, order, key=_order)
        for place in range(below - 1, -1, -1):
            piece = near[place]
            self._steps.spend(LOOK)
            if not _holds(piece, point) or _is_shade(piece.shape.fill, but):
                continue
            self._steps.spend(len(piece.ring) // 2)
            if piece.shape is not shape:
                if shape is not None and _covers(shape, pieces, point):
                    layers.append(self._tones(shape, point, corners))
                    if shape.fill[0][0] == UNKNOWN:
                        return frozenset()
                    if _hides(layers[-1]) or len(layers) == LAYERS:
                        break
                shape, pieces = piece.shape, []
            pieces.append(piece)
        else:
            if shape is not None and _covers(shape, pieces, point):
                layers.append(self._tones(shape, point, corners))
                if shape.fill[0][0] == UNKNOWN:
                    return frozenset()
        colours = frozenset((page,))
        for paint in reversed(layers):
            colours = frozenset(over(tone, colour) for tone in paint for colour in colours)
            if len(colours) > MIXED:  # gradients on gradients
                colours = frozenset(sorted(colours)[:: 1 + len(colours) // MIXED])
        return colours

    def _tones(self, shape: PaintedShape, point: Point, corners: Sequence[Point]) -> Paint:
        """The tones of an area around a point; for a gradient, those between the corners inside the area."""
        if shape.server is None:
            return shape.fill
        if shape not in self._gradients:
            node, opacity = shape.server
            self._gradients[shape] = gradient(node, opacity, shape.node, shape.ctm, self._ids, self._view)
        gradient_ = self._gradients[shape]
        if gradient_ is None:
            return shape.fill
        self._steps.spend(LOOK * len(gradient_.stops))
        left, top, right, bottom = bounds(shape)
        inside = ((max(left, min(right, x)), max(top, min(bottom, y))) for x, y in corners)
        return gradient_.tones((point, *inside))

    def _sort(self) -> dict[tuple[int, int], list[AreaPolygon]]:
        cells: dict[tuple[int, int], list[AreaPolygon]] = defaultdict(list)
        cell = self._cell
        for shape in self._shapes:
            if not shape.fill:
                continue
            for ring in rings(shape):
                xs, ys = zip(*ring, strict=True)
                box = min(xs), min(ys), max(xs), max(ys)
                box = box if shape.clip is None else meet(box, shape.clip)
                if box[0] > box[2] or box[1] > box[3]:
                    continue
                piece = AreaPolygon(shape, ring, *box)
                first, last = cell(box[0], box[1]), cell(box[2], box[3])
                if first == last:  # as nearly all of them do
                    cells[first].append(piece)
                    continue
                for column in range(first[0], last[0] + 1):
                    for row in range(first[1], last[1] + 1):
                        cells[column, row].append(piece)
        return cells

    def _cell(self, x: float, y: float) -> tuple[int, int]:
        left, top, across, down = self._raster
        column, row = across * (x - left), down * (y - top)
        last = self._side - 1  # 0 also for NaN
        return int(column if 0 <= column <= last else last if column > last else 0), int(
            row if 0 <= row <= last else last if row > last else 0
        )


@lru_cache(maxsize=1 << 16)
def over(tone: Tone, behind: str) -> str:
    """A tone composited on an opaque colour as browsers do it: in gamma-encoded sRGB."""
    colour, alpha = tone
    if alpha >= 1:
        return colour
    pairs = ((int(colour[at : at + 2], 16), int(behind[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(alpha * top + (1 - alpha) * below):02x}" for top, below in pairs)


def _order(piece: AreaPolygon) -> int:
    return piece.shape.order


def _shape(piece: AreaPolygon) -> PaintedShape:
    return piece.shape


def _is_shade(paint: Paint, of: str) -> bool:
    return of != "" and len(paint) == 1 and paint[0][0] == of and paint[0][1] < 1


def _hides(paint: Paint) -> bool:
    return all(alpha >= 1 for _, alpha in paint)


def _holds(piece: AreaPolygon, point: Point) -> bool:
    x, y = point
    return piece.left <= x <= piece.right and piece.top <= y <= piece.bottom


def _covers(shape: PaintedShape, pieces: Sequence[AreaPolygon], point: Point) -> bool:
    wound = sum(_winding(piece.ring, point) for piece in pieces)
    return bool(wound % 2) if shape.even_odd else wound != 0


def _winding(ring: Ring, point: Point) -> int:
    """How often the polygon winds around the point."""
    x, y = point
    wound = 0
    x0, y0 = ring[-1]
    for x1, y1 in ring:
        if (y0 <= y) != (y1 <= y):
            side = (x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)
            if y1 > y and side > 0:
                wound += 1
            elif y1 <= y and side < 0:
                wound -= 1
        x0, y0 = x1, y1
    return wound
