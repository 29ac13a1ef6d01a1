"""Settling: a drawing and its question -> the bytes that are published. Pure.

Fills texts with facts, brings each theme into the normal form, and compares the drawing with what the question
expects. Unaware of files and processes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from figmill import checks
from figmill.config import Options
from figmill.errors import AuthorError, did_you_mean, one_line
from figmill.kinds import KINDS
from figmill.kinds.answer import DIGITS, unfit_in
from figmill.kinds.job import Raw
from figmill.model import ExpectedFact, Fact, Origin, Visual, Warned
from figmill.svg import Normal, Sheet, SvgError, in_themes

Library: TypeAlias = Callable[[str], bytes]  # a relative path -> the picture there

# The themes that the normal form can make.
THEMES = ("light", "dark")


# Text on an area, so that `warm` runs every check. In the regular face, as most text; other faces load on demand.
TRIAL = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" font-size="2"><rect width="5" height="4" fill="#ccc"/>'
    b'<text x="1" y="2" fill="#bbb">a</text></svg>'
)


@dataclass(frozen=True, slots=True)
class Page:
    """One theme's bytes; width and height in px."""

    theme: str
    svg: bytes
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Settled:
    """A settled figure: its pages, texts and facts, with the warnings of the checks."""

    pages: tuple[Page, ...]
    alt: str
    caption: str | None
    facts: Mapping[str, Fact]
    warnings: tuple[Warned, ...]
    excused: tuple[Warned, ...] = ()  # findings that the figure's own exceptions let pass
    pictures: tuple[str, ...] = ()  # where in the book its pictures were looked for


def warm() -> None:
    """Load what settling needs, font metrics included; it takes about as long as a worker takes to start."""
    with suppress(Exception):  # a real figure will report what cannot be loaded
        in_themes(TRIAL, Sheet("trial", "", ""), THEMES)


def settle(
    visual: Visual, raw: Raw, options: Options, every: bool = False, pictures: Library | None = None
) -> Settled | tuple[AuthorError, ...]:
    """The settled figure, or all errors that keep it from being published.

    every: run all checks of `lint`, and leave it to the caller which findings are errors. pictures: reads those that
    the drawing refers to by relative paths; None: it may refer to none.
    """
    active = checks.active(options.lint, every)
    if not every and "dark" not in visual.themes:
        active -= {"contrast"}  # a build checks contrast only for figures with a dark theme
    try:
        alt = fill(visual.alt, raw.facts, visual.at("alt"), options.limits.alt)
        at = visual.at("caption")
        most = options.limits.caption
        caption = fill(visual.caption, raw.facts, at, most) if visual.caption else None
        themes = themes_of(visual)
        forms = list(zip(themes, _normal(visual, raw, alt, themes, options, active, pictures), strict=True))
    except AuthorError as error:
        return (error,)
    except SvgError as error:
        return tuple(
            AuthorError(_place(visual, found.line, found.column), found.message)
            for found in (error, *error.others)
        )
    wrong = tuple(unmet(visual, raw.facts, forms[0][1].texts))
    if wrong:
        return wrong
    pages = tuple(Page(theme, form.svg, form.width, form.height) for theme, form in forms)
    drawn = (
        Warned(Origin(visual.source, remark.line), remark.message, remark.check)
        for remark in raw.remarks
        if remark.check in active
    )
    settled = (
        Warned(_place(visual, line), one_line(text), check)
        for _, form in forms
        for line, text, check in form.warnings
    )
    findings = dict.fromkeys((*drawn, *settled))
    if raw.unseen and "unseen-reads" in active:
        words = f"loads {one_line(raw.unseen)} and reads data that figmill cannot see here"
        findings[Warned(Origin(visual.source), f"{words}: name it under `inputs`", "unseen-reads")] = None
    excused = tuple(finding for finding in findings if finding.check in visual.lint)
    warnings = tuple(finding for finding in findings if finding.check not in visual.lint)
    level = checks.levels(options.lint)
    failing = [finding for finding in warnings if level[finding.check] == checks.ERROR and not every]
    return as_errors(failing, "an error in this book") or Settled(
        pages, alt, caption, raw.facts, warnings, excused
    )


def themes_of(visual: Visual) -> list[str]:
    """The themes that a figure is published in, the light one first."""
    return [theme for theme in THEMES if theme in visual.themes] or ["light"]


