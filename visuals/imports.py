"""Which module imports which: a graph of Python source, read and not run. Cycles stand out."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill_structure import drawing, python
from figmill_structure.graph import cycles
from figmill_structure.places import place
from figmill_timelines.bounds import hold


def draw(
    source: str = "shop",
    depth: Annotated[int, Interval(ge=1, le=16)] = 16,
    only: list[str] | None = None,
    without: list[str] | None = None,
    reduced: bool = False,
    typing: bool = False,
    outside: bool = False,
    direction: Literal["TB", "LR"] = "LR",
) -> Drawing:
    """Facts: modules, imports, late_imports, cycles, in_cycles, names.

    source: a package, a folder of modules or a file, in data/ beside this script or from its folder, as `../src/shop`.
    depth: parts of a name below the top package; 1 shows its packages. only, without: names, with `*`. reduced: leave
    out an import that others imply. typing: count imports under `if TYPE_CHECKING`. outside: show what is imported from
    other packages. direction: of reading. A dashed arrow is an import that only functions make.
    """
    hold(draw, locals())
    read = python.modules(place(__file__, source))
    graph = python.imports(read, depth, typing=typing, outside=outside).only(only or [], without or [])
    graph.fit("set depth: 1, or choose with only and without")
    components = cycles(graph)
    facts = graph.facts("modules")
    facts["imports"] = facts.pop("edges")
    facts["late_imports"] = sum(edge.kind == "late" for edge in graph.edges)
    facts["in_cycles"] = sorted(name for component in components for name in component)
    return Drawing(drawing.drawn(graph.reduced() if reduced else graph, direction), facts)
