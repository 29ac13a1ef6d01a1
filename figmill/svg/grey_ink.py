"""A published SVG in grey, for printers without colour: every role of the palette keeps a style of its own. Pure.

A role has a grey, and a hatch (areas) or dashes (lines), because two greys are easy to tell apart side by side, but not
on different pages. All other colours become the grey of the same luminance, so that contrast stays as it was checked.
It handles the light figure only, because paper is white.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from figmill import xml_tree
from figmill.late_dataclasses import dataclass
from figmill.palette import Role
from figmill.svg.colour import contrast, distance, luminance, srgb

if TYPE_CHECKING:
    from lxml.etree import _Element

SVG = "http://www.w3.org/2000/svg"
PERIOD = 6.0  # px of a figure between the lines of a hatch
APART = 1.2  # contrast of two greys that lie side by side
SEEN = 0.1  # OKLab distance of two colours that a reader of the coloured figure tells apart
MANY = 24  # colours: more are a scale of data, not groups
SHAPES = ("rect", "circle", "ellipse", "path", "polygon", "polyline", "line")
PAINTS = ("fill", "stroke", "stop-color", "flood-color", "lighting-color", "color")
APART_FROM_SHAPES = ("clipPath", "mask", "pattern", "marker")  # their content is not an area of the figure


@dataclass(frozen=True, slots=True)
class GreyLook:
    """The style of a role in grey: its fill with a hatch, as path data in one PERIOD, and its lines with dashes.

    - dashes: in widths of the line; empty: solid.
    """

    fill: str
    hatch: str
    line: str
    dashes: tuple[float, ...] = ()


RISING, FALLING = "M -1 7 L 7 -1 M -1 1 L 1 -1 M 5 7 L 7 5", "M -1 -1 L 7 7 M 5 -1 L 7 1 M -1 5 L 1 7"
ACROSS, DOWN, DOTS = "M 0 3 H 6", "M 3 0 V 6", "M 0.6 1.5 H 1.8 M 3.6 4.5 H 4.8"

# The styles in the palette's order. Neighbours differ a lot in lightness, and text in the palette's colours keeps 4.5:1
# on each fill. Diagonal hatches come late, because many figures have some of their own.
LOOKS = (
    GreyLook("#c6c6c6", "", "#4a4a4a"),
    GreyLook("#f4f4f4", DOTS, "#808080", (5, 2)),
    GreyLook("#d6d6d6", ACROSS, "#333333", (1, 2)),
    GreyLook("#f8f8f8", f"{RISING} {FALLING}", "#111111", (8, 2, 1, 2)),
    GreyLook("#f5f5f5", "", "#8c8c8c"),
    GreyLook("#dddddd", DOWN, "#202020", (3, 3)),
    GreyLook("#f2f2f2", RISING, "#6a6a6a", (10, 3)),
    GreyLook("#d4d4d4", FALLING, "#4a4a4a", (8, 2, 1, 2, 1, 2)),
    GreyLook("#f8f8f8", f"{ACROSS} {DOWN}", "#808080", (2, 4)),
)


@dataclass(frozen=True, slots=True)
class _VisibleShape:
    """A visible shape, with its paints as in the figure."""

    node: _Element
    fill: str
    stroke: str
    dashes: str
    width: float
    is_small: bool


def printed(svg: bytes, palette: Sequence[Role]) -> tuple[bytes, tuple[str, ...]]:
    """The figure in grey, and the differences that grey does not show. Raises ValueError if `svg` is not XML."""
    from lxml import etree

    try:
        root = xml_tree.parsed(svg)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"the SVG is not the published one: {error}") from None
    numbers = {role.fill: n for n, role in enumerate(palette)}
    lines = {role.line: n for n, role in enumerate(palette)}
    shapes = list(_shapes(root))
    alike = tuple(_alike(shapes, palette, numbers, lines))
    used: set[int] = set()
    prefix = _prefix(root)
    for shape in shapes:
        fill, stroke = numbers.get(shape.fill), lines.get(shape.stroke)
        if fill is not None:
            look = LOOKS[fill % len(LOOKS)]
            if look.hatch:
                used.add(fill % len(LOOKS))
            shape.node.set("fill", f"url(#{prefix}{fill % len(LOOKS)})" if look.hatch else look.fill)
        if stroke is not None and shape.fill == "none" and not shape.dashes:
            dashes = LOOKS[stroke % len(LOOKS)].dashes
            if dashes:
                shape.node.set("stroke-dasharray", " ".join(f"{length * shape.width:g}" for length in dashes))
    greys = {
        **{colour: LOOKS[n % len(LOOKS)].line for colour, n in lines.items()},
        **{colour: LOOKS[n % len(LOOKS)].fill for colour, n in numbers.items()},
    }
    for node in root.iter("{*}*"):
        for name in PAINTS:
            if (value := node.get(name)) is not None and not value.startswith("url("):
                node.set(name, greys.get(value) or grey(value))
        if node.get("style"):
            node.set("style", _style(node.get("style", "")))
    _without_colour(root, prefix)
    if used:
        root.insert(_after_words(root), _patterns(sorted(used), prefix))
    return etree.tostring(root, encoding="utf-8"), alike


def grey(text: str) -> str:
    """The grey with the luminance of a colour, as #rrggbb; anything else unchanged."""
    if srgb(text) is None:
        return text
    linear = luminance(text)
    level = 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
    return "#" + f"{round(255 * level):02x}" * 3


