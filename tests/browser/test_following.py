"""Facts in the words of a page follow the controls of their figure, in real hosts, in Chromium and from files."""

from __future__ import annotations

import http.server
import shutil
import threading
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers.book import Space, believed
from helpers.hosts import FILES, mkdocs, pandoc, sphinx, zensical
from playwright.sync_api import Page

CHAIN = """\
from figmill import Drawing


def draw(n=2):
    edges = "".join(f"n{i} -> n{i + 1} " for i in range(n))
    facts = {"edge_count": n, "share": n / 3, "wait_us": 10.0 ** n, "same": 7, "way": "x" * 12 * n}
    return Drawing(f"digraph {{ {edges} }}", facts={**facts, **({"odd": n} if n % 2 else {})})
"""
QUESTION = """\
id: chain
track: deep
title: A chain
visual:
  kind: dot
  source: chain.py
  params: {n: 3}
  explore: {n: [1, 2, 3, 4]}
  alt: "A chain's {edge_count} edges."
  caption: "It's {edge_count} edges."
"""
BOOK = {"visuals/deep/chain.py": CHAIN, "questions/chain.yaml": QUESTION}
TEXT = """\
# Chains of [](figmill:chain#edge_count)

Above: [](figmill:chain#edge_count) edges.

![](figmill:chain)

Below: [](figmill:chain#share:.1%) of them, ([](figmill:chain#wait_us:si)), as declared
[](figmill:chain#share:.1%:declared), the same [](figmill:chain#same), odd [](figmill:chain#odd), way
[](figmill:chain#way), and so on.

![The page's own words: [](figmill:chain#edge_count)](figmill:chain)

Last: [](figmill:chain#edge_count).
"""
HOSTS = ("sphinx furo", "mkdocs material", "mkdocs mkdocs", "zensical", "pandoc")
MATERIAL = (
    "theme: {name: material, font: false, features: [navigation.instant]}\nsite_url: http://127.0.0.1:PORT/\n"
)


def build(name: str, space: Space) -> Path:
    host, _, theme = name.partition(" ")
    if host == "sphinx":
        ran, page = sphinx(space, TEXT, strict=True, conf=f'html_theme = "{theme}"\n'), "out/html/index.html"
    elif host == "mkdocs":
        ran, page = mkdocs(space, TEXT, strict=True, more=f"theme: {{name: {theme}}}\n"), "site/index.html"
    elif host == "zensical":
        ran, page = zensical(space, TEXT, strict=True), "site/index.html"
    else:
        for file in ("css/figmill.css", "js/figmill-explore.js"):
            space.write({file.rpartition("/")[2]: (FILES / file).read_bytes()})
        more = ("-s", "--toc", "--css", "figmill.css", "-V", "document-css=1", "--metadata", "title=A")
        ran, page = pandoc(space, TEXT, True, "page.html", *more), "page.html"
    assert ran.code == 0, ran.said
    return space.root / page


@pytest.fixture
def drawn(book: Path, space: Space) -> Space:
    shutil.copytree(book, space.root, symlinks=True, dirs_exist_ok=True)
    believed(space.root)
    return space


