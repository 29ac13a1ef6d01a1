"""Settling: a drawing and its question become the published bytes. Pure.

Fills texts with facts, brings each theme into the normal form, and compares the drawing with the question's
expectations. Unaware of files and processes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from figmill import checks
from figmill.config import Options
from figmill.errors import AuthorError, ToolError, as_errors
from figmill.kind.definition import AFTER
from figmill.kind.job import Raw
from figmill.kinds import KINDS
from figmill.late_dataclasses import dataclass
from figmill.model import Fact, FigureTable, Origin, Visual, Warned
from figmill.publish import findings, made_alt
from figmill.publish.expectations import unmet
from figmill.publish.findings import FigureDraft
from figmill.publish.placeholders import fill
from figmill.svg import (
    CHECKS,
    THEMES,
    PictureReader,
    Sheet,
    SvgError,
    in_themes,
    is_laid_out,
    own_colours,
    tool_of,
)
from figmill.wording import Words


@dataclass(frozen=True, slots=True)
class Page:
    """One theme's bytes and their SHA-256; width and height in px. smallest: the smallest text in px; 0: none."""

    theme: str
    svg: bytes
    width: float
    height: float
    smallest: float = 0.0
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha256", hashlib.sha256(self.svg).hexdigest())


@dataclass(frozen=True, slots=True)
class Settled:
    """A settled figure: its pages, texts and facts, with the warnings of the checks, and its data.

    described: the question's own description.
    """

    pages: tuple[Page, ...]
    alt: str
    caption: str | None
    facts: Mapping[str, Fact]
    warnings: tuple[Warned, ...]
    excused: tuple[Warned, ...] = ()  # findings that the figure's own exceptions excuse
    pictures: tuple[str, ...] = ()  # paths in the book where its pictures were searched
    described: str | None = None
    tables: tuple[FigureTable, ...] = ()
    asked: tuple[str, ...] = ()  # the messages of a drawing in another language


def settle(
    visual: Visual, raw: Raw, options: Options, every: bool = False, pictures: PictureReader | None = None
) -> Settled | tuple[AuthorError, ...]:
    """The settled figure, or all errors that prevent publication.

    every: run all checks of `lint`; the caller decides which findings are errors. pictures: reads pictures that the
    drawing refers to by relative paths; None: it may not refer to any.
    """
    try:
        draft, described = _draft(visual, raw, options, every, pictures)
    except AuthorError as error:
        return (error,)
    except SvgError as error:
        return tuple(
            AuthorError(findings.place(visual, each.line, each.column), each.message)
            for each in (error, *error.others)
        )
    if wrong := tuple(unmet(visual, raw.facts, draft.forms[0][1].texts)):
        return wrong
    try:
        warned = findings.findings(draft)
    except ToolError as error:
        return (AuthorError(visual.at(), str(error)),)
    return _judged(draft, described, warned, options, every)


def _draft(
    visual: Visual, raw: Raw, options: Options, every: bool, pictures: PictureReader | None
) -> tuple[FigureDraft, str | None]:
    """The figure with its texts and in its normal form, translated; and its description.

    Raises AuthorError for a text, SvgError for the drawing.
    """
    wanted = _wanted(visual, raw, options, every)
    words = None if visual.translation is None else Words(visual.translation.wording)
    is_after = KINDS[visual.kind].translates == AFTER and not findings.own_source(visual)
    drawn_words = words if is_after else None  # else the source was translated before it was drawn
    themes = themes_of(visual)
    alt, caption, described = _texts(visual, raw, options, words.numbers if words else str)
    sheet = _sheet(visual, raw, alt, options, wanted, drawn_words)
    forms = tuple(zip(themes, in_themes(raw.svg, sheet, themes, pictures), strict=True))
    asked = raw.asked if drawn_words is None else tuple(drawn_words.asked)  # filled by the normal form
    has_own_words = drawn_words is None
    draft = FigureDraft(
        visual, raw, alt, caption, forms, wanted.checks, asked, has_own_words, wanted.is_quiet
    )
    return draft, described


