"""The rules of a house style on one drawing: a table of them, and one pass. The colours are in style_colours.py.

Each is a function of what it looks at, and yields the element that a finding is about with its message, which says what
the style asks for and where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from figmill.house_style import RULES
from figmill.palette import PAGE
from figmill.svg.checks.small_text import sizes
from figmill.svg.checks.style_lines import arrow_ends, arrowheads, clearance, line_width, routes
from figmill.svg.checks.style_places import box_sizes, gaps, grid, padding, radius, smallest_box
from figmill.svg.checks.style_text import label_size, least_text, text_sizes, title_size
from figmill.svg.checks.styled import Styled
from figmill.svg.document import Draft, Element
from figmill.svg.geometry.parts import parts_of
from figmill.svg.passes.page import page_colour
from figmill.svg.spec import Sheet

Function: TypeAlias = Callable[[Styled], Iterator[tuple[Element, str]]]

FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        "grid": grid,
        "padding": padding,
        "gaps": gaps,
        "box_sizes": box_sizes,
        "smallest_box": smallest_box,
        "routes": routes,
        "arrow_ends": arrow_ends,
        "clearance": clearance,
        "radius": radius,
        "line_width": line_width,
        "arrowheads": arrowheads,
        "label_size": label_size,
        "title_size": title_size,
        "text_sizes": text_sizes,
        "least_text": least_text,
    }
)


def check_style(draft: Draft, sheet: Sheet) -> None:
    """Warn of each breach of the rules that the style states."""
    stated = [name for name in FUNCTIONS if sheet.style.states(name) and RULES[name].check in sheet.checks]
    if not stated:
        return
    width = float(draft.root.attrib.get("width", "0") or 0)
    parts = parts_of(draft, page_colour(sheet) or PAGE[0])
    styled = Styled(sheet.style, parts, tuple(sizes(draft)), width)
    for name in stated:
        for node, message in FUNCTIONS[name](styled):
            draft.warn(RULES[name].check, node, message)
