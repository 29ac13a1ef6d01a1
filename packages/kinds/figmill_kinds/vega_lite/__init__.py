"""Vega-Lite: charts in JSON. The Vega in vl-convert draws them."""

from __future__ import annotations

from figmill.kind import IN_SOURCE, Kind, Needs, Process
from figmill_kinds.vega_lite.starter import STARTER


class VegaLite(Kind):
    """Charts of Vega-Lite."""

    module = "figmill_kinds.vega_lite.renderer"
    suffixes = (".vl.json",)
    fences = ("vega-lite", "vegalite")
    counts = ("marks",)
    describes = '`"description": "..."`'
    translates = IN_SOURCE
    process = Process(bounds_memory=True, tells_once=False)
    needs = Needs(
        packages=("vl-convert-python",),
        extra="altair",
        code=("figmill_kinds.vega_lite", "kind.vega", "kind.vega_data", "kind.vega_words"),
    )
    starter = STARTER
