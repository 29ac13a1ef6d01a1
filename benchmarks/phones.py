"""Figures in pages of six hosts, as Chromium shows them on screens of four widths, in both themes and three languages.

    python -m benchmarks.phones [--sheets FOLDER] [--fonts PACKAGE]

Builds a book of the figures of docs/examples/languages/ and four wide ones of the showcase, and the page of each host
in German, Japanese and Arabic. Prints a table for docs/developers/measured-pages.md: the smallest text of any figure
in CSS px, and the number of pages that scroll sideways. --sheets: where pictures of all pages go, one sheet per host.
--fonts: a package with Japanese letters, for figmill and for Chromium.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

import pypandoc
from PIL import Image
from playwright.sync_api import Page, sync_playwright

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY / "tests"))

from helpers.chromium import QUIET, chromium  # noqa: E402

BIN = Path(sys.executable).parent
FILES = REPOSITORY / "figmill/integrations/files"
LANGUAGES = ("de", "ja", "ar")
WIDTHS = (320, 375, 768, 1280)
THEMES = ("light", "dark")
TRANSLATED = ("retry", "load", "box")
WIDE = ("cloud-2847", "cloud-2848", "cloud-2886", "figmill-way")
TITLES = {"de": "Abbildungen", "ja": "図", "ar": "أشكال"}
SETTINGS = 'language = "en"\nlanguages = ["de", "ja", "ar"]\nfonts = [{fonts}]\noutput = "{output}"\n'
FONT = "noto-cjk-sans-otc"
PALETTE = """theme:
  name: material
  language: {language}
  palette:
    - {{media: "(prefers-color-scheme: light)", scheme: default, toggle: {{icon: material/weather-night, name: D}}}}
    - {{media: "(prefers-color-scheme: dark)", scheme: slate, toggle: {{icon: material/weather-sunny, name: L}}}}
