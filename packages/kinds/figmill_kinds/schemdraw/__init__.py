"""Schemdraw: circuits, logic, flowcharts and timing diagrams from Python scripts."""

from __future__ import annotations

from figmill.kind import Kind, Needs
from figmill_kinds.schemdraw.starter import STARTER


class Schemdraw(Kind):
    """Circuits, from scripts that import schemdraw."""

    module = "figmill_kinds.schemdraw.renderer"
    suffixes = (".py",)
    counts = ("elements",)
    libraries = (b"schemdraw",)
    script_signs = (b"schemdraw",)
    reads_by_job = True
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
