"""Colours that are not the book's: each with the nearest role.

Exempt are the page, greys, the colours of words, and colour scales: more colours than a palette has roles for are
data.
"""

from __future__ import annotations

from figmill.palette import GRID, MUTED, PAGE, TEXT, Role
from figmill.svg.contrast import GREY, chroma, distance
from figmill.svg.page import page_colour
from figmill.svg.paints import NEAR, canonical
from figmill.svg.scene import scene
from figmill.svg.sheet import Sheet
from figmill.svg.themes import SCALE
from figmill.svg.tree import Draft, Node


def check_palette(draft: Draft, sheet: Sheet) -> None:
    """Warn of each colour off the palette, where it is first used."""
    if "off-palette" not in sheet.checks:
        return
    found = _painted(draft.root)
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


def _painted(root: Node) -> dict[str, Node]:
    """Every colour that can be seen, and the first element that is painted with it."""
    ids = {node.attrib["id"]: node for node in root.walk() if "id" in node.attrib}
    within = [node for node in ids.values() if node.tag in ("pattern", "marker")]
    found: dict[str, Node] = {}
    for part in (root, *within):
        seen = scene(part, ids)
        for shape in seen.shapes:
            for tones, node in ((shape.fill, shape.writers[0]), (shape.stroke, shape.writers[1])):
                for colour, _ in tones:
                    found.setdefault(colour, node)
        for text in seen.texts:
            for (colour, _), node in text.inks.values():
                found.setdefault(colour, node)
    return found


def _tones(palette: tuple[Role, ...]) -> dict[str, str]:
    """The palette's colours, and what each is called."""
    found: dict[str, str] = {}
    for role in palette:
        found.setdefault(canonical(role.fill), f"fill of '{role.name}'")
        found.setdefault(canonical(role.line), f"line of '{role.name}'")
    return found
