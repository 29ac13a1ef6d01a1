"""The order of the passes that bring a drawing into normal form.

Between reading and writing, the passes in `PASSES` run once, then those in `THEMED` run once per theme. Each pass is
idempotent, and one run of them all reaches the fixed point: normalising a second time gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from figmill.font_metrics import missing
from figmill.svg.checks.arrow_ends import check_ends
from figmill.svg.checks.astray_text import check_strays
from figmill.svg.checks.colour_only import check_colour_only
from figmill.svg.checks.contrast import check_contrast
from figmill.svg.checks.covered_text import check_covers
from figmill.svg.checks.dark_pictures import check_dark_pictures
from figmill.svg.checks.edge_through_box import check_edges
from figmill.svg.checks.house_style import check_style
from figmill.svg.checks.layout_checks import check_layout
from figmill.svg.checks.line_through_text import check_lines
from figmill.svg.checks.loose_arrows import check_arrows
from figmill.svg.checks.off_palette import check_palette
from figmill.svg.checks.paint_cost import check_cost, check_stops
from figmill.svg.checks.phone_text import check_phone
from figmill.svg.checks.rasterised import check_pictures
from figmill.svg.checks.small_text import check_sizes, smallest_words
from figmill.svg.checks.style_colours import check_style_colours
from figmill.svg.checks.text_as_paths import find_glyphs
from figmill.svg.checks.text_fit import check_fit
from figmill.svg.checks.unseen_ink import check_unseen
from figmill.svg.checks.wide import check_labels, check_width
from figmill.svg.document import BreachError, Draft
from figmill.svg.html import labels
from figmill.svg.intake.dropped import report_dropped
from figmill.svg.intake.flowed_text import flow_text
from figmill.svg.intake.inverted import invert_colours
from figmill.svg.intake.lengths import settle_lengths, settle_rem
from figmill.svg.intake.sheets import gather_sheets
from figmill.svg.passes.accessibility import drop_titles, label, size_scripts
from figmill.svg.passes.artwork import keep_artwork
from figmill.svg.passes.baselines import settle_baselines
from figmill.svg.passes.dark_page import keep_dark, lay_background
from figmill.svg.passes.fonts import unify_fonts
from figmill.svg.passes.ids import name_ids, sweep
from figmill.svg.passes.keeps import mark_all
from figmill.svg.passes.language import state_language, translate
from figmill.svg.passes.narrow_colours import narrow_colours
from figmill.svg.passes.page import settle_page
from figmill.svg.passes.paints import settle_colours
from figmill.svg.passes.size import clamp_numbers, drop_unreal, round_numbers, set_size
from figmill.svg.passes.squeeze_text import squeeze_text
from figmill.svg.passes.text import readable, settle_spaces
from figmill.svg.passes.themes import keep_dark_drawing, settle_theme
from figmill.svg.pictures.embed import embed, no_pictures
from figmill.svg.spec import Normal, PictureReader, Sheet, SvgError, SvgWarning
from figmill.svg.styles.cascade import inline_css
from figmill.svg.xml import allowlist
from figmill.svg.xml.parser import locate, read
from figmill.svg.xml.prolog import MAX_BYTES, unpacked
from figmill.svg.xml.reference_check import check_references
from figmill.svg.xml.serialise import serialise

# Signs that a drawing has its own colours for a dark page.
SCHEMED = (b"light-dark(", b"prefers-color-scheme")

Pass = Callable[[Draft, Sheet], None]

# Passes that do not depend on the theme.
PASSES: tuple[Pass, ...] = (
    drop_unreal,
    clamp_numbers,
    mark_all,
    narrow_colours,  # before any pass looks at the drawing
    size_scripts,
    set_size,
    settle_lengths,  # after the size, which percentages refer to; before anything needs positions
    lay_background,
    sweep,  # before fonts and rounding: unpainted elements must not influence warnings or precision
    unify_fonts,
    settle_spaces,  # after sweeping, which joins separate text
    settle_baselines,  # after spaces: text after raised text gets an element of its own, spaces included
    translate,  # after spaces, which join the text of a label; before anything measures it
    round_numbers,  # before the page, which is recognised by its geometry
    keep_dark,
    check_cost,  # needs the painted elements with final numbers
    squeeze_text,
    check_fit,
    check_covers,
    check_lines,
    check_strays,
    check_arrows,
    check_edges,
    check_ends,
    check_layout,
    check_style,
    check_sizes,
    check_phone,
    check_width,
    check_labels,
    find_glyphs,
    check_pictures,
)
THEMED: tuple[Pass, ...] = (
    keep_dark_drawing,  # before its page is replaced with the book's
    settle_page,
    settle_colours,
    check_palette,
    check_style_colours,
    check_colour_only,  # these before settle_theme: later colours are not the author's
    keep_artwork,
    settle_theme,  # after the palette, whose colours have dark counterparts
    check_unseen,  # before contrast, which need not repeat its warnings
    check_contrast,
    check_dark_pictures,
    state_language,
    sweep,  # again: a page that was taken away leaves its gradient
    label,  # after the themes, which recognise earlier products by the root's name
    name_ids,  # last: numbers ids in final document order
)


def in_themes(
    data: bytes, sheet: Sheet, themes: Sequence[str], pictures: PictureReader | None = None
) -> tuple[Normal, ...]:
    """The normal form for each theme; the sheet's own theme is not used. Raises SvgError.

    A drawing with its own colours for a dark page is read once per theme, because its themes differ from the start.
    pictures: reads the pictures that the drawing names by relative paths.
    """
    data = unpacked(data)
    is_schemed = "dark" in themes and _is_schemed(data)
    if len(themes) > 1 and is_schemed:
        forms = [in_themes(data, sheet, (theme,), pictures)[0] for theme in themes]
        return (forms[0], *map(_without_dropped, forms[1:]))
    try:
        draft = admitted(data, sheet, pictures or no_pictures, is_dark=is_schemed)
        check_stops(draft)
        for step in PASSES:
            step(draft, sheet)
        texts = readable(draft.root)
        for character in missing("".join(texts), sheet.fonts):
            message = f"character U+{ord(character):04X} ({character}) is in no configured font"
            message += "; name a font file that has it under `fonts` in the settings"
            draft.warn("missing-character", None, message)
        smallest = smallest_words(draft)
        draft.forget()  # its colours change from here on
        copies = [draft.copy() for _ in themes[1:]]
        drafts = list(zip((draft, *copies), (replace(sheet, theme=theme) for theme in themes), strict=True))
        for themed, its_sheet in drafts:
            for step in THEMED:
                step(themed, its_sheet)
    except BreachError as breach:
        raise _located(data, breach) from None
    return tuple(_form(data, themed, its_sheet, texts, smallest) for themed, its_sheet in drafts)


def settled(data: bytes, sheet: Sheet, pictures: PictureReader = no_pictures) -> Draft:
    """The drawing after all passes in the theme of the sheet, with the findings of the checks. Raises SvgError."""
    draft = finished(data, sheet, pictures)
    draft.forget()
    try:
        for step in THEMED:
            step(draft, sheet)
    except BreachError as breach:
        raise _located(data, breach) from None
    return draft


def finished(data: bytes, sheet: Sheet, pictures: PictureReader = no_pictures) -> Draft:
    """The drawing with its final geometry, before any theme. Raises SvgError."""
    data = unpacked(data)
    try:
        draft = admitted(data, sheet, pictures)
        check_stops(draft)
        for step in PASSES:
            step(draft, sheet)
    except BreachError as breach:
        raise _located(data, breach) from None
    return draft


def _is_schemed(data: bytes) -> bool:
    """Whether a drawing has its own colours for a dark page."""
    small = data.lower()
    return any(word in small for word in SCHEMED)


def _without_dropped(form: Normal) -> Normal:
    """The form for a further theme without the warnings about dropped content, which the first form has."""
    return replace(form, warnings=tuple(finding for finding in form.warnings if finding.check != "dropped"))


def admitted(
    data: bytes, sheet: Sheet, pictures: PictureReader = no_pictures, is_dark: bool = False
) -> Draft:
    """The drawing with plain names, and with all its properties as attributes. Raises SvgError and BreachError.

    is_dark: read the colours meant for a dark page. All breaches are reported together.
    """
    draft = _plain(data, is_dark, sheet.readers)
    with draft.collected():
        # before anything counts elements or reads their attributes
        embed(draft, sheet, pictures, partial(_drawing, language=sheet.readers))
    drop_titles(draft)  # before references are checked: none may lead to a removed title
    if not draft.breaches:  # otherwise a reference may lead to a part that was not read
        check_references(draft)  # after CSS, which may contain references
    if draft.breaches or draft.placed:
        raise _refusal(data, draft)
    invert_colours(draft)
    report_dropped(draft)
    return draft


def _plain(data: bytes, is_dark: bool, language: str) -> Draft:
    draft = read(data)
    draft.is_dark, draft.language = is_dark, language
    gather_sheets(draft)  # before the labels, which its rules style
    lifted = labels.lift(draft)  # before the rules, which do not know HTML
    allowlist.admit(draft)
    inline_css(draft)
    labels.settle(draft, lifted)  # after CSS, which must not apply to the labels
    settle_rem(draft)
    flow_text(draft)
    return draft


def _drawing(data: bytes, is_dark: bool, language: str) -> Draft:
    """A drawing used as a picture in another. Raises SvgError."""
    data = unpacked(data)
    try:
        draft = _plain(data, is_dark, language)
    except BreachError as breach:
        raise _located(data, breach) from None
    if draft.breaches or draft.placed:
        raise _refusal(data, draft)
    return draft


def _refusal(data: bytes, draft: Draft) -> SvgError:
    """Everything wrong with a drawing: each kind once, at its first place, in file order."""
    numbers = {node.number for nodes in draft.breaches.values() for node in nodes if node.number is not None}
    places = locate(data, numbers)
    errors = [SvgError(*breach) for breach in draft.placed]
    for message, nodes in draft.breaches.items():
        line, column = next((places[node.number] for node in nodes if node.number in places), (None, None))
        again = len(nodes) - 1
        more = f" (and in {again} more place{'s' if again > 1 else ''})" if again else ""
        errors.append(SvgError(message + more, line, column))
    errors.sort(key=lambda error: (error.line is None, error.line or 0, error.column or 0))
    return SvgError(errors[0].message, errors[0].line, errors[0].column, tuple(errors[1:]))


def _form(data: bytes, draft: Draft, sheet: Sheet, texts: tuple[str, ...], smallest: float | None) -> Normal:
    attrib = draft.root.attrib
    svg = serialise(draft.root)
    if len(svg) > MAX_BYTES:  # what is published can be read again
        raise SvgError(f"the finished figure has {len(svg):,} bytes; a figure may have {MAX_BYTES:,}")
    return Normal(
        svg=svg,
        width=float(attrib["width"]),
        height=float(attrib["height"]),
        warnings=_warnings(data, draft, sheet),
        texts=texts,
        smallest=smallest,
    )


def _located(data: bytes, breach: BreachError) -> SvgError:
    number = breach.node.number
    line, column = (None, None) if number is None else locate(data, {number}).get(number, (None, None))
    return SvgError(breach.message, line, column)


def _warnings(data: bytes, draft: Draft, sheet: Sheet) -> tuple[SvgWarning, ...]:
    """The warnings with their lines, in file order; those without a line come last."""
    numbers = {node.number for node, *_ in draft.warnings if node is not None and node.number is not None}
    places = locate(data, numbers) if numbers else {}
    findings = {
        SvgWarning(places.get(node.number or 0, (None,))[0] if node is not None else None, message, check)
        for node, message, check in draft.warnings
        if check in sheet.checks
    }
    return tuple(
        sorted(findings, key=lambda finding: (finding.line is None, finding.line or 0, finding.message))
    )
