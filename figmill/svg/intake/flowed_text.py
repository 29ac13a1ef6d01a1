"""Turns Inkscape's flowed text, which browsers do not show, into lines of text.

The text is broken at the width of its region in the book's font, as Inkscape breaks it in the author's (SVG 1.2 draft,
10.5, for a region that is one upright box).
"""

from __future__ import annotations

from itertools import groupby

from figmill.font_metrics import measure
from figmill.late_dataclasses import dataclass
from figmill.svg.document import Draft, Element
from figmill.svg.geometry.outlines import Bounds, outline
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import fixed, plain
from figmill.svg.xml.units import LENGTH, PX

LINE, FIRST = 1.25, 0.97  # em: line height, and distance from the region's edge to the first baseline
BOLD = vocabulary.words("bold bolder 600 700 800 900")
KEPT = vocabulary.INHERITED | vocabulary.PAINTS | {"style", "baseline-shift", "text-decoration"}


@dataclass(frozen=True, slots=True)
class Face:
    """The font properties that decide a word's width."""

    size: float = 16.0
    bold: bool = False
    italic: bool = False

    def of(self, node: Element) -> Face:
        attrib = node.attrib
        match = LENGTH.fullmatch(attrib.get("font-size", ""))
        number = plain(match[1]) if match and match[2].lower() in PX else None
        return Face(
            self.size if number is None or match is None else number * PX[match[2].lower()],
            attrib["font-weight"] in BOLD if "font-weight" in attrib else self.bold,
            attrib["font-style"] in ("italic", "oblique") if "font-style" in attrib else self.italic,
        )


@dataclass(frozen=True, slots=True)
class Word:
    """A word, its face, and the attributes of the spans around it."""

    text: str
    face: Face
    look: tuple[tuple[str, str], ...]

    @property
    def width(self) -> float:
        return measure(self.text, self.face.size, self.face.bold, self.face.italic)


def flow_text(draft: Draft) -> None:
    """Turn every <flowRoot> into a <text>. Those without text, and flow elements elsewhere, are dropped."""
    if any(node.tag in vocabulary.FLOWED for node in draft.root.walk()):
        _visit(draft, draft.root, Face())


def _visit(draft: Draft, node: Element, face: Face) -> None:
    kept: list[Element | str] = []
    for child in node.children:
        if isinstance(child, Element):
            if child.tag == "flowRoot":
                if not _set(child, face.of(child)):
                    draft.drop("<flowRoot> without words", child)
                    continue
                draft.resolve("<flowRoot>", child)
            elif child.tag in vocabulary.FLOWED:
                draft.drop(f"<{child.tag}> outside <flowRoot>", child)
                continue
            else:
                _visit(draft, child, face.of(child))
        kept.append(child)
    node.children = kept


def _set(root: Element, face: Face) -> bool:
    """Turn a <flowRoot> into <text>. False if it has no text or no region."""
    box = _region(root)
    paragraphs = [
        _words(part, face.of(part), ()) for part in root.elements() if part.tag in vocabulary.FLOWED_WORDS
    ]
    if box is None or not any(paragraphs):
        return False
    x, y, width = box[0], box[1], box[2] - box[0]
    lines: list[Element | str] = []
    for words in paragraphs:
        for line in _broken(words, width):
            size = max((word.face.size for word in line), default=face.size)
            y += size * (LINE if lines else FIRST)
            lines += [" ", _line(line, x, y)] if lines else [_line(line, x, y)]
        if not words:
            y += face.size * LINE
    root.tag = "text"
    root.attrib.pop("x", None)
    root.attrib.pop("y", None)
    root.children = lines
    return True


def _region(root: Element) -> Bounds | None:
    """The bounds of the first shape of the region; None if there is none."""
    for region in root.elements():
        if region.tag == "flowRegion":
            for shape in region.elements():
                points = [point for ring in outline(shape) for point in ring]
                if points:
                    xs, ys = [x for x, _ in points], [y for _, y in points]
                    return min(xs), min(ys), max(xs), max(ys)
    return None


def _words(node: Element, face: Face, look: tuple[tuple[str, str], ...]) -> list[Word]:
    look = (*look, *((name, value) for name, value in node.attrib.items() if name in KEPT))
    words: list[Word] = []
    for child in node.children:
        if isinstance(child, str):
            words += [Word(text, face, look) for text in child.split()]
        else:
            words += _words(child, face.of(child), look)
    return words


def _broken(words: list[Word], width: float) -> list[list[Word]]:
    """The text in lines no wider than the region, with at least one word each."""
    lines: list[list[Word]] = []
    room = 0.0
    for word in words:
        blank = measure(" ", word.face.size)
        if not lines or room < blank + word.width:
            lines.append([word])
            room = width - word.width
        else:
            lines[-1].append(word)
            room -= blank + word.width
    return lines


def _line(words: list[Word], x: float, y: float) -> Element:
    children: list[Element | str] = []
    for look, run in groupby(words, lambda word: word.look):
        text = " ".join(word.text for word in run)
        if children:
            children.append(" ")
        children.append(Element("tspan", dict(look), [text]) if look else text)
    return Element("tspan", {"x": fixed(x), "y": fixed(y)}, children)
