"""What a drawing says for the dark itself, its pages in every form, and near colours: the pixels of both themes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest
from helpers.cases import cases

from figmill.compare.pictures import PAGES, pixels
from figmill.palette import ROLES, Role
from figmill.svg import Sheet, in_themes
from figmill.svg.intake.tools import own_colours, tool_of

SHEET = Sheet("fig", "Title", "What it shows")
PAPER, NIGHT = PAGES["light"], PAGES["dark"]
COMPUTE = ROLES[0]
Spots = dict[tuple[int, int], tuple[str, str]]  # place -> colour in the light and in the dark theme


def svg(inside: str, root: str = "") -> bytes:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100" '
        f'viewBox="0 0 100 100" {root}>{inside}</svg>'
    ).encode()


def seen(data: bytes, places: Spots, sheet: Sheet = SHEET) -> Spots:
    """The colours at the places of the spots, of the published figures; publishing them again changes nothing."""
    forms = in_themes(data, sheet, ("light", "dark"))
    for theme, form in zip(("light", "dark"), forms, strict=True):
        assert in_themes(form.svg, sheet, (theme,))[0].svg == form.svg
    light, dark = (pixels(form.svg, theme) for theme, form in zip(("light", "dark"), forms, strict=True))
    return {(x, y): ("#" + bytes(light[y, x]).hex(), "#" + bytes(dark[y, x]).hex()) for x, y in places}


# draw.io's automatic export: light colours, and a media block that turns the whole picture for a dark page.
TURN = "filter: invert(100%) hue-rotate(180deg);"
AUTOMATIC = (
    "<style>@media (prefers-color-scheme: dark) {{ svg {{ {} background-color: #000; }} }}</style>"
    '<rect x="10" y="10" width="30" height="30" fill="#ffffff" stroke="#000000" stroke-width="4"/>'
    '<rect x="60" y="10" width="30" height="30" fill="#cc0000"/><path d="M10 80H90" stroke="#000000" stroke-width="6"/>'
)
# The spots: inside the box, on its outline, in the red box, on the line. By hand for the red box
# (Filter Effects 1, 9.6): inverted (0.2, 1, 1), turned by 180 degrees 2 * 0.8296 - (0.2, 1, 1) = (1, 0.659, 0.659).
TURNED: Spots = {
    (25, 25): (PAPER, "#000000"),
    (10, 25): ("#000000", "#ffffff"),
    (75, 25): ("#cc0000", "#ffa8a8"),
    (50, 80): ("#000000", "#ffffff"),
}
ARROW = '<path d="M10 50H90" stroke-width="8" fill="none" {}/>'
DARK_RULE = "<style>@media (prefers-color-scheme: dark) {{ {} }}</style>"
OWN: dict[str, tuple[bytes, Spots]] = {
    "a filter in the media block": (svg(AUTOMATIC.format(TURN)), TURNED),
    "a white line by light-dark()": (
        svg(ARROW.format('style="stroke: light-dark(#000000, #ffffff)"')),
        {(50, 50): ("#000000", "#ffffff"), (50, 90): (PAPER, NIGHT)},
    ),
    "a white line by a media block": (
        svg(DARK_RULE.format(".a { stroke: #ffffff }") + ARROW.format('class="a" stroke="#000000"')),
        {(50, 50): ("#000000", "#ffffff")},
    ),
    "a white outline around nothing": (
        svg(
            '<rect x="20" y="20" width="60" height="60" fill="none" stroke-width="6" '
            'style="stroke: light-dark(#000000, #ffffff)"/>'
        ),
        {(20, 50): ("#000000", "#ffffff"), (50, 50): (PAPER, NIGHT)},
    ),
    "a white area by light-dark()": (
        svg('<circle cx="50" cy="50" r="20" style="fill: light-dark(#123456, #ffffff)"/>'),
        {(50, 50): ("#123456", "#ffffff")},
    ),
}
SHELL = '<rect x="10" y="10" width="80" height="10" fill="{}"/><text x="10" y="60" fill="#c5c8c6">$ ls</text>'
# A terminal is dark in the light theme, and its own page goes in the dark one.
TERMINAL: Spots = {(50, 15): ("#00aa00", "#00aa00"), (50, 90): ("#101010", NIGHT)}
TERMINALS = {
    "in a nested drawing": '<svg width="100" height="100"><rect width="100" height="100" fill="#101010"/>{}</svg>',
    "in a group in a nested drawing": '<svg width="100" height="100"><g>'
    '<rect width="100%" height="100%" fill="#101010"/>{}</g></svg>',
    "behind a shape without paint": '<rect width="100" height="100" fill="none"/>'
    '<rect width="100" height="100" fill="#101010"/>{}',
    "behind a background in a class": "<style>.bg {{ fill: #101010 }}</style>"
    '<rect class="bg" width="100%" height="100%"/>{}',
}
# Nearly white: white without an outline is paper, wherever it lies.
RECTANGLES = {
    "a path with its lines": '<path d="M0 0H100V100H0Z" fill="#fafafa"/>',
    "a path with a point on a side": '<path d="M0 0L50 0L100 0L100 100L0 100L0 0Z" fill="#fafafa"/>',
    "a path from another corner, to the left": '<path d="M100 100H0V0H100Z" fill="#fafafa"/>',
    "a path of curves that are straight": '<path d="M0 0C30 0 60 0 100 0L100 100L0 100Z" fill="#fafafa"/>',
    "a polygon": '<polygon points="0,0 100,0 100,100 0,100" fill="#fafafa"/>',
    "turned by a quarter": '<rect width="100" height="100" fill="#fafafa" transform="rotate(90 50 50)"/>',
    "turned by half": '<g transform="rotate(180 50 50)"><rect width="100" height="100" fill="#fafafa"/></g>',
    "mirrored": '<rect x="-100" width="100" height="100" fill="#fafafa" transform="scale(-1 1)"/>',
    "beyond the view": '<rect x="-500" y="-500" width="2000" height="2000" fill="#fafafa"/>',
    "in a group with a clip over the view": '<clipPath id="c"><rect width="100" height="100"/></clipPath>'
    '<g clip-path="url(#c)"><rect width="100" height="100" fill="#fafafa"/><path d="M0 0H9" stroke="#4a90c4"/></g>',
    "a path beyond the view": '<path d="M-9 -9H900V900H-9Z" fill="#fdfdfd"/>',
}
NO_PAGES = {
    "turned by an eighth": '<rect width="100" height="100" fill="#ffffff" transform="rotate(45 50 50)"/>',
    "a path with a corner cut": '<path d="M0 0H100V70L70 100H0Z" fill="#ffffff" stroke="#4a90c4"/>',
    "a circle": '<circle cx="50" cy="50" r="50" fill="#ffffff" stroke="#4a90c4"/>',
    "clipped to half of it": '<clipPath id="c"><rect width="100" height="50"/></clipPath>'
    '<g clip-path="url(#c)"><rect width="100" height="100" fill="#fafafa" stroke="#4a90c4"/></g>',
    "clipped elsewhere": '<clipPath id="c"><rect width="100" height="100"/></clipPath>'
    '<g clip-path="url(#c)" transform="translate(30 0)">'
    '<rect x="-30" width="100" height="100" fill="#fafafa"/></g>',
    "half of it": '<rect width="100" height="60" fill="#ffffff" stroke="#4a90c4"/>',
}


@pytest.mark.parametrize("name", OWN)
def test_both_themes_show_what_the_author_said(name: str) -> None:
    data, spots = OWN[name]
    assert seen(data, spots) == spots


@pytest.mark.parametrize("name", TERMINALS)
def test_a_terminal_stays_dark(name: str) -> None:
    data = svg(TERMINALS[name].format(SHELL.format("#00aa00")))
    assert seen(data, TERMINAL) == TERMINAL


def test_a_plate_with_round_corners_and_without_a_fill_is_black() -> None:
    """SVG's initial fill: what has none is a black window, in both themes."""
    data = svg('<rect width="100" height="100" rx="8"/>' + SHELL.format("#00aa00"))
    spots: Spots = {(50, 15): ("#00aa00", "#00aa00"), (50, 90): ("#000000", "#000000")}
    assert seen(data, spots) == spots


