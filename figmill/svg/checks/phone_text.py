"""Text that nobody can read on a phone, where a page shows the drawing at the width of the screen.

One finding for a drawing, at its smallest text. Subscripts are judged by the text that they belong to.
"""

from __future__ import annotations

from figmill.svg.checks.small_text import sizes
from figmill.svg.document import Draft
from figmill.svg.spec import Sheet

CHECK = "small-on-phone"
PHONE = 375.0  # CSS px, the width of most phones
LEAST = 9.0  # CSS px
SLACK = 0.05


def check_phone(draft: Draft, sheet: Sheet) -> None:
    """Warn once if text is smaller than LEAST px in a drawing that is shown PHONE px wide."""
    if CHECK not in sheet.checks:
        return
    width = float(draft.root.attrib.get("width", "0") or 0)
    if width <= PHONE:
        return  # it is shown at its own size
    scale = PHONE / width
    every = list(sizes(draft))
    small = [(size * scale, node, text) for node, text, size in every if size * scale < LEAST - SLACK]
    if small:
        size, node, text = min(small, key=lambda row: row[0])
        count = f"{len(small)} of {len(every)} texts are" if len(every) > 1 else "the text is"
        draft.warn(
            CHECK,
            node,
            f"{PHONE:g} px wide, as on a phone, {count} below {LEAST:g} px ('{text.strip()[:30]}': {size:.2g} px); "
            "make the text larger or the drawing narrower, or let the page scroll it",
        )
