"""PNG and PDF show what Chromium shows of the SVG: the same words at the same places."""

from __future__ import annotations

import base64
import io
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from helpers import browser
from helpers.book import Space, believed
from helpers.seeded import write_good
from PIL import Image, ImageChops, ImageFilter
from playwright.sync_api import Page
from pypdf import PdfReader

from figmill.kind.typefaces import FOLDER as FONTS
from figmill.svg.xml.parser import read

SCALE = 2
SOFT = 3.0  # px by which both pictures are blurred: edges and the shapes of letters differ, places do not
# Of 255: how far the blurred pictures may be apart anywhere. Arimo, which exports have, kerns a bold 11. Liberation, in
# Chromium here, does not: a title with it moves by one px, which is 41.
NEAR = 45

LETTERED = {
    "scripts.dot": """digraph {
 a [label=<x<sup>2</sup> + y<sub>i</sub> <b>bold<sup>3</sup></b><br/>E = mc<sup>2</sup>>]
 b [shape=box label=<<u>under</u> <b>strong</b> <i>it</i>>]
 a -> b [label=<n<sub>max</sub>>]
}""",
    "table.dot": """digraph {
 a [shape=plain label=<<table cellpadding="6"><tr><td port="x">H<sub>2</sub>O</td><td>10<sup>-3</sup></td></tr>
 <tr><td colspan="2"><font point-size="20">wide</font></td></tr></table>>]
 a:x -> b
}""",
    "runs.svg": """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 210" font-family="Arial" font-size="20">
<text x="10" y="30">x<tspan baseline-shift="super" font-size="14">2</tspan> + y<tspan baseline-shift="sub"
 font-size="14">i</tspan> end</text>
<text x="10" y="70">x<tspan baseline-shift="30%">2</tspan> and <tspan baseline-shift="-5">low</tspan> <tspan
 style="baseline-shift: 4px">high</tspan> on</text>
<text x="10" y="110">x<tspan dy="-6" font-size="14">2</tspan><tspan dy="6"> back</tspan></text>
<text x="200" y="150" text-anchor="middle">a<tspan baseline-shift="super">b<tspan
 baseline-shift="super">c</tspan></tspan>d</text>
<text x="10" y="150" baseline-shift="super">all of it up</text>
<text x="10" y="190" baseline-shift="-8">down <tspan x="120" y="190" baseline-shift="sub">lower</tspan> back</text>
<text x="250" y="190"><tspan dy="-5"><tspan baseline-shift="5">both</tspan> one</tspan> on</text>
</svg>""",
}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    fonts = (*browser.liberation(), *browser.dejavu())
    with browser.page(tmp_path_factory.mktemp("browser") / "fonts", fonts, SCALE) as opened:
        yield opened


def whole_showcase(space: Space, showcase: Path) -> None:
    """The sources, and the drawings that were made of them."""
    shutil.copytree(showcase, space.root, symlinks=True, dirs_exist_ok=True)
    believed(space.root)
    shutil.rmtree(space.root / "build")


def every_sixth(space: Space, showcase: Path) -> None:
    """Of the showcase: all of it takes long."""
    whole_showcase(space, showcase)
    for number, path in enumerate(sorted((space.root / "questions").rglob("*.yaml"))):
        if number % 6:
            path.unlink()


def lettered(space: Space, *_: Path) -> None:
    for name, source in LETTERED.items():
        space.write({f"visuals/{name}": source})
        space.question(name.partition(".")[0], f"source: {name}, alt: words up and down")


def good(space: Space, *_: Path) -> None:
    write_good(space)


BOOKS = (
    lettered,
    pytest.param(good, marks=pytest.mark.soak),
    every_sixth,
    pytest.param(whole_showcase, marks=pytest.mark.soak),
)


# The families that a reader's system has in their place: those with the same metrics as the fonts of exports.
HERE = {
    "Helvetica Neue, Helvetica, Arial, sans-serif": "Liberation Sans, Arimo",
    "SFMono-Regular, Menlo, Consolas, monospace": "DejaVu Sans Mono",
}

# Liberation has no small figures below the line (R₁); exports have those of Arimo. Nor has it a narrow space (U+202F),
# for which Chromium leaves less room than Arimo has.
ARIMO = {
    weight: base64.b64encode((FONTS / f"Arimo-{name}.ttf").read_bytes()).decode()
    for weight, name in ((400, "Regular"), (700, "Bold"))
}
FACES = "".join(
    f"@font-face {{ font-family: Arimo; font-weight: {weight}; src: url(data:font/ttf;base64,{data}) }}"
    for weight, data in ARIMO.items()
)


