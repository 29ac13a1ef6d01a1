"""What a diagram of PlantUML shows, as tables. Pure.

PlantUML marks the shapes and links of its SVG; a sequence and a mind map have no marks and are read from their source,
after its preprocessor's lines. Any other diagram has only its words.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from lxml import etree

from figmill.kind import FigureTable, drawn_words
from figmill.kind.drawn_text import encoded, tree
from figmill.kind.tables import fitting, table
from figmill_kinds.plantuml import activities, messages
from figmill_kinds.plantuml.text import DiagramText

SVG = "{http://www.w3.org/2000/svg}"
SHAPES, LINK, CLUSTER = ("entity", "start_entity", "end_entity"), "link", "cluster"
NOTE = re.compile(r"(?:.*\.)?GMN\d+$")  # the names that PlantUML gives to notes
DIAMONDS = ("composition", "aggregation")  # whose sign is at the whole
KINDS = {"extension": "inheritance", "composition": "composition", "aggregation": "aggregation"}
REALIZES = "realization"
_STEREOTYPE = re.compile(r"\u00ab(.*)\u00bb")
_MANY = re.compile(r'"([^"\n]+)"\s*[^\s"]*[-.][-.\[\]\w]*[^\s"]*\s*(?:"([^"\n]+)")?|[-.]\S*\s+"([^"\n]+)"')
_POINT = re.compile(r"-?[\d.]+")


def tables_of(svg: str, text: DiagramText) -> tuple[FigureTable, ...]:
    """The tables of a diagram. svg: PlantUML's own, with its marks."""
    root = tree(encoded(svg))
    groups = [(str(node.get("class")), node) for node in root.iter(f"{SVG}g") if node.get("class")]
    if any(name in SHAPES for name, _ in groups):
        return fitting(_graph(groups, text))
    if re.search(r"<g><title>[^<]*</title><rect", svg):
        if (tables := messages.tables_of(text)) is not None:
            return fitting(tables)
    elif text.kind in ("mindmap", "wbs"):
        return _outline("Topics", list(_topics(text.lines[1:-1])))
    elif text.kind == "json":
        with suppress(ValueError, RecursionError):
            body = "\n".join(line for line in text.lines[1:-1] if not line.startswith(("#", "!", "title")))
            return _outline("Data", list(_values("", json.loads(body), 0)))
    elif (steps := activities.tables_of(text.lines[1:-1])) is not None:
        return fitting(steps)
    return drawn_words.tables_of(svg.encode())


def _outline(title: str, rows: Sequence[tuple[int, str]]) -> tuple[FigureTable, ...]:
    return fitting((table(title, ("level", "item"), rows, "outline"),)) if rows else ()


def _values(name: str, value: Any, level: int) -> Iterator[tuple[int, str]]:
    """A JSON value as lines; its content is one level deeper."""
    if not isinstance(value, dict | list):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield level, f"{name}: {text}" if name else text
        return
    if name:
        yield level, name
        level += 1
    for key, item in (
        value.items() if isinstance(value, dict) else ((f"{n}", v) for n, v in enumerate(value, 1))
    ):
        yield from _values(str(key), item, level)


def _graph(groups: Sequence[tuple[str, etree._Element]], text: DiagramText) -> Iterator[FigureTable]:
    clusters = {
        str(node.get("data-qualified-name")): _words(node)[:1] for name, node in groups if name == CLUSTER
    }
    shapes = {str(node.get("id")): node for name, node in groups if name in SHAPES}
    is_classes = any(is_letter(part) for node in shapes.values() for part in node.iter(f"{SVG}text"))
    names: dict[str, str] = {
        str(node.get("id")): _words(node)[0] for name, node in groups if name == CLUSTER and _words(node)
    }
    rows, more, notes = [], [], {}
    for id_, node in shapes.items():
        heads, texts = _parts(node)
        kinds = [match[1] for word in heads if (match := _STEREOTYPE.fullmatch(word))]
        plain = " ".join(word for word in heads if not _STEREOTYPE.fullmatch(word))
        qualified = str(node.get("data-qualified-name"))
        kind = str(node.get("class"))
        names[id_] = {"start_entity": "start", "end_entity": "end"}.get(kind, plain or qualified)
        if NOTE.match(qualified):
            notes[id_] = " ".join(heads + texts)
            continue
        rows.append((names[id_], _around(qualified, clusters), ", ".join(kinds)))
        more += [(names[id_], line) for line in texts]
    links, beside = [], []
    for name, node in groups:
        if name != LINK:
            continue
        ends = [str(node.get(f"data-entity-{number}")) for number in (1, 2)]
        if note := next((end for end in ends if end in notes), None):
            beside.append((names.get(ends[1 - ends.index(note)], ""), notes[note]))
        elif all(end in names for end in ends):
            links.append(_link(node, [names[end] for end in ends], _numbers(text.lines)))
    attached = {note for _, note in beside}
    beside += [("", note) for note in notes.values() if note not in attached]
    yield _slim("Classes" if is_classes else "Nodes", ("node", "group", "kind"), rows, "nodes")
    if links:
        is_bare = not any(arrow for arrow, _ in links)
        cells = [_said(row, arrow, is_bare) for arrow, row in links]
        columns = ("from", "to", "label", "kind", "how many from", "how many to")
        yield _slim(
            "Relations" if is_classes else "Edges", columns, cells, "links" if is_bare else "edges", 3
        )
    if more:
        yield (
            table("Members", ("class", "member"), more, "rows")
            if is_classes
            else table("Texts", ("element", "text"), more, "rows")
        )
    if beside:
        yield _slim("Notes", ("note", "element"), [(note, of) for of, note in beside], "rows")


