"""Live pages: they hold still while a control moves; slow pictures, nonsense, mistakes, undoing, and another server."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import stat
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from helpers.book import Space
from helpers.served import Served, serving
from playwright.sync_api import BrowserContext, Page, Request, Route, expect

from figmill.serve import session
from figmill.serve.guard import Keys

TALL = '''\
from typing import Annotated, Literal

from annotated_types import Interval

from figmill import Drawing


def draw(
    n: Annotated[int, Interval(ge=1, le=30)] = 2, way: Literal["down", "up", "on"] = "down", of: str = ""
) -> Drawing:
    """n: how long it is. way: said at each edge."""
    if n == 13:
        raise ValueError("13 brings bad luck")
    edges = " ".join(f'a{i} -> a{i + 1} [label="{way}"]' for i in range(n))
    return Drawing(
        "digraph { " + edges + " }",
        facts={"edges": n, "all": [str(i) * 9 for i in range(n)], **{f"fact_{i}": i for i in range(n)}},
    )
'''
SLOW = """\
import time
from typing import Annotated

from annotated_types import Interval

from figmill import Drawing


def draw(n: Annotated[int, Interval(ge=1, le=300)] = 1) -> Drawing:
    time.sleep(n / 10)
    return Drawing("digraph { a -> b }", facts={"n": n})
"""
QUESTION = """\
id: tall
visual:
  kind: dot
  source: tall.py
  params: {n: 2}
  alt: "{edges} edges"
  expect: {facts: {edges: 2}}
