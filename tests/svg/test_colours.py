"""Colours of CSS Color 4 come out as sRGB, the same to every reader; what sRGB cannot show is brought in."""

from __future__ import annotations

import re

import pytest
from helpers.cases import cases
from helpers.examples import examples
from hypothesis import example, given
from hypothesis import strategies as st

from figmill.svg import CHECKS, Sheet, SvgError, normalise
from figmill.svg import colour as colours

SHEET = Sheet("fig", "Title", "What it shows", background="none")
STRICT = Sheet("fig", "Title", "What it shows", theme="dark", checks=CHECKS)


def svg(inside: str) -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{inside}</svg>'.encode()


def published(colour: str) -> str:
    """What stands for a colour in a published rectangle."""
    result = normalise(svg(f'<rect width="5" height="5" fill="{colour}"/>'), SHEET)
    match = re.search(r'<rect[^>]* fill="([^"]*)"', result.svg.decode())
    return match[1] if match else ""


# The examples of CSS Color 4 and of its tests, and the edges of each space.
SAME = {
    "lab(29.2345% 39.3825 20.0664)": "#7d2329",
    "lab(52.2345% 40.1645 59.9971)": "#c65d06",
    "lch(52.2345% 72.2 56.2)": "#c65d06",
    "lch(29.2345% 44.2 27)": "#7d2329",
    "oklab(59.69% 0.1007 0.1191)": "#c65d07",
    "oklch(59.69% 0.156 49.77)": "#c65d07",
    "OKLCH(59.69% 0.156 49.77DEG)": "#c65d07",
    "oklch(1 0 none)": "#ffffff",
    "oklch(0% 0 0)": "#000000",
    "color(srgb 1 0.5 0)": "#ff8000",
    "color(srgb-linear 1 1 1)": "#ffffff",
    "color(xyz 0.9505 1 1.089)": "#ffffff",
    "color(display-p3 1 1 1)": "#ffffff",
    "color(display-p3 0.6 0.6 0.6)": "#999999",
    "lab(50% 0 0 / 50%)": "rgba(119, 119, 119, 0.5)",
    "oklch(0.5 0 0 / 0)": "rgba(99, 99, 99, 0)",
    "lab(none none none)": "#000000",
}


@cases("colour", SAME)
def test_a_colour_of_another_space(colour: str) -> None:
    assert published(colour) == SAME[colour]


# By lightness and hue, not by cutting off each channel, which would turn them: what sRGB has least of.
@pytest.mark.parametrize(
    ("colour", "clipped"),
    [
        ("color(display-p3 0 1 0)", "#00ff00"),
        ("oklch(0.7 0.4 150)", "#00ff00"),
        ("color(rec2020 1 0 0)", "#ff0000"),
    ],
)
def test_what_is_out_of_gamut_is_brought_in_by_its_chroma(colour: str, clipped: str) -> None:
    from coloraide import Color

    mapped = published(colour)
    assert mapped != clipped
    asked, given_ = Color(colour).convert("oklch"), Color(mapped).convert("oklch")
    assert abs(asked["lightness"] - given_["lightness"]) < 0.03
    assert abs(asked["hue"] - given_["hue"]) < 5
    assert given_["chroma"] < asked["chroma"]


@cases(
    "colour",
    [
        "oklch()",
        "color()",
        "color(nope 1 2 3)",
        "lab(1, 2, 3)",
        "oklch(0.5 0.1 a)",
        "rgb()",
        "lab(1)",
        "oklch(from red l c h)",
    ],
)
def test_what_only_looks_like_a_colour_is_told_and_has_no_effect(colour: str) -> None:
    result = normalise(svg(f'\n<rect width="9" height="9" fill="{colour}"/>'), SHEET)
    assert [(line, check) for line, _, check in result.warnings] == [(2, "unreadable-value")]
    assert b"fill" not in result.svg


