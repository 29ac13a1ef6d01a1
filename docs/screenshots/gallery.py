"""The gallery as readers see it: light and dark, with one set of fonts only; docs/pictures/gallery-THEME-FONTS.png."""

from __future__ import annotations

import subprocess
import sys

import shots

SIZE = {"width": 1180, "height": 1240}  # px


def main() -> None:
    """Build the showcase, and take its gallery."""
    command = [sys.executable, str(shots.REPOSITORY / "render_visuals.py"), "--quiet"]
    subprocess.run(command, cwd=shots.REPOSITORY, check=True)
    for fonts in shots.SETS:
        with shots.browser(fonts) as running:
            for theme in ("light", "dark"):
                tab = running.new_page(color_scheme=theme, viewport=SIZE)
                tab.goto((shots.REPOSITORY / "build" / "index.html").as_uri())
                tab.wait_for_load_state("networkidle")
                shots.keep(tab.screenshot(), f"gallery-{theme}-{fonts}")
