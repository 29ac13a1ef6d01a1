"""The kind schemdraw: circuits, logic, flowcharts and timing diagrams from Python, in the book's font.

A script returns a schemdraw.Drawing from draw(). A whole script shows one, saves it, or leaves it open. Schemdraw's own
SVG backend draws it, and text remains text.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from figmill.kind import (
    AuthorError,
    Fact,
    Job,
    Origin,
    Raw,
    ToolError,
    script,
    script_figures,
    temporary_folder,
)
from figmill_kinds.schemdraw import as_tables, library

NO_DRAWING = "it makes no drawing; write `with schemdraw.Drawing() as d:`, or define draw() that returns one"


def warm(fonts: Sequence[str]) -> None:
    """Check that schemdraw is installed. Each script loads it: its changes to the library end with its process."""
    if find_spec("schemdraw") is None:
        raise ToolError("circuits need one more package: pip install 'figmill[schemdraw]'")


def render(job: Job, root: Path) -> Raw:
    """The SVG of one drawing, with its elements counted. Raises AuthorError at the author's line."""
    drawing = library.settled()
    return _returned(job, root, drawing) if job.entry == "draw" else _ended(job, root, drawing)


def _returned(job: Job, root: Path, cls: Any) -> Raw:
    returned = script.run_draw(job, root)
    figure, at = returned.drawing.figure, Origin(job.source, returned.line)
    if not isinstance(figure, cls):
        what = "None" if figure is None else f"a {type(figure).__name__}"
        advice = "; does it end in `return d`?" if figure is None else ""
        raise AuthorError(at, f"draw() must return a schemdraw.Drawing, not {what}{advice}")
    stated = script.checked_facts(returned.drawing.facts, job, returned.line)
    tables = script.checked_tables(returned.drawing.tables, job, returned.line)
    svg = _svg(figure, at)
    return Raw(
        svg,
        {**facts_of(figure), **stated},
        tables=tables or as_tables.tables_of(figure),
        stated=as_tables.stated_of(figure),
    )


def _ended(job: Job, root: Path, cls: Any) -> Raw:
    """The drawing that a whole script shows or saves; if it does neither, the drawing that it creates."""
    path = str(root / job.source)
    drawings: list[Any] = []
    of_svg: dict[bytes, Any] = {}
    begin = cls.__init__

    @wraps(begin)
    def noted(self: Any, *args: Any, **options: Any) -> None:
        drawings.append(self)
        begin(self, *args, **options)

    def drawn(figure: Any) -> bytes:
        svg = _svg(figure, Origin(job.source, script_figures.line_in(path)))
        of_svg[svg] = figure
        return svg

    cls.__init__ = noted
    with temporary_folder() as folder:
        out = os.environ["VISUAL_OUT_PATH"] = os.path.join(folder, "figure.svg")
        collection = script_figures.Collection(
            job.figure,
            drawn,
            lambda: script_figures.line_in(path),
            own=out,
            root=str(root),
            titles=lambda _: [],
        )
        with script_figures.collecting(collection):
            script.run_script(job, root)
            for figure in () if collection.figures else drawings:
                if figure.elements:
                    collection.end(figure, is_over=True)
    try:
        svg = collection.chosen()
    except script_figures.NotOneError as error:
        raise AuthorError(Origin(job.source, error.line), str(error)) from None
    if svg is None:
        raise AuthorError(Origin(job.source), NO_DRAWING)
    figure = of_svg[svg]
    return Raw(svg, facts_of(figure), tables=as_tables.tables_of(figure), stated=as_tables.stated_of(figure))


def facts_of(figure: Any) -> dict[str, Fact]:
    """How many elements a drawing has, wires and labels included, and how many of each class."""
    names = map(as_tables.name_of, figure.elements)
    return {"elements": len(figure.elements), **dict(sorted(Counter(names).items()))}


def _svg(figure: Any, at: Origin) -> bytes:
    """A drawing as SVG. Raises AuthorError, with the author's place, if schemdraw cannot draw it."""
    try:
        return library.svg_of(figure)
    except MemoryError:
        raise
    except Exception as error:
        text = str(error).strip().splitlines() or [type(error).__name__]
        raise AuthorError(at, f"schemdraw cannot draw this: {text[0]}") from None