def _normal(
    visual: Visual,
    raw: Raw,
    alt: str,
    themes: Sequence[str],
    options: Options,
    active: frozenset[str],
    pictures: Library | None,
) -> tuple[Normal, ...]:
    """The normal form of each theme. Raises SvgError."""
    sheet = Sheet(
        figure=visual.label,
        title=visual.title or visual.caption or visual.label,
        desc=alt,
        font=options.font,
        mono=options.mono,
        colours=visual.colours,
        width=visual.width,
        pixels=round(options.limits.megapixels * 1_000_000),
        picture_bytes=options.limits.picture_bytes,
        background=options.background,
        palette=options.palette,
        checks=active,
        fonts=options.fonts,
    )
    return in_themes(raw.svg, sheet, themes, pictures)


def _place(visual: Visual, line: int | None, column: int | None = None) -> Origin:
    """The place in a hand drawing; for a renderer's SVG, which no author sees, only the source."""
    return Origin(visual.source, line, column) if KINDS[visual.kind].by_hand else Origin(visual.source)


def as_errors(findings: Iterable[Warned], why: str) -> tuple[AuthorError, ...]:
    """Findings as errors that keep a figure from being published. why: what makes them errors."""
    return tuple(AuthorError(f.origin, f"{f.message} [{f.check}: {why}]") for f in findings)


_NAME = r"[A-Za-z_]\w*"
# A doubled brace, a placeholder, or what is almost one: with blanks, an attribute or a conversion.
_FIELD = re.compile(
    rf"(?P<brace>{{{{|}}}})|{{(?P<name>{_NAME})(?:\[(?P<index>[0-9]{{1,3}})\])?(?::(?P<form>[^{{}}]*))?}}"
    rf"|{{[ ]*(?P<almost>{_NAME})[^{{}}]*(?:}}|$)"
)
_TEX = re.compile(r"(?:[_^]|\\[A-Za-z]+(?:{[^{}]*})*)$")  # after these a brace is a group of TeX: T_{step}
# Python's format specification, https://docs.python.org/3/library/string.html#formatspec, with numbers up to WIDE.
_FORM = re.compile(
    r"(?:.?[<>=^])?[-+ ]?z?#?0?(?P<width>[0-9]*)[_,]?(?:\.(?P<precision>[0-9]+))?[bcdeEfFgGnosxX%]?",
    re.DOTALL,
)
WIDE = 100  # characters that a placeholder may ask for


def fill(text: str, facts: Mapping[str, Fact], at: Origin, most: int = checks.ALT) -> str:
    """Replace `{name}`, `{name:.2f}` and `{name[0]}` by the fact of that name, `{{` and `}}` by a brace.

    Other braces stay. most: the most characters of the result. Raises AuthorError, also at a placeholder of no fact.
    """

    def value(match: re.Match[str]) -> str:
        if match["brace"]:
            return match["brace"][0]
        name = match["name"] or match["almost"]
        if match["name"] not in facts:
            if match["name"] is None or _TEX.search(text[: match.start()]):
                is_meant = name in facts or bool(did_you_mean(name, facts))
                if not is_meant:
                    return match[0]  # a set, or TeX
            raise AuthorError(at, _no_placeholder(match[0], name, facts))
        fact = facts[match["name"]]
        if match["index"] is not None:
            fact = _item(match[0], fact, int(match["index"]), at)
        shown = _shown(match[0], fact, match["form"] or "", at)
        _check_length(len(shown), most, at)  # one by one: many long facts would take much memory
        return shown

    filled = _FIELD.sub(value, text)
    _check_length(len(filled), most, at)
    return filled


def _item(placeholder: str, fact: Fact, index: int, at: Origin) -> Fact:
    """One item of a list that a figure states."""
    if not isinstance(fact, list | tuple):
        raise AuthorError(
            at, f"'{_short(placeholder)}': {_short(repr(fact))} is no list; leave [{index}] out"
        )
    if index >= len(fact):
        raise AuthorError(at, f"'{_short(placeholder)}': the list has {len(fact)} items, counted from 0")
    item: Fact = fact[index]
    return item


