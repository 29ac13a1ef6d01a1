"""A page that is shaded, as flame graphs have it, is a page: it goes in the dark, and stays in the light."""

from __future__ import annotations

import pytest

from figmill.svg import Sheet, normalise

# The stops, and whether that is a page.
SHADES = {
    "of flame graphs": ("#eeeeee", "#eeeeb0", True),
    "of memory": ("#eef2ee", "#e0ffe0", True),
    "of waits": ("#eeeeee", "#e0e0ff", True),
    "of a sky": ("#ffffff", "#4a90c4", False),
    "of a night": ("#101020", "#202040", False),
}


@pytest.mark.parametrize(("above", "below", "is_page"), SHADES.values(), ids=SHADES)
def test_a_pale_shade_behind_everything_is_a_page(above: str, below: str, is_page: bool) -> None:
    data = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 90"><defs><linearGradient id="b" y2="1" x2="0">'
        f'<stop stop-color="{above}" offset="5%"/><stop stop-color="{below}" offset="95%"/></linearGradient></defs>'
        '<rect width="600" height="90" fill="url(#b)"/><rect x="9" y="50" width="300" height="15" fill="#f7cd0a"/>'
        "</svg>"
    ).encode()
    for theme in ("light", "dark"):
        sheet = Sheet("f", "t", "d", theme=theme)
        svg = normalise(data, sheet).svg
        assert (b"linearGradient" in svg) == (theme == "light" or not is_page)
        assert b"#f7cd0a" in svg and normalise(svg, sheet).svg == svg
