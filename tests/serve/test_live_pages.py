"""The live pages in Chromium: a change in place, an error at its line, controls, writing, axe, both themes."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers.book import DOT, Space
from helpers.served import Served, files
from playwright.sync_api import BrowserContext, Page, expect

SCRIPT = '''\
from typing import Annotated, Literal

from annotated_types import Interval

from figmill import Drawing


def draw(
    n: Annotated[int, Interval(ge=1, le=40)] = 3,
    style: Literal["plain", "dotted"] = "plain",
    grid: bool = False,
    title: str = "",
    limit: Annotated[float, Interval(ge=0, le=100)] | None = None,
    table: list[int] | None = None,
) -> Drawing:
    """n: how many points, in a row. limit: the most of them."""
    if n == 13:
        raise ValueError("13 brings bad luck")
    words = [title or f"{n} points", *(["with a grid"] if grid else []), *([] if limit is None else [f"of {limit}"])]
    nodes = "; ".join(f'"{part}"' for part in words)
    edge = f'edge [style={"dotted" if style == "dotted" else "solid"}]; start -> "{words[0]}"'
    return Drawing(f"digraph {{ node [width=4.5]; {nodes}; {edge} }}", facts={"points": n, "half": n / 2})
'''
QUESTION = """\
# a comment that stays
id: plot
title: A plot
visual:
  kind: dot
  source: k.py
  params:
    n: 4        # points
    style: 'plain'
  alt: "a line of {points} points"
  expect: {facts: {points: 4}}
"""
CATALOGUE = """\
msgid ""
msgstr "Language: ar\\nContent-Type: text/plain; charset=utf-8\\n"

msgctxt "turned title"
msgid "A line"
msgstr "خط"