PLACES = {
    "text": '<text y="5" fill="{}">words</text>',
    "stop": '<linearGradient id="g"><stop stop-color="{}"/></linearGradient><path d="M0 0H9V9z" fill="url(#g)"/>',
    "fallback": '<linearGradient id="g"><stop/></linearGradient><rect width="9" height="9" fill="url(#g) {}"/>',
    "style": '<rect width="9" height="9" style="stroke: {}; fill: none"/>',
    "rule": "<style>rect {{ fill: {} }}</style><rect width='9' height='9'/>",
    "flood": '<filter id="f"><feFlood flood-color="{}"/></filter><rect width="9" height="9" filter="url(#f)"/>',
    "line": '<text y="5" style="text-decoration: underline; text-decoration-color: {}">words</text>',
    "current": '<g color="{}"><rect width="9" height="9" fill="currentColor"/></g>',
}


@cases("place", PLACES)
def test_no_published_colour_is_of_another_space(place: str) -> None:
    for sheet in (SHEET, STRICT):
        result = normalise(svg(PLACES[place].format("oklch(0.7 0.1 200 / 0.8)")), sheet).svg
        assert not re.search(rb"\b(?:ok)?(?:lch|lab)\(|color\(", result)
        assert b"rgba(" in result
        assert normalise(result, sheet).svg == result


HEX = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


@given(HEX, HEX, st.floats(0.05, 0.98), st.one_of(st.none(), st.floats(0, 0.3)))
@example("#000000", "#ffffff", 0.5, None)
@example("#808080", "#818181", 0.5, 0.1)
def test_our_sums_are_those_of_coloraide(text: str, other: str, light: float, strength: float | None) -> None:
    from coloraide import Color

    asked = Color(text).convert("oklch")
    assert colours.lightness(text) == pytest.approx(asked["lightness"], abs=1e-6)
    assert colours.chroma(text) == pytest.approx(asked["chroma"], abs=1e-6)
    assert colours.luminance(text) == pytest.approx(asked.luminance(), abs=1e-9)
    assert colours.distance(text, other) == pytest.approx(Color(text).delta_e(other, method="ok"), abs=1e-6)
    moved = asked.clone().set("lightness", light)
    if strength is not None:
        moved.set("chroma", strength)
    fitted = moved.fit("srgb", method="raytrace").convert("srgb").coords(nans=False)
    parts = bytes.fromhex(colours.moved_to(text, light, strength)[1:])
    assert [part / 255 for part in parts] == pytest.approx(fitted, abs=0.5 / 255 + 1e-4)


NUMBERS = st.one_of(
    st.floats(-400, 400).map(lambda number: f"{number:.5g}"),
    st.sampled_from(
        ["none", "0", "1e9", "-1e9", "1e-30", "100%", "-50%", "1e9%", "50deg", "3turn", "nan", "calc(1)"]
    ),
)
COLOURS = st.builds(
    "{}({} {} {}{})".format,
    st.sampled_from(["lab", "lch", "oklab", "oklch", "rgb", "hsl", "hwb", "LAB"]),
    NUMBERS,
    NUMBERS,
    NUMBERS,
    st.one_of(st.just(""), NUMBERS.map(" / {}".format)),
)
SPACES = st.builds(
    "color({} {} {} {})".format,
    st.sampled_from(
        [
            "srgb",
            "srgb-linear",
            "display-p3",
            "a98-rgb",
            "prophoto-rgb",
            "rec2020",
            "xyz",
            "xyz-d50",
            "xyz-d65",
            "nope",
        ]
    ),
    NUMBERS,
    NUMBERS,
    NUMBERS,
)


@examples(100, 1200, st.one_of(COLOURS, SPACES), st.sampled_from(sorted(PLACES)))
def test_any_colour_is_refused_or_a_fixed_point(colour: str, place: str) -> None:
    try:
        result = normalise(svg(PLACES[place].format(colour)), STRICT).svg
    except SvgError as error:
        assert error.line == 1
        return
    assert normalise(result, STRICT).svg == result
    assert not re.search(rb"(?:lch|lab|color)\(", result)
