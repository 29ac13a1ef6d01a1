"""The language of a chart: a caller may supply a translator, which translates each text before its layout."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Translator(Protocol):
    """Turns the texts of one figure into another language.

    It is called with a text as the author wrote it. `broken` receives the lines of a text that it has translated: they
    are shown one by one, and need no translation of their own.
    """

    def __call__(self, text: str) -> str: ...

    def broken(self, lines: Iterable[str]) -> None: ...


_translator: ContextVar[Translator | None] = ContextVar("translator", default=None)


@contextmanager
def speaking(translator: Translator | None) -> Iterator[None]:
    """While the context is open, charts are in the language of this translator."""
    token = _translator.set(translator)
    try:
        yield
    finally:
        _translator.reset(token)


def current() -> Translator | None:
    """The translator of the chart that is being drawn; None: texts are not translated."""
    return _translator.get()


def in_lines(text: str, lines_of: Callable[[str], list[str]]) -> list[str]:
    """A text in the language of the chart, broken into lines by a function."""
    translator = current()
    lines = lines_of(text if translator is None else translator(text))
    if translator is not None:
        translator.broken(lines)
    return lines
