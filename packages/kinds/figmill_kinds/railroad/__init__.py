"""Railroad: a grammar in EBNF as syntax diagrams, laid out by railroad-diagrams."""

from __future__ import annotations

from figmill.kind import Kind, Needs
from figmill_kinds.railroad.starter import STARTER


class Railroad(Kind):
    """Syntax diagrams of a grammar."""

    module = "figmill_kinds.railroad.renderer"
    suffixes = (".ebnf", ".railroad")
    fences = ("ebnf", "railroad")
    counts = ("rules", "terminals", "nonterminals")
    needs = Needs(packages=("railroad-diagrams",), extra="railroad", code=("figmill_kinds.railroad",))
    starter = STARTER
