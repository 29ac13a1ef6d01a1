"""Rules of a house style about colours. Free are greys, the page and the inks of text; a scale of colours is data."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from figmill.house_style import RULES
from figmill.palette import GRID, MUTED, PAGE, TEXT
from figmill.svg.checks.off_palette import painted, tones, unlike
from figmill.svg.colour import GREY, chroma, distance
from figmill.svg.document import Draft, Element
from figmill.svg.geometry.display_list import drawn
from figmill.svg.passes.page import page_colour
from figmill.svg.passes.paints import NEAR
from figmill.svg.passes.themes import SCALE
from figmill.svg.spec import Sheet

LISTED = 8  # colours in a message


def check_style_colours(draft: Draft, sheet: Sheet) -> None:
    """Warn of each colour that the style lacks, and once if there are too many."""
    style = sheet.style
    stated = [
        name
        for name in ("colours", "most_colours")
        if style.states(name) and RULES[name].check in sheet.checks
    ]
    if not stated:
        return
    free = {*TEXT, *MUTED, *GRID, *PAGE, page_colour(sheet) or PAGE[0]}
    coloured = {
        text: node
        for text, node in painted(draft).items()
        if chroma(text) >= GREY and not _is_among(text, free)
    }
    if "colours" in stated:
        _lacking(draft, coloured, dict(style.colours))
    if "most_colours" in stated:
        _too_many(draft, [text for text in _counted(draft) if text in coloured], coloured, sheet)


def _counted(draft: Draft) -> Iterator[str]:
    """The colours that readers count. A gradient is one, and the outline of an area counts with it."""
    for shape in drawn(draft).shapes:
        fills, strokes = (
            [text for text, _ in paint if chroma(text) >= GREY] for paint in (shape.fill, shape.stroke)
        )
        yield from (fills or strokes)[:1]
    for each in drawn(draft).texts:
        yield from (ink for (ink, _), _ in each.inks.values())


def _is_among(text: str, colours: set[str]) -> bool:
    return any(distance(text, own) < NEAR for own in colours)


def _lacking(draft: Draft, coloured: dict[str, Element], allowed: dict[str, str]) -> None:
    off = list(islice((text for text in coloured if not _is_among(text, {*allowed})), SCALE + 1))
    if len(off) > SCALE:
        return
    for text in off:
        if allowed:
            nearest = min(allowed, key=lambda own: (unlike(text, own), own))
            named = f"{allowed[nearest]}, {nearest}" if allowed[nearest] != nearest else nearest
            cure = f"the nearest that it has is {named}"
        else:
            cure = "it has greys only"
        draft.warn(RULES["colours"].check, coloured[text], f"the colour {text} is not in the style; {cure}")


def _too_many(draft: Draft, counted: list[str], coloured: dict[str, Element], sheet: Sheet) -> None:
    """A role counts once: its fill and its line mean the same."""
    most = sheet.style.most_colours
    roles = {tone: name.rpartition(" of ")[2] for tone, name in tones(sheet.palette).items()}
    meanings: dict[str, str] = {}  # each role or other colour, with the first colour that shows it
    for text in counted:
        role = next((name for tone, name in roles.items() if distance(text, tone) < NEAR), text)
        meanings.setdefault(role, text)
    if most < len(meanings) <= SCALE:
        listed = ", ".join(meanings) if len(meanings) <= LISTED else f"{', '.join([*meanings][:LISTED])}, ..."
        last = [*meanings][most]
        draft.warn(
            RULES["most_colours"].check,
            coloured[meanings[last]],
            f"the drawing has {len(meanings)} colours besides greys ({listed}), and the style allows {most}",
        )
