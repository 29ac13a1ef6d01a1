"""Finds styles that differ only in colour, so that some readers cannot tell them apart.

Two things are checked: legends, because a legend gives colours a meaning (swatches of one shape with text beside them);
and mixed areas of one size and shape without text, in classes that differ only in fill. A hatch, another outline,
another dash, a mark in the swatch, text in every area, or separate places also tell classes apart. It does not read the
caption.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from itertools import combinations

from figmill.palette import PAGE
from figmill.svg.checks.legends import LegendShape, Swatch, TextIndex, areas_of, swatches_of, words_of
from figmill.svg.colour import distance
from figmill.svg.colour_vision import merging
from figmill.svg.document import Draft
from figmill.svg.geometry.backdrop import over
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.outlines import Bounds, Ring
from figmill.svg.geometry.precision import view_box
from figmill.svg.geometry.rectangles import around
from figmill.svg.geometry.scene import Paint, rings
from figmill.svg.passes.page import page_colour
from figmill.svg.spec import Sheet
from figmill.svg.steps import SpentError, Steps

CROWD = 2000  # areas of one size and shape: more are data, which no reader counts
MOST = 60  # swatches, and styles among areas of one size: more are data, not a legend
MAX_STEPS = 1_000_000  # half a second of searching for the text inside areas
SMALL = 0.05  # share of the view: larger areas do not form a group
APART = 0.1  # OKLab distance that readers of every colour vision see
ONE = 0.005  # OKLab distance below which two colours are the same


def check_colour_only(draft: Draft, sheet: Sheet) -> None:
    """Warn of each pair of styles that only some readers can tell apart."""
    if "colour-only" not in sheet.checks:
        return
    root = draft.root
    view = view_box(root)
    if view is None:
        return
    scene = drawn(draft)
    page = page_colour(sheet) or PAGE[0]
    areas = areas_of(root, scene)
    with suppress(SpentError):  # keep the warnings given so far
        _look(draft, areas, TextIndex(words_of(scene), Steps(MAX_STEPS)), page, view[2] * view[3])


def _look(draft: Draft, areas: list[LegendShape], texts: TextIndex, page: str, whole: float) -> None:
    swatches = swatches_of(areas, texts)
    taken = {part.shape.order for swatch in swatches for part in swatch.parts}
    alike: dict[Paint, list[LegendShape]] = defaultdict(list)  # areas outside legends, by fill
    for area in areas:
        if area.shape.order not in taken:
            alike[area.shape.fill].append(area)
    reported: set[frozenset[str]] = set()
    for one, other in combinations(swatches[:MOST], 2):
        texts.steps.spend(2 * len(one.parts))
        if not _are_entries(one, other) or not _same_form(one, other):
            continue
        couples = _couples(one.parts, other.parts, page)
        names = frozenset((one.words.text, other.words.text))
        if names in reported or len(names) < 2 or _same(couples) or _are_labelled(one, other, alike, texts):
            continue
        if visions := merging(couples):
            reported.add(names)
            first, second = (f"'{swatch.words.text[:30]}'" for swatch in (one, other))
            message = f"{first} and {second} of the legend differ in colour alone ({_shown(couples)})"
            draft.warn("colour-only", other.parts[0].shape.node, f"{message}, {_lost(visions)}")
    _check_many(draft, areas, texts, taken, page, whole)


def _lost(visions: tuple[str, ...]) -> str:
    listed = " and ".join(", ".join(visions).rsplit(", ", 1))
    return f"which is lost in {listed}; add a hatch, a mark, another dash or words"


def _shown(couples: tuple[tuple[str, str], ...]) -> str:
    first, second = max(couples, key=lambda couple: distance(*couple))
    return f"{first} and {second}"


def _check_many(
    draft: Draft, areas: list[LegendShape], texts: TextIndex, taken: set[int], page: str, whole: float
) -> None:
    """Check areas of one size and shape whose classes differ only in fill."""
    alike: dict[tuple[object, ...], dict[tuple[object, ...], list[LegendShape]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for area in areas:
        left, top, right, bottom = area.box
        size = (right - left) * (bottom - top)
        if area.shape.order in taken or not area.shape.fill or not 0 < size < SMALL * whole:
            continue
        form = round(right - left, 1), round(bottom - top, 1), _outline(area), area.raw
        alike[form][area.shape.fill, area.shape.stroke].append(area)
    for looks in alike.values():
        classes = [same for same in looks.values() if len(same) > 1]
        if not 1 < len(classes) <= MOST or sum(map(len, classes)) > CROWD:
            continue
        for one, other in combinations(classes, 2):
            couples = _couples(one[:1], other[:1], page)
            visions = merging(couples) if any(distance(*couple) >= APART for couple in couples) else ()
            if (
                visions
                and not _are_in_places(one, other)
                and not any(texts.inside(a) for a in (*one, *other))
            ):
                message = f"{len(one)} and {len(other)} areas differ in colour alone ({_shown(couples)})"
                draft.warn("colour-only", other[0].shape.node, f"{message}, {_lost(visions)}")


def _outline(area: LegendShape) -> tuple[tuple[int, int], ...]:
    """The corners of an area in quarters of its size: equal for areas of one shape."""
    left, top, right, bottom = area.box
    return tuple(
        (round(4 * (x - left) / (right - left)), round(4 * (y - top) / (bottom - top)))
        for ring in rings(area.shape)
        for x, y in ring
    )


def _are_in_places(one: list[LegendShape], other: list[LegendShape]) -> bool:
    """Whether all areas of one class lie to one side of all areas of the other."""
    first, second = (around([area.box for area in areas]) for areas in (one, other))
    return not all(first[n] < second[n + 2] - 0.5 and second[n] < first[n + 2] - 0.5 for n in (0, 1))


def _are_entries(swatch: Swatch, other: Swatch) -> bool:
    """Whether two swatches stand in one column or row, in one size."""
    a, b = swatch.box, other.box
    slack = 0.15 * swatch.words.size
    in_column = abs(a[0] - b[0]) < slack
    in_row = abs((a[1] + a[3]) - (b[1] + b[3])) / 2 < slack
    same_size = all(abs((a[n + 2] - a[n]) - (b[n + 2] - b[n])) < 2 * slack for n in (0, 1))
    return (in_column or in_row) and same_size


def _same_form(swatch: Swatch, other: Swatch) -> bool:
    """Whether two swatches differ only in their colours."""
    if len(swatch.parts) != len(other.parts):
        return False
    return all(
        a.raw == b.raw
        and len(a.shape.fill) == len(b.shape.fill)
        and len(a.shape.stroke) == len(b.shape.stroke)
        and _same_outline(rings(a.shape), swatch.box, rings(b.shape), other.box, 0.1 * swatch.words.size)
        for a, b in zip(swatch.parts, other.parts, strict=True)
    )


def _same_outline(outline: list[Ring], at: Bounds, other: list[Ring], there: Bounds, slack: float) -> bool:
    """Whether two boxes hold the same polygons."""
    if [len(ring) for ring in outline] != [len(ring) for ring in other]:
        return False
    pairs = ((p, q) for r, s in zip(outline, other, strict=True) for p, q in zip(r, s, strict=True))
    return all(abs((p[n] - at[n]) - (q[n] - there[n])) < max(slack, 0.1) for p, q in pairs for n in (0, 1))


def _couples(
    own: tuple[LegendShape, ...] | list[LegendShape],
    other: tuple[LegendShape, ...] | list[LegendShape],
    page: str,
) -> tuple[tuple[str, str], ...]:
    """The paints of two styles in pairs, composited on the page."""
    return tuple(
        (over(a, page), over(b, page))
        for mine, yours in zip(own, other, strict=True)
        for first, second in ((mine.shape.fill, yours.shape.fill), (mine.shape.stroke, yours.shape.stroke))
        for a, b in zip(first, second, strict=False)
    )


def _same(couples: tuple[tuple[str, str], ...]) -> bool:
    """Whether all pairs of colours are equal."""
    return all(distance(first, second) < ONE for first, second in couples)


def _are_labelled(
    swatch: Swatch, other: Swatch, alike: dict[Paint, list[LegendShape]], index: TextIndex
) -> bool:
    """Whether every area in both styles has text in it, and the two styles share no text."""
    contents = []
    for fill in (swatch.parts[0].shape.fill, other.parts[0].shape.fill):
        contents.append([index.inside(area) for area in (alike.get(fill, ()) if fill else ())])
    if not all(contents) or not all(texts for texts in (*contents[0], *contents[1])):
        return False
    first, second = ({text for texts in labels for text in texts} for labels in contents)
    return first.isdisjoint(second)