@cases("name", RECTANGLES)
def test_a_page_is_a_page_however_it_is_written(name: str) -> None:
    """Nothing is painted in the dark beside the mark: sites have dark pages of other shades than ours."""
    mark = f'<rect x="40" y="40" width="20" height="20" fill="{COMPUTE.fill}"/>'
    data = svg(RECTANGLES[name] + mark)
    colours = seen(data, {(50, 50): ("", ""), (5, 5): ("", ""), (95, 95): ("", "")})
    assert colours[50, 50] == (COMPUTE.fill, COMPUTE.dark_fill)
    assert {dark for _, dark in (colours[5, 5], colours[95, 95])} == {NIGHT}
    assert NIGHT.encode() not in in_themes(data, SHEET, ("dark",))[0].svg


@pytest.mark.parametrize("name", NO_PAGES)
def test_what_is_not_upright_or_not_whole_stays(name: str) -> None:
    """It hides what lies behind it, so it is still painted."""
    (_, dark) = in_themes(svg(NO_PAGES[name] + '<circle r="9" fill="#c44444"/>'), SHEET, ("light", "dark"))
    begun = Counter(re.findall(r"<(?:rect|path|circle)\b", NO_PAGES[name] + "<circle"))
    assert Counter(re.findall(r"<(?:rect|path|circle)\b", dark.svg.decode())) == begun


