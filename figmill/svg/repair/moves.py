"""The changes of a layout repair: plain values in root units. Neither chooses moves nor applies them."""

from __future__ import annotations

from typing import TypeAlias

from figmill.late_dataclasses import dataclass
from figmill.svg.document import Element
from figmill.svg.geometry.outlines import Bounds, Point
from figmill.svg.xml.numbers import Matrix

STILL = 0.05  # px: what moves less has not moved


@dataclass(frozen=True, slots=True)
class Shift:
    """An element moves.

    - ctm: from its units to root units, its own transform included.
    """

    node: Element
    ctm: Matrix
    by: Point


@dataclass(frozen=True, slots=True)
class Resize:
    """A shape gets new bounds."""

    node: Element
    ctm: Matrix
    before: Bounds
    after: Bounds


@dataclass(frozen=True, slots=True)
class Pull:
    """An end of a line moves, and a curve's or a corner's point beside it as far as `beside` says."""

    node: Element
    ctm: Matrix
    is_start: bool
    by: Point
    beside: Point


@dataclass(frozen=True, slots=True)
class Reroute:
    """A line gets a new route of straight parts."""

    node: Element
    ctm: Matrix
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Break:
    """A line of text becomes several, centred at x, `leading` apart around the baseline y, in units of the text."""

    node: Element
    ctm: Matrix
    lines: tuple[str, ...]
    x: float
    y: float
    leading: float


@dataclass(frozen=True, slots=True)
class Squeeze:
    """A text gets a width, in units of the text."""

    node: Element
    ctm: Matrix
    width: float


Change: TypeAlias = Shift | Resize | Pull | Reroute | Break | Squeeze


@dataclass(frozen=True, slots=True)
class Move:
    """One repair: its changes, how far it moves anything in px, and what to say of it.

    - freed: the texts that may leave the boxes that they lay on.
    - joins: whether it may attach a loose end to a box.
    """

    changes: tuple[Change, ...]
    far: float
    why: str
    freed: frozenset[Element] = frozenset()
    joins: bool = False


def direction(dx: float, dy: float) -> str:
    """A move in px for a message, as in '14 px up' or '3 px left and 8 px down'."""
    parts = [
        f"{abs(by):.0f} px {ways[by > 0]}"
        for by, ways in ((dx, ("left", "right")), (dy, ("up", "down")))
        if abs(by) >= 0.5
    ]
    return " and ".join(parts) or "less than 1 px"
