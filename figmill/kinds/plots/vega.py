"""Charts of altair -> SVG, by the Vega that vl-convert brings along. No browser and no network."""

from __future__ import annotations

from typing import Any

from figmill.kinds import typefaces

# As matplotlib's figures have it: the book's font takes the place of this family.
FAMILY = "Arial"


class MissingError(Exception):
    """A library is not installed; the text says which."""


def altair_svg(chart: Any, _seed: int) -> bytes:
    """Raises MissingError, and ValueError where Vega cannot draw the chart."""
    try:
        import vl_convert
    except ImportError:
        raise MissingError(
            "charts of altair need the package vl-convert-python; install figmill[altair]"
        ) from None
    vl_convert.register_font_directory(str(typefaces.FOLDER))
    config = {"font": FAMILY, "background": None}
    svg: str = vl_convert.vegalite_to_svg(chart.to_dict(), config=config, allowed_base_urls=[])
    return svg.encode()
