"""The recipe: how a drawing gets into normal form.

`PASSES` and then `THEMED` are all that happens between reading and writing, in order; the first are done once, the
others for each theme. Each pass is idempotent, and one run of them all reaches the fixed point: normalising a
second time gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from figmill.svg.checks.colour_only import check_colour_only
from figmill.svg.checks.contrast import check_contrast
from figmill.svg.checks.off_palette import check_palette
from figmill.svg.checks.paint_cost import check_cost, check_stops
from figmill.svg.checks.pictured import check_pictures
from figmill.svg.checks.small_text import check_sizes
from figmill.svg.checks.text_as_paths import find_glyphs
from figmill.svg.checks.text_fit import check_fit
from figmill.svg.document import BreachError, Draft
from figmill.svg.geometry.font_metrics import missing
from figmill.svg.passes.accessibility import drop_titles, label, size_scripts
from figmill.svg.passes.fonts import unify_fonts
from figmill.svg.passes.ids import name_ids, sweep
from figmill.svg.passes.keeps import mark_all
from figmill.svg.passes.narrow_colours import narrow_colours
from figmill.svg.passes.page import settle_page
from figmill.svg.passes.paints import settle_colours
from figmill.svg.passes.size import drop_unreal, round_numbers, set_size
from figmill.svg.passes.squeeze_text import squeeze_text
from figmill.svg.passes.text import readable, settle_spaces
from figmill.svg.passes.themes import keep_dark_drawing, settle_theme
from figmill.svg.pictures.embed import Library, embed, no_library
from figmill.svg.spec import Normal, Sheet, SvgError, Warning_
from figmill.svg.xml import allowlist
from figmill.svg.xml.cascade import inline_css
from figmill.svg.xml.parser import locate, read
from figmill.svg.xml.reference_check import check_references
from figmill.svg.xml.serialise import serialise

Pass = Callable[[Draft, Sheet], None]

# What has nothing to do with colours.
PASSES: tuple[Pass, ...] = (
    drop_unreal,
    mark_all,
    narrow_colours,  # before anybody asks how a drawing looks
    size_scripts,
    set_size,
    sweep,  # before fonts and rounding: what is never painted has no say in what the rest must tell, or how exactly
    unify_fonts,
    settle_spaces,  # after sweeping: what goes leaves its words' neighbours behind
    round_numbers,  # before the page, which is known by its measures
    check_cost,  # of what is painted, in its final numbers
    squeeze_text,
    check_fit,
    check_sizes,
    find_glyphs,
    check_pictures,
)
THEMED: tuple[Pass, ...] = (
    keep_dark_drawing,  # before its page becomes the book's
    settle_page,
    settle_colours,
    check_palette,
    check_colour_only,  # these before the themes, whose colours are not the author's
    settle_theme,  # after the palette, whose colours have dark counterparts
    check_contrast,
    label,  # after the themes, which know a drawing of their own by its name
    name_ids,  # last: in the order of the final document
)


def normalise(data: bytes, sheet: Sheet, library: Library = no_library) -> Normal:
    """The normal form of a drawing; SvgError, with its line, where the drawing is refused."""
    return in_themes(data, sheet, (sheet.theme,), library)[0]


def in_themes(
    data: bytes, sheet: Sheet, themes: Sequence[str], library: Library = no_library
) -> tuple[Normal, ...]:
    """The normal form for each theme, whichever the sheet names. Raises SvgError.

    library: reads the pictures that the drawing refers to by relative paths.
    """
    try:
        draft = allowlist.admit(read(data))
        inline_css(draft)
        embed(draft, sheet, library)  # before anything counts elements, or reads their attributes
        drop_titles(draft)  # before references, which must not lead to what goes
        check_references(draft)  # after CSS, which may refer as well
        check_stops(draft)
        for step in PASSES:
            step(draft, sheet)
        texts = readable(draft.root)
        for character in missing("".join(texts), sheet.fonts):
            told = f"character U+{ord(character):04X} ({character}) is in no configured font"
            draft.warn("missing-character", None, told)
        draft.forget()  # its colours change from here on
        copies = [draft.copy() for _ in themes[1:]]
        drafts = list(zip((draft, *copies), (replace(sheet, theme=theme) for theme in themes), strict=True))
        for themed, its_sheet in drafts:
            for step in THEMED:
                step(themed, its_sheet)
    except BreachError as breach:
        raise _located(data, breach) from None
    return tuple(_form(data, themed, its_sheet, texts) for themed, its_sheet in drafts)


def _form(data: bytes, draft: Draft, sheet: Sheet, texts: tuple[str, ...]) -> Normal:
    attrib = draft.root.attrib
    return Normal(
        svg=serialise(draft.root),
        width=float(attrib["width"]),
        height=float(attrib["height"]),
        warnings=_warnings(data, draft, sheet),
        texts=texts,
    )


def _located(data: bytes, breach: BreachError) -> SvgError:
    number = breach.node.number
    line, column = (None, None) if number is None else locate(data, {number}).get(number, (None, None))
    return SvgError(breach.message, line, column)


def _warnings(data: bytes, draft: Draft, sheet: Sheet) -> tuple[Warning_, ...]:
    """The warnings with their lines, in the order of the file; what has no line comes last."""
    numbers = {node.number for node, *_ in draft.warnings if node is not None and node.number is not None}
    places = locate(data, numbers) if numbers else {}
    found = {
        (places.get(node.number or 0, (None,))[0] if node is not None else None, message, check)
        for node, message, check in draft.warnings
        if check in sheet.checks
    }
    return tuple(sorted(found, key=lambda warning: (warning[0] is None, warning[0] or 0, warning[1])))