def _style(text: str) -> str:
    pairs = (declaration.partition(":") for declaration in text.split(";") if declaration.strip())
    return "; ".join(f"{name.strip()}: {grey(value.strip())}" for name, _, value in pairs)


def _shapes(root: _Element) -> Iterator[_VisibleShape]:
    """The shapes of a figure with their inherited paints. Documents in normal form have paints in attributes."""
    start = ("#000000", "none", "", 1.0)
    waiting: list[tuple[_Element, tuple[str, str, str, float]]] = [(root, start)]
    while waiting:
        node, (fill, stroke, dashes, width) = waiting.pop()
        tag = str(node.tag).rpartition("}")[2]
        if tag in APART_FROM_SHAPES:
            continue
        fill, stroke = node.get("fill", fill), node.get("stroke", stroke)
        dashes = node.get("stroke-dasharray", dashes)
        dashes = "" if dashes == "none" else dashes
        width = _number(node.get("stroke-width", ""), width)
        if tag in SHAPES:
            yield _VisibleShape(node, fill, stroke, dashes, width, _is_small(node, tag))
        waiting += [(child, (fill, stroke, dashes, width)) for child in reversed(node)]


def _is_small(node: _Element, tag: str) -> bool:
    """Whether a shape is too small to show a hatch."""
    sides = {"rect": ("width", "height"), "circle": ("r",), "ellipse": ("rx", "ry")}.get(tag, ())
    share = 1.0 if tag == "rect" else 2.0
    return any(share * _number(node.get(name, ""), PERIOD) < PERIOD for name in sides)


def _number(text: str, otherwise: float) -> float:
    try:
        return float(text.removesuffix("px"))
    except ValueError:
        return otherwise


