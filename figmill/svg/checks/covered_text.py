"""Text that a later shape covers, in part or entirely.

Its ink is sampled at three heights. Only opaque areas count. Text that is drawn again above the cover, in the same
place, is not covered. Not checked: text that a clip or a mask cuts, and covers that a mask or a blend changes.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress

from figmill.svg.checks.line_through_text import short
from figmill.svg.document import Draft
from figmill.svg.geometry.backdrop import Ground, solid
from figmill.svg.geometry.display_list import SHOWS, drawn
from figmill.svg.geometry.label_fit import clipped_texts, lettering
from figmill.svg.geometry.labels import Label, is_twice
from figmill.svg.geometry.outlines import Bounds
from figmill.svg.geometry.precision import view_box
from figmill.svg.geometry.scene import PaintedShape, Scene, bounds
from figmill.svg.geometry.stripes import Stripes
from figmill.svg.spec import Sheet
from figmill.svg.steps import SpentError, Steps

CHECK = "text-covered"
WHOLE = 0.95  # share of the ink: nothing legible is left
LEAST = 0.1  # share of the ink: less is the edge of a letter
HEIGHTS = (0.15, 0.5, 0.85)  # shares of the letters' height
COLUMN = 0.4  # em between two columns of samples
MOST_COLUMNS = 60
MOST = 3000  # the most labels
LAST = 1 << 60
PALE = 0.3  # opacity of text that deliberately stands behind other text
MAX_STEPS = 2_000_000


def check_covers(draft: Draft, sheet: Sheet) -> None:
    """Warn of every label that later areas cover."""
    view = view_box(draft.root)
    if CHECK not in sheet.checks or view is None:
        return
    fit, scene = lettering(draft), drawn(draft)
    covers = _covers(scene, fit.view)
    if not covers or not fit.every or len(fit.every) > MOST:
        return
    ground = Ground(covers, view, Steps(MAX_STEPS), scene.ids)
    near = Stripes(covers, bounds, fit.view)
    cut = clipped_texts(draft)
    alike: dict[str, list[Label]] = defaultdict(list)
    for label in fit.every:
        alike[label.words].append(label)
    with suppress(SpentError):
        for label in fit.every:
            if label.text.node in cut or label.text.shown[label.runs[0].node] < PALE:
                continue
            box = label.bounds(label.width)
            if not any(cover.order > label.text.order for cover in near.meeting(box)):
                continue
            share, cover = _covered(label, ground)
            if cover is None or share < LEAST or _is_drawn_again(label, alike[label.words]):
                continue
            if share > WHOLE and _is_replaced(label, cover, fit.every):
                continue
            draft.warn(
                CHECK,
                label.text.node,
                f"a {cover.node.tag} painted later {_how_much(share)} the text "
                f"'{short(label)}'; draw the text after it",
            )


def _how_much(share: float) -> str:
    return "hides" if share > WHOLE else f"covers {share:.0%} of"


def _covers(scene: Scene, view: Bounds) -> list[PaintedShape]:
    """The opaque areas that may hide text, in paint order."""
    return [shape for shape in solid(scene) if not _is_page(bounds(shape), view)]


def _is_page(box: Bounds, view: Bounds) -> bool:
    """Whether a shape covers everything: it is then the next state of a drawing with several states."""
    return box[2] - box[0] >= SHOWS * (view[2] - view[0]) and box[3] - box[1] >= SHOWS * (view[3] - view[1])


def _covered(label: Label, ground: Ground) -> tuple[float, PaintedShape | None]:
    """The share of a label's ink that is hidden, and the area that hides most of it."""
    start, end = label.span(label.width)
    columns = max(3, min(MOST_COLUMNS, int(label.width / (COLUMN * label.size))))
    hidden: dict[PaintedShape, int] = {}
    for column in range(columns):
        along = start + (column + 0.5) / columns * (end - start)
        for height in HEIGHTS:
            top = ground.top(label.at(along, height * label.top), LAST)
            if top is not None and top.order > label.text.order:
                hidden[top] = hidden.get(top, 0) + 1
    share = sum(hidden.values()) / (columns * len(HEIGHTS))
    return share, max(hidden, key=lambda shape: (hidden[shape], shape.order), default=None)


def _is_drawn_again(label: Label, alike: list[Label]) -> bool:
    return any(other.text.order > label.text.order and is_twice(label, other) for other in alike)


def _is_replaced(label: Label, cover: PaintedShape, every: list[Label]) -> bool:
    """Whether hidden text is shown elsewhere, or other text stands on the cover: the hidden state is over."""
    left, top, right, bottom = bounds(cover)
    for other in every:
        x, y = other.centre()
        is_on_it = other.text.order > cover.order and left <= x <= right and top <= y <= bottom
        if other is not label and (is_on_it or other.words == label.words):
            return True
    return False
