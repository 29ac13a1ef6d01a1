"""Settling: a drawing and its question become the published bytes. Pure.

Fills texts with facts, brings each theme into the normal form, and compares the drawing with the question's
expectations. Unaware of files and processes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from figmill import checks
from figmill.config import Options
from figmill.errors import AuthorError, ToolError, one_line
from figmill.kinds import AFTER, KINDS
from figmill.kinds.job import Raw
from figmill.model import Fact, FigureTable, Origin, Translation, Visual, Warned
from figmill.publish import added_checks, made_alt, not_drawn
from figmill.publish.expectations import unmet
from figmill.publish.placeholders import fill, short
from figmill.publish.same_units import differing
from figmill.svg import (
    CHECKS,
    THEMES,
    Normal,
    PictureReader,
    Sheet,
    SvgError,
    in_themes,
    own_colours,
    tool_of,
)
from figmill.wording import Words

# Text on an area, so that `warm` runs every check. In the regular face, like most text; other faces load on demand.
TRIAL = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" font-size="2"><rect width="5" height="4" fill="#ccc"/>'
    b'<text x="1" y="2" fill="#bbb">a</text></svg>'
)

# A formula in TeX that a drawing program would have set in a browser.
FORMULA = re.compile(r"\$\$[^$]*[\\^_][^$]*\$\$")


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


def _formulas(texts: Iterable[str], drawing: bytes) -> Iterator[tuple[int | None, str]]:
    """What to say of formulas in a hand drawing, with the line; the other kinds report their own."""
    for each in dict.fromkeys(match[0] for text in texts for match in FORMULA.finditer(text)):
        before, found, _ = drawing.partition(each.encode())
        line = before.count(b"\n") + 1 if found else None
        yield line, f"the formula {each[:60]} stands as its source; export it as shapes"


def warm() -> None:
    """Load what settling needs, font metrics included; takes about as long as starting a worker."""
    with suppress(Exception):  # a real figure reports anything that cannot be loaded
        in_themes(TRIAL, Sheet("trial", "", ""), THEMES)


def settle(
    visual: Visual, raw: Raw, options: Options, every: bool = False, pictures: PictureReader | None = None
) -> Settled | tuple[AuthorError, ...]:
    """The settled figure, or all errors that prevent publication.

    every: run all checks of `lint`; the caller decides which findings are errors. pictures: reads pictures that the
    drawing refers to by relative paths; None: it may not refer to any.
    """
    active = checks.active(options.lint, every)
    if not every and "dark" not in visual.themes:
        active -= {"contrast"}  # a build checks contrast only for figures with a dark theme
    is_by_hand = KINDS[visual.kind].by_hand
    tool = tool_of(raw.svg) if (is_by_hand or KINDS[visual.kind].keeps_colours) and not every else None
    unjudged = frozenset[str]()
    spoken = None if visual.translation is None else Words(visual.translation.wording)
    say = spoken.numbers if spoken else str
    if (
        tool is not None
    ):  # only `lint` reports what its program puts into every export, unless that is an error here
        quiet = {name for name, level in checks.levels(options.lint).items() if level != checks.ERROR}
        active -= {"dropped"} & quiet if is_by_hand else set()
        unjudged = own_colours(tool) if "contrast" in quiet else unjudged
    try:
        alt = _alt(visual, raw, options.limits.alt, say)
        at = visual.at("caption")
        most = options.limits.caption
        caption = fill(visual.caption, raw.facts, at, most, say) if visual.caption else None
        own = visual.describe if isinstance(visual.describe, str) else None
        described = fill(own, raw.facts, visual.at("describe"), checks.LONGEST, say) if own else None
        themes = themes_of(visual)
        is_after = spoken is not None and KINDS[visual.kind].translates == AFTER and not _own_source(visual)
        normal = _normal(
            visual, raw, alt, themes, options, active, unjudged, pictures, spoken if is_after else None
        )
        forms = list(zip(themes, normal, strict=True))
        asked = tuple(spoken.asked) if spoken is not None and is_after else raw.asked
    except AuthorError as error:
        return (error,)
    except SvgError as error:
        return tuple(
            AuthorError(_place(visual, each.line, each.column), each.message)
            for each in (error, *error.others)
        )
    wrong = tuple(unmet(visual, raw.facts, forms[0][1].texts))
    if wrong:
        return wrong
    pages = tuple(
        Page(theme, form.svg, form.width, form.height, round(form.smallest or 0.0, 2))
        for theme, form in forms
    )
    told = tuple(not_drawn.findings(raw, forms[0][1].texts, not is_after)) if "not-drawn" in active else ()
    is_told = is_by_hand and "dropped" in checks.active(options.lint, every)
    formulas = _formulas(forms[0][1].texts, raw.svg) if is_told else ()
    drawn = (
        Warned(visual.placed(Origin(visual.drawn_from, remark.line)), remark.message, remark.check)
        for remark in (*raw.remarks, *told)
        if remark.check in active
    )
    settled = (
        Warned(_place(visual, line), one_line(message), check)
        for _, form in forms
        for line, message, check in form.warnings
    )
    unset = (Warned(_place(visual, line), message, "dropped") for line, message in formulas)
    findings = dict.fromkeys((*drawn, *settled, *unset))
    if raw.unseen and "unseen-reads" in active:
        words = f"loads {one_line(raw.unseen)}, whose reads figmill cannot see here"
        findings[Warned(_place(visual, None), f"{words}: name its files under `inputs`", "unseen-reads")] = (
            None
        )
    if "units-differ" in active:
        texts = {"alt": alt, "caption": caption or ""}
        for key, words in differing(texts, forms[0][1].texts):
            findings[Warned(visual.at(key), words, "units-differ")] = None
    if not visual.alt and "alt-missing" in active and not made_alt.described(raw.facts):
        words = f"no alt text: people who cannot see it are told '{made_alt.short(alt)}'"
        findings[Warned(visual.at(), words, "alt-missing")] = None
    if visual.translation is not None and "untranslated" in active:
        for message in _untranslated(visual, visual.translation, asked):
            findings[Warned(Origin(visual.translation.file), message, "untranslated")] = None
    figure = checks.CheckedFigure(
        name=visual.label,
        kind=visual.kind,
        source=visual.source,
        pages={page.theme: page.svg for page in pages},
        texts=forms[0][1].texts,
        alt=alt,
        caption=caption,
        facts=raw.facts,
    )
    try:
        for check, message in added_checks.findings(figure, active):
            findings[Warned(_place(visual, None), message, check)] = None
    except ToolError as error:
        return (AuthorError(visual.at(), str(error)),)
    excused = tuple(finding for finding in findings if finding.check in visual.lint)
    warnings = tuple(finding for finding in findings if finding.check not in visual.lint)
    level = checks.levels(options.lint)
    failing = [finding for finding in warnings if level[finding.check] == checks.ERROR and not every]
    return as_errors(failing, "an error in this book") or Settled(
        pages, alt, caption, raw.facts, warnings, excused, described=described, tables=raw.tables, asked=asked
    )


def _own_source(visual: Visual) -> bool:
    """Whether a figure in another language is drawn from a source of its own, whose text is in that language."""
    return visual.translation is not None and visual.translation.source is not None


def _untranslated(visual: Visual, into: Translation, asked: Sequence[str]) -> Iterator[str]:
    """The parts of a figure that have no translation, in one line."""
    lacking = [] if into.source else [text for text in asked if text not in into.messages]
    texts = [key for key in ("title", "alt", "caption") if getattr(visual, key) and not getattr(into, key)]
    if isinstance(visual.describe, str) and not into.describe:
        texts.append("describe")
    parts = []
    if lacking:
        shown = ", ".join(f"'{short(text, 30)}'" for text in lacking[:3])
        more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
        parts.append(f"{len(lacking)} of {len(asked)} texts in the drawing ({shown}{more})")
    if texts:
        parts.append(", ".join(texts))
    if parts:
        yield f"'{visual.label}' in {into.language} has no translation of {'; '.join(parts)}"


def _alt(visual: Visual, raw: Raw, most: int, say: Callable[[str], str]) -> str:
    """The alt text with its facts; without one, the description in the source. Raises AuthorError if it has none.

    A code block in a page may have neither: its alt text is made from the text in it.
    """
    if visual.alt:
        return fill(visual.alt, raw.facts, visual.at("alt"), most, say)
    if visual.fence is not None:
        return made_alt.of(raw)
    described = str(raw.facts.get("description", "")).strip()
    if not described:
        how = KINDS[visual.kind].describes
        needs = "visual needs alt: what the figure shows, for people who cannot see it"
        raise AuthorError(visual.at(), f"{needs}; or write {how} in {visual.source}")
    if len(described) > most:
        words = f"the description has {len(described):,} characters, at most {most:,} are allowed"
        raise AuthorError(Origin(visual.source), f"{words}; write alt in the question")
    return described


def _title(visual: Visual, raw: Raw) -> str:
    """The question's title; without one, that in the source, the caption or the figure's name."""
    own = raw.facts.get("title") if KINDS[visual.kind].describes else None
    return visual.title or (own if isinstance(own, str) else "") or visual.caption or visual.label


def themes_of(visual: Visual) -> list[str]:
    """The themes a figure is published in, light first."""
    return [theme for theme in THEMES if theme in visual.themes] or ["light"]


def _normal(
    visual: Visual,
    raw: Raw,
    alt: str,
    themes: Sequence[str],
    options: Options,
    active: frozenset[str],
    unjudged: frozenset[str],
    pictures: PictureReader | None,
    words: Words | None,
) -> tuple[Normal, ...]:
    """The normal form of each theme. Raises SvgError."""
    translated = "" if visual.translation is None else visual.translation.language.replace("_", "-")
    sheet = Sheet(
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
        checks=active & CHECKS,
        unjudged=unjudged,
        fonts=options.fonts,
        language=translated,
        readers=translated or options.language.replace("_", "-"),
        is_rtl=visual.translation is not None and visual.translation.is_rtl,
        words=words,
    )
    return in_themes(raw.svg, sheet, themes, pictures)


def _place(visual: Visual, line: int | None, column: int | None = None) -> Origin:
    """The place in a hand drawing; for a renderer's SVG, which no author sees, only the source."""
    if KINDS[visual.kind].by_hand:
        return Origin(visual.source, line, column)
    return visual.placed(Origin(visual.drawn_from))


def as_errors(findings: Iterable[Warned], why: str) -> tuple[AuthorError, ...]:
    """Findings as errors that prevent publication. why: the reason why they are errors."""
    return tuple(AuthorError(f.origin, f"{f.message} [{f.check}: {why}]") for f in findings)
