"""Words that do not fit, each beside one that does: which check tells it, and by how many px."""

from __future__ import annotations

import re
import time

import pytest
from helpers.cases import cases

from figmill.font_metrics import fallback, measure, widest
from figmill.svg import Sheet, normalise

SHEET = Sheet("fig", "Title", "What it shows", font="Arial, sans-serif")
FITS = ("text-outside", "text-overflow", "text-overlap", "text-squeezed")


def svg(inside: str, root: str = 'viewBox="0 0 200 100"') -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg" {root}>{inside}</svg>'.encode()


def text(
    label: str, x: float = 100, y: float = 54, more: str = 'text-anchor="middle"', size: str = "12"
) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" {more}>{label}</text>'


def box(width: float = 80, height: float = 30, more: str = 'fill="#cfe2f3"') -> str:
    """A rectangle around the middle of the picture."""
    return f'<rect x="{100 - width / 2}" y="{50 - height / 2}" width="{width}" height="{height}" {more}/>'


def found(data: bytes, sheet: Sheet = SHEET) -> list[tuple[str, list[int], str]]:
    """The findings of these checks: name, the numbers of px, message."""
    return [
        (check, [int(number) for number in re.findall(r"(\d+) px", message)], message)
        for _, message, check in normalise(data, sheet).warnings
        if check in FITS
    ]


