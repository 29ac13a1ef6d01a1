"""Where the words of a figure lie: which of them leave the page, and which lie over others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.text import Text

from figmill.kind import typefaces
from figmill_timelines.charts import canvas

DPI = 288  # fine enough that rounding to pixels does not widen words
TOLD = 0.8 * DPI / 72  # 0.8 points


@contextmanager
def typefaces_of_a_build() -> Iterator[None]:
    """Have matplotlib know figmill's fonts and no others, as in a build; then what it knew before."""
    before = fontManager.ttflist, fontManager.afmlist, fontManager.defaultFamily
    typefaces.register_with_matplotlib()
    canvas._text_width.cache_clear()
    try:
        yield
    finally:
        fontManager.ttflist, fontManager.afmlist, fontManager.defaultFamily = before
        canvas._text_width.cache_clear()


def texts_of(figure: Figure) -> list[Text]:
    """The texts of a figure; not the ticks of axes that are off, which matplotlib makes when it is asked for them."""
    if any(axes.axison for axes in figure.axes):
        return figure.findobj(Text)
    return [*figure.texts, *(text for axes in figure.axes for text in axes.texts)]


def crowded(figure: Figure) -> list[str]:
    """One line for each text that runs off the page, and for each two level ones that share some of it."""
    FigureCanvasAgg(figure)
    figure.set_dpi(DPI)
    faults, boxes = [], []
    for text in texts_of(figure):
        content = text.get_text()
        if not content or not text.get_visible():
            continue
        box = text.get_window_extent()
        if (
            box.x0 < -TOLD
            or box.x1 > figure.bbox.width + TOLD
            or box.y0 < -TOLD
            or box.y1 > figure.bbox.height + TOLD
        ):
            faults.append(f"off the page: {content}")
        if not text.get_rotation():  # capitals and digits, without the room for accents and descenders
            boxes.append((box.x0, box.x1, box.y0 + 0.2 * box.height, box.y1 - 0.12 * box.height, content))
    for a, b in combinations(boxes, 2):
        across, up = min(a[1], b[1]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[2], b[2])
        if across > TOLD and up > TOLD:
            faults.append(f"one over the other: {a[4]} / {b[4]}")
    return faults
