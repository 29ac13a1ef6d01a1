"""The tables of an SQL script, their columns, and the keys that join them."""

from __future__ import annotations

from typing import Literal

from figmill import Drawing
from figmill_structure import drawing, sql
from figmill_structure.places import place, text_of
from figmill_timelines.bounds import hold


def draw(
    source: str | list[str] = "shop.sql",
    dialect: str = "",
    only: list[str] | None = None,
    without: list[str] | None = None,
    types: bool = True,
    direction: Literal["TB", "LR"] = "LR",
) -> Drawing:
    """Facts: tables, columns, foreign_keys, cycles, names.

    source: a file with CREATE TABLE, or a list of them, in data/ beside this script or from its folder, as
    `../db/schema.sql`. dialect: postgres, mysql, sqlite, tsql or another of sqlglot's. only, without: names of tables,
    with `*`. types: show the types of columns. direction: of reading. A crow's foot is the side of many rows.
    """
    hold(draw, locals())
    files = [place(__file__, name) for name in (source if isinstance(source, list) else [source])]
    try:
        graph = sql.tables("\n;\n".join(map(text_of, files)), dialect, types=types)
    except ImportError:
        raise ValueError("reading SQL needs one more package: pip install 'figmill[sql]'") from None
    graph = graph.only(only or [], without or [])
    graph.fit("choose with only and without")
    facts = graph.facts("tables")
    facts["foreign_keys"] = facts.pop("edges")
    facts["columns"] = sum(len(section.rows) for node in graph.nodes for section in node.sections)
    return Drawing(drawing.drawn(graph, direction), facts)
