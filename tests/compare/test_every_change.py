"""Every kind of change in one book: each figure is one entry, told as what it is, and the header's sum is right."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from helpers.book import DOT, HAND, Ran, Space, believed
from playwright.sync_api import Browser, expect

from figmill.compare import drawing, pictures
from figmill.compare.comparisons import Comparisons

CHAIN = """\
from figmill import Drawing


def draw(n=2, way="down"):
    edges = "".join(f'n{i} -> n{i + 1} [label="{way}"]' for i in range(n))
    return Drawing(f"digraph {{ {edges} }}", facts={"edge_count": n})
"""
EXPLORED = "source: chain.py, kind: dot, params: {n: 1}, explore: {n: [1, 2, 3]}, alt: a chain"
HANDS = (
    "same",
    "worded",
    "fewer",
    "more",
    "gone",
    "moved",
    "broken",
    "unread",
    "mended",
    "twice",
    "alt",
    "dark",
)


def drawing_of(name: str) -> str:
    """A drawing of its own for each figure: none is like another."""
    boxes = "".join(
        f'<rect x="{3 + 7 * n}" y="{5 + (hash_of(name) * (n + 3)) % 40}" width="6" height="{4 + n}" fill="#2f6fb0"/>'
        for n in range(8)
    )
    labels = f'<text x="10" y="70" font-size="10">{name} one</text><text x="10" y="85" font-size="10">{name} two</text>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="120" height="90" viewBox="0 0 120 90">{boxes}{labels}</svg>'


def hash_of(name: str) -> int:
    return sum(number * ord(letter) for number, letter in enumerate(name, 1))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    space = Space(tmp_path_factory.mktemp("every") / "book")
    space.write({"visuals/chain.py": CHAIN, ".gitignore": "build/\n.figmill/\n", "visuals/a.dot": DOT})
    for name in HANDS:
        space.write({f"visuals/{name}.svg": drawing_of(name)})
        space.question(name, f"source: {name}.svg, alt: a drawing of {name}")
    space.question("more", "source: more.svg, alt: more, themes: [light]")
    space.question("mended", "source: nowhere.svg, alt: it fails")
    space.question("twice", "source: nowhere.svg, alt: it fails twice")
    space.question("turned", EXPLORED)
    space.question("graph", "source: a.dot, alt: a sends to b")
    space.run()
    space.git("init", "-q")
    space.git("add", ".")
    space.git("commit", "-qm", "one")
    # What becomes of each:
    space.write({"visuals/worded.svg": drawing_of("worded").replace("worded one", "another word")})
    space.question("fewer", "source: fewer.svg, alt: a drawing of fewer, themes: [light]")
    space.question("more", "source: more.svg, alt: more")
    (space.root / "questions/gone.yaml").unlink()
    (space.root / "visuals/gone.svg").unlink()
    (space.root / "questions/moved.yaml").unlink()
    (space.root / "visuals/moved.svg").rename(space.root / "visuals/renamed.svg")
    space.question("renamed", "source: renamed.svg, alt: a drawing of moved")
    (space.root / "questions/graph.yaml").unlink()
    space.write({"visuals/a.dot": DOT.replace("sends", "gives")})
    space.question("diagram", "source: a.dot, alt: a sends to b")
    space.write({"visuals/broken.svg": "<svg"})
    space.write({"questions/unread.yaml": "id: [\n"})
    space.question("mended", "source: mended.svg, alt: it fails no more")
    space.question("alt", "source: alt.svg, alt: other words")
    space.write({"visuals/new.svg": drawing_of("new")})
    space.question("new", "source: new.svg, alt: a new one")
    space.question("turned", EXPLORED.replace("n: [1, 2, 3]", "n: [1, 2, 4]"))
    space.git("add", ".")
    space.git("commit", "-qm", "two")
    return space.root


@pytest.fixture(scope="module")
def compared(template: Path) -> Ran:
    """What a check of the book against its first commit says as JSON, beside the page r.html."""
    ran = Space(template).run("--check", "--against", "HEAD~1", "--report", "r.html", "--format", "json")
    assert ran.code == 1, ran.err
    return ran


# verb, and what is said of it
EXPECTED = {
    "worded": ("change", ("words: 'worded one' is now 'another word'",)),
    "fewer": ("change", ("the dark theme is gone",)),
    "more": ("change", ("the dark theme is new",)),
    "gone": ("remove", ("the figure is gone",)),
    "renamed": ("rename", ("renamed from 'moved'",)),
    "diagram": (
        "change",
        ("renamed from 'graph'", "words: 'sends' is now 'gives'", "size: 79 x 215 is now 73 x 215 px"),
    ),
    "mended": ("create", ("a figure that failed before",)),
    "alt": ("change", ("alt: 'a drawing of alt' is now 'other words'",)),
    "new": ("create", ("a new figure",)),
    "turned": ("change", ("2 explored pictures",)),
    "broken": ("fail", ()),
    "twice": ("fail", ("it also failed before",)),
}
SAME = 2  # `same` and `dark`


def entries(page: str) -> dict[str, Any]:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert match
    data: dict[str, Any] = json.loads(match[1])
    return data


def test_each_figure_is_one_entry_and_the_sum_is_right(template: Path, compared: Ran) -> None:
    """Of the book against its first commit, and of its two commits."""
    whole = each_is_one_entry((template / "r.html").read_text())
    assert compared.json["summary"]["total"] == whole
    arguments = ("--check", "--against", "HEAD~1..HEAD", "--report", "commits.html", "--format", "markdown")
    ran = Space(template).run(*arguments)
    assert ran.code == 1, ran.err
    whole = each_is_one_entry((template / "commits.html").read_text())
    assert ran.out.splitlines()[0].endswith(f"(of {whole})")


def each_is_one_entry(page: str) -> int:
    """Check the entries of a page; the sum in its header."""
    data = entries(page)
    labels = Counter(figure["label"] for figure in data["figures"])
    assert max(labels.values()) == 1
    by_label = {figure["label"]: figure for figure in data["figures"]}
    unread = [label for label in by_label if "unread" in label]
    assert len(unread) == 1 and by_label[unread[0]]["verb"] == "fail"
    told = {
        name: (figure["verb"], tuple(figure["said"]))
        for name, figure in by_label.items()
        if name not in unread
    }
    assert told == EXPECTED
    # The header, counted again from the entries.
    verbs = Counter(figure["verb"] for figure in data["figures"])
    counted = dict(data["counts"])
    assert counted["as before"] == SAME
    assert sum(counted.values()) == data["whole"] == len(data["figures"]) + SAME == len(EXPECTED) + 1 + SAME
    assert (counted["new"], counted["gone"], counted["failed"]) == (
        verbs["create"],
        verbs["remove"],
        verbs["fail"],
    )
    assert counted["changed"] + counted["renamed"] == verbs["change"] + verbs["rename"]
    # A theme that came or went is no difference in pixels.
    assert by_label["fewer"]["share"] == by_label["more"]["share"] == 0
    assert [theme["name"] for theme in by_label["fewer"]["states"][0]["themes"]] == ["light", "dark"]
    assert [state["name"] for state in by_label["turned"]["states"]] == ["", "n = 3", "n = 4"]
    whole: int = data["whole"]
    return whole


def test_the_rows_tell_the_same(compared: Ran) -> None:
    rows = compared.json
    by_id = {row["id"]: row for row in rows["figures"] if row["id"]}
    assert by_id["renamed"]["was"] == "moved" and by_id["renamed"]["status"] == "would-change"
    assert by_id["gone"]["status"] == "would-remove" and by_id["new"]["status"] == "would-create"
    assert by_id["fewer"]["status"] == by_id["more"]["status"] == "would-change"
    assert "moved" not in by_id and "unread" not in by_id
    assert rows["summary"]["total"] == len(rows["figures"]) == len(EXPECTED) + 1 + SAME


def test_a_figure_that_failed_in_one_of_two_folders(template: Path, space: Space) -> None:
    """Its picture there is an older one, and no change is no news."""
    shutil.copytree(template, space.root, symlinks=True, dirs_exist_ok=True)
    believed(space.root)
    space.git("checkout", "-q", "HEAD~1")
    space.run()
    old = space.root.parent / "old"
    shutil.copytree(space.root / "build", old)
    space.git("checkout", "-q", "-")
    space.run()
    space.run("diff", str(old), "build", "--report", "r.html")
    by_label = {figure["label"]: figure for figure in entries(space.read("r.html"))["figures"]}
    assert by_label["broken"]["verb"] == "fail" and "could not be built" in by_label["broken"]["errors"][0]
    assert by_label["renamed"]["verb"] == "rename" and by_label["gone"]["verb"] == "remove"


def test_two_figures_that_are_unlike_are_no_renaming(space: Space) -> None:
    space.write({"visuals/a.svg": drawing_of("a")})
    space.question("a", "source: a.svg, alt: one")
    assert space.run().code == 0
    shutil.copytree(space.root / "build", space.root.parent / "old")
    (space.root / "questions/a.yaml").unlink()
    space.write({"visuals/b.svg": HAND})
    space.question("b", "source: b.svg, alt: another")
    assert space.run().code == 0
    ran = space.run("diff", str(space.root.parent / "old"), "build", "--format", "markdown")
    assert ran.out.splitlines()[0] == "### Figures: 1 new, 1 gone (of 2)"


@pytest.mark.usefixtures("compared")
def test_the_page_shows_the_picture_that_is_chosen(template: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((template / "r.html").as_uri())
    card = page.locator("article", has_text="explored pictures")
    choose = card.get_by_label("Picture")
    assert choose.locator("option").all_inner_texts() == ["as declared", "n = 3", "n = 4"]
    card.scroll_into_view_if_needed()
    expect(card.get_by_text("There is none.")).to_have_count(1)  # n = 3 is gone
    choose.select_option("as declared")
    expect(card.locator(".stage img")).to_have_count(2)
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, summary, .head a")]
        .map(one => one.type === "checkbox" ? one.closest("label") : one)
        .map(one => [one.outerHTML, one.getBoundingClientRect()])
        .filter(([_, box]) => box.height && Math.min(box.width, box.height) < 23.9).map(([words]) => words)"""
    )
    assert small == []
    page.close()


