"""Pictures as a reader sees them: in a published SVG that a page shows by <img>, each value a sharp square."""

from __future__ import annotations

import io
from pathlib import Path

from helpers import browser
from helpers.book import Space
from PIL import Image

PLOT = """\
import matplotlib.pyplot as plt

def draw():
    figure = plt.figure(figsize=(2, 1))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.imshow([[0, 1], [1, 0]], cmap="gray", aspect="auto")
    axes.set_axis_off()
    return figure
"""


def test_an_image_is_sharp_in_both_themes(space: Space, tmp_path: Path) -> None:
    space.write({"visuals/a.py": PLOT})
    space.question("a", "kind: matplotlib, source: a.py, alt: a board of four fields")
    assert space.run().code == 0
    with browser.page(tmp_path / "fonts", browser.liberation()) as page:
        for name in ("a.svg", "a.dark.svg"):
            data = (space.root / "build/global" / name).as_uri()
            (tmp_path / "page.html").write_text(
                f'<body style="margin:0"><img src="{data}">', encoding="utf-8"
            )
            page.goto((tmp_path / "page.html").as_uri())
            seen = Image.open(io.BytesIO(page.screenshot())).convert("L")
            assert page.evaluate("document.images[0].naturalWidth") == 192
            board = [seen.getpixel((x, y)) for y in (10, 44, 52, 86) for x in (10, 90, 102, 180)]
            assert board == [0, 0, 255, 255] * 2 + [255, 255, 0, 0] * 2  # up to the edges of the fields
