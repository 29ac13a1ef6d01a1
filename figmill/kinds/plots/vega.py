"""Charts of altair as SVG, by the Vega in vl-convert. No browser and no network."""

from __future__ import annotations

import sys
from typing import Any

from figmill.kinds import typefaces

# As in matplotlib's figures, the book's font replaces this family.
FAMILY = "Arial"


ROOM = 200 << 30  # bytes of address space that V8 reserves and hardly uses


class MissingError(Exception):
    """A chart needs a missing package or resource; the text names it."""


def _has_room() -> bool:
    """Whether V8 can reserve its address space; otherwise it would silently end the process."""
    if sys.platform == "win32":
        return True
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return limit == resource.RLIM_INFINITY or limit >= ROOM


def altair_svg(chart: Any, _seed: int) -> bytes:
    """A chart as SVG. Raises MissingError, and ValueError if Vega cannot draw the chart."""
    try:
        import vl_convert
    except ImportError:
        raise MissingError(
            "charts of altair need the package vl-convert-python; install figmill[altair]"
        ) from None
    if not _has_room():
        raise MissingError(
            "charts of altair are drawn by V8, which reserves more address space than the setting `memory` allows; "
            'write memory = "300 GiB" there, or save the chart as SVG and use it with `kind: svg`'
        )
    vl_convert.register_font_directory(str(typefaces.FOLDER))
    config = {"font": FAMILY, "background": None}
    svg: str = vl_convert.vegalite_to_svg(chart.to_dict(), config=config, allowed_base_urls=[])
    return svg.encode()
