"""What resvg draws otherwise than browsers: whoever compares such a figure is told, since pixels do not show it all."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# The name of each such thing, and the XPath of elements in a published figure that have it. Others are brought into one
# form for both (svg/usvg.py).
UNLIKE: Mapping[str, str] = MappingProxyType(
    {
        "places of steps in a filter": "//*[local-name()='filter']/*[@x or @y or @width or @height]",
        "markers within arcs": "//*[contains(@d, 'A')][ancestor-or-self::*[@marker-mid][1][@marker-mid != 'none']]",
        "filters on parts of a text": "//*[local-name()='tspan' or local-name()='textPath'][@filter]",
        "lines under and through words": "//*[@text-decoration != 'none']",
    }
)


def unlike(svg: bytes) -> tuple[str, ...]:
    """The names of what the two draw in two ways, as far as a published figure has it."""
    from lxml import etree  # only where there is something to compare

    root = etree.fromstring(svg, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    return tuple(name for name, path in UNLIKE.items() if root.xpath(path))
