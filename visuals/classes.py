"""The classes of Python source: fields, methods, what they inherit from and what they hold. The source is not run."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill_structure import drawing, python
from figmill_structure.places import place
from figmill_timelines.bounds import hold


def draw(
    source: str = "shop",
    only: list[str] | None = None,
    without: list[str] | None = None,
    fields: bool = True,
    methods: bool = True,
    private: bool = False,
    rows: Annotated[int, Interval(ge=2, le=24)] = 12,
    direction: Literal["TB", "LR"] = "LR",
) -> Drawing:
    """Facts: classes, inherits, has, names.

    source: a package, a folder of modules or a file, in data/ beside this script or from its folder, as `../src/shop`.
    only, without: names of classes, with `*`. fields, methods: show them. private: show names that begin with `_`.
    rows: the most fields, and the most methods, of a class; the last one counts the others. direction: of reading. A
    hollow arrow leads to a base class, a diamond to a class that a field holds.
    """
    hold(draw, locals())
    read = python.modules(place(__file__, source))
    graph = python.classes(read, fields=fields, methods=methods, private=private).only(
        only or [], without or []
    )
    graph.fit("choose with only and without")
    facts = graph.facts("classes")
    del facts["edges"], facts["cycles"]
    for kind in ("inherits", "has"):
        facts[kind] = sum(edge.kind == kind for edge in graph.edges)
    return Drawing(drawing.drawn(graph, direction, rows), facts)
