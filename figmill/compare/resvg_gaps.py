"""Features that resvg draws differently from browsers. The report names them, because pixels then show only a part."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from figmill import xml_tree

# The name of each such feature -> the XPath of the elements in a published figure that have it. Other features are
# rewritten so that both draw them alike (svg/usvg.py).
UNLIKE: Mapping[str, str] = MappingProxyType(
    {
        "places of steps in a filter": "//*[local-name()='filter']/*[@x or @y or @width or @height]",
        "markers within arcs": "//*[contains(@d, 'A')][ancestor-or-self::*[@marker-mid][1][@marker-mid != 'none']]",
        "filters on parts of a text": "//*[local-name()='tspan' or local-name()='textPath'][@filter]",
        "lines under and through words": "//*[@text-decoration != 'none']",
    }
)


def unlike(svg: bytes) -> tuple[str, ...]:
    """The names of such features in a published figure."""
    root = xml_tree.parsed(svg)
    return tuple(name for name, path in UNLIKE.items() if root.xpath(path))
