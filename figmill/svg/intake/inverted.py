"""A filter that turns a whole drawing dark is applied to the colours and removed.

draw.io and Excalidraw export dark drawings as light colours under `invert(100%) hue-rotate(180deg)`. Without the
filter, each colour would be read as its opposite. Both functions treat every pixel separately and preserve mixtures
(Filter Effects 1, 10), so changing the colours has the same result. Masks, clips and pictures stay.

In draw.io's automatic exports and in Excalidraw's, the filter is in a media block for dark pages: the results are then
the author's colours for the dark theme. There, browsers paint the background of the root without its filter.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from figmill.svg.colour import is_current, tone, with_alpha_of
from figmill.svg.document import Draft, Element
from figmill.svg.xml import vocabulary
from figmill.svg.xml.css import turns_colours

FUNCTION = re.compile(r"(invert|hue-rotate)\((-?[0-9.]+)(%|deg)?\)")
COLOURED = vocabulary.PAINTS | vocabulary.COLORS
UNTOUCHED = vocabulary.words("mask clipPath filter image")
PASSED_OVER = vocabulary.RESOURCES | vocabulary.words("defs title desc style metadata")
BACKGROUND = re.compile(r"(?<=background-color: )[^;]+")


def invert_colours(draft: Draft) -> None:
    """Write the colours that a filter over the whole drawing shows, and remove the filter."""
    root = draft.root
    tops = [root] if "filter" in root.attrib else [n for n in root.elements() if n.tag not in PASSED_OVER]
    filters = {node.attrib.get("filter", "") for node in tops}
    text = next(iter(filters), "")
    if len(filters) != 1 or not turns_colours(text):
        return
    if any(node.tag in UNTOUCHED for node in tops):
        return
    draft.resolve("filter over the whole drawing", tops[0])
    is_own = any("filter" in draft.own.get(node, ()) for node in tops)
    if tops[0] is root and not is_own and "background-color" in root.attrib.get("style", ""):
        root.attrib["style"] = BACKGROUND.sub(lambda match: seen(match[0], text), root.attrib["style"])
    for node in (root, *root.elements()):
        node.attrib.pop("filter", None)
    _change(root, text)
    initial = seen("#000000", text)
    root.attrib.setdefault("fill", initial)
    if any(is_current(value) for node in root.walk() for value in node.attrib.values()):
        root.attrib.setdefault("color", initial)
    if is_own:
        claim_all(draft)


def claim_all(draft: Draft) -> None:
    """Record that all colours are those that the author chose for a dark page."""
    for node in draft.root.walk():
        if colours := COLOURED & node.attrib.keys():
            draft.own[node] = draft.own.get(node, set()) | colours


def _change(node: Element, text: str) -> None:
    if node.tag == "image":
        if node.attrib.get("filter") == text:
            del node.attrib["filter"]  # applied twice, the filter cancels out
        else:
            node.attrib.setdefault("filter", text)
    if node.tag in UNTOUCHED:
        return
    for name in COLOURED & node.attrib.keys():
        node.attrib[name] = seen(node.attrib[name], text)
    if node.tag == "stop":
        node.attrib.setdefault("stop-color", seen("#000000", text))
    for child in node.elements():
        _change(child, text)


@lru_cache(maxsize=4096)
def seen(colour: str, text: str) -> str:
    """A colour as seen through a filter; text that is not a plain colour is returned unchanged."""
    rgb = tone(colour)
    if rgb is None:
        return colour
    channels = [int(rgb[0][at : at + 2], 16) / 255 for at in (1, 3, 5)]
    for name, amount, unit in FUNCTION.findall(text):
        value = float(amount) / (100 if unit == "%" else 1)
        if name == "invert":
            part = min(1.0, value)
            channels = [part + c * (1 - 2 * part) for c in channels]
        else:
            channels = _turned(channels, math.radians(float(amount)))
        channels = [min(1.0, max(0.0, c)) for c in channels]
    written = "#" + "".join(f"{round(c * 255):02x}" for c in channels)
    return with_alpha_of(colour, written)


def _turned(channels: list[float], angle: float) -> list[float]:
    """The matrix of feColorMatrix type="hueRotate" (Filter Effects 1, 9.6)."""
    cos, sin = math.cos(angle), math.sin(angle)
    shares = (0.213, 0.715, 0.072)
    turns = ((-0.213, -0.715, 0.928), (0.143, 0.140, -0.283), (-0.787, 0.715, 0.072))
    return [
        math.fsum(
            c * (shares[at] + cos * ((at == row) - shares[at]) + sin * turns[row][at])
            for at, c in enumerate(channels)
        )
        for row in range(3)
    ]
