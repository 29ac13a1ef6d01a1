"""draw.io: diagrams of the editor, from its own files and PNG exports."""

from __future__ import annotations

from figmill.kind import Kind, Needs
from figmill_kinds.drawio.starter import STARTER


class DrawIo(Kind):
    """Diagrams of draw.io."""

    module = "figmill_kinds.drawio.renderer"
    suffixes = (".drawio", ".drawio.xml", ".drawio.png", ".dio")
    fences = ("drawio",)
    counts = ("nodes", "edges")
    is_placed = True
    needs = Needs(code=("figmill_kinds.drawio",))
    starter = STARTER

    def names_figures(self, *, in_script: bool) -> bool:
        """A source may have several pages."""
        return True