LONG = "words that are too long"  # 122.7 units at 12: 21 more on each side than a box of 80
# name: (drawing, check, px)
DEFECTIVE = {
    "over the right": (svg(text(LONG, 120, more="")), "text-outside", 43),
    "over the left": (svg(text(LONG, 40)), "text-outside", 21),
    "an anchor at the end": (svg(text(LONG, 100, more='text-anchor="end"')), "text-outside", 23),
    "over the top": (svg(text("Abc", y=5)), "text-outside", 4),
    "over the bottom": (svg(text("page", y=101)), "text-outside", 4),
    "turned over the top": (
        svg(f'<g transform="rotate(-90 100 30)">{text(LONG, y=30, more="")}</g>'),
        "text-outside",
        93,
    ),
    "scaled": (svg(f'<g transform="scale(2)">{text(LONG, 50, 30)}</g>'), "text-outside", 23),
    "large by em": (svg(f'<g font-size="12">{text(LONG, size="2em")}</g>'), "text-outside", 23),
    "small units": (
        svg(text(LONG, 1, 0.5, size="0.12"), 'viewBox="0 0 1 1" width="200"'),
        "text-outside",
        123,
    ),
    "a box": (svg(box() + text(LONG)), "text-overflow", 21),
    "bold": (svg(box(125) + text(LONG, more='text-anchor="middle" font-weight="bold"')), "text-overflow", 3),
    "mono": (
        svg(box() + text("all_reduce(x)", more='text-anchor="middle" font-family="Courier New"')),
        "text-overflow",
        7,
    ),
    "a circle": (svg('<circle cx="100" cy="50" r="40" fill="#cfe2f3"/>' + text(LONG)), "text-overflow", 22),
    "a polygon": (
        svg('<polygon points="50,50 100,20 150,50 100,80" fill="#cfe2f3"/>' + text(LONG)),
        "text-overflow",
        11,
    ),
    "a path": (
        svg('<path d="M 60 35 h 80 v 30 h -80 z" fill="none" stroke="#2b2b2b"/>' + text(LONG)),
        "text-overflow",
        21,
    ),
    "beginning in its box": (svg(box() + text(LONG, 64, more="")), "text-overflow", 47),
    "ending in its box": (svg(box() + text(LONG, 136, more='text-anchor="end"')), "text-overflow", 47),
    "one of two lines": (svg(box() + text("short", y=48) + text(LONG, y=62)), "text-overflow", 21),
    "spans": (
        svg(
            box() + '<text font-size="12" text-anchor="middle"><tspan x="100" y="48">short</tspan>'
            f'<tspan x="100" dy="1.2em">{LONG}</tspan></text>'
        ),
        "text-overflow",
        21,
    ),
    "a turned box": (svg(f'<g transform="rotate(30 100 50)">{box() + text(LONG)}</g>'), "text-overflow", 21),
    "too tall": (svg(box(150, 14) + text("Ag tall", size="20", y=57)), "text-overflow", 5),
    "spaced letters": (
        svg(box(80) + text("spaced out", more='text-anchor="middle" letter-spacing="5"')),
        "text-overflow",
        14,
    ),
    "over a divider": (
        svg(
            "<g>" + box(160, more='fill="none" stroke="#2b2b2b"') + '<line x1="80" y1="35" x2="80" y2="65" '
            'stroke="#2b2b2b"/>' + text("left of it, too long", 26, more="") + "</g>"
        ),
        "text-overflow",
        34,
    ),
    "two texts": (svg(text(LONG) + text("and others", y=58)), "text-overlap", 8),
    "end over start": (
        svg(text("first of them", 20, more="") + text("second", 75, more="")),
        "text-overlap",
        9,
    ),
    "turned over level": (
        svg(text(LONG) + f'<g transform="rotate(-90 100 50)">{text("over it", y=53)}</g>'),
        "text-overlap",
        21,
    ),
    "bold in a tight box": (
        svg(box(124) + text("113355779911335577", more='text-anchor="middle" font-weight="bold"')),
        "text-squeezed",
        2,
    ),
    "bold, as wide as the picture": (
        svg(text("1133557799113355", more='text-anchor="middle" font-weight="bold" ', size="22")),
        "text-squeezed",
        4,
    ),
}
SOUND = {
    "inside": svg(text(LONG)),
    "at the very edge": svg(text("words", 200, more='text-anchor="end"') + text("Words", 0, 8.5, more="")),
    "a box with room": svg(box(150) + text(LONG)),
    "a box that just fits": svg(box(124) + text(LONG)),
    "a bar with its value beside it": svg(box(60, 20) + text("60 %", 134, more="")),
    "a value over a low bar": svg(
        '<rect x="90" y="58" width="20" height="2" fill="#c44444"/>' + text("0.123", y=56)
    ),
    "words over a chart": svg(
        "".join(
            f'<rect x="{20 * n}" y="{90 - 9 * n}" width="16" height="{9 * n + 10}" fill="#cfe2f3"/>'
            for n in range(10)
        )
        + text("an observation", 140, 60)
    ),
    "a dot and its label": svg(
        '<circle cx="40" cy="50" r="5" fill="#c44444"/>' + text("node twelve", 48, more="")
    ),
    "a label over a dot": svg('<circle cx="100" cy="50" r="6" fill="#fdebd0"/>' + text("node number twelve")),
    "a large area behind": svg(
        '<rect x="5" y="5" width="120" height="90" fill="#fafbfc" stroke="#dddddd"/>'
        + text("a remark across its edge", 110, 20)
    ),
    "two lines": svg(text("first line", y=40) + text("second line", y=53)),
    "lines close together": svg(text("first line", y=40) + text("second line", y=50)),
    "a halo": svg(
        text("halo", more='fill="none" stroke="#ffffff" stroke-width="3" text-anchor="middle"') + text("halo")
    ),
    "a shadow": svg(text("shade", 101, 55) + text("shade")),
    "superscript": svg('<text x="50" y="50" font-size="12">x<tspan dy="-5" font-size="8">2</tspan></text>'),
    "lowered by the innermost dy alone": svg(
        '<rect x="50" y="30" width="100" height="30" fill="#d5f5e3"/><text x="100" y="30" dy="17" font-size="12" '
        'text-anchor="middle"><tspan x="100" dy="17">in the box</tspan></text>'
    ),
    "turned ticks": svg(
        "".join(
            f'<text font-size="9" text-anchor="end" transform="translate({30 + 14 * n} 40) rotate(-45)">'
            f"worker {n}</text>"
            for n in range(8)
        )
    ),
    "a watermark": svg(text("DRAFT", size="40", more='text-anchor="middle" opacity="0.1"') + text("over it")),
    "a diamond": svg('<polygon points="30,50 100,15 170,50 100,85" fill="#d5f5e3"/>' + text("is it empty?")),
    "in a clip": svg(
        '<clipPath id="c"><rect width="200" height="100"/></clipPath><g clip-path="url(#c)">'
        + text(LONG, 190, more="")
        + "</g>"
    ),
    "not shown": svg(
        box() + text(LONG, more='text-anchor="middle" visibility="hidden"') + text("x", more='display="none"')
    ),
    "its author's own length": svg(box() + text(LONG, more='text-anchor="middle" textLength="76"')),
    "points and em": svg('<g font-size="9pt">' + text("one em", size="1em") + "</g>"),
    "a row of a record": svg(
        "<g>" + box(160, more='fill="none" stroke="#2b2b2b"') + '<path d="M 80 35 V 65" stroke="#2b2b2b"'
        ' fill="none"/>' + text("left", 26, more="") + text("right of it", 90, more="") + "</g>"
    ),
    "a label painted first": svg(text(LONG) + box(20, more='fill="none" stroke="#dddddd"')),
    "words along a path": svg(
        '<defs><path id="p" d="M 10 50 H 190"/></defs><text font-size="12"><textPath href="#p">'
        "words along a path</textPath></text>"
    ),
}


@cases("name", DEFECTIVE)
def test_what_does_not_fit_is_told_with_its_pixels(name: str) -> None:
    data, check, px = DEFECTIVE[name]
    told = found(data)
    assert [finding[0] for finding in told] == [check], told
    assert abs(max(told[0][1]) - px) <= 1, told


@cases("name", SOUND)
def test_what_fits_is_not(name: str) -> None:
    assert found(SOUND[name]) == []


@cases("name", [*DEFECTIVE, *SOUND])
def test_a_text_length_is_settled_at_once(name: str) -> None:
    """A second time nothing changes, and the dark figure is lettered like the light one."""
    data = DEFECTIVE[name][0] if name in DEFECTIVE else SOUND[name]
    dark = Sheet("fig", "Title", "What it shows", theme="dark", font="Arial, sans-serif")
    result = normalise(data, SHEET).svg
    assert normalise(result, SHEET).svg == result
    assert lengths(normalise(data, dark).svg) == lengths(result)
    assert normalise(result, dark).svg == normalise(data, dark).svg


