"""Errors in a declaration that its source or the settings show, such as a key of another kind or a text too long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from figmill.book.fields import COUNTED, WITH_LAYOUTS
from figmill.book.question import Declaration, Question
from figmill.book.sources import Source, rendered_name
from figmill.config import Options
from figmill.errors import AuthorError
from figmill.kinds import KINDS, is_script


def misplaced(declaration: Declaration, source: Source) -> Iterator[AuthorError]:
    """Errors for keys that do not apply to the figure's kind."""
    name = source.path.rpartition("/")[2]
    kind = KINDS[source.kind]
    if declaration.params and not is_script(name):
        message = f"params are arguments of a script's draw(), and '{name}' is not a script"
        yield AuthorError(declaration.at("params"), message)
    if declaration.explore and not is_script(name):
        message = (
            f"explore lists values for a script's draw(), and '{name}' is not a script; leave explore out"
        )
        yield AuthorError(declaration.at("explore"), message)
    if declaration.narrow and not is_script(name):
        message = (
            f"narrow gives a script's draw() other params, and '{name}' is not a script; leave narrow out"
        )
        yield AuthorError(declaration.at("narrow"), message)
    if declaration.narrow and declaration.explore:
        message = "a figure has explore or narrow, not both; leave one out"
        yield AuthorError(declaration.at("narrow"), message)
    if declaration.figure and not kind.names_figures(in_script=is_script(name)):
        message = f"figure chooses one of several that a script for {_with_whole_scripts()} draws; '{name}' draws one"
        yield AuthorError(declaration.at("figure"), message)
    if declaration.engine and declaration.engine not in kind.layouts:
        message = (
            f"engine is the layout of a graph; it works only with kind {_with_layouts()}, not {source.kind}"
        )
        yield AuthorError(declaration.at("engine"), message)
    for key in declaration.expect.counts:
        if key not in kind.counts:
            message = f"{key} can be counted only in kind {_any(COUNTED[key])}, not {source.kind}"
            yield AuthorError(declaration.at("expect", key), message)


def _with_layouts() -> str:
    return _any(WITH_LAYOUTS)


def _any(names: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _with_whole_scripts() -> str:
    kinds = (
        name for name, kind in KINDS.items() if kind.scripts.run_whole and any(map(is_script, kind.suffixes))
    )
    return " or ".join(kinds)


def name_errors(question: Question, declaration: Declaration) -> Iterator[AuthorError]:
    name = rendered_name(question, declaration)
    if name.casefold().endswith(".dark.svg"):
        at = declaration.at("rendered" if declaration.rendered else "path")
        yield AuthorError(at, f"'{name}' must not end in .dark.svg, which marks dark figures")


def length_errors(declaration: Declaration, options: Options) -> Iterator[AuthorError]:
    """Errors for texts that are longer than the book's limits."""
    limits = options.limits
    for key, text, most in (
        ("alt", declaration.alt, limits.alt),
        ("caption", declaration.caption or "", limits.caption),
    ):
        if len(text) > most:
            message = f"{key} has {len(text):,} characters, at most {most:,} are allowed"
            yield AuthorError(declaration.at(key), f"{message}; `limits.{key}` in the settings allows more")
