"""PlantUML: diagrams as text. PlantUML itself draws them, in V8, from its npm package in the book."""

from __future__ import annotations

from figmill.kind import IN_SOURCE, Kind, Needs, Process, Taken
from figmill_kinds.plantuml.starter import STARTER

# The engine, and what it asks for when a source does.
FILES = ("plantuml.js", "themes.js", "openiconic.js", "emoji.js")


class PlantUml(Kind):
    """Diagrams of UML, and the others of PlantUML."""

    module = "figmill_kinds.plantuml.renderer"
    suffixes = (".puml", ".plantuml", ".pu")
    fences = ("plantuml", "puml", "uml")
    counts = ("nodes", "edges", "actors", "messages")
    translates = IN_SOURCE
    takes = (Taken.ROLES,)
    process = Process(bounds_memory=True, tells_once=False)
    needs = Needs(
        packages=("mini-racer",),
        extra="plantuml",
        files=tuple(f"node_modules/@plantuml/core/{name}" for name in FILES),
        get_files="npm install @plantuml/core",
        code=("figmill_kinds.plantuml", "kind.drawn_words", "kind.javascript"),
    )
    starter = STARTER

    def names_figures(self, *, in_script: bool) -> bool:
        """A source may have several diagrams."""
        return True
