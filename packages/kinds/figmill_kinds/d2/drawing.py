"""D2's SVG in the book's fonts and palette, and what is in it: shapes, connections, pictures. Pure."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from figmill.kind import MUTED, PAGE, TEXT, Fact, FigureTable, role
from figmill.kind.drawn_text import tree
from figmill.kind.links import address
from figmill.kind.source_text import unescaped
from figmill.kind.stated import Stated, counted
from figmill_kinds.d2 import edge_labels, markdown
from figmill_kinds.d2 import names as names_of_containers
from figmill_kinds.d2.as_tables import stated_of, tables_of

OUTPUT = "figure.svg"
SVG = "{http://www.w3.org/2000/svg}"
# D2's faces are families of their own: with one font of ours, weight and style must say it.
FACES = (
    ".text { font-family: Arial; } .text-bold, .text-semibold { font-family: Arial; font-weight: bold; } "
    ".text-italic { font-family: Arial; font-style: italic; } .text-mono { font-family: monospace; } "
    ".text-mono-bold, .text-mono-semibold { font-family: monospace; font-weight: bold; } "
    ".text-mono-italic { font-family: monospace; font-style: italic; }"
)
# D2's own theme 0: the colour of each of its names. A name that the source gives another colour keeps that.
OWN = {
    "N1": "#0A0F25",
    "N2": "#676C7E",
    "N3": "#9499AB",
    "N4": "#CFD2DD",
    "N5": "#DEE1EB",
    "N6": "#EEF1F8",
    "N7": "#FFFFFF",
    "B1": "#0D32B2",
    "B2": "#0D32B2",
    "B3": "#E3E9FD",
    "B4": "#E3E9FD",
    "B5": "#EDF0FD",
    "B6": "#F7F8FE",
    "AA2": "#4A6FF3",
    "AA4": "#EDF0FD",
    "AA5": "#F7F8FE",
    "AB4": "#EDF0FD",
    "AB5": "#F7F8FE",
}
_compute, _data, _routing, _neutral = role("compute"), role("data"), role("routing"), role("neutral")
FILLS = {
    "N1": TEXT[0],
    "N2": MUTED[0],
    "N3": MUTED[0],
    "N4": _neutral.fill,
    "N5": _neutral.fill,
    "N6": _neutral.fill,
    "N7": PAGE[0],
    "B1": _compute.line,
    "B2": _neutral.line,
    "B3": _compute.fill,
    "B4": _neutral.fill,
    "B5": PAGE[0],
    "B6": _compute.fill,
    "AA2": _data.line,
    "AA4": _data.fill,
    "AA5": _data.fill,
    "AB4": _routing.fill,
    "AB5": _routing.fill,
}
LINES = {**FILLS, "N1": _neutral.line, "B1": _compute.line, "N2": _neutral.line}
# Where D2 has one name for an area and for words, or one line for shapes of several fills.
MORE = f"""
.d2-svg .fill-B6 {{ fill: {_compute.fill}; }}
.d2-svg text.fill-B1, .d2-svg text.fill-B2 {{ fill: {TEXT[0]}; }}
.d2-svg text.fill-AA2 {{ fill: {MUTED[0]}; }}
.d2-svg .fill-B4, .d2-svg .fill-B5, .d2-svg .fill-N4, .d2-svg .fill-N5 {{ stroke: {_neutral.line}; }}
.d2-svg .fill-AA4, .d2-svg .fill-AA5 {{ stroke: {_data.line}; }}
.d2-svg .fill-AB4, .d2-svg .fill-AB5 {{ stroke: {_routing.line}; }}
.d2-svg .connection.stroke-B1, .d2-svg .connection.stroke-B2 {{ stroke: {_neutral.line}; }}
.d2-svg .connection.fill-B1 {{ fill: {_neutral.line}; }}
.d2-svg .class_header {{ fill: {_compute.fill}; }}
.d2-svg .class_header + text {{ fill: {TEXT[0]}; }}
"""
DEEP = 3  # levels of containers from which D2 fills a shape with the page's colour
# px more around a label, in which its connection is not drawn: above the letters, D2 leaves enough
ROOM = {"x": -3, "width": 6, "height": 4}
_RULE = re.compile(r"(\.(fill|stroke)-([A-Z]+\d)\{(?:fill|stroke):)(#[0-9A-Fa-f]{6})(;?\})")
_FACE = re.compile(r"@font-face\s*\{[^}]*\}|\.d2-\d+ \.text(?:-[a-z-]+)? \{[^}]*\}")


@dataclass(frozen=True, slots=True)
class D2Drawing:
    """A diagram as D2 drew it.

    - words: whether it has any.
    - remote: the addresses of pictures on the web that it leaves out.
    - tips: the number of its tooltips.
    - broken: the formulas that cannot be set: the path of the shape of each, and why.
    """

    svg: bytes
    counts: Mapping[str, Fact]
    words: bool
    remote: tuple[str, ...]
    tips: int
    tables: tuple[FigureTable, ...]
    broken: tuple[tuple[str, str], ...]
    unreadable: tuple[tuple[str, str], ...]  # names of containers, and what is in their way
    stated: Stated


def read(svg: bytes, source: str) -> D2Drawing:
    """D2's output as a drawing of the book. source: the text of the diagram and its imports."""
    root = tree(svg)
    named = list(_named(root))
    names = [name for name, _ in named]
    tables, words_of_source = tables_of(named), stated_of(named, source)
    if "font-size" not in source:
        names_of_containers.shrink(named, _holders(names))
    unreadable = names_of_containers.unreadable(named, _holders(names))
    _fill_leaves(named)
    _restyle(root)
    _drop_page(root)
    edges = [group for name, group in named if _is_edge(name)]
    edge_labels.centred(root, edges, [group for name, group in named if not _is_edge(name)])
    _widen_gaps(root)
    markdown.mend(root, source)
    tips = _drop_icons(root)
    for link in list(root.iter(f"{SVG}a")):
        target = address(str(link.get("href", "")))
        if not target or target.startswith("root."):  # to another board
            link.attrib.clear()
            link.tag = f"{SVG}g"
        else:
            link.set("href", target)
    remote = tuple(_without_remote(root))
    has_text = any("".join(map(str, text.itertext())).strip() for text in root.iter(f"{SVG}text"))
    broken = tuple(_broken(named))
    drawn = etree.tostring(root)
    facts = counted(counts(names), "edges", drawn, words_of_source)
    return D2Drawing(drawn, facts, has_text, remote, tips, tables, broken, unreadable, words_of_source)


