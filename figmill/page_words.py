"""The words that figmill itself writes into a page, in the page's language. Pure.

A book's setting `words` goes first. A language or a word that is not here stays English. The scripts of a page
(figmill-explore.js, figmill-zoom.js) have their own words.
"""

from __future__ import annotations

from collections.abc import Mapping
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
            "Veraltet: Der letzte Bau dieser Abbildung ist fehlgeschlagen.",
            "{title}: {shown} von {total} Zeilen", "{title}: {count}",
            "Knoten", "Kanten", "in beide Richtungen", "ohne Pfeil",
        ),
        "es": _in(
            "Descripción y datos", "Descripción y datos: {}", "Datos:",
            "Desactualizado: la última generación de esta figura falló.",
            "{title}: {shown} de {total} filas", "{title}: {count}",
            "Nodos", "Aristas", "en ambos sentidos", "sin flecha",
        ),
        "fr": _in(
            "Description et données", "Description et données : {}", "Données :",
            "Périmé : la dernière génération de cette figure a échoué.",
            "{title} : {shown} lignes sur {total}", "{title} : {count}",
            "Nœuds", "Arêtes", "dans les deux sens", "sans flèche",
        ),
        "it": _in(
            "Descrizione e dati", "Descrizione e dati: {}", "Dati:",
            "Non aggiornato: l’ultima generazione di questa figura è fallita.",
            "{title}: {shown} righe su {total}", "{title}: {count}",
            "Nodi", "Archi", "in entrambe le direzioni", "senza freccia",
        ),
        "ja": _in(
            "説明とデータ", "説明とデータ：{}", "データ：",
            "古い図です：この図の直近のビルドは失敗しました。", "{title}：{total}行中{shown}行", "{title}：{count}",
            "ノード", "エッジ", "双方向", "矢印なし",
        ),
        "pt": _in(
            "Descrição e dados", "Descrição e dados: {}", "Dados:",
            "Desatualizado: a última geração desta figura falhou.",
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


def translated(text: str, language: str, own: Mapping[str, Mapping[str, str]]) -> str:
    """A text of ENGLISH in a language, or in its general form: `de` for de-AT. own: the book's words by language."""
    code = language.casefold().replace("_", "-")
    codes = (code, code.partition("-")[0])
    for words in (*(own.get(one, {}) for one in codes), *(WORDS.get(one, {}) for one in codes)):
        if text in words:
            return words[text]
    return text
