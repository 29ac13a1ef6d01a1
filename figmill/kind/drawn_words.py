"""The words of a drawing in reading order, as a table: for drawings that offer nothing else. Pure."""

from __future__ import annotations

import re

from figmill.kind.drawn_text import tree
from figmill.kind.tables import fitting, table
from figmill.model import FigureTable

SAME_ROW = 3.0  # px between the baselines of words in one row
_LETTER = re.compile(r"[^\W\d_]")


def tables_of(svg: bytes) -> tuple[FigureTable, ...]:
    """The texts of an SVG that contain a letter, row by row, from left to right; empty if there are none."""
    texts: list[tuple[float, float, str]] = []
    for node in tree(svg).iter("{*}text"):
        text = " ".join(" ".join(map(str, node.itertext())).split())
        if _LETTER.search(text):
            texts.append((_number(node.get("y")), _number(node.get("x")), text))
    rows: list[list[tuple[float, float, str]]] = []
    for placed in sorted(texts):
        if rows and placed[0] - rows[-1][0][0] <= SAME_ROW:
            rows[-1].append(placed)
        else:
            rows.append([placed])
    words_in_order = [
        (text,) for row in rows for _, _, text in sorted(row, key=lambda placed: (placed[1], placed[2]))
    ]
    return fitting((table("Words", ("node",), words_in_order, "nodes"),)) if words_in_order else ()


def _number(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
