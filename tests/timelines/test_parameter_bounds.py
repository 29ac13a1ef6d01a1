"""Bounds of parameters: what an annotation says holds for those who call a generator themselves, too."""

from __future__ import annotations

from typing import Annotated

import pytest
from annotated_types import Ge, Gt, Interval, Lt

from figmill.timelines.bounds import hold


def draw(
    ranks: Annotated[int, Interval(ge=2, le=64)] = 2,
    size: Annotated[float, Gt(0)] = 1,
    share: Annotated[float, Ge(0), Lt(1)] | None = None,
    times: list[Annotated[float, Interval(ge=0, le=9)]] | None = None,
    title: str = "",
    loud: bool = False,
) -> None:
    hold(draw, locals())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ranks": 1}, "ranks must be from 2 to 64, not 1"),
        ({"ranks": float("nan")}, "ranks must be from 2 to 64, not nan"),
        ({"size": 0}, "size must be above 0, not 0"),
        ({"size": float("inf")}, "size must be above 0, not inf"),
        ({"share": 1}, "share must be at least 0 and below 1, not 1"),
        ({"times": [1, 10]}, "times must be from 0 to 9, not 10"),
        ({"times": [1, "a"]}, "times must be a list of numbers, and holds 'a'"),
    ],
)
def test_what_is_out_of_bounds_is_told_in_one_line(given: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        draw(**given)


def test_what_is_within_bounds_passes() -> None:
    draw()
    draw(64, 1e-300, 0, [0, 9.0], "a title", True)