"""

expect.set_options(timeout=30_000)


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Space:
    root = tmp_path_factory.mktemp("exploring") / "book"
    root.mkdir()
    space = Space(root).write(
        {"visuals/tall.py": TALL, "visuals/slow.py": SLOW, "questions/tall.yaml": QUESTION}
    )
    return space.question("slow", "kind: dot, source: slow.py, params: {n: 1}, alt: a sends to b")


@pytest.fixture
def go(context: BrowserContext, served: Served) -> Callable[[str], Page]:
    context.add_cookies([served.cookie()])
    page = context.new_page()
    page.set_default_timeout(30_000)

    def opened(path: str) -> Page:
        page.goto(served.origin + path)
        return page

    return opened


def entered(context: BrowserContext, served: Served) -> Page:
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.goto(served.address)
    return page


def painted(page: Page, **params: Any) -> None:
    said = re.escape(json.dumps(params, separators=(",", ":")))
    expect(page.locator("#figure")).to_have_attribute("data-painted", re.compile(f"^{said}$"), timeout=30_000)


# ---- a page holds still ------------------------------------------------------------------------------------------

WATCH = """() => { window.shifts = [];
    new PerformanceObserver(list => { for (const one of list.getEntries()) window.shifts.push(
      [one.value, ...one.sources.map(s => `${s.node?.nodeName} ${s.node?.id} ${s.node?.className}`)]); })
    .observe({type: "layout-shift"}) }"""


@pytest.mark.parametrize("size", [(1300, 850), (390, 700)])
def test_nothing_moves_while_a_control_does(go: Callable[[str], Page], size: tuple[int, int]) -> None:
    """The picture grows eightfold, facts come and go, an expectation breaks, and a value is refused."""
    page = go("/figure/tall")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.locator("#control-n").scroll_into_view_if_needed()
    page.wait_for_timeout(1000)  # what is found out after loading is there
    page.evaluate(WATCH)
    slider = page.get_by_role("slider", name="n")
    slider.focus()
    for n in (3, 4, 5, 6, 7, 8):
        page.keyboard.press("ArrowRight")
        painted(page, n=n)
    expect(page.locator("#message")).to_have_text("1 expectation is not met.")
    page.evaluate(
        """() => { const slider = document.querySelector("input[type=range]");
        slider.value = 13; slider.dispatchEvent(new Event("input", {bubbles: true})); }"""
    )
    expect(page.locator("#cannot")).to_contain_text("13 brings bad luck")
    page.keyboard.press("ArrowRight")
    painted(page, n=14)
    page.wait_for_timeout(1000)  # the other theme comes, and what is squeezed
    assert page.evaluate("window.shifts") == []


def test_red_is_the_colour_of_errors_alone(go: Callable[[str], Page], context: BrowserContext) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = go("/figure/tall")
    page.locator("#control-n").fill("3")
    painted(page, n=3)
    colour = "one => getComputedStyle(one).color"
    expect(page.locator("#message")).to_have_text("1 expectation is not met.")
    page.wait_for_timeout(1000)  # the picture of the other theme has come
    error = page.locator("#message").evaluate(colour)
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#message")).to_have_text("The link is copied.")
    others = {
        page.locator(selector).first.evaluate(colour)
        for selector in ("#message", "h1", "#reset", ".place", "label")
    }
    pressed = page.locator("[aria-pressed=true]").evaluate("one => getComputedStyle(one).backgroundColor")
    assert error == page.locator(".broken").evaluate(colour) and error not in {*others, pressed}


def test_an_error_covers_no_other_control(go: Callable[[str], Page]) -> None:
    page = go("/figure/tall")
    page.locator("#control-n").fill("99")
    expect(page.locator("[data-control=n] .wrong")).to_have_text("n must be a whole number from 1 to 30.")
    expect(page.locator("[data-control=n] .about")).to_be_hidden()  # the error stands in its place
    below = page.evaluate("""() => document.querySelector("[data-control=way]").getBoundingClientRect().top
        - document.querySelector(".wrong").getBoundingClientRect().bottom""")
    assert below >= 0


def test_on_a_phone_the_picture_stays_in_sight_and_the_actions_are_one_row(go: Callable[[str], Page]) -> None:
    page = go("/figure/tall")
    page.set_viewport_size({"width": 375, "height": 720})
    page.locator("#control-of").scroll_into_view_if_needed()
    page.locator("#control-of").focus()
    measured = page.evaluate("""() => [".actions", ".panes", "#control-of"].map((one) => {
        const {top, bottom} = document.querySelector(one).getBoundingClientRect(); return [top, bottom] })""")
    actions, picture, control = measured
    assert actions[1] - actions[0] < 60, "one row"
    assert picture[0] >= 0 and picture[1] < control[0] and control[1] <= actions[0], measured


def test_the_picture_stays_whole_in_its_place(go: Callable[[str], Page]) -> None:
    page = go("/figure/tall")
    page.locator("#control-n").fill("20")
    painted(page, n=20)
    held = "e => { const r = e.getBoundingClientRect(); return [r.top, r.bottom, r.width / r.height]; }"
    top, bottom, _ = page.locator(".pane:visible").evaluate(held)
    image = page.locator(".pane:visible img")
    above, below, ratio = image.evaluate(held)
    assert top <= above < below <= bottom
    assert ratio == pytest.approx(
        image.evaluate("image => image.naturalWidth / image.naturalHeight"), rel=0.02
    )


@pytest.mark.parametrize("address", ["/", "/figure/tall"])
def test_what_is_clicked_is_large_enough(go: Callable[[str], Page], address: str) -> None:
    """At least 24 by 24 px (WCAG 2.5.8): of a box to be ticked, its label counts."""
    page = go(address)
    small = page.evaluate(
        """() => [...document.querySelectorAll("a, button, input, select, summary")]
        .filter(one => one.checkVisibility()).map(one => /radio|checkbox/.test(one.type) && one.closest("label") || one)
        .map(one => [one.outerHTML.slice(0, 90), one.getBoundingClientRect()])
        .filter(([_, box]) => Math.min(box.width, box.height) < 23.9)
        .filter(([words]) => !words.includes('class="place"'))
        .map(([words, box]) => `${words} ${box.width} x ${box.height}`)"""
    )
    assert small == []


# ---- a slow picture ----------------------------------------------------------------------------------------------


def test_a_newer_wish_takes_the_place_of_a_slow_picture(go: Callable[[str], Page]) -> None:
    page = go("/figure/slow")
    page.locator("#control-n").fill("290")
    expect(page.locator("#seconds")).to_have_text(re.compile(r"Drawing, \d+ s"))
    began = time.monotonic()
    page.locator("#control-n").fill("2")
    painted(page, n=2)
    assert time.monotonic() - began < 20  # of 29
    expect(page.locator("#drawing")).to_be_hidden()


def test_a_slow_picture_can_be_cancelled(go: Callable[[str], Page], served: Served) -> None:
    page = go("/figure/slow")
    page.locator("#control-n").fill("3")
    painted(page, n=3)
    page.locator("#control-n").fill("280")
    expect(page.locator("#seconds")).to_have_text(re.compile(r"Drawing, ([2-9]|\d\d) s"))
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#drawing")).to_be_hidden()
    assert page.locator("#control-n").input_value() == "3"
    expect(page).to_have_url(re.compile(r"\?n=3$"))
    began = time.monotonic()
    page.locator("#control-n").fill("4")
    painted(page, n=4)
    assert time.monotonic() - began < 20


def drawn_now(served: Served) -> bool:
    """Whether the server draws a picture of `slow` at once: nothing else is under way."""
    ours = served.enter()
    began = time.monotonic()
    assert served.wish(ours, "slow", "another page", n=1).status == 200
    return time.monotonic() - began < 20


@pytest.mark.parametrize("way", ["another page", "the tab is closed", "the browser is closed"])
def test_a_page_that_is_left_cancels_its_picture(
    browser: Any, context: BrowserContext, served: Served, way: str
) -> None:
    """The picture takes 30 s, and nobody looks at it any more. Whether its request has arrived makes no difference."""
    for delay in (0, 500):
        window = browser.new_context()
        page = entered(window, served)
        page.goto(f"{served.origin}/figure/slow")
        page.locator("#control-n").fill("300")
        page.wait_for_timeout(delay)
        if way == "another page":
            page.goto(f"{served.origin}/")
        elif way == "the tab is closed":
            page.close()
        else:
            window.close()
        assert drawn_now(served)
        window.close()


def test_a_request_ends_its_own_picture_alone(served: Served) -> None:
    """One page closes its connection; the picture of the other, which waits, is drawn."""
    ours = served.enter()
    line = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    body = json.dumps({"page": "one", "params": {"n": 300}})
    line.request("POST", "/what-if/slow", body, {**ours, "Host": f"127.0.0.1:{served.port}"})
    with ThreadPoolExecutor(1) as threads:
        other = threads.submit(served.wish, ours, "slow", "two", n=2)
        time.sleep(0.5)
        assert not other.done()
        began = time.monotonic()
        line.close()
        assert other.result().status == 200
        assert time.monotonic() - began < 20


# ---- what no control can hold ------------------------------------------------------------------------------------


def test_an_address_of_which_some_is_nonsense(go: Callable[[str], Page]) -> None:
    page = go("/figure/tall?n=999&way=nonsense&of=me")
    painted(page, of="me")
    assert page.locator("#control-n").input_value() == "2"
    told = page.locator(".wrong")
    expect(told).to_have_text(
        [
            "The address says 999; n must be a whole number from 1 to 30. The question's value is shown.",
            "The address says nonsense; way must be down or up or on. The question's value is shown.",
        ]
    )
    expect(page).to_have_url(re.compile(r"/figure/tall\?of=me$"))
    page.get_by_label("up").check()
    painted(page, way="up", of="me")
    expect(told.first).to_be_hidden()


def test_an_invalid_box_stays_as_it_is_and_nothing_is_written(
    go: Callable[[str], Page], space: Space
) -> None:
    page = go("/figure/tall")
    box, write = page.locator("#control-n"), page.get_by_role("button", name="Write to YAML…")
    box.fill("4")
    painted(page, n=4)
    expect(write).to_be_enabled()
    page.evaluate(
        """() => { const box = document.getElementById("control-n");
        for (const value of ["5", "99"]) {
          box.value = value; box.dispatchEvent(new Event("input", {bubbles: true})); } }"""
    )
    painted(page, n=5)  # the answer comes after the box has become invalid
    message = page.locator("[data-control=n] .wrong")
    expect(message).to_have_text("n must be a whole number from 1 to 30.")
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(write).to_be_disabled()
    page.get_by_label("up").check()  # the others can be moved
    painted(page, n=5, way="up")
    # The book can change, too.
    space.write({"visuals/tall.py": TALL.replace('label="{way}"', 'label="{way}!"')})
    expect(page.locator("[data-part=why]")).to_contain_text("tall.py")
    painted(page, n=5, way="up")
    assert box.input_value() == "99"
    expect(message).to_be_visible()
    box.fill("13")
    expect(page.locator("#cannot")).to_be_visible()
    expect(write).to_be_disabled()
    page.get_by_role("button", name="Reset").click()
    painted(page)
    expect(write).to_be_disabled()
    space.write({"visuals/tall.py": TALL})


def test_what_says_so_already_is_not_written(served: Served, space: Space) -> None:
    ours = served.enter()
    wish = {"page": "p", "params": {"n": 2}}
    preview = served.ask("/edit/tall", ours, "POST", json.dumps(wish).encode()).json
    assert preview["diff"] == []
    body = json.dumps(wish | {"sha256": preview["sha256"]}).encode()
    wrong = served.ask("/write/tall", ours, "POST", body)
    assert wrong.status == 409 and "there is nothing to write" in wrong.json["errors"][0]["message"]


# ---- mistakes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_loaded_again", [False, True])
def test_changed_values_come_back_after_a_mistake(
    go: Callable[[str], Page], space: Space, is_loaded_again: bool
) -> None:
    page = go("/figure/tall")
    page.locator("#control-n").fill("6")
    page.get_by_label("up").check()
    painted(page, n=6, way="up")
    expect(page).to_have_url(re.compile("n=6&way=up"))
    space.write({"visuals/tall.py": TALL.replace("return Drawing(", "return Drawing((")})
    try:
        expect(page.locator("[data-part=error]")).to_contain_text("visuals/tall.py:")
        if is_loaded_again:
            page.reload()
            expect(page.locator("#control-n")).to_have_count(0)
    finally:
        space.write({"visuals/tall.py": TALL.replace('label="{way}"', 'label="{way}?"')})
    expect(page.locator("[data-part=error]")).to_be_empty()
    painted(page, n=6, way="up")
    assert page.locator("#control-n").input_value() == "6"
    expect(page.get_by_label("up")).to_be_checked()
    page.wait_for_function(
        """async () => { const image = document.querySelector(".pane.light img");
        const shown = await fetch(image.dataset.address || image.getAttribute("src"));
        return (await shown.text()).includes("up?"); }"""
    )
    space.write({"visuals/tall.py": TALL})


# ---- writing -----------------------------------------------------------------------------------------------------


def test_enter_writes_what_was_seen_and_undo_takes_it_back(go: Callable[[str], Page], space: Space) -> None:
    page = go("/figure/tall")
    page.locator("#control-n").fill("5")
    painted(page, n=5)
    for name in ("Reset", "Copy link", "Write to YAML…", "New question…"):
        expect(page.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Write to YAML…").click()
    expect(page.locator("#diff ins").last).to_contain_text("n: 5")
    page.keyboard.press("Enter")
    expect(page.locator("#written")).to_contain_text("questions/tall.yaml is written.")
    assert "n: 5" in space.read("questions/tall.yaml")
    expect(page.locator("[data-part=error]")).to_contain_text("expected 2, drawn 5")  # the book has followed
    expect(page.locator("#written")).to_contain_text("is written.")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#written")).to_contain_text("is as it was.")
    assert space.read("questions/tall.yaml") == QUESTION
    expect(page.locator("#control-n")).to_have_value("2")
    expect(page.get_by_role("button", name="Undo")).to_be_hidden()
    expect(page.locator("#message")).to_be_empty()  # the expectations of the question are met again


def test_a_new_question_by_keys_and_its_undoing(go: Callable[[str], Page], space: Space) -> None:
    page = go("/figure/tall")
    page.locator("#control-n").fill("4")
    painted(page, n=4)
    page.get_by_role("button", name="New question…").click()
    expect(page.locator("#id")).to_be_focused()
    page.keyboard.type("taller")
    page.keyboard.press("Enter")  # nothing has been seen yet
    assert not (space.root / "questions/taller.yaml").exists()
    expect(page.locator("#do-write")).to_be_enabled()
    expect(page.locator("#diff")).to_contain_text("+id: taller")
    page.keyboard.press("Enter")
    expect(page.locator("#written")).to_contain_text("questions/taller.yaml is written.")
    assert "n: 4" in space.read("questions/taller.yaml")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#written")).to_contain_text("is as it was.")
    assert not (space.root / "questions/taller.yaml").exists()


# An answer that is on its way may come at any moment: here it is held back, and let go at the worst one.


@dataclass
class Held:
    """The requests for one path, whose answers wait until they are let go. Those that come later do not wait."""

    page: Page
    path: str
    waiting: list[Route] = field(default_factory=list)
    is_open: bool = False

    def __post_init__(self) -> None:
        self.page.route(f"**/{self.path}/**", self._handle)

    def _handle(self, route: Route) -> None:
        if self.is_open:
            route.continue_()
        else:
            self.waiting.append(route)

    def arrive(self, number: int = 1) -> None:
        """Until so many wait."""
        deadline = time.monotonic() + 30
        while len(self.waiting) < number and time.monotonic() < deadline:
            self.page.wait_for_timeout(20)
        assert len(self.waiting) >= number

    def release(self) -> None:
        """Answer the one that waits, and see that the page has had it."""
        self.arrive()
        self.is_open = True
        with self.page.expect_response(f"**/{self.path}/**") as answer:
            self.waiting.pop().continue_()
        answer.value.finished()
        self.page.wait_for_timeout(100)


def test_what_was_asked_for_before_typing_is_not_written(go: Callable[[str], Page], space: Space) -> None:
    """The difference for the id that was offered comes when another id has been typed, and Enter is pressed."""
    page = go("/figure/tall")
    page.locator("#control-n").fill("4")
    painted(page, n=4)
    page.clock.install()
    edits = Held(page, "edit")
    page.get_by_role("button", name="New question…").click()
    expect(page.locator("#id")).to_have_value("tall-2")
    page.clock.pause_at(time.time() + 3600)  # so that nothing is asked for anew meanwhile
    page.keyboard.type("taller")
    edits.release()
    expect(page.locator("#do-write")).to_be_disabled()
    page.keyboard.press("Enter")
    page.clock.resume()
    expect(page.locator("#diff")).to_contain_text("+id: taller")
    expect(page.locator("#do-write")).to_be_enabled()
    assert not (space.root / "questions/tall-2.yaml").exists()
    page.get_by_role("button", name="Cancel").click()


def test_a_late_picture_does_not_refuse_a_difference(go: Callable[[str], Page]) -> None:
    """The picture comes while the dialog looks for the difference; the other theme would be asked for then."""
    page = go("/figure/tall")
    pictures = Held(page, "what-if")
    page.locator("#control-n").fill("4")
    page.get_by_role("button", name="New question…").click(force=True)
    edits = Held(page, "edit")
    page.locator("#id").fill("taller")
    asked: list[str] = []

    def note(request: Request) -> None:
        if "/what-if/" in request.url:
            asked.append(request.url)

    page.on("request", note)
    pictures.release()
    painted(page, n=4)
    page.wait_for_timeout(1000)  # longer than a control rests
    assert asked == []
    edits.release()
    expect(page.locator("#diff")).to_contain_text("+id: taller")
    page.get_by_role("button", name="Cancel").last.click()
    expect(page.locator(".pane.dark img")).to_have_attribute("data-address", re.compile("/picture/"))
    assert len(asked) == 1


def test_a_difference_is_looked_for_again_where_the_file_has_changed(
    go: Callable[[str], Page], space: Space
) -> None:
    page = go("/figure/tall")
    page.locator("#control-n").fill("5")
    painted(page, n=5)
    page.get_by_role("button", name="Write to YAML…").click()
    expect(page.locator("#do-write")).to_be_focused()
    space.write({"questions/tall.yaml": QUESTION.replace("{n: 2}", "{n: 2}  # mine")})
    try:
        page.keyboard.press("Enter")
        expect(page.locator("#refused")).to_contain_text("has changed on the disk")
        expect(page.locator("#diff ins").last).to_contain_text("{n: 5}  # mine")
        page.keyboard.press("Enter")
        expect(page.locator("#written")).to_contain_text("is written.")
        assert "{n: 5}  # mine" in space.read("questions/tall.yaml")
    finally:
        space.write({"questions/tall.yaml": QUESTION})


def test_of_two_changes_of_the_book_the_later_one_is_shown(go: Callable[[str], Page], space: Space) -> None:
    """The page of the first change comes after that of the second; what was turned stays."""
    page = go("/figure/tall")
    page.locator("#control-n").fill("6")
    painted(page, n=6)
    stamp = str(page.locator("#figure").get_attribute("data-stamp"))
    pages = Held(page, "figure")
    try:
        for number, word in enumerate(("first", "second"), 1):
            space.write({"visuals/tall.py": TALL.replace('label="{way}"', f'label="{word}"')})
            pages.arrive(number)
        pages.is_open = True  # for the page of an earlier test's last change, if the server is slow
        first, *_, last = pages.waiting
        old = page.request.fetch(first.request)
        last.continue_()
        expect(page.locator("#figure")).not_to_have_attribute("data-stamp", stamp)
        painted(page, n=6)
        page.wait_for_timeout(500)
        new = str(page.locator("#figure").get_attribute("data-stamp"))
        first.fulfill(response=old, body=old.text().replace(new, "old"))
        page.wait_for_timeout(500)
        expect(page.locator("#figure")).to_have_attribute("data-stamp", new)
        expect(page.locator("#control-n")).to_have_value("6")
    finally:
        space.write({"visuals/tall.py": TALL})


def test_what_was_edited_since_is_not_undone(served: Served, space: Space) -> None:
    ours = served.enter()
    wish = {"page": "p", "params": {"n": 3}}
    preview = served.ask("/edit/tall", ours, "POST", json.dumps(wish).encode()).json
    answer = served.ask(
        "/write/tall", ours, "POST", json.dumps(wish | {"sha256": preview["sha256"]}).encode()
    ).json
    mine = space.read("questions/tall.yaml") + "# mine\n"
    space.write({"questions/tall.yaml": mine})
    undo = json.dumps(wish | {"sha256": answer["mark"]}).encode()
    wrong = served.ask("/undo/tall", ours, "POST", undo)
    assert wrong.status == 409 and "has changed on the disk since" in wrong.json["errors"][0]["message"]
    assert space.read("questions/tall.yaml") == mine
    assert served.ask("/undo/tall", ours, "POST", json.dumps(wish | {"sha256": "0"}).encode()).status == 400
    space.write({"questions/tall.yaml": QUESTION})


# ---- another server ----------------------------------------------------------------------------------------------


def test_a_server_that_starts_again_takes_its_old_tabs_in(
    context: BrowserContext, space: Space, tmp_path: Path
) -> None:
    root = tmp_path / "book"
    shutil.copytree(space.root, root, ignore=shutil.ignore_patterns(".figmill", "build"))
    mine = Space(root)
    with serving(mine) as first:
        page = entered(context, first)
        page.goto(f"{first.origin}/figure/tall")
        page.locator("#control-n").fill("3")
        painted(page, n=3)
        expect(page.locator("#live")).to_be_empty()
        first.interrupt()
    expect(page.locator("#live")).to_have_text("The server does not answer.")
    page.locator("#control-n").fill("4")
    expect(page.locator("#message")).to_have_text("The server does not answer.")
    with serving(mine) as second:
        assert second.address == first.address
        expect(page.locator("#live")).to_be_empty()
        painted(page, n=4)  # what was asked for meanwhile
        page.locator("#control-n").fill("5")
        painted(page, n=5)
        with serving(mine) as third:  # beside it: other keys, at another port
            assert third.port != second.port and third.token != second.token


def test_a_page_of_other_keys_says_what_to_do(context: BrowserContext, space: Space, tmp_path: Path) -> None:
    root = tmp_path / "book"
    shutil.copytree(space.root, root, ignore=shutil.ignore_patterns(".figmill", "build"))
    with serving(Space(root)) as first:
        page = entered(context, first)
        page.goto(f"{first.origin}/figure/tall")
        expect(page.locator("#control-n")).to_be_visible()
        first.interrupt()
    (root / ".figmill/serve").unlink()
    with serving(Space(root), "--port", str(first.port)):
        expect(page.locator("#live")).to_contain_text("open the address that `figmill watch` printed")


def test_keys_are_kept_for_their_owner_and_believed_where_they_were_made(tmp_path: Path) -> None:
    keys = Keys.fresh(4321)
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    session.keep(one, keys)
    path = one / ".figmill/serve"
    assert session.kept(one) == keys
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    shutil.copytree(one, other)  # what comes with an archive or a commit
    assert session.kept(other) is None
    path.chmod(0o644)
    assert session.kept(one) is None
    path.chmod(0o600)
    path.write_bytes(path.read_bytes().replace(b"4321", b"4322"))
    assert session.kept(one) is None
    path.unlink()
    os.symlink(other / ".figmill/serve", path)
    assert session.kept(one) is None
