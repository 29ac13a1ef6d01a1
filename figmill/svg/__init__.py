"""SVG bytes in, the normal form of an SVG out: pure, and the same for every kind of figure.

Knows no files, no YAML and no renderer; pictures that a drawing names are read by a function. `normalise` either
returns the one normal form of a drawing or raises SvgError at the place that is wrong; it never repairs what the rules
refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from figmill.svg.spec import Normal, Sheet, SvgError, Warning_

__all__ = ["Normal", "Sheet", "SvgError", "Warning_", "in_themes", "normalise"]


def normalise(data: bytes, sheet: Sheet, library: Callable[[str], bytes] | None = None) -> Normal:
    """The normal form of the drawing in `data`, as `sheet` asks for it; SvgError where it is refused."""
    return in_themes(data, sheet, (sheet.theme,), library)[0]


def in_themes(
    data: bytes, sheet: Sheet, themes: Sequence[str], library: Callable[[str], bytes] | None = None
) -> tuple[Normal, ...]:
    """The normal form for each of the themes, whichever the sheet names; SvgError where it is refused.

    library: reads the pictures that the drawing refers to by relative paths, or raises PictureError.
    """
    from figmill.svg import pipeline  # lxml and tinycss2 are loaded with the first figure only

    if library is None:
        return pipeline.in_themes(data, sheet, themes)
    return pipeline.in_themes(data, sheet, themes, library)