def _said(row: Sequence[str], arrow: str, is_bare: bool) -> tuple[str, ...]:
    more = {"both": "both ways", "": "" if is_bare else "no arrow"}.get(arrow, "")
    return (row[0], row[1], ", ".join(filter(None, (row[2], more))), *row[3:])


def _link(node: etree._Element, names: Sequence[str], numbers: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """Where a link has its sign ("one", "both" or ""), and its cells, from the end without an arrow to that with it."""
    path = next(node.iter(f"{SVG}path"), None)
    places = [float(number) for number in _POINT.findall(str(path.get("d")))] if path is not None else []
    if len(places) < 4:
        return "", (names[0], names[1], " ".join(_words(node)), "", "", "")
    first, last = (places[0], places[1]), (places[-2], places[-1])
    signs = {
        math.dist(at, first) < math.dist(at, last)
        for sign in node.iter(f"{SVG}polygon")
        for at in (_middle(str(sign.get("points"))),)
    }
    kind = str(node.get("data-link-type"))
    is_at_start = True in signs and False not in signs
    if kind in DIAMONDS:
        is_at_start = False in signs and True not in signs
    many, label = ["", ""], []
    for part in node.iter(f"{SVG}text"):
        phrase = " ".join("".join(map(str, part.itertext())).split())
        at = (float(part.get("x") or 0), float(part.get("y") or 0))
        if phrase in numbers and not many[near := int(math.dist(at, last) < math.dist(at, first))]:
            many[near] = phrase
        elif phrase:
            label.append(phrase)
    is_dashed = path is not None and path.get("stroke-dasharray") is not None
    relation = REALIZES if kind == "extension" and is_dashed else KINDS.get(kind, "")
    ends = (names[0], names[1])
    if is_at_start:
        ends, many = (ends[1], ends[0]), many[::-1]
    arrow = "both" if len(signs) == 2 and kind not in DIAMONDS else "one" if signs else ""
    return arrow, (*ends, " ".join(label), relation, *many)


def _middle(points: str) -> tuple[float, float]:
    numbers = [float(number) for number in _POINT.findall(points)]
    count = max(1, len(numbers) // 2)
    return sum(numbers[::2]) / count, sum(numbers[1::2]) / count


def _numbers(lines: Iterable[str]) -> set[str]:
    """The multiplicities: the texts in quotes beside an arrow."""
    return {count for line in lines for match in _MANY.finditer(line) for count in match.groups() if count}


def _parts(node: etree._Element) -> tuple[list[str], list[str]]:
    """The texts of a shape above its first line, and those below it."""
    first = min((float(line.get("y1") or 0) for line in node.iter(f"{SVG}line")), default=math.inf)
    heads: list[str] = []
    texts: list[str] = []
    for part in node.iter(f"{SVG}text"):
        if not is_letter(part) and (phrase := " ".join("".join(map(str, part.itertext())).split())):
            (heads if float(part.get("y") or 0) < first else texts).append(phrase)
    return (heads, texts) if heads else (texts, [])


def is_letter(part: etree._Element) -> bool:
    """Whether a text is the letter in a circle that PlantUML gives to classes."""
    return part.get("dominant-baseline") == "central" and len("".join(map(str, part.itertext())).strip()) == 1


def _words(node: etree._Element) -> list[str]:
    texts = (" ".join("".join(map(str, part.itertext())).split()) for part in node.iter(f"{SVG}text"))
    return [phrase for phrase in texts if phrase]


def _around(name: str, clusters: Mapping[str, Sequence[str]]) -> str:
    """The label of the innermost group whose name begins a shape's name."""
    while "." in name:
        name = name.rpartition(".")[0]
        if name in clusters:
            return " ".join(clusters[name])
    return ""


def _slim(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], form: str, least: int = 1
) -> FigureTable:
    """A table without its empty columns, except the first ones."""
    kept = [at for at in range(len(columns)) if at < least or any(row[at] for row in rows)]
    return table(title, [columns[at] for at in kept], [[row[at] for at in kept] for row in rows], form)


_TOPIC = re.compile(r"^\s*([*+#-]+)(?:_)?\s*(?:\[#[^\]]*\])?\s*(?:<<[^>]*>>)?_?\s*(.*?)\s*(?:<<[^>]*>>)?$")


def _topics(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The topics of a mind map with their depth from 0; a topic between `:` and `;` has several lines."""
    waiting = iter(lines)
    for line in waiting:
        match = _TOPIC.match(line)
        if match is None or not match[2]:
            continue
        topic = match[2]
        if topic.startswith(":"):
            while not topic.rstrip().endswith(";") and (following := next(waiting, None)) is not None:
                topic += f" {following}"
            topic = topic.strip().removeprefix(":").removesuffix(";")
        yield len(match[1]) - 1, messages.plain(topic)
