"""The SVG of a layout: text as <text>, backgrounds and borders as rectangles and lines.

Every value is a number, a keyword or a colour made here: only text and links come from the author.
"""

from __future__ import annotations

from dataclasses import field, replace

from figmill.late_dataclasses import dataclass
from figmill.svg.document import Element
from figmill.svg.html.boxes import Bullet, LaidBox, LineBox, LinePiece, Plate
from figmill.svg.html.css.style import Border, ComputedStyle
from figmill.svg.html.css.values import CLEAR
from figmill.svg.xml.numbers import fixed

DASHES = {"dashed": 3.0, "dotted": 1.0}
SEEN = 0.5  # px of font size: smaller text is left out
HALF_X = 0.26  # em: half the x-height
NO_LIMIT = (float("-inf"), float("inf"))


@dataclass(slots=True)
class LabelElements:
    """The elements of a label, back to front.

    - own: elements whose fill the author chose for the current theme.
    """

    nodes: list[Element] = field(default_factory=list)
    own: list[Element] = field(default_factory=list)

    def add(self, node: Element, is_own: bool) -> None:
        self.nodes.append(node)
        if is_own:
            self.own += [part for part in node.walk() if "fill" in part.attrib]


def drawn(laid: LaidBox, x: float, y: float) -> LabelElements:
    """The elements of a layout whose corner is at x, y."""
    elements = LabelElements()
    _draw(laid, x, y, NO_LIMIT, elements)
    return elements


def _draw(laid: LaidBox, x: float, y: float, seen: tuple[float, float], elements: LabelElements) -> None:
    """Add a layout's elements. seen: the vertical interval in which text is visible; clipped boxes narrow it."""
    if laid.clips:
        seen = max(seen[0], y), min(seen[1], y + laid.height)
    for right, down, part in laid.parts:
        if isinstance(part, LaidBox):
            _draw(part, x + right, y + down, seen, elements)
        elif isinstance(part, Plate):
            _plate(part, x + right, y + down, elements)
        elif isinstance(part, Bullet):
            if seen[0] <= y + down <= seen[1]:
                elements.add(_bullet(part, x + right, y + down), part.style.is_own_color)
        else:
            middle = y + down - HALF_X * part.pieces[0].style.font_size
            if seen[0] <= middle <= seen[1] and (text := _text(part, x + right, y + down)) is not None:
                elements.add(text, part.pieces[0].style.is_own_color)


def _plate(plate: Plate, x: float, y: float, elements: LabelElements) -> None:
    style = plate.style
    box = {"x": fixed(x), "y": fixed(y), "width": fixed(plate.width), "height": fixed(plate.height)}
    round_ = {"rx": fixed(style.border_radius)} if style.border_radius > 0 else {}
    first = style.borders[0]
    if style.background_color != CLEAR and plate.width > 0 and plate.height > 0:
        elements.add(
            Element("rect", {**box, **round_, "fill": style.background_color}), style.is_own_background
        )
    if first.width > 0 and all(border == first for border in style.borders):
        half = first.width / 2
        box = {
            "x": fixed(x + half),
            "y": fixed(y + half),
            "width": fixed(max(0.0, plate.width - first.width)),
            "height": fixed(max(0.0, plate.height - first.width)),
        }
        if plate.height > first.width:
            elements.add(Element("rect", {**box, **round_, "fill": "none", **_stroke(first)}), False)
            return
    ends = (
        ((x, y), (x + plate.width, y), 0, 1),
        ((x + plate.width, y), (x + plate.width, y + plate.height), -1, 0),
        ((x, y + plate.height), (x + plate.width, y + plate.height), 0, -1),
        ((x, y), (x, y + plate.height), 1, 0),
    )
    for border, (start, end, across, down) in zip(style.borders, ends, strict=True):
        if border.width > 0 and border.color != CLEAR and start != end:
            half = border.width / 2
            line = {
                "x1": fixed(start[0] + across * half),
                "y1": fixed(start[1] + down * half),
                "x2": fixed(end[0] + across * half),
                "y2": fixed(end[1] + down * half),
            }
            elements.add(Element("line", {**line, **_stroke(border)}), False)


