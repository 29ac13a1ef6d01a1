"""Words that keep to their room in a wider font: `textLength`, where one that readers may have would overflow.

Readers without Helvetica and Arial get what their machine has, often DejaVu Sans or Verdana, a sixth wider and more.
A label that would then run out of its shape, out of the picture, into other words or into a shape beside it is given
its width in the book's font. No glyph is squeezed under 0.85 of its width: where that takes more, the label gets
more. What an author says with a textLength of his own stays.
"""

from __future__ import annotations

import math

from figmill.svg.document import Draft, Node
from figmill.svg.geometry.label_fit import Lettering, lettering
from figmill.svg.geometry.labels import Label, beyond
from figmill.svg.geometry.outlines import Box
from figmill.svg.geometry.precision import decimals
from figmill.svg.spec import Sheet
from figmill.svg.xml.numbers import DECIMALS, LARGEST, fixed

LEAST = 0.85  # of the width that a fallback's glyphs have by themselves
GAP = 0.1  # em, that the words of two texts may share
SMALL = 4.0  # units, of a font whose widths need more decimals than 3


def squeeze_text(draft: Draft, _sheet: Sheet) -> None:
    """Give a textLength to each label that a wider font of the stack would make too wide for its place."""
    found = lettering(draft)
    needy = _needy(found)
    if not needy:
        return
    found.squeezed = {
        label: max(label.width, LEAST * label.natural) for label in needy if _owner(label) is not None
    }
    places = decimals(draft.root) if any(label.size < SMALL * label.scale for label in needy) else {}
    lengths: dict[Node, float] = {}
    for label, width in found.squeezed.items():
        node = _owner(label)
        if node is not None:
            lengths[node] = min(LARGEST, max(lengths.get(node, 0.0), width / label.scale))
    for node, width in lengths.items():
        more = places.get(node, DECIMALS)
        node.attrib["textLength"] = fixed(math.ceil(width * 10**more - 1e-6) / 10**more, more)
        node.attrib["lengthAdjust"] = "spacingAndGlyphs"


def _needy(found: Lettering) -> dict[Label, None]:
    """The labels that have no room at their widest."""
    needy = [
        *(label for label in found.outside if _is_wide(label, found.view)),
        *found.crowded,
        *(seat.label for seat in found.tight if seat.lacks(seat.label.wide)),
    ]
    for meeting in found.meetings:
        one, other = meeting.one, meeting.other
        if not meeting.narrow and meeting.wide > GAP * min(one.size, other.size):
            needy += one, other
    return {label: None for label in needy if label.wide > label.width}


def _is_wide(label: Label, view: Box) -> bool:
    """Whether it is its width in a wider font that takes a label out of the view."""
    own = beyond(label, label.width, view)
    return any(by > own.get(side, 0.0) for side, by in beyond(label, label.wide, view).items())


def _owner(label: Label) -> Node | None:
    """The element whose words are just those of the label; None: there is none, and it cannot be squeezed."""
    text = label.text.node
    if any(run.rigid for run in label.runs):
        return None
    if len(label.runs) == 1:
        node = label.runs[0].node
        if all(isinstance(child, str) or child.tag in ("title", "desc") for child in node.children):
            return node
    words = sum(len(run.text) for run in label.runs)
    return text if words == len("".join(_strings(text))) else None


def _strings(node: Node) -> list[str]:
    found: list[str] = []
    for child in node.children:
        if isinstance(child, str):
            found += [child] if child.strip() else []
        elif child.tag not in ("title", "desc"):
            found += _strings(child)
    return found
