"""Numbers of any size, wherever an author can write one: refused at their line, or published as a fixed point."""

from __future__ import annotations

import pytest

from figmill.svg import CHECKS, Normal, Sheet, SvgError, in_themes

SHEET = Sheet("fig", "Title", "What it shows", checks=CHECKS)
THEMES = ("light", "dark")
NUMBERS = (
    "1e308",
    "-1e308",
    "1e309",
    "1e20",
    "1e10",
    "1e9",
    "999999999.9999",
    "-1e9",
    "5e-324",
    "1e-300",
    "1e-31",
    "1e-7",
    "-0",
    "0",
    "12.5",
    "9" * 400,
    "0." + "0" * 400 + "1",
    "NaN",
    "inf",
    "-Infinity",
    "1_000",
    "1e",
    "1e+",
    ".",
    "--1",
    "\u0661",
    "0x10",
    "1e9em",
    "1e9%",
    "1e308px",
    "",
)
PLACES = {
    "viewBox": '<svg{} viewBox="0 0 100 {n}" width="100"><rect width="9" height="9"/></svg>',
    "viewBox's left": '<svg{} viewBox="{n} 0 100 50"><text>words</text><rect width="9" height="9"/></svg>',
    "viewBox beside a size": '<svg{} viewBox="0 0 {n} 400" width="9" height="9"><text x="1" y="9">words</text></svg>',
    "width": '<svg{} width="{n}" height="100"><text y="9">words</text></svg>',
    "inner viewBox": '{9}<svg width="9" height="9" viewBox="0 0 {n} 9"><text>a</text></svg></svg>',
    "symbol": '{9}<symbol id="s" viewBox="0 0 1 {n}"><text>a</text></symbol>'
    '<use href="#s" width="{n}" height="{n}"/></svg>',
    "symbols within symbols": "{9}"
    + "".join(
        f'<symbol id="s{i}" viewBox="0 0 1e-3 1e-3"><use href="#s{i + 1}" width="{{n}}" height="{{n}}"/></symbol>'
        for i in range(40)
    )
    + '<symbol id="s40"><text fill="red">a</text></symbol><use href="#s0" width="9" height="9"/></svg>',
    "font-size": '<svg{} viewBox="0 0 9 9" font-size="{n}"><rect width="8" height="8"/><text y="5">words</text></svg>',
    "font-size below font-size": "{9}"
    + '<g font-size="{n}">' * 40
    + "<text>words</text>"
    + "</g>" * 40
    + "</svg>",
    "letter-spacing": '{9}<text letter-spacing="{n}" y="5">words</text></svg>',
    "textLength": '{9}<text textLength="{n}" y="5">wo<tspan dx="{n}">rds</tspan></text></svg>',
    "x": '{9}<rect x="{n}" width="{n}" height="9" stroke="#eee"/><text x="{n}" y="3">a</text></svg>',
    "path": '{9}<path d="m 1 1 l {n} 1 h {n} z"/></svg>',
    "path of steps": '{9}<path d="m 0 0' + " l {n} {n}" * 9 + '"/></svg>',
    "arc": '{9}<path d="M 1 1 A {n} {n} {n} 1 1 5 5"/></svg>',
    "points": '{9}<polygon points="0,0 {n},{n} 3,1"/></svg>',
    "transform": '{9}<g transform="scale({n})"><rect width="9" height="9"/><text>words</text></g></svg>',
    "transforms within transforms": "{9}"
    + '<g transform="scale({n}) skewX({n})">' * 40
    + '<rect width="9" height="9"/><text stroke="red">words</text>'
    + "</g>" * 40
    + "</svg>",
    "a long transform": '{9}<g transform="' + "scale({n}) rotate({n}) " * 40 + '"><text>a</text></g></svg>',
    "opacity": '{9}<rect width="9" height="9" opacity="{n}" fill-opacity="{n}"/><text y="5">a</text></svg>',
    "gradient": '{9}<linearGradient id="g" x1="{n}" gradientTransform="scale({n})"><stop offset="{n}"/>'
    '</linearGradient><rect width="9" height="9" fill="url(#g)"/></svg>',
    "pattern": '{9}<pattern id="p" width="{n}" height="1" viewBox="0 0 {n} 1"><path d="M0 0L1 1" stroke="red"/>'
    '</pattern><rect width="9" height="9" fill="url(#p)"/></svg>',
    "marker": '{9}<marker id="m" markerWidth="{n}" viewBox="0 0 {n} 1"><path d="M0 0L1 1"/></marker>'
    '<path d="M0 0L9 9" marker-end="url(#m)" stroke="red"/></svg>',
    "filter": '{9}<filter id="f" width="{n}"><feGaussianBlur stdDeviation="{n}"/></filter>'
    '<rect width="9" height="9" filter="url(#f)"/></svg>',
    "CSS": '{9}<rect style="stroke-width: {n}; x: {n}; transform: scale({n})" width="9" height="9"/></svg>',
    "CSS on the root": '<svg{} viewBox="0 0 9 9" style="width: {n}; font-size: {n}"><text y="5">words</text></svg>',
    "CSS in calc()": '{9}<text y="5" baseline-shift="calc(1px + {n})">words</text></svg>',
    "raised words": '{9}<text y="{n}">a<tspan baseline-shift="{n}mm">b</tspan>c<tspan dy="{n} 1">d</tspan></text>'
    "</svg>",
    "raised again and again": "{9}<text>"
    + '<tspan baseline-shift="{n}in">a' * 9
    + "</tspan>" * 9
    + "</text></svg>",
    "a function of a filter": '{9}<rect width="9" height="9" filter="blur({n})"/></svg>',
    "colour": '{9}<rect width="9" height="9" fill="rgb({n} {n} 0 / {n})"/><text y="5">a</text></svg>',
    "wide colour": '{9}<rect width="9" height="9" fill="lab({n} {n} {n} / {n})"/><text y="5">a</text></svg>',
    "index": '{9}<g class="graph"><text font-size="{n}" baseline-shift="sub" y="5">a</text></g></svg>',
}


