"""Pictures of the same page in each host, as readers see it: docs/pictures/hosts/HOST-THEME.png, and their table.

Builds the demo books (docs/demos/build.py) and opens the first page of each in Chromium, light and dark, with
Liberation fonts alone. Where a host's page has a switch of its own, the switch is clicked. Writes docs/guide/hosts.md
as well.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import shots
import typst
from PIL import Image

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "demos"))

demos = import_module("build")  # of docs/demos

PICTURES = shots.PICTURES / "hosts"
PAGE = HERE.parent / "guide" / "hosts.md"
SIZE = {"width": 1000, "height": 700}  # px
THEMES = ("light", "dark")
PALETTE = "label[for^=__palette]:visible"


@dataclass(frozen=True, slots=True)
class Shown:
    """A host with a theme. demo: the folder in docs/demos; words: of a further build of it; switch: what is clicked.

    themes: those that the page has.
    """

    title: str
    demo: str
    site: str
    theme: str = ""
    switch: str = ""
    themes: tuple[str, ...] = THEMES


# Name of the pictures -> what they show.
HOSTS = {
    "sphinx-furo": Shown("Sphinx with furo", "sphinx", "out/html"),
    "sphinx-pydata": Shown("Sphinx with the PyData theme", "sphinx", "out/pydata", "pydata_sphinx_theme"),
    "sphinx-rtd": Shown(
        "Sphinx with the theme of Read the Docs",
        "sphinx",
        "out/rtd",
        "sphinx_rtd_theme",
        themes=("light",),
    ),
    "mkdocs-material": Shown("MkDocs with Material", "mkdocs", "site", switch=PALETTE),
    "zensical": Shown("Zensical", "zensical", "site", switch=PALETTE),
    "pandoc": Shown("pandoc", "pandoc", ".", themes=("light",)),
    "plain": Shown("A page by hand, with what figmill show prints", "plain", "."),
}
PAPER = "paper"


def built(shown: Shown) -> Path:
    """The first page of a host, where it lies after the demos have been built."""
    place = demos.OUT / shown.demo
    if shown.theme:
        setting = f"html_theme={shown.theme}"
        demos.run(place, "sphinx-build", "-q", "-W", "-E", "-D", setting, "-b", "html", ".", shown.site)
    return place / shown.site / "index.html"


def pictures() -> Iterator[tuple[str, bytes]]:
    """(name, PNG) of each host and theme."""
    with shots.browser() as running:
        for name, shown in HOSTS.items():
            page = built(shown)
            for theme in shown.themes:
                tab = running.new_page(color_scheme=theme, viewport=SIZE)
                tab.goto(page.as_uri())
                if theme == "dark" and shown.switch:
                    shots.to_dark(tab, shown.switch)
                tab.mouse.move(0, 0)
                tab.wait_for_timeout(600)
                yield f"{name}-{theme}", tab.screenshot()
                tab.close()


def paper() -> bytes:
    """The page as pandoc and Typst print it: the upper part of the sheet."""
    place = demos.OUT / "pandoc"
    sheets = typst.compile(str(place / "index.typ"), root=str(place), format="png", ppi=96)
    upper = io.BytesIO()
    with Image.open(io.BytesIO(sheets[0] if isinstance(sheets, list) else sheets)) as sheet:
        sheet.crop((0, 0, sheet.width, sheet.width * SIZE["height"] // SIZE["width"])).save(upper, "PNG")
    return upper.getvalue()


def table() -> str:
    """The page with all pictures."""
    lines = ["| host | light | dark |", "|---|---|---|"]
    for name, shown in HOSTS.items():
        cells = [
            _picture(f"{shown.title}, {theme}", f"{name}-{theme}") if theme in shown.themes else "none"
            for theme in THEMES
        ]
        lines.append(f"| {shown.title} | {' | '.join(cells)} |")
    lines.append(f"| pandoc and Typst, on paper | {_picture('The page on paper', PAPER)} | none |")
    words = (HERE / "hosts.txt").read_text(encoding="utf-8")
    mark = "<!-- Made by docs/screenshots/hosts.py; change it there. -->"
    return "\n".join(["# The same page in each host", "", mark, "", words, *lines, ""])


def _picture(alt: str, name: str) -> str:
    """A picture that leads to itself in full size."""
    address = f"../pictures/hosts/{name}.png"
    return f"[![{alt}]({address})]({address})"


def main() -> None:
    """Take the pictures of the demos as they are built, and write the page."""
    PICTURES.mkdir(exist_ok=True)
    for name, png in [*pictures(), (PAPER, paper())]:
        shots.keep(png, f"{PICTURES.name}/{name}")
    PAGE.write_text(table(), encoding="utf-8")
