"""Pages of real hosts in Chromium: the reader sees the picture of the page's theme, whatever sets that theme."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers.book import Space, believed
from helpers.hosts import FILES, HOSTS, mkdocs, pandoc, sphinx
from playwright.sync_api import Page
from pypdf import PdfReader

TEXT = "# A page\n\n![](figmill:graph)\n\nWords, [](figmill:plot#points) of them.\n\n![](figmill:plot)\n\nMore words.\n"
MATERIAL = (
    "theme:\n  name: material\n  palette:\n"
    "    - {scheme: default, toggle: {icon: material/weather-night, name: Dark}}\n"
    "    - {scheme: slate, toggle: {icon: material/weather-sunny, name: Light}}\n  features: []\n"
)
ZENSICAL = """
[[project.theme.palette]]
scheme = "default"
toggle = {icon = "lucide/moon", name = "Dark"}

[[project.theme.palette]]
scheme = "slate"
toggle = {icon = "lucide/sun", name = "Light"}
"""


@pytest.fixture(scope="module")
def sites(two_figures: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The page of a host with a theme, built once."""
    folders: dict[str, Path] = {}

    def site(name: str) -> Path:
        if name not in folders:
            root = tmp_path_factory.mktemp("books") / "book"
            shutil.copytree(two_figures, root, symlinks=True)
            believed(root)
            folders[name] = build(name, Space(root))
        return folders[name]

    return site


def build(name: str, space: Space) -> Path:
    host, _, theme = name.partition(" ")
    if host == "sphinx":
        ran = sphinx(space, TEXT, strict=True, conf=f'html_theme = "{theme}"\n')
        page = "out/html/index.html"
    elif host == "mkdocs":
        more = (
            MATERIAL
            if theme == "material"
            else (f"theme: {{name: {theme}, color_mode: auto, user_color_mode_toggle: true}}\n")
        )
        ran = mkdocs(space, TEXT, strict=True, more=more)
        page = "site/index.html"
    elif host == "zensical":
        ran = HOSTS[host](space, TEXT, strict=True, more=ZENSICAL)
        page = "site/index.html"
    else:
        space.write({"figmill.css": (FILES / "css/figmill.css").read_bytes()})
        ran = pandoc(space, TEXT, True, "page.html", "-s", "--css", "figmill.css", "--metadata", "title=A")
        page = "page.html"
    assert ran.code == 0, ran.said
    return space.root / page


def seen(page: Page) -> list[str]:
    """The files of the pictures that a reader can see, of both figures."""
    script = """() => [...document.querySelectorAll(".figmill-picture img")]
        .filter(image => image.checkVisibility({visibilityProperty: true, opacityProperty: true}))
        .filter(image => image.getBoundingClientRect().width > 0)
        .map(image => image.getAttribute("src").replace(/.*\\//, ""))"""
    return list(page.evaluate(script))


LIGHT, DARK = ["graph.svg", "plot.svg"], ["graph.dark.svg", "plot.dark.svg"]


def clicked(page: Page, name: str) -> Iterator[None]:
    """Click three times on the theme's own switch; the caller looks at the page after each."""
    for number in range(3):
        if name == "sphinx furo":
            page.locator(".theme-toggle:visible").first.click()
        elif name == "sphinx pydata_sphinx_theme":
            page.locator(".theme-switch-button:visible").first.click()
            page.locator(f"[data-mode={('light', 'dark', 'auto')[number]}]:visible").last.click()
        elif name == "sphinx shibuya":
            page.locator(".theme-switch:visible, .js-theme:visible").first.click()
        elif name == "mkdocs mkdocs":
            page.locator("#theme-menu:visible").first.click()
            page.locator(f"[data-bs-theme-value={('light', 'dark', 'auto')[number]}]:visible").click()
        else:
            page.locator("label[for^=__palette]:visible").first.click()
        page.wait_for_timeout(200)  # in which what must stay could change
        yield


def until_seen(page: Page, files: list[str]) -> None:
    """Wait until a reader sees the pictures of these files, and no others."""
    deadline = time.monotonic() + 30
    while (pictures := seen(page)) != files:
        assert time.monotonic() < deadline, pictures
        page.wait_for_timeout(20)


# A site, the system's setting, what is seen at first, and after each click. Furo goes auto, then light or dark.
TOGGLES = [
    ("sphinx furo", "light", LIGHT, [DARK, LIGHT, LIGHT]),
    ("sphinx furo", "dark", DARK, [LIGHT, DARK, DARK]),
    ("sphinx pydata_sphinx_theme", "light", LIGHT, [LIGHT, DARK, LIGHT]),
    ("sphinx shibuya", "light", LIGHT, [LIGHT, DARK, LIGHT]),
    ("sphinx pydata_sphinx_theme", "dark", DARK, [LIGHT, DARK, DARK]),
    ("mkdocs mkdocs", "light", LIGHT, [LIGHT, DARK, LIGHT]),
    ("mkdocs mkdocs", "dark", DARK, [LIGHT, DARK, DARK]),
    ("mkdocs material", "light", LIGHT, [DARK, LIGHT, DARK]),
    ("mkdocs material", "dark", LIGHT, [DARK, LIGHT, DARK]),
    ("zensical", "light", LIGHT, [DARK, LIGHT, DARK]),
    ("zensical", "dark", LIGHT, [DARK, LIGHT, DARK]),
]


