"""The texts of a drawing in another language: each is replaced before the drawing is laid out. Standard library only.

A message is a text as the author wrote it. Its numbers count as placeholders `{1}`, `{2}`: texts that differ only in
numbers share a message, and the numbers follow the language. Unaware of catalogues, kinds and libraries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from figmill_timelines import language
from figmill_timelines.language import speaking as speaking

# 12, 0.25, 1,000.5; not the 16 of FP16, nor 1.2.3.
NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w]|[.,]\d)")
_DATE = re.compile(r"(?<!\d)(?:\d{4}-\d\d(?:-\d\d)?|\d\d?:\d\d(?::\d\d)?)(?!\d)")  # 2026-11-24, 10:30
_PLACE = re.compile(r"\{([1-9])\}")
# matplotlib's numbers on an axis
_DEFAULT = re.compile(r"(\\mathdefault\{[-\N{MINUS SIGN}]?)(\d+\.\d+)(?=\})")
_WORD = re.compile(r"[^\W\d_]{2,}")
# Texts of these alone need no translator.
_UNITS = frozenset(
    (
        "ns",
        "us",
        "µs",
        "μs",
        "ms",
        "min",
        "h",
        "kB",
        "MB",
        "GB",
        "TB",
        "PB",
        "KiB",
        "MiB",
        "GiB",
        "TiB",
        "kB/s",
        "MB/s",
        "GB/s",
        "TB/s",
        "Gbit/s",
        "Mbit/s",
        "bit/s",
        "Hz",
        "kHz",
        "MHz",
        "GHz",
        "px",
        "pt",
        "kW",
        "mW",
        "MW",
        "FLOP",
        "FLOPs",
        "FLOP/s",
        "GFLOP/s",
        "TFLOP/s",
        "PFLOP/s",
        "mm",
        "cm",
        "km",
        "kg",
    )
)
MOST = 1_000  # messages of a figure
LONGEST = 1_000  # characters of one


def template(text: str) -> str:
    """A text with `{1}`, `{2}` for its first nine numbers; a text with braces stays, and so does one with a date."""
    if "{" in text or "}" in text or _DATE.search(text):
        return text
    count = iter(range(1, 10))
    return NUMBER.sub(lambda match: match[0] if (n := next(count, None)) is None else f"{{{n}}}", text)


class Words:
    """The texts of a figure in one language.

    - asked: the messages that its drawing needs, in order.
    """

    def __init__(self, wording: Mapping[str, Any]) -> None:
        self.messages: Mapping[str, str] = wording.get("messages", {})
        self.decimal, self.group = wording.get("decimal", "."), wording.get("group", ",")
        self.names: Mapping[str, str] = wording.get("names", {})
        self.is_rtl = bool(wording.get("rtl"))
        self.asked: dict[str, None] = {}
        # Texts that are translated already, and the lines of such texts -> as they were written.
        self._given: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """The text in this language; the text itself if it has no translation. Notes its message."""
        translation = self.found(text)
        if translation is not None:
            return translation
        message = template(text)
        if len(message) <= LONGEST and len(self.asked) < MOST:
            self.asked[message] = None
        self._given.setdefault(text, text)
        return text

    def written(self, text: str) -> str:
        """A text of the drawing as its source had it, before it was translated."""
        return self._given.get(text, text)

    def found(self, text: str) -> str | None:
        """The text in this language, if that is known; None: it needs a translator."""
        if text in self._given:
            return text
        message = text
        translated = self.messages.get(text)
        if translated is None:
            message = template(text)
            translated = self.messages.get(message)
        if translated is None:
            return self._plain(text)
        self.asked[message] = None
        numbers = [match[0] for match in NUMBER.finditer(text)]
        filled = (
            _PLACE.sub(
                lambda match: (
                    self.number(numbers[int(match[1]) - 1]) if int(match[1]) <= len(numbers) else match[0]
                ),
                translated,
            )
            if message != text
            else translated
        )
        self._given.setdefault(filled, text)
        return filled

    def broken(self, lines: Iterable[str]) -> None:
        """Note the lines of a text that was asked for as a whole: they are not messages."""
        for line in lines:
            self._given.setdefault(line, line)

    def numbers(self, text: str) -> str:
        """A text with its numbers in the language's form."""
        return NUMBER.sub(lambda match: self.number(match[0]), text)

    def number(self, digits: str) -> str:
        """1,234.5 with the language's own signs."""
        signs = {",": self.group, ".": self.decimal}
        return "".join(signs.get(sign, sign) for sign in digits)

    def _plain(self, text: str) -> str | None:
        """A text without words, or with names of months and days alone; None for any other."""
        if "$" in text:
            translated = _DEFAULT.sub(
                lambda match: match[1] + match[2].replace(".", self._in_formula()), text
            )
            rest = re.sub(r"\\[A-Za-z]+", "", translated)
            if _WORD.search(rest) is None:
                self._given.setdefault(translated, text)
                return translated
            return None
        names = _WORD.findall(text)
        if all(word in self.names for word in names):
            translated = _WORD.sub(lambda match: self.names[match[0]], text)
        elif all(token in _UNITS or not _WORD.search(token) for token in re.split(r"[\s()\[\]=]+", text)):
            translated = text
        else:
            return None
        translated = translated if _DATE.search(translated) else self.numbers(translated)
        self._given.setdefault(translated, text)
        return translated

    def _in_formula(self) -> str:
        return f"{{{self.decimal}}}" if self.decimal != "." else "."


def current() -> Words | None:
    """The words of the figure that is being drawn; None: it is drawn in the book's own language."""
    return cast(Words | None, language.current())