# They differ from compute's #cfe2f3: by one step of blue, and by more than a reader overlooks.
NEAR, FAR = ("#cfe2f4", "#c0dcf6")
OURS = Role("compute", "#ddddff", "#3333aa", "#111133", "#9999ff")
GREY_PANEL = "#ebebeb"  # the panel of ggplot2, near neutral's #e9ecef
PALETTES = {
    "a near colour, no palette set": (NEAR, ROLES, NEAR),
    "a near colour, a palette set": (NEAR, (OURS, *ROLES[1:]), OURS.fill),
    "a far colour, a palette set": (FAR, (OURS, *ROLES[1:]), FAR),
    "the panel of ggplot2, no palette set": (GREY_PANEL, ROLES, GREY_PANEL),
    "near to a role that the book adds": (
        "#80c0a1",
        (*ROLES, Role("ours", "#80c0a0", "#206040", "#104030", "#90d0b0")),
        "#80c0a0",
    ),
}


@pytest.mark.parametrize("name", PALETTES)
def test_near_colours_become_those_of_a_palette_that_the_book_has_set(name: str) -> None:
    colour, palette, light = PALETTES[name]
    sheet = replace(SHEET, palette=palette)
    data = svg(f'<rect x="20" y="20" width="60" height="60" fill="{colour}"/>')
    ((fill, dark),) = seen(data, {(50, 50): ("", "")}, sheet).values()
    assert fill == light
    expected = {role.fill: role.dark_fill for role in palette}
    assert light not in expected or dark == expected[light]
    assert dark != light  # a pale area is a dark one on a dark page


KEPT_DARK = (
    '<rect width="100" height="100" fill="#101010"/><path d="M0 0L90 80" stroke="{}" stroke-width="3"/>'
)


@pytest.mark.parametrize(("line", "is_told"), [("#303030", True), ("#e0e0e0", False)])
def test_a_drawing_that_is_dark_by_itself_is_judged_in_the_dark_as_well(line: str, is_told: bool) -> None:
    """By WCAG's formula, worked out apart: #303030 on the dark site's #1e2129 is 1.22:1. It stays as it is."""
    data = svg(KEPT_DARK.format(line))
    light, dark = in_themes(data, SHEET, ("light", "dark"))
    told = [message for _, message, check in dark.warnings if check == "contrast"]
    assert any(message.startswith("dark theme: a line in") for message in told) == is_told
    assert any(check == "contrast" for *_, check in light.warnings) == is_told
    assert line.encode() in dark.svg


def test_a_part_that_is_data_is_not_judged() -> None:
    data = svg(
        '<g data-figmill-colours="keep"><path d="M0 0L90 80" stroke="#303030" stroke-width="3"/></g>'
        '<circle r="9" fill="#4a90c4"/>'
    )
    (dark,) = in_themes(data, SHEET, ("dark",))
    assert dark.warnings == () and b"#303030" in dark.svg


# What draw.io itself writes for the dark beside its presets, read from its exports.
PRESETS = {
    "#82b366": (68, 110, 44),
    "#6c8ebf": (92, 121, 163),
    "#d79b00": (153, 101, 0),
    "#b85450": (215, 129, 126),
}


@pytest.mark.parametrize("light", PRESETS)
def test_the_dark_colours_of_draw_io_are_its_own(light: str) -> None:
    tool = tool_of(b'<svg content="&lt;mxfile&gt;"/>')
    assert tool is not None
    assert {light, "#" + bytes(PRESETS[light]).hex()} <= own_colours(tool)