def _stroke(border: Border) -> dict[str, str]:
    attrib = {"stroke": border.color, "stroke-width": fixed(border.width)}
    if border.style in DASHES:
        attrib["stroke-dasharray"] = fixed(DASHES[border.style] * border.width)
    return attrib


def _bullet(bullet: Bullet, x: float, y: float) -> Element:
    size, ink = bullet.width, bullet.style.ink
    if bullet.kind == "square":
        return Element(
            "rect", {"x": fixed(x), "y": fixed(y), "width": fixed(size), "height": fixed(size), "fill": ink}
        )
    place = {"cx": fixed(x + size / 2), "cy": fixed(y + size / 2)}
    if bullet.kind == "circle":
        return Element(
            "circle", {**place, "r": fixed(max(0.1, (size - 1) / 2)), "fill": "none", "stroke": ink}
        )
    return Element("circle", {**place, "r": fixed(size / 2), "fill": ink})


def _text(line: LineBox, x: float, y: float) -> Element | None:
    pieces: list[LinePiece] = []
    for piece in line.pieces:
        if piece.style.font_size < SEEN or piece.style.ink == CLEAR:
            continue
        if pieces and not piece.text.strip(" ") and not pieces[-1].style.text_decoration_line:
            pieces[-1] = replace(pieces[-1], text=pieces[-1].text + piece.text)  # resvg drops a lone space
        else:
            pieces.append(piece)
    if not any(piece.text.strip(" ") for piece in pieces):
        return None
    main = max(pieces, key=lambda piece: len(piece.text.strip()))
    share = {"middle": 0.5, "end": 1.0}.get(line.anchor, 0.0)
    worded = [piece for piece in pieces if piece.text.strip()] or pieces  # a text of no-break spaces only
    under = frozenset.intersection(*(piece.style.text_decoration_line for piece in worded))
    attrib = {"x": fixed(x + share * line.width), "y": fixed(y), **_look(main.style, under)}
    if share:
        attrib["text-anchor"] = line.anchor
    text = Element("text", attrib)
    shift = 0.0
    for at, piece in enumerate(pieces):
        content = piece.text.lstrip(" ") if at == 0 else piece.text
        content = content.rstrip(" ") if at == len(pieces) - 1 else content
        if not content:
            continue
        own = _difference(piece.style, main.style, under)
        if piece.shift != shift:
            own["dy"] = fixed(piece.shift - shift)
            shift = piece.shift
        holder = text
        if piece.href:
            holder = Element("a", {"href": piece.href})
            text.children.append(holder)
        if own:
            holder.children.append(Element("tspan", own, [content]))
        elif holder.children and isinstance(holder.children[-1], str):
            holder.children[-1] += content
        else:
            holder.children.append(content)
    if len(text.children) == 1 and isinstance(text.children[0], Element) and text.children[0].tag == "tspan":
        only = text.children[0]  # a single raised piece does not need dy: its shift moves into y
        step = float(only.attrib.pop("dy", "0"))
        text.attrib.update(only.attrib)
        text.attrib["y"] = fixed(y + step)
        text.children = only.children
    return text


def _look(style: ComputedStyle, under: frozenset[str]) -> dict[str, str]:
    attrib = {
        "font-family": "monospace" if style.mono else "sans-serif",
        "font-size": fixed(style.font_size),
        "fill": style.ink,
    }
    if style.bold:
        attrib["font-weight"] = "bold"
    if style.italic:
        attrib["font-style"] = "italic"
    if under:
        attrib["text-decoration"] = " ".join(sorted(under))
    if style.letter_spacing:
        attrib["letter-spacing"] = fixed(style.letter_spacing)
    if style.word_spacing:
        attrib["word-spacing"] = fixed(style.word_spacing)
    return attrib


NORMAL = {"font-weight": "normal", "font-style": "normal", "letter-spacing": "0", "word-spacing": "0"}


def _difference(style: ComputedStyle, main: ComputedStyle, under: frozenset[str]) -> dict[str, str]:
    """The attributes that differ from those of the surrounding text. under: decorations of the whole text."""
    mine, other = _look(style, style.text_decoration_line - under), _look(main, frozenset())
    attrib = {name: value for name, value in mine.items() if other.get(name) != value}
    return attrib | {name: NORMAL[name] for name in sorted(other.keys() - mine.keys())}
