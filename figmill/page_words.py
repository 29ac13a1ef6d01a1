"""The words that figmill itself writes into a page, in the page's language. Pure.

A book's setting `words` goes first. A language or a word that is not here stays English. The scripts of a page
(figmill-explore.js, figmill-zoom.js) have their own words; those of the gallery and of `serve` are in gallery_words.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

SUMMARY = "Description and data"
SUMMARY_OF = "Description and data: {}"
DATA = "Data:"
MARK = "Out of date: the last build of this figure failed."
PART = "{title}: {shown} of {total} rows"
COUNT = "{title}: {count}"
NODES, EDGES = "Nodes", "Edges"  # the titles of tables that figmill makes
BOTH, NO_ARROW = "both ways", "no arrow"
ENGLISH = (SUMMARY, SUMMARY_OF, DATA, MARK, PART, COUNT, NODES, EDGES, BOTH, NO_ARROW)


def _in(*words: str) -> Mapping[str, str]:
    return MappingProxyType(dict(zip(ENGLISH, words, strict=True)))


WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "ar": _in(
            "الوصف والبيانات", "الوصف والبيانات: {}", "البيانات:",
            "غير محدّث: فشل آخر إنشاء لهذا الشكل.", "{title}: {shown} من {total} صفًا", "{title}: {count}",
            "العقد", "الروابط", "في الاتجاهين", "بلا سهم",
        ),
        "de": _in(
            "Beschreibung und Daten", "Beschreibung und Daten: {}", "Daten:",
            "Veraltet: Der letzte Build dieser Abbildung ist fehlgeschlagen.",
            "{title}: {shown} von {total} Zeilen", "{title}: {count}",
            "Knoten", "Kanten", "in beide Richtungen", "ohne Pfeil",
        ),
        "es": _in(
            "Descripción y datos", "Descripción y datos: {}", "Datos:",
            "Desactualizada: la última generación de esta figura ha fallado.",
            "{title}: {shown} de {total} filas", "{title}: {count}",
            "Nodos", "Aristas", "en ambos sentidos", "sin flecha",
        ),
        "fr": _in(
            "Description et données", "Description et données : {}", "Données :",
            "Obsolète : la dernière génération de cette figure a échoué.",
            "{title} : {shown} lignes sur {total}", "{title} : {count}",
            "Nœuds", "Arêtes", "dans les deux sens", "sans flèche",
        ),
        "it": _in(
            "Descrizione e dati", "Descrizione e dati: {}", "Dati:",
            "Non aggiornata: l’ultima generazione di questa figura non è riuscita.",
            "{title}: {shown} righe su {total}", "{title}: {count}",
            "Nodi", "Archi", "in entrambe le direzioni", "senza freccia",
        ),
        "ja": _in(
            "説明とデータ", "説明とデータ：{}", "データ：",
            "最新ではありません：この図の直近のビルドは失敗しました。",
            "{title}：全{total}行中{shown}行", "{title}：{count}",
            "ノード", "エッジ", "双方向", "矢印なし",
        ),
        "pt": _in(
            "Descrição e dados", "Descrição e dados: {}", "Dados:",
            "Desatualizada: a última geração desta figura falhou.",
            "{title}: {shown} de {total} linhas", "{title}: {count}",
            "Nós", "Arestas", "nos dois sentidos", "sem seta",
        ),
        "zh": _in(
            "说明与数据", "说明与数据：{}", "数据：",
            "已过时：此图最近一次构建失败。", "{title}：共{total}行，显示{shown}行", "{title}：{count}",
            "节点", "边", "双向", "无箭头",
        ),
    }
)  # fmt: skip


# The names of languages in these languages, for those who choose one; a code for any other.
NAMES: Mapping[str, str] = MappingProxyType(
    {
        "ar": "العربية", "bg": "Български", "bn": "বাংলা", "ca": "Català", "cs": "Čeština", "da": "Dansk",
        "de": "Deutsch", "el": "Ελληνικά", "en": "English", "es": "Español", "et": "Eesti", "fa": "فارسی",
        "fi": "Suomi", "fr": "Français", "he": "עברית", "hi": "हिन्दी", "hr": "Hrvatski", "hu": "Magyar",
        "id": "Bahasa Indonesia", "it": "Italiano", "ja": "日本語", "ko": "한국어", "lt": "Lietuvių", "lv": "Latviešu",
        "nb": "Norsk bokmål", "nl": "Nederlands", "pl": "Polski", "pt": "Português", "pt-br": "Português (Brasil)",
        "ro": "Română", "ru": "Русский", "sk": "Slovenčina", "sl": "Slovenščina", "sr": "Српски", "sv": "Svenska",
        "th": "ไทย", "tr": "Türkçe", "uk": "Українська", "ur": "اردو", "vi": "Tiếng Việt", "zh": "中文",
        "zh-cn": "简体中文", "zh-tw": "繁體中文",
    }
)  # fmt: skip
RIGHT_TO_LEFT = frozenset(("ar", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi"))


def translated(text: str, language: str, own: Mapping[str, Mapping[str, str]]) -> str:
    """A text in a language, or in its general form: `de` for de-AT. own: the book's words by language."""
    codes = _codes(language)
    for words in (*(own.get(one, {}) for one in codes), *(WORDS.get(one, {}) for one in codes)):
        if text in words:
            return words[text]
    if codes[-1] not in WORDS:
        return text
    from figmill import gallery_words  # few books need it

    row = gallery_words.ROWS.get(text)
    return text if row is None else row[gallery_words.LANGUAGES.index(codes[-1])]


def _codes(language: str) -> tuple[str, str]:
    """A language as its code is written here, and its general form."""
    code = language.casefold().replace("_", "-")
    return code, code.partition("-")[0]


@dataclass(frozen=True, slots=True)
class Speech:
    """The words of a page in its language. own: the book's words by language."""

    language: str = "en"
    own: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __call__(self, text: str, *values: object) -> str:
        """A text in this language, with these values in its places {0}, {1}."""
        found = translated(text, self.language, self.own)
        for at, value in enumerate(values):
            found = found.replace(f"{{{at}}}", str(value))
        return found

    def count(self, one: str, many: str, number: int, shown: str = "") -> str:
        """`1 figure`, `2 figures`. shown: the number as readers of this language write it."""
        return self(one) if number == 1 else self(many, shown or number)

    def of(self, texts: Iterable[str]) -> dict[str, str]:
        """The texts that differ from the English ones, for a script."""
        return {text: said for text in texts if (said := self(text)) != text}

    def into(self, language: str) -> Speech:
        return Speech(language, self.own)

    @property
    def code(self) -> str:
        """As the attribute `lang` has it."""
        return self.language.replace("_", "-")

    @property
    def direction(self) -> str:
        """As the attribute `dir` has it."""
        return "rtl" if _codes(self.language)[1] in RIGHT_TO_LEFT else "ltr"

    @property
    def name(self) -> str:
        """The language's own name for itself."""
        code, general = _codes(self.language)
        return NAMES.get(code) or (f"{NAMES[general]} ({self.code})" if general in NAMES else self.code)
