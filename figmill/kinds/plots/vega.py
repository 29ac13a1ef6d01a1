"""Charts of altair -> SVG, by the Vega that vl-convert brings along. No browser and no network."""

from __future__ import annotations

import sys
from typing import Any

from figmill.kinds import typefaces

# As matplotlib's figures have it: the book's font takes the place of this family.
FAMILY = "Arial"


ROOM = 200 << 30  # bytes of address space that V8 reserves, and hardly uses


class MissingError(Exception):
    """What a chart needs is not there; the text says what."""


def _has_room() -> bool:
    """Whether V8 may reserve its address space: else it ends the process without a word."""
    if sys.platform == "win32":
        return True
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return limit == resource.RLIM_INFINITY or limit >= ROOM


def altair_svg(chart: Any, _seed: int) -> bytes:
    """Raises MissingError, and ValueError where Vega cannot draw the chart."""
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
