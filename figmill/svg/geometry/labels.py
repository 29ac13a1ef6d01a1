"""How wide the labels of a drawing are, and where they overlap each other or leave the view.

A label is one line of text with one anchor. Its frame has its origin at the anchor: `along` runs on the baseline, `up`
away from it, so a rotated label is like any other. Widths are those of the book's font, and of the widest fallback that
a reader may have. Left out: text along a path, vertical and right-to-left text. Knows nothing of the shapes around a
label (areas.py), of the one that it belongs to (label_fit.py), or of how it gets room.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TypeAlias

from figmill.font_metrics import fallback, widest
from figmill.font_metrics import width as measured
from figmill.late_dataclasses import dataclass
from figmill.svg.geometry.outlines import Bounds, Point
from figmill.svg.geometry.scene import PaintedText, Scene
from figmill.svg.geometry.text_layout import SHARE, TextRun, chunks

Interval: TypeAlias = tuple[float, float]  # start and end along a label, from its anchor

# Heights above the baseline, in em.
CAPITAL, SMALL, BELOW, MIDDLE = 0.72, 0.53, 0.21, 0.3
# em above the baseline: between these a label must stay in its shape, even a slanted one
WITHIN = (0.0, 0.55)
FLAT = frozenset("acemnorsuvwxz ~-–—.…·•:")  # no taller than lower-case letters
DEEP = re.compile(r"[gjpqyQ,;()\[\]{}|@$§µμρφβγηχψζξ_/\\]")  # characters with ink below the baseline
# From the y of a text down to its baseline, in em.
SHIFT = {
    "middle": 0.26,
    "central": 0.35,
    "hanging": 0.72,
    "text-before-edge": 0.9,
    "text-top": 0.9,
    "text-after-edge": -0.21,
    "text-bottom": -0.21,
    "ideographic": -0.21,
    "mathematical": 0.5,
}
LEVEL, UP = (1.0, 0.0), (0.0, -1.0)
SPECK = 1e-9  # scale below which text is invisible
CROWD = 1000  # labels: above this number they are not compared with each other


@dataclass(slots=True, eq=False)
class Label:
    """One line of text; lengths in root units."""

    text: PaintedText
    runs: list[TextRun]
    x: float  # x of the anchor, on the baseline
    y: float
    along: Point  # the direction of the text, of length 1
    up: Point
    scale: float  # root units per unit of the text
    size: float  # 1 em
    share: float  # share of the width that lies before the anchor
    width: float  # in the book's font
    natural: float  # width in the widest fallback font
    wide: float  # width in the same font, as a browser may round it
    words: str
    top: float  # the ink's highest point above the baseline
    bottom: float  # its lowest point: 0, or negative
    box: Bounds  # the bounds of the ink at its widest

    def span(self, width: float) -> Interval:
        return -self.share * width, (1 - self.share) * width

    def at(self, along: float, up: float) -> Point:
        return (
            self.x + along * self.along[0] + up * self.up[0],
            self.y + along * self.along[1] + up * self.up[1],
        )

    def frame(self, point: Point) -> Point:
        """A root point in this label's frame: along and up."""
        x, y = point[0] - self.x, point[1] - self.y
        return x * self.along[0] + y * self.along[1], x * self.up[0] + y * self.up[1]

    def corners(self, width: float) -> tuple[Point, ...]:
        """The corners of the ink at this width."""
        start, end = self.span(width)
        return tuple([self.at(along, up) for up in (self.top, self.bottom) for along in (start, end)])

    def bounds(self, width: float) -> Bounds:
        xs, ys = zip(*self.corners(width), strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    def centre(self) -> Point:
        return self.at((0.5 - self.share) * self.width, MIDDLE * self.size)


def labels(scene: Scene, px: float) -> list[Label]:
    """Every visible line of text, in paint order."""
    return [
        label
        for text in scene.texts
        for chunk in chunks(text.node, text.type)
        if (label := _label(text, chunk, px))
    ]


def _label(text: PaintedText, chunk: list[TextRun], px: float) -> Label | None:
    first = chunk[0]
    type_ = first.type
    if not type_.level or any(run.node not in text.shown for run in chunk):
        return None
    a, b, c, d, e, f = text.ctm
    if (b, c) == (0.0, 0.0) and a > 0 and d > 0:  # the usual case
        scale, along, up = a, LEVEL, UP
    else:
        scale, tall = math.hypot(a, b), math.hypot(c, d)
        if min(scale, tall) < SPECK:
            return None
        along, up = (a / scale, b / scale), (-c / tall, -d / tall)
    last = chunk[-1]
    width = last.left + last.width - first.left
    if width <= 0 or type_.size <= 0 or scale < SPECK:
        return None
    natural = wide = width
    for run in chunk:
        if not run.rigid:
            own = run.type
            style = own.bold, own.italic, own.mono
            spaces = run.width - measured(run.text, *style) * own.size  # letter-spacing and word-spacing
            natural += max(0.0, fallback(run.text, *style) * own.size + spaces - run.width)
            seen = round(own.size * scale * px, 2)
            wide += max(0.0, widest(run.text, seen, *style) * own.size + spaces - run.width)
    share = SHARE.get(type_.anchor, 0.0)
    x = first.left + share * width
    y = first.base + SHIFT.get(type_.baseline, 0.0) * type_.size
    size = type_.size * scale
    content = "".join([run.text for run in chunk]).strip()
    x, y = a * x + c * y + e, b * x + d * y + f
    top = (SMALL if FLAT.issuperset(content) else CAPITAL) * size
    bottom = -BELOW * size if DEEP.search(content) else 0.0
    wide *= scale
    left = x - share * wide
    box = left, y - top, left + wide, y - bottom
    label = Label(
        text,
        chunk,
        x,
        y,
        along,
        up,
        scale,
        size,
        share,
        width * scale,
        natural * scale,
        wide,
        content,
        top,
        bottom,
        box,
    )
    if along != LEVEL:
        label.box = label.bounds(wide)
    return label


@dataclass(slots=True)
class Meeting:
    """Two labels of different texts that overlap at their widest.

    - wide, narrow: the depth, in root units.
    """

    one: Label
    other: Label
    wide: float
    narrow: float


def meetings(every: list[Label]) -> Iterator[Meeting]:
    """Pairs of labels whose ink overlaps at their widest, except a text drawn twice."""
    active: list[Label] = []
    for label in sorted(every, key=_top) if len(every) <= CROWD else ():
        left, top, right, _ = label.box
        active = [other for other in active if other.box[3] > top]
        for other in active:
            if other.box[0] < right and left < other.box[2] and other.text is not label.text:
                wide = depth(other, other.wide, label, label.wide)
                if wide and not is_twice(other, label):
                    lower, upper = sorted((other, label), key=_order)
                    yield Meeting(lower, upper, wide, depth(lower, lower.width, upper, upper.width))
        active.append(label)


def _top(label: Label) -> float:
    return label.box[1]


def _order(label: Label) -> int:
    return label.text.order


def depth(label: Label, label_width: float, other: Label, other_width: float) -> float:
    """How far the ink of two labels overlaps: the shortest move that separates them; 0 if they are apart."""
    if label.along == other.along == LEVEL:
        left, right = label.x - label.share * label_width, other.x - other.share * other_width
        across = min(left + label_width - right, right + other_width - left)
        up = min(label.y - label.bottom - other.y + other.top, other.y - other.bottom - label.y + label.top)
        return max(0.0, min(across, up))
    first, second = label.corners(label_width), other.corners(other_width)
    least = math.inf
    for axis in {label.along, label.up, other.along, other.up}:
        a = [x * axis[0] + y * axis[1] for x, y in first]
        b = [x * axis[0] + y * axis[1] for x, y in second]
        least = min(least, max(a) - min(b), max(b) - min(a))
        if least <= 0:
            return 0.0
    return least


def is_twice(label: Label, other: Label) -> bool:
    """Whether a text is drawn a second time over itself: a halo, or a shadow."""
    if label.words != other.words:
        return False
    along, up = other.frame(label.centre())
    along0, up0 = other.frame(other.centre())
    return max(abs(along - along0), abs(up - up0)) <= 0.3 * max(label.size, other.size)


def beyond(label: Label, width: float, view: Bounds) -> dict[str, float]:
    """How far the ink at this width crosses each side of the view; sides without a crossing are left out."""
    left, top, right, bottom = label.bounds(width)
    over = {
        "left": view[0] - left,
        "top": view[1] - top,
        "right": right - view[2],
        "bottom": bottom - view[3],
    }
    return {side: by for side, by in over.items() if by > 0}