msgctxt "turned"
msgid "{1} points"
msgstr "عدد النقاط {1}"
"""
AR = "/in/ar/figure/turned"
LINE = 'digraph {{\n  a -> b [label="{}"]\n}}\n'


expect.set_options(timeout=30_000)


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Space:
    root = tmp_path_factory.mktemp("pages") / "book"
    root.mkdir()
    space = Space(root).write({"visuals/a.dot": DOT, "visuals/k.py": SCRIPT, "questions/plot.yaml": QUESTION})
    space.write({"visuals/e.dot": "digraph {\n  a -> -> b\n}\n", "mkdocs.yml": "site_name: a\n"})
    space.question("broken", "source: e.dot, alt: a graph with a mistake")
    space.write({"visuals/locale/ar.po": CATALOGUE, "visuals/t.py": SCRIPT})
    turned = "kind: dot, source: t.py, params: {n: 4}, alt: a line, languages: [ar]"
    space.question("turned", turned, title="A line")
    return space.question("graph", "source: a.dot, alt: a sends to b which sends to c, caption: Who sends")


@pytest.fixture
def go(context: BrowserContext, served: Served) -> Iterator[Callable[[str], Page]]:
    """Open a page of ours; an error of its script, or a breach of its policy, is a failure."""
    context.add_cookies([served.cookie()])
    page = context.new_page()
    page.set_default_timeout(30_000)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "console", lambda said: said.type == "error" and wrong.append(f"{said.location['url']}: {said.text}")
    )

    def opened(path: str) -> Page:
        page.goto(served.origin + path)
        return page

    yield opened
    # A picture may be replaced by a newer one before it is asked for; a file that has changed is not written.
    assert [
        message for message in wrong if "/picture/" not in message and "409 (Conflict)" not in message
    ] == []


# ---- the gallery -------------------------------------------------------------------------------------------------


def test_a_figure_changes_in_place_without_a_reload_or_a_flash(
    go: Callable[[str], Page], space: Space
) -> None:
    page = go("/")
    expect(page.locator(".card")).to_have_count(4)
    # Whenever the card's node or its picture is another one, it is there, decoded and painted at its full size.
    page.evaluate(
        """() => { window.kept = true; window.seen = [];
        new MutationObserver(() => { const image = document.querySelector("#card-graph .on-light");
          window.seen.push(image !== null && image.complete && image.naturalWidth > 0); })
          .observe(document.getElementById("cards"), {childList: true, subtree: true}) }"""
    )
    before = page.locator("#card-graph .on-light").get_attribute("src")
    page.locator("#card-graph h2 a").focus()
    space.write({"visuals/a.dot": DOT.replace("sends", "waits")})
    expect(page.locator("#card-graph .on-light")).not_to_have_attribute("src", before or "", timeout=30_000)
    assert page.evaluate("window.kept") is True
    assert page.evaluate("window.seen") and all(page.evaluate("window.seen"))
    assert page.evaluate("document.activeElement.getAttribute('href')") == "/figure/graph"
    space.question("graph", "source: a.dot, alt: a sends to b which sends to c, caption: Other words")
    expect(page.locator("#card-graph")).to_contain_text("Other words", timeout=30_000)


def test_an_error_stands_on_its_card_at_its_line_over_the_last_good_picture(
    go: Callable[[str], Page], space: Space
) -> None:
    page = go("/")
    space.write({"visuals/a.dot": "digraph {\n  a -> -> b\n}\n"})
    card = page.locator("#card-graph")
    place = card.locator(".error .place")
    expect(place).to_have_text(re.compile(r"visuals/a\.dot:2(:\d+)?"), timeout=30_000)
    expect(card.locator(".error")).to_contain_text("its last good picture")
    assert card.locator(".on-light").evaluate("image => getComputedStyle(image).filter") == "grayscale(1)"
    assert card.locator(".on-light").evaluate("image => image.naturalWidth > 0")
    place.click()
    expect(page).to_have_url(re.compile("/source/visuals/a.dot#L2$"))
    expect(page.locator("#L2")).to_contain_text("a -> -> b")
    page.go_back()
    space.write({"visuals/a.dot": DOT})
    expect(card.locator(".error")).to_have_count(0, timeout=30_000)


def test_a_block_of_a_page_that_fails_shows_the_last_picture_in_its_place(
    go: Callable[[str], Page], space: Space
) -> None:
    block = '# Page\n\n```dot\ndigraph {{ {} }}\n```\n\n```dot {{expect="{{{}: 2}}"}}\ndigraph {{ c -> d }}\n```\n'
    page = go("/")
    space.write({"figmill.toml": 'fences = ["dot"]\n', "docs/page.md": block.format("a -> b", "nodes")})
    cards = page.locator(".card[data-words*=page]")
    expect(cards).to_have_count(2, timeout=30_000)
    before = cards.evaluate_all("cards => cards.map(card => card.querySelector('.on-light').src)")
    for edge in ("a ->", "a -> ["):  # each edit gives the block another id
        space.write({"docs/page.md": block.format(edge, "nodez")})
        first = page.locator(".card", has_text="docs/page.md:4:")
        expect(first.locator(".error")).to_contain_text("its last good picture", timeout=30_000)
        assert first.locator(".on-light").get_attribute("src") in " ".join(before)
        assert (
            first.locator(".on-light").evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
        )
    second = page.locator(".card", has_text="unknown key 'nodez'")
    expect(second.locator("h2")).to_have_text("Page")
    expect(second.locator(".source")).to_contain_text("docs/page.md")
    for name in ("figmill.toml", "docs/page.md"):
        (space.root / name).unlink()
    expect(page.locator(".card")).to_have_count(4, timeout=30_000)


def test_a_new_question_appears_by_itself_and_a_removed_one_goes(
    go: Callable[[str], Page], space: Space
) -> None:
    page = go("/")
    expect(page.locator(".card")).to_have_count(4)
    space.question("fresh", "source: a.dot, alt: the same again")
    expect(page.locator("#card-fresh img").first).to_be_attached(timeout=30_000)
    names = page.locator(".card").evaluate_all("cards => cards.map(card => card.dataset.name)")
    assert names == sorted(names)
    (space.root / "questions/fresh.yaml").unlink()
    expect(page.locator(".card")).to_have_count(4, timeout=30_000)


def test_settings_that_cannot_be_read_are_told_and_mended(go: Callable[[str], Page], space: Space) -> None:
    page = go("/")
    space.write({"figmill.toml": "themes = [\n"})
    expect(page.locator("#trouble")).to_contain_text("figmill.toml", timeout=30_000)
    expect(page.locator(".card")).to_have_count(4)
    space.write({"figmill.toml": ""})
    expect(page.locator("#trouble")).to_be_empty(timeout=30_000)


def test_find_takes_words_of_any_kind(go: Callable[[str], Page]) -> None:
    page = go("/")
    for query, shown in (("plot nothing", 0), ("plot points", 1), ("FAILED", 1), ("a", 4)):
        page.locator("#find").fill(query)
        expect(page.locator(".card:visible")).to_have_count(shown)
        expect(page.locator("#count")).to_contain_text(f"{shown} of 4 figures")
        expect(page.get_by_text("No figure has all of these words.")).to_be_visible(visible=not shown)


# ---- a figure's page ---------------------------------------------------------------------------------------------


def test_a_figure_s_page_has_all_that_is_known_of_it(go: Callable[[str], Page]) -> None:
    page = go("/figure/plot")
    expect(page.locator("h1")).to_have_text("A plot")
    expect(page.locator("[data-part=facts]")).to_contain_text("points")
    expect(page.locator("[data-part=expected]")).to_contain_text("points = 4")
    expect(page.locator("[data-part=texts]")).to_contain_text("a line of 4 points")
    assert page.locator("[data-part=reads] a").all_inner_texts() == ["questions/plot.yaml", "visuals/k.py"]
    expect(page.locator("[data-part=why]")).not_to_be_empty()
    expect(page.locator("[data-part=snippets]")).to_contain_text("![](figmill:plot)")
    # The hosts of the book.
    assert page.locator("[data-part=snippets] h3").all_inner_texts() == ["mkdocs", "any other page"]
    expect(page.locator("[data-part=squeezed]")).not_to_be_empty()
    expect(page.locator(".others")).to_contain_text("table")


def test_zoom_pan_and_both_themes(go: Callable[[str], Page]) -> None:
    page = go("/figure/plot")
    image = page.locator(".pane.light img")
    page.get_by_role("button", name="Both").click()
    expect(page.locator(".pane:visible")).to_have_count(2)
    page.get_by_role("button", name="Light").click()
    expect(page.locator(".pane:visible")).to_have_count(1)
    page.locator(".pane.light").focus()
    page.keyboard.press("1")
    own = image.evaluate("image => image.getBoundingClientRect().width / image.getAttribute('width')")
    assert own == pytest.approx(1, abs=0.01)
    for _ in range(9):
        page.keyboard.press("+")
    wide = image.evaluate("image => image.getBoundingClientRect().width / image.getAttribute('width')")
    assert wide == pytest.approx(1.25**9, rel=0.02)
    pane = page.locator(".pane.light")
    before = pane.evaluate("pane => pane.scrollLeft")
    box = pane.bounding_box()
    assert box
    page.mouse.move(box["x"] + 300, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 180, box["y"] + 200, steps=3)
    page.mouse.up()
    assert pane.evaluate("pane => pane.scrollLeft") == pytest.approx(before + 120, abs=2)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("0")
    assert not image.evaluate("image => image.style.width")


def painted(page: Page, params: dict[str, Any]) -> None:
    """Wait until the picture shows these parameters."""
    expect(page.locator("#figure")).to_have_attribute(
        "data-painted",
        re.compile("^" + re.escape(json.dumps(params, separators=(",", ":"))) + "$"),
        timeout=30_000,
    )


def source(page: Page, pane: str = ".pane:visible") -> str:
    """The drawing that is shown, as text."""
    image = page.locator(f"{pane} img").first
    address = image.evaluate("image => image.dataset.address || image.getAttribute('src')")
    return str(page.evaluate("address => fetch(address).then(answer => answer.text())", address))


def test_a_control_changes_the_picture_its_facts_and_what_is_expected(
    go: Callable[[str], Page], space: Space
) -> None:
    before = files(space.root)
    page = go("/figure/plot")
    slider = page.get_by_role("slider", name="n")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    painted(page, {"n": 6})
    assert "6 points" in source(page)
    assert slider.get_attribute("aria-valuetext") == "6"
    expect(page.locator("[data-part=facts]")).to_contain_text("6")
    expect(page.locator("[data-part=texts]")).to_contain_text("a line of 6 points")
    expect(page.locator(".broken")).to_contain_text("expected 4, drawn 6")
    expect(page.locator("#message")).to_have_text("1 expectation is not met.")
    expect(page).to_have_url(re.compile(r"/figure/plot\?n=6$"))
    page.get_by_label("dotted").check()
    page.get_by_label("grid").check()
    page.locator("#control-title").fill("null")
    page.get_by_role("switch", name="set limit").check()
    page.locator("#control-limit").fill("20")
    every = {"n": 6, "style": "dotted", "grid": True, "title": "null", "limit": 20}
    painted(page, every)
    expect(page).to_have_url(re.compile(r"title=%22null%22"))  # the text, not the value
    link = page.url
    page.get_by_role("button", name="Reset").click()
    painted(page, {})
    assert "4 points" in source(page)
    expect(page).to_have_url(re.compile("/figure/plot$"))
    expect(page.locator(".broken")).to_have_count(0)
    page.goto(link)
    painted(page, every)
    assert page.locator("#control-limit").input_value() == "20"
    assert files(space.root) == before  # nothing is written


def test_the_picture_that_is_seen_comes_first_and_the_other_when_the_control_rests(
    go: Callable[[str], Page],
) -> None:
    page = go("/figure/plot")
    asked: list[str | None] = []
    page.on(
        "request",
        lambda request: "/what-if/" in request.url and asked.append(request.post_data_json.get("theme")),
    )
    page.locator("#control-n").fill("9")
    painted(page, {"n": 9})
    assert asked[0] == "light" and "9 points" in source(page)
    assert str(page.locator(".pane.light img").get_attribute("src")).startswith("blob:")
    expect(page.locator(".pane.dark img")).to_have_attribute("data-address", re.compile("/picture/"))
    assert asked == ["light", None]
    # The one that is seen is the same, and stays.
    assert str(page.locator(".pane.light img").get_attribute("src")).startswith("blob:")
    dark = source(page, ".pane.dark")
    assert "9 points" in dark and dark != source(page)
    page.locator("#control-n").fill("10")
    painted(page, {"n": 10})
    page.get_by_role("button", name="Dark", exact=True).click()  # most often before the control rests
    expect(page.locator(".pane.dark")).to_be_visible()
    deadline = time.monotonic() + 20
    while "10 points" not in source(page) and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert "10 points" in source(page)
    page.locator("#control-n").fill("11")
    painted(page, {"n": 11})
    assert "dark" in asked and "11 points" in source(page)


def test_back_takes_one_thing_back(go: Callable[[str], Page]) -> None:
    page = go("/figure/plot")
    page.locator("#control-n").fill("7")
    page.locator("#control-n").blur()
    painted(page, {"n": 7})
    expect(page).to_have_url(re.compile(r"\?n=7$"))
    page.get_by_label("dotted").check()
    painted(page, {"n": 7, "style": "dotted"})
    expect(page).to_have_url(re.compile("style=dotted"))
    page.go_back()
    painted(page, {"n": 7})
    expect(page.get_by_label("plain")).to_be_checked()
    page.go_back()
    painted(page, {})
    assert page.locator("#control-n").input_value() == "4"
    page.go_forward()
    painted(page, {"n": 7})
    # Two steps, however close together.
    page.evaluate(
        """() => { for (const [id, value] of [["control-n", "8"], ["control-title", "both"]]) {
          const box = document.getElementById(id); box.value = value;
          for (const kind of ["input", "change"]) box.dispatchEvent(new Event(kind, {bubbles: true})); } }"""
    )
    painted(page, {"n": 8, "title": "both"})
    expect(page).to_have_url(re.compile("n=8&title=both"))
    page.go_back()
    painted(page, {"n": 8})
    page.go_back()
    painted(page, {"n": 7})


def test_what_a_script_refuses_is_told_and_taken_back(go: Callable[[str], Page]) -> None:
    page = go("/figure/plot")
    page.locator("#control-n").fill("12")
    expect(page.locator("#message")).to_contain_text("not met", timeout=30_000)
    page.locator("#control-n").fill("13")
    expect(page.locator("#cannot")).to_contain_text("13 brings bad luck", timeout=30_000)
    expect(page.locator("#message")).to_be_empty()  # of a picture that is not there, nothing is said
    expect(page.locator("#cannot .place")).to_have_text(re.compile(r"visuals/k\.py:\d+"))
    page.locator("#control-n").fill("14")
    expect(page.locator("#cannot")).to_have_count(0, timeout=30_000)
    said = page.locator("#message").inner_text()
    page.locator("#control-n").fill("99")  # out of its bounds: nothing is asked
    expect(page.locator("[data-control=n] .wrong")).to_have_text("n must be a whole number from 1 to 40.")
    page.wait_for_timeout(300)
    expect(page.locator("#figure")).to_have_attribute("data-painted", '{"n":14}')
    expect(page.locator("#message")).to_have_text(said)
    page.locator("#control-n").fill("14")
    expect(page.locator(".wrong")).to_have_count(0)


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.soak)])
def test_what_is_said_of_a_control_is_in_sight_where_the_control_is(
    go: Callable[[str], Page], width: int
) -> None:
    page = go("/figure/plot")
    page.set_viewport_size({"width": width, "height": 520})
    page.locator("#control-n").fill("13")
    expect(page.locator("#cannot")).to_contain_text("13 brings bad luck", timeout=30_000)
    page.locator("#control-n").scroll_into_view_if_needed()
    expect(page.locator("#control-n")).to_be_in_viewport()
    expect(page.locator("#cannot")).to_be_in_viewport(ratio=0.99)
    tools = page.locator(".tools button").evaluate_all("all => new Set(all.map((b) => b.offsetTop)).size")
    assert tools == 1  # one row of buttons


def test_the_newest_wish_wins_and_one_render_is_under_way(go: Callable[[str], Page]) -> None:
    page = go("/figure/plot")
    under_way, most = [0], [0]

    def began(request: Any) -> None:
        if "/what-if/" in request.url:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])

    def ended(request: Any) -> None:
        under_way[0] -= "/what-if/" in request.url

    page.on("request", began)
    page.on("requestfinished", ended)
    page.on("requestfailed", ended)  # given up for a newer one
    page.evaluate(
        """async () => { const box = document.querySelector("#control-n");
        for (let n = 0; n < 200; n++) { box.value = n < 199 ? 15 + n % 20 : 38;
          box.dispatchEvent(new Event("input", {bubbles: true}));
          await new Promise(done => setTimeout(done, 5)); } }"""
    )
    painted(page, {"n": 38})
    assert "38 points" in source(page)
    assert most[0] <= 2  # the second where one of them has just been given up


def test_an_edit_comes_to_the_page_whose_controls_have_moved(go: Callable[[str], Page], space: Space) -> None:
    page = go("/figure/plot")
    page.locator("#control-n").fill("8")
    painted(page, {"n": 8})
    space.write({"visuals/k.py": SCRIPT.replace('f"{n} points"', 'f"{n} dots"')})
    try:
        deadline = time.monotonic() + 20
        while "8 dots" not in source(page) and time.monotonic() < deadline:
            page.wait_for_timeout(100)
        assert "8 dots" in source(page)
        assert page.locator("#control-n").input_value() == "8"
    finally:
        space.write({"visuals/k.py": SCRIPT})


def test_what_an_edit_changed_stands_on_the_page_as_one_picture(
    go: Callable[[str], Page], space: Space
) -> None:
    page = go("/figure/turned")
    expect(page.locator("#title-change")).to_be_hidden()  # no edit has been seen
    page = go("/figure/graph")
    page.locator(".pane img >> visible=true").evaluate("image => image.decode()")
    before = space.read("visuals/a.dot")
    space.write({"visuals/a.dot": before.replace("}", "b -> d\n}")})
    try:
        part = page.locator("[data-part=change]")
        expect(part).to_contain_text("+ added: 1 node, 1 edge")
        image = part.locator("img >> visible=true")
        assert "+ added: 1 node" in (image.get_attribute("alt") or "")
        image.evaluate("image => image.decode()")
    finally:
        space.write({"visuals/a.dot": before})


# ---- writing -----------------------------------------------------------------------------------------------------


def test_writing_changes_the_lines_of_the_changed_parameters_alone(
    go: Callable[[str], Page], space: Space
) -> None:
    page = go("/figure/plot")
    page.locator("#control-n").fill("5")
    painted(page, {"n": 5})
    page.get_by_role("button", name="Write to YAML…").click()
    expect(page.locator("#diff ins").last).to_have_text(re.compile(r"\+    n: 5        # points"))
    assert space.read("questions/plot.yaml") == QUESTION
    page.get_by_role("button", name="Write", exact=True).click()
    expect(page.locator("#writing")).to_be_hidden()
    assert space.read("questions/plot.yaml") == QUESTION.replace("n: 4 ", "n: 5 ")
    space.write({"questions/plot.yaml": QUESTION})


def test_a_file_that_changed_meanwhile_is_not_overwritten(go: Callable[[str], Page], space: Space) -> None:
    page = go("/figure/plot")
    page.locator("#control-n").fill("9")
    painted(page, {"n": 9})
    page.get_by_role("button", name="Write to YAML…").click()
    expect(page.locator("#diff ins").last).to_be_visible()
    mine = QUESTION.replace("# a comment", "# another comment")
    space.write({"questions/plot.yaml": mine})
    page.evaluate("document.getElementById('do-write').click()")
    expect(page.locator("#refused")).to_contain_text("has changed on the disk")
    assert space.read("questions/plot.yaml") == mine
    space.write({"questions/plot.yaml": QUESTION})


def test_a_new_question_from_this(go: Callable[[str], Page], space: Space) -> None:
    page = go("/figure/plot")
    page.locator("#control-n").fill("9")
    painted(page, {"n": 9})
    page.get_by_role("button", name="New question…").click()
    for id_, message in (("graph", "already"), ("../x", "must be"), ("nine", "")):
        page.locator("#id").fill(id_)
        expect(page.locator("#refused")).to_contain_text(message)
        if message:
            expect(page.locator("#do-write")).to_be_disabled()
    expect(page.locator("#diff")).to_contain_text("+id: nine")
    expect(page.locator("#writing-title")).to_contain_text("questions/nine.yaml")
    page.get_by_role("button", name="Write", exact=True).click()
    expect(page.locator("#writing")).to_be_hidden()
    question = space.read("questions/nine.yaml")
    assert question == QUESTION.replace("id: plot", "id: nine").replace("n: 4 ", "n: 9 ")
    page = go("/")
    expect(page.locator("#card-nine")).to_have_count(1, timeout=30_000)
    (space.root / "questions/nine.yaml").unlink()
    expect(page.locator("#card-nine")).to_have_count(0, timeout=30_000)


def test_nothing_but_question_files_is_written(served: Served, space: Space, tmp_path: Path) -> None:
    """A link out of the book is left alone; so is every name that is no id."""
    outside = tmp_path / "outside.yaml"
    outside.write_text(QUESTION.replace("id: plot", "id: linked"), encoding="utf-8")
    (space.root / "questions/linked.yaml").symlink_to(outside)
    ours = served.enter()
    try:
        time.sleep(0.5)  # a question that leads out of the book is none, and is told at its place
        before = files(space.root)
        for id_ in (None, "../x", "..", "/tmp/x", "a/b", "con", "x.dark", "PLOT", "", "a\nb", "x" * 100):
            said = {
                "page": "p",
                "params": {"n": 6},
                "sha256": "0" * 64,
                **({} if id_ is None else {"id": id_}),
            }
            answer = served.ask("/write/plot", ours, "POST", json.dumps(said).encode())
            assert "written" not in answer.json, id_
        for figure in ("linked", "graph", "nobody", "../plot"):
            said = {"page": "p", "params": {"n": 6}, "sha256": "0" * 64}
            assert (
                "written"
                not in served.ask(f"/write/{figure}", ours, "POST", json.dumps(said).encode()).body.decode()
            )
        assert files(space.root) == before
    finally:
        (space.root / "questions/linked.yaml").unlink()


# ---- everybody ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [380, 1300])
def test_axe_finds_nothing_and_nothing_sticks_out(
    browser: Any, served: Served, theme: str, width: int
) -> None:
    context = browser.new_context(
        color_scheme=theme, viewport={"width": width, "height": 800}, bypass_csp=True
    )
    try:
        page = context.new_page()
        page.goto(served.address)
        for path in ("/", "/figure/plot", "/figure/broken", "/source/visuals/k.py", "/figure/nobody", AR):
            page.goto(served.origin + path)
            page.wait_for_timeout(300)
            if path == "/figure/plot":
                page.locator(".others summary").click()
                page.locator("#control-n").fill("6")
                painted(page, {"n": 6})
                if width > 1000:
                    page.get_by_role("button", name="Write to YAML…").click()
                    expect(page.locator("#diff ins").last).to_be_visible()
            response = Axe().run(page).response
            assert response["passes"], "axe looked at nothing"
            told = [f"{v['id']}: {n['html'][:200]}" for v in response["violations"] for n in v["nodes"]]
            assert told == [], path
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    finally:
        context.close()


def test_a_language_is_chosen_in_the_address_and_the_controls_draw_in_it(go: Callable[[str], Page]) -> None:
    page = go("/figure/turned?n=5")
    page.locator("#language").select_option(label="العربية")
    page.wait_for_url("**/in/ar/figure/turned?n=5")
    expect(page.locator("h1")).to_have_text("خط")
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["ar", "rtl"]
    painted(page, {"n": 5})
    assert "عدد النقاط 5" in source(page)
    expect(page.locator("#reset")).to_have_text("إعادة الضبط")
    page = go("/in/ar/")
    expect(page.locator("#count")).to_contain_text("فشل: 1")
    page = go("/in/ar/figure/plot")  # a figure that lacks the language
    expect(page.locator("h1")).to_have_text("A plot")


def test_the_theme_can_be_chosen_and_is_remembered(go: Callable[[str], Page]) -> None:
    page = go("/")
    expect(page.locator("#card-graph .on-light")).to_be_visible()
    page.locator("#theme").select_option("dark")
    expect(page.locator("#card-graph .on-dark")).to_be_visible()
    page = go("/figure/graph")
    expect(page.locator(".pane:visible")).to_have_attribute("data-theme", "dark")


def test_without_motion_nothing_moves(browser: Any, served: Served) -> None:
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(served.address)
    page.evaluate("document.querySelector('.card').classList.add('changed')")
    assert page.evaluate("document.getAnimations().length") == 0
    context.close()
