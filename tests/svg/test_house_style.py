"""The rules of a house style: what each finds, what it leaves alone, and the guides of the documentation."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from helpers.book import REPOSITORY
from helpers.boxes import HEAD, ROW, box, drawing, line
from helpers.cases import cases
from helpers.seeded_style import KEPT, breaches, keeping

from figmill.config.style import STYLE, style, with_palette
from figmill.house_style import NONE, RULES
from figmill.lint.drawings import findings
from figmill.palette import ROLES
from figmill.svg.checks.house_style import FUNCTIONS

JOINED = (line("M120 40H220"), line("M320 40H420"))
LEVELS = {rule.check: "warn" for rule in RULES.values()}
GUIDES = [
    tomllib.loads(block)["tool"]["figmill"]["style"]
    for block in re.findall(
        r"^```toml\n(.*?)^```", (REPOSITORY / "docs/fix.md").read_text(encoding="utf-8"), re.M | re.S
    )
]


def told(rules: dict[str, Any], *items: str, at: bytes | None = None) -> list[tuple[str, str]]:
    """The checks with their messages, under these rules."""
    stated = with_palette(style(rules), ROLES)
    results = findings("a.svg", at or drawing(*items), LEVELS, stated)
    return [(finding.check, finding.message) for finding in results]


def test_each_rule_has_a_setting_a_check_and_a_function() -> None:
    assert list(STYLE) == list(RULES) == list(KEPT)
    assert [*FUNCTIONS, "colours", "most_colours"] == list(RULES)
    assert style({}) == NONE
    assert all(style({name: value}) != NONE for name, value in KEPT.items())
    examples = tomllib.loads("\n".join(f"{name} = {rule.example}" for name, rule in STYLE.items()))
    assert all(style(examples).states(name) for name in RULES)


def missed(rule: str, few: bool) -> list[str]:
    rules = {rule: KEPT[rule]}
    drawings = [row for number, row in enumerate(breaches(rule)) if not few or number % 4 == number // 4 % 4]
    return [name for name, data in drawings if RULES[rule].check not in dict(told(rules, at=data))]


@cases("rule", KEPT)
def test_a_breach_is_found_in_the_manner_of_every_tool(rule: str) -> None:
    assert missed(rule, few=True) == []


@pytest.mark.soak
@pytest.mark.parametrize("rule", KEPT)
def test_every_breach_is_found(rule: str) -> None:
    assert missed(rule, few=False) == []


def test_drawings_that_keep_every_rule_are_left_in_peace() -> None:
    assert {name: rows for name, data in keeping() if (rows := told(KEPT, at=data))} == {}


APART = (ROW[0], ROW[1], box(430, 20, "Server"))
THICK = 'fill="#cfe2f3" stroke="#4a90c4" stroke-width="3" rx="6"'
LOW = '<rect x="20" y="120" width="100" height="40" fill="#eee"/><text x="50" y="155">Queue</text>'
LARGER = (
    '<rect x="220" y="120" width="120" height="40" fill="#cfe2f3" stroke="#4a90c4"/>'
    '<text x="240" y="145">Log</text>'
)
LOG = box(20, 160, "Log")
FAR = box(320, 160, "Log")
# rules; what is drawn beside the lines of a row; what is said
ROWS: list[tuple[dict[str, Any], tuple[str, ...], list[str]]] = [
    (
        {"grid": 10},
        (*ROW, box(23, 120, "Log")),
        ["the box 'Log' is off the grid of 10 px: x = 20, y = 120"],
    ),
    (
        {"padding": {"beside": 10, "above": 8}},
        (*ROW, LOW),
        [
            "the text in the box 'Queue' is 2.1 px from its lower side; the style asks for 8 px: "
            "move the text 5.9 px up"
        ],
    ),
    (
        {"padding": 10},
        (*ROW, box(20, 120, "A long name in it")),
        [
            "the text in the box 'A long name in it' reaches 2.1 px past its left side; the style asks for 10 px: "
            "x = 7.9, width = 124.3"
        ],
    ),
    (
        {"gaps": "equal"},
        (*APART, box(20, 120, "A"), box(220, 120, "B"), box(420, 120, "C")),
        [
            "the gap between 'Relay' and 'Server' is 110 px; others in this row have 100 px: move 'Server' to x = 420"
        ],
    ),
    (
        {"gaps": 100},
        APART,
        [
            "the gap between 'Relay' and 'Server' is 110 px; the style asks for 100 px: move 'Server' to x = 420"
        ],
    ),
    (
        {"box_sizes": "equal"},
        (*ROW, LARGER),
        ["the box 'Log' is 120 px wide, and the style asks for one size of each role: width = 100"],
    ),
    (
        {"smallest_box": {"width": 80, "height": 44}},
        (*ROW[:2],),
        [
            "the box 'Client' is 40 px high; the style asks for 44 px: height = 44",
            "the box 'Relay' is 40 px high; the style asks for 44 px: height = 44",
        ],
    ),
    (
        {"arrow_ends": 2},
        (*ROW, line("M70 160V72")),
        [],  # it joins no two boxes
    ),
    (
        {"arrow_ends": 2},
        (*ROW, LOG, line("M70 160V72")),
        ["an arrow ends 11.3 px short of the box 'Client'; the style allows 2 px: end it at 70, 60"],
    ),
    (
        {"routes": "orthogonal"},
        (*ROW, FAR, line("M70 60L370 160")),
        [
            "the line from 'Client' to 'Log' is slanted; the style asks for right angles: "
            "M70 60L70 110L370 110L370 160"
        ],
    ),
    ({"routes": "orthogonal"}, (*ROW, FAR, line("M70 60V170Q70 180 80 180H320")), []),
    (
        {"routes": "straight"},
        (*ROW, FAR, line("M70 60V180H320")),
        ["the line from 'Client' to 'Log' bends; the style asks for straight lines: from 70, 60 to 320, 180"],
    ),
    (
        {"clearance": 4},
        (*ROW, '<text x="130" y="37">asks</text>'),
        ["the text 'asks' is 2.5 px from a line; the style asks for 4 px: move it 1.5 px up"],
    ),
    (
        {"radius": [0, 8]},
        (*ROW, box(20, 160, "Log", THICK)),
        ["the corners of the box 'Log' have a radius of 6 px; the style asks for 0 or 8 px: rx = 8"],
    ),
    (
        {"line_width": 1},
        (*ROW, box(20, 160, "Log", THICK), line("M70 60V160", 'stroke-width="2"')),
        [
            "the line from 'Client' to 'Log' is 2 px wide; the style asks for 1 px: stroke-width = 1",
            "the outline of the box 'Log' is 3 px wide; the style asks for 1 px: stroke-width = 1",
        ],
    ),
    (
        {"label_size": [12, 14], "title_size": 20},
        (
            *ROW,
            '<text x="20" y="15" font-size="18">Requests</text><text x="20" y="200" font-size="9">none</text>',
        ),
        [
            "the text 'none' has a size of 9 px; the style asks for 12 or 14 px: 12 px",
            "the title 'Requests' has a size of 18 px; the style asks for 20 px: 20 px",
        ],
    ),
    (
        {"text_sizes": 2},
        (
            *ROW,
            '<text x="20" y="200" font-size="9">none</text><text x="20" y="220" font-size="10">two</text>',
        ),
        ["the text has 3 sizes (9, 10, 14 px), and the style allows 2: set the rarest, 9 px, in 10 px"],
    ),
    (
        {"least_text": {"size": 11, "width": 320}},
        ('<text x="20" y="200" font-size="24">large</text><text x="20" y="220">small</text>',),
        [
            "the text 'small' is 7 px high in 320 px, the width in print; the style asks for 11 px: "
            "22 px in the drawing"
        ],
    ),
    (
        {"colours": ["data", "#4a90c4"]},
        ROW,
        ["the colour #cfe2f3 is not in the style; the nearest that it has is the fill of 'data', #d4edda"],
    ),
    (
        {"most_colours": 1},
        (*ROW, box(20, 160, "Log", 'fill="#e0218a" stroke="#a00"')),
        ["the drawing has 2 colours besides greys ('compute', #e0218a), and the style allows 1"],
    ),
]


@cases(("rules", "items", "messages"), ROWS)
def test_messages_say_what_would_be_right(
    rules: dict[str, Any], items: tuple[str, ...], messages: list[str]
) -> None:
    assert [message for _, message in told(rules, *items, *JOINED)] == messages


def test_heads_are_filled_hollow_or_open() -> None:
    def marked(inside: str, d: str = "M120 40H220") -> list[str]:
        marker = HEAD.replace('id="a"', 'id="b"').replace('fill="#333"', inside)
        return [
            m
            for _, m in told(
                {"arrowheads": "open"}, f"<defs>{marker}</defs>", *ROW, line(d, 'marker-end="url(#b)"')
            )
        ]

    said = "the line from 'Client' to 'Relay' has a head that is {}; the style asks for open"
    assert marked('fill="#333"') == [said.format("filled")]
    assert marked('fill="context-stroke"') == [said.format("filled")]
    assert marked('fill="#fff" stroke="#333"') == [said.format("hollow")]
    assert marked('fill="none" stroke="#333"') == [said.format("hollow")]
    legs = line("M210 34L220 40L210 46", "")
    assert told({"arrowheads": "open"}, *ROW, line("M120 40H220", ""), legs) == []
    assert [
        message for _, message in told({"arrowheads": "filled"}, *ROW, line("M120 40H220", ""), legs)
    ] == [said.format("open").replace("for open", "for filled")]


def test_a_cropped_export_stands_on_its_own_grid() -> None:
    shifted = (box(23, 24, "A"), box(223, 24, "B"), box(423, 24, "C"))
    assert told({"grid": 10}, *shifted, line("M123 44H223")) == []
    assert len(told({"grid": 10}, *shifted[:2], line("M123 44H223"))) == 2


def test_charts_and_what_programs_lay_out_have_no_places_to_keep() -> None:
    places = {name: value for name, value in KEPT.items() if RULES[name].places}
    bars = [
        f'<rect x="{n * 31}" y="{9 * n}" width="27" height="{300 - 9 * n}" fill="#ccc"/>'
        f'<text x="{n * 31 + 3}" y="200">{n}</text>'
        for n in range(9)
    ]
    assert told(places, *bars) == []
    broken = drawing(box(23, 20, "A"), box(220, 26, "B"), line("M123 40L220 50"))
    assert told(places, at=broken) != []
    for sign in (
        b"<!-- Generated by graphviz version 12 -->",
        b"<!-- Created with matplotlib -->",
        b"<?plantuml 1?>",
    ):
        assert told(places, at=sign + broken) == []


KEEPING = [
    drawing(*ROW, *JOINED),
    drawing(*ROW, *JOINED),
    drawing(
        *(box(x, 20, name, 'fill="#f6dbe0" stroke="#a31f34"') for x, name in ((20, "A"), (220, "B"))),
        JOINED[0],
    ),
    drawing(*ROW, *JOINED),
]
OPEN = HEAD.replace('id="a"', 'id="o"').replace('z" fill="#333"', '" fill="none" stroke="#333"')
SIZES = "".join(f'<text x="20" y="{300 + 20 * size}" font-size="{size}">text</text>' for size in (5, 6))
BREAKING = [
    drawing(
        box(23, 20, "A"), ROW[1], line("M123 40H209"), SIZES, '<text x="20" y="390" font-size="9">text</text>'
    ),
    drawing(
        *(
            box(20, 20 + 60 * n, "A", f'fill="#{c}"')
            for n, c in enumerate(("f0c", "0a0", "cf0", "09f", "fa0", "a0f"))
        ),
        SIZES,
        '<text x="200" y="390" font-size="9">text</text>',
    ),
    drawing(
        OPEN,
        *ROW,
        box(20, 160, "Log", 'rx="8" fill="#eee"'),
        line("M120 40H220", 'stroke-width="3" marker-end="url(#o)"'),
        SIZES,
    ),
    drawing(
        *(
            box(20, 20, "Worker 1"),
            box(160, 23, "Worker 2"),
            box(313, 20, "Worker number 3"),
            box(20, 150, "Log", 'fill="#08f"'),
        ),
        *(
            '<rect x="220" y="150" width="130" height="60" fill="#cfe2f3" stroke="#4a90c4"/>',
            '<text x="285" y="184">Tape</text>',
        ),
        *(
            line("M70 60V139"),
            line("M367 60L285 150"),
            '<text x="130" y="142" font-size="10">near</text>',
            SIZES,
            line("M120 144H220"),
        ),
    ),
]


@pytest.mark.parametrize("number", range(4))
def test_the_guides_of_the_documentation(number: int) -> None:
    """The example at the top, the least one, a publisher's, and a strict one."""
    guide = GUIDES[number]
    assert told(guide, at=KEEPING[number]) == []
    broken = {check for check, _ in told(guide, at=BREAKING[number])}
    expected = {RULES[name].check for name in guide} - ({"style-most-colours"} if number == 3 else set())
    assert broken == expected
