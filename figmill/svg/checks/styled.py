"""What the rules of a house style look at, and how their messages name numbers."""

from __future__ import annotations

from collections.abc import Sequence

from figmill.house_style import Style
from figmill.late_dataclasses import dataclass
from figmill.svg.document import Element
from figmill.svg.geometry.parts import Parts, gap
from figmill.svg.geometry.structure import Connector, DrawnBox

SAME = 0.1  # px between equal lengths, for rounding


@dataclass(frozen=True, slots=True)
class Styled:
    """A drawing with the style that it should keep.

    - sizes: each string with its element and its size in px.
    """

    style: Style
    parts: Parts
    sizes: tuple[tuple[Element, str, float], ...]
    width: float  # of the drawing, px

    @property
    def boxes(self) -> tuple[DrawnBox, ...]:
        """The boxes that a style judges: no cells of a table, and none of a drawing that connects none, as a chart."""
        connects = any(map(_connects, self.parts.lines))
        return tuple(box for box in self.parts.boxes if not box.is_cell) if connects else ()

    @property
    def leaves(self) -> tuple[DrawnBox, ...]:
        """Those of them that contain no other."""
        return tuple(box for box in self.boxes if not box.inside)

    def units(self, px: float) -> float:
        """A length in the drawing's own units."""
        return px / self.parts.px


def _connects(line: Connector) -> bool:
    """Whether a line is an arrow at a box, or joins two boxes beside each other."""
    start, end = line.start.box, line.end.box
    if start is None or end is None:
        return line.has_head
    return gap(start.bounds, end.bounds) > 0


def px(number: float) -> str:
    """A length for a message, with one decimal at most."""
    return f"{round(number, 1) + 0.0:g} px"


def any_of(numbers: Sequence[float]) -> str:
    """The lengths that a style allows: `1 or 2 px`."""
    return " or ".join(f"{number:g}" for number in numbers) + " px"


def nearest(number: float, allowed: Sequence[float]) -> float:
    return min(allowed, key=lambda other: (abs(other - number), other))


def is_one_of(number: float, allowed: Sequence[float]) -> bool:
    return any(abs(number - other) <= SAME for other in allowed)
