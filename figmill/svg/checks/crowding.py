"""A drawing with more text and boxes than its area holds without strain."""

from __future__ import annotations

from collections.abc import Iterator

from figmill.svg.document import Element
from figmill.svg.geometry.parts import Parts

FULL = 0.25  # share of the area that text covers
FEWEST = 12  # labels
JOINS = 2  # lines between boxes: with fewer it is a table, a chart or a page


def crowded(parts: Parts) -> Iterator[tuple[Element, str]]:
    """`crowded`: the share of the drawing that its text covers, reported once, at the first text."""
    if len(parts.labels) < FEWEST or len(parts.joining) < JOINS:
        return
    left, top, right, bottom = parts.view
    area = (right - left) * (bottom - top)
    text = sum(label.width * label.size for label in parts.labels)
    if text > FULL * area:
        wider = (text / (FULL * area)) ** 0.5
        yield (
            parts.labels[0].text.node,
            f"text covers {100 * text / area:.0f} % of the drawing; make it {wider:.1f} times as wide and as high, "
            "or two drawings",
        )
