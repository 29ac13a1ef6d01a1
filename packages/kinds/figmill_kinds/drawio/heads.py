"""The heads of draw.io's connectors, in one table. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from figmill_kinds.drawio.model import Point


@dataclass(frozen=True, slots=True)
class Head:
    """area: a path to fill; lines: a path that is only stroked; back: px by which the line ends earlier."""

    area: str = ""
    lines: str = ""
    back: float = 0.0


@dataclass(frozen=True, slots=True)
class _Tip:
    """A place on a connector's end, seen from its tip: `back` px along the line, `side` px across."""

    point: Point
    toward: Point  # a unit vector from the tip back along the line

    def at(self, back: float, side: float = 0.0) -> str:
        (x, y), (u, v) = self.point, self.toward
        return f"{x + u * back - v * side:.2f},{y + v * back + u * side:.2f}"

    def path(self, *places: tuple[float, float], closed: bool = False) -> str:
        return f"M{'L'.join(self.at(*place) for place in places)}{'Z' * closed}"

    def ring(self, back: float, radius: float) -> str:
        arc = f"A{radius:.2f} {radius:.2f} 0 0 1"
        return f"M{self.at(back - radius)}{arc} {self.at(back + radius)}{arc} {self.at(back - radius)}Z"


Draw = Callable[[_Tip, float], Head]


def _triangle(half: float, notch: float = 0.0) -> Draw:
    def draw(tip: _Tip, size: float) -> Head:
        places = [(0.0, 0.0), (size, size * half), (size * (1 - notch), 0.0), (size, -size * half)]
        return Head(
            tip.path(*(places if notch else (places[0], places[1], places[3])), closed=True),
            back=size * (1 - notch),
        )

    return draw


def _open(half: float) -> Draw:
    def draw(tip: _Tip, size: float) -> Head:
        return Head(lines=tip.path((size, size * half), (0, 0), (size, -size * half)))

    return draw


def _diamond(half: float) -> Draw:
    def draw(tip: _Tip, size: float) -> Head:
        return Head(
            tip.path((0, 0), (size / 2, size * half), (size, 0), (size / 2, -size * half), closed=True),
            back=size,
        )

    return draw


def _oval(tip: _Tip, size: float) -> Head:
    return Head(tip.ring(0, size / 2))


def _bar(tip: _Tip, back: float, size: float) -> str:
    return tip.path((back, -size / 2), (back, size / 2))


def _relation(one: bool = False, many: bool = False, zero: bool = False, mandatory: bool = False) -> Draw:
    def draw(tip: _Tip, size: float) -> Head:
        lines = tip.path((0, -size / 2), (size, 0), (0, size / 2)) if many else _bar(tip, size / 2, size)
        if one or mandatory:
            lines += _bar(tip, size, size)
        if not zero:
            return Head(lines=lines)
        lines += tip.path((0, 0), (size * 1.125, 0))
        return Head(tip.ring(size * 1.5, size * 0.375), lines, size * 1.875)

    return draw


HEADS: Mapping[str, Draw] = MappingProxyType(
    {
        "classic": _triangle(0.5, 0.25),
        "classicThin": _triangle(1 / 3, 0.25),
        "block": _triangle(0.5),
        "blockThin": _triangle(1 / 3),
        "open": _open(0.5),
        "openThin": _open(1 / 3),
        "oval": _oval,
        "diamondThin": _diamond(1 / 3.4),
        "ERone": _relation(),
        "ERmandOne": _relation(mandatory=True),
        "ERmany": _relation(many=True),
        "ERoneToMany": _relation(one=True, many=True),
        "ERzeroToOne": _relation(zero=True),
        "ERzeroToMany": _relation(many=True, zero=True),
    }
)


# How far a head stays away from its shape, so that its outline does not reach into it; in widths of the line.
_AWAY: Mapping[str, float] = MappingProxyType(
    {
        **dict.fromkeys(("classic", "classicThin", "block", "blockThin", "open", "openThin"), 1.118),
        "diamondThin": 0.9862,
    }
)


def head(form: str, tip: Point, before: Point, size: float, width: float = 1.0) -> Head | None:
    """The head of a connector that comes from `before`; None if it has no head. width: px of the line."""
    length = math.dist(tip, before)
    draw = HEADS.get(form)
    if draw is None or not length:
        return None
    u, v = (before[0] - tip[0]) / length, (before[1] - tip[1]) / length
    away = min(length / 2, _AWAY.get(form, 0.0) * width)
    marker = draw(_Tip((tip[0] + u * away, tip[1] + v * away), (u, v)), min(size, length))
    return replace(marker, back=marker.back + away)
