"""A comparison in which three hundred figures changed: its page is small enough to be sent, and opens soon."""

from __future__ import annotations

import random
import time

import pytest
from helpers.book import Space
from playwright.sync_api import Browser

pytestmark = pytest.mark.soak
FIGURES = 300
BYTES = 20_000_000
SECONDS = 2.0


def drawing(number: int, word: str) -> str:
    """About 30 kB, as a plot has, no two alike."""
    throw = random.Random(number)
    height, places = 200.0, []
    for n in range(1200):  # a curve as of a measurement: a scribble takes resvg ten times as long
        height = min(390.0, max(40.0, height + throw.uniform(-6, 6)))
        places.append(f"{10 + 580 * n / 1200:.2f},{height:.2f}")
    points = " ".join(places)
    marks = "".join(
        f'<circle cx="{throw.uniform(10, 590):.1f}" cy="{throw.uniform(40, 390):.1f}" r="3"/>'
        for _ in range(250)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 400" font-family="Arial" font-size="16">'
        f'<polyline points="{points}" fill="none" stroke="#4a90c4"/><g fill="#3d9e5a">{marks}</g>'
        f'<text x="20" y="24">{word} {number}</text></svg>'
    )


def test_the_page_of_three_hundred_changed_figures(
    space: Space, browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    space.write({"figmill.toml": 'themes = ["light"]\n'})
    for number in range(FIGURES):
        space.write({f"visuals/f{number}.svg": drawing(number, "Before")})
        space.question(f"f{number}", f"source: f{number}.svg, alt: a line and points about it")
    assert space.run("--quiet").code == 0
    before = space.root.parent / "before"
    (space.root / "build").rename(before)
    for number in range(FIGURES):
        space.write({f"visuals/f{number}.svg": drawing(number, "Then")})
    assert space.run("--quiet").code == 0
    place = space.root.parent / "page.html"
    assert space.run("diff", str(before), "build", "--report", str(place)).code == 3
    size = place.stat().st_size
    took = []
    for _ in range(3):
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        began = time.perf_counter()
        page.goto(place.as_uri())
        page.wait_for_selector("article .stage img")
        took.append(time.perf_counter() - began)
        assert page.locator("article").count() == FIGURES
        page.close()
    with capsys.disabled():
        print(
            f"\n{FIGURES} changed figures: {size / 1e6:.1f} MB, opens within {min(took):.2f} to {max(took):.2f} s"
        )
    assert size <= BYTES
    assert min(took) <= SECONDS
