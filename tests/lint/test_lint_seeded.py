"""What `lint` catches of known defects, and that it is quiet about good figures. `-s` prints the table."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from helpers.book import REPOSITORY, Space
from helpers.seeded import DEFECTS, GOOD, LOOSE, write_defects, write_good

# What is told on other checks of the seeded figures, as they have that defect too.
ALSO = {
    ("colour-only", "off-palette"),
    ("text-as-paths", "off-palette"),
    ("contrast", "small-text"),
    ("graphviz", "text-outside"),
    ("graphviz", "line-through-text"),
    ("artwork", "off-palette"),
    ("off-palette", "artwork"),
    ("words-in-picture", "dark-picture"),
    ("not-repeatable", "clock"),
}
# What only drawing again can tell.
TWICE = {"not-repeatable", "clock"}


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.soak)])
def test_every_seeded_defect_is_found(space: Space, step: int) -> None:
    expected = write_defects(space, step)
    ran = space.run("lint", "--format", "json")
    assert ran.code == 0, ran.err
    differing = [word for name, check in expected.items() if check in TWICE for word in ("--id", name)]
    again = space.run("lint", "--twice", *differing, "--format", "json")
    assert again.code == 0, again.err
    told: dict[str, set[str]] = {name: set() for name in expected}
    for finding in ran.json["findings"] + again.json["findings"]:
        name = finding["file"] if finding["file"] in expected else finding["id"] or finding["file"]
        told.setdefault(name, set()).add(finding["check"])
    caught = Counter(check for name, check in expected.items() if check in told[name])
    seeded = Counter(expected.values())
    for check in sorted(seeded):
        print(f"| `{check}` | {seeded[check]} | {caught[check]} |")
    print(f"{seeded.total()} seeded, {caught.total()} caught; {len(GOOD)} good figures")
    assert {name: check for name, check in expected.items() if check not in told[name]} == {}
    surplus = {(expected.get(name), check) for name, checks in told.items() for check in checks}
    assert {(of, check) for of, check in surplus if of != check} <= ALSO


@pytest.mark.parametrize(("step", "again"), [(2, "g?4"), pytest.param(1, "g*", marks=pytest.mark.soak)])
def test_good_figures_are_left_in_peace(space: Space, step: int, again: str) -> None:
    """Each n-th. again: which of them are drawn twice."""
    count = write_good(space, step)
    ran = space.run("lint")
    told = f"{count} figures: nothing found; noted: 1 clearance (--verbose lists them); 1 let off\n"
    assert (ran.out, ran.code) == (told, 0), ran.err
    twice = space.run("lint", "--twice", "--id", again, "--format", "json")
    assert "not-repeatable" not in {finding["check"] for finding in twice.json["findings"]}, twice.out
    assert twice.code == 0, twice.err


def test_the_showcase_is_left_in_peace(showcase: Path) -> None:
    ran = Space(showcase).run("lint")
    count = len(list((REPOSITORY / "questions").rglob("*.yaml")))
    noted = "1 crossings, 2 unequal (--verbose lists them)"  # looked at: as their sources ask for
    assert (ran.out, ran.code) == (f"{count} figures: nothing found; noted: {noted}\n", 0), ran.err


def test_the_documents_state_what_was_measured() -> None:
    text = (REPOSITORY / "docs/developers/measured.md").read_text(encoding="utf-8")
    stated = {
        name: (int(seeded), int(caught))
        for name, seeded, caught in re.findall(r"^\| `([a-z-]+)` \| (\d+) \| (\d+) \|$", text, re.MULTILINE)
    }
    seeded = Counter([check for check, _ in DEFECTS] + [check for check, *_ in LOOSE])
    assert stated == {check: (count, count) for check, count in seeded.items()}
    assert f"{len(GOOD)} good figures" in text
