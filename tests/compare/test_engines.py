"""resvg draws figures as Chromium does, so that comparisons see what readers see; for each way where it did not."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import likeness
from helpers.book import REPOSITORY
from helpers.cases import cases
from helpers.engines import differing
from PIL import Image
from playwright.sync_api import Page

from figmill.compare.resvg_gaps import UNLIKE, unlike
from figmill.svg import Sheet, in_themes, normalise

SHEET = Sheet("fig", "Title", "What it shows")
THEMES = ("light", "dark")
OWN = sorted((REPOSITORY / "tests" / "svg").glob("[de]*/*.svg"))
SIGNS = "Words ∈ A ⇒ more words ∉ B"


def chequered() -> str:
    """Four pixels, as an address."""
    image = Image.new("RGB", (2, 2), "#cc0000")
    image.putpixel((0, 0), (0, 0, 0))
    image.putpixel((1, 1), (0, 0, 0))
    written = io.BytesIO()
    image.save(written, "PNG")
    return "data:image/png;base64," + base64.b64encode(written.getvalue()).decode()


UNITS = {
    "pt": 30,
    "pc": 2.5,
    "in": 0.42,
    "cm": 1.06,
    "mm": 10.6,
    "Q": 42,
    "q": 42,
    "rem": 2.5,
    "em": 2.5,
    "px": 40,
}
# Each place of a length, in attributes and in CSS.
PLACES = """<g transform="translate(0 0)"><rect x="{}" y="10" width="20" height="20"/></g>
<rect x="10" y="40" width="{}" height="{}"/><circle cx="150" cy="60" r="{}"/>
<text x="200" y="80" font-size="{}">Word</text><text x="330" y="80" style="font-size: {}">Word</text>
<path d="M20 130 H200" stroke="#000" stroke-width="{}"/><path d="M230 130 H400" style="stroke: #000; stroke-width: {}"/>
<text x="10" y="190" font-size="16" letter-spacing="{}">Word</text>
<text x="300" y="190" font-size="16">a<tspan dx="{}">b</tspan></text>
<path d="M20 220 H200" stroke="#000" stroke-width="9" stroke-dasharray="{}"/>
<path d="M230 220 H400" stroke="#000" stroke-width="9" stroke-dasharray="60" stroke-dashoffset="{}"/>
<rect x="20" y="240" height="30" style="width: {}"/><circle cx="150" cy="270" style="r: {}"/>
<rect x="230" y="240" width="90" height="90" style="rx: {}" fill="none" stroke="#000"/>
<pattern id="p" width="{}" height="20" patternUnits="userSpaceOnUse"><rect width="10" height="10"/></pattern>
<rect x="340" y="240" width="90" height="90" fill="url(#p)"/>"""
IN_UNITS = {f"lengths in {unit}": PLACES.replace("{}", f"{n}{unit}") for unit, n in UNITS.items()}
# Each is a way in which resvg draws otherwise, left to itself.
WAYS = {
    **IN_UNITS,
    "an enlarged picture": f'<image width="80" height="80" image-rendering="pixelated" href="{chequered()}"/>',
    "shifts in a centred line": '<text x="200" y="40" dx="9 9 9 9 9 9 9" text-anchor="middle">shifted</text>'
    '<text x="400" y="90" dx="4 20" text-anchor="end">at the end</text>'
    '<g text-anchor="middle"><text x="200" y="140">one<tspan dx="40">two</tspan> and <tspan dx="30">three</tspan>'
    "</text></g>",
    "lines from right to left": '<text x="200" y="30" font-size="30" text-anchor="middle">שלום'
    '<tspan x="200" y="1em" dy="1.2em">שלום עולם</tspan><tspan x="200" dy="40">one</tspan></text>'
    '<text x="300" y="200" font-size="30" dy="0.6em">שלום</text>'
    '<text y="40" font-size="30" dy="1em"><tspan x="80" dy="1em">שלום</tspan></text>',
    "words of a given length in parts": '<text x="10" y="50" textLength="290" lengthAdjust="spacingAndGlyphs">'
    'Words <tspan font-weight="bold">of several</tspan> parts, all of them here</text>',
    "words of a given length, spaced": '<text x="10" y="50" font-size="40" letter-spacing="6">Words apart</text>',
    "signs of another font": f'<text x="10" y="50" font-size="24">{SIGNS}</text>',
    "markers on closed shapes": '<marker id="m" markerWidth="30" markerHeight="30"><rect width="20" height="20"/>'
    '</marker><g marker-start="url(#m)"><rect x="60" y="60" width="90" height="90" fill="none" stroke="#000"/>'
    '<circle cx="250" cy="90" r="40" marker-end="url(#m)"/><path d="M300 200 H390" stroke="#000"/></g>',
    "places in CSS": "<style>.a { x: 40px; y: 20px; width: 30%; height: 40px } .b { cx: 300px; cy: 90px; r: 40px }"
    '</style><rect class="a"/><circle class="b"/><ellipse cx="90" cy="200" style="rx: 60px; ry: 30px"/>',
    "words in a language": '<switch><text x="9" y="50" font-size="40" systemLanguage="en-US">Words</text>'
    '<rect width="200" height="90"/></switch>',
}


# What stays different, by the name under which a comparison tells it.
DIFFERENT = {
    "places of steps in a filter": '<filter id="f"><feFlood x="60" y="60" width="40" height="40" '
    'flood-color="green"/><feOffset dx="30"/></filter><rect x="50" y="50" width="200" height="200" filter="url(#f)"/>',
    "markers within arcs": '<marker id="m" markerWidth="20" markerHeight="20"><rect width="10" height="10"/></marker>'
    '<path d="M50 150 A80 80 0 0 1 250 150 A80 80 0 0 1 350 250" fill="none" stroke="#000" marker-mid="url(#m)"/>',
    "filters on parts of a text": '<filter id="f"><feOffset dx="40" dy="40"/></filter>'
    '<text font-size="30" x="40" y="90">Some<tspan filter="url(#f)">Words</tspan></text>',
    "lines under and through words": '<text font-size="60" x="40" y="90" text-decoration="underline">Words</text>',
}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with likeness.reader(tmp_path_factory.mktemp("reader")) as page:
        yield page


def drawing(body: str) -> bytes:
    size = 'viewBox="0 0 440 340" width="440" height="340" font-family="Arial"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{body}</svg>'.encode()


@pytest.mark.parametrize("way", WAYS)
def test_it_is_drawn_as_in_a_browser(way: str, page: Page, tmp_path: Path) -> None:
    source = drawing(WAYS[way])
    published = normalise(source, SHEET).svg
    before, after = (likeness.looks(page, svg, (440, 340), tmp_path) for svg in (source, published))
    assert likeness.differences(before, after) == []
    assert differing(page, published, tmp_path) <= 4


@pytest.mark.parametrize("name", UNLIKE)
def test_what_is_drawn_otherwise_is_told(name: str, page: Page, tmp_path: Path) -> None:
    published = normalise(drawing(DIFFERENT[name]), SHEET).svg
    assert differing(page, published, tmp_path) > likeness.SPOTS
    assert unlike(published) == (name,)


def test_what_is_drawn_alike_is_not_told(showcase: Path) -> None:
    figures = [path.read_bytes() for path in sorted((showcase / "build").rglob("*.svg"))]
    alike = [normalise(drawing(body), SHEET).svg for body in WAYS.values()]
    assert {name for svg in (*figures, *alike) for name in unlike(svg)} == set()


@cases("unit", UNITS)
def test_no_length_depends_on_a_page_or_on_an_engine(unit: str) -> None:
    svg = normalise(drawing(WAYS[f"lengths in {unit}"]), SHEET).svg.decode()
    left = {"em"} if unit == "em" else set()  # which counts in the letters beside it
    assert {length[1] for length in re.finditer(r"[0-9](pt|pc|in|cm|mm|q|rem|em)\b", svg, re.I)} <= left
    assert not re.search(r'<text[^>]* font-size="[0-9.]+[a-z]', svg)


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_a_drawing_of_a_tool_is_one_picture(path: Path, page: Page, tmp_path: Path) -> None:
    for theme, form in zip(THEMES, in_themes(path.read_bytes(), SHEET, THEMES), strict=True):
        assert differing(page, form.svg, tmp_path, theme) <= likeness.SPOTS


@pytest.mark.parametrize("step", [19, pytest.param(1, marks=pytest.mark.soak)])
def test_figures_of_the_showcase_are_one_picture(
    step: int, page: Page, showcase: Path, tmp_path: Path
) -> None:
    figures = sorted((showcase / "build").rglob("*.svg"))[::step]  # light and dark ones in turn
    assert len(figures) > 6
    spots = {
        path.name: differing(page, path.read_bytes(), tmp_path, "dark" if ".dark." in path.name else "light")
        for path in figures
    }
    assert {name: count for name, count in spots.items() if count > likeness.SPOTS} == {}


@pytest.mark.parametrize("lost", ["Words", "∈", " shifted"])
def test_a_word_that_only_one_engine_shows_is_seen(lost: str, page: Page, tmp_path: Path) -> None:
    """The comparison can fail."""
    body = '<text x="10" y="50" font-size="24">Words ∈ A</text><text x="10" y="90" font-size="24">were shifted</text>'
    whole = normalise(drawing(body), SHEET).svg
    assert differing(page, whole, tmp_path) <= 4
    assert differing(page, whole, tmp_path, drawn=whole.replace(lost.encode(), b"")) > likeness.SPOTS
