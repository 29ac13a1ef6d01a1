"""Mermaid: diagrams as text. Mermaid itself draws them, in V8."""

from __future__ import annotations

from figmill.kind import IN_SOURCE, Kind, Needs, Process
from figmill_kinds.mermaid.starter import STARTER


class Mermaid(Kind):
    """Flowcharts, sequences, states, classes and the other diagrams of Mermaid."""

    module = "figmill_kinds.mermaid.renderer"
    suffixes = (".mmd", ".mermaid")
    fences = ("mermaid",)
    counts = ("nodes", "edges", "messages")
    describes = "`accDescr: ...`"
    translates = IN_SOURCE
    takes_roles = True
    reads_by_job = True
    process = Process(bounds_memory=True)
    needs = Needs(
        packages=("mini-racer", "tinycss2", "matplotlib"),
        extra="mermaid",
        code=("figmill_kinds.mermaid", "kind.formulas", "kind.javascript"),
    )
    starter = STARTER
