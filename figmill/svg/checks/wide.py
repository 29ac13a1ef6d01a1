"""A drawing too wide to be read in a page, and a label so long that it makes one so wide."""

from __future__ import annotations

from statistics import median

from figmill.svg.checks.small_text import runs, sizes
from figmill.svg.document import Draft
from figmill.svg.geometry.display_list import drawn
from figmill.svg.spec import Sheet

WIDE, LONG = "too-wide", "long-label"
PAGE = 1200.0  # CSS px, of a wide page
LEAST = 6.0  # CSS px
LETTERS = 160  # of a label in one line


def check_width(draft: Draft, sheet: Sheet) -> None:
    """Warn once if half of the text is smaller than LEAST px in a page of PAGE px."""
    if WIDE not in sheet.checks:
        return
    width = float(draft.root.attrib.get("width", "0") or 0)
    if width <= PAGE:
        return
    shown = [size * PAGE / width for _, _, size in sizes(draft)]
    if shown and median(shown) < LEAST:
        height = float(draft.root.attrib.get("height", "0") or 0)
        draft.warn(
            WIDE,
            draft.root,
            f"the figure is {width:.0f} x {height:.0f} px: in a page of {PAGE:g} px its text is {median(shown):.2g} px "
            "high; draw it from top to bottom, in several rows, or as several figures",
        )


def check_labels(draft: Draft, sheet: Sheet) -> None:
    """Warn of each label of more than LETTERS letters in one line."""
    if LONG not in sheet.checks:
        return
    for text in drawn(draft).texts:
        for node, content, _ in runs(text.node, text.type):
            if node in text.inks and len(content := content.strip()) > LETTERS:
                draft.warn(
                    LONG,
                    node,
                    f"the label '{content[:30]}' has {len(content)} characters in one line; break it, or say it in "
                    "the caption",
                )
