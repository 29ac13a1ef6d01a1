"""Transparent pictures with dark ink are told for the dark theme; pictures that stay readable are not."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable

import pytest
from helpers.book import Space
from PIL import Image, ImageDraw

from figmill.svg import CHECKS, Sheet, in_themes
from figmill.svg.colour import lightness

SHEET = Sheet("fig", "Title", "What it shows", checks=frozenset(CHECKS))
CLEAR = (0, 0, 0, 0)


def png(*, ink: tuple[int, ...] = (20, 20, 20), ground: tuple[int, ...] = CLEAR, mode: str = "RGBA") -> bytes:
    """Bars of ink on a ground."""
    picture = Image.new("RGBA", (80, 60), ground)
    pen = ImageDraw.Draw(picture)
    for x in range(5, 80, 15):
        pen.rectangle((x, 10, x + 5, 50), fill=(*ink, 255))
    out = io.BytesIO()
    picture.convert(mode).save(out, "PNG")
    return out.getvalue()


def cut_out() -> bytes:
    """A bright disc with a thin dark edge, as a logo in pixels."""
    picture = Image.new("RGBA", (80, 80), CLEAR)
    ImageDraw.Draw(picture).ellipse((2, 2, 77, 77), fill=(240, 200, 40, 255), outline=(0, 0, 0, 255), width=3)
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def told(picture: bytes, before: str = "") -> list[str]:
    href = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="100" height="100">{before}'
        f'<image x="10" y="10" width="80" height="60" href="{href}"/></svg>'
    )
    light, dark = in_themes(drawing.encode(), SHEET, ("light", "dark"))
    assert not [message for _, message, check in light.warnings if check == "dark-picture"]
    return [message for _, message, check in dark.warnings if check == "dark-picture"]


def words_on(picture: bytes, colour: str) -> tuple[str, list[str]]:
    """The colour of words over a picture in the dark theme, and what the contrast of both themes is told to be."""
    href = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="100" height="100">'
        f'<image width="100" height="100" href="{href}"/>'
        f'<text x="10" y="20" font-size="10" fill="{colour}">Li</text></svg>'
    )
    light, dark = in_themes(drawing.encode(), SHEET, ("light", "dark"))
    match = re.search(rb'<text[^>]* fill="([^"]+)"', dark.svg)
    assert match
    told = [message for page in (light, dark) for _, message, check in page.warnings if check == "contrast"]
    return match[1].decode(), told


def test_words_on_a_layer_of_dots_are_for_the_page_and_those_on_a_photo_are_not() -> None:
    dots, photo = png(ink=(120, 160, 220)), png(ink=(120, 160, 220), ground=(255, 255, 255, 255))
    assert words_on(photo, "#2a3f5f") == ("#2a3f5f", [])
    colour, told = words_on(dots, "#2a3f5f")
    assert told == [] and lightness(colour) > 0.7
    assert "contrast 1." in words_on(dots, "#f0f0e0")[1][0]  # on the light page


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_dark_ink_on_nothing_is_told(mode: str) -> None:
    (message,) = told(png(mode=mode))
    assert message.startswith("dark theme: 100% of the ink of a transparent picture is dark")


@pytest.mark.parametrize(
    "picture",
    [
        lambda: png(ground=(255, 255, 255, 255)),
        lambda: png(ground=(255, 255, 255, 255), mode="RGB"),
        lambda: png(ink=(230, 120, 30)),
        lambda: png(ink=(255, 255, 255)),
        cut_out,
    ],
    ids=["its own page", "no alpha", "strong colour", "white ink", "a logo"],
)
def test_pictures_that_stay_readable_are_left_in_peace(picture: Callable[[], bytes]) -> None:
    assert told(picture()) == []


def test_a_picture_on_an_area_of_the_drawing_is_not_on_the_page() -> None:
    plate = '<rect width="100" height="90" fill="#f6c87f" data-figmill-colours="keep"/>'
    assert told(png(), plate) == []


def test_a_build_tells_it_of_a_picture_as_a_source(space: Space) -> None:
    space.write({"visuals/scan.png": png(), "visuals/disc.png": cut_out()})
    space.question("scan", "source: scan.png, alt: five bars that stand side by side")
    space.question("disc", "source: disc.png, alt: a yellow disc")
    ran = space.run()
    assert ran.code == 0
    assert [line for line in (ran.out + ran.err).splitlines() if "[dark-picture]" in line] == [
        next(line for line in (ran.out + ran.err).splitlines() if "scan" in line and "dark theme: " in line)
    ]
