"""A library that brings SVG drawings into a normal form: SVG bytes in, SVG bytes out, the same on every machine.

It knows no files, books or renderers: a function that the caller passes reads the pictures that a drawing names. It
never repairs what the rules refuse. Of the rest of figmill it imports `figmill.font_metrics`, `figmill.house_style`,
`figmill.late_dataclasses`, `figmill.palette`, `figmill.spelling` and `figmill.xml_tree`, and nothing else. The rest of
figmill imports only the names in `__all__`, and `figmill.svg.usvg`. docs/developers/svg-library.md describes them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from figmill.palette import Role
from figmill.svg.spec import (
    CHECKS,
    DEFAULT_CHECKS,
    THEMES,
    BoxPart,
    Ink,
    LabelPart,
    LinePart,
    Mended,
    Normal,
    PictureError,
    PictureReader,
    Sheet,
    Skeleton,
    StillCopy,
    SvgError,
    SvgWarning,
    require_known,
)

if TYPE_CHECKING:
    from figmill.svg.intake.tools import Tool

__all__ = [
    "CHECKS",
    "DEFAULT_CHECKS",
    "THEMES",
    "BoxPart",
    "Ink",
    "LabelPart",
    "LinePart",
    "Mended",
    "Normal",
    "PictureError",
    "PictureReader",
    "Role",
    "Sheet",
    "Skeleton",
    "StillCopy",
    "SvgError",
    "SvgWarning",
    "in_themes",
    "is_laid_out",
    "layout_of",
    "mended",
    "normalise",
    "own_colours",
    "skeleton_of",
    "still_copy",
    "tool_of",
]

# Functions import their modules when called: this delays lxml and tinycss2 until the first figure.


def normalise(data: bytes, sheet: Sheet, pictures: PictureReader | None = None) -> Normal:
    """The normal form of the drawing in `data`, in the theme of `sheet`. Raises SvgError if the drawing is refused.

    pictures: reads the pictures that the drawing names by relative paths; None: the drawing may not name any.
    """
    return in_themes(data, sheet, (sheet.theme,), pictures)[0]


def in_themes(
    data: bytes, sheet: Sheet, themes: Sequence[str], pictures: PictureReader | None = None
) -> tuple[Normal, ...]:
    """The normal form for each theme, "light" or "dark"; `sheet.theme` is not used. Raises SvgError and ValueError.

    themes: at least one. pictures: reads the pictures that the drawing names by relative paths; None: the drawing may
    not name any.
    """
    from figmill.svg import pipeline

    require_known("theme", themes, THEMES)
    if not themes:
        raise ValueError("themes is empty; name 'light', 'dark' or both")
    return pipeline.in_themes(data, sheet, themes, pictures)


def mended(data: bytes, sheet: Sheet, notes: frozenset[str] = frozenset(), moves: bool = False) -> Mended:
    """The light normal form of the drawing, repaired where that needs no redrawing. Raises SvgError.

    sheet: its checks decide what is repaired. If its title or description is empty, the drawing's own is used; the page
    is always the drawing's own. notes: those checks whose findings count only if they are repaired. moves: whether
    repairs may move and bend what the drawing shows.
    """
    from figmill.svg import mend

    return mend.mended(data, sheet, notes=notes, moves=moves)


def still_copy(data: bytes) -> StillCopy:
    """The drawing without scripts, event handlers and remote references. Raises SvgError if it cannot be read."""
    from figmill.svg.intake import still_copy

    return still_copy.still_copy(data)


def tool_of(data: bytes) -> Tool | None:
    """The program that exported the drawing; None if the drawing does not name a known one."""
    from figmill.svg.intake import tools

    return tools.tool_of(data)


def is_laid_out(data: bytes) -> bool:
    """Whether a program that places boxes and lines by itself wrote the drawing, as Graphviz and Mermaid do."""
    from figmill.svg.intake import tools

    return tools.is_laid_out(data)


def layout_of(data: bytes, sheet: Sheet) -> dict[str, Any]:
    """The boxes, lines and labels of a drawing as JSON values; docs/agents.md. Raises SvgError."""
    from figmill.svg import layout, pipeline

    return layout.layout(pipeline.finished(data, sheet))


def skeleton_of(data: bytes) -> Skeleton:
    """The boxes, lines and labels of a drawing in normal form, with the elements that paint them. Raises SvgError."""
    from figmill.svg import skeleton

    return skeleton.skeleton(data)


def own_colours(tool: Tool) -> frozenset[str]:
    """The default line colours of a program as #rrggbb, including those that its exports use on dark pages."""
    from figmill.svg.intake import tools

    return tools.own_colours(tool)