def _judged(
    draft: FigureDraft, described: str | None, warned: Sequence[Warned], options: Options, every: bool
) -> Settled | tuple[AuthorError, ...]:
    """The settled figure, or the findings that are errors in this book; with `every`, none is."""
    exceptions = draft.visual.lint
    excused = tuple(finding for finding in warned if finding.check in exceptions)
    warnings = tuple(finding for finding in warned if finding.check not in exceptions)
    level = checks.levels(options.lint)
    failing = [finding for finding in warnings if level[finding.check] == checks.ERROR and not every]
    if failing:
        return as_errors(failing, "an error in this book")
    pages = tuple(
        Page(theme, form.svg, form.width, form.height, round(form.smallest or 0.0, 2))
        for theme, form in draft.forms
    )
    return Settled(
        pages,
        draft.alt,
        draft.caption,
        draft.raw.facts,
        warnings,
        excused,
        described=described,
        tables=draft.raw.tables,
        asked=draft.asked,
    )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The checks whose findings are wanted, and the colours that are not judged: of text and lines, and of lines.

    is_quiet: what a drawing program puts into each of its exports is not reported.
    """

    checks: frozenset[str]
    unjudged: frozenset[str] = frozenset()
    unjudged_lines: frozenset[str] = frozenset()
    is_quiet: bool = False


def _wanted(visual: Visual, raw: Raw, options: Options, every: bool) -> _Wanted:
    """What a program or a library chose by itself is reported by `lint` alone, unless that is an error in the book."""
    active, kind = checks.active(options.lint, every), KINDS[visual.kind]
    if every:
        return _Wanted(active)
    if "dark" not in visual.themes:
        active -= {"contrast"}  # a build checks contrast only for figures with a dark theme
    quiet = {name for name, level in checks.levels(options.lint).items() if level != checks.ERROR}
    tool = tool_of(raw.svg) if kind.is_placed else None
    is_quiet = tool is not None and kind.by_hand and "dropped" in active & quiet
    active -= {"dropped"} if is_quiet else set()
    if "contrast" not in quiet:
        return _Wanted(active, is_quiet=is_quiet)
    colours = own_colours(tool) if tool is not None else frozenset[str]()
    return _Wanted(active, colours, colours | kind.line_colours, is_quiet)


def _texts(
    visual: Visual, raw: Raw, options: Options, say: Callable[[str], str]
) -> tuple[str, str | None, str | None]:
    """The alt text, the caption and the question's own description, with their facts. Raises AuthorError."""

    def filled(text: str | None, key: str, most: int) -> str | None:
        return fill(text, raw.facts, visual.at(key), most, say) if text else None

    alt = _alt(visual, raw, options.limits.alt, say)
    described = visual.describe if isinstance(visual.describe, str) else None
    caption = filled(visual.caption, "caption", options.limits.caption)
    return alt, caption, filled(described, "describe", checks.LONGEST)


def _alt(visual: Visual, raw: Raw, most: int, say: Callable[[str], str]) -> str:
    """The alt text with its facts; without one, the description in the source. Raises AuthorError if it has none.

    A code block or an image in a page may have neither: its alt text is made from the text in it.
    """
    if visual.alt:
        return fill(visual.alt, raw.facts, visual.at("alt"), most, say)
    if visual.fence is not None:
        return made_alt.of(raw)
    if visual.is_image:
        return made_alt.of_image(raw, visual.source)
    described = str(raw.facts.get("description", "")).strip()
    if not described:
        how = KINDS[visual.kind].describes
        needs = "visual needs alt: what the figure shows, for people who cannot see it"
        raise AuthorError(visual.at(), f"{needs}; or write {how} in {visual.source}")
    if len(described) > most:
        message = f"the description has {len(described):,} characters, at most {most:,} are allowed"
        raise AuthorError(Origin(visual.source), f"{message}; write alt in the question")
    return described


def _title(visual: Visual, raw: Raw) -> str:
    """The question's title; without one, that in the source, the caption or the figure's name."""
    stated = raw.facts.get("title") if KINDS[visual.kind].describes else None
    own = visual.title or (stated if isinstance(stated, str) else "") or visual.caption
    return own or (visual.is_image and made_alt.short(visual.alt)) or visual.label


def themes_of(visual: Visual) -> list[str]:
    """The themes a figure is published in, light first."""
    return [theme for theme in THEMES if theme in visual.themes] or ["light"]


def _sheet(
    visual: Visual,
    raw: Raw,
    alt: str,
    options: Options,
    wanted: _Wanted,
    words: Words | None,
) -> Sheet:
    """What the normal form depends on, beside the drawing."""
    is_placed = KINDS[visual.kind].is_placed and not is_laid_out(raw.svg)
    translated = "" if visual.translation is None else visual.translation.language.replace("_", "-")
    return Sheet(
        figure=visual.label,
        title=_title(visual, raw),
        desc=alt,
        font=options.font,
        mono=options.mono,
        colours=visual.colours,
        width=visual.width,
        pixels=round(options.limits.megapixels * 1_000_000),
        picture_bytes=options.limits.picture_bytes,
        background=options.background,
        palette=options.palette,
        checks=wanted.checks & CHECKS,
        unjudged=wanted.unjudged,
        unjudged_lines=wanted.unjudged_lines,
        fonts=options.fonts,
        style=options.style if is_placed else options.style.without_places(),
        language=translated,
        readers=translated or options.language.replace("_", "-"),
        is_rtl=visual.translation is not None and visual.translation.is_rtl,
        words=words,
    )
