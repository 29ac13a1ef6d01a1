"""The text of a chart: the uncut texts in Vega's scene, and whether the scene has a mark. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from figmill.kind.job import Remark
from figmill.kind.stated import Stated, stated
from figmill.model import FigureTable

EMPTY = "nothing-drawn"


def stated_of(texts: Sequence[str], source: str) -> Stated:
    """The labels of a chart. texts: those of its scene."""
    return stated(texts, source=source)


def texts_in(scene: Any) -> Iterator[Any]:
    """The visible texts of Vega's scene, before Vega cuts them; see `text_of`."""
    waiting = [scene]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, dict):
            waiting += item.get("items", ())
            if item.get("marktype") == "text":
                yield from (line.get("text") for line in item.get("items", ()) if line.get("opacity") != 0)


def text_of(value: Any) -> str:
    """A text of a scene; LF separates its lines."""
    lines = value if isinstance(value, list) else [value]
    return "\n".join(str(line) for line in lines if line is not None)


def remarks(
    marks: object, fields: Sequence[str], tables: Sequence[FigureTable], line: int | None
) -> Iterator[Remark]:
    """Why a chart shows nothing. marks: their number; fields: those that the chart names; line: of its mark."""
    if marks != 0:
        return
    columns = {name for table in tables for name in table.columns}
    lacking = next((field for field in fields if columns and field not in columns), None)
    why = f"its data have no field '{lacking}'" if lacking else "is it written for a newer Vega-Lite?"
    joint = ": " if lacking else "; "
    yield Remark(EMPTY, f"the chart shows no mark{joint}{why}", line)
