"""The size of an image in a page: whole numbers that keep its place."""

from __future__ import annotations

import pytest

from figmill.integrations import html
from figmill.integrations.figures import PictureFile

TALL = PictureFile("light", "svg", "graph.svg", 100.4, 1004.0, 12.0)
FINE = PictureFile("light", "svg", "graph.svg", 100.3, 1003.0, 7.5)


@pytest.mark.parametrize("picture", [TALL, FINE])
@pytest.mark.parametrize("width", [None, "90.6", "333.4px", "50%"])
@pytest.mark.parametrize("is_whole", [True, False])
def test_the_height_is_that_of_the_whole_width(
    picture: PictureFile, width: str | None, is_whole: bool
) -> None:
    """A browser makes the picture as high as its own shape at this width: half a pixel away at most."""
    size = html.sizes(picture, width, is_whole)
    assert int(size["height"]) == pytest.approx(int(size["width"]) * 10, rel=0, abs=0.5)
