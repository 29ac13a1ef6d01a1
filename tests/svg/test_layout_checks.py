"""The checks that compare the parts of a drawing: each breach of a style guide, with what would be right."""

from __future__ import annotations

import pytest
from helpers.boxes import ROW, box, drawing, line

from figmill import checks
from figmill.lint.drawings import findings, sheet_of
from figmill.svg import CHECKS, layout_of

LEVELS = checks.levels_alone({})
PLAIN = ""  # a line without a head


def told(check: str, *items: str) -> list[str]:
    return [
        finding.message for finding in findings("a.svg", drawing(*items), LEVELS) if finding.check == check
    ]


def test_seven_breaches_in_one_drawing_are_told_with_what_is_right() -> None:
    """A row of workers over a storage, and an edge behind a box, as a style guide forbids."""
    wide = (
        '<rect x="313" y="20" width="108" height="40" fill="#cfe2f3" stroke="#4a90c4"/>'
        '<text x="367" y="45" text-anchor="middle">Worker 3</text>'
    )
    storage = '<rect x="20" y="150" width="440" height="40" fill="#d4edda" stroke="#3d9e5a"/>'
    items = (
        *(box(20, 20, "Worker 1"), box(160, 23, "Worker 2"), wide),
        *(storage, '<text x="240" y="174" text-anchor="middle">Storage</text>'),
        *(line("M70 60V139"), line("M210 63V162"), line("M367 60L410 150")),
        *(line("M20 260H300", PLAIN), '<text x="30" y="258">touches the line</text>', line("M120 320H420")),
        *(box(20, 300, "A"), box(220, 300, "B"), box(420, 300, "C")),
    )
    told_here = {
        (finding.check, finding.message)
        for finding in findings("a.svg", drawing(*items), LEVELS)
        if finding.check != "small-on-phone"
    }
    assert told_here == {
        ("short-arrow", "an arrow ends 11 px short of the box 'Storage'; end it at 70, 150"),
        ("arrow-inside", "an arrow ends 12 px inside the box 'Storage'; end it at 210, 150"),
        (
            "mixed-routes",
            "the line from 'Worker 3' to 'Storage' is slanted, and 3 others run along the axes; "
            "lead it by right angles: M367 60L367 150",
        ),
        (
            "almost-aligned",
            "the box 'Worker 2' is 3 px lower than the row of 'Worker 1' and 'Worker 3': y = 20",
        ),
        ("unequal", "the box 'Worker 3' is 108 px wide, the others like it 100 px: width = 100"),
        (
            "unequal",
            "the gap between 'Worker 2' and 'Worker 3' is 53 px, others in this row 40 px: "
            "move 'Worker 3' to x = 300",
        ),
        ("clearance", "the text 'touches the line' is 2 px from a line; move it 2.5 px up"),
        (
            "edge-through-box",
            "the line from 'A' to 'C' runs behind the box 'B'; lead it around: M70 300L70 284L470 284L470 300",
        ),
    }


def test_a_tidy_drawing_has_nothing_to_say() -> None:
    items = (*ROW, line("M120 40H220"), line("M320 40H420"))
    surplus = [
        finding for finding in findings("a.svg", drawing(*items), LEVELS) if finding.check != "small-on-phone"
    ]
    assert surplus == []


JOINED = (line("M120 40H220"), line("M320 40H420"))


def test_a_line_that_ends_nowhere_names_the_box_ahead() -> None:
    lower = box(20, 200, "Storage")
    assert told("edge-ends-nowhere", *ROW, *JOINED, lower, line("M70 60V160", PLAIN)) == [
        "a line at the box 'Client' ends at nothing at 70, 160; the box 'Storage' lies 40 px ahead: end it at 70, 200"
    ]
    assert told("edge-ends-nowhere", *ROW, *JOINED, lower, line("M70 100V200")) == [
        "a line at the box 'Storage' begins at nothing at 70, 100; the box 'Client' lies 40 px ahead: end it at 70, 60"
    ]
    assert told("edge-ends-nowhere", *ROW, *JOINED, line("M70 60V160H200", PLAIN)) == [
        "a line at the box 'Client' ends at nothing at 200, 160; the nearest box is 'Relay': end it at 220, 60"
    ]


