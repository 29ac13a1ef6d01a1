"""Excalidraw: scenes of the whiteboard, from its own files."""

from __future__ import annotations

from figmill.kind import Kind, Needs
from figmill_kinds.excalidraw.starter import STARTER


class Excalidraw(Kind):
    """Scenes of Excalidraw."""

    module = "figmill_kinds.excalidraw.renderer"
    suffixes = (".excalidraw", ".excalidraw.json")
    fences = ("excalidraw",)
    counts = ("nodes", "edges")
    is_placed = True
    needs = Needs(code=("figmill_kinds.excalidraw",))
    starter = STARTER
