"""Figures on narrow screens, in Chromium: words stay legible, a figure scrolls in its own box, and can be enlarged."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers.book import Space
from helpers.hosts import FILES
from playwright.sync_api import Page, expect

from figmill.publish.legible import FIRST, LAST, class_of

WIDTHS = (320, 375, 768, 1280)
# Wide and narrow charts, graphs, one interactive one, and the one with the smallest words.
SHOWN = (
    "cloud-2846",
    "cloud-2847",
    "cloud-2848",
    "cloud-2850",
    "cloud-2859",
    "cloud-2878",
    "cloud-2886",
    "figmill-way",
)
PAGE = """<!doctype html><html lang="en" class="figmill-auto"><head><meta charset="utf-8"><title>Figures</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>@media (prefers-color-scheme: dark) {
html { background: #121212; color: #eee } }</style><link rel="stylesheet" href="figmill.css">
<script src="figmill-explore.js" defer></script><script src="figmill-zoom.js" defer></script></head>
<body><main><h1>Figures</h1>FIGURES<p>In a line.</p></main></body></html>"""


@pytest.fixture(scope="module")
def plain_page(showcase: Path) -> Path:
    """A page without a program: what `embed` prints, with the style sheet and the scripts beside it."""
    folder = showcase / "build"
    for name in ("css/figmill.css", "js/figmill-explore.js", "js/figmill-zoom.js"):
        (folder / Path(name).name).write_bytes((FILES / name).read_bytes())
    (folder / "phones.html").write_text(PAGE.replace("FIGURES", figures(showcase)), encoding="utf-8")
    return folder / "phones.html"


def figures(book: Path, *options: str) -> str:
    """The HTML of the figures, to paste."""
    return "".join(Space(book).run("embed", name, "--base", ".", *options).out for name in SHOWN)


def smallest_words(page: Page, folder: Path, path: str) -> float:
    """The smallest words of a published SVG in px at its own size, as Chromium lays them out."""
    page.goto((folder / path).as_uri())
    script = """() => Math.min(...[...document.querySelectorAll("text, tspan")]
        .filter((one) => [...one.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
        .map((one) => {
            const m = one.getCTM(); return parseFloat(getComputedStyle(one).fontSize) * Math.hypot(m.a, m.b) }))"""
    return float(page.evaluate(script))


def shown(page: Page, place: str = "body") -> dict[str, float]:
    """The file of each picture that is seen in a figure in this place -> its width in px."""
    return dict(
        page.evaluate(
            """(place) => [...document.querySelectorAll(`${place} figure .figmill-picture img`)]
            .filter((image) => image.checkVisibility() && image.getBoundingClientRect().width)
            .map((image) => [image.src.split("/").slice(-2).join("/"), image.getBoundingClientRect().width])""",
            place,
        )
    )


def test_the_manifest_states_the_smallest_words(plain_page: Path, browser: Any) -> None:
    page = browser.new_page()
    for row in json.loads((plain_page.parent / "manifest.json").read_text("utf-8"))["figures"]:
        for file in row["files"]:
            if file["format"] == "svg" and row["id"] in SHOWN:
                assert file["smallest_text"] == pytest.approx(
                    smallest_words(page, plain_page.parent, file["path"]), abs=0.02
                )
    page.close()


@pytest.mark.parametrize(
    ("name", "has_scripts"), [("phones.html", True), ("phones.html", False), ("index.html", False)]
)
def test_no_words_are_below_nine_px(plain_page: Path, browser: Any, name: str, has_scripts: bool) -> None:
    manifest = json.loads((plain_page.parent / "manifest.json").read_text("utf-8"))
    files = {
        file["path"]: file["smallest_text"] / file["width"]
        for row in manifest["figures"]
        for file in [*row["files"], *row.get("narrow", ())]
    }
    page = browser.new_context(java_script_enabled=has_scripts).new_page()
    page.goto((plain_page.parent / name).as_uri())
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        small = {path: across * files[path] for path, across in shown(page).items() if path in files}
        assert len(small) >= len(SHOWN)
        assert min(small.values()) >= 8.99, (width, small)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page itself scrolls"
    page.context.close()


def test_no_words_are_below_nine_px_in_a_figure_of_the_gallery(plain_page: Path, browser: Any) -> None:
    """Its cards are thumbnails."""
    rows = json.loads((plain_page.parent / "manifest.json").read_text("utf-8"))["figures"]
    files = {
        file["path"]: file["smallest_text"] / file["width"]
        for row in rows
        for file in [*row["files"], *row.get("narrow", ())]
    }
    page = browser.new_page(viewport={"width": 375, "height": 800})
    for name in SHOWN:
        page.goto("about:blank")
        page.goto(f"{(plain_page.parent / 'index.html').as_uri()}#{name}")
        page.locator("dialog img:visible").wait_for()
        ((path, across),) = (pair for pair in shown(page, "dialog").items() if pair[0] in files)
        assert across * files[path] >= 8.99, path
    page.close()


def test_a_figure_that_does_not_fit_scrolls_by_keyboard_and_has_a_name(
    plain_page: Path, browser: Any
) -> None:
    for has_scripts in (True, False):
        page = browser.new_context(
            java_script_enabled=has_scripts, viewport={"width": 375, "height": 800}
        ).new_page()
        page.goto(plain_page.as_uri())
        box = page.locator("#fig-cloud-2847 .figmill-picture")
        assert box.get_attribute("aria-label") == "The queueing hockey stick"
        box.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)
        assert box.evaluate("one => one.scrollLeft") > 0
        masks = []
        for at in (0, 9999):
            box.evaluate("(one, at) => { one.scrollLeft = at }", at)
            page.wait_for_timeout(300)
            masks.append(box.evaluate("one => getComputedStyle(one).maskImage"))
        assert "to left" in masks[0] and "to right" in masks[1], masks
        if has_scripts:
            page.set_viewport_size({"width": 1280, "height": 800})
            page.wait_for_timeout(200)
            assert box.evaluate("one => [one.tabIndex, getComputedStyle(one).maskImage]") == [-1, "none"]
        page.context.close()


def test_on_a_page_from_right_to_left_a_plot_begins_at_its_left_end(plain_page: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 375, "height": 800})
    page.goto(plain_page.as_uri())
    page.evaluate("document.documentElement.dir = 'rtl'")
    box = page.locator("#fig-cloud-2847 .figmill-picture")
    begins = """box => {
        const picture = [...box.children].find((one) => one.checkVisibility());
        const [outer, inner] = [box, picture].map((one) => one.getBoundingClientRect());
        return [Math.round(inner.left - outer.left), Math.round(outer.right - inner.right)] }"""
    left, right = box.evaluate(begins)
    assert left == 0 and right < -100
    box.evaluate("one => one.classList.add('figmill-leftward')")  # a graph whose layout follows the language
    left, right = box.evaluate(begins)
    assert left < -100 and right == 0
    page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_figure_is_enlarged_in_a_dialog(plain_page: Path, browser: Any, theme: str) -> None:
    page = browser.new_page(viewport={"width": 375, "height": 700}, color_scheme=theme)
    page.goto(plain_page.as_uri())
    figure = page.locator("#fig-cloud-2847")
    button, dialog = figure.locator("button.figmill-enlarge"), page.locator("dialog.figmill-zoom")
    in_page = figure.locator("img:visible").bounding_box()["width"]
    assert in_page > 375, "it scrolls"
    button.focus()
    page.keyboard.press("Enter")
    assert dialog.evaluate("one => one.open && one.matches(':modal')")
    assert dialog.get_attribute("aria-label").startswith("M/M/1 with a mean service time")
    assert (
        dialog.locator("img:visible")
        .get_attribute("src")
        .endswith("cloud-2847.dark.svg" if theme == "dark" else "cloud-2847.svg")
    )
    assert page.evaluate("document.activeElement.textContent") == "Close"
    assert [violation["id"] for violation in Axe().run(page).response["violations"]] == []
    before = dialog.locator("img:visible").bounding_box()["width"]
    assert before == pytest.approx(in_page, abs=1)
    bar = dialog.locator(".figmill-bar")
    assert bar.bounding_box()["height"] < 60, "one row of buttons"
    fit = dialog.get_by_role("button", name="Fit")
    fit.click()
    pane = dialog.locator(".figmill-pane")
    assert pane.evaluate("one => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight")
    assert fit.get_attribute("aria-disabled") == "true"
    page.keyboard.press("+")
    assert dialog.locator("img:visible").bounding_box()["width"] == pytest.approx(before, abs=1)
    page.keyboard.press("+")
    dialog.locator("button", has_text="Larger").click()
    assert dialog.locator("img:visible").bounding_box()["width"] == pytest.approx(2 * before, rel=0.01)
    sizes = page.evaluate("""() => [...document.querySelectorAll("main button, dialog button")]
        .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect())
        .map(({ width, height }) => Math.min(width, height))""")
    assert min(sizes) >= 24, sizes
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert button.evaluate("one => one === document.activeElement")
    figure.locator("img:visible").click()  # a tap
    assert dialog.count() == 1
    dialog.locator("button", has_text="Close").click()
    assert [violation["id"] for violation in Axe().run(page).response["violations"]] == []
    page.close()


def test_what_is_enlarged_begins_where_the_page_was_scrolled_to(plain_page: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 375, "height": 700})
    page.goto(plain_page.as_uri())
    box = page.locator("#fig-cloud-2847 .figmill-picture")
    box.evaluate("one => { one.scrollLeft = 150 }")
    box.locator("img:visible").click()
    pane = page.locator("dialog .figmill-pane")
    page.wait_for_function("document.querySelector('.figmill-pane').scrollLeft > 0")
    assert pane.evaluate("one => one.scrollLeft") == pytest.approx(150, abs=2)
    page.close()


def test_buttons_and_numbers_have_the_language_of_the_page(plain_page: Path, browser: Any) -> None:
    script = '<script>figmillWords = {"Close": "Zu"}</script>'
    text = PAGE.replace('lang="en"', 'lang="de-AT"', 1).replace("</head>", f"{script}</head>")
    assert "de-AT" in text
    text = text.replace("FIGURES", figures(plain_page.parent.parent, "--language", "de"))
    german = plain_page.with_name("phones.de.html")
    german.write_text(text, encoding="utf-8")
    page = browser.new_page(viewport={"width": 375, "height": 700})
    page.goto(german.as_uri())
    page.locator("button", has_text="Vergrößern").first.click()
    assert page.locator("dialog button").all_inner_texts() == ["Kleiner", "Größer", "Einpassen", "Zu"]
    page.keyboard.press("Escape")
    assert (
        page.locator("button", has_text="Zurücksetzen").count()
        and page.locator("button", has_text="Daten").count()
    )
    assert re.search(r"\d,\d", page.locator(".figmill-facts").first.inner_text())
    page.close()


def test_a_pinch_enlarges_a_figure(plain_page: Path, browser: Any) -> None:
    context = browser.new_context(viewport={"width": 375, "height": 700}, has_touch=True)
    page = context.new_page()
    page.goto(plain_page.as_uri())
    page.locator("#fig-cloud-2846").scroll_into_view_if_needed()
    box = page.locator("#fig-cloud-2846 img:visible").bounding_box()
    x, y = 180, box["y"] + 60
    session = context.new_cdp_session(page)
    for kind, apart in (("touchStart", 20), ("touchMove", 40), ("touchMove", 80), ("touchEnd", None)):
        points = (
            [] if apart is None else [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        )
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert page.locator("dialog.figmill-zoom").count() == 1
    context.close()


KEEPS_ROWS = """(count) => document.querySelectorAll("details tbody").forEach((one) => {
    while (one.rows.length > count) one.deleteRow(-1) })"""


def told(page: Page, root: str) -> list[tuple[str, str]]:
    """Role and name of what a screen reader meets in an element, in its order."""
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("Accessibility.enable")
    document = session.send("DOM.getDocument")["root"]["nodeId"]
    element = session.send("DOM.querySelector", {"nodeId": document, "selector": root})["nodeId"]
    tree = session.send("Accessibility.queryAXTree", {"nodeId": element})["nodes"]
    return [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in tree
        if not node["ignored"] and node["role"]["value"] not in ("InlineTextBox", "generic", "none")
    ]


def test_a_screen_reader_meets_picture_caption_and_description_in_this_order(
    plain_page: Path, browser: Any
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(plain_page.as_uri())
    closed = told(page, "body")
    roles = [role for role, _ in closed]
    first = next(
        n
        for n, (role, name) in enumerate(closed)
        if role == "image" and name.startswith("Eight ranks as a tree")
    )
    caption = next(n for n, (role, _) in enumerate(closed) if role == "Figcaption" and n > first)
    summary = closed.index(("DisclosureTriangle", "Description and data: Tree AllReduce on eight ranks"))
    assert first < caption < summary < roles.index("image", first + 1)
    assert "table" not in roles and "list" not in roles, "what is closed is not read"
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    graph, chart = told(page, "#data-cloud-2846"), told(page, "#data-cloud-2848")
    names = [name for _, name in graph]
    assert (
        names.index("8 nodes")
        < names.index("7 edges")
        < names.index("Nodes (CSV)")
        < names.index("Edges (CSV)")
    )
    assert [role for role, _ in graph].count("listitem") == 15
    table = [name for role, name in chart if role in ("columnheader", "rowheader", "cell")]
    assert table[:8] == ["lane", "work", "start", "end", "GPU 0", "Forward 0", "0", "1"]
    curve = told(page, "#data-cloud-2847")  # docs/developers/measured-pages.md shows these trees
    rows = [name for role, name in curve if role in ("columnheader", "rowheader", "cell")]
    load, response = "Load (%)", "Response time in ms"
    assert rows[:6] == ["curve", load, response, "mean, M/M/1", "0.01", "10"]
    assert [name for role, name in curve if role == "group"][1:] == [
        response,
        "Requests in the system, waiting or served",
    ]
    below = rows.index("Requests in the system, waiting or served")
    assert rows[below + 1 : below + 4] == ["mean, M/M/1 (one server)", "0.01", "0.0001"]
    assert curve.index(("link", f"{response} (CSV)")) > curve.index(("rowheader", "mean, M/M/1"))
    image = page.locator("#fig-cloud-2846 img:visible")
    assert image.get_attribute("aria-details") == "data-cloud-2846"
    page.evaluate(KEEPS_ROWS, 8)  # further ones are like them, and axe takes long for each
    assert [
        (violation["id"], violation["nodes"][0]["html"])
        for violation in Axe().run(page).response["violations"]
    ] == []
    with page.expect_download() as download:
        page.locator("#data-cloud-2848 a").click()
    assert download.value.suggested_filename == "cloud-2848.data.csv"
    page.close()


@pytest.mark.parametrize("need", [600.0, 619.0, 621.0, 638.4, 645.0, 649.5])
def test_a_figure_a_little_wider_than_its_column_becomes_smaller_before_it_scrolls(
    need: float, tmp_path: Path, browser: Any
) -> None:
    """In a column of 620 px, as between two menus on a screen of 1280 px. need: its width with text of 9 px."""
    width = need * 14 / 9
    image = (
        f'<img class="figmill-only {class_of(width, 14)}" width="{width}" height="300" alt="" src="data:,">'
    )
    style = "<style>html { font-size: 20px } main { width: 620px; margin: 0 auto }</style>"
    figure = f'{style}<figure class="figmill"><div class="figmill-picture">{image}</div></figure>'
    (tmp_path / "figmill.css").write_bytes((FILES / "css/figmill.css").read_bytes())
    (tmp_path / "page.html").write_text(PAGE.replace("FIGURES", figure), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto((tmp_path / "page.html").as_uri())
    across, room, inside = page.locator(".figmill-picture").evaluate(
        "one => [one.firstChild.getBoundingClientRect().width, one.clientWidth, one.scrollWidth]"
    )
    page.close()
    assert across * 14 / width >= 9 and inside <= room


def test_the_style_sheet_has_a_rule_for_each_class() -> None:
    css = (FILES / "css/figmill.css").read_text("utf-8")
    names = {class_of(width, 10) for width in range(FIRST, LAST + 1)} - {""}
    assert {
        name for name in names if f".{name} {{ min-width: {name[-4:].strip('-')}px }}" not in css
    } == set()
