"""An interactive figure in the pages of real hosts, in Chromium, from files and without a server."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers.book import Space, believed
from helpers.hosts import FILES, mkdocs, pandoc, sphinx, zensical
from helpers.shifts import moved, opened_late
from playwright.sync_api import Page

CHAIN = """\
from figmill import Drawing


def draw(n=2, way="down"):
    edges = "".join(f'n{i} -> n{i + 1} [label="{way}"]' for i in range(n))
    return Drawing(f"digraph {{ {edges} }}", facts={"edge_count": n, "share": n / 3, "constant": 7})
"""
QUESTION = """\
id: chain
track: deep
title: A chain
visual:
  kind: dot
  source: chain.py
  params: {n: 3, way: down}
  explore:
    way: [down, 'up & <away>']
    n: [1, 2, 3, 4]
  alt: "A chain's {edge_count} edges."
  caption: "It's {edge_count} edges."
"""
BOOK = {"visuals/deep/chain.py": CHAIN, "questions/chain.yaml": QUESTION}
TEXT = "# A page\n\n![](figmill:chain)\n\nWords.\n\n![](figmill:chain)\n"
HOSTS = (
    "sphinx furo",
    "sphinx pydata_sphinx_theme",
    "mkdocs material",
    "mkdocs mkdocs",
    "zensical",
    "pandoc",
    "plain",
)


def build(name: str, space: Space) -> Path:
    """The page of a host; in a folder of its own, where the host allows it."""
    host, _, theme = name.partition(" ")
    if host == "sphinx":
        ran = sphinx(space, TEXT, strict=True, conf=f'html_theme = "{theme}"\n')
        page = "out/html/index.html"
    elif host == "mkdocs":
        space.write({"docs/below/page.md": TEXT})
        ran, page = (
            mkdocs(space, TEXT, strict=True, more=f"theme: {{name: {theme}}}\n"),
            "site/below/page/index.html",
        )
    elif host == "zensical":
        space.write(
            {
                "docs/below/page.md": TEXT,
            }
        )
        ran, page = zensical(space, TEXT, strict=True), "site/below/page/index.html"
    elif host == "pandoc":
        for file in ("css/figmill.css", "js/figmill-explore.js"):
            space.write({file.rpartition("/")[2]: (FILES / file).read_bytes()})
        ran = pandoc(space, TEXT, True, "page.html", "-s", "--css", "figmill.css", "--metadata", "title=A")
        page = "page.html"
    else:
        ran = space.run("embed", "chain", "--base", "../build")  # type: ignore[assignment]
        assert space.run("setup", "html", "--into", "pages").code == 0
        head = '<link rel="stylesheet" href="figmill.css"><script src="figmill-explore.js" defer></script>'
        figure = ran.out  # type: ignore[attr-defined]
        space.write(
            {"pages/page.html": f"<!doctype html><html lang=en><title>A</title>{head}{figure}{figure}"}
        )
        return space.root / "pages/page.html"
    assert ran.code == 0, ran.said
    return space.root / page


@pytest.fixture(scope="module")
def sites(book: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folders: dict[str, Path] = {}

    def site(name: str) -> Path:
        if name not in folders:
            root = tmp_path_factory.mktemp("books") / "book"
            shutil.copytree(book, root, symlinks=True)
            believed(root)
            folders[name] = build(name, Space(root))
        return folders[name]

    return site


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Page]]:
    """Opens a page, and fails where our script does."""
    pages: list[Page] = []
    errors: list[str] = []

    def opened(path: Path, **settings: Any) -> Page:
        page: Page = browser.new_page(viewport={"width": 1300, "height": 900}, **settings)
        pages.append(page)
        page.on("pageerror", lambda error: errors.append(error.stack or ""))
        page.goto(path.as_uri())
        page.wait_for_timeout(200)
        return page

    yield opened
    for page in pages:
        page.close()
    assert [
        error for error in errors if "figmill" in error
    ] == []  # some themes miss what a network would bring


def shown(page: Page, figure: int = 0) -> dict[str, Any]:
    """What a reader sees and hears of a figure: the file, its words, what was drawn."""
    script = """(number) => {
        const figure = document.querySelectorAll("figure.figmill")[number];
        const image = [...figure.querySelectorAll(".figmill-picture img")].find((one) => one.checkVisibility());
        return {file: decodeURIComponent(image.src).split("/").slice(-2).join("/"), alt: image.alt,
                ready: image.complete,
                size: [image.naturalWidth, image.naturalHeight].map(Math.round),
                box: [Number(image.getAttribute("width")), Number(image.getAttribute("height"))],
                caption: figure.querySelector("figcaption").textContent.trim(),
                facts: figure.querySelector(".figmill-facts")?.textContent};
    }"""
    state: dict[str, Any] = page.evaluate(script, figure)
    return state


def wait_for(page: Page, number: int, figure: int = 0) -> None:
    selector = f'figure.figmill[data-figmill-shown="{number}"]'
    page.wait_for_function("s => document.querySelector(s)", arg=selector, timeout=30_000)


def wait_for_file(page: Page, name: str) -> None:
    """Until the first figure shows this file."""
    script = """(name) => [...document.querySelector("figure.figmill").querySelectorAll(".figmill-picture img")]
        .some((one) => one.checkVisibility() && decodeURIComponent(one.src).endsWith(name))"""
    page.wait_for_function(script, arg=name, timeout=30_000)


@pytest.mark.parametrize("name", HOSTS)
def test_a_reader_turns_it(sites: Callable[[str], Path], open_page: Callable[..., Page], name: str) -> None:
    page = open_page(sites(name))
    first = shown(page)
    assert first["file"].endswith("chain.svg")
    assert first["facts"] == "edge count 3 · edges 3 · nodes 4 · share 1"
    figure = page.locator("figure.figmill").first
    control = figure.get_by_role("slider", name="n")
    assert control.get_attribute("aria-valuetext") == "3"
    control.focus()
    page.keyboard.press("ArrowRight")
    wait_for(page, 3)
    now = shown(page)
    assert now["file"] == "chain/down-4.svg"
    assert (now["alt"], now["facts"]) == (
        "A chain's 4 edges.",
        "edge count 4 · edges 4 · nodes 5 · share 1.333",
    )
    assert "4 edges." in now["caption"] and "3 edges" not in now["caption"]
    assert now["ready"] and now["size"] == now["box"] and now["size"][1] > first["size"][1]
    figure.get_by_role("radio", name="up & <away>").check()
    wait_for(page, 7)
    assert shown(page)["file"].startswith("chain/up_away_4-")
    assert shown(page, 1)["file"].endswith("chain.svg"), "the other figure of the page stands still"
    figure.get_by_role("button", name="Reset").click()
    wait_for(page, 2)
    assert shown(page) == first
    assert Axe().run(page, context="figure.figmill").response["violations"] == []


@pytest.mark.parametrize("name", HOSTS)
def test_without_a_script_and_on_paper_it_is_the_plain_figure(
    sites: Callable[[str], Path], open_page: Callable[..., Page], browser: Any, name: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    bare = context.new_page()
    bare.goto(sites(name).as_uri())
    figure = bare.locator("figure.figmill").first
    assert figure.locator(":is(input, button, fieldset):visible").count() == 0
    assert figure.locator(".figmill-explore").bounding_box() is None
    kept = figure.locator(".figmill-room, .figmill-tools").all()
    assert [box for part in kept if (box := part.bounding_box()) and box["height"]] == []
    context.close()
    page = open_page(sites(name))
    first = shown(page)
    page.locator("figure.figmill").first.get_by_role("slider").press("Home")
    wait_for(page, 0)
    page.emulate_media(media="print")
    wait_for_file(page, first["file"])
    assert {**shown(page), "facts": ""} == {**first, "facts": ""}
    assert not page.locator(".figmill-explore").first.is_visible()
    page.emulate_media(media="screen")
    wait_for_file(page, "chain/down-1.svg")


@pytest.mark.parametrize(
    ("name", "width"),
    [
        pytest.param(host, width, marks=[pytest.mark.soak] if (number + (width == 375)) % 2 else [])
        for number, host in enumerate(HOSTS)
        for width in (375, 1280)
    ],
)
def test_nothing_moves_when_the_scripts_have_come(
    sites: Callable[[str], Path], browser: Any, name: str, width: int
) -> None:
    """Two figures, whose pictures have four heights, and the places of their controls and buttons."""
    page = browser.new_page(viewport={"width": width, "height": 720})
    opened_late(page, sites(name).as_uri(), re.compile(r"figmill-\w+\.js|\.svg$"))
    assert page.locator("figure.figmill").last.get_by_role("slider").count() == 1
    assert moved(page) == []
    page.close()


TOGGLES = {"sphinx furo": ".theme-toggle:visible", "plain": ""}


@pytest.mark.parametrize("name", TOGGLES)
def test_the_theme_s_switch_works_on_what_is_shown(
    sites: Callable[[str], Path], open_page: Callable[..., Page], name: str
) -> None:
    page = open_page(sites(name), color_scheme="light")
    page.locator("figure.figmill").first.get_by_role("slider").press("End")
    wait_for(page, 3)
    if TOGGLES[name]:
        page.locator(TOGGLES[name]).first.click()  # automatic, to dark
    else:
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
    wait_for_file(page, "chain/down-4.dark.svg")
    page.locator("figure.figmill").first.get_by_role("slider").press("Home")
    wait_for(page, 0)
    wait_for_file(page, "chain/down-1.dark.svg")
    assert Axe().run(page, context="figure.figmill").response["violations"] == []


WATCH = """() => { window.shifts = [];
    new PerformanceObserver((list) => { for (const one of list.getEntries())
      window.shifts.push([one.value, ...one.sources.map(({ node }) => node?.outerHTML ?? node?.data)]); })
    .observe({ type: "layout-shift" }) }"""


@pytest.mark.parametrize("name", ["plain", "sphinx furo", "mkdocs material"])
def test_nothing_moves_while_a_control_does_and_it_is_said_once(
    sites: Callable[[str], Path], open_page: Callable[..., Page], name: str
) -> None:
    """The pictures are of four heights; each takes the place of the highest."""
    page = open_page(sites(name))
    control = page.locator("figure.figmill").first.get_by_role("slider")
    control.scroll_into_view_if_needed()
    control.focus()
    page.wait_for_timeout(300)
    page.evaluate(WATCH)
    for key, number in (("End", 3), ("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2)):
        control.press(key)
        wait_for(page, number)
    page.wait_for_timeout(200)
    assert page.evaluate("window.shifts") == []
    figure = page.locator("figure.figmill").first
    # The value is the range's own; what is said aloud beside it is the facts.
    assert figure.locator("output, [role=status], [aria-live]").count() == 1
    assert figure.locator(".figmill-value").get_attribute("aria-hidden") == "true"
    small = figure.evaluate(
        """(figure) => [...figure.querySelectorAll("input, button:not(.figmill-quiet)")]
        .filter((one) => one.checkVisibility())
        .map((one) => one.type === "radio" ? one.closest("label") : one).map((one) => one.getBoundingClientRect())
        .filter(({ width, height }) => Math.min(width, height) < 23.9).map(({ width, height }) => [width, height])"""
    )
    assert small == []


def test_material_s_instant_pages_have_controls_from_a_disk(
    book: Path, tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    shutil.copytree(book, tmp_path / "book", symlinks=True)
    believed(tmp_path / "book")
    space = Space(tmp_path / "book")
    theme = "theme: {name: material, features: [navigation.instant]}\nsite_url: https://example.org/\n"
    ran = mkdocs(space, TEXT, strict=True, more=theme)
    assert ran.code == 0, ran.said
    page = open_page(space.root / "site/index.html")
    page.locator("figure.figmill").first.get_by_role("slider").press("End")
    wait_for(page, 3)


def test_no_frame_is_empty_and_the_newest_wish_wins(
    sites: Callable[[str], Path], open_page: Callable[..., Page]
) -> None:
    """Twenty moves in a row: the picture in the page is always one that is ready, and the last one stays."""
    page = open_page(sites("plain"))
    page.evaluate("""() => {
        const figure = document.querySelector("figure.figmill");
        window.blank = 0; window.frames_ = 0;
        const look = () => {
            const image = [...figure.querySelectorAll("img")].filter((one) => one.checkVisibility());
            window.frames_ += 1;
            if (image.length !== 1 || !image[0].complete || !image[0].naturalWidth) window.blank += 1;
            requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
    }""")
    control = page.locator("figure.figmill").first.get_by_role("slider")
    for number in range(20):
        control.evaluate(f"e => {{ e.value = {number % 4}; e.dispatchEvent(new Event('input')); }}")
    wait_for(page, 3)
    assert page.evaluate("window.frames_") > 1
    assert page.evaluate("window.blank") == 0
    assert shown(page)["file"] == "chain/down-4.svg"


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """A folder on a server of this machine: its address, and the pictures that were asked for."""
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            name = unquote(self.path).rpartition("/")[2]
            if name.endswith(".svg"):
                asked.append(name)

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def until(page: Page, holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds() and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert holds(), page.evaluate(
        '[document.querySelector("figure").dataset.figmillShown, document.visibilityState]'
    )


def test_after_a_rest_a_control_needs_no_network(sites: Callable[[str], Path], browser: Any) -> None:
    """All pictures that one control leads to have been loaded, of the theme that is seen, and no others."""
    root = sites("plain").parent.parent
    with served(root) as (address, asked):
        page = browser.new_page()
        page.goto(f"{address}/pages/page.html")
        first = {"chain.svg", "down-1.svg", "down-2.svg", "down-4.svg"}

        def near(n: int) -> bool:
            return any(name.startswith(f"up_away_{n}-") for name in asked)

        until(page, lambda: first <= {*asked} and near(3))
        page.wait_for_timeout(300)
        assert len(asked) == len(set(asked)) == 5
        control = page.locator("figure.figmill").first.get_by_role("slider")
        control.press("Home")
        wait_for(page, 0)
        until(page, lambda: near(1))
        control.press("End")
        wait_for(page, 3)
        until(page, lambda: near(4))
        before = list(asked)
        page.locator("figure.figmill").first.get_by_role("radio", name="up & <away>").check()
        wait_for(page, 7)
        assert shown(page)["ready"]
        new = [name for name in asked if name not in before]
        assert all(name.startswith("up_away_2-") for name in new)  # what is next from here
        page.close()


def test_a_reader_who_saves_data_loads_what_is_asked_for_alone(
    sites: Callable[[str], Path], browser: Any
) -> None:
    with served(sites("plain").parent.parent) as (address, asked):
        page = browser.new_page()
        page.add_init_script("Object.defineProperty(navigator, 'connection', {value: {saveData: true}})")
        page.goto(f"{address}/pages/page.html")
        page.locator("figure.figmill").first.get_by_role("slider").press("End")
        wait_for(page, 3)
        page.wait_for_timeout(500)
        assert [name for name in asked if not name.startswith("chain.")] == ["down-4.svg"]
        page.close()


# ---- the address and the data -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOSTS)
def test_the_address_holds_what_a_reader_has_chosen(
    sites: Callable[[str], Path], open_page: Callable[..., Page], name: str
) -> None:
    """Of two copies in a page, each has its own; the link leads to the figure, and to the same pictures."""
    page = open_page(sites(name))
    plain = page.url.partition("#")[0]
    first, second = page.locator("figure.figmill").all()
    first.get_by_role("slider").press("ArrowRight")
    first.get_by_role("radio", name="up & <away>").check()
    second.get_by_role("slider").press("Home")
    page.wait_for_function("() => location.search.split('&').length === 3")
    query = parse_qs(urlsplit(page.url).query)
    assert query == {"chain.n": ["4"], "chain.way": ["up & <away>"], "chain~2.n": ["1"]}
    fragment = urlsplit(page.url).fragment  # of the last one that has been turned, if it has an id
    assert fragment == (second.get_attribute("id") or first.get_attribute("id") or "")
    page.goto(f"{plain}?other=1&{urlsplit(page.url).query}#fig-chain")
    wait_for(page, 7)
    assert shown(page)["file"].startswith("chain/up_away_4-") and shown(page, 1)["file"] == "chain/down-1.svg"
    assert first.get_by_role("slider").get_attribute("aria-valuetext") == "4"
    assert first.get_by_role("radio", name="up & <away>").is_checked()
    first.get_by_role("button", name="Reset").click()
    page.wait_for_function("() => !location.search.includes('chain.')")
    assert parse_qs(urlsplit(page.url).query) == {"other": ["1"], "chain~2.n": ["1"]}


def test_an_address_of_which_some_is_not_offered(
    sites: Callable[[str], Path], open_page: Callable[..., Page]
) -> None:
    page = open_page(sites("plain"))
    page.goto(f"{page.url}?chain.n=99&chain.way=down&other.n=1")
    figure = page.locator("figure.figmill").first
    figure.get_by_text("The address asks for n 99, which this figure does not have.").wait_for()
    assert shown(page)["file"].endswith("chain.svg")


def test_a_link_to_a_figure_scrolls_to_it(
    sites: Callable[[str], Path], open_page: Callable[..., Page]
) -> None:
    page = open_page(sites("pandoc"))
    page.set_viewport_size({"width": 800, "height": 200})
    page.goto(f"{page.url}?chain.n=4#fig-chain")
    wait_for(page, 3)
    assert page.evaluate("document.querySelector('#fig-chain').getBoundingClientRect().top") < 200
    assert page.evaluate("scrollY") > 0


def test_the_data_of_the_picture_that_is_shown(
    sites: Callable[[str], Path], open_page: Callable[..., Page]
) -> None:
    page = open_page(sites("plain"))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    figure = page.locator("figure.figmill").first
    opener = figure.get_by_role("button", name="Data")
    assert opener.get_attribute("aria-expanded") == "false" and figure.locator("table").count() == 1
    opener.click()
    rows = figure.locator(".figmill-data tr")
    assert rows.all_inner_texts() == [
        "way\tdown",
        "n\t3",
        "constant\t7",
        "edge count\t3",
        "edges\t3",
        "nodes\t4",
        "share\t1",
    ]
    figure.get_by_role("radio", name="up & <away>").check()
    figure.get_by_role("slider").press("Home")
    wait_for(page, 4)
    assert rows.all_inner_texts()[:2] == ["way\tup & <away>", "n\t1"]
    figure.get_by_role("button", name="Copy CSV").click()
    figure.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert list(csv.reader(io.StringIO(copied))) == [
        ["kind", "name", "value"],
        ["parameter", "way", "up & <away>"],
        ["parameter", "n", "1"],
        ["fact", "constant", "7"],
        ["fact", "edge_count", "1"],
        ["fact", "edges", "1"],
        ["fact", "nodes", "2"],
        ["fact", "share", "0.333333333333"],
    ]
    for button, suffix in (("Save CSV", ".csv"), ("Save JSON", ".json")):
        with page.expect_download() as saved:
            figure.get_by_role("button", name=button).click()
        assert saved.value.suggested_filename.startswith("chain-up_away_1-")
        assert saved.value.suggested_filename.endswith(suffix)
        text = saved.value.path().read_text(encoding="utf-8")
        if suffix == ".csv":
            assert text.splitlines() == copied.splitlines()
        else:
            whole = json.loads(text)
            assert whole["figure"] == "chain" and whole["parameters"] == {"way": "up & <away>", "n": 1}
            assert whole["facts"]["edge_count"] == 1
    assert Axe().run(page, context="figure.figmill").response["violations"] == []
    opener.click()
    assert not figure.locator(".figmill-data").is_visible()


def test_a_picture_that_is_gone_is_told_and_the_last_one_stays(
    book: Path, open_page: Callable[..., Page], space: Space
) -> None:
    shutil.copytree(book, space.root, symlinks=True, dirs_exist_ok=True)
    believed(space.root)
    path = build("plain", space)
    (space.root / "build/deep/chain/down-1.svg").unlink()
    page = open_page(path)
    page.locator("figure.figmill").first.get_by_role("slider").press("Home")
    page.get_by_text("This picture could not be loaded.").wait_for(timeout=30_000)
    assert shown(page)["file"].endswith("chain.svg")