plugins: [figmill]
"""
ZENSICAL = """[project]
site_name = "A book"
extra_css = ["figmill.css"]
[project.theme]
language = "{language}"
[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
toggle = {{icon = "lucide/moon", name = "D"}}
[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
toggle = {{icon = "lucide/sun", name = "L"}}
[project.markdown_extensions.figmill]
[project.markdown_extensions.attr_list]
"""
HTML = """<!doctype html><html lang="{language}" dir="{way}" class="figmill-auto"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<style>:root {{ color-scheme: light dark }} body {{ margin: 1rem }}
@media (prefers-color-scheme: dark) {{ html {{ background: #121212; color: #eee }} }}</style>
<link rel="stylesheet" href="figmill.css"></head><body><main><h1>{title}</h1>{body}</main></body></html>"""


def ran(root: Path, *words: str | Path) -> str:
    """What a program prints. Ends this one if it fails."""
    env = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        list(map(str, words)), cwd=root, capture_output=True, text=True, check=False, env=env
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def markdown(language: str) -> str:
    figures = "\n\n".join(f"![](figmill:{name})" for name in (*TRANSLATED, *WIDE))
    return f"# {TITLES[language]}\n\n{figures}\n"


def sphinx(root: Path, language: str) -> str:
    conf = f'extensions = ["myst_parser", "figmill.sphinx"]\nlanguage = "{language}"\nhtml_theme = "furo"\n'
    (root / "docs/conf.py").write_text(conf)
    ran(root, BIN / "sphinx-build", "-E", "-q", "-b", "html", "docs", f"out/{language}")
    return f"out/{language}/index.html"


def mkdocs(root: Path, language: str) -> str:
    (root / "mkdocs.yml").write_text(
        f"site_name: A book\nuse_directory_urls: false\nsite_dir: out/{language}\n"
        + PALETTE.format(language=language)
    )
    ran(root, BIN / "mkdocs", "build", "--quiet")
    return f"out/{language}/index.html"


def zensical(root: Path, language: str) -> str:
    (root / "zensical.toml").write_text(ZENSICAL.format(language=language) + "[project.extra]\n")
    shutil.copy(FILES / "css/figmill.css", root / "docs")
    ran(root, BIN / "zensical", "build", "--clean")
    shutil.move(root / "site", root / f"out-{language}")
    return f"out-{language}/index.html"


def pandoc(root: Path, language: str) -> str:
    shutil.copy(FILES / "css/figmill.css", root)
    shutil.copy(FILES / "figmill.lua", root)
    way = ("-M", "dir=rtl") if language == "ar" else ()
    words = (
        "-s",
        "-L",
        "figmill.lua",
        "--css",
        "figmill.css",
        "-V",
        "document-css=1",
        "-M",
        f"lang={language}",
        *way,
    )
    title = ("-M", f"pagetitle={TITLES[language]}")
    ran(root, pypandoc.get_pandoc_path(), "docs/index.md", *words, *title, "-o", f"{language}.html")
    return f"{language}.html"


def pasted(root: Path, language: str) -> str:
    shutil.copy(FILES / "css/figmill.css", root)
    body = "".join(
        ran(root, BIN / "figmill", "show", name, "--format", "html", "--language", language, "--base", ".")
        for name in (*TRANSLATED, *WIDE)
    )
    way = "rtl" if language == "ar" else "ltr"
    text = HTML.format(language=language, way=way, title=TITLES[language], body=body)
    (root / f"build/{language}.html").write_text(text, encoding="utf-8")
    shutil.copy(FILES / "css/figmill.css", root / "build")
    return f"build/{language}.html"


def gallery(root: Path, language: str) -> str:
    return f"build/index.html?language={language}"


# Name in the table -> what builds the page, relative to the book, and returns its address.
HOSTS: Mapping[str, Callable[[Path, str], str]] = MappingProxyType(
    {
        "Sphinx, furo": sphinx,
        "MkDocs, Material": mkdocs,
        "Zensical": zensical,
        "pandoc": pandoc,
        "a page with what `show` prints": pasted,
        "the gallery": gallery,
    }
)


def book(root: Path, host: Callable[[Path, str], str], fonts: str) -> None:
    """The book of one host, built."""
    example = REPOSITORY / "docs/examples/languages"
    for folder in ("questions", "visuals"):
        shutil.copytree(example / folder, root / folder)
    for name in WIDE:
        question = next((REPOSITORY / "questions").rglob(f"{name}.yaml"))
        text = question.read_text(encoding="utf-8").replace("visual:\n", "visual:\n  languages: []\n", 1)
        (root / "questions" / question.name).write_text(text, encoding="utf-8")
    for name in ("queueing.py", "pipeline_bubble.py", "network_blocks.py", "figmill/figmill-way.dot"):
        shutil.copy(REPOSITORY / "visuals" / name, root / "visuals")
    output = "docs/figures" if host is zensical else "build"
    (root / "figmill.toml").write_text(SETTINGS.format(fonts=fonts, output=output))
    (root / "docs").mkdir()
    ran(root, BIN / "figmill", "--quiet")


@dataclass(frozen=True, slots=True)
class Measured:
    """A page at one width in one theme. text: the smallest of any figure, in CSS px; picture: the page as PNG."""

    width: int
    theme: str
    text: float
    figures: int
    is_scrolling: bool
    picture: bytes


SHOWN = """(place) => [...document.querySelectorAll(`${place} img`)]
    .filter((one) => one.closest(".figmill-picture") && one.checkVisibility() && one.getBoundingClientRect().width)
    .map((one) => [decodeURI(one.src.split("/").pop()), one.getBoundingClientRect().width])"""
# As the theme's own switch does; the others follow the system.
DARK = "(dark) => document.body.setAttribute('data-md-color-scheme', dark ? 'slate' : 'default')"


def widths(page: Page) -> list[tuple[str, float]]:
    """The file of each picture in a page, and its width in px; in the gallery, of each figure opened there."""
    cards = page.locator(".cards > figure").evaluate_all("cards => cards.map((card) => card.id)")
    if not cards:
        return list(page.evaluate(SHOWN, "body"))
    opened = []
    for card in cards:
        page.evaluate("(id) => { location.hash = id }", card)
        page.locator("dialog[open] figure img").first.wait_for(state="attached")
        page.wait_for_timeout(150)
        opened += page.evaluate(SHOWN, "dialog")
    page.evaluate("location.hash = ''")
    return opened


def measured(page: Page, address: str, sizes: Mapping[str, float]) -> Iterator[Measured]:
    """sizes: file name -> its smallest text in px at a width of 1 px."""
    page.goto(address)
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            if page.locator("[data-md-color-scheme]").count():
                page.evaluate(DARK, theme == "dark")
            for image in page.locator("img").all():  # lazy ones come when they are seen
                if image.is_visible():
                    image.scroll_into_view_if_needed()
            page.wait_for_timeout(150)
            shown = [(name, across * sizes[name]) for name, across in widths(page) if name in sizes]
            scrolls = page.evaluate("document.documentElement.scrollWidth > innerWidth")
            page.evaluate("scrollTo(0, 0)")
            picture = page.screenshot(full_page=True)
            yield Measured(
                width, theme, min((px for _, px in shown), default=0), len(shown), scrolls, picture
            )


def folders(package: str) -> list[str]:
    """Where the fonts of a package are; no folder without one."""
    found = find_spec(package.replace("-", "_")) if package else None
    return [str(Path(found.origin).parent)] if found and found.origin else []


def sheet(found: list[Measured]) -> Image.Image:
    """All pages of a host side by side, each in the height of the first 1600 px."""
    shots = [Image.open(io.BytesIO(one.picture)).convert("RGB") for one in found]
    shots = [one.crop((0, 0, one.width, min(one.height, 1600))) for one in shots]
    shots = [one.resize((one.width // 3, one.height // 3)) for one in shots]
    every = len(WIDTHS) * len(THEMES)
    rows = [shots[at : at + every] for at in range(0, len(shots), every)]
    whole = Image.new(
        "RGB", (max(sum(one.width + 8 for one in row) for row in rows), 541 * len(rows)), "#888"
    )
    for number, row in enumerate(rows):
        left = 0
        for one in row:
            whole.paste(one, (left, 541 * number))
            left += one.width + 8
    return whole


def main(sheets: Path | None, fonts: str) -> None:
    print(
        "| host | pages | figures on a page | smallest text | pages that scroll sideways |\n|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        config = Path(folder) / "fonts.conf"
        places = ("/usr/share/fonts", *folders(fonts))
        config.write_text(f"<fontconfig>{''.join(f'<dir>{place}</dir>' for place in places)}</fontconfig>")
        env: dict[str, str | float | bool] = {**os.environ, "FONTCONFIG_FILE": str(config)}
        browser = started.chromium.launch(executable_path=chromium(), args=list(QUIET), env=env)
        for name, host in HOSTS.items():
            root = Path(folder) / host.__name__
            root.mkdir()
            book(root, host, f'"{fonts}"' if fonts else "")
            manifest = json.loads(next(root.rglob("manifest.json")).read_text(encoding="utf-8"))
            rows = [row for one in manifest["figures"] for row in (one, *one.get("languages", {}).values())]
            every = [
                file for row in rows for file in (*row["files"], *row.get("narrow", {}).get("files", []))
            ]
            sizes = {Path(file["path"]).name: file["smallest_text"] / file["width"] for file in every}
            found: list[Measured] = []
            for language in LANGUAGES:
                (root / "docs/index.md").write_text(markdown(language), encoding="utf-8")
                path, _, query = host(root, language).partition("?")
                page = browser.new_page()
                found += measured(page, f"{(root / path).as_uri()}?{query}", sizes)
                page.close()
            counts = sorted({one.figures for one in found})
            scrolling = sum(one.is_scrolling for one in found)
            shown = counts[0] if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
            least = min(one.text for one in found)
            print(f"| {name} | {len(found)} | {shown} | {least:.2f} px | {scrolling} |", flush=True)
            if sheets is not None:
                sheets.mkdir(parents=True, exist_ok=True)
                sheet(found).save(sheets / f"{host.__name__}.png")
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sheets", type=Path, help="a folder for pictures of all pages")
    parser.add_argument("--fonts", default="", help=f"the package with Japanese letters, such as {FONT}")
    given = parser.parse_args()
    main(given.sheets, given.fonts)
