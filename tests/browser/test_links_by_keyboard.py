"""Links in drawings in Chromium: a keyboard reaches each of them once and sees where it is, in both themes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.book import Space
from helpers.hosts import mkdocs, sphinx

BOOK = {
    "visuals/a.dot": 'digraph { a [URL="other.md#two"] b [URL="#part"] a -> b [URL="other.md", label=next] }',
    "questions/linked.yaml": "id: linked\nvisual: {source: a.dot, alt: two linked boxes, caption: Boxes.}\n",
    "docs/other.md": "# Other\n\n## Two\n\nWords.\n",
}
TEXT = "# A page\n\n![](figmill:linked)\n\n## Part\n\nWords.\n"
STOPS = """() => {
    const at = document.activeElement, style = getComputedStyle(at)
    return at.closest("div.figmill-picture") && at.localName === "a"
        ? [at.getAttribute("href"), at.textContent.trim(), style.outlineStyle, parseFloat(style.outlineWidth)] : null
}"""
LINKS = [("other.html#two", "a"), ("#part", "b"), ("other.html", "next")]


def of_sphinx(space: Space) -> Path:
    page = f"{TEXT}\n```{{toctree}}\nother\n```\n"
    ran = sphinx(space, page, strict=True, conf='html_theme = "furo"\n')
    assert ran.code == 0, ran.said
    return space.root / "out/html/index.html"


def of_mkdocs(space: Space) -> Path:
    more = "theme: {name: material}\nuse_directory_urls: false\n"
    ran = mkdocs(space, TEXT, strict=True, more=more)
    assert ran.code == 0, ran.said
    return space.root / "site/index.html"


@pytest.mark.parametrize("build", [of_sphinx, of_mkdocs])
def test_a_keyboard_reaches_each_link_and_shows_where_it_is(
    build: Callable[[Space], Path], space: Space, browser: Any
) -> None:
    path = build(space.write(BOOK))
    for system in ("light", "dark"):
        page = browser.new_page(color_scheme=system, viewport={"width": 1300, "height": 900})
        page.goto(path.as_uri())
        stops = []
        for _ in range(60):
            page.keyboard.press("Tab")
            if (stop := page.evaluate(STOPS)) is not None:
                stops.append(tuple(stop))
            if len(stops) == len(LINKS):
                break
        assert sorted(stop[:2] for stop in stops) == sorted(LINKS)
        assert all(stop[2:] == ("solid", 2) for stop in stops)
        tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
        named = {
            node["name"]["value"]
            for node in tree
            if node.get("role", {}).get("value") == "link" and "name" in node
        }
        assert {"a", "b", "next"} <= named
        assert page.locator(".figmill-enlarge.figmill-quiet").count() == 1  # it has its full size
        with page.expect_navigation():
            page.locator("div.figmill-picture a:visible", has_text="a").first.click()
        assert page.url.endswith("other.html#two") and page.locator("dialog").count() == 0
        page.close()
