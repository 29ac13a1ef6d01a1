"""Elements that keep their colours in every theme, because a mark says that these are data.

`data-figmill-colours` on an element applies to all its descendants:

- `keep`: every colour stays, for example of a colour-mapped matplotlib artist and its colour bar;
- `keep-fills`: the fills of areas stay; text and lines change with the theme;
- `quiet`: lines without a meaning of their own, such as a polar grid, change with the theme but not for contrast.

Whatever lies on kept areas keeps its colours too, because they were chosen for that background: numbers in a heat map,
or a line over a picture, unless the page shows through most of the picture. Position decides this, never colour.
Published figures keep the marks, so that a light figure used as a source again has the same dark form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import field

from figmill.late_dataclasses import dataclass
from figmill.svg.document import Draft, Element
from figmill.svg.geometry.backdrop import Ground
from figmill.svg.geometry.display_list import drawn, paints_of
from figmill.svg.geometry.outlines import Point
from figmill.svg.geometry.precision import ViewBox, view_box
from figmill.svg.geometry.scene import PaintedShape, PaintedText, Scene, rings
from figmill.svg.pictures.ink import is_ground
from figmill.svg.spec import Sheet
from figmill.svg.steps import SpentError, Steps
from figmill.svg.xml import vocabulary
from figmill.svg.xml.references import references

MARK = "data-figmill-colours"
KEEP, FILLS, QUIET = MARKS = ("keep", "keep-fills", "quiet")
AREA_PAINTS = vocabulary.words("fill stop-color")
SPOKEN = vocabulary.SPANS | {"text"}
PAINTED = vocabulary.SHAPES | SPOKEN | {"use"}
NOT_HERE = vocabulary.RESOURCES | {"defs"}  # painted elsewhere, with the paints of that place
BESIDE = 0.75  # units to each side of a line, where its background is sampled
MAX_STEPS = 5_000_000


@dataclass(frozen=True, slots=True)
class KeptColours:
    """The elements that marks apply to: all colours kept, fills kept, or quiet lines."""

    whole: set[Element] = field(default_factory=set)
    fills: set[Element] = field(default_factory=set)
    quiet: set[Element] = field(default_factory=set)

    def holds(self, node: Element, name: str) -> bool:
        """Whether this paint of an element is kept."""
        return node in self.whole or (node in self.fills and name in AREA_PAINTS)

    def __bool__(self) -> bool:
        return bool(self.whole or self.fills)


def mark_all(draft: Draft, sheet: Sheet) -> None:
    """Mark the whole drawing if its question says so; remove marks with an unknown value."""
    root = draft.root
    for node in root.walk():
        if node.attrib.get(MARK, KEEP) not in MARKS:
            message = f'{MARK}="{node.attrib.pop(MARK)[:40]}" has no effect; use one of {", ".join(MARKS)}'
            draft.warn("unreadable-value", node, message)
    if sheet.colours == "keep":
        root.attrib.setdefault(MARK, FILLS)


def mark(draft: Draft, nodes: Iterable[Element]) -> None:
    """Mark elements to keep all their colours."""
    for node in nodes:
        node.attrib[MARK] = KEEP
    draft.forget(_marked, _with_what_lies_on_it)


def marked(draft: Draft) -> KeptColours:
    """The elements that the drawing's marks apply to; empty for most drawings."""
    return draft.once(_marked)


def _marked(draft: Draft) -> KeptColours:
    nodes = draft.root.walk()
    kept = KeptColours()
    if not any(MARK in node.attrib for node in nodes):
        return kept
    ids = {node.attrib["id"]: node for node in nodes if "id" in node.attrib}
    ink = _inks(draft)
    pending = [(node, mode) for node, mode in _modes(draft.root, "") if mode]
    seen = set()
    while pending:
        node, mode = pending.pop()
        if (node, mode) in seen:
            continue
        seen.add((node, mode))
        if mode == KEEP:
            kept.whole.add(node)
        elif mode == QUIET:
            kept.quiet.add(node)
        elif node.tag in SPOKEN or (node.attrib.get("fill") in ink and _is_ink(node)):
            continue
        else:
            kept.fills.add(node)
        if mode != QUIET:
            for name in references(node):
                if name in ids and ids[name].tag != "marker":
                    pending += [(part, mode) for part in ids[name].walk()]
    return kept


