"""axe-core, in a real browser, on the gallery and on a page with every figure of the showcase inlined."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers.book import REPOSITORY
from playwright.sync_api import Page

FIGURES = len(list((REPOSITORY / "questions").rglob("*.yaml")))


@pytest.fixture(scope="module")
def built(showcase: Path) -> Path:
    return showcase / "build"


def violations(page: Page) -> list[str]:
    """What axe finds with all of its rules, best practices included."""
    results = Axe().run(page).response
    assert results["passes"], "axe looked at nothing"
    return [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in results["violations"]
        for node in violation["nodes"]
    ]


# Leaves the first card of each make: those that hold the same elements of the same classes are alike to axe.
OF_EACH_MAKE = """() => {
    const cards = [...document.querySelectorAll(".cards > figure")], seen = new Set();
    for (const card of cards) {
        const parts = [...card.querySelectorAll("*")].map((one) =>
            [one.tagName, one.className, one.type, ...one.getAttributeNames().sort()].join(" "));
        const make = [...new Set(parts)].sort().join("|");
        if (seen.has(make)) card.remove();
        seen.add(make);
    }
    return [cards.length, seen.size];
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_gallery_has_no_violation(built: Path, browser: Any, theme: str) -> None:
    page = browser.new_page(color_scheme=theme)
    page.goto((built / "index.html").as_uri())
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids)) > FIGURES
    cards, makes = page.evaluate(OF_EACH_MAKE)
    assert cards == FIGURES and makes > 5
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert violations(page) == []
    page.close()


@pytest.mark.parametrize(
    ("theme", "others"),
    [
        ("light", "odd"),
        ("dark", "even"),
        pytest.param("light", "even", marks=pytest.mark.soak),
        pytest.param("dark", "odd", marks=pytest.mark.soak),
    ],
)
def test_a_page_of_all_figures_inlined_has_no_violation(
    built: Path, browser: Any, theme: str, others: str
) -> None:
    """As a book's own page would have them: one document, so that ids and contrast of words are looked at too.

    The ids are those of all figures. others: the half of them that axe does not look at.
    """
    suffix, background = {"light": (".svg", "#ffffff"), "dark": (".dark.svg", "#121212")}[theme]
    figures = [
        path.read_text(encoding="utf-8").partition("?>")[2] or path.read_text(encoding="utf-8")
        for path in sorted(built.glob("*/*.svg"))
        if path.name.endswith(".dark.svg") == (theme == "dark") and ".narrow." not in path.name
    ]
    assert len(figures) == FIGURES, suffix
    body = "\n".join(
        f"<figure>{figure}<figcaption>Figure {n}</figcaption></figure>" for n, figure in enumerate(figures, 1)
    )
    page = browser.new_page(color_scheme=theme)
    page.set_content(
        f'<!doctype html><html lang="en"><head><title>All figures</title><style>:root {{color-scheme: {theme}}}'
        f"body {{background: {background}}}</style></head><body><main><h1>All figures</h1>{body}</main></body></html>"
    )
    assert page.locator("svg[role=img]").count() == FIGURES
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids)) > FIGURES
    page.evaluate(f"document.querySelectorAll('figure:nth-of-type({others})').forEach(one => one.remove())")
    assert page.locator("svg[role=img]").count() in (FIGURES // 2, FIGURES - FIGURES // 2)
    assert violations(page) == []
    page.close()
