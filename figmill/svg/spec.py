"""The types of this package's API: the inputs of a normal form, and the result. Loads no other library."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Mapping
from typing import NamedTuple, TypeAlias

from figmill.house_style import NONE, RULES, Style
from figmill.late_dataclasses import dataclass
from figmill.palette import ROLES, Role

# Returns the bytes of the picture that a drawing names by a relative path, or raises PictureError.
PictureReader: TypeAlias = Callable[[str], bytes]
Point: TypeAlias = tuple[float, float]
Bounds: TypeAlias = tuple[float, float, float, float]  # left, top, right, bottom
Look: TypeAlias = tuple[Hashable, ...]  # a form with its paints

THEMES = ("light", "dark")
COLOURS = ("auto", "keep", "theme")
BACKGROUND = re.compile(r"page|none|#[0-9a-fA-F]{6}")
PIXELS = 4_000_000
PICTURE_BYTES = 2_000_000

# The names of all checks for a drawing: those that run by default, and those that run on request.
DEFAULT_CHECKS = frozenset(
    (
        "contrast",
        "dark-picture",
        "dead-reference",
        "dropped",
        "edge-through-box",
        "invisible",
        "left-out",
        "missing-character",
        "picture",
        "rasterised",
        "text-outside",
        "text-overflow",
        "text-overlap",
        "text-squeezed",
        "too-wide",
        "unreadable-value",
    )
)
CHECKS = DEFAULT_CHECKS | {
    "almost-aligned",
    "arrow-inside",
    "artwork",
    "boxes-overlap",
    "clearance",
    "colour-only",
    "crossings",
    "crowded",
    "edge-ends-nowhere",
    "label-far-from-line",
    "line-through-text",
    "long-label",
    "loose-arrow",
    "mixed-routes",
    "off-palette",
    "short-arrow",
    "small-on-phone",
    "small-text",
    "text-as-paths",
    "text-astray",
    "text-covered",
    "unequal",
    "words-in-picture",
    *(rule.check for rule in RULES.values()),
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """All inputs of the normal form other than the drawing. Raises ValueError for a word that is not in its list."""

    figure: str  # the figure's label: its ids are <figure>-<theme>-1, -2, ...
    title: str
    desc: str  # the alt text
    theme: str = "light"  # or "dark"
    font: str = "Helvetica Neue, Helvetica, Arial, sans-serif"
    mono: str = "SFMono-Regular, Menlo, Consolas, monospace"
    # "keep": fills of areas are data, and stay in every theme; "theme": they change also in artwork
    colours: str = "auto"
    width: float | None = None  # displayed width in px; None: the drawing's own
    pixels: int = PIXELS  # limit for all pictures together
    picture_bytes: int = PICTURE_BYTES  # limit for all pictures together, as encoded
    background: str = "page"  # "page", "none" or #rrggbb
    palette: tuple[Role, ...] = ROLES  # the book's roles; colours at or near a built-in role become these
    checks: frozenset[str] = DEFAULT_CHECKS  # the checks to run, from CHECKS
    unjudged: frozenset[str] = frozenset()  # colours whose contrast is not reported
    unjudged_lines: frozenset[str] = frozenset()  # the same, for lines alone
    fonts: tuple[str, ...] = ()  # further font files to search for characters
    style: Style = NONE  # the book's house style, for the checks of its rules
    # keep the kind of the drawing's own fonts (serif, wide, narrow), and measure text with it
    own_fonts: bool = False
    # the drawing may name pictures by any address: the reader gets the address, and figmill does not open it
    any_pictures: bool = False
    language: str = ""  # of its text, as the root's `lang`; empty: not stated
    readers: str = "en"  # their language, in which parts with a `systemLanguage` are shown
    is_rtl: bool = False  # text in right-to-left scripts begins at its right end
    # the translation of each text; None: the text stays
    words: Callable[[str], str] | None = None

    def __post_init__(self) -> None:
        for name, values, allowed in (
            ("theme", (self.theme,), THEMES),
            ("colours", (self.colours,), COLOURS),
            ("checks", self.checks, CHECKS),
        ):
            require_known(name, values, allowed)
        if not BACKGROUND.fullmatch(self.background):
            raise ValueError(f"background '{self.background}' is not 'page', 'none' or #rrggbb")


def require_known(name: str, values: Collection[str], allowed: Collection[str]) -> None:
    """Raise ValueError for the first value that is not known. name: of the argument."""
    unknown = sorted(set(values) - set(allowed))
    if unknown:
        raise ValueError(f"{name} '{unknown[0]}' is not known; choose one of {', '.join(sorted(allowed))}")


class SvgWarning(NamedTuple):
    """A possible problem for readers.

    - line: in the drawing, from 1; None if the finding has no place.
    """

    line: int | None
    message: str
    check: str


@dataclass(frozen=True, slots=True)
class Normal:
    """A drawing in normal form."""

    svg: bytes
    width: float  # px
    height: float  # px
    warnings: tuple[SvgWarning, ...]
    texts: tuple[str, ...]  # the readable strings: one per <text>, white space collapsed
    smallest: float | None = None  # the size in px of the smallest text as shown; None: there is no text


@dataclass(frozen=True, slots=True)
class StillCopy:
    """A drawing without active content, and how it differs from the original."""

    svg: bytes
    added: tuple[str, ...] = ()  # the namespace declarations that the root lacked
    removed: tuple[str, ...] = ()  # one line per kind of active content, with line numbers


@dataclass(frozen=True, slots=True)
class Mended:
    """A drawing in normal form, with what could be repaired."""

    svg: bytes
    changes: tuple[str, ...]  # one line per repair
    left: tuple[SvgWarning, ...]  # what the checks still find; without lines
    before: int  # findings before any repair
    found: tuple[str, ...] = ()  # the checks of these, once for each


class SvgError(Exception):
    """A drawing is refused; the message says what would be right. Line and column count from 1."""

    def __init__(
        self,
        message: str,
        line: int | None = None,
        column: int | None = None,
        others: tuple[SvgError, ...] = (),
    ) -> None:
        super().__init__(message if line is None else f"{line}:{column or 1}: {message}")
        self.message = message
        self.line = line
        self.column = column
        self.others = others  # further errors of the same drawing


class PictureError(Exception):
    """A picture is refused. The message follows its name, and says why and what would be right."""


@dataclass(frozen=True, slots=True)
class Ink:
    """An element with a stroke.

    - scale: px for each of its own units.
    - width: of its stroke, in px.
    """

    element: int
    scale: float
    width: float


@dataclass(frozen=True, slots=True)
class LabelPart:
    """A text: one line in a box or alone, all lines at a line.

    - box, line: which it belongs to; None: to none.
    - elements: its `<text>`s, which may hold other texts as well.
    """

    words: str
    bounds: Bounds
    size: float
    elements: frozenset[int]
    box: int | None
    line: int | None


@dataclass(frozen=True, slots=True)
class BoxPart:
    """A shape with text in it.

    - words: its lines of text.
    - within: the smallest box around it.
    - table: a number that the cells of one table have in common; None: it is not a cell.
    - holds: whether other boxes are in it.
    - look: its form and its paints.
    - outline: its shape; None if the shape is used several times.
    - elements: all that paints it, with its texts, but without the boxes in it.
    """

    words: tuple[str, ...]
    bounds: Bounds
    within: int | None
    table: int | None
    holds: bool
    look: Look
    outline: Ink | None
    elements: frozenset[int]


@dataclass(frozen=True, slots=True)
class LinePart:
    """A line with an end at a box.

    - ends: the boxes there; None: none.
    - heads: whether it has an arrowhead there.
    - route: its parts, each a list of points.
    - look: its dashes and paints.
    - inks: the elements that paint it.
    """

    ends: tuple[int | None, int | None]
    heads: tuple[bool, bool]
    route: tuple[tuple[Point, ...], ...]
    look: Look
    inks: tuple[Ink, ...]


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The parts of one drawing.

    - rest: how many shapes of no box and no line have a form and paints.
    - strays: the ends of the lines among them.
    """

    boxes: tuple[BoxPart, ...]
    lines: tuple[LinePart, ...]
    labels: tuple[LabelPart, ...]
    rest: Mapping[Look, int]
    strays: tuple[tuple[Point, Point], ...]
    width: float
    height: float
