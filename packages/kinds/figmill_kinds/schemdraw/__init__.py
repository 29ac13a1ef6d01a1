"""Schemdraw: circuits, logic, flowcharts and timing diagrams from Python scripts."""

from __future__ import annotations

from figmill.kind import Kind, Needs, Scripts
from figmill_kinds.schemdraw.starter import STARTER


class Schemdraw(Kind):
    """Circuits, from scripts that import schemdraw."""

    module = "figmill_kinds.schemdraw.renderer"
    suffixes = (".py",)
    counts = ("elements",)
    scripts = Scripts(libraries=(b"schemdraw",), signs=(b"schemdraw",))
    needs = Needs(
        packages=("schemdraw",),
        extra="schemdraw",
        code=(
            "figmill_kinds.schemdraw",
            "kind.notebook",
            "kind.script",
            "kind.script_facts",
            "kind.script_figures",
        ),
    )
    starter = STARTER