def _broken(named: Sequence[tuple[str, etree._Element]]) -> Iterator[tuple[str, str]]:
    """The formulas for which MathJax, D2's typesetter, has drawn its complaint."""
    for name, group in named:
        for node in group.iter(f"{SVG}g"):
            if node.get("data-mml-node") == "merror":
                yield name, str(node.get("data-mjx-error", "it has a mistake"))


def _fill_leaves(named: Sequence[tuple[str, etree._Element]]) -> None:
    """Give shapes in containers the fill of other shapes: D2 makes them paler with each level, like containers."""
    holders = _holders([name for name, _ in named])
    for name, group in named:
        if name not in holders and not _is_edge(name):
            paler = "B[45]|N7" if name.count(".") >= DEEP else "B[45]"
            for child in group.iterfind(f"{SVG}g/*"):
                word = str(child.get("class", ""))
                child.set("class", re.sub(rf"\bfill-(?:{paler})\b", "fill-B6", word))


def _drop_icons(root: etree._Element) -> int:
    """Remove D2's icons for tooltips and links, and the tooltips; return the number of tooltips."""
    for icon in [group for group in root.iter(f"{SVG}g") if "appendix-icon" in str(group.get("class", ""))]:
        if (above := icon.getparent()) is not None:
            above.remove(icon)
    tips = list(root.iter(f"{SVG}title"))
    for tip in tips:
        if (above := tip.getparent()) is not None:
            above.remove(tip)
    return len(tips)


