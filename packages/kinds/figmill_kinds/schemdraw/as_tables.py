"""The elements of a schemdraw drawing with their labels, as a table, in the order of the script."""

from __future__ import annotations

import re
from typing import Any

from figmill.kind import FigureTable
from figmill.kind.stated import Stated, stated
from figmill.kind.tables import fitting, table

_STANDARD = re.compile(r"(?<=[a-z])(IEEE|IEC)$")  # in class names: Resistor is ResistorIEEE
# What joins or places other elements, and is nothing by itself.
SILENT = (
    "Line",
    "Dot",
    "Gap",
    "Label",
    "Arrow",
    "Wire",
    "Arc2",
    "Arc3",
    "ArcN",
    "ArcZ",
    "Annotate",
    "Rect",
    "Encircle",
)
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MATH = re.compile(r"\$([^$]*)\$")


def name_of(element: Any) -> str:
    """The class of an element, without the standard by which it is drawn."""
    return _STANDARD.sub("", type(element).__name__)


def tables_of(figure: Any) -> tuple[FigureTable, ...]:
    """The elements other than wires and dots, and those with a label; empty if there are none."""
    rows = []
    for element in figure.elements:
        labels = ", ".join(_labels(element))
        name = name_of(element)
        if labels or name not in SILENT:
            rows.append((_WORDS.sub(" ", name), labels))
    if not rows:
        return ()
    columns = ("element", "labels") if any(labels for _, labels in rows) else ("element",)
    return fitting((table("Elements", columns, [row[: len(columns)] for row in rows], "rows"),))


def stated_of(figure: Any) -> Stated:
    """The labels of all elements, except those with formulas, whose signs the drawing typesets."""
    return stated(
        label for element in figure.elements for label in _labels(element, keep=True) if "$" not in label
    )


def _labels(element: Any, keep: bool = False) -> list[str]:
    """The labels that a script gives to an element, each in one line. keep: formulas stay in dollar signs."""
    labels = []
    for label in getattr(element, "_userlabels", ()):
        text = getattr(label, "label", "")
        for piece in text if isinstance(text, list | tuple) else (text,):
            line = " ".join((str(piece) if keep else _MATH.sub(r"\1", str(piece))).split())
            if line and line not in ("+", "-", "\u2212", "\u2013"):
                labels.append(line)
    return labels
