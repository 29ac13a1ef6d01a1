"""Artwork keeps its colours in the dark theme, charts and diagrams do not: the pixels of both themes, by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from figmill.compare.pictures import PAGES, pixels
from figmill.svg import CHECKS, Sheet, in_themes

SHEET = Sheet("fig", "Title", "What it shows", checks=frozenset(CHECKS))
NIGHT = PAGES["dark"]
Spots = dict[tuple[int, int], str]  # place -> colour in the dark theme


def svg(inside: str, root: str = "") -> bytes:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100" '
        f'viewBox="0 0 100 100" {root}>{inside}</svg>'
    ).encode()


def in_the_dark(data: bytes, spots: Spots, sheet: Sheet = SHEET) -> Spots:
    """The colours at the places of the spots; publishing either figure again changes nothing."""
    light, dark = in_themes(data, sheet, ("light", "dark"))
    assert in_themes(dark.svg, sheet, ("dark",))[0].svg == dark.svg
    assert in_themes(light.svg, sheet, ("light", "dark"))[0].svg == light.svg
    shown = pixels(dark.svg, "dark")
    return {(x, y): "#" + bytes(shown[y, x]).hex() for x, y in spots}


def told(data: bytes, sheet: Sheet = SHEET) -> list[str]:
    """What the check says, in both themes together."""
    forms = in_themes(data, sheet, ("light", "dark"))
    return [message for form in forms for _, message, check in form.warnings if check == "artwork"]


BODY = '<path d="M10 10H90V90H10Z" fill="{}"/>'
ART: dict[str, tuple[bytes, Spots]] = {
    "a badge with words on it": (
        svg(
            '<rect y="40" width="50" height="20" fill="#555555"/><rect x="50" y="40" width="50" height="20" '
            'fill="#44cc11"/><text x="5" y="54" font-size="9" fill="#ffffff">build</text>'
        ),
        {(2, 50): "#555555", (95, 50): "#44cc11", (50, 10): NIGHT},
    ),
    "a logo with white in it, and black letters beside it": (
        svg(
            '<circle cx="40" cy="40" r="35" fill="#cc0000"/><rect x="30" y="30" width="20" height="20" '
            'fill="#ffffff"/><path d="M80 80h10v15h-10z"/>'
        ),
        {(40, 40): "#ffffff", (40, 15): "#cc0000", (85, 87): "#ececec"},
    ),
    "a black body that carries its white belly": (
        svg(
            BODY.format("#000000")
            + '<circle cx="50" cy="60" r="20" fill="#ffffff"/><circle cx="50" cy="25" r="12" fill="#ffcc00"/>'
        ),
        {(15, 15): "#000000", (50, 60): "#ffffff", (50, 25): "#ffcc00"},
    ),
    "a flag whose black stripe has neighbours": (
        svg(
            '<path d="M0 20H100V40H0Z"/><path d="M0 40H100V60H0Z" fill="#dd0000"/>'
            '<path d="M0 60H100V80H0Z" fill="#ffcc00"/>'
        ),
        {(50, 30): "#000000", (50, 50): "#dd0000", (50, 70): "#ffcc00"},
    ),
    "a face of a pale tint": (
        svg('<circle cx="50" cy="50" r="45" fill="#f7dece"/><circle cx="50" cy="75" r="12" fill="#dd2e44"/>'),
        {(20, 50): "#f7dece"},
    ),
    "a gradient of greys": (
        svg(
            '<linearGradient id="g" y2="1" x2="0"><stop stop-color="#dddddd"/><stop offset="1" '
            f'stop-color="#444444"/></linearGradient>{BODY.format("url(#g)")}'
            '<path d="M40 40H60V60H40Z" fill="#ffffff"/>'
        ),
        {(50, 50): "#ffffff"},
    ),
}
RED, TEXT = '<rect x="10" y="30" width="80" height="60" fill="#cc0000"/>', '<text x="10" y="20">rate</text>'
WHITE = '<path d="M30 40H60V60H30Z" fill="#ffffff"/>'
OTHERS: dict[str, tuple[bytes, Spots]] = {
    "words on the page": (svg(RED + WHITE + TEXT), {(45, 50): NIGHT}),
    "words on paper": (
        svg('<rect x="5" y="2" width="93" height="95" fill="#ffffff"/>' + RED + WHITE + TEXT),
        {(45, 50): NIGHT},
    ),
    "outlines": (
        svg(RED.replace("/>", ' stroke="#000000"/>') + WHITE.replace("/>", ' stroke="#000000"/>')),
        {(45, 50): NIGHT},
    ),
    "lines on the page": (
        svg(RED + WHITE + "".join(f'<path d="M{x} 5V25" stroke="#000000"/>' for x in (10, 20, 30))),
        {(45, 50): NIGHT},
    ),
    "one colour": (svg(BODY.format("#000000") + WHITE), {(15, 15): "#ebebeb", (45, 50): NIGHT}),
    "the palette": (svg(RED.replace("#cc0000", "#a9cbe8") + WHITE), {(45, 50): NIGHT}),
}


@pytest.mark.parametrize("what", ART)
def test_artwork_keeps_its_colours_and_one_line_says_so(what: str) -> None:
    data, spots = ART[what]
    assert in_the_dark(data, spots) == spots
    (message,) = told(data)
    assert "`colours: keep`" in message and "`colours: theme`" in message


@pytest.mark.parametrize("what", OTHERS)
def test_charts_diagrams_and_signs_change_with_the_theme(what: str) -> None:
    data, spots = OTHERS[what]
    assert in_the_dark(data, spots) == spots
    assert told(data) == []


def test_the_question_decides() -> None:
    data, _ = ART["a black body that carries its white belly"]
    changed = {(15, 15): "#ebebeb", (50, 60): NIGHT}
    assert in_the_dark(data, changed, replace(SHEET, colours="theme")) == changed
    for colours in ("keep", "theme"):
        assert told(data, replace(SHEET, colours=colours)) == []
    own = svg(BODY.format("#cc0000") + WHITE, 'data-figmill-colours="quiet"')
    assert len(told(own)) == 1  # a mark of lines decides nothing about areas
    assert told(own.replace(b"quiet", b"keep")) == []


def test_a_drawing_with_its_own_dark_colours_is_left_to_its_author() -> None:
    data = svg(
        "<style>@media (prefers-color-scheme: dark) { .a { fill: #ff8888 } }</style>"
        + BODY.format("#cc0000").replace("<path", '<path class="a"')
        + WHITE
    )
    assert told(data) == []
    assert in_the_dark(data, {(15, 15): ""}) == {(15, 15): "#ff8888"}


def test_the_colour_of_the_text_may_be_written_in_small_letters() -> None:
    small, usual = (svg(BODY.format(word)) for word in ("currentcolor", "currentColor"))
    assert in_the_dark(small, {(50, 50): ""}) == {(50, 50): "#ececec"}
    assert in_themes(small, SHEET, ("dark",)) == in_themes(usual, SHEET, ("dark",))


def test_a_contrast_that_the_theme_has_made_names_the_way_back() -> None:
    """Words over a change from white to black, which is one from black to white in the dark: none passes."""
    data = svg(
        '<linearGradient id="g"><stop stop-color="#ffffff"/><stop offset="1" stop-color="#666666"/></linearGradient>'
        '<rect x="5" y="30" width="90" height="40" fill="url(#g)" stroke="#000000"/>'
        '<text x="8" y="55" font-size="14" textLength="84">from end to end</text>'
    )
    messages = [
        message for _, message, check in in_themes(data, SHEET, ("dark",))[0].warnings if check == "contrast"
    ]
    assert messages and all(
        message.endswith("`colours: keep` in the question keeps the colours of areas") for message in messages
    )
    kept = in_themes(data, replace(SHEET, colours="keep"), ("dark",))[0].warnings
    assert not any("`colours: keep`" in message for _, message, check in kept if check == "contrast")
