"""Finds colours outside the book's palette, and the nearest role of each.

Exempt are the page, greys, text colours, and colour scales: more colours than a palette has roles are data.
"""

from __future__ import annotations

import math
from itertools import islice

from figmill.palette import GRID, MUTED, PAGE, TEXT, Role
from figmill.svg.colour import GREY, canonical, chroma, distance, lab
from figmill.svg.document import Draft, Element
from figmill.svg.geometry.display_list import drawn, scene
from figmill.svg.passes.page import page_colour
from figmill.svg.passes.paints import NEAR
from figmill.svg.passes.themes import SCALE
from figmill.svg.spec import Sheet


def check_palette(draft: Draft, sheet: Sheet) -> None:
    """Warn of each colour off the palette, at its first use."""
    if "off-palette" not in sheet.checks:
        return
    colours = painted(draft)
    names = tones(sheet.palette)
    inks = (role.ink for role in sheet.palette)
    allowed = {*names, *inks, *TEXT, *MUTED, *GRID, *PAGE, "#000000", page_colour(sheet) or PAGE[0]}
    all_off = (
        text
        for text in colours
        if text not in allowed
        and chroma(text) >= GREY
        and all(distance(text, own) >= NEAR for own in allowed)
    )
    off = list(islice(all_off, SCALE + 1))
    if len(off) > SCALE:
        return
    for text in off:
        nearest = min(names, key=lambda own: (unlike(text, own), own))
        message = f"the colour {text} is off the palette; the nearest is the {names[nearest]}, {nearest}"
        draft.warn("off-palette", colours[text], message)


def unlike(first: str, second: str) -> float:
    """The difference of two colours, with lightness at a third of its weight, because navy is more blue than dark."""
    (light, *hues), (other_light, *other_hues) = (lab(text) for text in (first, second))
    return math.dist((light / 3, *hues), (other_light / 3, *other_hues))


def painted(draft: Draft) -> dict[str, Element]:
    """Every visible colour, with the first element painted in it."""
    ids = drawn(draft).ids
    within = [node for node in ids.values() if node.tag in ("pattern", "marker")]
    first_uses: dict[str, Element] = {}
    for seen in (drawn(draft), *(scene(part, ids) for part in within)):
        for shape in seen.shapes:
            for tones, node in ((shape.fill, shape.writers[0]), (shape.stroke, shape.writers[1])):
                for painted, _ in tones:
                    first_uses.setdefault(painted, node)
        for text in seen.texts:
            for (ink, _), node in text.inks.values():
                first_uses.setdefault(ink, node)
    return first_uses


def tones(palette: tuple[Role, ...]) -> dict[str, str]:
    """The palette's colours, each with its name."""
    names: dict[str, str] = {}
    for role in palette:
        names.setdefault(canonical(role.fill), f"fill of '{role.name}'")
        names.setdefault(canonical(role.line), f"line of '{role.name}'")
    return names
