"""A picture before and after -> the change as one picture: what is new, gone, renamed and moved, in the picture after.

A pure function of the two published pictures. What has not changed stands where it stands after the change. A part that
is gone is a copy from the picture before, at its place between its neighbours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from figmill import font_metrics, xml_tree
from figmill.compare import marks, placing
from figmill.compare.legend import legend
from figmill.compare.marks import Colours, element, number
from figmill.compare.matching import Matching, differing, matching
from figmill.compare.parts import Bounds, Point, centre, directed
from figmill.compare.placing import MarkPlaces
from figmill.late_dataclasses import dataclass
from figmill.palette import ROLES, Role
from figmill.svg import Ink, LabelPart

if TYPE_CHECKING:
    from lxml.etree import _Element

EDGE = 4.0  # px between a mark and the edge of the picture
RADIUS, SMALLEST, LARGEST = 1 / 95, 8.0, 16.0  # of a sign: a share of the picture's width, and bounds in px
TRACES = 12  # at most
SMALL = 11.0  # px, the least size of words that are gone
LONGEST = 40  # characters of them
BESIDE = 40.0  # px between a label that is gone and its place
APART = 12.0  # px between a line that is gone and another one between the same boxes
# px by which the ends of a line that is gone have moved apart, so that its route is no longer drawn
BENT = 20.0
BENDS = (0.0, 30.0, -30.0, 60.0, -60.0, 100.0, -100.0)  # px by which such a line leaves the straight way
ON_A_LINE = (0.5, 0.36, 0.64, 0.22, 0.78)  # where a sign may be, as shares of the length
URL = re.compile(r"url\(#([^)]+)\)")


@dataclass(frozen=True, slots=True)
class Merged:
    """The change as one picture, and what it shows: a text for each sort of change."""

    svg: bytes
    legend: tuple[str, ...]


def merged(before: bytes, after: bytes, theme: str, palette: Sequence[Role] = ROLES) -> Merged | None:
    """The change in one picture; None if it cannot be read as one: plots, and where less than half is as before."""
    if before == after:
        return None
    match = matching(before, after)
    if match is None:
        return None
    texts = legend(match)
    return Merged(_Picture(before, after, match, Colours.of(theme, palette)).svg(texts), texts)


class _Picture:
    def __init__(self, before: bytes, after: bytes, match: Matching, colours: Colours) -> None:
        self.match, self.colours = match, colours
        self.root, self.was = xml_tree.parsed(after), xml_tree.parsed(before)
        self.nodes, self.numbers = list(self.root.iter("*")), dict(_numbered(self.was))
        new = match.new
        self.radius = max(SMALLEST, min(LARGEST, RADIUS * new.width))
        leaves = [box.bounds for box in new.boxes if not box.holds]
        titles = [label.bounds for label in new.labels if label.box is None or new.boxes[label.box].holds]
        self.boxes = leaves
        self.places = MarkPlaces((0.0, 0.0, new.width, new.height), [*leaves, *titles])
        for line in new.lines:
            self.places.avoid([point for piece in line.route for point in piece])
        self.stayed = {i for i, _ in match.labels.pairs}
        self.shifts = {i: _shift(match, i, j) for i, j in match.boxes.pairs}
        self.marks: list[_Element] = []
        self.signs: list[_Element] = []
        self.text_boxes = [label.bounds for label in new.labels]  # with those that are gone
        self.signed: list[Bounds] = []
        self.family = _family(self.root)

    def svg(self, texts: Sequence[str]) -> bytes:
        from lxml import etree

        # boxes that are gone take their places first: the others' lines lead to them
        for i in sorted(self.match.boxes.gone, key=lambda i: not self.match.old.boxes[i].holds):
            self._gone_box(i)
        self._lines()
        for j in self.match.boxes.new:
            self._outlined(j, self.colours.new)
            self._sign(marks.PLUS, self._corners(self.match.new.boxes[j].bounds), self.colours.new)
        self._other_looks()
        for i, j in self.match.boxes.renamed:
            self._outlined(j, self.colours.other)
            old = self.match.old.boxes[i]
            size = next((label.size for label in self.match.old.labels if label.box == i), SMALL)
            text, _ = differing(old.words, self.match.new.boxes[j].words)
            self._old_text(text, size, self.match.new.boxes[j].bounds)
        self._labels()
        self._traces()
        self._append()
        _rename_ids(self.root)
        for node in self.root.iterchildren(marks.SVG + "desc"):
            node.text = f"The change: {'; '.join(texts)}. {node.text or ''}".rstrip()
        return etree.tostring(self.root, encoding="utf-8") + b"\n"

    def _gone_box(self, i: int) -> None:
        old = self.match.old
        box = old.boxes[i]
        shift = self._shift_of_gone(i)
        if not box.holds:
            room = placing.grown(placing.shifted(box.bounds, shift), self.radius / 2)
            more = self.places.near(room)
            shift = shift[0] + more[0], shift[1] + more[1]
        self.shifts[i] = shift
        place = self.places.take(placing.shifted(box.bounds, shift))
        if box.holds:
            self.places.taken.remove(place)
        self.marks.append(self._ghost(box.elements, box.outline, shift))
        if box.outline is None:
            self.marks.append(marks.frame(place, self.colours.gone, stroke_dasharray="5 3", stroke_width=1.5))
        self._sign(marks.MINUS, self._corners(place), self.colours.gone)

    def _ghost(self, elements: frozenset[int], outline: Ink | None, shift: Point) -> _Element:
        x, y, scale = _frame(self.was, self.match.old.width)
        copy = marks.ghost(self.was, self.numbers, elements, outline, self.colours)
        place = f"translate({number(shift[0])} {number(shift[1])})"
        return element(
            "g", copy, transform=f"{place} scale({scale:.6g}) translate({number(-x)} {number(-y)})"
        )

    def _shift_of_gone(self, i: int) -> Point:
        """The mean shift of the neighbours of a box; without any, of the boxes in it, beside it, or of most."""
        old = self.match.old
        linked = {
            other
            for line in old.lines
            if i in line.ends
            for other in line.ends
            if other is not None and other != i
        }
        inside = {n for n, box in enumerate(old.boxes) if box.within == i}
        beside = {n for n, box in enumerate(old.boxes) if box.within == old.boxes[i].within}
        for some in (linked, inside, beside):
            if shifts := [self.shifts[n] for n in sorted(some) if n in self.shifts]:
                return placing.mean(shifts)
        return self.match.shift

    def _lines(self) -> None:
        old, new = self.match.old, self.match.new
        for j in self.match.lines.new:
            line = new.lines[j]
            self._halo(line.inks, self.colours.new)
            self._sign_on([point for piece in line.route for point in piece], marks.PLUS, self.colours.new)
        for i in self.match.lines.gone:
            line = old.lines[i]
            there = [point for piece in line.route for point in piece]
            route, gaps = self._route_of_gone(i, there)
            if self._is_doubled(i):
                route = placing.beside(route, APART)
            if not gaps:
                self.places.avoid(route)
            width = max((ink.width for ink in line.inks), default=1.0)
            self.marks.append(marks.line(route, gaps, line.heads, max(width, 1.5), self.colours.gone))
            middle, was = placing.along(route, 0.5), placing.along(there, 0.5)
            for n, label in enumerate(old.labels):
                if label.line == i and n not in self.stayed:
                    self._gone_label(label, (middle[0] - was[0], middle[1] - was[1]))
            self._sign_on(route, marks.MINUS, self.colours.gone)

    def _route_of_gone(self, i: int, there: Sequence[Point]) -> tuple[Sequence[Point], list[int]]:
        """The route of a line that is gone: with its boxes; else straight or bent, around boxes and words.

        there: where it was. With the numbers of the points after its gaps, which are those at its labels.
        """
        old = self.match.old
        line = old.lines[i]
        shifts = [self._end(end, line.ends) for end in line.ends]
        start, end = line.ends
        as_before = placing.stretched(there, *shifts)
        gaps = list(accumulate(map(len, line.route[:-1])))
        start_box, end_box = (None if end is None else self._place_of(end) for end in (start, end))
        if start_box is None or end_box is None or start == end:
            return as_before, gaps
        others = [*self.text_boxes, *(box for box in self.boxes if box not in (start_box, end_box))]
        routes = [placing.bow(start_box, end_box, bend) for bend in BENDS]
        if math.dist(*shifts) <= BENT:
            routes.insert(0, as_before)
        best = min(routes, key=lambda route: sum(placing.meets(route, box) for box in others))
        return best, gaps if best is as_before else []

    def _place_of(self, i: int) -> Bounds | None:
        """Where a box before stands in the picture; None: it looks like the page there."""
        after = dict(self.match.boxes.pairs)
        if i in after:
            return self.match.new.boxes[after[i]].bounds
        return placing.shifted(self.match.old.boxes[i].bounds, self.shifts[i]) if i in self.shifts else None

    def _end(self, end: int | None, ends: tuple[int | None, int | None]) -> Point:
        """By how much the end of a line that is gone is shifted: as its box, or as the one at its other end."""
        for box in (end, *ends):
            if box is not None and box in self.shifts:
                return self.shifts[box]
        return self.match.shift

    def _is_doubled(self, i: int) -> bool:
        """Whether a line of the picture after joins the same boxes as one that is gone."""
        after = dict(self.match.boxes.pairs)
        ends = {after.get(end, -1) for end in directed(self.match.old.lines[i]) if end is not None}
        return any({*line.ends} == ends for line in self.match.new.lines)

    def _gone_label(self, label: LabelPart, shift: Point) -> None:
        more = self.places.near(placing.shifted(label.bounds, shift), BESIDE)
        shift = shift[0] + more[0], shift[1] + more[1]
        box = self.places.take(placing.shifted(label.bounds, shift))
        self.text_boxes.append(box)
        self.marks.append(self._ghost(label.elements, None, shift))
        lines = max(1, round((box[3] - box[1]) / (1.2 * label.size)))
        high = (box[3] - box[1]) / lines
        for n in range(lines):
            line = box[0], box[1] + n * high, box[2], box[1] + (n + 1) * high
            self.marks.append(marks.strike(line, self.colours.gone))

    def _other_looks(self) -> None:
        """Mark boxes and lines with other forms, colours or dashes, unless most have them."""
        match = self.match
        if match.are_restyled(match.boxes):
            for _, j in match.boxes.restyled:
                self._outlined(j, self.colours.other)
                self._sign(marks.OTHER, self._corners(match.new.boxes[j].bounds), self.colours.other)
        if match.are_restyled(match.lines):
            for _, j in match.lines.restyled:
                line = match.new.lines[j]
                self._halo(line.inks, self.colours.other)
                self._sign_on(
                    [point for piece in line.route for point in piece], marks.OTHER, self.colours.other
                )

    def _labels(self) -> None:
        old, new, its = self.match.old, self.match.new, self.match.labels
        for j in its.new:
            box = placing.grown(new.labels[j].bounds, 4)
            self.marks.append(marks.frame(box, self.colours.new, stroke_width=2.0))
            self._sign_beside(new.labels[j].bounds, marks.PLUS, self.colours.new)
        for i in its.gone:
            self._gone_label(old.labels[i], self.match.shift)
            self._sign_beside(self.places.used[-1], marks.MINUS, self.colours.gone)
        for i, j in its.renamed:
            box = new.labels[j].bounds
            self.marks.append(marks.frame(placing.grown(box, 4), self.colours.other, stroke_width=1.5))
            self._old_text(old.labels[i].words, old.labels[i].size, placing.grown(box, 4))

    def _old_text(self, text: str, size: float, at: Bounds) -> None:
        """The earlier text of a box or label, struck out beside it."""
        text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        size = max(SMALL, 0.85 * size)
        width, height = font_metrics.width(text) * size + 4, 1.2 * size
        left, top, right, bottom = at
        x, y = centre(at)
        gap = placing.CLEAR + marks.HALO
        corners = (
            (left, top - gap - height),
            (left, bottom + gap),
            (x - width / 2, top - gap - height),
            (right - width, top - gap - height),
            (right - width, bottom + gap),
            (right + gap, y - height / 2),
            (left - gap - width, y - height / 2),
        )
        boxes = [(x, y, x + width, y + height) for x, y in corners]
        box = self.places.first(boxes)
        is_backed = not self.places.is_free(box) or self.places.crossed(box) > 0
        self.text_boxes.append(self.places.take(box))
        self.marks.append(marks.struck(text, box, size, self.family, self.colours, is_backed))

    def _traces(self) -> None:
        old, new = self.match.old, self.match.new
        for i, j in self.match.moved[:TRACES]:
            was = placing.shifted(old.boxes[i].bounds, self.match.shift)
            now = new.boxes[j].bounds
            start, end = placing.border(was, centre(now)), placing.border(now, centre(was))
            if placing.meet(was, now):
                start, end = (was[0], was[1]), (now[0], now[1])
            self.marks.append(marks.trace(was, start, end, self.colours))
            self.places.used.append(was)

    def _outlined(self, j: int, colour: str) -> None:
        box = self.match.new.boxes[j]
        if box.outline is None:
            self.marks.append(marks.frame(placing.grown(box.bounds, 2), colour, stroke_width=3.0))
        else:
            self._halo((box.outline,), colour)
        self.places.used.append(placing.grown(box.bounds, marks.HALO))

    def _halo(self, inks: Sequence[Ink], colour: str) -> None:
        for ink in inks:
            marks.halo(self.nodes[ink.element], ink, colour)

    def _corners(self, box: Bounds) -> list[Point]:
        left, top, right, bottom = box
        return [(left, top), (right, top), (left, bottom), (right, bottom), (left, (top + bottom) / 2)]

    def _sign_on(self, route: Sequence[Point], form: str, colour: str) -> None:
        self._sign(form, [placing.along(route, share) for share in ON_A_LINE], colour)

    def _sign_beside(self, box: Bounds, form: str, colour: str) -> None:
        self._sign(form, self._corners(placing.grown(box, self.radius + 1)), colour)

    def _sign(self, form: str, points: Sequence[Point], colour: str) -> None:
        """A sign at the first of the points where it hides no words and no other sign."""
        boxes = [placing.grown((x, y, x, y), self.radius) for x, y in points]
        free = (
            box
            for box in boxes
            if not any(placing.meet(box, other) for other in (*self.text_boxes, *self.signed))
        )
        box = next(free, boxes[0])
        self.signed.append(box)
        self.places.used.append(box)
        self.signs.append(marks.sign(form, centre(box), self.radius, colour, self.colours))

    def _append(self) -> None:
        """Add the marks on top of the picture, which grows if they need more room."""
        x, y, scale = _frame(self.root, self.match.new.width)
        place = f"translate({number(x)} {number(y)})" + (f" scale({1 / scale:.6g})" if scale != 1 else "")
        group = element("g", *self.marks, *self.signs, transform=place, stroke="none", font_size="16")
        group.tail = "\n"
        self.root.append(group)
        new = self.match.new
        left, top, right, bottom = placing.around([(0, 0, new.width, new.height), *self.places.used])
        grown = (
            min(0.0, left - EDGE if left < 0 else 0.0),
            min(0.0, top - EDGE if top < 0 else 0.0),
            max(new.width, right + EDGE if right > new.width else 0.0),
            max(new.height, bottom + EDGE if bottom > new.height else 0.0),
        )
        if grown == (0.0, 0.0, new.width, new.height):
            return
        old = [float(part) for part in str(self.root.get("viewBox")).replace(",", " ").split()]
        view = (
            x + grown[0] / scale,
            y + grown[1] / scale,
            (grown[2] - grown[0]) / scale,
            (grown[3] - grown[1]) / scale,
        )
        for node in self.root:
            if node.tag == marks.SVG + "rect" and _is_page(node, old):
                for key, value in zip(("x", "y", "width", "height"), view, strict=True):
                    node.set(key, number(value))
        self.root.set("viewBox", " ".join(map(number, view)))
        self.root.set("width", number(grown[2] - grown[0]))
        self.root.set("height", number(grown[3] - grown[1]))


def _numbered(root: _Element) -> Iterator[tuple[_Element, int]]:
    for at, node in enumerate(root.iter("*")):
        yield node, at


def _frame(root: _Element, width: float) -> tuple[float, float, float]:
    """The left top corner of the view in a picture's own units, and px for each of these."""
    left, top, across, _ = (float(part) for part in str(root.get("viewBox")).replace(",", " ").split())
    return left, top, width / across


