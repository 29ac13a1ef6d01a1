"""The house style of a book, `[tool.figmill.style]`: what its written guide asks of drawings, each rule with its check.

Standard library only. config/style.py reads the settings, and svg/checks/house_style.py judges drawings by them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from types import MappingProxyType

from figmill.late_dataclasses import dataclass

EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class Style:
    """The table `style` of the settings; lengths in px. A rule at its default asks for nothing.

    - padding: beside the text, and above and below it.
    - smallest_box: width and height.
    - least_text: a size, and the width at which the drawing is printed, 0 for its own.
    - colours: each #rrggbb with its name, as `line of 'data'`.
    """

    grid: float = 0.0
    padding: tuple[float, float] = (0.0, 0.0)
    gaps: float | str = 0.0  # or EQUAL
    box_sizes: str = ""  # or EQUAL
    smallest_box: tuple[float, float] = (0.0, 0.0)
    routes: str = "free"  # or "orthogonal", "straight"
    arrow_ends: float | None = None
    clearance: float = 0.0
    radius: tuple[float, ...] = ()
    line_width: tuple[float, ...] = ()
    arrowheads: tuple[str, ...] = ()
    label_size: tuple[float, ...] = ()
    title_size: tuple[float, ...] = ()
    text_sizes: int = 0
    least_text: tuple[float, float] = (0.0, 0.0)
    colours: tuple[tuple[str, str], ...] = ()
    most_colours: int = 0

    def without_places(self) -> Style:
        """The rules for a drawing that a program laid out."""
        return replace(self, **{name: getattr(NONE, name) for name, rule in RULES.items() if rule.places})

    def states(self, setting: str) -> bool:
        return bool(getattr(self, setting) != getattr(NONE, setting))


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    - about: what its check finds.
    - places: whether it asks where things are, which a program decides that lays a drawing out.
    """

    check: str
    about: str
    places: bool = False


# Each setting with its check.
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "grid": Rule("off-grid", "a box that is not on the grid of the house style", places=True),
        "padding": Rule(
            "style-padding", "text closer to the border of its box than the house style asks", places=True
        ),
        "gaps": Rule(
            "style-gaps", "a gap in a row or column of boxes that the house style does not allow", places=True
        ),
        "box_sizes": Rule(
            "style-box-sizes", "a box whose size differs from the others of its role", places=True
        ),
        "smallest_box": Rule(
            "style-smallest-box", "a box that is smaller than the house style allows", places=True
        ),
        "routes": Rule("style-routes", "a line that runs otherwise than the house style asks", places=True),
        "arrow_ends": Rule(
            "style-arrow-ends", "an arrow that does not end at the border of its box", places=True
        ),
        "clearance": Rule(
            "style-clearance", "text closer to a line than the house style allows", places=True
        ),
        "radius": Rule(
            "style-radius",
            "a box whose corners are rounder or sharper than the house style asks",
            places=True,
        ),
        "line_width": Rule(
            "style-line-width", "a line or the outline of a box in a width that the house style lacks"
        ),
        "arrowheads": Rule("style-arrowheads", "an arrowhead of a form that the house style lacks"),
        "label_size": Rule("style-label-size", "text in a size that the house style lacks"),
        "title_size": Rule("style-title-size", "a title in a size that the house style lacks"),
        "text_sizes": Rule(
            "style-text-sizes", "a drawing with more sizes of text than the house style allows"
        ),
        "least_text": Rule(
            "style-least-text", "text that is smaller, as printed, than the house style allows"
        ),
        "colours": Rule("style-colours", "a colour that the house style lacks"),
        "most_colours": Rule("style-most-colours", "a drawing with more colours than the house style allows"),
    }
)
NONE = Style()
assert tuple(RULES) == tuple(field.name for field in fields(Style))
