"""Shares and units of length are numbers in normal form: the same picture, and checks know where a thing stands."""

from __future__ import annotations

import re

import pytest
from helpers.book import Space
from helpers.cases import cases

from figmill.compare.pictures import pixels
from figmill.compare.pixels import difference
from figmill.svg import Sheet, normalise

SAID = 'font-size="12" fill="#ffffff"'
WORDS = f'<text x="50%" y="50%" text-anchor="middle" {SAID}>Rank 0</text>'
GROUND = '<rect width="100%" height="100%" fill="#2b2b2b"/>'
DRAWINGS = {
    "in the root": f'<rect x="10%" y="10%" width="80%" height="80%" fill="#2b2b2b"/>{WORDS}',
    "nested": f'<svg x="10" y="10" width="120" height="60">{GROUND}{WORDS}</svg>',
    "nested, with a viewBox": f'<svg x="5%" y="10%" width="50%" height="80%" viewBox="0 0 90 60">{GROUND}{WORDS}</svg>',
    "nested twice": f'<svg width="75%"><svg x="20%" width="50%" height="50%">{GROUND}{WORDS}</svg></svg>',
    "as large as the room": f'<svg viewBox="0 0 100 50">{GROUND}{WORDS}</svg>',
    "in units": '<rect x="5mm" y="2mm" width="1.5in" height="15mm" fill="#2b2b2b"/>'
    f'<text x="20mm" y="30pt" text-anchor="middle" {SAID}>Rank 0</text>',
    "round": '<g fill="#2b2b2b"><circle cx="50%" cy="50%" r="25%"/><ellipse cx="20%" cy="50%" rx="10%" ry="40%"/></g>'
    + WORDS,
    "lines": f'{GROUND}<line x1="0%" y1="100%" x2="100%" y2="0" stroke="#ffffff"/>{WORDS}',
    "used": f'<defs><g id="g">{GROUND}{WORDS}</g></defs><use href="#g"/>',
    "used in two rooms": f'<defs><g id="g">{GROUND}</g></defs><svg width="40" height="30"><use href="#g"/></svg>'
    '<svg x="50" width="90" height="60"><use href="#g"/></svg>',
    "clipped": '<clipPath id="c"><rect width="50%" height="100%"/></clipPath>'
    f'<g clip-path="url(#c)">{GROUND}</g><text x="25%" y="50%" text-anchor="middle" {SAID}>Rank</text>',
    "shifted parts": f'{GROUND}<text x="10%" y="30%" {SAID}>one<tspan x="40%" dy="20%">two</tspan></text>',
}

IN_PX = {"5mm": 18.898, "2mm": 7.559, "1.5in": 144, "15mm": 56.693, "20mm": 75.591, "30pt": 40}


def drawing(body: str) -> bytes:
    size = 'viewBox="0 0 200 100" width="200" height="100"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{body}</svg>'.encode()


@cases("body", DRAWINGS.values(), ids=DRAWINGS)
def test_the_picture_is_the_same(body: str) -> None:
    data = drawing(body.replace("<text", '<text font-family="Arial"'))
    result = normalise(data, Sheet("f", "t", "d"))
    if body == DRAWINGS["in units"]:  # of which resvg makes what printers do, and browsers 96 to the inch
        data = drawing(body)
        for written, px in IN_PX.items():
            data = data.replace(f'"{written}"'.encode(), f'"{px}"'.encode())
    assert difference(pixels(data, "light"), pixels(result.svg, "light")).share == 0
    assert normalise(result.svg, Sheet("f", "t", "d")).svg == result.svg


HTML = 'xmlns="http://www.w3.org/1999/xhtml"'
IN_REM = {
    "a shape": '<rect x="1rem" y=".5rem" width="4.3rem" height="2rem" font-size="64"/>',
    "in a style": '<style>rect { x: 1rem; width: 2rem; stroke-width: .5rem }</style><rect height="9" stroke="#000"/>'
    '<circle r="5" style="transform: translate(2rem, 1rem)"/>',
    "words": '<text x="1rem" y="2rem" font-size="0.5rem" letter-spacing=".1rem">Rank <tspan dx="1rem">0</tspan></text>',
    "a label": f'<foreignObject width="4rem" height="90"><div {HTML} style="font-size: .5rem; padding: 1rem">'
    "<b>Rank</b> 0</div></foreignObject>",
}


@pytest.mark.parametrize("root", ['font-size="20"', 'style="font-size: 125%"', 'font-size="1.25rem"'])
@pytest.mark.parametrize("body", IN_REM.values(), ids=IN_REM)
def test_the_font_size_of_the_root_is_that_of_rem(body: str, root: str) -> None:
    size = f'viewBox="0 0 200 100" width="200" height="100" {root}'
    written = re.sub(r"([\d.]+)rem", lambda match: f"{20 * float(match[1]):g}px", body)
    one, two = (
        normalise(
            f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{each}</svg>'.encode(), Sheet("f", "t", "d")
        )
        for each in (body, written)
    )
    assert one.svg == two.svg and b"rem" not in one.svg
    assert normalise(one.svg, Sheet("f", "t", "d")).svg == one.svg


def test_dashes_do_not_drift_along_a_line() -> None:
    dashes = 'stroke-dasharray="0.1mm 0.05mm" stroke-dashoffset="0.3mm"'
    drawn = normalise(
        drawing(f'<path d="M0 9H200" stroke="#000" {dashes}/>'), Sheet("f", "t", "d")
    ).svg.decode()
    written = re.search(r'stroke-dasharray="([\d.]+) ([\d.]+)" stroke-dashoffset="([\d.]+)"', drawn)
    assert written is not None
    long, short, begin = map(float, written.groups())
    assert 200 / (long + short) * abs(long + short - 0.15 * 96 / 25.4) < 0.005  # px at the end of the line
    assert abs(begin - 0.3 * 96 / 25.4) < 0.005


@cases("name", [name for name in DRAWINGS if name != "used in two rooms"])
def test_no_share_is_left_and_words_lie_where_they_are_seen(name: str) -> None:
    result = normalise(drawing(DRAWINGS[name]), Sheet("f", "t", "d"))
    assert not re.search(rb'[0-9](%|mm|in|pt)[" ]', result.svg) and result.warnings == ()
    pale = drawing(DRAWINGS[name].replace("#ffffff", "#444444"))
    warned = normalise(pale, Sheet("f", "t", "d")).warnings
    told = [message for _, message, _ in warned if message.startswith("the text")]
    assert told and all("#444444 on #2b2b2b" in message for message in told)


def test_the_ground_of_a_nested_drawing_is_behind_its_words(space: Space) -> None:
    """As a tool writes it that puts one drawing into another: words on a dark ground of their own."""
    space.write({"visuals/a.svg": drawing(DRAWINGS["nested"])})
    space.question("a", "source: a.svg, alt: the first rank in white on a dark ground of its own")
    ran = space.run("lint", "--format", "json")
    assert [finding["check"] for finding in ran.json["findings"]] == []
