"""Placeholders: `{bubble_fraction:.1%}` in an alt text or caption becomes the figure's own number. Pure.

Unaware of drawings and of questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from figmill import checks
from figmill.errors import AuthorError, did_you_mean
from figmill.kind.answer import unfit_in
from figmill.model import Fact, Origin
from figmill_timelines import units

_NAME = r"[A-Za-z_]\w*"
# A doubled brace, a placeholder, or nearly one: with blanks, an attribute or a conversion.
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
WIDE = 100  # most characters of one placeholder


def fill(
    text: str, facts: Mapping[str, Fact], at: Origin, most: int = checks.ALT, say: Callable[[str], str] = str
) -> str:
    """Replace `{name}`, `{name:.2f}` and `{name[0]}` by the fact of that name, `{{` and `}}` by a brace.

    Other braces stay. most: the most characters of the result. say: writes numbers as a language does. Raises
    AuthorError, also for a placeholder without a fact.
    """

    def value(match: re.Match[str]) -> str:
        if match["brace"]:
            return match["brace"][0]
        name = match["name"] or match["almost"]
        if match["name"] not in facts:
            if match["name"] is None or _TEX.search(text[: match.start()]):
                is_meant = name in facts or bool(did_you_mean(name, facts))
                if not is_meant:
                    return match[0]  # set notation, or TeX
            raise AuthorError(at, _no_placeholder(match[0], name, facts))
        fact = facts[match["name"]]
        if match["index"] is not None:
            fact = _item(match[0], fact, int(match["index"]), at)
        shown = say(_shown(match[0], fact, match["form"] or "", match["name"], at))
        _check_length(len(shown), most, at)  # each one: many long facts would take much memory
        return shown

    filled = _FIELD.sub(value, text)
    _check_length(len(filled), most, at)
    return filled


def _item(placeholder: str, fact: Fact, index: int, at: Origin) -> Fact:
    """One item of a list-valued fact."""
    if not isinstance(fact, list | tuple):
        raise AuthorError(
            at, f"'{short(placeholder)}': {short(repr(fact))} is not a list; leave [{index}] out"
        )
    if index >= len(fact):
        raise AuthorError(at, f"'{short(placeholder)}': the list has {len(fact)} items, counted from 0")
    item: Fact = fact[index]
    return item


def _no_placeholder(written: str, name: str, facts: Mapping[str, Fact]) -> str:
    """The message for a placeholder that shows no fact."""
    if name in facts:
        return f"'{short(written)}' is not a placeholder; write {{{name}}}, or {{{name}:.2f}} with a format"
    stated = f"it states {short(', '.join(facts))}" if facts else "it states none"
    near = did_you_mean(name, facts)
    advice = near or f"; {stated}; for a brace write {{{{ or }}}}"
    return f"'{short(written)}': the figure states no fact '{short(name)}'{advice}"


def _check_length(length: int, most: int, at: Origin) -> None:
    if length > most:
        phrase = f"has {length:,} characters with its facts filled in, at most {most} are allowed"
        raise AuthorError(
            at, f"this text {phrase}; show a shorter fact, or give it a precision as in {{x:.2f}}"
        )


def _shown(placeholder: str, fact: Fact, form: str, name: str, at: Origin) -> str:
    """A fact of this name in the format of its placeholder."""
    try:
        if units.FORM.fullmatch(form):
            return units.stated(fact, form, name)
        if (match := _FORM.fullmatch(form)) is None:
            raise ValueError(
                f"'{short(form)}' is not a format; write .2f, >8, or si for a number with its unit"
            )
        if any(len(digits.lstrip("0")) > 3 or int(digits) > WIDE for digits in match.groups("") if digits):
            raise ValueError(f"a width or a precision is at most {WIDE}")
        shown = format(fact, form)
        if unfit := unfit_in(shown):
            raise ValueError(f"the result would be the character {unfit}")
        return shown
    except (ValueError, TypeError, OverflowError) as error:
        message = f"'{short(placeholder)}' cannot show the fact {short(repr(fact))}: {error}"
        raise AuthorError(at, message) from None


def short(text: str, most: int = 100) -> str:
    """The beginning of a text, for quoting in a message."""
    return text if len(text) <= most else f"{text[:most]}…"