@pytest.fixture(scope="module")
def sites(book: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The address of the page in a host, which is built once."""

    @cache
    def site(name: str) -> str:
        space = Space(shutil.copytree(book, tmp_path_factory.mktemp("books") / "book", symlinks=True))
        believed(space.root)
        return build(name, space).as_uri()

    return site


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[[str], Page]]:
    pages: list[Page] = []

    def opened(address: str) -> Page:
        page: Page = browser.new_page(viewport={"width": 1300, "height": 900})
        pages.append(page)
        page.goto(address)
        page.wait_for_timeout(300)
        return page

    yield opened
    for page in pages:
        page.close()


def explore(page: Page, figure: int, number: int) -> None:
    """Set the control of a figure to this value, and wait until it is shown."""
    control = page.locator("figure.figmill").nth(figure).get_by_role("slider")
    control.evaluate(f"e => {{ e.value = {number}; e.dispatchEvent(new Event('input')); }}")
    selector = f'figure.figmill >> nth={figure} >> css=:scope[data-figmill-shown="{number}"]'
    page.wait_for_selector(selector, state="attached", timeout=5000)


def told(page: Page) -> dict[str, str]:
    """The paragraphs of the page by their first words, as they can be read."""
    script = (
        """() => [...document.querySelectorAll("p, h1, figcaption")].map((one) => one.innerText.trim())"""
    )
    lines = [" ".join(line.split()) for line in page.evaluate(script)]
    return {line.partition(":")[0]: line.partition(": ")[2] or line for line in lines if line}


def boxes(page: Page) -> list[list[float]]:
    """Where every paragraph and every fact stands, up to the first figure and between the figures' pictures."""
    script = """() => [...document.querySelectorAll(".figmill-fact:not(.figmill-phrase)")].flatMap((fact) => {
        const own = fact.closest("p, figcaption").getBoundingClientRect();
        const after = document.createRange();
        if (fact.nextSibling) after.selectNode(fact.nextSibling);
        return [fact, ...(fact.nextSibling ? [after] : [])].map((one) => one.getBoundingClientRect())
            .map((box) => [box.x - own.x, box.y - own.y]);
    })"""
    return [[round(value, 2) for value in box] for box in page.evaluate(script)]


DECLARED = {
    "Above": "3 edges.",
    "Below": "100.0% of them, (1 ms), as declared 100.0%, the same 7, odd 3, way {}, and so on.",
    "Last": "3.",
}
CHANGED = {
    "Above": "2 edges.",
    "Below": "66.7% of them, (100 µs), as declared 100.0%, the same 7, odd \u2013, way {}, and so on.",
    "Last": "3.",
}


def of(texts: dict[str, str], page: Page) -> dict[str, str]:
    return {name: text for name, text in told(page).items() if name in texts}


def filled(texts: dict[str, str], n: int) -> dict[str, str]:
    return {name: text.format("x" * 12 * n) for name, text in texts.items()}


@pytest.mark.parametrize("name", HOSTS)
def test_facts_follow_the_controls_of_their_figure(
    sites: Callable[[str], str], open_page: Callable[[str], Page], name: str
) -> None:
    page = open_page(sites(name))
    assert of(DECLARED, page) == filled(DECLARED, 3)
    heading = page.locator("h1").first.inner_text()
    before = boxes(page)
    explore(page, 0, 1)
    assert of(CHANGED, page) == filled(CHANGED, 2)
    assert boxes(page) == before, "nothing on a line has moved"
    assert "own words: 3" in page.locator("figcaption").nth(1).inner_text()
    assert page.locator("h1").first.inner_text() == heading, "a heading keeps the declared value"
    explore(page, 1, 3)
    assert of(CHANGED, page) == {**filled(CHANGED, 2), "Last": "4."}
    assert "own words: 4" in page.locator("figcaption").nth(1).inner_text()
    page.emulate_media(media="print")
    page.wait_for_function("() => /Last: 3/.test(document.body.innerText)", timeout=5000)
    assert of(DECLARED, page) == filled(DECLARED, 3), "paper has what the author declared"
    page.emulate_media(media="screen")
    page.wait_for_function("() => /Last: 4/.test(document.body.innerText)", timeout=5000)
    page.locator("figure.figmill").first.get_by_role("button", name="Reset").click()
    page.wait_for_function("() => /100.0% of them/.test(document.body.innerText)", timeout=5000)


@pytest.mark.parametrize("name", ["mkdocs mkdocs"])
def test_a_screen_reader_hears_each_once(
    sites: Callable[[str], str], open_page: Callable[[str], Page], name: str
) -> None:
    page = open_page(sites(name))
    explore(page, 0, 0)
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    speech = " ".join(
        str(node["name"]["value"]) for node in nodes if node.get("role", {}).get("value") == "StaticText"
    )
    assert "33.3%" in speech and speech.count("33.3%") == 1
    assert "66.7%" not in speech and "133.3%" not in speech, "the texts that keep the room are not read"
    live = page.locator("[aria-live], [role=status], [role=alert], output")
    assert all(
        "figmill-fact" not in html for html in live.evaluate_all("all => all.map((one) => one.innerHTML)")
    )
    assert page.locator("[aria-live] .figmill-fact, .figmill-fact[aria-live]").count() == 0
    assert Axe().run(page, context="figure.figmill, .figmill-fact").response["violations"] == []


def test_they_follow_after_instant_navigation(drawn: Space, open_page: Callable[[str], Page]) -> None:
    """A page that comes without a reload, of figures of the same name as on the page before."""
    drawn.write({"docs/two.md": TEXT.replace("# Chains", "# Two chains")})
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(drawn.root / "site"))
    handler.log_message = lambda *_: None  # type: ignore[attr-defined]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        more = MATERIAL.replace("PORT", str(server.server_port))
        ran = mkdocs(drawn, TEXT, strict=True, more=more)
        assert ran.code == 0, ran.said
        page = open_page(f"http://127.0.0.1:{server.server_port}/")
        page.evaluate("window.isTheSame = true")
        explore(page, 0, 1)
        page.locator("nav a[href*='two']").first.click()
        page.wait_for_function(
            "() => /Two chains/.test(document.querySelector('h1').innerText)", timeout=5000
        )
        assert page.evaluate("window.isTheSame"), "the page was loaded anew"
        page.wait_for_timeout(400)  # twice as long as the address of the first page would have rested
        assert "?" not in page.url, "the choice on one page stands in the address of another"
        page.wait_for_selector("figure.figmill .figmill-controls")
        assert of(DECLARED, page) == filled(DECLARED, 3)
        explore(page, 0, 1)
        assert of(CHANGED, page) == filled(CHANGED, 2)
        server.shutdown()


def test_a_fact_without_its_figure_is_plain_text(drawn: Space) -> None:
    text = "# One\n\n[](figmill:chain#edge_count) edges, ![](figmill:chain) in a line.\n"
    for ran in (
        sphinx(drawn, text, strict=True),
        mkdocs(drawn, text, strict=True),
        pandoc(drawn, text, True),
    ):
        assert ran.code == 0, ran.said
        assert "<p>3 edges, " in ran.page and "figmill-fact" not in ran.page


def test_a_format_that_one_picture_cannot_have_is_told(drawn: Space) -> None:
    text = "# One\n\n![](figmill:chain)\n\n[](figmill:chain#share:d) of it.\n"
    for ran in (sphinx(drawn, text), mkdocs(drawn, text), pandoc(drawn, text)):
        message = (
            "fact 'share' of figure 'chain', in one of its pictures: "
            "'d' is for whole numbers, and this is 0.333333"
        )
        assert message in ran.said, ran.said
        assert "<p>1 of it." in ran.page
    ran = mkdocs(drawn, text.replace(":d)", ":d:declared)"), strict=True)
    assert ran.code == 0, ran.said
