"""The nouns of this package: what a normal form is made from, and the result. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from figmill.checks import active
from figmill.model import MEGAPIXELS, PICTURE_BYTES
from figmill.palette import ROLES, Role

Warning_: TypeAlias = "tuple[int | None, str, str]"  # (line, message, check)


@dataclass(frozen=True, slots=True)
class Sheet:
    """All inputs of the published bytes other than the drawing."""

    figure: str  # the figure's label: its ids are <figure>-<theme>-1, -2, ...
    title: str
    desc: str  # the alt text
    theme: str = "light"
    font: str = "Helvetica Neue, Helvetica, Arial, sans-serif"
    mono: str = "SFMono-Regular, Menlo, Consolas, monospace"
    colours: str = "auto"  # or "keep": fills of areas are data, and stay in every theme
    width: float | None = None  # displayed width in px; None: the drawing's own
    pixels: int = round(MEGAPIXELS * 1e6)  # limit for all pictures together
    picture_bytes: int = PICTURE_BYTES
    background: str = "page"  # "page", "none" or a colour
    palette: tuple[Role, ...] = ROLES  # the book's roles; colours at or near a built-in role become these
    checks: frozenset[str] = active(())  # the checks to run; by default those of every build
    unjudged: frozenset[str] = frozenset()  # colours whose contrast nobody is told of
    fonts: tuple[str, ...] = ()  # further font files to search for characters


@dataclass(frozen=True, slots=True)
class Normal:
    """A drawing in normal form."""

    svg: bytes
    width: float  # px
    height: float  # px
    warnings: tuple[Warning_, ...]
    texts: tuple[str, ...]  # the readable strings: one per <text>, white space collapsed


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
