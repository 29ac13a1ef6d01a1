"""Chromium for tests that look at figures as a reader would: with these fonts and no others."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from helpers.chromium import QUIET, chromium
from matplotlib import get_data_path
from playwright.sync_api import CDPSession, Page, sync_playwright

STYLES = ("Bold", "BoldItalic", "Italic", "Regular")


@cache
def liberation() -> tuple[Path, ...]:
    """The four styles of Liberation Sans, which has Arial's metrics. Skips a test where they are missing."""
    command = ["fc-list", "Liberation Sans", "file"]
    fonts: tuple[Path, ...] = ()
    if shutil.which(command[0]) is not None:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        fonts = four_styles(Path(line.rstrip(": ")) for line in listed.splitlines())
    return fonts or pytest.skip("Liberation Sans is missing (as root: sh tests/chromium.sh)")


def four_styles(files: Iterable[Path]) -> tuple[Path, ...]:
    """One folder's set, also where several packages install the family; empty where none is complete."""
    paths = set(files)
    sets = (
        tuple(folder / f"LiberationSans-{style}.ttf" for style in STYLES)
        for folder in sorted({path.parent for path in paths})
    )
    return next((styles for styles in sets if paths.issuperset(styles)), ())


def dejavu() -> tuple[Path, ...]:
    """DejaVu Sans and its monospaced face: what a bare Linux has."""
    folder = Path(get_data_path()) / "fonts" / "ttf"
    return tuple(sorted(p for p in folder.glob("DejaVuSans*.ttf") if "Display" not in p.name))


MONO = (
    "monospace",
    "Courier",
    "Courier New",
    "Menlo",
    "Consolas",
    "Monaco",
    "Cascadia",
    "Cascadia Code",
    "Hack",
)
# All families are the book's fonts: what looks different then is no matter of fonts.
ALIASES = "".join(
    f'<match><test qual="any" name="family"><string>{name}</string></test>'
    '<edit name="family" mode="assign" binding="same"><string>DejaVu Sans Mono</string></edit></match>'
    for name in MONO
) + (
    '<match><test qual="all" name="family" compare="not_eq"><string>DejaVu Sans Mono</string></test>'
    '<edit name="family" mode="assign" binding="same"><string>Liberation Sans</string></edit></match>'
)


@contextmanager
def page(
    folder: Path, fonts: Sequence[Path], pixels: int = 1, aliases: str = "", scripts: bool = True
) -> Iterator[Page]:
    """An empty page of a Chromium that knows these fonts alone. folder: for its configuration, new.

    pixels: of the screen, to one of CSS. With one, Chromium on Linux rounds the width of each letter.
    aliases: of fonts, as fontconfig has it. scripts: whether those of a drawing run.
    """
    executable = chromium()
    folder.mkdir(parents=True)
    for path in fonts:
        (folder / path.name).symlink_to(path)
    config = folder / "fonts.conf"
    config.write_text(
        f"<fontconfig><dir>{folder}</dir><cachedir>{folder}/cache</cachedir>{aliases}</fontconfig>"
    )
    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=executable,
            args=list(QUIET),
            env={**os.environ, "FONTCONFIG_FILE": str(config), "HOME": str(folder)},
        )
        try:
            yield browser.new_page(device_scale_factor=pixels, java_script_enabled=scripts)
        finally:
            browser.close()


def fonts_of(page: Page, selector: str) -> set[str]:
    """The families that Chromium really drew the words of these elements with."""
    session: CDPSession = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    nodes = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": selector})["nodeIds"]
    families = set()
    for node in nodes:
        used = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        families |= {font["familyName"] for font in used}
    return families
