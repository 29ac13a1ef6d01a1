"""How far the parts of a page move while it loads."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route

MOST = 0.02  # the sum of all shifts (Cumulative Layout Shift)
WATCH = """window.shift = 0; window.moved = [];
new PerformanceObserver((list) => { for (const one of list.getEntries()) {
    window.shift += one.value;
    window.moved.push(...one.sources.map(({ node }) => node?.outerHTML?.slice(0, 80)));
} }).observe({ type: "layout-shift", buffered: true });"""


def opened_late(page: Page, address: str, late: re.Pattern[str]) -> None:
    """Open a page whose files of these names come after it has been painted."""
    page.add_init_script(WATCH)
    held: list[Route] = []
    page.route(late, lambda route: held.append(route))
    page.goto(address, wait_until="commit")
    page.wait_for_timeout(400)
    for route in held:
        route.continue_()
    page.unroute_all()
    page.wait_for_timeout(800)


def moved(page: Page) -> list[str]:
    """What has moved on a page that has moved more than MOST."""
    shift, parts = page.evaluate("[window.shift, window.moved]")
    return [f"{shift:.3f}", *map(str, parts)] if shift > MOST else []
