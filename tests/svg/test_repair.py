"""`lint --fix --layout`: what moves, how far, and what stays: the words, the boxes, the ends of the lines."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from helpers.boxes import ROW, box, drawing, line
from helpers.cases import cases
from helpers.seeded_drawings import seeded
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from figmill import checks
from figmill.lint.drawings import findings, sheet_of
from figmill.lint.mending import mend
from figmill.svg import layout_of

LEVELS = checks.levels_alone({})
JOINED = (line("M120 40H220"), line("M320 40H420"))


def told(data: bytes) -> Counter[str]:
    return Counter(
        finding.check for finding in findings("a.svg", data, LEVELS) if finding.check != "small-on-phone"
    )


def said(data: bytes) -> tuple[str, ...]:
    """What is done to a drawing, after which no finding is left, and a second run changes nothing."""
    result = mend("a.svg", data, moves=True)
    assert told(result.svg) == Counter()
    again = mend("a.svg", result.svg, moves=True)
    assert (again.svg, again.changes) == (result.svg, ())
    return result.changes


def text(x: float, y: float, label: str, more: str = "") -> str:
    return f'<text x="{x}" y="{y}" {more}>{label}</text>'


def rect(
    x: float, y: float, width: float, height: float, more: str = 'fill="#cfe2f3" stroke="#4a90c4"'
) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" {more}/>'


DISC = (
    '<marker id="d" markerWidth="60" markerHeight="40" refX="15" refY="15"><circle cx="15" cy="15" r="6"'
    ' fill="#eee"/></marker>'
)


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ((rect(45, 25, 50, 30), box(20, 20, "a long name")), ()),  # a larger box hides the small one
        (
            (rect(66, 100, 10, 60), text(64, 134, "12"), f"<defs>{DISC}</defs>", line("M71 130H300", "")),
            ("text-overflow",),
        ),
        (
            (
                rect(66, 100, 10, 60),
                text(64, 134, "12"),
                f"<defs>{DISC}</defs>",
                line("M71 130H300", 'marker-start="url(#d)"'),
            ),
            (),
        ),
        ((text(240, 45, "retries"), text(245, 45, "twice"), box(220, 20, "Relay")), ()),
        (
            (
                f'<defs><svg id="s" viewBox="0 0 48 48">{rect(4, 4, 40, 40)}</svg></defs>',
                '<use href="#s" x="200" y="200" width="240" height="240"/>',
                text(230, 320, "as wide as it is drawn"),
            ),
            (),
        ),
        ((*ROW, *JOINED, box(200, 200, "Log"), box(210, 206, "Log"), line("M70 60V210H200")), ()),  # a stack
    ],
)
def test_what_is_hidden_or_meant_is_no_fault(items: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert tuple(told(drawing(*items))) == expected


@cases(
    ("items", "changes"),
    [
        (
            (*ROW, *JOINED, text(130, 130, "retries"), text(140, 126, "twice")),
            ["moved the text 'twice' 10 px up: it lay on 'retries'"],
        ),
        (
            (*ROW, *JOINED, text(125, 34, "retries"), text(150, 34, "twice")),
            ["moved the text 'twice' 16 px right along its line: it lay on 'retries'"],
        ),
        (
            (*ROW, line("M120 40H220"), line("M320 40H420"), text(135, 38, "retries")),
            ["moved the text 'retries' 1 px up: it nearly touched what is beside it"],
        ),
        (
            (*ROW, *JOINED, text(130, 34, "reads"), text(345, 12, "far")),
            ["moved the text 'far' 18 px down: it was 28 px from its line"],
        ),
        (
            (ROW[0], box(220, 23, "Relay"), ROW[2], *JOINED),
            ["moved the box 'Relay' 3 px up: it was off the row of 'Client' and 'Server'"],
        ),
        (
            (*ROW, *JOINED, box(20, 200, "Log"), line("M70 60V186")),
            ["extended an arrow by 14 px: it ended short of the box 'Log'"],
        ),
        (
            (*ROW, *JOINED, box(20, 200, "Log"), line("M70 60V212")),
            ["shortened an arrow by 12 px: it ended inside the box 'Log'"],
        ),
        (
            (*ROW, *JOINED, box(20, 200, "Log"), line("M70 60V160", "")),
            ["extended a line by 40 px to the box 'Log': it ended at nothing"],
        ),
        (
            (line("M120 40H420"), *ROW),
            ["led the line from 'Client' to 'Server' around: it ran through the box 'Relay'"],
        ),
        (
            (*ROW, *JOINED, box(190, 50, "Log"), line("M70 60V160H240V90")),
            ["moved the box 'Log' 50 px down: it lay on 'Relay'"],
        ),
        (
            (
                line("M70 60V160H470V60"),
                *ROW,
                *JOINED,
                rect(240, 150, 70, 20, 'fill="#fff"'),
                text(235, 165, "retries twice"),
            ),
            ["made the area behind 'retries twice' 9 px wider: the text ran out of it"],
        ),
        (
            (*ROW, *JOINED, rect(20, 120, 90, 40), text(24, 145, "SERVER_TABLE")),
            ["made the box of 'SERVER_TABLE' 34 px wider: the text ran 24 px out of it"],
        ),
        (
            (*ROW, *JOINED, rect(20, 120, 100, 40), text(28, 145, "SERVER_TABLE")),
            ["squeezed the text 'SERVER_TABLE' into its shape: it ran 18 px out of it"],
        ),
        (
            (
                *ROW,
                *JOINED,
                rect(20, 120, 200, 20),
                rect(20, 140, 200, 20),
                text(24, 135, "of the whole cluster"),
                text(138, 135, "retries twice"),
            ),
            ["squeezed the text 'of the whole cluster', which ran into 'retries twice'"],
        ),
    ],
)
def test_a_fault_is_repaired_by_one_move(items: tuple[str, ...], changes: list[str]) -> None:
    assert list(said(drawing(*items))) == changes


@pytest.mark.parametrize(
    "items",
    [
        (line("M120 40H420"), *ROW, text(200, 12, "a text above the boxes")),
        (line("M120 40H420"), *ROW, *JOINED),
        (
            *ROW,
            box(220, 120, "Log"),
            line("M120 30L420 50"),
            line("M100 60L250 120"),
            line("M320 130L430 60"),
        ),
    ],
)
def test_the_message_names_the_way_that_the_line_then_takes(items: tuple[str, ...]) -> None:
    data = drawing(*items)
    (message,) = [
        finding.message for finding in findings("a.svg", data, LEVELS) if finding.check == "edge-through-box"
    ]
    _, named = re.split(r"lead it around: M", message)
    result = mend("a.svg", data, moves=True)
    (change,) = [change for change in result.changes if change.startswith("led the line")]
    assert change.startswith("led the line from 'Client' to 'Server' around")
    ways = [
        [point for line in shown["route"] for point in line]
        for shown in layout_of(result.svg, sheet_of(frozenset()))["lines"]
        if (shown["from"], shown["to"]) == (1, 3)
    ]
    assert [[float(number) for number in point.split()] for point in named.split("L")] in ways


def test_an_arrow_that_turns_in_its_box_stays() -> None:
    """No shift of its end along its last part leads out of the box on the side from which it came."""
    data = drawing(*ROW, JOINED[1], line("M120 30H235V45"))
    assert told(data) == Counter(("arrow-inside",))
    assert mend("a.svg", data, moves=True).changes == ()


def test_what_stands_in_a_box_and_the_ends_of_its_lines_move_with_it() -> None:
    """The third box is wider and has a mark; it stands over a fourth, so the two before it close the gap."""
    wide = '<rect x="433" y="20" width="108" height="40" fill="#cfe2f3" stroke="#4a90c4"/>'
    mark = '<circle cx="443" cy="33" r="4" fill="#c00"/>'
    name = text(483, 45, "Server", 'text-anchor="middle"')
    lines = line("M120 40H220"), line("M320 40H433"), line("M483 60V200")
    data = drawing(*ROW[:2], wide, mark, name, *lines, box(433, 200, "Storage"))
    changes = said(data)
    assert [change.partition("'")[0] for change in changes] == ["made the box ", "moved the box "]
    svg = mend("a.svg", data, moves=True).svg.decode()
    assert '<circle cx="439" cy="33"' in svg  # as far as the middle of its box
    # The two boxes before the gap moved.
    assert 'd="M 133 40 H 233"' in svg and 'd="M 333 40 L 433 40"' in svg


@pytest.mark.parametrize(
    "around",
    [
        '<g transform="translate(300 40) rotate(20)"><g transform="scale(1.1)">{}</g></g>',
        '<g transform="matrix(.8 .1 0 .9 20 30)">{}</g>',
        '<svg x="20" y="30" width="320" height="210" viewBox="0 0 640 420">{}</svg>',
    ],
)
def test_a_text_moves_in_the_coordinates_of_its_groups(around: str) -> None:
    inner = around.format(text(130, 130, "retries") + text(140, 126, "<tspan x='140 150'>tw</tspan>ice"))
    data = drawing(*ROW, *JOINED, inner.replace("'", '"'))
    assert told(data)["text-overlap"] == 1
    assert told(mend("a.svg", data, moves=True).svg)["text-overlap"] == 0


@pytest.mark.parametrize(
    "items",
    [
        f'<defs><g id="t">{text(130, 130, "retries")}</g></defs><use href="#t"/><use href="#t" x="10" y="-4"/>',
        f'<g style="mix-blend-mode: multiply">{text(130, 130, "retries")}{text(140, 126, "twice")}</g>',
    ],
)
def test_what_is_drawn_through_use_or_css_stays(items: str) -> None:
    data = drawing(*ROW, *JOINED, items)
    result = mend("a.svg", data, moves=True)
    assert [change for change in result.changes if change.startswith("moved")] == []
    assert (
        told(data)["text-overlap"] == Counter(finding.check for finding in result.left)["text-overlap"] == 1
    )


@pytest.mark.parametrize(
    "check", ["text-overlap", "edge-through-box", "almost-aligned", "text-astray", "unequal"]
)
def test_a_seeded_fault_is_repaired_in_the_manner_of_every_tool(check: str) -> None:
    for name, data in [*seeded(check)][::4]:
        result = mend(name, data, moves=True)
        assert (name, told(result.svg)[check]) == (name, 0)


LABELS = st.lists(
    st.tuples(st.integers(10, 560), st.integers(14, 250), st.sampled_from(["retries", "twice", "ok"])),
    min_size=2,
    max_size=5,
)
OFF = st.tuples(st.integers(-4, 4), st.integers(-4, 4))


def graph(data: bytes) -> tuple[list[str], list[tuple[object, object]]]:
    """The words of each box of the sketch, and the boxes at the ends of each line."""
    shown = layout_of(data, sheet_of(frozenset()))
    names = {
        box["number"]: next(word for word in box["words"] if word[0].isupper()) for box in shown["boxes"]
    }
    return sorted(names.values()), [
        (names.get(edge["from"]), names.get(edge["to"])) for edge in shown["lines"]
    ]


@pytest.mark.parametrize("examples", [6, pytest.param(400, marks=pytest.mark.soak)])
def test_nothing_is_lost_and_nothing_gets_worse(examples: int) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.explicit, Phase.generate),
    )
    @given(LABELS, OFF, st.booleans())
    def check(labels: list[tuple[int, int, str]], off: tuple[int, int], is_through: bool) -> None:
        texts = [text(x, y, label) for x, y, label in labels]
        lines = (line("M120 40H420"),) if is_through else JOINED
        boxes = ROW[0], box(220 + off[0], 20 + off[1], "Relay"), ROW[2], box(20, 200, "Log")
        data = drawing(*lines, line("M70 60V200"), *boxes, *texts)
        plain, result = mend("a.svg", data), mend("a.svg", data, moves=True)
        before, after = told(plain.svg), told(result.svg)
        assert all(after[name] <= before[name] for name in after), (before, after)
        assert sorted(re.findall(r"(?<=>)\w+(?=<)", result.svg.decode())) == sorted(
            re.findall(r"(?<=>)\w+(?=<)", plain.svg.decode())
        )
        assert graph(result.svg) == graph(plain.svg)
        assert mend("a.svg", result.svg, moves=True).svg == result.svg

    check()
