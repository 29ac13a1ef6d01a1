"""Mermaid: diagrams as text. Mermaid itself draws them, in V8."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from figmill.kind import IN_SOURCE, Hint, Json, Kind, Needs, Process, Setting, Taken, one_of
from figmill_kinds.mermaid import hints, layouts
from figmill_kinds.mermaid.starter import STARTER


class Mermaid(Kind):
    """Flowcharts, sequences, states, classes and the other diagrams of Mermaid."""

    module = "figmill_kinds.mermaid.renderer"
    suffixes = (".mmd", ".mermaid")
    fences = ("mermaid",)
    counts = ("nodes", "edges", "messages")
    describes = "`accDescr: ...`"
    translates = IN_SOURCE
    takes = (Taken.ROLES,)
    process = Process(bounds_memory=True, tells_once=False)
    needs = Needs(
        packages=("mini-racer", "tinycss2", "matplotlib"),
        extra="mermaid",
        code=("figmill_kinds.mermaid", "kind.formulas", "kind.javascript"),
    )
    starter = STARTER
    settings = {  # noqa: RUF012
        "layout": Setting(
            one_of(*layouts.ALL),
            "the name of one of Mermaid's layouts",
            "The layout of diagrams whose source names none.",
            '"dagre"',
        )
    }

    def needed(self, settings: Mapping[str, Json], source: bytes) -> Mapping[str, Json]:
        """Nothing, if the source names a layout."""
        return {} if layouts.states_own(source) else settings

    def hints(self, source: str) -> Iterable[Hint]:
        """ELK instead of dagre, and another direction."""
        return hints.hints(source)
