"""How pictures of pages are taken: which Chromium, with which fonts, and how small they are kept."""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from figmill.font_metrics import matplotlib_folder

REPOSITORY = Path(__file__).parent.parent.parent
PICTURES = REPOSITORY / "docs" / "pictures"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-sync"]
QUIET += ["--disable-background-networking", "--disable-component-update"]
COLOURS = 96  # of each picture: drawings have few, and the files are committed
LIBERATION = (
    "/usr/share/fonts/truetype/liberation",
    "/usr/share/fonts/truetype/liberation2",
    "/usr/share/fonts/liberation-sans",
    "/Library/Fonts",
)
# A set of fonts: what `sans-serif` and `monospace` are there.
SETS: Mapping[str, tuple[str, str]] = {
    "liberation": ("Liberation Sans", "Liberation Mono"),
    "dejavu": ("DejaVu Sans", "DejaVu Sans Mono"),
}


@contextmanager
def browser(fonts: str = "liberation") -> Iterator[Browser]:
    """Chromium, or where $CHROMIUM says, with one set of fonts alone. SystemExit where there is none."""
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        sys.exit("Chromium is missing: install it, or set CHROMIUM=/path/to/it")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        variables = {**os.environ, "FONTCONFIG_FILE": str(_configuration(Path(folder), fonts))}
        running = playwright.chromium.launch(executable_path=program, args=QUIET, env=variables)
        yield running
        running.close()


def to_dark(tab: Page, switch: str) -> None:
    """Click the switch of a page of Material or Zensical that does not follow the system."""
    is_dark = tab.locator("body[data-md-color-scheme=slate]").count()
    if not is_dark and tab.locator(switch).count():
        tab.locator(switch).first.click()


def keep(png: bytes, name: str) -> None:
    """Write a picture in few colours below docs/pictures/."""
    target = PICTURES / f"{name}.png"
    with Image.open(io.BytesIO(png)) as picture:
        colours = picture.convert("RGB")
        # The most frequent colours, so that pages keep their own, and those that lie far apart, so that swatches do.
        methods = (Image.Quantize.MEDIANCUT, Image.Quantize.MAXCOVERAGE)
        chosen = [colours.quantize(COLOURS, method).getpalette() or [] for method in methods]
        palette = np.array([part for some in chosen for part in some[: 3 * COLOURS]]).reshape(-1, 3)
        pixels, places = np.unique(np.asarray(colours).reshape(-1, 3), axis=0, return_inverse=True)
        # Pillow itself finds the nearest colour to within 4 steps of 256, which makes white pages grey.
        nearest = ((pixels[:, None].astype(int) - palette) ** 2).sum(axis=2).argmin(axis=1).astype(np.uint8)
        few = Image.fromarray(nearest[places].reshape(colours.height, colours.width), "P")
        few.putpalette(palette.astype(np.uint8).tobytes())
    few.save(target, "PNG", optimize=True)
    print(f"{target.relative_to(REPOSITORY)}: {target.stat().st_size / 1000:.0f} kB")


def strip(pngs: list[bytes]) -> bytes:
    """Pictures side by side, as a strip of film."""
    frames = [Image.open(io.BytesIO(png)).convert("RGB") for png in pngs]
    gap = 8  # px
    width = sum(frame.width for frame in frames) + gap * (len(frames) - 1)
    film = Image.new("RGB", (width, max(frame.height for frame in frames)), "#7f8792")
    x = 0
    for frame in frames:
        film.paste(frame, (x, 0))
        x += frame.width + gap
    out = io.BytesIO()
    film.save(out, "PNG")
    return out.getvalue()


def _fonts(name: str) -> list[Path]:
    """The files of one set of fonts, each family's from one package. SystemExit where this machine has none."""
    places = [matplotlib_folder()] if name == "dejavu" else [Path(folder) for folder in LIBERATION]
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


def _configuration(folder: Path, name: str) -> Path:
    """A fontconfig file that knows one set of fonts, Helvetica's metric twin among them as systems have it.

    Signs that Liberation lacks, such as the triangle of a disclosure, come from DejaVu, as on most systems.
    """
    (folder / "fonts").mkdir(parents=True)
    for path in {*_fonts(name), *_fonts("dejavu")}:
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
