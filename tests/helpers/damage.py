"""Real drawings, damaged in the ways that hands and tools damage them: always the same for the same number.

Most of what comes out is still well-formed, so that it gets past the reader and into the passes behind it.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from lxml import etree

SVG = "http://www.w3.org/2000/svg"
EXTREME = (
    "1e308",
    "-1e308",
    "1e309",
    "5e-324",
    "-5e-324",
    "1e-300",
    "1e20",
    "-1e20",
    "1e16",
    "1e9",
    "-1e9",
    "1e10",
    "1e7",
    "1e-7",
    "1e-16",
    "-0",
    "0",
    "-1",
    "0.5",
    "100000",
    "NaN",
    "Infinity",
    "-inf",
    "1_000",
    "9" * 400,
    "0." + "0" * 400 + "1",
    "1e",
    "1e+",
    ".",
    "-",
    "--1",
    "+5",
    "1e5em",
    "1e308%",
    "1e308px",
    "50%",
    "1e3ex",
    "1e308em",
    "",
    "0x10",
    "\u0661",
    "1,5",
    "3 3 3",
    "calc(1px + 1e308px)",
    "auto",
    "inherit",
)
COLOURS = (
    "oklch(0.7 0.1 200)",
    "oklch(70% 0.4 none / 0.5)",
    "oklab(0.5 0.1 -0.1)",
    "lab(50% 40 59.5)",
    "lch(52.2% 72.2 50)",
    "lch(1e308% 1e308 1e308)",
    "oklab(none none none / none)",
    "color(display-p3 1 0 0)",
    "color(srgb 1e308 -1e308 0)",
    "color(rec2020 0.4 0.7 0.2 / 50%)",
    "color(xyz-d50 0.2 0.4 0.1)",
    "color(nope 1 2 3)",
    "oklch(1e400 0 0)",
    "hwb(194 0% 0%)",
    "lab(0 1e30 -1e30)",
    "oklch(0.5 1e20 nan)",
    "hsl(1e308 50% 50%)",
    "hsl(120deg 75% 25% / 1e-300)",
    "rgb(1e308 0 0)",
    "rgb(300,-20,1e20)",
    "rgba(1, 2, 3, 1e308)",
    "rgba(0,0,0,-1e308)",
    "rgb(50% 20% 10% / none)",
    "#12345678",
    "#1234",
    "#12",
    "color(srgb calc(1) 0 0)",
    "currentColor",
    "transparent",
    "none",
    "context-fill",
    "url(#a) oklch(0.5 0.1 20)",
    "url(#nope) red",
    "url(https",
    "rgb()",
    "oklch()",
    "color()",
    "oklch(0.5 0.1 20deg, 1)",
    "oklch(from red l c h)",
    "inherit",
    "RED",
    "ReD ",
)
WORDS = (
    "1e",
    "'a\"b'",
    '"a\'b"',
    '"unclosed',
    "'",
    "a;b",
    "a:b",
    "}",
    "{",
    "(",
    ")",
    "1e308px",
    "5e-324",
    "normal",
    "pre",
    "pre-wrap",
    "multiply",
    "url(#a)",
    "url(",
    "#",
    "!important",
    "red !important",
    "inherit",
    "initial",
    "unset",
    "bolder",
    "1e9 serif",
    "bold 1e308px 'a\"b'",
    "12px/1e5 x",
    "xx-large",
    "larger",
    "1e5%",
    "none",
    "\u00e9",
    "blur(1e308px)",
    "blur(5px) blur(5px)",
    "drop-shadow(1e20px 0 0 red)",
    "scale(1e308)",
    "rotate(1e308)",
    "matrix(1e200 0 0 1e200 0 0)",
    "translate(1e308px)",
    "skewX(90)",
    "matrix(1,2)",
    "rotate(1e20deg)",
    "0 0 1e20 400",
    "0 0 5e-324 1",
    "0 0 1 1e308",
    "-1e9 0 1 1",
    "0 0 0 0",
    "M0 0L1e308 1e308",
    "m1e308 0 1e308 0",
    "M0 0A1e308 5e-324 1e20 1 1 9 9",
    "M1 1h1e200v1e200z",
    "M 0 0 Q 1e19 1 2 3 T 1e19 0",
    "1e308,1e308 2,2",
    "linear",
    "a, 'b c', \"d\"",
    "\\61",
    "/* a */ x",
    "auto",
    "1 2 3",
    "preserve",
    "objectBoundingBox",
    "userSpaceOnUse",
    "middle",
    "end",
    "rtl",
    "tb",
    "sub",
    "1e308em",
    "evenodd",
    "hidden",
    "visible",
    "bold",
    "italic",
    "monospace",
)
PROPERTIES = """fill stroke opacity fill-opacity stroke-width font-size font-family font white-space mix-blend-mode
    isolation transform transform-origin letter-spacing word-spacing stroke-dasharray clip-path mask
    filter marker marker-start display visibility dominant-baseline baseline-shift text-anchor
    text-decoration writing-mode direction color stop-color flood-color x y width height r rx cx
    background background-color font-weight font-style line-height text-transform paint-order --x
    overflow vector-effect stroke-miterlimit stroke-dashoffset""".split()  # noqa: SIM905
ATTRIBUTES = """x y width height cx cy r rx ry x1 y1 x2 y2 dx dy d points transform viewBox font-size font-family
    fill stroke style class stroke-width stroke-dasharray stroke-dashoffset opacity fill-opacity
    stroke-opacity offset stop-color stop-opacity textLength lengthAdjust rotate letter-spacing
    word-spacing baseline-shift gradientTransform patternTransform gradientUnits patternUnits
    patternContentUnits clipPathUnits maskUnits maskContentUnits primitiveUnits stdDeviation radius
    scale values order kernelMatrix baseFrequency numOctaves markerWidth markerHeight refX refY orient
    startOffset pathLength preserveAspectRatio text-anchor dominant-baseline writing-mode direction
    xml:space white-space href clip-path mask filter marker-end color k1 seed fx fr""".split()  # noqa: SIM905
TAGS = """g g g text tspan rect path circle use svg symbol defs clipPath mask pattern marker filter
    feGaussianBlur switch a linearGradient stop title style polygon textPath""".split()  # noqa: SIM905
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
VALUE = re.compile(r'="([^"<]*)"')
COLOUR = re.compile(r"#[0-9a-fA-F]{3,6}\b|\b(?:red|green|blue|black|white|gr[ae]y)\b|rgb\([^)]*\)")
RULES = (
    "*",
    "g",
    "rect",
    "text",
    "svg",
    ".a",
    "#a",
    "g > *",
    "rect, path",
    ":first-child",
    "g rect:not(.a)",
    "*|*",
)
MOVES = ("scale(1e5)", "scale(1e-5)", "rotate(30)", "translate(1e8)", "skewX(89.9999)")
MEANS = ("href", "fill", "stroke", "filter", "mask", "clip-path", "marker-start", "style", "aria-labelledby")

Dice = random.Random


def damaged(number: int, seeds: Sequence[bytes]) -> bytes:
    """One of the drawings with one to four damages."""
    dice = random.Random(number)
    data = dice.choice(seeds)
    for _ in range(dice.choice((1, 1, 1, 2, 2, 3, 4))):
        way = dice.choice(WAYS)
        data = way(dice, data)
    return data


def _text(change: Callable[[Dice, str], str]) -> Callable[[Dice, bytes], bytes]:
    def way(dice: Dice, data: bytes) -> bytes:
        return change(dice, data.decode("utf-8", "replace")).encode("utf-8", "replace")

    return way


def _one(dice: Dice, text: str, what: re.Pattern[str], group: int, new: str) -> str:
    matches = list(what.finditer(text, text.find("<svg") + 1))
    if not matches:
        return text
    start, end = dice.choice(matches).span(group)
    return text[:start] + new + text[end:]


def _numbers(dice: Dice, text: str) -> str:
    """Numbers inside of attributes become extreme ones."""
    for _ in range(dice.choice((1, 1, 2, 5))):
        values = [m for m in VALUE.finditer(text) if NUMBER.search(m[1]) and "http" not in m[1]]
        if values:
            at = dice.choice(values)
            number = dice.choice(list(NUMBER.finditer(at[1])))
            start = at.start(1)
            text = text[: start + number.start()] + dice.choice(EXTREME) + text[start + number.end() :]
    return text


def _colours(dice: Dice, text: str) -> str:
    return _one(dice, text, COLOUR, 0, dice.choice(COLOURS))


def _values(dice: Dice, text: str) -> str:
    return _one(dice, text, VALUE, 1, dice.choice((*WORDS, *EXTREME, *COLOURS)).replace('"', "&quot;"))


def _cut(dice: Dice, data: bytes) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + (b"" if dice.random() < 0.3 else data[at + dice.choice((1, 2, 5, 20, 100)) :])


def _bytes(dice: Dice, data: bytes) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.randbytes(dice.choice((1, 2, 4))) + data[at + dice.choice((0, 1, 4)) :]


def _tree(change: Callable[[Dice, Any, list[Any]], None]) -> Callable[[Dice, bytes], bytes]:
    def way(dice: Dice, data: bytes) -> bytes:
        try:
            root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
        except (etree.XMLSyntaxError, ValueError):
            return data
        nodes = [node for node in root.iter() if isinstance(node.tag, str)]
        try:
            change(dice, root, nodes)
        except (ValueError, TypeError):  # what XML cannot hold
            return data
        return etree.tostring(root)

    return way


def _attribute(dice: Dice, _root: Any, nodes: list[Any]) -> None:
    for _ in range(dice.choice((1, 2, 4))):
        name = dice.choice(ATTRIBUTES).replace("xml:", "{http://www.w3.org/XML/1998/namespace}")
        dice.choice(nodes).set(name, dice.choice((*EXTREME, *COLOURS, *WORDS)))


def _style(dice: Dice, root: Any, nodes: list[Any]) -> None:
    said = "; ".join(
        f"{dice.choice(PROPERTIES)}: {dice.choice((*WORDS, *EXTREME, *COLOURS))}"
        for _ in range(dice.choice((1, 2, 3)))
    )
    if dice.random() < 0.5:
        node = dice.choice(nodes)
        node.set("style", f"{node.get('style', '')}; {said}")
    else:
        rule = etree.Element(f"{{{SVG}}}style")
        rule.text = f"{dice.choice(RULES)} {{ {said} }}"
        root.insert(0, rule)


def _swap(dice: Dice, _root: Any, nodes: list[Any]) -> None:
    """Two attributes change values, or places."""
    one, other = dice.choice(nodes), dice.choice(nodes)
    if one.attrib and other.attrib:
        a, b = dice.choice(one.attrib.keys()), dice.choice(other.attrib.keys())
        one.attrib[a], other.attrib[b] = other.attrib[b], one.attrib[a]
        if dice.random() < 0.5:
            one.attrib[b] = one.attrib[a]


def _double(dice: Dice, _root: Any, nodes: list[Any]) -> None:
    node, place = dice.choice(nodes[1:] or nodes), dice.choice(nodes)
    for _ in range(dice.choice((1, 2, 10))):
        new = copy.deepcopy(node)
        if dice.random() < 0.7:
            for part in new.iter():
                part.attrib.pop("id", None)
        place.append(new)


def _move(dice: Dice, _root: Any, nodes: list[Any]) -> None:
    node, place = dice.choice(nodes[1:] or nodes), dice.choice(nodes)
    if node.getparent() is not None and place not in list(node.iter()):
        place.insert(dice.randrange(len(place) + 1), node)


def _nest(dice: Dice, _root: Any, nodes: list[Any]) -> None:
    node = dice.choice(nodes[1:] or nodes)
    parent = node.getparent()
    if parent is None:
        return
    at = parent.index(node)
    parent.remove(node)
    for _ in range(dice.choice((1, 1, 2, 5, 40))):
        around = etree.Element(f"{{{SVG}}}{dice.choice(TAGS)}")
        if dice.random() < 0.3:
            around.set(
                "transform",
                dice.choice(("scale(1e5)", "scale(1e-5)", "rotate(30)", "translate(1e8)", "skewX(89.9999)")),
            )
        around.append(node)
        node = around
    parent.insert(at, node)


def _drop(dice: Dice, _root: Any, nodes: list[Any]) -> None:
    node = dice.choice(nodes)
    if node.attrib and dice.random() < 0.6:
        del node.attrib[dice.choice(node.attrib.keys())]
    elif node.getparent() is not None:
        node.getparent().remove(node)


def _rename(dice: Dice, _root: Any, nodes: list[Any]) -> None:
    dice.choice(nodes).tag = f"{{{SVG}}}{dice.choice(TAGS)}"


def _refer(dice: Dice, _root: Any, nodes: list[Any]) -> None:
    """One more reference: from anything to anything, by any means."""
    one, other = dice.choice(nodes), dice.choice(nodes)
    name = other.get("id") or f"r{dice.randrange(1000)}"
    other.set("id", name)
    way = dice.choice(
        ("href", "fill", "stroke", "filter", "mask", "clip-path", "marker-start", "style", "aria-labelledby")
    )
    one.set(
        way,
        {"href": f"#{name}", "style": f"fill: url(#{name})", "aria-labelledby": name}.get(
            way, f"url(#{name})"
        ),
    )


WAYS: tuple[Callable[[Dice, bytes], bytes], ...] = (
    *(_text(_numbers),) * 5,
    *(_text(_values),) * 2,
    *(_text(_colours),) * 2,
    *map(
        _tree, (_attribute, _attribute, _style, _style, _swap, _double, _move, _nest, _drop, _rename, _refer)
    ),
    _cut,
    _bytes,
)


# ---------------------------------------------------------------- any file, as bytes

Pieces = Sequence[bytes]
INTEGERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
DEEP = (3, 70, 300, 1500, 5000)


def mutated(number: int, seeds: Sequence[bytes], pieces: Pieces = ()) -> bytes:
    """One of the files with one to four damages; pieces: words of its format, put in as well."""
    dice = random.Random(number)
    data = dice.choice(seeds)
    for _ in range(dice.choice((1, 1, 1, 2, 2, 3, 4))):
        way = dice.choice(BINARY if not pieces else (*BINARY, *(_piece, _piece, _number, _nested)))
        data = way(dice, data, pieces)
    return data


def _flipped(dice: Dice, data: bytes, _: Pieces) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 3, 10)) if changed else 0):
        changed[_place(dice, data) % len(changed)] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _integer(dice: Dice, data: bytes, _: Pieces) -> bytes:
    """A field of one, two or four bytes gets a value at its bounds."""
    at, size = _place(dice, data), dice.choice((1, 2, 4))
    value = dice.choice(INTEGERS) & ((1 << 8 * size) - 1)
    return data[:at] + value.to_bytes(size, dice.choice(("big", "little"))) + data[at + size :]


def _spliced(dice: Dice, data: bytes, _: Pieces) -> bytes:
    """A slice of the file comes again elsewhere, or instead of what is there."""
    start, at, size = _place(dice, data), _place(dice, data), dice.choice((1, 4, 30, 300))
    return data[:at] + data[start : start + size] + data[at + dice.choice((0, size)) :]


def _piece(dice: Dice, data: bytes, pieces: Pieces) -> bytes:
    at = _boundary(dice, data)
    return data[:at] + dice.choice(pieces) + data[at + dice.choice((0, 0, 0, 1, 5)) :]


def _number(dice: Dice, data: bytes, _: Pieces) -> bytes:
    matches = list(re.finditer(rb"-?\d+(?:\.\d+)?", data[:100_000]))
    if not matches:
        return data
    start, end = dice.choice(matches).span()
    return data[:start] + dice.choice((*EXTREME, "9" * 5000)).encode() + data[end:]


def _nested(dice: Dice, data: bytes, pieces: Pieces) -> bytes:
    """One piece of the format, over and over: what opens and never closes, what is too long."""
    at = _boundary(dice, data)
    piece = dice.choice(pieces)
    return data[:at] + piece * min(dice.choice(DEEP), 1 + 300_000 // len(piece)) + data[at:]


def _place(dice: Dice, data: bytes) -> int:
    """Anywhere, but half of the time in the beginning, where formats say what follows."""
    return dice.randrange(min(len(data), dice.choice((64, 400, len(data) or 1))) + 1)


def _boundary(dice: Dice, data: bytes) -> int:
    """Where words of a text begin and end, as a rule."""
    at = dice.randrange(len(data) + 1)
    boundary = re.compile(rb"\b|[^\w\s]").search(data, at) if dice.random() < 0.8 else None
    return boundary.start() if boundary else at


BINARY: tuple[Callable[[Dice, bytes, Pieces], bytes], ...] = (
    _flipped,
    _integer,
    _spliced,
    lambda dice, data, _: _cut(dice, data),
    lambda dice, data, _: _bytes(dice, data),
)
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1 << 70,
    10**400,
    -0.0,
    1e308,
    float("inf"),
    float("nan"),
    "",
    "\ud800",
    "\0",
    "../x",
    "/x",
    "a/b",
    "x" * 5000,
    [],
    {},
    [[]],
    {"": None},
    [None] * 3,
    "1e999",
    "é\u202e",
)


def odd_json(number: int, seeds: Sequence[bytes]) -> bytes:
    """A file of JSON in which values, keys or lists are others: it can be parsed, and its form is wrong."""
    dice = random.Random(number)
    whole = json.loads(dice.choice(seeds))
    for _ in range(dice.choice((1, 1, 2, 4))):
        _change(dice, whole)
    return json.dumps(whole).encode("utf-8", "surrogatepass")


def _change(dice: Dice, whole: Any) -> None:
    """Change something in a list or a mapping, some levels down."""
    place = whole
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = dice.choice(keys)
        if isinstance(place[key], dict | list) and place[key] and dice.random() < 0.9:
            place = place[key]
            continue
        break
    way = dice.randrange(5)
    if way == 0:
        del place[key]
    elif way == 1 and isinstance(place, list):
        place.insert(key, dice.choice(ODD_VALUES))
    elif way == 1:
        place[str(dice.choice(ODD_VALUES))[:99]] = place[key]
    elif way == 2 and isinstance(place[key], str):
        place[key] += dice.choice(("\0", "/", "\ud800", "../", "x" * 300))
    elif way == 3:
        deep: Any = []
        for _ in range(dice.choice((3, 60, 400))):
            deep = [deep]
        place[key] = deep
    else:
        place[key] = dice.choice(ODD_VALUES)
