"""Colours as CSS Color 4 writes them, read into sRGB; those of wider spaces written as sRGB once and for all.

Few readers beside browsers know `oklch()`, and no check of contrast can do without a number. What sRGB cannot show is
brought in as CSS Color 4 (section 13.2) asks: lightness and hue stay, chroma is reduced. Unaware of the palette.
"""

from __future__ import annotations

import re
from functools import lru_cache

import tinycss2.color4

from figmill.svg.document import Draft
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary

WIDE = re.compile(r"\b(?:lab|lch|oklab|oklch|color)\(", re.I)
FUNCTION = re.compile(r"\b(?:lab|lch|oklab|oklch|color)\([^()]*\)", re.I)
# What is a paint and no colour of its own. icc-color() follows a colour, for printers.
OTHERS = re.compile(
    r"none|currentcolor|context-(?:fill|stroke)|inherit|initial|unset|revert(?:-layer)?|.* icc-color\(.*",
    re.S,
)
NO_ALPHA = re.compile(r"/\s*none\s*\)", re.I)  # seen through as 0 is
FARTHEST = 1000.0  # of a coordinate in its own space: far outside of all that can be seen
PAINTED = vocabulary.PAINTS | vocabulary.COLORS
IN_STYLE = vocabulary.words("background-color text-decoration-color")


@lru_cache(maxsize=4096)
def srgb(text: str) -> tuple[float, float, float, float] | None:
    """Red, green, blue (0 to 1) and alpha of a CSS colour; None where it is none, or no colour of its own."""
    text = NO_ALPHA.sub("/ 0)", text.strip().lower())
    try:
        colour = tinycss2.color4.parse_color(text)
    except ValueError:  # of a function without arguments
        return None
    if colour is None or isinstance(colour, str):
        return None
    if WIDE.match(text):
        return _wide(text, colour.alpha)
    red, green, blue = (max(0.0, min(1.0, part)) for part in colour.to("srgb").coordinates)
    return red, green, blue, float(colour.alpha)


def _wide(text: str, alpha: float) -> tuple[float, float, float, float] | None:
    from coloraide import Color  # takes long to load, and few drawings need it

    try:
        colour = Color(text)
    except ValueError:
        return None
    channels = [max(-FARTHEST, min(FARTHEST, part)) for part in colour.coords(nans=False)]
    fitted = Color(colour.space(), channels).fit("srgb", method="oklch-chroma").convert("srgb")
    red, green, blue = (max(0.0, min(1.0, part)) for part in fitted.coords(nans=False))
    return red, green, blue, float(alpha)


@lru_cache(maxsize=4096)
def is_paint(text: str) -> bool:
    """Whether readers make anything of it; where not, they take what the element inherits."""
    lowered = text.strip().lower()
    if lowered.startswith("url("):  # with what to paint where there is no such thing
        rest = lowered.partition(")")[2].strip()
        return not rest or is_paint(rest)
    return OTHERS.fullmatch(lowered) is not None or srgb(lowered) is not None


def plain(text: str) -> str:
    """A value with each colour of a wider space as #rrggbb, or rgba() where one sees through it."""
    return FUNCTION.sub(lambda found: _written(found[0]), text) if WIDE.search(text) else text


def _written(text: str) -> str:
    found = srgb(text)
    if found is None:
        return text
    red, green, blue = (round(part * 255) for part in found[:3])
    if found[3] >= 1:
        return f"#{red:02x}{green:02x}{blue:02x}"
    return f"rgba({red}, {green}, {blue}, {found[3]:.4g})"


def narrow_colours(draft: Draft, _sheet: Sheet) -> None:
    """Colours of wider spaces than sRGB become sRGB's; what is no colour goes, as it hides nothing from readers."""
    for node in draft.root.walk():
        unreadable = []
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
            told = f'{name}="{node.attrib.pop(name)[:40]}" is no colour, and so has no effect'
            draft.warn("unreadable-value", node, told)


def _in_style(part: str) -> str:
    """One declaration with its colour narrowed; empty where that is none."""
    name, _, value = part.partition(": ")
    if name not in IN_STYLE:
        return part
    value = plain(value)
    return "" if WIDE.search(value) else f"{name}: {value}"
