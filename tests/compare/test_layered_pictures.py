"""Before and after over each other on the page of a comparison: one scale, enough room, and one of them at a time."""

from __future__ import annotations

import io

import pytest
from helpers.book import HAND, Space
from PIL import Image
from playwright.sync_api import Browser, Page


@pytest.fixture
def grown(space: Space, browser: Browser) -> Page:
    """A page of one figure that is larger than it was, in both directions."""
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}">'
    rect = head + '<rect width="{0}" height="{1}" fill="#cfe2f3"/></svg>'
    space.write({"visuals/a.svg": rect.format(100, 60), "figmill.toml": "background = 'none'\n"})
    space.question("box", "source: a.svg, alt: a box")
    assert space.run().code == 0
    space.write({"visuals/a.svg": rect.format(2400, 300)})
    place = space.root.parent / "grown.html"
    ran = space.run("--check", "--report", str(place))
    assert ran.code == 3 and ran.out.endswith(f"\n1 figure is shown in {place}\n")
    page = browser.new_page(viewport={"width": 1200, "height": 900}, device_scale_factor=1)
    page.goto(place.as_uri())
    return page


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_of_two_sizes_lie_over_each_other_in_one_scale_with_nothing_cut_off(
    grown: Page, theme: str
) -> None:
    if theme == "dark":
        grown.keyboard.press("t")
    for key in "2345":
        grown.keyboard.press(key)
        grown.wait_for_function(
            "[...document.querySelectorAll('.stage img')].every(image => image.naturalWidth)"
        )
        old, now, over = (
            grown.locator(where).bounding_box()
            for where in (".layers img:first-child", ".layers img + img", ".layers")
        )
        assert old and now and over
        assert now["width"] / old["width"] == pytest.approx(24, rel=0.01), key
        assert over["height"] >= now["height"] - 1 and over["width"] <= 1200
        if key != "5":
            control = grown.locator(".control").bounding_box()
            # The control is beside the pictures, not on them.
            assert control and control["y"] >= over["y"] + over["height"] - 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_one_picture_is_seen_at_a_time_while_it_blinks_and_nothing_in_the_difference_of_equals(
    space: Space, browser: Browser, theme: str
) -> None:
    """A dark figure has no page of its own: what lies below must not shine through."""
    space.write({"visuals/a.svg": HAND})
    space.question("hand", "source: c.svg, alt: a box".replace("c.svg", "a.svg"))
    assert space.run().code == 0
    space.write(
        {"visuals/a.svg": HAND.replace("<rect", '<rect x="150" y="60" width="30" height="30"/><rect')}
    )
    place = space.root.parent / "page.html"
    assert space.run("--check", "--report", str(place)).code == 3
    page = browser.new_page(viewport={"width": 1200, "height": 900}, reduced_motion="reduce")
    page.goto(place.as_uri())
    if theme == "dark":
        page.keyboard.press("t")
    shown = []
    page.keyboard.press("4")
    for _ in range(2):
        page.wait_for_timeout(200)
        shown.append(
            [
                page.evaluate("image => getComputedStyle(image).visibility", image)
                for image in page.locator(".layers img").element_handles()
            ]
        )
        page.get_by_role("button", name="Switch by hand").click()
    assert shown == [["hidden", "visible"], ["visible", "hidden"]]
    page.keyboard.press("5")
    page.wait_for_timeout(200)
    picture = Image.open(io.BytesIO(page.locator(".layers").screenshot())).convert("L")
    changed = picture.crop((145, 55, 190, 90)).getextrema()
    assert picture.crop((6, 6, 140, 90)).getextrema() == (0, 0) and changed[1] != 0
