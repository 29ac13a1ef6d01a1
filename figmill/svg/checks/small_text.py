"""Text that is too small to read at the size at which the figure is shown.

Subscripts and superscripts are judged by the text they belong to, since authors do not set their size. Text along a
path and in markers is not checked.
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
INDEX = 4  # characters: longer small text beside larger text is not an index


def check_sizes(draft: Draft, sheet: Sheet) -> None:
    """Warn of all text that is shown less than LEAST px high."""
    if "small-text" not in sheet.checks:
        return
    for node, text, size in sizes(draft):
        if size < LEAST - SLACK:
            what = f"the text '{text.strip()[:30]}' is {size:.3g} px high as shown"
            draft.warn("small-text", node, f"{what}; {LEAST:g} px are needed")


def sizes(draft: Draft) -> Iterator[tuple[Element, str, float]]:
    """Each string with its element, and its size in px as shown; an index has the size of the text beside it."""
    for scale, parts in _shown_runs(draft):
        largest = max(size for _, _, size in parts)
        for node, content, size in parts:
            is_index = size < largest and len(content.strip()) <= INDEX
            yield node, content, (largest if is_index else size) * scale


def smallest_words(draft: Draft) -> float | None:
    """The size in px of the smallest text as shown, subscripts included; None if there is no text."""
    shown = (scale * size for scale, parts in _shown_runs(draft) for _, _, size in parts)
    return min((size for size in shown if size > 0), default=None)


def _shown_runs(draft: Draft) -> Iterator[tuple[float, list[tuple[Element, str, float]]]]:
    """The visible strings of each text, and the scale at which it is shown; none if the drawing has no size."""
    view = view_box(draft.root)
    if view is None:
        return
    width, height = (float(draft.root.attrib[name]) for name in ("width", "height"))
    shown = min(width / view[2], height / view[3])
    for text in drawn(draft).texts:
        if parts := [run for run in runs(text.node, text.type) if run[0] in text.inks]:
            yield shown * _scale(text.ctm), parts


def runs(node: Element, type_: TextStyle) -> Iterator[tuple[Element, str, float]]:
    """The strings below a text with their elements and font sizes in user units."""
    for child in node.children:
        if isinstance(child, str):
            if child.strip():
                yield node, child, type_.size
        elif child.tag == "tspan":
            yield from runs(child, type_.of(child.attrib))


def _scale(ctm: Matrix) -> float:
    """The scale of a transform; the geometric mean if it differs by direction."""
    return float(abs(ctm[0] * ctm[3] - ctm[1] * ctm[2]) ** 0.5)
