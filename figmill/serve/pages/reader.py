"""Who reads a live page: the language they have chosen, and where a click on a place of the book leads. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from pathlib import Path
from urllib.parse import quote

from figmill.engine.resident.views import FigureView
from figmill.late_dataclasses import dataclass
from figmill.model import Published
from figmill.page_words import Speech
from figmill.wording import Words

IN = "/in"  # before the code of a language in an address


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader of the pages.

    - speech: their language.
    - languages: of the book, its own first.
    """

    root: Path
    editor: str | None = None
    speech: Speech = field(default_factory=Speech)
    languages: tuple[str, ...] = ("en",)

    @property
    def base(self) -> str:
        """What the addresses of their pages begin with."""
        return self.base_of(self.speech.language)

    def base_of(self, language: str) -> str:
        return "" if language == self.languages[0] else f"{IN}/{quote(language)}"

    def into(self, language: str | None) -> Reader:
        """The same reader in a language of the book; None: the book's own."""
        return replace(self, speech=self.speech.into(language or self.languages[0]))

    def page_of(self, name: str) -> str:
        """The address of a figure's own page."""
        return f"{self.base}/figure/{quote(name)}"

    def seen(self, view: FigureView) -> Published | None:
        """A figure as it is published in their language; in the book's own if it has no such edition."""
        return view.published.in_language(self.speech.language) if view.published else None

    def numbers(self, view: FigureView) -> Callable[[str], str]:
        """Writes numbers with the signs of their language."""
        for edition in view.published.editions if view.published else ():
            if edition.language == self.speech.language:
                return Words({"decimal": edition.decimal, "group": edition.group}).numbers
        return str
