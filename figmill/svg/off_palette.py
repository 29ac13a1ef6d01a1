"""Colours that are not the book's: each with the nearest role.

Exempt are the page, words, greys, transparent paints, and colour scales: more colours than a palette has roles
for are data.
"""

from __future__ import annotations

from figmill.palette import GRID, MUTED, PAGE, TEXT, Role
from figmill.svg import names
from figmill.svg.contrast import GREY, chroma, distance
from figmill.svg.page import page_colour
from figmill.svg.paints import COLOURED, NEAR, canonical
from figmill.svg.scene import tone
from figmill.svg.sheet import Sheet
from figmill.svg.themes import SCALE
from figmill.svg.tree import Draft, Node

UNSEEN = names.words("mask clipPath filter")  # what these hold is shape and brightness


def check_palette(draft: Draft, sheet: Sheet) -> None:
    """Warn of each colour off the palette, where it is first used."""
    if "off-palette" not in sheet.checks:
        return
    found: dict[str, Node] = {}
    _gather(draft.root, found)
    tones = _tones(sheet.palette)
    known = {*tones, *TEXT, *MUTED, *GRID, *PAGE, "#000000", page_colour(sheet) or PAGE[0]}
    off = [
        colour
        for colour in found
        if colour not in known
        and chroma(colour) >= GREY
        and all(distance(colour, own) >= NEAR for own in known)
    ]
    if len(off) > SCALE:
        return
    for colour in off:
        nearest = min(tones, key=lambda own: (distance(colour, own), own))
        told = f"the colour {colour} is off the palette; the nearest is the {tones[nearest]}, {nearest}"
        draft.warn("off-palette", found[colour], told)


def _gather(node: Node, found: dict[str, Node]) -> None:
    """Every opaque or transparent colour that is painted with, and who uses it first."""
    if node.tag in UNSEEN:
        return
    for name in sorted(COLOURED & node.attrib.keys()):
        seen = tone(node.attrib[name])
        if seen is not None and seen[1] > 0:
            found.setdefault(seen[0], node)
    for child in node.elements():
        _gather(child, found)


def _tones(palette: tuple[Role, ...]) -> dict[str, str]:
    """The palette's colours, and what each is called."""
    found: dict[str, str] = {}
    for role in palette:
        found.setdefault(canonical(role.fill), f"fill of '{role.name}'")
        found.setdefault(canonical(role.line), f"line of '{role.name}'")
    return found
