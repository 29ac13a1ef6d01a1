"""Colours of wide colour spaces and mixtures become sRGB, before any pass looks at the drawing."""

from __future__ import annotations

import re

from figmill.svg.colour import MIX, WIDE, is_paint, mixed, srgb
from figmill.svg.document import Draft, Element
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary

FUNCTION = re.compile(r"\b(?:lab|lch|oklab|oklch|color)\([^()]*\)", re.I)
PAINTED = vocabulary.PAINTS | vocabulary.COLORS
VISIBILITY = vocabulary.words("visible hidden collapse inherit initial unset")
IN_STYLE = vocabulary.words("background-color text-decoration-color")


def narrow_colours(draft: Draft, _sheet: Sheet) -> None:
    """Convert colours of wider spaces to sRGB; remove invalid colours, which viewers ignore anyway.

    The same goes for invalid `visibility` values, such as Highcharts' empty one.
    """
    nodes = draft.root.walk()
    if any(MIX in value.lower() for node in nodes for value in node.attrib.values()):
        _mix(draft.root, "#000000")
    for node in nodes:
        unreadable = []
        if node.attrib.get("visibility", "visible").strip().lower() not in VISIBILITY:
            del node.attrib["visibility"]
        for name, value in node.attrib.items():
            if name in PAINTED:
                if not is_paint(value):
                    unreadable.append(name)
                elif "(" in value:
                    node.attrib[name] = plain(value)
            elif name == "style" and "(" in value:
                node.attrib[name] = "; ".join(filter(None, map(_in_style, value.split("; "))))
        if node.attrib.get("style") == "":
            del node.attrib["style"]
        for name in unreadable:
            message = f'{name}="{node.attrib.pop(name)[:40]}" is not a colour and has no effect'
            draft.warn("unreadable-value", node, message)


def _mix(node: Element, current: str) -> None:
    """Write the colour of each color-mix(). current: the inherited `color`."""
    attrib = node.attrib
    for name in ("color", *(PAINTED - {"color"} & attrib.keys())):
        value = attrib.get(name, "")
        if value.lower().startswith(MIX) and (mixture := mixed(value.lower(), current)) is not None:
            attrib[name] = _notation(mixture)
        if name == "color" and srgb(value := attrib.get(name, "")) is not None:
            current = value
    for child in node.elements():
        _mix(child, current)


def plain(text: str) -> str:
    """A value with each wide-space colour as #rrggbb, or as rgba() if it is transparent."""
    return FUNCTION.sub(lambda match: _written(match[0]), text) if WIDE.search(text) else text


def _written(text: str) -> str:
    channels = srgb(text)
    return text if channels is None else _notation(channels)


def _notation(channels: tuple[float, float, float, float]) -> str:
    red, green, blue = (round(part * 255) for part in channels[:3])
    if channels[3] >= 1:
        return f"#{red:02x}{green:02x}{blue:02x}"
    return f"rgba({red}, {green}, {blue}, {channels[3]:.4g})"


def _in_style(part: str) -> str:
    """One declaration with its colour in sRGB; empty if the colour is invalid."""
    name, _, value = part.partition(": ")
    if name not in IN_STYLE:
        return part
    value = plain(value)
    return "" if WIDE.search(value) else f"{name}: {value}"
