"""Words that are too small to read at the size the figure is shown.

Subscripts and superscripts are judged by the words they belong to, since authors do not set their size. Words along a
path and in markers are not checked.
"""

from __future__ import annotations

from collections.abc import Iterator

from figmill.svg.document import Draft, Element
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.precision import view_box
from figmill.svg.geometry.text_layout import TextStyle
from figmill.svg.spec import Sheet
from figmill.svg.xml.numbers import Matrix

LEAST = 8.0  # px
SLACK = 0.05  # px, for rounding
INDEX = 4  # characters: longer small words beside larger ones are words of their own


def check_sizes(draft: Draft, sheet: Sheet) -> None:
    """Warn of every word that is shown less than LEAST px high."""
    if "small-text" not in sheet.checks:
        return
    shown = _shown(draft)
    if shown is None:
        return
    for scale, runs in _shown_runs(draft, shown):
        largest = max(size for _, _, size in runs)
        for node, words, size in runs:
            is_index = size < largest and len(words.strip()) <= INDEX
            if size * scale < LEAST - SLACK and not (is_index and largest * scale >= LEAST - SLACK):
                what = f"the words '{words.strip()[:30]}' are {size * scale:.3g} px high as shown"
                draft.warn("small-text", node, f"{what}; {LEAST:g} px are needed")


def smallest_words(draft: Draft) -> float | None:
    """The size in px of the smallest words as shown, subscripts included; None if there are none."""
    shown = _shown(draft)
    if shown is None:
        return None
    sizes = (scale * size for scale, runs in _shown_runs(draft, shown) for _, _, size in runs)
    return min((size for size in sizes if size > 0), default=None)


def _shown(draft: Draft) -> float | None:
    """The scale at which a drawing is shown; None if it has no size."""
    view = view_box(draft.root)
    if view is None:
        return None
    width, height = (float(draft.root.attrib[name]) for name in ("width", "height"))
    return float(min(width / view[2], height / view[3]))


def _shown_runs(draft: Draft, shown: float) -> Iterator[tuple[float, list[tuple[Element, str, float]]]]:
    """The visible strings of each text, and the scale at which it is shown."""
    for text in drawn(draft).texts:
        if runs := [run for run in _runs(text.node, text.type) if run[0] in text.inks]:
            yield shown * _scale(text.ctm), runs


def _runs(node: Element, type_: TextStyle) -> Iterator[tuple[Element, str, float]]:
    """The strings below a text with their elements and font sizes in user units."""
    for child in node.children:
        if isinstance(child, str):
            if child.strip():
                yield node, child, type_.size
        elif child.tag == "tspan":
            yield from _runs(child, type_.of(child.attrib))


def _scale(ctm: Matrix) -> float:
    """The scale of a transform; the geometric mean if it differs by direction."""
    return float(abs(ctm[0] * ctm[3] - ctm[1] * ctm[2]) ** 0.5)
