"""The pages of `watch`, and two strips of film: docs/pictures/serve-*.png, film-edit.png, film-slider.png.

The book is a copy of the showcase.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import shots
from playwright.sync_api import Page

SIZE = {"width": 1280, "height": 800}  # px
FIRST_BUILD = 600_000  # ms
GRAPH, EXPLORED = "cloud-2846", "cloud-2849"
SOURCE = "visuals/cloud/cloud-2846.dot"


@contextmanager
def served(book: Path) -> Iterator[str]:
    """The first address of a server of that book."""
    command = [sys.executable, "-u", "-m", "figmill", "watch", "--no-open", "--quiet"]
    process = subprocess.Popen(command, cwd=book, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=10)


def main() -> None:
    """Copy the showcase, serve it, and take what an author sees."""
    with tempfile.TemporaryDirectory() as folder, shots.browser() as running:
        book = Path(folder) / "book"
        for name in ("questions", "visuals"):
            shutil.copytree(shots.REPOSITORY / name, book / name)
        with served(book) as address:
            tabs = {}
            for theme in ("light", "dark"):
                tabs[theme] = running.new_context(color_scheme=theme, viewport=SIZE).new_page()
                tabs[theme].goto(address)
                tabs[theme].locator(f"#card-{GRAPH} img:visible").first.wait_for(timeout=FIRST_BUILD)
            origin = address.partition("/?")[0]
            shots.keep(_settled(tabs["light"]), "serve-gallery")
            tabs["dark"].goto(f"{origin}/figure/{EXPLORED}")
            shots.keep(_settled(tabs["dark"]), "serve-figure")
            _edit(tabs["light"], book / SOURCE)
            tabs["light"].goto(f"{origin}/figure/{EXPLORED}")
            _explore(tabs["light"])


def _settled(page: Page) -> bytes:
    page.wait_for_timeout(700)
    return page.screenshot()


def _edit(page: Page, source: Path) -> None:
    """A graph before an edit, after it, and after a mistake."""
    card, text = page.locator(f"#card-{GRAPH}"), source.read_text(encoding="utf-8")
    frames = []
    for changed in (text, text.replace("total in step 6", "done in step 6"), text.replace(" -- ", " -> ", 1)):
        before = card.inner_html()
        source.write_text(changed, encoding="utf-8")
        if changed != text:
            page.wait_for_function(
                "([id, old]) => document.getElementById(id).innerHTML !== old", arg=[f"card-{GRAPH}", before]
            )
        page.wait_for_timeout(2000)
        frames.append(card.screenshot())
    shots.keep(frames[-1], "serve-error")
    shots.keep(shots.strip(frames), "film-edit")
    source.write_text(text, encoding="utf-8")


def _explore(page: Page) -> None:
    """A figure while a slider moves."""
    slider = page.get_by_role("slider", name="workers")
    frames = []
    for workers in (5, 6, 7):
        slider.focus()
        slider.press("ArrowRight")
        _painted(page, f'"workers":{workers}')
        frames.append(page.screenshot(clip={"x": 0, "y": 44, "width": SIZE["width"], "height": 656}))
    shots.keep(shots.strip(frames), "film-slider")
    page.locator("#control-jitter").fill("0.6")
    _painted(page, '"jitter":0.6')
    shots.keep(page.screenshot(), "serve-controls")


def _painted(page: Page, words: str) -> None:
    """Wait until the picture shows these parameters, and both themes have come."""
    page.locator(f"#figure[data-painted*='{words}']:not(.rendering)").wait_for()
    page.wait_for_timeout(1000)