def test_a_line_that_ends_nowhere_is_led_to_the_outline_of_the_box_ahead() -> None:
    diamond = '<path d="M20 240L120 200L220 240L120 280Z" fill="#cfe2f3" stroke="#4a90c4"/>'
    name = '<text x="120" y="245" text-anchor="middle">Choice</text>'
    assert told("edge-ends-nowhere", *ROW, *JOINED, diamond, name, line("M45 60V170", PLAIN)) == [
        "a line at the box 'Client' ends at nothing at 45, 170; the box 'Choice' lies 60 px ahead: end it at 45, 230"
    ]


@pytest.mark.parametrize(
    "items",
    [
        (box(20, 200, "Storage"), line("M470 150V60")),  # an entry: no box lies behind it
        (line("M70 60V160", PLAIN), '<text x="60" y="175">to the press</text>'),
        (line("M70 60V160", PLAIN), line("M20 160H300", PLAIN)),  # a bus
    ],
)
def test_ends_that_are_somewhere(items: tuple[str, ...]) -> None:
    assert told("edge-ends-nowhere", *ROW, *JOINED, *items) == []


def test_boxes_that_overlap_and_how_far_to_move_one() -> None:
    assert told("boxes-overlap", *ROW, *JOINED, box(490, 48, "Log"), line("M540 200V88")) == [
        "the boxes 'Server' and 'Log' overlap by 12 px; move 'Log' to y = 100"
    ]
    assert told("boxes-overlap", *ROW, box(490, 48, "Log")) == []  # sets or regions: no line leads to them
    zone = '<rect x="190" y="5" width="360" height="90" fill="#eee" stroke="#888"/><text x="200" y="88">Zone</text>'
    assert told("boxes-overlap", zone, *ROW, *JOINED) == []


def test_a_slanted_line_among_level_ones_but_no_curve() -> None:
    lower = (box(20, 200, "Storage"), line("M45 60V200"), box(220, 200, "Log"), line("M120 220H220"))
    assert len(told("mixed-routes", *ROW, *JOINED, *lower, line("M95 60L250 200"))) == 1
    assert told("mixed-routes", *ROW, *JOINED, *lower, line("M95 60C95 120 250 140 250 200")) == []


def test_texts_and_boxes_that_nearly_touch() -> None:
    texts = '<text x="200" y="120">rows</text><text x="222" y="128">users</text>'
    assert told("clearance", *ROW, *JOINED, texts) == [
        "the texts 'rows' and 'users' nearly touch; move 'users' 1.5 px down"
    ]
    lower = (box(20, 200, "Storage"), box(20, 300, "Backup"))
    assert told("clearance", *ROW, *JOINED, *lower, box(123, 200, "Log")) == [
        "the boxes 'Storage' and 'Log' are 3 px apart, others 80 px; move 'Log' to x = 160"
    ]


@pytest.mark.parametrize(
    "items",
    [
        '<text x="130" y="36" text-decoration="underline">reads</text>',
        '<text x="130" y="120">two lines</text><text x="130" y="131">of one text</text>',
        '<text x="126" y="132">the end</text>' + line("M70 60V120", PLAIN),  # a line ends near it
        '<text x="20" y="98">a caption</text><path d="M20 100h52" stroke="#333"/>',  # an underline
    ],
)
def test_texts_with_room(items: str) -> None:
    assert told("clearance", *ROW, *JOINED, items) == []


def test_lines_that_cross_are_counted() -> None:
    four = (box(20, 20, "A"), box(220, 20, "B"), box(20, 200, "C"), box(220, 200, "D"))
    across = (line("M120 60L220 200"), line("M220 60L120 200"))
    assert told("crossings", *four, *across) == [
        "2 lines cross: the line from 'A' to 'D' and that from 'B' to 'C'"
    ]
    more = line("M70 60V130H270V60")
    assert told("crossings", *four, *across, more) == [
        "lines cross 3 times, first the line from 'A' to 'D' and that from 'B' to 'C'"
    ]
    assert told("crossings", *four, line("M120 40H220"), line("M70 60V200")) == []
    merging = (line("M120 40H170V120H220"), line("M120 220H170V120H220"), line("M140 200V120H220"))
    assert told("crossings", *four, box(220, 100, "E"), *merging[:2]) == []
    assert told("crossings", *four, box(220, 100, "E"), *merging) == []
    past = line("M120 230H180V30H220", PLAIN)  # it leaves the other line on its far side
    assert told("crossings", *four, box(220, 100, "E"), merging[0], past) == [
        "2 lines cross: the line from 'A' to 'E' and that from 'C' to 'B'"
    ]


