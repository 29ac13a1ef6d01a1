"""SVG bytes in, the normal form of an SVG out: pure, and the same for every kind of figure.

Knows no files, YAML or renderer; a function that the caller passes reads the pictures a drawing names. `normalise`
returns the normal form of a drawing, or raises SvgError at the place that is wrong. It never repairs what the rules
refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from figmill.svg.spec import Normal, Sheet, SvgError, Warning_

__all__ = ["Normal", "Sheet", "SvgError", "Warning_", "in_themes", "normalise"]


def normalise(data: bytes, sheet: Sheet, library: Callable[[str], bytes] | None = None) -> Normal:
    """The normal form of the drawing in `data`, under the rules of `sheet`. Raises SvgError if it is refused."""
    return in_themes(data, sheet, (sheet.theme,), library)[0]


def in_themes(
    data: bytes, sheet: Sheet, themes: Sequence[str], library: Callable[[str], bytes] | None = None
) -> tuple[Normal, ...]:
    """The normal form for each theme, whatever theme the sheet names. Raises SvgError if the drawing is refused.

    library: reads the pictures that the drawing refers to by relative paths, or raises PictureError.
    """
    from figmill.svg import pipeline  # delays lxml and tinycss2 until the first figure

    if library is None:
        return pipeline.in_themes(data, sheet, themes)
    return pipeline.in_themes(data, sheet, themes, library)
