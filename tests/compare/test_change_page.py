"""The page, the Markdown and the exit code of a comparison, by the real command and in Chromium."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers.book import DOT, HAND, Space, believed
from playwright.sync_api import Browser, Page

HOSTILE = 'a </script><img src=x onerror=alert(1)> "quoted" | @you `x`'


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book that is built and committed, with one graph, one alt and one drawing changed since, and one new."""
    space = Space(tmp_path_factory.mktemp("books") / "book")
    space.write(
        {
            "visuals/a.dot": DOT,
            "visuals/b.dot": "digraph { c -> d }",
            "visuals/c.svg": HAND,
            ".gitignore": "build/\n.figmill/\n",
        }
    )
    space.question("graph", "source: a.dot, alt: a sends to b")
    space.question("other", "source: b.dot, alt: a line")
    space.question("hand", "source: c.svg, alt: a box")
    assert space.run().code == 0
    space.git("init", "-q")
    space.git("add", ".")
    space.git("commit", "-qm", "one")
    space.write({"visuals/a.dot": DOT.replace("sends", "gives"), "visuals/d.svg": HAND})
    space.question("other", f"source: b.dot, alt: '{HOSTILE}'")
    space.question("new", "source: d.svg, alt: another box")
    return space.root


@pytest.fixture
def changed(template: Path, space: Space) -> Space:
    """A copy of it."""
    shutil.copytree(template, space.root, symlinks=True, dirs_exist_ok=True)
    believed(space.root)
    return space


WAYS = {
    "dry run": ("--dry-run",),
    "check": ("--check",),
    "a commit": ("--check", "--against", "HEAD"),
    "two commits": ("--check", "--against", "HEAD~1..HEAD"),
    "a build": (),
}


@pytest.mark.parametrize("arguments", WAYS.values(), ids=WAYS)
def test_the_page_and_the_markdown_tell_the_same_changes(changed: Space, arguments: tuple[str, ...]) -> None:
    """And the pictures lie at the paths that the Markdown has, in every way of comparing."""
    if "HEAD~1..HEAD" in arguments:
        changed.git("add", ".")
        changed.git("commit", "-qm", "two")
    place = changed.root.parent / "report.html"
    shown = ("--pictures", "out/shown") if arguments else ()
    ran = changed.run(*arguments, "--report", str(place), "--format", "markdown", *shown)
    assert (ran.code, ran.err) == (3 if "--check" in arguments else 0, "")
    assert ran.out.startswith("### Figures: 1 new, 2 changed, 1 as before (of 4)\n")
    assert "words: 'sends' is now 'gives'" in ran.out
    match = re.search(r'id="data">(.*?)</script>', place.read_text(), re.S)
    assert match is not None
    data = json.loads(match[1])
    assert {row["label"]: row["verb"] for row in data["figures"]} == {
        "graph": "change",
        "other": "change",
        "new": "create",
    }
    assert "<img" not in match[1] and "| @you" not in ran.out
    if not shown:
        return
    pairs = re.findall(r"!\[graph\]\(<([^>]+)>\)", ran.out)
    assert pairs == ["out/shown/graph.before.svg", "out/shown/graph.after.svg"], ran.out
    before, after = (changed.read(path) for path in pairs)
    assert (">sends<" in before, ">gives<" in before) == (True, False)
    assert (">sends<" in after, ">gives<" in after) == (False, True)
    # what is new has no before, an alt no picture
    pictures = {path.name for path in (changed.root / "out/shown").iterdir()}
    assert pictures == {"graph.before.svg", "graph.after.svg", "graph.change.png"}
    first = ran.out.index("](<out/shown/graph.change.png>)")
    assert first < ran.out.index("renamed: 1 label") < ran.out.index("| before | after |")