def test_a_line_drawn_twice_by_hand_is_one() -> None:
    """As Excalidraw draws each arrow: two strokes in one path, and a head of 30 px beside them."""
    strokes = line("M120 39C150 42 190 38 219 41M121 41C160 39 190 42 220 40", PLAIN)
    data = drawing(*ROW, strokes, line("M192 30L220 40L192 50", PLAIN))
    layout = layout_of(data, sheet_of(frozenset()))
    assert [(row["from"], row["to"], row["heads"]) for row in layout["lines"]] == [(1, 2, [False, True])]


def test_a_box_beside_two_others_or_in_a_tidy_drawing_only() -> None:
    """One neighbour says little where the rest stands anywhere, as a layout by springs does."""
    square = (box(20, 20, "A"), box(220, 20, "B"), box(20, 200, "C"), box(224, 200, "D"))
    assert told("almost-aligned", *square) == [
        "the box 'B' is 4 px left of the column of 'D': x = 224",
        "the box 'D' is 4 px right of the column of 'B': x = 220",
    ]
    anywhere = (box(20, 20, "A"), box(217, 23, "B"), box(61, 160, "C"), box(248, 281, "D"))
    assert told("almost-aligned", *anywhere) == []


def test_a_box_as_wide_as_its_text_needs_is_equal_enough() -> None:
    long = (
        '<rect x="20" y="120" width="112" height="40" fill="#cfe2f3" stroke="#4a90c4"/>'
        '<text x="76" y="145" text-anchor="middle">Order archive</text>'
    )
    assert told("unequal", *ROW, long) == []


def test_the_label_of_a_line_lies_beside_it() -> None:
    texts = '<text x="150" y="34">asks</text><text x="350" y="{}">reads</text>'
    assert told("label-far-from-line", *ROW, *JOINED, texts.format(34)) == []
    assert told("label-far-from-line", *ROW, *JOINED, texts.format(4)) == [
        "the text 'reads' is 36 px from the line from 'Relay' to 'Server', and the others are closer; "
        "move it 29 px down"
    ]


def test_the_label_of_a_long_line_lies_beside_any_point_of_it() -> None:
    texts = '<text x="370" y="36" font-size="8">asks</text><text x="191" y="36" font-size="8">ok</text>'
    ends = box(20, 20, "Client"), box(520, 20, "Server")
    assert told("label-far-from-line", *ends, line("M120 40H520"), texts) == []


def test_text_that_fills_a_drawing() -> None:
    boxes = [box(10 + 110 * (n % 5), 10 + 54 * (n // 5), "and one more") for n in range(15)]
    lines = [line(f"M{60 + 110 * n} 50V64") for n in range(5)] + [line("M60 158V250H500V158")]
    small = drawing(*boxes, *lines).replace(b"0 0 640 420", b"0 0 560 176")
    small = small.replace(b'"640" height="420"', b'"560" height="176"').replace(b'size="14"', b'size="17"')
    messages = [finding.message for finding in findings("a.svg", small, LEVELS) if finding.check == "crowded"]
    assert [message.partition(" %")[0][:11] for message in messages] == ["text covers"]
    assert told("crowded", *boxes, *lines) == []


def test_builds_run_none_of_them() -> None:
    pages = ("developers/checks", "fix")
    ours = {name for name in CHECKS if name in checks.CHECKS and checks.CHECKS[name].page in pages}
    in_builds = {name for name in ours if checks.CHECKS[name].always}
    assert in_builds == {"edge-through-box"}


def test_a_tick_below_an_empty_box_is_no_stray() -> None:
    boxes = [
        f'<rect x="10" y="{y}" width="40" height="20" fill="#dce9f5" stroke="#31607f"/>' for y in (10, 40, 70)
    ]
    named = [f'<text x="30" y="{y}" text-anchor="middle" font-size="10">A</text>' for y in (24, 54)]
    ticks = [
        f'<text x="{x}" y="103" text-anchor="middle" font-size="10">{x}</text>' for x in (30, 60, 90, 120)
    ]
    assert len(told("text-astray", *boxes, *named, *ticks[:1])) == 1
    assert told("text-astray", *boxes, *named, *ticks) == []
