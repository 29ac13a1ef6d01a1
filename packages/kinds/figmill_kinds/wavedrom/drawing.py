"""Turns WaveDrom's drawing, nested lists, into SVG in the palette's colours. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lxml import etree

from figmill.kind import MUTED, PAGE, TEXT, role
from figmill.kind.drawn_text import UnfitError
from figmill.kind.source_text import unescaped
from figmill_kinds.wavedrom import bricks

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
NAMESPACES: Any = {None: SVG, "xlink": XLINK}
_compute, _data, _routing = role("compute"), role("data"), role("routing")
_error, _neutral, _accent = role("error"), role("neutral"), role("accent")
# WaveDrom's own colours -> the palette's. All other colours that a source sets stay.
COLOURS: Mapping[str, str] = {
    "#000": TEXT[0],
    "#000000": TEXT[0],
    "black": TEXT[0],
    "#fff": PAGE[0],
    "#ffffff": PAGE[0],
    "white": PAGE[0],
    "#ffffffcc": PAGE[0],
    "#aaa": MUTED[0],
    "#888": _neutral.line,
    "#0041c4": _compute.line,
    "#00f": _compute.line,
    "blue": _compute.line,
    "#ffffb4": _routing.fill,
    "#b9e0ff": _compute.fill,
    "#ccfdfe": _neutral.fill,
    "#cdfdc5": _data.fill,
    "#f0c1fb": _accent.fill,
    "#f5c2c0": _error.fill,
    "#ffc": _routing.fill,  # states 3 to 9; gates
    "#e90000": _error.line,
    "#3edd00": _data.line,
    "#0074cd": _compute.line,
    "#ff15db": _accent.line,
    "#af9800": _routing.line,
    "#a076ff": _neutral.line,  # lines over and under a wave
    "#f60000": _error.line,
    "#00ab00": _data.line,
    "#f6b900": _routing.line,  # classes of text
    "#ff0000": _error.fill,
    "#aaff00": _accent.fill,
    "#cce": _compute.fill,
    "#ecc": _error.fill,
    "#777": _neutral.fill,
    "#eee": _neutral.fill,
    "#ccc": _neutral.line,  # logic
    "#ffbf00": _routing.fill,
    "#00ff19": _data.fill,
    "#006aff": _compute.fill,  # types of a register's fields
}
# WaveDrom's seventh colours, of state 4 and of a register's type 4: a stronger tone of a role, in both themes.
STRONGER: Mapping[str, str] = {"#ffe0b9": _routing.line, "#00ffd5": _data.line}
STRENGTH = "0.35"
_STRONGER = re.compile(r"fill:(#ffe0b9|#00ffd5)(?:;fill-opacity:[\d.]+)?", re.IGNORECASE)
_PAINT = re.compile(r"\b((?:fill|stroke|color)\s*:\s*)(#[0-9a-fA-F]+|[a-z]+)")
_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_HOVER = re.compile(r"[.\w]+:hover\s*\{[^}]*\}")
# The names of lanes are text, which needs more contrast than lines.
NAMES = re.compile(r"(?<=\.info\{fill:)#0041c4")
# Gates have the colour that numbers of ticks have, which are text.
GATES = re.compile(r"(?<=\.gate \{color:#000; fill:)#aaa")
OF_LAYOUT = ("field", "w", "h", "o")  # what WaveDrom notes for its own layout
PALE = re.compile(r"fill-opacity:\s*0\.1\d*;?")
BESIDE = -14  # px: where WaveDrom begins the sign of a box; in the middle it fits in every font
LABEL = "fill:#FFF;"  # the style of the box behind the words of an edge, or behind the letter of a node
ROOM = 3  # px beside the words of an edge, which its line would touch
UNSEEN = ("grid",)  # classes of white points on white


def svg(drawn: list[Any]) -> bytes:
    """The SVG of nested lists: name, attributes if any, children."""
    root = _element(drawn)
    for box in root.iter(f"{{{SVG}}}rect"):
        _widen(box)
    bricks.join(root)
    _drop_unused(root)
    return etree.tostring(root)


def _element(item: Any) -> etree._Element:
    if not isinstance(item, list) or not item:
        raise UnfitError(f"'{item}' is not an element of SVG, like ['tspan', 'words']")
    node = etree.Element(f"{{{SVG}}}{_name(item[0])}", nsmap=NAMESPACES)
    for part in item[1:]:
        if isinstance(part, dict):
            _set(node, part)
        elif isinstance(part, list):
            if (
                part
                and part[0] != "title"
                and not (len(part) > 1 and isinstance(part[1], dict) and part[1].get("class") in UNSEEN)
            ):
                # groups come as a list of elements
                for child in part if isinstance(part[0], list) else [part]:
                    node.append(_element(child))
        elif part is not None:
            _add(node, unescaped(str(part)))  # WaveDrom has escaped it
    if item[0] == "style":
        node.text = _PAINT.sub(
            _recoloured,
            NAMES.sub(TEXT[0], _STRONGER.sub(_strong, _HOVER.sub("", _of_gates(node.text or "")))),
        )
    return node


def _set(node: etree._Element, attributes: Mapping[str, Any]) -> None:
    if attributes.get("class") == "wirename" and attributes.get("x") == BESIDE:
        attributes = {**attributes, "x": BESIDE / 2 - 1, "style": "text-anchor:middle;font-size:11px"}
    for name, value in attributes.items():
        text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
        if name.startswith("xmlns") or name in OF_LAYOUT:
            continue
        if name == "style":
            text = _PAINT.sub(
                _recoloured, _STRONGER.sub(_strong, PALE.sub("", text)) if _STRONGER.search(text) else text
            )
            # a tenth of a colour: the palette's fills are as pale, and have a dark form
            if PALE.search(text):
                text = PALE.sub("", text).strip("; ") or f"fill:{_neutral.fill}"
        elif name in ("fill", "stroke"):
            text = COLOURS.get(text.lower(), text)
        elif name == "xlink:href":
            name = f"{{{XLINK}}}href"
        elif name == "xml:space":
            name = "{http://www.w3.org/XML/1998/namespace}space"
        else:
            name = _name(name)
        node.set(name, text)


def _of_gates(style: str) -> str:
    return GATES.sub(_routing.fill, style)


def _name(word: Any) -> str:
    """The name of an element or an attribute, which a source may choose. Raises UnfitError."""
    name = str(word)
    if not _NAME.fullmatch(name):
        message = f"'{name}' is not the name of an element or an attribute of SVG"
        raise UnfitError(message, name if len(name) > 2 else "")
    return name


def _strong(match: re.Match[str]) -> str:
    return f"fill:{STRONGER[match[1].lower()]};fill-opacity:{STRENGTH}"


def _recoloured(match: re.Match[str]) -> str:
    return match[1] + COLOURS.get(match[2].lower(), match[2])


def _add(node: etree._Element, text: str) -> None:
    if len(node):
        node[-1].tail = (node[-1].tail or "") + text
    else:
        node.text = (node.text or "") + text


def _widen(box: etree._Element) -> None:
    """Give the words of an edge room in their box. The letter of a node gets none: an arrow ends close to it."""
    text, style = box.getnext(), _PAINT.sub(_recoloured, LABEL)
    if box.get("style") == style and text is not None and len("".join(map(str, text.itertext()))) > 1:
        box.set("x", f"{float(str(box.get('x'))) - ROOM:g}")
        box.set("width", f"{float(str(box.get('width'))) + 2 * ROOM:g}")


def _drop_unused(root: etree._Element) -> None:
    """Remove the skin's wave pieces that no lane uses."""
    used = {str(node.get(f"{{{XLINK}}}href"))[1:] for node in root.iter(f"{{{SVG}}}use")}
    for defs in root.iter(f"{{{SVG}}}defs"):
        for piece in list(defs):
            if piece.tag == f"{{{SVG}}}g" and piece.get("id") not in used:
                defs.remove(piece)
