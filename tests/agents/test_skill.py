"""SKILL.md: a program that only follows it brings drawings to no finding, and every command in it exists."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.agent import repaired
from helpers.book import Space
from helpers.cases import cases
from helpers.seeded_drawings import DEFECTS, Box, Line, Sketch, by_hand, good
from helpers.seeded_style import KEPT, breaches

from figmill.agents import SKILL
from figmill.config.style import style, with_palette
from figmill.house_style import NONE, Style
from figmill.lint.receipt import LAYOUT, receipt
from figmill.palette import ROLES

TEN = (
    ("almost-aligned", 0),
    ("short-arrow", 1),
    ("arrow-inside", 2),
    ("edge-through-box", 1),
    ("boxes-overlap", 3),
    ("edge-ends-nowhere", 2),
    ("label-far-from-line", 0),
    ("text-astray", 2),
    ("loose-arrow", 3),
    ("unequal", 1),
)
COUNTED = {"crossings", "crowded"}  # these notes only count


def left(svg: bytes, stated: Style = NONE) -> list[str]:
    _, findings = repaired(svg, lambda data: receipt(None, "a.svg", data, {}, style=stated))
    return [finding for finding in findings if finding.partition(":")[0] not in COUNTED]


@cases(("check", "number"), TEN)
def test_a_seeded_defect_is_repaired_by_what_its_finding_says(check: str, number: int) -> None:
    svg = by_hand(DEFECTS[check](number)).encode()
    assert check in {row["check"] for row in receipt(None, "a.svg", svg, {})["findings"]}
    assert left(svg) == []


def several() -> Sketch:
    """A box 3 px low, a wider one, an arrow that stops short, and a line that ends in the gap."""
    items, right, bottom = good(0)
    boxes = [place for place, item in enumerate(items) if isinstance(item, Box)]
    lines = [place for place, item in enumerate(items) if isinstance(item, Line)]
    low, wide = (items[boxes[at]] for at in (1, 2))
    assert isinstance(low, Box)
    assert isinstance(wide, Box)
    items[boxes[1]] = replace(low, y=low.y + 3)
    items[boxes[2]] = replace(wide, width=wide.width + 9)
    for place, by in ((lines[0], 12.0), (lines[2], 40.0)):
        line = items[place]
        assert isinstance(line, Line)
        (start, (x, y)) = line.points
        items[place] = replace(line, points=(start, (x - by, y)), has_head=by < 20)
    return items, right, bottom


def test_several_defects_in_one_drawing_are_repaired() -> None:
    svg = by_hand(several()).encode()
    assert len(receipt(None, "a.svg", svg, {})["findings"]) >= 4
    assert left(svg) == []


@pytest.mark.soak
def test_several_defects_are_repaired_with_the_commands_themselves(space: Space, tmp_path: Path) -> None:
    place = tmp_path / "flow.svg"

    def printed(data: bytes) -> dict[str, object]:
        place.write_bytes(data)
        layout: dict[str, object] = json.loads(space.run("facts", str(place), "--layout").out)
        return layout

    svg = by_hand(several()).encode()
    assert len(printed(svg)["findings"]) >= 4  # type: ignore[arg-type]
    _, findings = repaired(svg, printed)
    assert findings == []


@pytest.mark.soak
def test_what_the_messages_suffice_for() -> None:
    """`-s` prints how many of the drawings by hand are brought to no finding."""
    clean, rest = 0, []
    for check, write in DEFECTS.items():
        for number in range(4) if check not in {*COUNTED, "small-on-phone"} else ():
            findings = left(by_hand(write(number)).encode())
            clean += not findings
            rest += [f"{check}-{number}"] if findings else []
    for rule, value in KEPT.items():
        stated = with_palette(style({rule: value}), ROLES)
        for name, svg in [*breaches(rule)][:4]:
            findings = left(svg, stated)
            clean += not findings
            rest += [name] if findings else []
    print(clean, rest)
    assert clean >= 110


def test_it_names_every_check_of_the_layout_and_of_the_style(space: Space) -> None:
    place = Path(space.run("mcp", "--skill").out.strip())
    assert place == SKILL
    rows = re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|", place.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"[a-z-]+", row)} >= LAYOUT