def _is_page(node: _Element, view: Sequence[float]) -> bool:
    """Whether a rectangle fills the whole view."""
    place = [float(node.get(key, "0")) for key in ("x", "y", "width", "height")]
    return all(abs(one - other) < 0.01 for one, other in zip(place, view, strict=True))


def _family(root: _Element) -> str:
    """The font of the first text."""
    for node in root.iter(marks.SVG + "text"):
        for each in (node, *node.iterancestors()):
            if family := each.get("font-family"):
                return str(family)
    return "sans-serif"


def _shift(match: Matching, i: int, j: int) -> Point:
    (x0, y0), (x1, y1) = centre(match.old.boxes[i].bounds), centre(match.new.boxes[j].bounds)
    return x1 - x0, y1 - y0


def _rename_ids(root: _Element) -> None:
    """Give the elements ids of their own, so that a page can hold this picture and the one that it was made from."""
    for node in root.iter("*"):
        for key, value in ((str(key), str(value)) for key, value in node.items()):
            if key == "id":
                node.set(key, f"{value}-change")
            elif key.startswith("aria-"):
                node.set(key, " ".join(f"{name}-change" for name in value.split()))
            elif key.rpartition("}")[2] == "href" and value.startswith("#"):
                node.set(key, f"{value}-change")
            elif "url(#" in value:
                node.set(key, URL.sub(r"url(#\1-change)", value))
