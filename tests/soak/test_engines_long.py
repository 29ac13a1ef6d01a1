"""resvg with the book's fonts beside Chromium: the whole showcase, the books of tests, real drawings where they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser.test_png_and_pdf import lettered
from helpers import likeness
from helpers.book import REPOSITORY, Space
from helpers.engines import differing
from helpers.seeded import write_defects, write_good
from playwright.sync_api import Page

from figmill.svg import Sheet, SvgError, in_themes

pytestmark = pytest.mark.soak
SHARED = Path(os.environ.get("FIGMILL_CORPUS") or REPOSITORY.parent / "shared" / "corpus")
EXPORTS = sorted((SHARED / "exports").rglob("*.svg"))
RESVG = sorted((SHARED / "resvg").rglob("*.svg"))[::6]
THEMES = ("light", "dark")
SHEET = Sheet("fig", "Title", "What it shows")
# What the two draw in two ways, by the folder or the file of a drawing that tests just this.
KNOWN = {
    "filters/": "light, sub-regions and shares of a box in filters",
    "painting/marker/": "markers in the middle of arcs and of closed lines",
    "painting/mix-blend-mode/": "the page behind a figure, with which a browser mixes what is in it",
    "painting/display/none-on-svg": "a root that is not shown",
    "structure/systemLanguage/": "a definition in another language",
    "shapes/rect/ic-values": "lengths by East Asian letters",
    "shapes/rect/vi-and-vb-values": "lengths by the side of a page",
    "text/color-font/": "letters in several colours, which no font of the book has",
    "svgbob/comic.svg": "from which font a sign comes that the book's has not, among words of code",
    "dvisvgm/canvg-issue71.svg": "letters of an SVG font, which browsers do not know",
    "text/textPath/": "words behind a path, and filters on it",
    "text/text/x-and-y-with-multiple-values-and-arabic-text": "Arabic letters that are set one by one",
    "text/writing-mode/": "lines from top to bottom",
    "text/text-decoration/": "the thickness of a line under words",
    "text/tspan/": "spaces before a part, and lines under them",
}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with likeness.reader(tmp_path_factory.mktemp("reader")) as page:
        yield page


def tell(capsys: pytest.CaptureFixture[str], what: str, figures: int, differ: dict[str, int]) -> None:
    with capsys.disabled():
        print(f"\n{what}: {figures} pictures, {len(differ)} differ")
        for name, spots in sorted(differ.items()):
            print(f"  {spots:6} {name}")


def theme_of(path: Path) -> str:
    return "dark" if path.name.endswith(".dark.svg") else "light"


BOOKS: dict[str, Callable[[Space], object]] = {
    "good": write_good,
    "defects": write_defects,
    "lettered": lettered,
}


@pytest.mark.parametrize("book", [*BOOKS, "showcase"])
def test_every_figure_of_a_book(
    book: str, page: Page, space: Space, showcase: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = showcase
    if book in BOOKS:
        BOOKS[book](space)
        space.run("--quiet")
        root = space.root
    figures = sorted((root / "build").rglob("*.svg"))
    assert len(figures) > 5
    spots = {p.name: differing(page, p.read_bytes(), space.root, theme_of(p)) for p in figures}
    differ = {name: count for name, count in spots.items() if count > likeness.SPOTS}
    tell(capsys, book, len(figures), differ)
    assert differ == {}


def of_drawings(page: Page, paths: list[Path], root: Path, folder: Path) -> tuple[int, dict[str, int]]:
    """How many pictures there are of real drawings that are taken, and those that differ by their names."""
    spots = {}
    for path in paths:
        try:
            forms = in_themes(path.read_bytes(), SHEET, THEMES)
        except SvgError:
            continue
        for theme, form in zip(THEMES, forms, strict=True):
            name = f"{path.relative_to(root).as_posix()} ({theme})"
            spots[name] = differing(page, form.svg, folder, theme)
    return len(spots), {name: count for name, count in spots.items() if count > likeness.SPOTS}


def unknown(differ: dict[str, int]) -> dict[str, int]:
    return {name: spots for name, spots in differ.items() if not name.startswith(tuple(KNOWN))}


@pytest.mark.skipif(not EXPORTS, reason="the corpus of real exports is not beside this checkout")
def test_every_real_export(page: Page, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    count, differ = of_drawings(page, EXPORTS, SHARED / "exports", tmp_path)
    tell(capsys, "exports", count, differ)
    assert unknown(differ) == {}


@pytest.mark.skipif(not RESVG, reason="the test drawings of resvg are not beside this checkout")
def test_a_sixth_of_the_drawings_that_resvg_is_tested_with(
    page: Page, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    count, differ = of_drawings(page, RESVG, SHARED / "resvg", tmp_path)
    tell(capsys, "drawings of resvg", count, differ)
    assert unknown(differ) == {}
