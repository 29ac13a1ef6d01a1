"""Two pictures: what differs for an eye is found, and where; the smoothing of an edge is not."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from figmill.compare.drawing import FEW, compare, differences
from figmill.compare.pictures import pixels
from figmill.compare.pixels import SAME, Pixels, difference


def page(colour: int = 255) -> Pixels:
    return np.full((60, 100, 3), colour, dtype=np.uint8)


def drawn(inside: str, theme: str = "light") -> Pixels:
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="100" height="60" viewBox="0 0 100 60">{inside}</svg>'
    )
    return pixels(svg.encode(), theme)


BOX = '<rect x="{x}" y="20" width="20" height="20" fill="{fill}"/>'
WORD = '<text x="10" y="30" font-family="Arial" font-size="16">{}</text>'
CURVE = '<path d="M{0} 50 C30 {0} 60 5 95 5" fill="none" stroke="#333333" stroke-width="2"/>'


def test_the_same_picture_does_not_differ() -> None:
    assert (
        difference(drawn(BOX.format(x=10, fill="#cc0000")), drawn(BOX.format(x=10, fill="#cc0000"))) == SAME
    )


def test_a_moved_box_is_found_where_it_was_and_where_it_is() -> None:
    change = difference(drawn(BOX.format(x=10, fill="#cc0000")), drawn(BOX.format(x=15, fill="#cc0000")))
    assert change.box == (10, 20, 35, 40)
    assert change.share == pytest.approx(2 * 5 * 20 / 6000)


def test_one_colour_is_found_as_large_as_it_is() -> None:
    change = difference(drawn(BOX.format(x=10, fill="#cfe2f3")), drawn(BOX.format(x=10, fill="#d8f0ff")))
    assert change.box == (10, 20, 30, 40)
    assert change.share == pytest.approx(400 / 6000)


def test_a_changed_letter_is_found_where_it_stands() -> None:
    change = difference(drawn(WORD.format("Rank 1")), drawn(WORD.format("Rank 7")))
    assert change.box is not None and 0 < change.share < 0.02
    left, top, right, bottom = change.box
    assert left > 45 and right < 65 and top > 15 and bottom < 32


def test_a_curve_that_moves_by_less_than_a_pixel_is_smoothing() -> None:
    change = difference(drawn(CURVE.format(5)), drawn(CURVE.format(5.02)))
    assert (drawn(CURVE.format(5)) != drawn(CURVE.format(5.02))).any()  # there is something to tell apart
    assert change.share < 0.001


def test_what_only_one_picture_has_differs() -> None:
    wide = np.full((60, 120, 3), 255, dtype=np.uint8)
    change = difference(page(), wide)
    assert (change.box, change.share) == ((100, 0, 120, 60), pytest.approx(1 / 6))


def test_dark_figures_are_compared_on_their_page() -> None:
    assert tuple(drawn("", "dark")[0, 0]) == (0x1E, 0x21, 0x29)


def test_two_places_that_differ_get_a_box_each() -> None:
    both = BOX.format(x=5, fill="#cc0000") + BOX.format(x=70, fill="#cc0000")
    change = difference(drawn(both), drawn(both.replace("#cc0000", "#0000cc")))
    assert (change.boxes, change.box) == (((5, 20, 25, 40), (70, 20, 90, 40)), (5, 20, 90, 40))


def test_many_pairs_are_compared_by_processes_with_the_same_answer() -> None:
    svgs = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30"><rect width="{n}" height="9"/></svg>'.encode()
        for n in range(1, FEW + 3)
    ]
    pairs = [("light", one, other) for one, other in pairwise(svgs)]
    assert len(pairs) > FEW and differences(pairs, (), 2) == [compare(pair) for pair in pairs]