def _without_remote(root: etree._Element) -> Iterator[str]:
    """Remove pictures on the web; return their addresses. A shape that consists of its picture keeps its place as a
    dashed frame, at which its connections end."""
    for image in list(root.iter(f"{SVG}image")):
        address, above = str(image.get("href", "")), image.getparent()
        if above is None or not re.match(r"(?i)https?:|//", address):
            continue
        yield address
        if "shape" in str(above.get("class", "")).split():
            look = {"fill": "none", "stroke": _neutral.line, "stroke-dasharray": "4 4"}
            frame = {name: str(image.get(name)) for name in ("x", "y", "width", "height") if image.get(name)}
            image.attrib.clear()
            image.tag = f"{SVG}rect"
            for name, value in {**frame, **look}.items():
                image.set(name, value)
        else:
            above.remove(image)


def _restyle(root: etree._Element) -> None:
    """Replace D2's faces and colours by the book's."""
    for style in root.iter(f"{SVG}style"):
        text = style.text or ""
        if "@font-face" in text:
            style.text = _FACE.sub("", text) + FACES
        if ".fill-N" in text:
            rules = list(_RULE.finditer(text))
            is_own = all(rule[4].upper() == OWN.get(rule[3]) for rule in rules)
            style.text = _RULE.sub(_recoloured, text) + (MORE if is_own else "")


def _recoloured(rule: re.Match[str]) -> str:
    table = FILLS if rule[2] == "fill" else LINES
    colour = table[rule[3]] if rule[4].upper() == OWN.get(rule[3]) else rule[4]
    return f"{rule[1]}{colour}{rule[5]}"


def _drop_page(root: etree._Element) -> None:
    """Remove the rectangle in the theme's page colour, which settling lays itself."""
    for inner in root.iter(f"{SVG}svg"):
        first = next(iter(inner), None)
        if (
            first is not None
            and first.tag == f"{SVG}rect"
            and "fill-N7" in str(first.get("class", "")).split()
        ):
            inner.remove(first)
            return


def _widen_gaps(root: etree._Element) -> None:
    """Give the words on a connection more room: D2 cuts the line off at the letters."""
    for gap in (rect for mask in root.iter(f"{SVG}mask") for rect in mask.iter(f"{SVG}rect")):
        if gap.get("fill") == "black":
            for name, more in ROOM.items():
                gap.set(name, f"{float(gap.get(name, 0)) + more:g}")


def _named(root: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    """Each shape and connection with its path, which D2 writes into its class."""
    for group in root.iter(f"{SVG}g"):
        word = str(group.get("class", "")).split(" ")[0]
        if not word or len(word) % 4:
            continue
        try:
            name = unescaped(base64.b64decode(word, validate=True).decode())
        except (binascii.Error, UnicodeDecodeError):
            continue
        if _is_edge(name) or any(str(child.get("class", "")).split(" ")[0] == "shape" for child in group):
            yield name, group


def _is_edge(name: str) -> bool:
    return re.search(r"\)\[\d+\]$", name) is not None


def _holders(names: Sequence[str]) -> set[str]:
    """The paths with others below them."""
    shapes = [name for name in names if not _is_edge(name)]
    return {shape[:cut] for shape in shapes for cut in range(len(shape)) if shape[cut] == "."}


def counts(names: Sequence[str]) -> dict[str, int]:
    """nodes: shapes that hold no other; edges. In sequence diagrams, nodes are actors, and edges messages."""
    actors = {match[1] for name in names if (match := re.search(r"\((.*) -- \)\[\d+\]$", name))}
    edges = sum(_is_edge(name) and " -- )" not in name for name in names)
    holders, talks = _holders(names), {actor.rpartition(".")[0] for actor in actors}
    inside = tuple(f"{talk}." if talk else "" for talk in talks)
    nodes = [
        name
        for name in names
        if not _is_edge(name)
        and (name in actors or (name not in holders and not name.startswith(inside or "\0")))
    ]
    talk = {"actors": len(actors), "messages": edges} if actors else {}
    return {"nodes": len([name for name in nodes if name not in talks]), "edges": edges, **talk}