@pytest.mark.parametrize(("name", "system", "first", "later"), TOGGLES)
def test_the_theme_s_own_switch(
    sites: Callable[[str], Path],
    browser: Any,
    name: str,
    system: str,
    first: list[str],
    later: list[list[str]],
) -> None:
    page = browser.new_page(color_scheme=system, viewport={"width": 1300, "height": 900})
    page.goto(sites(name).as_uri())
    until_seen(page, first)
    for _, files in zip(clicked(page, name), later, strict=True):
        until_seen(page, files)
    page.close()


@pytest.mark.parametrize(
    "name", ["sphinx sphinx_rtd_theme", "sphinx alabaster", "mkdocs readthedocs", "pandoc"]
)
def test_a_theme_without_a_dark_form_shows_the_light_picture(
    sites: Callable[[str], Path], browser: Any, name: str
) -> None:
    page = browser.new_page(color_scheme="dark")
    page.goto(sites(name).as_uri())
    assert seen(page) == LIGHT
    page.close()


@pytest.mark.parametrize(
    "name",
    ["sphinx furo", "zensical", "sphinx sphinx_rtd_theme", "mkdocs mkdocs", "mkdocs material", "pandoc"],
)
def test_a_figure_stands_in_the_middle(sites: Callable[[str], Path], browser: Any, name: str) -> None:
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.goto(sites(name).as_uri())
    off = page.evaluate(
        """() => [...document.querySelectorAll("figure.figmill .figmill-light")].map(image => {
            const middle = box => (box.left + box.right) / 2
            return middle(image.getBoundingClientRect())
                - middle(image.closest("figure").parentElement.getBoundingClientRect())})"""
    )
    assert len(off) == 2 and all(abs(offset) < 16 for offset in off), off
    page.close()


# What other programs write into a page, as they document it: Docusaurus and Starlight, VitePress, Quarto, Tailwind.
SWITCHES = [
    ("<html data-theme=dark>", DARK),
    ("<html data-theme=light>", LIGHT),
    ("<html class=dark>", DARK),
    ("<html><body class='quarto-dark'>", DARK),
    ("<html><body class='quarto-light'>", LIGHT),
    ("<html><body data-md-color-scheme=slate>", DARK),
    ("<html data-bs-theme=dark>", DARK),
    ("<html>", LIGHT),
]


@pytest.mark.parametrize("system", ["light", "dark"])
def test_every_other_switch(browser: Any, hosted: Space, system: str) -> None:
    figures = hosted.run("embed", "graph").out + hosted.run("embed", "plot").out
    style = (FILES / "css/figmill.css").read_text("utf-8")
    page = browser.new_page(color_scheme=system)
    both = [*SWITCHES, ("<html class=figmill-auto>", DARK if system == "dark" else LIGHT)]
    for begin, expected in both:
        (hosted.root / "page.html").write_text(
            f"<!doctype html>{begin}<style>{style}</style>{figures}", "utf-8"
        )
        page.goto((hosted.root / "page.html").as_uri())
        assert seen(page) == expected, begin
    page.close()


ALL = sorted(
    {name for name, *_ in TOGGLES}
    | {"sphinx sphinx_rtd_theme", "sphinx alabaster", "mkdocs readthedocs", "pandoc"}
)


@pytest.mark.parametrize("name", ALL)
def test_a_page_does_not_move_when_its_pictures_come(
    sites: Callable[[str], Path], browser: Any, name: str
) -> None:
    """The box of each figure is the same with pictures that never come and with those that did.

    A drawing of 100 by 273.333 px has a box of 100 by 273 before it comes: HTML's sizes are whole numbers.
    """
    boxes = []
    for is_blocked in (True, False):
        page = browser.new_page(viewport={"width": 700, "height": 900})
        if is_blocked:
            page.route("**/*.svg", lambda route: None)  # under way for ever: neither loaded nor failed
        page.goto(sites(name).as_uri(), wait_until="domcontentloaded")
        page.wait_for_timeout(600)
        script = "() => [...document.querySelectorAll('figure.figmill')].map(f => f.getBoundingClientRect().height)"
        boxes.append(page.evaluate(script))
        page.close()
    assert boxes[0] == pytest.approx(boxes[1], rel=0, abs=0.5)
    assert min(boxes[0]) > 100


@pytest.mark.parametrize("name", ALL)
def test_paper_is_light_and_axe_finds_nothing(
    sites: Callable[[str], Path], browser: Any, name: str, tmp_path: Path
) -> None:
    page = browser.new_page(color_scheme="dark", viewport={"width": 1300, "height": 900})
    page.goto(sites(name).as_uri())
    page.wait_for_timeout(200)
    if name.startswith(("mkdocs material", "zensical")):
        page.locator("label[for^=__palette]:visible").first.click()
    elif "pydata" in name:
        for _, files in zip(clicked(page, name), (LIGHT, DARK, DARK), strict=True):
            until_seen(page, files)
    response = Axe().run(page, context=".figmill").response
    assert response["passes"]
    assert [violation["id"] for violation in response["violations"]] == []
    page.emulate_media(media="print")
    assert seen(page) == LIGHT
    page.emulate_media(media="screen")
    page.pdf(path=tmp_path / "page.pdf")
    text = " ".join(sheet.extract_text() for sheet in PdfReader(tmp_path / "page.pdf").pages)
    # The text of the drawings, hidden ones included.
    assert re.search(r"sends.*Latency|Latency.*sends", text, re.S)
    page.close()
