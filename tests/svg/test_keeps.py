"""Colours that are data in hand drawings: the marks, the key of the question, and what lies on kept areas."""

from __future__ import annotations

import re

import pytest
from helpers.book import Space

from figmill.svg import Sheet, normalise

LIGHT = Sheet("fig", "Title", "What it shows")
DARK = Sheet("fig", "Title", "What it shows", theme="dark")
KEEP = Sheet("fig", "Title", "What it shows", theme="dark", colours="keep")
# White and nearly black are what a dark theme changes most.
CELLS = '<rect width="40" height="40" fill="#fdfdfd"/><rect x="40" width="40" height="40" fill="#101010"/>'
WORDS = (
    '<text x="5" y="20" font-size="8" fill="#222222">on it</text><text x="5" y="80" font-size="8">off</text>'
)


def svg(body: str) -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{body}</svg>'.encode()


def dark(body: str, sheet: Sheet = DARK) -> str:
    """The dark form; it is a fixed point, and that of the light form too."""
    result = normalise(svg(body), sheet).svg
    light = Sheet("fig", "Title", "What it shows", colours=sheet.colours)
    assert normalise(result, sheet).svg == result
    assert normalise(normalise(svg(body), light).svg, sheet).svg == result
    return result.decode()


def fills(text: str) -> list[str]:
    return re.findall(r'<rect[^>]* fill="([^"]*)"', text)


def test_without_a_mark_both_change() -> None:
    assert not {"#fdfdfd", "#101010"} & set(fills(dark(CELLS)))


@pytest.mark.parametrize("mark", ["keep", "keep-fills"])
def test_a_mark_keeps_what_is_below_it(mark: str) -> None:
    result = dark(f'<g data-figmill-colours="{mark}">{CELLS}</g>{WORDS}')
    assert fills(result) == ["#fdfdfd", "#101010"]
    assert 'fill="#222222"' in result.partition(">on it")[0][-150:]
    assert "#000000" not in result.partition(">off")[0][-100:]


def test_a_mark_on_one_element_holds_for_that() -> None:
    first, second = fills(dark(CELLS.replace("<rect ", '<rect data-figmill-colours="keep" ', 1)))
    assert first == "#fdfdfd" and second != "#101010"


def test_lines_change_where_only_fills_are_kept() -> None:
    cell = '<rect width="40" height="40" fill="#fdfdfd" stroke="#111111"/>'
    result = dark(f'<g data-figmill-colours="keep-fills">{cell}</g>')
    assert fills(result) == ["#fdfdfd"] and 'stroke="#111111"' not in result
    assert 'stroke="#111111"' in dark(f'<g data-figmill-colours="keep">{cell}</g>')


def test_kept_areas_say_what_they_would_inherit() -> None:
    inside = '<g data-figmill-colours="keep"><rect width="40" height="40"/></g>'
    body = f'<g fill="#101010" stroke="#fafafa">{inside}</g>{WORDS}'
    assert '<rect width="40" height="40" fill="#101010" stroke="#fafafa"/>' in dark(body)
    assert '<path d="M 0 0 H 9 V 9 Z" fill="#000000"/>' in dark(
        '<path d="M0 0H9V9Z" data-figmill-colours="keep"/>'
    ).replace(' data-figmill-colours="keep"', "")


def test_gradients_and_what_is_used_keep_theirs() -> None:
    body = (
        '<linearGradient id="g"><stop stop-color="#fdfdfd"/><stop offset="1" stop-color="#101010"/></linearGradient>'
        '<path id="p" d="M0 0H9V9Z"/><g data-figmill-colours="keep"><rect width="40" height="40" fill="url(#g)"/>'
        '<use href="#p" fill="#fcfcfc"/></g>'
    )
    result = dark(body)
    assert (
        'stop-color="#fdfdfd"' in result and 'stop-color="#101010"' in result and 'fill="#fcfcfc"' in result
    )


def test_nothing_near_the_palette_is_pulled_to_it() -> None:
    light = normalise(
        svg('<rect width="9" height="9" fill="#cfe2f4" data-figmill-colours="keep"/>'), LIGHT
    ).svg
    assert b'fill="#cfe2f4"' in light


def test_the_question_keeps_fills_and_not_words_lines_and_arrows() -> None:
    head = '<path d="M80 86L90 90L80 94Z" fill="#000000" stroke="#000000"/>'
    arrow = f'<path d="M50 90H80" fill="none" stroke="#000000"/>{head}'
    result = dark(f'<rect width="100" height="100" fill="#ffffff"/>{CELLS}{WORDS}{arrow}', KEEP)
    assert fills(result) == ["#fdfdfd", "#101010"]  # the page is no area
    assert "#000000" not in result
    assert 'fill="#222222"' in result.partition(">on it")[0][-150:]


def test_a_quiet_line_is_not_made_stronger() -> None:
    line = '<path d="M0 0L90 80" fill="none" stroke="#cccccc"{}/>'
    (loud,) = re.findall('stroke="(#..)', dark(line.format("")))
    (quiet,) = re.findall('stroke="(#..)', dark(line.format(' data-figmill-colours="quiet"')))
    assert int(quiet[1:], 16) < 0x60 < int(loud[1:], 16)
    assert normalise(svg(line.format("")), LIGHT).warnings != ()
    assert normalise(svg(line.format(' data-figmill-colours="quiet"')), LIGHT).warnings == ()


def test_a_mark_that_says_nothing_is_told() -> None:
    page = normalise(
        svg('<g data-figmill-colours="all"><rect width="9" height="9" fill="#cfe2f3"/></g>'), LIGHT
    )
    assert [check for *_, check in page.warnings] == ["unreadable-value"]
    assert b"data-" not in page.svg


def test_words_half_on_a_kept_area_change() -> None:
    text = '<text x="60" y="20" font-size="12" fill="#eeeeee">long words</text>'
    body = f'<g data-figmill-colours="keep">{CELLS}</g>{text}'
    assert 'fill="#eeeeee"' not in dark(body)


def test_a_frame_on_a_kept_area_stays_with_its_words() -> None:
    frame = '<rect x="5" y="5" width="30" height="20" fill="#ffffff" fill-opacity="0.8"/>'
    result = dark(
        f'<g data-figmill-colours="keep">{CELLS}</g>{frame}<text x="8" y="18" font-size="8">leg</text>'
    )
    assert 'fill="#ffffff"' in result and 'fill="#000000"' in result.partition(">leg")[0][-120:]


def test_the_keys_of_a_question(space: Space) -> None:
    space.write({"visuals/a.svg": svg(CELLS + WORDS)})
    space.question("a", "source: a.svg, alt: two cells, colours: keep, width: 250")
    assert space.run().code == 0
    page = space.read("build/global/a.dark.svg")
    assert fills(page) == ["#fdfdfd", "#101010"]
    assert 'width="250" height="250" viewBox="0 0 100 100"' in page
    space.question("a", "source: a.svg, alt: two cells, colours: auto")
    assert "colours" in space.run("--explain").out
    assert fills(space.read("build/global/a.dark.svg")) != ["#fdfdfd", "#101010"]
    space.question("a", "source: a.svg, alt: two cells, colours: kepe, width: 0")
    told = space.run().err
    assert "unknown colours 'kepe'; did you mean 'keep'?" in told and "width must be above 0, not 0" in told
