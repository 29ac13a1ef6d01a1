"""The palette: the roles of colour in a figure, and their colours in both themes. Standard library only.

Charts always draw with the light colours. figmill makes the dark picture of them, and replaces them role by role for a
book with a palette of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

LEGIBLE = 4.6  # contrast of text with the page: WCAG 2.1 asks for 4.5


@dataclass(frozen=True, slots=True)
class Role:
    """A meaning and its colours as #rrggbb: the `fill` of a shape and the `line` around it.

    Text is TEXT or MUTED; a label at a line has the role's `ink`.
    """

    name: str
    fill: str
    line: str
    dark_fill: str
    dark_line: str

    @property
    def ink(self) -> str:
        """The line's colour for text on the page: darker until it is legible."""
        return _legible(self.line, PAGE[0], "#000000")

    @property
    def dark_ink(self) -> str:
        """The dark line's colour for text on the dark page: lighter until it is legible."""
        return _legible(self.dark_line, PAGE[1], "#ffffff")


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


def _legible(colour: str, page: str, end: str) -> str:
    """The first colour on the way from `colour` to `end` that is legible on a page. All as #rrggbb."""
    steps = (_mixed(colour, end, n / 64) for n in range(65))
    return next(step for step in steps if _contrast(step, page) >= LEGIBLE)


def _mixed(first: str, second: str, share: float) -> str:
    return "#" + "".join(
        f"{round(a + share * (b - a)):02x}" for a, b in zip(_bytes(first), _bytes(second), strict=True)
    )


def _contrast(first: str, second: str) -> float:
    """The contrast ratio of WCAG 2.1."""
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (b / 255 for b in _bytes(colour))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _bytes(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
