"""A figure that readers explore, in a host's page: docs/pictures/explore-HOST.png and film-explore-HOST.png."""

from __future__ import annotations

import sys
from importlib import import_module

import shots

SIZE = {"width": 1000, "height": 940}  # px
# The pages of the demos, each in one theme.
PAGES = (("sphinx", "out/html/explore.html", "light"), ("mkdocs", "site/explore.html", "dark"))
PALETTE = "label[for^=__palette]:visible"


def main() -> None:
    """Take the pages of the demos as they are built: at first, with another schedule, with more microbatches."""
    sys.path.insert(0, str(shots.REPOSITORY / "docs" / "demos"))
    demos = import_module("build")
    for host, page, theme in PAGES:
        with shots.browser() as running:
            tab = running.new_page(color_scheme=theme, viewport=SIZE)
            tab.goto((demos.OUT / host / page).as_uri())
            if theme == "dark":
                shots.to_dark(tab, PALETTE)
            tab.mouse.move(0, 0)
            tab.wait_for_timeout(500)
            frames = [tab.screenshot()]
            figure = tab.locator("figure.figmill").first
            for change in (
                lambda: figure.get_by_role("radio", name="zb-h1").check(),  # noqa: B023 - called at once
                lambda: figure.get_by_role("slider").press("End"),  # noqa: B023
            ):
                change()
                tab.locator("figure[data-figmill-shown]").wait_for()
                tab.wait_for_timeout(500)
                frames.append(tab.screenshot())
            shots.keep(frames[-1], f"explore-{host}")
            shots.keep(shots.strip(frames), f"film-explore-{host}")
