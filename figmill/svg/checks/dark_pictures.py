"""Transparent pictures with dark ink on the dark page: a diagram that was saved for white paper, a scanned signature.

A raster picture is the same in both themes, so what was readable on the light page may be lost on the dark one.
"""

from __future__ import annotations

from functools import cache

from figmill.palette import PAGE
from figmill.svg.colour import contrast
from figmill.svg.document import Draft
from figmill.svg.geometry.backdrop import Ground
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.precision import view_box
from figmill.svg.geometry.scene import PaintedShape, bounds
from figmill.svg.pictures.hrefs import data_of, is_data
from figmill.svg.pictures.ink import with_mask
from figmill.svg.spec import Sheet
from figmill.svg.steps import Steps

# contrast with the page below which ink is dark; strong colours are a little lighter than their grey
SEEN = 2.0
LOST = 0.3  # share of the ink: less is the shadows of a picture
CLEAR = 0.1  # share of the pixels: fewer are rounded corners
MAX_STEPS = 1_000_000


def check_dark_pictures(draft: Draft, sheet: Sheet) -> None:
    """Warn of pictures whose ink is invisible in the dark theme, where they lie on the page itself."""
    view = view_box(draft.root)
    if sheet.theme != "dark" or "dark-picture" not in sheet.checks or view is None:
        return
    scene = drawn(draft)
    ground = Ground([shape for shape in scene.shapes if shape.fill], view, Steps(MAX_STEPS))
    for picture in scene.pictures:
        href = picture.node.attrib.get("href", "")
        if not is_data(href) or not _is_on_page(picture, ground):
            continue
        share = dark_share(data_of(href)[1])
        if share >= LOST:
            draft.warn(
                "dark-picture",
                picture.node,
                f"dark theme: {share:.0%} of the ink of a transparent picture is dark, and so hard to see on the dark "
                "page; save the picture with a background",
            )


def _is_on_page(picture: PaintedShape, ground: Ground) -> bool:
    left, top, right, bottom = bounds(picture)
    return ground.top(((left + right) / 2, (top + bottom) / 2), picture.order) is None


def dark_share(data: bytes) -> float:
    """The share of dark ink among all ink of a PNG through which the page shows; 0 for any other picture."""
    masked = with_mask(data)
    if masked is None:
        return 0.0
    small, mask = masked
    greys = small.convert("L").histogram(mask)
    ink = sum(greys)
    pixels = small.width * small.height
    if not ink or pixels - ink < CLEAR * pixels:
        return 0.0
    return sum(greys[: _first_light()]) / ink


@cache
def _first_light() -> int:
    """The darkest grey, from 0 to 255, that can be seen on the dark page."""
    return next(grey for grey in range(256) if contrast(f"#{grey:02x}{grey:02x}{grey:02x}", PAGE[1]) >= SEEN)
