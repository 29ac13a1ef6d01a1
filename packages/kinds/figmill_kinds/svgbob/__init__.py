"""Svgbob: diagrams drawn with characters. Svgbob's own library draws them."""

from __future__ import annotations

from figmill.kind import Kind, Needs, Taken
from figmill_kinds.svgbob.starter import STARTER


class Svgbob(Kind):
    """Drawings made of characters."""

    module = "figmill_kinds.svgbob.renderer"
    suffixes = (".bob", ".svgbob")
    fences = ("svgbob", "bob")
    takes = (Taken.ROLES,)
    needs = Needs(
        packages=("sphinxcontrib-svgbob",),
        extra="svgbob",
        code=("figmill_kinds.svgbob", "kind.drawn_words"),
    )
    starter = STARTER