def shown(page: Page, svg: Path) -> Image.Image:
    """Chromium's picture of an SVG, on white."""
    text = svg.read_text(encoding="utf-8")
    for there, here in HERE.items():
        text = text.replace(there, "Arimo" if "\u202f" in text and "Arimo" in here else here)
    root = read(text.encode()).root
    width, height = (round(float(root.attrib[name])) for name in ("width", "height"))
    page.set_viewport_size({"width": width, "height": height})
    faces = f"<style>{FACES}</style>" if re.search(r"[\u2080-\u208e\u202f]", text) else ""
    page.set_content(f'{faces}<body style="margin: 0; line-height: 0">{text}</body>')
    page.evaluate("document.fonts.ready")
    return _grey(Image.open(io.BytesIO(page.screenshot())))


def _grey(image: Image.Image) -> Image.Image:
    page = Image.new("RGBA", image.size, "white")
    page.alpha_composite(image.convert("RGBA"))
    return page.convert("L")


def apart(one: Image.Image, other: Image.Image) -> int:
    """How far two pictures of about one size are apart where they differ most, blurred; 0 to 255."""
    assert all(abs(a - b) <= SCALE for a, b in zip(one.size, other.size, strict=True)), (one.size, other.size)
    box = (0, 0, min(one.width, other.width), min(one.height, other.height))
    soft = [image.crop(box).filter(ImageFilter.GaussianBlur(SOFT * SCALE / 2)) for image in (one, other)]
    extrema = ImageChops.difference(*soft).getextrema()
    return int(extrema[1])  # type: ignore[arg-type]


@pytest.mark.parametrize("book", BOOKS, ids=["lettered", "good", "every sixth", "showcase"])
def test_a_png_is_the_picture_that_chromium_shows(
    space: Space, page: Page, showcase: Path, book: Callable[[Space, Path], object]
) -> None:
    book(space, showcase)
    space.write({"figmill.toml": 'themes = ["light"]\n'})
    ran = space.run("--to", "png", "--scale", str(SCALE))
    assert ran.code == 0, ran.err
    # Those of other choices have no exports, and a narrow form only where a width is stated that it suits.
    figures = sorted(svg for svg in (space.root / "build").glob("*/*.svg") if ".narrow." not in svg.name)
    assert len(figures) > 2
    distances = {
        svg.name: apart(shown(page, svg), _grey(Image.open(svg.with_suffix(".png")))) for svg in figures
    }
    assert {name: distance for name, distance in distances.items() if distance > NEAR} == {}


@pytest.fixture(scope="module")
def exported_book(tmp_path_factory: pytest.TempPathFactory) -> Space:
    """The book of words up and down with its exports. Not to be changed."""
    space = Space(tmp_path_factory.mktemp("words") / "book")
    lettered(space)
    assert space.run("--to", "png", "--to", "pdf", "--scale", str(SCALE)).code == 0
    return space


def test_a_pdf_has_its_words_where_the_svg_has_them(exported_book: Space) -> None:
    for svg in sorted((exported_book.root / "build").rglob("*.svg")):
        shown = "".join(PdfReader(svg.with_suffix(".pdf")).pages[0].extract_text().split())
        texts = ET.parse(svg).getroot().iter("{http://www.w3.org/2000/svg}text")
        letters = "".join("".join("".join(text.itertext()).split()) for text in texts)
        assert len(letters) > 10
        assert sorted(shown) == sorted(letters), svg.name
    heights: dict[str, float] = {}

    def note(text: str, matrix: Sequence[float], *_: object) -> None:
        if text.strip():
            heights[text.strip()] = matrix[5]

    page = PdfReader(exported_book.root / "build/global/table.pdf").pages[0]
    page.extract_text(visitor_text=note)
    assert heights["3"] > heights["1"] + 2
    assert heights["2"] < heights["O"] - 1


def test_a_word_that_is_elsewhere_is_told(exported_book: Space, page: Page, tmp_path: Path) -> None:
    svg = exported_book.root / "build/global/scripts.svg"
    png = _grey(Image.open(svg.with_suffix(".png")))
    assert apart(shown(page, svg), png) <= NEAR
    text = svg.read_text()
    raised = text.index(">2</text>")
    y = text.rindex(' y="', 0, raised) + 4
    before = float(text[y : text.index('"', y)])
    other = tmp_path / "other.svg"
    other.write_text(f"{text[:y]}{before + 4}{text[text.index(chr(34), y) :]}")  # as if it were not raised
    assert apart(shown(page, other), png) > NEAR


def test_published_words_are_raised_by_numbers(exported_book: Space) -> None:
    """Firefox does not know `baseline-shift`, and usvg does not on <text>."""
    for path, data in exported_book.outputs().items():
        assert b"baseline-shift" not in data, path
    runs = exported_book.read("build/global/runs.svg")
    assert 'x<tspan dy="-7.98" font-size="14">2</tspan><tspan dy="7.98"> + y</tspan>' in runs
    assert 'a<tspan dy="-11.4">b<tspan dy="-11.4">c</tspan></tspan><tspan dy="22.8">d</tspan>' in runs
    assert '<tspan dy="-10">both</tspan><tspan dy="5"> one</tspan>' in runs