# ---- time --------------------------------------------------------------------------------------------------------


def test_what_was_compared_is_not_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [("light", drawing_of(name).encode(), drawing_of(f"{name}x").encode()) for name in "abc"]
    comparisons = Comparisons(tmp_path, ())
    first = drawing.differences(pairs, (), 1, comparisons)
    comparisons.keep()
    monkeypatch.setattr(drawing, "compare", lambda *_, **__: pytest.fail("it was drawn again"))
    again = Comparisons(tmp_path, ())
    assert drawing.differences(pairs, (), 1, again) == first
    assert again.get(("dark", *pairs[0][1:])) is None
    shutil.copytree(tmp_path, tmp_path.parent / "copied")  # nobody believes what comes with an archive
    assert Comparisons(tmp_path.parent / "copied", ()).get(pairs[0]) is None


def test_a_large_figure_is_compared_smaller_and_marked_at_its_place() -> None:
    box = '<rect x="800" y="1000" width="200" height="100" fill="{fill}"/>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{{w}}" height="{{h}}">{box}</svg>'
    one, other = (svg.format(w=1600, h=1800, fill=fill).encode() for fill in ("#ff0000", "#0000ff"))
    assert pictures.scale(one) == pytest.approx((1_500_000 / (1600 * 1800)) ** 0.5)
    change, trouble = drawing.compare(("light", one, other))
    assert trouble == "" and change.box == pytest.approx((800, 1000, 1000, 1100), abs=3)
    assert change.share == pytest.approx(200 * 100 / (1600 * 1800), rel=0.03)
    # Two sizes are compared at one scale.
    wide = svg.format(w=3200, h=1800, fill="#ff0000").encode()
    change, _ = drawing.compare(("light", one, wide))
    assert change.share == pytest.approx(0.5, rel=0.01)