def _modes(node: Element, mode: str) -> Iterator[tuple[Element, str]]:
    """Each element with the mark that applies to it."""
    mode = node.attrib.get(MARK, "" if node.tag == "marker" else mode)
    yield node, mode
    for child in node.elements():
        yield from _modes(child, mode)


def _inks(draft: Draft) -> set[str]:
    """The colours of text, and of lines around unfilled shapes."""
    inks = set()
    for node in draft.root.walk():
        if node.tag in SPOKEN:
            inks.add(node.attrib.get("fill", ""))
        elif node.attrib.get("fill") == "none":
            inks.add(node.attrib.get("stroke", ""))
    return inks - {"", "none"}


def _is_ink(node: Element) -> bool:
    """Whether an area is the end of a line, such as an arrowhead in Graphviz."""
    return node.attrib.get("stroke") == node.attrib.get("fill")


def write_out(root: Element, kept: KeptColours) -> None:
    """Write inherited paints on kept shapes and text, because the elements they inherit from will change."""
    for node, handed_down in _with_paints(root, {"fill": "#000000"}):
        if node.tag not in PAINTED:
            continue
        if node in kept.whole:
            for name, value in handed_down.items():
                node.attrib.setdefault(name, value)
        elif node in kept.fills:
            node.attrib.setdefault("fill", handed_down["fill"])


def _with_paints(node: Element, handed_down: dict[str, str]) -> Iterator[tuple[Element, dict[str, str]]]:
    """Each element painted in place, with the paints it inherits."""
    yield node, handed_down
    below = {**handed_down, **paints_of(node)}
    for child in node.elements():
        if child.tag not in NOT_HERE:
            yield from _with_paints(child, below)


def kept_in_the_dark(draft: Draft) -> KeptColours:
    """The marked elements, and the text and shapes on top of them or of pictures. Call before colours change."""
    return draft.once(_with_what_lies_on_it)


def _with_what_lies_on_it(draft: Draft) -> KeptColours:
    stated, view = marked(draft), view_box(draft.root)
    kept = KeptColours(set(stated.whole), set(stated.fills), stated.quiet)
    if view is not None and (kept or any(node.tag == "image" for node in draft.root.walk())):
        _add_what_lies_on(kept, drawn(draft), view)
    return kept


def _add_what_lies_on(kept: KeptColours, scene: Scene, view: ViewBox) -> None:
    """Add shapes and text on kept backgrounds, in paint order."""
    pictures = [picture for picture in scene.pictures if is_ground(picture.node.attrib.get("href", ""))]
    grounds = {picture.order for picture in pictures}
    shapes = sorted([*scene.shapes, *pictures], key=lambda shape: shape.order)
    ground = Ground(shapes, view, Steps(MAX_STEPS))
    with suppress(SpentError):  # beyond the limit, the rest changes like everything else
        everything: list[PaintedShape | PaintedText] = [*shapes, *scene.texts]
        for item in sorted(everything, key=lambda item: item.order):
            if isinstance(item, PaintedShape):
                if item.order in grounds:
                    continue
                if kept.holds(item.writers[0], "fill") or _lies_on(
                    ground, grounds, item.order, _around(item)
                ):
                    grounds.add(item.order)
                    if not kept.holds(item.writers[0], "fill"):
                        kept.whole.update((item.node, *item.writers))
            elif _lies_on(ground, grounds, item.order, [at for *_, points in item.runs() for at in points]):
                kept.whole.update(item.node.walk())


def _lies_on(ground: Ground, grounds: set[int], order: int, points: list[Point]) -> bool:
    tops = [ground.top(point, order) for point in points[:64]]
    return bool(tops) and all(top is not None and top.order in grounds for top in tops)


def _around(shape: PaintedShape) -> list[Point]:
    """Points on both sides of some of a shape's corners."""
    corners = [corner for ring in rings(shape) for corner in ring]
    if shape.clip is not None:
        left, top, right, bottom = shape.clip
        corners = [(x, y) for x, y in corners if left < x < right and top < y < bottom] or corners
    some = corners[:: 1 + len(corners) // 8]
    return [(x + dx, y + dy) for x, y in some for dx in (-BESIDE, BESIDE) for dy in (-BESIDE, BESIDE)]
