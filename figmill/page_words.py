"""The words that figmill itself writes into a page, in the page's language.

`locale/` has a gettext catalogue for each language; figmill.pot has the English texts, each with the place where it
appears: a page, the gallery, `watch`, or a script of `watch`. The catalogues are figmill's own, so they are read here
without babel, in the one form that they have: each string on one line. A book's setting `words` goes first. A language
or a text that is not here stays English. Other scripts of a page (figmill-explore.js, figmill-zoom.js) have their own
words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cache
from types import MappingProxyType

from figmill.late_dataclasses import dataclass
from figmill.paths import PACKAGE

SUMMARY = "Description and data"
SUMMARY_OF = "Description and data: {}"
DATA = "Data:"
MARK = "Out of date: the last build of this figure failed."
PART = "{title}: {shown} of {total} rows"
COUNT = "{title}: {count}"
NODES, EDGES = "Nodes", "Edges"  # the titles of tables that figmill makes
BOTH, NO_ARROW = "both ways", "no arrow"
ONE_TO_MANY = "{} to {}"
# The columns of descriptions whose cells are figmill's words.
OWN_CELLS = ("kind", "status", "how many from", "how many to", "place", "state")
SINGULARS = {"classes": "class", "entities": "entity"}
LANGUAGES = ("ar", "de", "es", "fr", "it", "ja", "pt", "zh")  # each with its catalogue


@cache
def english(place: str = "") -> tuple[str, ...]:
    """The English texts of a place (page, gallery, serve, serve script), or of all."""
    return tuple(text for at, text, _ in _messages("figmill.pot") if place in ("", at))


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """English -> a language; empty for one without a catalogue."""
    if language not in LANGUAGES:
        return MappingProxyType({})
    return MappingProxyType({text: translation for _, text, translation in _messages(f"{language}.po")})


def _messages(name: str) -> list[tuple[str, str, str]]:
    """The place, the text and its translation of each message; the header has no place, and is left out."""
    messages = []
    place = text = ""
    for line in PACKAGE.joinpath("locale", name).read_text(encoding="utf-8").splitlines():
        keyword, _, quoted = line.partition(" ")
        if keyword == "msgctxt":
            place = json.loads(quoted)
        elif keyword == "msgid":
            text = json.loads(quoted)
        elif keyword == "msgstr" and place:
            messages.append((place, text, json.loads(quoted)))
    return messages


# The names of languages in these languages, for those who choose one; a code for any other.
NAMES: Mapping[str, str] = MappingProxyType(
    {
        "ar": "العربية",
        "bg": "Български",
        "bn": "বাংলা",
        "ca": "Català",
        "cs": "Čeština",
        "da": "Dansk",
        "de": "Deutsch",
        "el": "Ελληνικά",
        "en": "English",
        "es": "Español",
        "et": "Eesti",
        "fa": "فارسی",
        "fi": "Suomi",
        "fr": "Français",
        "he": "עברית",
        "hi": "हिन्दी",
        "hr": "Hrvatski",
        "hu": "Magyar",
        "id": "Bahasa Indonesia",
        "it": "Italiano",
        "ja": "日本語",
        "ko": "한국어",
        "lt": "Lietuvių",
        "lv": "Latviešu",
        "nb": "Norsk bokmål",
        "nl": "Nederlands",
        "pl": "Polski",
        "pt": "Português",
        "pt-br": "Português (Brasil)",
        "ro": "Română",
        "ru": "Русский",
        "sk": "Slovenčina",
        "sl": "Slovenščina",
        "sr": "Српски",
        "sv": "Svenska",
        "th": "ไทย",
        "tr": "Türkçe",
        "uk": "Українська",
        "ur": "اردو",
        "vi": "Tiếng Việt",
        "zh": "中文",
        "zh-cn": "简体中文",
        "zh-tw": "繁體中文",
    }
)
RIGHT_TO_LEFT = frozenset(("ar", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi"))


def translated(text: str, language: str, own: Mapping[str, Mapping[str, str]]) -> str:
    """A text in a language, or in its general form: `de` for de-AT. own: the book's words by language."""
    codes = _codes(language)
    for texts in (*(own.get(code, {}) for code in codes), *map(catalogue, codes)):
        if text in texts:
            return texts[text]
    return text


def _codes(language: str) -> tuple[str, str]:
    """A language as its code is written here, and its general form."""
    code = language.casefold().replace("_", "-")
    return code, code.partition("-")[0]


@dataclass(frozen=True, slots=True)
class Speech:
    """The words of a page in its language."""

    language: str = "en"
    own: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # the book's words by language

    def __call__(self, text: str, *values: object) -> str:
        """A text in this language, with these values in its places {0}, {1}."""
        sentence = translated(text, self.language, self.own)
        for at, value in enumerate(values):
            sentence = sentence.replace(f"{{{at}}}", str(value))
        return sentence

    def count(self, one: str, many: str, number: int, shown: str = "") -> str:
        """`1 figure`, `2 figures`. shown: the number as readers of this language write it."""
        return self(one) if number == 1 else self(many, shown or number)

    def of(self, texts: Iterable[str]) -> dict[str, str]:
        """The texts that differ from the English ones, for a script."""
        return {text: translation for text in texts if (translation := self(text)) != text}

    def into(self, language: str) -> Speech:
        return Speech(language, self.own)

    @property
    def code(self) -> str:
        """The value of the attribute `lang`."""
        return self.language.replace("_", "-")

    @property
    def direction(self) -> str:
        """The value of the attribute `dir`."""
        return "rtl" if _codes(self.language)[1] in RIGHT_TO_LEFT else "ltr"

    @property
    def name(self) -> str:
        """The language's own name for itself."""
        code, general = _codes(self.language)
        return NAMES.get(code) or (f"{NAMES[general]} ({self.code})" if general in NAMES else self.code)
