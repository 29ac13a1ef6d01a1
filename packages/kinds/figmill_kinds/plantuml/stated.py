"""The labels and relations of a diagram of PlantUML. Pure.

Its shapes and links are those that PlantUML marks in its SVG, before figmill changes it. A sequence, a mind map and an
activity are read from their source: PlantUML marks nothing there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lxml import etree

from figmill.kind import FigureTable
from figmill.kind.stated import Stated, stated
from figmill_kinds.plantuml.as_tables import is_letter
from figmill_kinds.plantuml.text import DiagramText

SVG = "{http://www.w3.org/2000/svg}"
SHAPES, LINK = ("entity", "start_entity", "end_entity", "cluster"), "link"
# figmill's own words: of arrows, and the numbers of JSON's lists
_SIGNS = re.compile(r",? ?both ways$|^\d+: ")
LANE = "lane"
OF_SOURCE = ("item", "label", "node")  # the columns of tables with an author's words


def of(svg: str, text: DiagramText, tables: Sequence[FigureTable]) -> Stated:
    """The labels and relations of the source. svg: PlantUML's own; tables: the description of its figure."""
    root = etree.fromstring(svg.encode())
    groups = [(str(node.get("class")), node) for node in root.iter(f"{SVG}g") if node.get("class")]
    source = "\n".join(text.lines)
    if not any(name in SHAPES for name, _ in groups):
        return stated(_cells(tables)).without_lines()
    names = {str(node.get("id")): " ".join(_texts(node)) for name, node in groups if name in SHAPES}
    labels = [label for name, node in groups if name in (*SHAPES, LINK) for label in _texts(node)]
    relations = [
        (names.get(ends[0], ""), names.get(ends[1], ""), " ".join(_texts(node)), str(node.get("id")))
        for name, node in groups
        if name == LINK and node.get("id")
        for ends in [[str(node.get(f"data-entity-{number}")) for number in (1, 2)]]
    ]
    return _placed(stated(labels, relations, source), text)


def _texts(node: etree._Element) -> list[str]:
    """The texts of an element, without the letter in a circle that PlantUML gives to classes."""
    parts = (part for part in node.iter(f"{SVG}text") if not is_letter(part))
    texts = (" ".join("".join(map(str, part.itertext())).split()) for part in parts)
    return [label for label in texts if label]


def _cells(tables: Sequence[FigureTable]) -> Iterator[str]:
    """The words of a description that the picture shows; LF separates those of one row, which may be apart."""
    lanes: set[str] = set()
    for table in tables:
        for row in table.rows:
            cells = {name: str(value or "") for name, value in zip(table.columns, row, strict=True)}
            label = next((cells[name] for name in OF_SOURCE if name in cells), "")
            if cells.get("step") == LANE:
                if label in lanes:
                    continue
                lanes.add(label)  # each lane has one head, however often the source returns to it
            yield _SIGNS.sub("", label).replace(": ", "\n")


def _placed(unplaced: Stated, text: DiagramText) -> Stated:
    """The same with lines of the source; no line where an included file has the words."""

    def line(number: int | None) -> int | None:
        place = text.at(number) if number is not None else None
        return place.line if place is not None and place.path == text.source else None

    return unplaced.with_lines(line)
