"""The checks of layout that compare the parts of a drawing with each other: a table of them, and one pass.

Each is a function of the parts, and yields the element that a finding is about with its message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from figmill.palette import PAGE
from figmill.svg.checks.alignment import almost_aligned
from figmill.svg.checks.box_room import close_boxes, overlaps
from figmill.svg.checks.crowding import crowded
from figmill.svg.checks.far_labels import far_labels
from figmill.svg.checks.loose_ends import nowhere
from figmill.svg.checks.routes import crossings, mixed_routes
from figmill.svg.checks.text_room import close_lines, close_texts
from figmill.svg.checks.unequal import unequal
from figmill.svg.document import Draft, Element
from figmill.svg.geometry.parts import Parts, parts_of
from figmill.svg.passes.page import page_colour
from figmill.svg.spec import Sheet

Function: TypeAlias = Callable[[Parts], Iterator[tuple[Element, str]]]

CHECKS: Mapping[str, tuple[Function, ...]] = MappingProxyType(
    {
        "edge-ends-nowhere": (nowhere,),
        "boxes-overlap": (overlaps,),
        "clearance": (close_lines, close_texts, close_boxes),
        "almost-aligned": (almost_aligned,),
        "unequal": (unequal,),
        "mixed-routes": (mixed_routes,),
        "crossings": (crossings,),
        "crowded": (crowded,),
        "label-far-from-line": (far_labels,),
    }
)


def check_layout(draft: Draft, sheet: Sheet) -> None:
    """Warn of what the checks asked for find."""
    wanted = [name for name in CHECKS if name in sheet.checks]
    if not wanted:
        return
    parts = parts_of(draft, page_colour(sheet) or PAGE[0])
    for name in wanted:
        for check in CHECKS[name]:
            for node, message in check(parts):
                draft.warn(name, node, message)