def test_two_commits_and_two_folders(changed: Space) -> None:
    """Folders as JSON have the same keys with the same meaning as a check; what only a build can know (reasons,
    seconds) says nothing.
    """
    against = changed.run("--check", "--ignore-invisible", "--against", "HEAD", "--format", "json").json
    changed.git("add", ".")
    changed.git("commit", "-qm", "two")
    between = changed.run("--check", "--against", "HEAD~1..HEAD", "--format", "markdown")
    assert (between.code, between.out.splitlines()[0]) == (
        3,
        "### Figures: 1 new, 2 changed, 1 as before (of 4)",
    )
    old = changed.root.parent / "old"
    (changed.root / "build").rename(old)
    assert changed.run().code == 0
    ran = changed.run("diff", str(old), "build")
    assert (
        ran.code == 3
        and "words: 'sends' is now 'gives'" in ran.out
        and ran.out.endswith("3 figures differ\n")
    )
    same = changed.run("diff", "build", "build/manifest.json")
    assert (same.code, same.out) == (0, "0 figures differ\n")
    ran = changed.run("diff", str(old), "build", "--format", "json")
    counts = {name: count for name, count in against["summary"].items() if name != "fresh"}
    assert ran.code == 3 and ran.json["summary"] == {**counts, "unchanged": 1}
    for mine, wanted in zip(ran.json["figures"], against["figures"], strict=True):
        assert mine.keys() == wanted.keys()
        keys = ("id", "name", "kind", "changed", "pixels")
        assert {key: mine.get(key) for key in keys} == {key: wanted.get(key) for key in keys}
    by_id = {row["id"]: row for row in ran.json["figures"]}
    assert "words: 'sends' is now 'gives'" in by_id["graph"]["changed"] and 0 < by_id["graph"]["pixels"] < 1
    assert by_id["hand"]["status"] == "unchanged" and "changed" not in by_id["hand"]
    same_folder = changed.run("diff", "build", "build", "--format", "json")
    assert same_folder.code == same_folder.json["summary"]["exit"] == 0


def test_what_nobody_sees_can_pass(changed: Space) -> None:
    assert changed.run().code == 0
    changed.write({"visuals/c.svg": HAND.replace("<rect", '<g><g fill="none"/></g><rect')})
    plain, passed = (changed.run("--check", *arguments) for arguments in ((), ("--ignore-invisible",)))
    assert (plain.code, passed.code) in ((3, 0), (0, 0))
    changed.write({"visuals/c.svg": HAND.replace("Rank 0", "Rank 1")})
    assert changed.run("--check", "--ignore-invisible").code == 3


def test_what_the_pixels_do_not_show_as_browsers_do_cannot_pass_unseen(changed: Space) -> None:
    lined = HAND.replace("<text", '<text text-decoration="underline"')
    changed.write({"visuals/c.svg": lined})
    assert changed.run().code == 0
    changed.write({"visuals/c.svg": lined.replace("<rect", '<g><g fill="none"/></g><rect')})
    told = changed.run("--check", "--ignore-invisible")
    assert told.code == 3
    assert "check in a browser, which draws lines under and through words differently" in told.out
    assert "nothing visible" not in told.out


def test_a_summary_goes_where_the_job_wants_it(changed: Space) -> None:
    place = changed.root.parent / "summary.md"
    place.write_text("before\n")
    assert changed.run("--check", "--summary", env={"GITHUB_STEP_SUMMARY": str(place)}).code == 3
    assert place.read_text().startswith("before\n### Figures: 1 new, 2 changed, 1 as before (of 4)\n")
    ran = changed.run("--check", "--summary", env={"GITHUB_STEP_SUMMARY": ""})
    assert "--summary wrote nothing, because $GITHUB_STEP_SUMMARY is not set" in ran.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--check", "--report", "build/r.html"), "build/ is for outputs only; choose a place outside"),
        (("--check", "--report", "missing/r.html"), "--report missing/r.html: No such file or directory"),
        (
            ("--check", "--format", "markdown", "--pictures", "build/p"),
            "--pictures build/p: build/ is for outputs",
        ),
        (("--check", "--pictures", "p"), "--pictures goes with --format markdown or --summary"),
        (
            ("--check", "--format", "markdown", "--pictures", "visuals/a.dot/p"),
            "--pictures visuals/a.dot/p: ",
        ),
        (("--ignore-invisible",), "--ignore-invisible goes with --check"),
        (("--check", "--against", "nowhere..HEAD"), "nowhere"),
        (("diff", "questions", "build"), "questions/manifest.json does not exist"),
    ],
)
def test_what_cannot_be_shown_is_one_line(changed: Space, arguments: tuple[str, ...], told: str) -> None:
    ran = changed.run(*arguments)
    assert ran.code == 2 and told in ran.err and "Traceback" not in ran.err, ran.err


