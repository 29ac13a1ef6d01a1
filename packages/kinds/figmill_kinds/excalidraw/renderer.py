"""The kind excalidraw: a scene of Excalidraw, as its editor saves it (`.excalidraw`), drawn by figmill itself.

scene.py checks the JSON, shapes.py turns each element into SVG, and sketch.py draws hand-drawn lines. Text remains
text, in the book's fonts.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from figmill.kind import Job, Raw
from figmill.kind.drawn_text import encoded
from figmill.kind.named import named, of_edges
from figmill.kind.source_text import text
from figmill.kind.stated import counted
from figmill_kinds.excalidraw.as_tables import stated_of, tables_of
from figmill_kinds.excalidraw.scene import read
from figmill_kinds.excalidraw.shapes import drawn


def warm(fonts: Sequence[str]) -> None:
    """Do nothing: there is nothing to load."""


def render(job: Job, root: Path) -> Raw:
    """The SVG of one scene, with its shapes and arrows as facts. Raises AuthorError."""
    source = text(job, root)
    scene = read(source, job.source)
    shapes = [element.kind for element in scene.elements]
    facts = {
        "nodes": sum(kind in ("rectangle", "ellipse", "diamond") for kind in shapes),
        "edges": shapes.count("arrow"),
        "texts": shapes.count("text"),
        "frames": shapes.count("frame"),
    }
    svg, stated = encoded(drawn(scene)), stated_of(scene, source)
    tables = tables_of(scene)
    every = named(of_edges(tables), counted(facts, "edges", svg, stated))
    return Raw(svg, every, tables=tables, stated=stated)