def _no_placeholder(written: str, name: str, facts: Mapping[str, Fact]) -> str:
    """Why a placeholder shows no fact."""
    if name in facts:
        return f"'{_short(written)}' is no placeholder; write {{{name}}}, or {{{name}:.2f}} with a format"
    stated = f"it states {_short(', '.join(facts))}" if facts else "it states none"
    near = did_you_mean(name, facts)
    advice = near or f"; {stated}; for a brace write {{{{ or }}}}"
    return f"'{_short(written)}': the figure states no fact '{_short(name)}'{advice}"


def _check_length(length: int, most: int, at: Origin) -> None:
    if length > most:
        words = f"has {length:,} characters with its facts filled in, at most {most} are allowed"
        raise AuthorError(
            at, f"this text {words}; show a shorter fact, or give it a precision as in {{x:.2f}}"
        )


def _shown(placeholder: str, fact: Fact, form: str, at: Origin) -> str:
    """A fact, formatted as its placeholder says."""
    try:
        if (match := _FORM.fullmatch(form)) is None:
            raise ValueError(f"'{_short(form)}' is no format; one is .2f, or >8")
        if any(len(digits.lstrip("0")) > 3 or int(digits) > WIDE for digits in match.groups("") if digits):
            raise ValueError(f"a width or a precision is at most {WIDE}")
        shown = format(fact, form)
        if unfit := unfit_in(shown):
            raise ValueError(f"that would be the character {unfit}")
        return shown
    except (ValueError, TypeError, OverflowError) as error:
        words = f"'{_short(placeholder)}' cannot show the fact {_short(repr(fact))}: {error}"
        raise AuthorError(at, words) from None


def _short(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:100]}…"


def unmet(visual: Visual, facts: Mapping[str, Fact], texts: tuple[str, ...]) -> Iterator[AuthorError]:
    """Each expectation that the drawing does not meet, at its own line."""
    yield from _unmet_counts(visual, facts)
    whole = " ".join(texts)
    for number, text in enumerate(visual.expect.text):
        if " ".join(text.split()) not in whole:
            at = visual.at("expect", "text", str(number))
            yield AuthorError(at, f"the text '{text}' is not in the figure", f"its texts: {whole[:400]}")
    for fact in visual.expect.facts:
        yield from _unmet_fact(visual, fact, facts)


def unmet_facts(visual: Visual, facts: Mapping[str, Fact]) -> Iterator[AuthorError]:
    """As `unmet`, without the texts: what the facts of a drawing alone can tell."""
    yield from _unmet_counts(visual, facts)
    for fact in visual.expect.facts:
        yield from _unmet_fact(visual, fact, facts)


def _unmet_counts(visual: Visual, facts: Mapping[str, Fact]) -> Iterator[AuthorError]:
    for name, wanted in visual.expect.counts.items():
        if facts.get(name) != wanted:
            drawn = _short(str(facts.get(name)))
            yield AuthorError(
                visual.at("expect", name), f"expected {_short(str(wanted))} {name}, drawn: {drawn}"
            )


def _unmet_fact(visual: Visual, expected: ExpectedFact, facts: Mapping[str, Fact]) -> Iterator[AuthorError]:
    at = visual.at("expect", "facts", expected.name)
    if expected.name not in facts:
        stated = _short(", ".join(facts)) or "none"
        yield AuthorError(at, f"the figure states no fact '{expected.name}'; it states: {stated}")
        return
    drawn, wanted = facts[expected.name], expected.value
    truth = isinstance(drawn, bool), isinstance(wanted, bool)  # a bool does not count as a number
    if not any(truth) and isinstance(drawn, int | float) and isinstance(wanted, int | float):
        if abs(wanted) >= 10**DIGITS and isinstance(wanted, int):
            text = f"{expected.name}: no fact can be the number {_short(str(wanted))}; one has at most {DIGITS} digits"
            yield AuthorError(at, text)
            return
        tolerance = max(expected.rel * abs(wanted), expected.abs)
        if abs(drawn - wanted) > tolerance:
            text = f"{expected.name}: expected {wanted}, drawn {drawn:.6g}, tolerance {tolerance:.3g}"
            yield AuthorError(at, text)
    elif drawn != wanted or truth[0] != truth[1]:
        text = f"{expected.name}: expected {_short(repr(wanted))}, drawn {_short(repr(drawn))}"
        yield AuthorError(at, text)
