"""WaveDrom: timing diagrams, registers and logic in JSON. WaveDrom itself draws them, in V8."""

from __future__ import annotations

from figmill.kind import IN_SOURCE, Kind, Needs, Process
from figmill_kinds.wavedrom.starter import STARTER


class WaveDrom(Kind):
    """Timing diagrams, registers and logic."""

    module = "figmill_kinds.wavedrom.renderer"
    suffixes = (".wavedrom", ".wd.json")
    fences = ("wavedrom",)
    counts = ("signals", "ticks", "fields", "bits", "gates")
    translates = IN_SOURCE
    process = Process(bounds_memory=True, tells_once=False)
    needs = Needs(
        packages=("mini-racer",), extra="wavedrom", code=("figmill_kinds.wavedrom", "kind.javascript")
    )
    starter = STARTER
