"""Stacked bars: where the sizes of their parts stand."""

from __future__ import annotations

import pytest
from helpers.words import texts_of

from figmill_timelines.charts.looks import CellLook
from figmill_timelines.palette import role
from figmill_timelines.plots import bars

LOOKS = [CellLook(name, role(name).fill, role(name).line) for name in ("compute", "data")]


@pytest.mark.parametrize(
    ("limit", "side"), [(50, 0), (70, 0), (81, -1), (80, 1)], ids=["before", "in", "near", "behind"]
)
def test_a_size_stands_in_the_middle_of_its_part_or_beside_the_line_of_the_limit(
    limit: float, side: int
) -> None:
    bar = bars.Bar("a rank", ((LOOKS[0], 61), (LOOKS[1], 39)))
    figure = bars.draw([bar], "Title", "GB", bars.Limit(limit, "limit"))
    (middle,) = (text.get_position()[0] for text in texts_of(figure) if text.get_text() == "39")
    (name,) = (text.get_position()[0] for text in texts_of(figure) if text.get_text() == "limit")
    (first,) = (text.get_position()[0] for text in texts_of(figure) if text.get_text() == "61")
    unit = (name - first) / (limit - 30.5)
    away = (middle - first) / unit - 50
    assert abs(away) < 1e-6 if side == 0 else 0 < away * side < 3
