"""The palette: the roles of colour in a figure, and their colours in both themes. Standard library only.

Charts always draw with the light colours. figmill makes the dark picture of them, and replaces them role by role for a
book with a palette of its own.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Role:
    """A meaning and its colours as #rrggbb: the `fill` of a shape and the `line` around it. Text is TEXT or MUTED."""

    name: str
    fill: str
    line: str
    dark_fill: str
    dark_line: str


# docs/themes.md states their contrast: text on every fill at least 9.5:1, lines on the page at least 3.3:1.
ROLES: tuple[Role, ...] = (
    Role("compute", "#cfe2f3", "#4a90c4", "#1d3b56", "#6db3e8"),
    Role("data", "#d4edda", "#3d9e5a", "#1c4229", "#5fc47f"),
    Role("routing", "#fdebd0", "#c87b2a", "#4b3512", "#e8a657"),
    Role("error", "#f9d6d5", "#c44444", "#562220", "#d5706f"),
    Role("neutral", "#e9ecef", "#767c83", "#353b46", "#a9b1bd"),
    Role("accent", "#f6dbe0", "#a31f34", "#561a2a", "#ff93a6"),
)

# Colours with one tone per theme: light, dark.
TEXT = ("#2b2b2b", "#ececec")
MUTED = ("#5a5a5a", "#b4bac4")
GRID = ("#dfe3e8", "#333945")
PAGE = ("#ffffff", "#1e2129")


def role(name: str) -> Role:
    """The role with this name. Raises KeyError, which names the known ones."""
    for candidate in ROLES:
        if candidate.name == name:
            return candidate
    raise KeyError(f"no role '{name}'; choose one of {', '.join(r.name for r in ROLES)}")
