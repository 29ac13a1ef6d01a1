"""Pictures of the gallery as readers see it: light and dark, on a machine with one set of fonts only.

    make screenshots

Builds the showcase, opens it in Chromium (CHROMIUM=/path/to/it where it is elsewhere) with a private fontconfig that
knows Liberation Sans or DejaVu Sans and nothing else, and writes docs/pictures/gallery-<theme>-<fonts>.png.
The same page in each host is the matter of docs/site/host_pictures.py.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

from figmill.kinds.typefaces import mono_folder

REPOSITORY = Path(__file__).parent.parent
PICTURES = REPOSITORY / "docs" / "pictures"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-sync"]
QUIET += ["--disable-background-networking", "--disable-component-update"]
SIZE = {"width": 1180, "height": 1240}  # px
COLOURS = 96  # of each picture: drawings have few, and the files are committed
LIBERATION = ("/usr/share/fonts/truetype/liberation", "/usr/share/fonts/truetype/liberation2",
              "/usr/share/fonts/liberation-sans", "/Library/Fonts")  # fmt: skip
# The pages of the demos with a figure that readers turn, each in one theme.
DEMOS = (("sphinx", "out/html/turned.html", "light"), ("mkdocs", "site/turned.html", "dark"))
# A set of fonts: what `sans-serif` and `monospace` are there.
SETS = {"liberation": ("Liberation Sans", "Liberation Mono"), "dejavu": ("DejaVu Sans", "DejaVu Sans Mono")}


def fonts(name: str) -> list[Path]:
    """The files of one set of fonts, each family's from one package. SystemExit where this machine has none."""
    places = [mono_folder()] if name == "dejavu" else [Path(folder) for folder in LIBERATION]
    files = []
    for family in SETS[name]:
        stem = family.replace(" ", "")
        installed = (
            [path for path in sorted(place.glob("*.ttf")) if path.stem.split("-")[0] == stem]
            for place in places
        )
        files += next(filter(None, installed), [])
    if not files:
        sys.exit("Liberation Sans is missing (Debian: apt-get install fonts-liberation)")
    return files


def configuration(folder: Path, name: str) -> Path:
    """A fontconfig file that knows one set of fonts alone, Helvetica's metric twin among them as systems have it."""
    (folder / "fonts").mkdir(parents=True)
    for path in fonts(name):
        shutil.copyfile(path, folder / "fonts" / path.name)
    sans, mono = SETS[name]
    wanted = [("sans-serif", sans), ("serif", sans), ("system-ui", sans), ("monospace", mono)]
    if name == "liberation":
        wanted += [
            (name, sans) for name in ("Helvetica", "Helvetica Neue", "Arial", "Segoe UI", "Times New Roman")
        ]
    aliases = "".join(
        f'<alias binding="same"><family>{asked}</family><prefer><family>{given}</family></prefer></alias>\n'
        for asked, given in wanted
    )
    file = folder / "fonts.conf"
    file.write_text(
        '<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">\n<fontconfig>\n'
        f"<dir>{escape(str(folder / 'fonts'))}</dir>\n<cachedir>{escape(str(folder / 'cache'))}</cachedir>\n"
        f"{aliases}"
        # any other name, that of the system's own font among them
        f'<match target="pattern"><edit name="family" mode="append_last"><string>{sans}</string></edit></match>\n'
        "</fontconfig>\n",
        encoding="utf-8",
    )
    return file


def pictures(page: Path, fontconfig: Path) -> Iterator[tuple[str, bytes]]:
    """(theme, PNG) of a page's first screen."""
    from playwright.sync_api import sync_playwright

    browser = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("Chromium is missing: install it, or set CHROMIUM=/path/to/it")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=browser, args=QUIET, env={**os.environ, "FONTCONFIG_FILE": str(fontconfig)}
        )
        for theme in ("light", "dark"):
            tab = running.new_page(color_scheme=theme, viewport=SIZE)
            tab.goto(page.as_uri())
            tab.wait_for_load_state("networkidle")
            yield theme, tab.screenshot()
        running.close()


def turned(page: Path, fontconfig: Path, theme: str) -> bytes:
    """The PNG of a page with a figure that readers turn, after a reader has chosen another schedule."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM")
            or next(filter(None, map(shutil.which, BROWSERS)), None),
            args=QUIET,
            env={**os.environ, "FONTCONFIG_FILE": str(fontconfig)},
        )
        tab = running.new_page(color_scheme=theme, viewport={"width": 1000, "height": 620})
        tab.goto(page.as_uri())
        if theme == "dark" and tab.locator("label[for^=__palette]").count():
            tab.locator("label[for^=__palette]:visible").first.click()
        tab.locator("figure").get_by_role("radio", name="zb-h1").check()
        tab.locator("figure").get_by_role("slider").press("End")
        tab.locator("figure[data-figmill-shown]").wait_for()
        tab.wait_for_timeout(500)
        png = tab.screenshot()
        running.close()
    return png


def compact(png: bytes) -> bytes:
    """The same picture in few colours."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as picture:
        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    out = io.BytesIO()
    few.save(out, "PNG", optimize=True)
    return out.getvalue()


def main() -> None:
    subprocess.run(
        [sys.executable, str(REPOSITORY / "render_visuals.py"), "--quiet"], cwd=REPOSITORY, check=True
    )
    for name in SETS:
        with tempfile.TemporaryDirectory() as folder:
            file = configuration(Path(folder), name)
            for theme, png in pictures(REPOSITORY / "build" / "index.html", file):
                target = PICTURES / f"gallery-{theme}-{name}.png"
                target.write_bytes(compact(png))
                print(f"{target.relative_to(REPOSITORY)}: {target.stat().st_size / 1000:.0f} kB")
            for host, page, theme in DEMOS if name == "liberation" else ():
                demos = REPOSITORY / "dist" / "demos"
                if not (demos / host / page).exists():
                    subprocess.run(
                        [sys.executable, str(REPOSITORY / "docs/demos/build.py"), host], check=True
                    )
                target = PICTURES / f"explore-{host}.png"
                target.write_bytes(compact(turned(demos / host / page, file, theme)))
                print(f"{target.relative_to(REPOSITORY)}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
