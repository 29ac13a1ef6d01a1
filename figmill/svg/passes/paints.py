"""Colours in one notation; colours near a role of the palette become the book's colour for that role.

With the built-in palette every colour stays as its author wrote it.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from figmill.palette import GRID, MUTED, PAGE, ROLES, TEXT, Role
from figmill.svg.colour import canonical
from figmill.svg.document import Draft
from figmill.svg.passes.ids import is_settled
from figmill.svg.passes.keeps import marked
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary

# OKLab distance below which two colours are the same, typed or rounded differently. Half the just noticeable
# difference (0.02), and well under the least distance between two palette colours.
NEAR = 0.01
COLOURED = vocabulary.COLORS | vocabulary.PAINTS


def settle_colours(draft: Draft, sheet: Sheet) -> None:
    """Write opaque colours in one notation; replace those at or near a built-in role colour by the book's."""
    nodes = draft.root.walk()
    kept = marked(draft)
    used = set()
    for node in nodes:
        for name in COLOURED & node.attrib.keys():
            colour = node.attrib[name] = canonical(node.attrib[name])
            used.add(colour)
    if not is_settled(draft.root, sheet) and (changes := _changes(frozenset(used), sheet.palette)):
        for node in nodes:
            for name in COLOURED & node.attrib.keys():
                if not kept.holds(node, name):
                    node.attrib[name] = changes.get(node.attrib[name], node.attrib[name])


@lru_cache(maxsize=256)
def _changes(used: frozenset[str], palette: tuple[Role, ...]) -> dict[str, str]:
    """Which of a drawing's colours become which book colours.

    A book colour never changes, so that a second run changes nothing. Two colours of a drawing never become one: a
    book colour that the drawing already has is not assigned again, and of several near ones the nearest wins.
    """
    if palette == ROLES:
        return {}
    targets = _targets(palette)
    fixed = set(targets.values()) | {*TEXT, *MUTED, *GRID, *PAGE, "#000000"}
    wishes: dict[str, tuple[float, str]] = {}
    for colour in sorted(used - fixed):
        if not re.fullmatch("#[0-9a-f]{6}", colour):
            continue
        distance, target = min((_distance(colour, anchor), target) for anchor, target in targets.items())
        if distance < NEAR and target not in used:
            wishes[target] = min(wishes.get(target, (NEAR, "")), (distance, colour))
    return {colour: target for target, (_, colour) in wishes.items()}


@lru_cache(maxsize=64)
def _targets(palette: tuple[Role, ...]) -> dict[str, str]:
    """Anchor colours, built-in or the book's, with the book colour for each."""
    book = {role.name: role for role in palette}
    pairs = {}
    for role in ROLES:
        mine = book.get(role.name, role)
        pairs[canonical(role.fill)] = canonical(mine.fill)
        pairs[canonical(role.line)] = canonical(mine.line)
        pairs.setdefault(role.ink, mine.ink)
    for role in palette:
        pairs[canonical(role.fill)] = canonical(role.fill)
        pairs[canonical(role.line)] = canonical(role.line)
        pairs.setdefault(role.ink, role.ink)
    return pairs


@lru_cache(maxsize=4096)
def _oklab(colour: str) -> tuple[float, float, float]:
    """OKLab of #rrggbb (Ottosson 2020)."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    l_ = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    m_ = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    s_ = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * l_ + 0.7936177850 * m_ - 0.0040720468 * s_,
        1.9779984951 * l_ - 2.4285922050 * m_ + 0.4505937099 * s_,
        0.0259040371 * l_ + 0.7827717662 * m_ - 0.8086757660 * s_,
    )


def _distance(first: str, second: str) -> float:
    return math.dist(_oklab(first), _oklab(second))
