"""draw.io: diagrams of the editor, shown by its own SVG exports."""

from __future__ import annotations

from figmill.kind import Kind, Needs


class DrawIo(Kind):
    """Diagrams of draw.io."""

    module = "figmill_kinds.drawio.renderer"
    suffixes = (".drawio", ".drawio.xml", ".dio")
    counts = ("nodes", "edges")
    is_placed = True
    needs = Needs(code=("figmill_kinds.drawio",))

    def names_figures(self, *, in_script: bool) -> bool:
        """A source may have several pages."""
        return True
