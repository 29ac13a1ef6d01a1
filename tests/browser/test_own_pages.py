"""figmill's own pages, narrow and wide, light and dark: nothing moves while they load, none scrolls sideways, and axe
finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers.book import DOT, Space
from helpers.served import Served, serving
from helpers.shifts import moved, opened_late
from playwright.sync_api import Page

SCRIPT = """\
from figmill import Drawing


def draw(n: int = 2, way: str = "down", turns: int = 1, wait_ms: float = 20, lanes: int = 1, of: str = "") -> Drawing:
    edges = " ".join(f'n{i} -> n{i + 1} [label="{way}"]' for i in range(n))
    facts = {"gap_ms": 600 * n, "gap_ms_twice": 1.2 * n, "idle_fraction": 1 / n}
    facts["throughput_in_batches_per_second_at_saturation"] = n
    return Drawing(f"digraph {{ rankdir=LR {edges} }}", facts=facts)
"""
QUESTION = """\
id: chain
track: deep
title: A chain
visual:
  kind: dot
  source: chain.py
  params: {n: 3, way: down, wait_ms: 20}
  explore:
    way: [down, a way whose name is much wider than the screen of a phone is]
    n: [3, 4, 8]
    wait_ms: [10, 20, 40]
  alt: "A chain of {edges} edges"
  caption: A chain
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, dict[str, str]]]:
    """A server of a book, and the address of each page: of its figures, of changes in it, and live."""
    space = Space(tmp_path_factory.mktemp("own"))
    files = {"visuals/a.dot": DOT, "visuals/chain.py": SCRIPT, "questions/chain.yaml": QUESTION}
    space.write(files)
    for number in range(12):
        space.question(f"graph-{number}", "source: a.dot, alt: a sends to b, caption: Who sends")
    assert space.run("--quiet").code == 0
    report = space.root.parent / f"{space.root.name}.html"
    space.write(
        {
            "questions/chain.yaml": QUESTION.replace("n: 3,", "n: 4,"),
            "visuals/a.dot": DOT.replace("a ->", "d ->"),
        }
    )
    assert space.run("--check", "--report", str(report)).code == 3
    space.write(files)
    gallery = (space.root / "build/index.html").as_uri()
    with serving(space) as server:
        yield (
            server,
            {
                "gallery": gallery,
                "gallery, one figure": f"{gallery}#chain",
                "changes": report.as_uri(),
                "changes, one figure": f"{report.as_uri()}#figure=graph-9&mode=sides&theme=dark",
                "live figures": f"{server.origin}/",
                "live figure": f"{server.origin}/figure/chain",
            },
        )


PAGES = ("gallery", "gallery, one figure", "changes", "changes, one figure", "live figures", "live figure")


@pytest.fixture
def page(
    browser: Any, served: tuple[Served, dict[str, str]], request: pytest.FixtureRequest
) -> Iterator[Page]:
    """A page of figmill as it has been loaded: its name, width and theme are the test's parameters."""
    name, width, theme = (request.node.callspec.params[key] for key in ("name", "width", "theme"))
    size = {"width": width, "height": 720}
    context = browser.new_context(viewport=size, color_scheme=theme, bypass_csp=True)
    context.add_cookies([served[0].cookie()])
    opened: Page = context.new_page()
    # pictures, and a script that is not needed to paint
    opened_late(opened, served[1][name], re.compile(r"\.svg$|/figure\.js$"))
    yield opened
    context.close()


# A page and another state of it, or the page beside it, take turns; `make soak` has every pair.
@pytest.mark.parametrize(
    ("name", "width", "theme"),
    [
        pytest.param(name, width, theme, marks=() if (width, theme) == own else pytest.mark.soak)
        for name, own in zip(PAGES, 3 * ((375, "light"), (1280, "dark")), strict=True)
        for width in (375, 1280)
        for theme in ("light", "dark")
    ],
)
def test_a_page_holds_still_fits_its_screen_and_axe_finds_nothing(
    page: Page, name: str, width: int, theme: str
) -> None:
    assert moved(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    results = Axe().run(page).response
    assert results["passes"], "axe looked at nothing"
    assert [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in results["violations"]
        for node in violation["nodes"]
    ] == []


LOOK = """() => {
    const bar = document.querySelector("header.bar"), style = getComputedStyle(bar);
    const probe = document.createElement("input");
    document.body.append(probe);
    const accent = getComputedStyle(probe).accentColor;
    probe.remove();
    const { fontFamily, backgroundColor } = getComputedStyle(document.body);
    const { borderRadius } = getComputedStyle(document.querySelector("select, button"));
    return [style.backgroundColor, style.borderBottom, fontFamily, backgroundColor, accent, borderRadius];
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_pages_have_one_look(browser: Any, served: tuple[Served, dict[str, str]], theme: str) -> None:
    """One bar on top, one set of fonts, one accent."""
    context = browser.new_context(color_scheme=theme)
    context.add_cookies([served[0].cookie()])
    page = context.new_page()
    looks = set()
    for name in PAGES:
        page.goto("about:blank")
        page.goto(served[1][name])
        looks.add(tuple(page.evaluate(LOOK)))
    context.close()
    assert len(looks) == 1, looks


def test_facts_and_parameters_are_words_with_units(
    browser: Any, served: tuple[Served, dict[str, str]]
) -> None:
    page = browser.new_page()
    page.goto(served[1]["gallery, one figure"])
    dialog = page.get_by_role("dialog")
    facts = dialog.locator(".figmill-facts")
    assert facts.inner_text() == "edges 3 · gap 1.8\u00a0s · gap twice 3.6\u00a0ms · idle fraction 33.3%"
    names = dialog.locator(".figmill-control > :is(legend, label:not(:has(input)))")
    assert names.all_inner_texts() == ["Way", "n", "Wait"]
    wait = dialog.get_by_role("slider", name="Wait")
    assert wait.get_attribute("aria-valuetext") == "20\u00a0ms"
    assert dialog.locator(".figmill-value").last.inner_text() == "20\u00a0ms"
    page.close()