def _alike(
    shapes: Sequence[_VisibleShape], palette: Sequence[Role], fills: dict[str, int], lines: dict[str, int]
) -> Iterator[str]:
    """What readers of the coloured figure can tell apart and readers of the grey figure cannot."""
    areas: dict[int, set[str]] = {n: set() for n in range(len(palette))}  # role -> what tells its areas apart
    strokes: dict[int, set[object]] = {n: set() for n in range(len(palette))}
    others: dict[tuple[str, str, str], None] = {}  # (what, colour, dashes) of shapes without a role
    for shape in shapes:
        if (n := fills.get(shape.fill)) is not None:
            areas[n].add("" if shape.is_small else LOOKS[n % len(LOOKS)].hatch)
        elif srgb(shape.fill) is not None and shape.fill not in lines:
            others["area", shape.fill, ""] = None
        if shape.fill == "none" and (n := lines.get(shape.stroke)) is not None:
            strokes[n].add(shape.dashes or LOOKS[n % len(LOOKS)].dashes)
        elif shape.fill == "none" and srgb(shape.stroke) is not None:
            others["line", shape.stroke, shape.dashes] = None
    for what, marks, tone in (("areas", areas, "fill"), ("lines", strokes, "line")):
        for one, other in combinations(range(len(palette)), 2):
            tones = (getattr(LOOKS[n % len(LOOKS)], tone) for n in (one, other))
            if marks[one] & marks[other] and contrast(*tones) < APART:
                names = f"'{palette[one].name}' and '{palette[other].name}'"
                why = "are too small for a hatch" if what == "areas" else "have the same dashes"
                if one % len(LOOKS) == other % len(LOOKS):
                    why = f"look the same: there are {len(LOOKS)} looks"
                yield f"in grey, {what} of the roles {names} {why}; add words or a mark"
    for what in ("area", "line"):
        mine = [(colour, dashes) for kind, colour, dashes in others if kind == what]
        pairs = [
            (one, other)
            for (one, dashed), (other, too) in combinations(mine[:MANY], 2)
            if dashed == too and distance(one, other) >= SEEN and contrast(grey(one), grey(other)) < APART
        ]
        if pairs and len(mine) <= MANY:
            (first, second), more = pairs[0], len(pairs) - 1
            and_more = f", and {more} other pair{'s' if more > 1 else ''}" if more else ""
            hint = "take colours of the palette, or add another dash, hatch or mark"
            yield f"in grey, {what}s in {first} and {second} look the same{and_more}; {hint}"


def _prefix(root: _Element) -> str:
    """A prefix for ids that the figure does not contain."""
    first = next((node.get("id") for node in root.iter("{*}title") if node.get("id")), "figure")
    return f"{first}-ink-"


def _without_colour(root: _Element, prefix: str) -> None:
    """Make pictures lose their colour when they are drawn."""
    from lxml import etree

    pictures = list(root.iter(f"{{{SVG}}}image"))
    if not pictures:
        return
    name = f"{prefix}picture"
    for picture in pictures:
        parent = picture.getparent()
        if parent is not None:
            group = etree.Element(f"{{{SVG}}}g", filter=f"url(#{name})")
            parent.replace(picture, group)
            group.append(picture)
    box = etree.Element(f"{{{SVG}}}filter", id=name, x="0", y="0", width="1", height="1")
    etree.SubElement(box, f"{{{SVG}}}feColorMatrix", type="saturate", values="0")
    root.insert(_after_words(root), box)


def _after_words(root: _Element) -> int:
    """The place after a figure's title and description."""
    return sum(str(node.tag).rpartition("}")[2] in ("title", "desc") for node in list(root)[:2])


def _patterns(numbers: Sequence[int], prefix: str) -> _Element:
    """The hatches in use. Their lines are pale, because text lies over them."""
    from lxml import etree

    defs = etree.Element(f"{{{SVG}}}defs")
    for number in numbers:
        look = LOOKS[number]
        side = f"{PERIOD:g}"
        pattern = etree.SubElement(
            defs,
            f"{{{SVG}}}pattern",
            id=f"{prefix}{number}",
            width=side,
            height=side,
            patternUnits="userSpaceOnUse",
        )
        etree.SubElement(pattern, f"{{{SVG}}}rect", width=side, height=side, fill=look.fill)
        hatch = etree.SubElement(pattern, f"{{{SVG}}}path", d=look.hatch, fill="none", stroke="#a8a8a8")
        hatch.set("stroke-width", "1.2" if look.hatch == DOTS else "0.8")
    return defs
