"""The labels in the sources of kinds whose programs do the layout, found by each language's syntax. Pure.

A pattern has one group, the text. Text that only looks like a label does not change unless somebody translates it. Line
breaks stay, so that an error has its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from figmill.wording import Words


@dataclass(frozen=True, slots=True)
class Labels:
    """Where a language has labels. skipped: text without labels. is_json: text is escaped as in JSON."""

    patterns: tuple[re.Pattern[str], ...]
    skipped: re.Pattern[str]
    is_json: bool = False


def _labels(skipped: str, *patterns: str, is_json: bool = False) -> Labels:
    compiled = tuple(re.compile(pattern, re.MULTILINE) for pattern in patterns)
    return Labels(compiled, re.compile(skipped, re.MULTILINE), is_json)


_QUOTED = r'"([^"\n]+)"'
_NO_D2 = (
    r"(?<!shape)(?<!direction)(?<!near)(?<!icon)(?<!class)(?<!link)(?<!width)(?<!height)(?<!constraint)(?<!vars)"
    r"(?<!style)(?<!fill)(?<!stroke)(?<!font-size)(?<!opacity)(?<!dash)(?<!radius)(?<!color)(?<!shadow)(?<!bold)"
    r"(?<!animated)(?<!filled)(?<!theme-id)(?<!layout-engine)(?<!grid-rows)(?<!grid-columns)(?<!grid-gap)(?<!pad)"
    r"(?<!multiple)(?<!italic)(?<!underline)(?<!border)(?<!3d)(?<!text-transform)(?<!stroke-width)"
)
LABELS: Mapping[str, Labels] = MappingProxyType(
    {
        "mermaid": _labels(
            r"%%[^\n]*|^\s*(?:classDef|class|style|linkStyle|click|accTitle|accDescr|direction)\b[^\n]*|\A---\n.*?\n---$",
            _QUOTED,
            r"^\s*(?:participant|actor)\s+\S+\s+as\s+(\S[^\n]*?)\s*$",
            r"^\s*(?:title|section|loop|alt|else|opt|par|and|critical|break|Note[^:\n]*:|note[^:\n]*:)\s+(\S[^\n]*?)\s*$",
            r"^(?!\s*(?:flowchart|graph)\b)[^\n:\[\](){}|\"]*(?:-[->)x]+|[o|}{*<.]+[-.]+[o|}{*>.]*)[^\n:]*:\s*([^\"\s\n][^\n]*?)\s*$",
            r"\w(?:\[\[|\[\(|\(\[|\(\(|\[|\(|\{\{|\{|>)([^\[\](){}|\"\n/\\]+?)(?:\]\]|\)\]|\]\)|\)\)|\]|\)|\}\}|\})",
            r"\|([^|\"\n]+)\|",
            r"(?:--|==|-\.)\s+([^-=.|>\"\n]+?)\s+(?:-->|---|==>|\.->)",
        ),
        "d2": _labels(
            r"#[^\n]*|\|`?(?:md|tex|latex)\b.*?`?\||\b(?:style|vars|classes)\b[^\n{]*\{[^}]*\}",
            _QUOTED,
            rf"[^\s:{{]{_NO_D2}:[ \t]+([^\s\"'{{|#;$&*][^\n{{;#|\"]*?)[ \t]*(?=[{{;#]|$)",
        ),
        "plantuml": _labels(
            r"^\s*(?:'|!|skinparam|hide|show|left to|top to|@)[^\n]*|^\s*<style>.*?</style>",
            _QUOTED,
            r"^\s*(?:title|caption|header|footer|legend|group|loop|alt|else|opt|par|note[^:\n]*:|==)\s+(\S[^\n=]*?)\s*(?:==)?$",
            r"^\s*:([^;\n]+);",
            r"^[^\n:\"]*(?:[-.]+[->xo\\/|*]+|<[-.]+)[^\n:]*:\s*(\S[^\n]*?)\s*$",
            r"\((\w[^()\n]*)\)",
        ),
        "wavedrom": _labels(
            r"//[^\n]*",
            r"\b(?:name|text|tick|tock)[\"']?\s*:\s*[\"']([^\"'\n]+)[\"']",
            r"(?<=[\[,\s])[\"']([^\"'\n]*\w{2}[^\"'\n]*)[\"'](?=\s*[,\]])",
        ),
        "vega-lite": _labels(
            r"(?!)",
            r'"(?:title|text|subtitle|description|label)"\s*:\s*"((?:[^"\\]|\\.)+)"',
            is_json=True,
        ),
    }
)


def translated(text: str, kind: str, words: Words) -> str:
    """A source with its labels in another language."""
    labels = LABELS[kind]
    taken = [match.span() for match in labels.skipped.finditer(text)]
    found: dict[tuple[int, int], str] = {}
    for pattern in labels.patterns:
        for match in pattern.finditer(text):
            start, end = match.span(1)
            if any(first < end and start < last for first, last in taken):
                continue
            taken.append((start, end))
            found[start, end] = match[1]
    for (start, end), written in sorted(found.items(), reverse=False):
        found[start, end] = _translated(written, words, labels.is_json)
    for (start, end), translated in sorted(found.items(), reverse=True):
        text = text[:start] + translated + text[end:]
    return text


def _translated(written: str, words: Words, is_json: bool) -> str:
    if not is_json:
        return words(written).replace("\n", " ").replace('"', "\N{RIGHT DOUBLE QUOTATION MARK}")
    try:
        plain = json.loads(f'"{written}"', strict=False)
    except ValueError:
        return written
    translated = words(plain)
    return written if translated == plain else json.dumps(translated, ensure_ascii=False)[1:-1]