def lengths(data: bytes) -> list[float]:
    return [float(number) for number in re.findall(r'textLength="([^"]*)"', data.decode())]


def test_messages_are_sentences() -> None:
    assert found(DEFECTIVE["over the right"][0])[0][2] == (
        "the text 'words that are too long' runs out of the picture: 42 px on the right"
    )
    assert (
        found(DEFECTIVE["a box"][0])[0][2] == "the text 'words that are too long' runs 21 px out of its rect"
    )


def test_pixels_are_those_of_the_picture_as_it_is_shown() -> None:
    half = svg(box() + text(LONG), 'viewBox="0 0 200 100" width="100"')
    assert found(half)[0][1] == [11]


def test_a_label_keeps_to_its_box_in_a_wider_font() -> None:
    own, wide = measure(LONG, 12), widest(LONG, 12) * 12
    assert 1.1 < wide / own < 1.25
    assert lengths(normalise(svg(box(own + 4) + text(LONG)), SHEET).svg) == [pytest.approx(own, abs=0.001)]
    assert lengths(normalise(svg(box(wide + 4) + text(LONG)), SHEET).svg) == []


def test_no_label_is_squeezed_further_than_can_be_read() -> None:
    """Bold fallbacks are a quarter wider: the label gets 0.85 of that."""
    data = svg(box(110) + text("1.35 and 7.5", more='font-weight="bold" text-anchor="middle"', size="16"))
    (width,) = lengths(normalise(data, SHEET).svg)
    assert width > measure("1.35 and 7.5", 16, bold=True)
    assert width >= 0.85 * fallback("1.35 and 7.5", bold=True) * 16


LENGTHENED = {
    "at the edge of the picture": (
        svg(text("words up to the edge", 190, more='text-anchor="end"') + text("x")),
        0,
    ),
    "up to both edges": (svg(text("Words as wide as the picture", size="15")), 1),
    "a shape beside it": (
        svg(text("Training and exchange", 10, more="") + '<rect x="140" y="45" width="20" height="12"/>'),
        1,
    ),
    "a shape beside it, far enough": (
        svg(text("Training and exchange", 10, more="") + '<rect x="160" y="45" width="20" height="12"/>'),
        0,
    ),
    "over the top, with room at its sides": (svg(text("words", y=3)), 0),
    "neighbours": (svg(text("first, long words", 10, more="") + text("and the second", 105, more="")), 2),
    "code": (svg(box(88) + text("all_reduce", more='text-anchor="middle" font-family="Courier New"')), 0),
    # Typst stretches each of its runs to the whole length.
    "a part of a line": (
        svg(
            box(90) + '<text x="57" y="54" font-size="12">some <tspan font-weight="bold">bold</tspan>'
            " words</text>"
        ),
        0,
    ),
    "letters that have their places": (
        svg(box(40) + '<text x="82 90 98 106" y="54" font-size="12">abcd</text>'),
        0,
    ),
    "used in two places": (svg(f"<defs>{text('the same words', 0)}</defs>"), 0),
}


@cases("name", LENGTHENED)
def test_a_text_length_stands_where_it_is_needed(name: str) -> None:
    data, count = LENGTHENED[name]
    result = normalise(data, SHEET).svg
    assert len(lengths(result)) == count
    assert normalise(result, SHEET).svg == result


def test_checks_can_be_left_out() -> None:
    for name, (data, check, _) in DEFECTIVE.items():
        without = Sheet(
            "fig", "Title", "What it shows", checks=SHEET.checks - {check}, font="Arial, sans-serif"
        )
        assert found(data, without) == [], name


def test_a_crowd_of_labels_is_done_in_time() -> None:
    """Labels over each other in shapes over each other, level and turned; and more than are held against each other."""
    started = time.process_time()
    turned = "".join(f'<g transform="rotate({n})">{box()}{text(f"w{n}", more="")}</g>' for n in range(150))
    normalise(svg(turned + (box() + text("w", more="")) * 300), SHEET)
    normalise(svg((box() + text("words", more="")) * 1500), SHEET)
    assert time.process_time() - started < 10


def test_a_region_of_a_map_is_no_box_of_a_label() -> None:
    corners = [
        (x, y + 3 * (x % 8 == 0)) for y, xs in ((35, range(84, 117, 4)), (62, range(116, 83, -4))) for x in xs
    ]
    outline = "M" + " L".join(f"{x} {y}" for x, y in corners) + " Z"
    coast = normalise(svg(f'<path d="{outline}" fill="#cfe2f3"/>' + text("Hackney")), SHEET)
    plain = normalise(svg(box(32, 27) + text("Hackney")), SHEET)
    assert [warning.check for warning in plain.warnings if warning.check in FITS] == ["text-overflow"]
    assert not [warning.check for warning in coast.warnings if warning.check in FITS]
