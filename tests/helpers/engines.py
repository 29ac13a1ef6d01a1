"""Whether resvg draws a published figure as Chromium does: what comparisons see is what readers see."""

from __future__ import annotations

import re
from pathlib import Path

from helpers import likeness
from PIL import Image
from playwright.sync_api import Page

from figmill.compare.pictures import LONGEST, PAGES, pixels

SIZE = re.compile(rb'<svg[^>]* width="([0-9.]+)" height="([0-9.]+)"')


def differing(page: Page, svg: bytes, folder: Path, theme: str = "light", drawn: bytes = b"") -> int:
    """How many spots of both pictures are not found again in the other; at most `likeness.SPOTS` is one picture.

    drawn: what resvg is given in place of the figure. A figure that is compared smaller is shown smaller, too.
    """
    size = SIZE.search(svg)
    assert size is not None
    sides = float(size[1]), float(size[2])
    less = min(1.0, LONGEST / max(sides))
    width, height = (max(1, int(side * less)) for side in sides)  # of whole px, as both engines have them
    if less < 1:
        svg = SIZE.sub(
            lambda match: (
                match[0]
                .replace(b' width="', b' width="%d" data-width="' % width, 1)
                .replace(b' height="', b' height="%d" data-height="' % height, 1)
            ),
            svg,
            count=1,
        )
    shown = likeness.looks(page, svg, (width, height), folder, PAGES[theme]).picture
    other = Image.fromarray(pixels(drawn or svg, theme))
    assert all(abs(one - two) <= 1 for one, two in zip(shown.size, other.size, strict=True))
    box = (0, 0, min(shown.width, other.width), min(shown.height, other.height))
    return likeness.spots(shown.crop(box), other.crop(box))
