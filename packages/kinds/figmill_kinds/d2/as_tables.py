"""The shapes and connections of a D2 diagram as tables, from the paths that D2 writes into its SVG. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from lxml import etree

from figmill.kind import FigureTable, tables
from figmill.kind.stated import Stated, stated

SVG = "{http://www.w3.org/2000/svg}"
# `scope.(a -> b)[0]`: the two ends are below the scope. A lifeline of a sequence diagram has one end.
_EDGE = re.compile(r"(?P<scope>.*?)\((?P<start>.*) (?P<way><->|->|<-|--) (?P<end>.*)\)\[\d+\]", re.DOTALL)


def tables_of(named: Sequence[tuple[str, etree._Element]]) -> tuple[FigureTable, ...]:
    """The shapes that hold no other, with their containers, and the connections. named: each element with its path."""
    shapes = {
        path: _label(group) or path.rpartition(".")[2] for path, group in named if not _EDGE.fullmatch(path)
    }
    lifelines = (match for path, _ in named if (match := _EDGE.fullmatch(path)) and not match["end"])
    actors = {f"{match['scope']}{match['start']}" for match in lifelines}
    edges: list[tuple[str, str, str | None]] = []
    ways: set[str] = set()
    for path, group in named:
        match = _EDGE.fullmatch(path)
        if match is None:
            continue
        if not match["end"]:
            continue
        names = [_name(f"{match['scope']}{match[side]}", shapes, actors) for side in ("start", "end")]
        label, way = _label(group), match["way"]
        if way == "<-":
            names.reverse()
        more = "both ways" if way == "<->" else "no arrow" if way == "--" else ""
        ways.add(way)
        edges.append((names[0], names[1], ", ".join(filter(None, (label, more))) or None))
    arrows = ways != {"--"}
    if not arrows:
        edges = [
            (start, end, (label or "").removesuffix("no arrow").rstrip(", ") or None)
            for start, end, label in edges
        ]
    holders = {path[:cut] for path in shapes for cut in range(len(path)) if path[cut] == "."}
    talks = {actor.rpartition(".")[0] for actor in actors}
    inside = tuple(f"{talk}." if talk else "" for talk in talks)  # a talk at the top holds everything
    ends = {end for edge in edges for end in edge[:2]}
    nodes = [
        (name, shapes.get(path.rpartition(".")[0]))
        for path, name in shapes.items()
        if path in actors or ((path not in holders or name in ends) and not path.startswith(inside or "\0"))
    ]
    return tables.graph(nodes, edges, arrows)


def stated_of(named: Sequence[tuple[str, etree._Element]], source: str) -> Stated:
    """The words of each shape and connection, and each connection by the class of its group."""
    shapes = {
        path: _label(group) or path.rpartition(".")[2] for path, group in named if not _EDGE.fullmatch(path)
    }
    labels = [label for _, group in named for label in _words(group)]
    relations = []
    for path, group in named:
        match = _EDGE.fullmatch(path)
        if match is not None and match["end"]:
            start, end = (_name(f"{match['scope']}{match[side]}", shapes, ()) for side in ("start", "end"))
            relations.append((start, end, _label(group), str(group.get("class")).split(" ")[0]))
    return stated(labels, relations, source)


def _words(group: etree._Element) -> Iterator[str]:
    """The texts of a shape or connection; of Markdown, its blocks line by line."""
    for child in group.iter(f"{SVG}text", f"{SVG}foreignObject"):
        is_block = child.tag == f"{SVG}foreignObject"
        yield (
            "\n".join(part for part in map(str, child.itertext()) if part.strip())
            if is_block
            else _text(child)
        )


def _text(node: etree._Element) -> str:
    return " ".join(" ".join(map(str, node.itertext())).split())


def _name(path: str, shapes: Mapping[str, str], actors: Collection[str]) -> str:
    """The label of the shape at a path, or of the nearest one around it: an end may be a row or a part of an actor."""
    actor = next((actor for actor in actors if path.startswith(f"{actor}.")), None)
    if actor is not None:
        return shapes.get(actor, actor)
    while path not in shapes and "." in path:
        path = path.rpartition(".")[0]
    return shapes.get(path, path)


def _label(group: etree._Element) -> str:
    """The first text of a shape or connection as one line: the header of a table, the lines of a label."""
    for child in group.iter(f"{SVG}text", f"{SVG}foreignObject"):
        if text := _text(child):
            return text
    return ""
