"""The catalogues of translations: one gettext file per language, `locale/<language>.po` in the first folder of sources.

A message has a context: the figure's label for the text in its drawing; the label and `title`, `alt`, `caption` or
`describe` for those of its question. A message without a context translates its text wherever a figure has no
translation of its own. babel is loaded only for a book with other languages.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cache
from typing import Any

from figmill.errors import ToolError
from figmill.late_dataclasses import dataclass

FOLDER = "locale"
TEXTS = ("title", "alt", "caption", "describe")
_PLACE = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*|[1-9])[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Language:
    """A language: the signs in its numbers, and its names of months and days by their English names."""

    decimal: str = "."
    group: str = ","
    names: Mapping[str, str] = field(default_factory=dict)
    is_rtl: bool = False


@dataclass(frozen=True, slots=True)
class MessageCatalogue:
    """The translations of one language: context -> message -> text; the context None applies to every figure."""

    path: str
    messages: Mapping[str | None, Mapping[str, str]] = field(default_factory=dict)
    untranslated: Mapping[str | None, frozenset[str]] = field(default_factory=dict)

    def of(self, context: str) -> dict[str, str]:
        """The messages of a context; where it has no translation, those of the whole book."""
        messages = self.messages.get(context, {})
        shared = self.messages.get(None, {})
        fallbacks = {text: shared[text] for text in self.untranslated.get(context, ()) if text in shared}
        return {**fallbacks, **messages}

    def text(self, label: str, key: str, written: str | None) -> str | None:
        """The translation of a text of a question; None if there is none."""
        if not written:
            return None
        message = self.messages.get(f"{label} {key}", {}).get(written)
        return message or self.messages.get(None, {}).get(written)


def path_of(folder: str, language: str) -> str:
    """The catalogue of a language. folder: the first one of sources."""
    return f"{folder}/{FOLDER}/{language}.po"


def is_one(path: str) -> bool:
    """Whether a file is a catalogue, by its name."""
    return path.endswith(".po") and path.split("/")[-2:-1] == [FOLDER]


def read(path: str, data: bytes | None) -> MessageCatalogue:
    """A catalogue; an empty one if there is no file. Raises ToolError at the line that is wrong.

    Leaves out fuzzy messages, as gettext does, and those whose placeholders differ from those of the original.
    """
    if data is None:
        return MessageCatalogue(path)
    messages: dict[str | None, dict[str, str]] = {}
    missing: dict[str | None, set[str]] = {}
    for message in parsed(path, data):
        if not isinstance(message.id, str) or not message.id or not isinstance(message.string, str):
            continue
        if message.string and not message.fuzzy and not unknown_places(message.id, message.string):
            messages.setdefault(message.context, {})[message.id] = message.string
        else:
            missing.setdefault(message.context, set()).add(message.id)
    return MessageCatalogue(path, messages, {context: frozenset(texts) for context, texts in missing.items()})


def parsed(path: str, data: bytes) -> Any:
    """The file as babel's catalogue. Raises ToolError."""
    pofile = _babel("babel.messages.pofile")
    try:
        return pofile.read_po(io.BytesIO(data), abort_invalid=True)
    except pofile.PoFileError as error:
        raise ToolError(f"{path}:{error.lineno + 1}: not a line of a .po file: {error}") from None
    except (ValueError, LookupError) as error:
        raise ToolError(f"{path}: is not a .po file in UTF-8: {error}") from None


def unknown_places(original: str, text: str) -> list[str]:
    """The placeholders of a translation that its original lacks."""
    names = {match[1] for match in _PLACE.finditer(original)}
    return [match[0] for match in _PLACE.finditer(text) if match[1] and match[1] not in names]


@cache
def language(code: str) -> Language:
    """Babel's data for a language; English signs for a language that babel lacks. Raises ToolError without babel."""
    babel = _babel("babel")
    numbers = _babel("babel.numbers")
    try:
        locale = babel.Locale.parse(code.replace("-", "_"))
    except (ValueError, babel.UnknownLocaleError):
        return Language()
    english = babel.Locale("en")
    names: dict[str, str] = {}
    for field_ in ("months", "days"):
        for width in ("wide", "abbreviated"):
            mine, theirs = (getattr(side, field_)["format"][width] for side in (locale, english))
            for number, name in theirs.items():
                names.setdefault(name, mine[number])
    return Language(
        numbers.get_decimal_symbol(locale),
        numbers.get_group_symbol(locale),
        names,
        locale.text_direction == "rtl",
    )


def _babel(module: str) -> Any:
    from importlib import import_module  # babel takes longer to load than a build without changes

    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise ToolError("other languages need the package babel: pip install 'figmill[languages]'") from None


@dataclass(slots=True)
class Catalogues:
    """The catalogues of a book, each read when a figure needs it."""

    folder: str
    read: Callable[[str], bytes | None]  # a file below the root
    known: dict[str, MessageCatalogue] = field(default_factory=dict)

    def of(self, code: str) -> MessageCatalogue:
        path = path_of(self.folder, code)
        if code not in self.known:
            self.known[code] = read(path, self.read(path))
        return self.known[code]