def drawing(place: str, number: str) -> bytes:
    """{9} begins a drawing of that size, {} stands for its namespace."""
    text = PLACES[place].replace("{9}", '<svg{} viewBox="0 0 9 9">')
    return text.replace("{}", '\nxmlns="http://www.w3.org/2000/svg"').replace("{n}", number).encode()


def settled(data: bytes) -> tuple[Normal, ...]:
    """The drawing in both themes, each of which is a fixed point."""
    forms = in_themes(data, SHEET, THEMES)
    for form, theme in zip(forms, THEMES, strict=True):
        assert in_themes(form.svg, SHEET, (theme,))[0].svg == form.svg, data
    return forms


@pytest.mark.parametrize("place", PLACES)
def test_a_number_of_any_size(place: str) -> None:
    published = 0
    for number in NUMBERS:
        try:
            forms = settled(drawing(place, number))
        except SvgError as error:
            assert error.line is not None and len(error.message) < 200, (number, error)
            continue
        published += 1
        for form in forms:
            assert 0.001 <= form.width <= 1e6 and 0.001 <= form.height <= 1e6
            text = form.svg.decode().lower()
            assert "nan" not in text and "inf" not in text, (number, text)
    assert published


@pytest.mark.parametrize("number", ["1e308", "1e10", "9" * 400, "-1e308"], ids=lambda number: number[:6])
@pytest.mark.parametrize("place", ["x", "path", "points", "transform", "CSS", "gradient"])
def test_a_number_beyond_all_bounds_is_cut_and_told(place: str, number: str) -> None:
    for form in settled(drawing(place, number)):
        assert b"1000000000" in form.svg
        (told,) = (warning for warning in form.warnings if "is cut to that" in warning[1])
        assert told[0] == 2 and told[2] == "unreadable-value"


def test_a_path_of_steps_stays_within_bounds() -> None:
    """Each step may be fine, and their sum too far away to be read again."""
    assert b" 1000000000 1000000000" in settled(drawing("path of steps", "2e8"))[0].svg
    assert b" 900000000 900000000" in settled(drawing("path of steps", "1e8"))[0].svg


def test_what_looks_like_a_large_number_and_is_none() -> None:
    for number in ("0.12345678901234567", "1e-10", "1E-12", "1000000000", "5e0"):
        forms = settled(drawing("x", number))
        assert not [warning for warning in forms[0].warnings if "is cut" in warning[1]]
