"""The lines of HTML-like labels, anchored where Graphviz meant them: in the middle, or at the right.

Graphviz writes each run of such a line at the left end of the room that it gave to it, and this room is wider than the
text: readers' fonts differ (room.py). So a line stands left of its middle by half of the difference. A line of one run
gets an anchor. Several runs stay texts of their own, with room between them, and move by what the last one leaves.
Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from lxml import etree

from figmill import xml_tree
from figmill.kinds.graphs import room
from figmill.late_dataclasses import dataclass

SVG = "{http://www.w3.org/2000/svg}"
LABELS = ("label", "xlabel", "headlabel", "taillabel")
ANCHORS: Mapping[str, tuple[str, float]] = {
    "left": ("start", 0.0),
    "center": ("middle", 0.5),
    "right": ("end", 1.0),
}
_ENTITIES = '<!DOCTYPE l [<!ENTITY nbsp "&#160;">]>'


@dataclass(slots=True)
class Line:
    """A line of a label: where it belongs in its room, and the words of its runs, without white space."""

    align: str = "center"
    runs: list[str] = field(default_factory=list)


def anchored(svg: bytes, graph: bytes) -> bytes:
    """Graphviz's SVG with anchors. graph: the same graph as `dot_json`, for the labels' markup."""
    if b'text-anchor="start"' not in svg:
        return svg
    try:
        drawing = xml_tree.parsed(svg)
        labels = _labels(json.loads(graph.decode("utf-8", "replace"), strict=False))
    except (etree.XMLSyntaxError, ValueError, RecursionError):  # settling says where
        return svg
    texts = [
        text for text in drawing.iter(f"{SVG}text") if text.get("text-anchor") == "start" and _words(text)
    ]
    at = 0
    while at < len(texts):
        lines = next(_fitting(labels, texts, at), ())
        for line in lines:
            _place(texts[at : at + len(line.runs)], line.align)
            at += len(line.runs)
        at += not lines
    return etree.tostring(drawing)


def _fitting(
    labels: Mapping[str, list[tuple[Line, ...]]], texts: Sequence[etree._Element], at: int
) -> Iterator[tuple[Line, ...]]:
    """The labels whose runs are the texts from `at`, the longest first; none of two that are aligned in two ways."""
    alike: dict[tuple[str, ...], list[tuple[Line, ...]]] = {}
    for lines in labels.get(_words(texts[at]), ()):
        runs = tuple(run for line in lines for run in line.runs)
        if tuple(map(_words, texts[at : at + len(runs)])) == runs:
            alike.setdefault(runs, []).append(lines)
    for runs in sorted(alike, key=len, reverse=True):
        if len(alike[runs]) == 1:
            yield alike[runs][0]


def _place(runs: Sequence[etree._Element], align: str) -> None:
    """Move the runs of a line to where they belong in its room."""
    anchor, share = ANCHORS[align]
    left, last = float(runs[0].get("x", 0)), _room(runs[-1])
    if len(runs) == 1:
        runs[0].set("text-anchor", anchor)
        runs[0].set("x", f"{left + share * last.width:.2f}")
        return
    for run in runs:
        run.set("x", f"{float(run.get('x', 0)) + share * (last.width - last.natural):.2f}")


def _room(text: etree._Element) -> room.Room:
    """The room that Graphviz gave to a run."""
    flags = room.BOLD * (text.get("font-weight") == "bold") | room.ITALIC * (
        text.get("font-style") == "italic"
    )
    family, size = str(text.get("font-family", "")), float(text.get("font-size", 14))
    return room.of((text.text or "").encode(), family.encode(), size, flags)


def _words(text: etree._Element) -> str:
    return "".join((text.text or "").split())


def _labels(graph: Mapping[str, Any]) -> dict[str, list[tuple[Line, ...]]]:
    """The labels of a graph as lines, by the words of their first run."""
    labels: dict[str, list[tuple[Line, ...]]] = {}
    for item in (graph, *graph.get("objects", ()), *graph.get("edges", ())):
        for name in LABELS:
            lines = tuple(line for line in _lines(str(item.get(name, ""))) if line.runs)
            if lines and lines not in (same := labels.setdefault(lines[0].runs[0], [])):
                same.append(lines)
    return labels


def _lines(label: str) -> list[Line]:
    """The lines of an HTML-like label in the order in which Graphviz writes them; none for another label."""
    try:
        parser = etree.XMLParser(no_network=True, load_dtd=False)
        root = etree.fromstring(f"{_ENTITIES}<l>{label}</l>", parser)
    except (etree.XMLSyntaxError, ValueError):
        return []
    lines = [Line()]
    _read(root, lines, "center")
    return lines


def _read(node: etree._Element, lines: list[Line], breaks: str) -> None:
    """Add the text in an element to the last line. breaks: how lines are aligned that do not say so themselves."""
    _add(lines, node.text)
    for child in node:
        tag = str(child.tag).lower() if isinstance(child.tag, str) else ""
        values = {name.lower(): str(value).lower() for name, value in child.items()}
        if tag == "br":
            lines[-1].align = _side(values.get("align", breaks))
            lines.append(Line(breaks))
        elif tag == "td":
            cell = [Line(_side(values.get("balign", "")))]
            _read(child, cell, cell[0].align)
            if len(cell) == 1 and "balign" not in values:  # one line: it stands where its cell says
                cell[0].align = _side(values.get("align", ""))
            lines += [*cell, Line(breaks)]
        elif tag:
            _read(child, lines, breaks)
        _add(lines, child.tail)


def _add(lines: list[Line], text: str | None) -> None:
    if content := "".join((text or "").split()):
        lines[-1].runs.append(content)


def _side(name: str) -> str:
    return name if name in ANCHORS else "center"
