"""What a source says: its labels, and its relations between two of them. Pure.

A kind states them from its engine's own model. publish/not_drawn.py looks for each of them in the picture, and knows no
kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from figmill import xml_tree
from figmill.late_dataclasses import dataclass
from figmill.model import Fact

MOST, TEXT = 5_000, 1_000  # labels and relations of a figure; characters of a label
NAMELESS = "a shape without a label"  # an end of a relation that has no words


@dataclass(frozen=True, slots=True)
class Label:
    """Text that the picture must show. text: LF separates its lines or cells. line: in the source, from 1."""

    text: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """A line between two ends.

    start, end: the words at its ends. text: its label. line: in the source, from 1. mark: how the drawing names the
    line, as an id, a class or a title; relations of one mark need as many lines.
    """

    start: str
    end: str
    text: str
    mark: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Stated:
    """The labels and relations of a source, in its order."""

    labels: tuple[Label, ...] = ()
    relations: tuple[Relation, ...] = ()

    def without_lines(self) -> Stated:
        """The same without lines, for a source that is not in a file."""
        return self.with_lines(lambda _: None)

    def with_lines(self, line: Callable[[int | None], int | None]) -> Stated:
        """The same with other lines."""
        labels = tuple(replace(label, line=line(label.line)) for label in self.labels)
        return Stated(
            labels, tuple(replace(relation, line=line(relation.line)) for relation in self.relations)
        )

    def packed(self) -> dict[str, list[list[str | int | None]]]:
        """As JSON values; `unpacked` reads them."""
        return {
            "labels": [[label.text, label.line] for label in self.labels],
            "relations": [
                [relation.start, relation.end, relation.text, relation.mark, relation.line]
                for relation in self.relations
            ],
        }


def unpacked(value: object) -> Stated:
    """The inverse of `packed`, for an untrusted answer. Raises ValueError."""
    if isinstance(value, Stated):  # from a worker of a cluster
        value = value.packed()
    if not isinstance(value, Mapping) or {*value} != {"labels", "relations"}:
        raise ValueError("stated is not a mapping of labels and relations")
    labels = tuple(Label(*_row(row, 1)) for row in _rows(value["labels"]))
    return Stated(labels, tuple(Relation(*_row(row, 4)) for row in _rows(value["relations"])))


def _rows(value: object) -> Sequence[object]:
    if not isinstance(value, list | tuple) or len(value) > MOST:
        raise ValueError(f"a figure states a list of at most {MOST:,} labels, and as many relations")
    return value


def _row(row: object, count: int) -> Any:
    """A row of that many texts and a line. Raises ValueError."""
    if not isinstance(row, list | tuple) or len(row) != count + 1:
        raise ValueError(f"a label or a relation is not a list of {count + 1} values")
    *texts, line = row
    if not all(isinstance(text, str) and _fits(text) for text in texts):
        raise ValueError(f"a label is not a text of at most {TEXT:,} characters")
    if line is not None and (type(line) is not int or not 0 < line < 10**9):
        raise ValueError("the line of a label is not the number of a line")
    return tuple(row)


def _fits(text: str) -> bool:
    return len(text) <= TEXT and _is_utf8(text)


def _is_utf8(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def stated(
    labels: Iterable[str], relations: Iterable[tuple[str, str, str, str]] = (), source: str = ""
) -> Stated:
    """Labels and relations (start, end, text, mark) with their lines in `source`; leaves out those that are too long.

    Of two equal labels, the first is on the first line that has it.
    """
    places = _Places(source)
    texts = [text.strip() for text in labels]
    every = [Label(text, places.of(text)) for text in texts[:MOST] if text and _fits(text)]
    lines = [
        Relation(start[:TEXT], end[:TEXT], text[:TEXT], mark, places.between(start, end, text))
        for start, end, text, mark in list(relations)[:MOST]
        if len(mark) <= TEXT and all(map(_is_utf8, (start, end, text, mark)))
    ]
    return Stated(tuple(every), tuple(lines))


class _Places:
    """The lines on which a source has its words."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._ends: dict[str, int] = {}  # of the last place of a text

    def of(self, text: str) -> int | None:
        """The next line with a text; of a text in several lines, with its first one."""
        first = text.split("\n", 1)[0].strip()
        begin = self._ends.get(first, 0)
        place = self._source.find(first, begin) if first else -1
        if place < 0:
            return None
        self._ends[first] = place + len(first)
        return self._source.count("\n", 0, place) + 1

    def between(self, start: str, end: str, text: str) -> int | None:
        """The line of a relation: that of its label, or the first one with both ends."""
        if text and (line := self.of(text)) is not None:
            return line
        rows = enumerate(self._source.split("\n"), 1)
        both = (
            number for number, row in rows if start in row and end in row.replace(start, "", start == end)
        )
        return next(both, None) if start and end else None


# Elements that draw a line, and the attributes that have its points.
_STROKES = {"path": ("d",), "line": ("x1", "x2", "y1", "y2"), "polyline": ("points",)}


def lost(svg: bytes, relations: Sequence[Relation]) -> tuple[Relation, ...]:
    """The relations without a line of their mark in a drawing; of equal marks, the last ones."""
    wanted = {relation.mark for relation in relations}
    if not wanted:
        return ()
    lines = _lines(svg, wanted)
    missing: list[Relation] = []
    for relation in relations:
        if lines[relation.mark] > 0:
            lines[relation.mark] -= 1
        else:
            missing.append(relation)
    return tuple(missing)


def _lines(svg: bytes, wanted: set[str]) -> Counter[str]:
    """How many elements with each of these marks draw a line."""
    from lxml import etree  # not loaded by processes that only read questions

    lines: Counter[str] = Counter()
    try:
        root = xml_tree.parsed(svg)
    except etree.XMLSyntaxError:
        return lines  # settling reports it
    for node in root.iter("{*}*"):
        attrib = node.attrib
        names = [
            str(attrib.get("id", "")),
            str(attrib.get("data-id", "")),
            *str(attrib.get("class", "")).split(),
        ]
        if str(node.tag).endswith("}title") and node.text in wanted:
            names, above = [str(node.text)], node.getparent()
            node = node if above is None else above
        for mark in wanted.intersection(names):
            lines[mark] += any(_is_stroke(part) for part in node.iter("{*}*"))
    return lines


def _is_stroke(node: object) -> bool:
    tag = str(getattr(node, "tag", "")).rpartition("}")[2]
    attrib: Mapping[str, str] = getattr(node, "attrib", {})
    return tag in _STROKES and any(attrib.get(name) for name in _STROKES[tag])


def counted(facts: Mapping[str, Fact], noun: str, svg: bytes, source: Stated) -> dict[str, Fact]:
    """The facts, with the number of relations that were drawn. noun: the name of that fact."""
    count = facts.get(noun)
    if not isinstance(count, int):
        return dict(facts)
    return {**facts, noun: count - len(lost(svg, source.relations))}