@pytest.fixture(scope="module")
def report(template: Path) -> Path:
    """The page about it, by a check of another copy."""
    place = template.parent / "report.html"
    shutil.copytree(template, template.parent / "shown", symlinks=True)
    believed(template.parent / "shown")
    assert Space(template.parent / "shown").run("--check", "--report", str(place)).code == 3
    return place


@pytest.fixture
def shown(report: Path, browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("dialog", lambda dialog: told.append(dialog.message))
    page.goto(report.as_uri())
    yield page, told
    page.close()


def test_each_mode_is_a_key_away(shown: tuple[Page, list[str]]) -> None:
    page, told = shown
    stage = page.locator("article[aria-label=graph] .stage")
    # The first mode is shown.
    assert stage.locator(".legend li").all_inner_texts()[0] == "renamed: 1 label"
    assert "'sends' is now 'gives'" in (stage.locator("img").get_attribute("alt") or "")
    other = page.locator("article[aria-label=new] .stage")
    assert other.locator("figcaption").all_inner_texts() == ["Before", "After"]  # it has no other picture
    page.keyboard.press("1")
    assert stage.locator("figcaption").all_inner_texts() == ["Before", "After"]
    for key, sign in (
        ("2", "input[type=range]"),
        ("3", "input[type=range]"),
        ("4", "button"),
        ("5", ".differs"),
        ("6", ".legend"),
    ):
        page.keyboard.press(key)
        assert stage.locator(sign).count() == 1, key
    page.keyboard.press("t")
    assert page.locator("article[aria-label=graph] .stage.dark").count() == 1
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.locator("article.current").count() == 1 and "figure=" in page.url and "theme=dark" in page.url
    page.get_by_role("searchbox").fill("gives")
    assert page.locator("article:visible").all_inner_texts()[0].startswith("graph")
    assert page.locator("article:visible").count() == 1
    assert told == []


def test_a_link_opens_a_figure_in_its_mode(shown: tuple[Page, list[str]]) -> None:
    page, told = shown
    page.goto(page.url.split("#")[0] + "#figure=hand&mode=slider&theme=dark")
    page.goto(page.url.split("#")[0] + "#figure=graph&mode=onion&theme=dark")
    assert page.locator("article.current").get_attribute("aria-label") == "graph"
    assert page.locator("button[data-mode=onion]").get_attribute("aria-pressed") == "true"
    page.goto(page.url.split("#")[0] + "#figure=graph&mode=change&theme=dark")
    assert page.locator("button[data-mode=change]").get_attribute("aria-pressed") == "true"
    assert page.locator("article[aria-label=graph] .stage.dark .legend").count() == 1
    assert told == []


def test_a_large_page_is_compressed_and_opens(changed: Space, browser: Browser) -> None:
    # No two alike: the page keeps each line once.
    shapes = "".join(
        f'<rect x="{n % 91}.{n % 997:03}" y="{n % 53}.{n % 991:03}" width="1.5" height="3"/>'
        for n in range(9000)
    )
    changed.write(
        {"visuals/c.svg": HAND.replace("<rect", shapes.replace("y=", "fill='#123456' y=") + "<rect", 1)}
    )
    place = changed.root.parent / "large.html"
    assert changed.run("--check", "--report", str(place)).code == 3
    text = place.read_text()
    assert 'type="application/gzip"' in text and len(text) < 1_000_000
    page = browser.new_page()
    page.goto(place.as_uri())
    page.wait_for_selector("article[aria-label=hand] .stage img")
    assert page.locator("article").count() == 4


def test_hostile_words_stay_words(shown: tuple[Page, list[str]]) -> None:
    page, told = shown
    assert page.locator("article[aria-label=other]").inner_text().count("<img src=x onerror=alert(1)>") > 0
    assert page.locator("img[src=x]").count() == 0 and told == []
    assert Path(page.url.removeprefix("file://").split("#")[0]).read_text().count("</script>") == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(shown: tuple[Page, list[str]], scheme: Literal["light", "dark"]) -> None:
    page, _ = shown
    page.emulate_media(color_scheme=scheme)
    for key in "123456":
        page.keyboard.press(key)
        results = Axe().run(page).response
        assert results["passes"], "axe looked at nothing"
        assert [
            (violation["id"], violation["nodes"][0]["html"]) for violation in results["violations"]
        ] == [], key
