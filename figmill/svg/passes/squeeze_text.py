"""Keeps text within its room in a wider font: gives a `textLength` to labels that would overflow.

Readers without Helvetica and Arial see their system's font, often DejaVu Sans or Verdana, a sixth wider or more. A
label that would then leave its shape or the picture, or run into other text or shapes, gets its width in the book's
font. No glyph is squeezed below 0.85 of its width: if that is not enough, the label becomes wider. A textLength that
the author wrote stays.
"""

from __future__ import annotations

import math

from figmill.svg.document import Draft, Element
from figmill.svg.geometry.label_fit import Lettering, lettering
from figmill.svg.geometry.labels import Label, beyond
from figmill.svg.geometry.outlines import Bounds
from figmill.svg.geometry.precision import decimals
from figmill.svg.spec import Sheet
from figmill.svg.xml.numbers import DECIMALS, LARGEST, fixed

LEAST = 0.85  # share of the natural width of a fallback's glyphs
GAP = 0.1  # em of overlap allowed between two texts
SMALL = 4.0  # user units: font sizes below this need more than 3 decimals


def squeeze_text(draft: Draft, _sheet: Sheet) -> None:
    """Give a textLength to each label that a wider font of the stack would make too wide for its place."""
    fit = lettering(draft)
    needy = _needy(fit)
    if not needy:
        return
    fit.squeezed = {
        label: max(label.width, LEAST * label.natural) for label in needy if _owner(label) is not None
    }
    places = decimals(draft.root) if any(label.size < SMALL * label.scale for label in needy) else {}
    lengths: dict[Element, float] = {}
    for label, width in fit.squeezed.items():
        node = _owner(label)
        if node is not None:
            lengths[node] = min(LARGEST, max(lengths.get(node, 0.0), width / label.scale))
    for node, width in lengths.items():
        more = places.get(node, DECIMALS)
        node.attrib["textLength"] = fixed(math.ceil(width * 10**more - 1e-6) / 10**more, more)
        node.attrib["lengthAdjust"] = "spacingAndGlyphs"


def _needy(fit: Lettering) -> dict[Label, None]:
    """The labels that lack room at their widest."""
    needy = [
        *(label for label in fit.outside if _is_wide(label, fit.view)),
        *fit.crowded,
        *(seat.label for seat in fit.tight if seat.lacks(seat.label.wide)),
    ]
    for meeting in fit.meetings:
        first, second = meeting.one, meeting.other
        if not meeting.narrow and meeting.wide > GAP * min(first.size, second.size):
            needy += first, second
    return {label: None for label in needy if label.wide > label.width}


def _is_wide(label: Label, view: Bounds) -> bool:
    """Whether a label leaves the view only because of a wider font."""
    own = beyond(label, label.width, view)
    return any(by > own.get(side, 0.0) for side, by in beyond(label, label.wide, view).items())


def _owner(label: Label) -> Element | None:
    """The element with exactly the label's text; None if there is none: the label then cannot be squeezed.

    A text of several runs has none: usvg stretches each run to the whole textLength, and so does Typst, which uses it.
    """
    if len(label.runs) != 1 or label.runs[0].rigid:
        return None
    node = label.runs[0].node
    is_whole = all(isinstance(child, str) or child.tag in ("title", "desc") for child in node.children)
    return node if is_whole else None
