"""The labels in the sources of kinds whose programs do the layout, found by each language's syntax. Pure.

A pattern has one group, the text. Text that only looks like a label does not change unless somebody translates it. Line
breaks stay, so that an error has its line.
"""

from __future__ import annotations

import json
import re

from figmill.late_dataclasses import dataclass
from figmill.wording import Words


@dataclass(frozen=True, slots=True)
class Labels:
    """Where a language has its labels. skipped: matches text without labels. is_json: text is escaped as in JSON."""

    patterns: tuple[re.Pattern[str], ...]
    skipped: re.Pattern[str]
    is_json: bool = False


def labels(skipped: str, *patterns: str, is_json: bool = False) -> Labels:
    """Labels from patterns as text, in which ^ and $ are the ends of a line."""
    compiled = tuple(re.compile(pattern, re.MULTILINE) for pattern in patterns)
    return Labels(compiled, re.compile(skipped, re.MULTILINE), is_json)


QUOTED = r'"([^"\n]+)"'


def translated(text: str, labels: Labels, words: Words) -> str:
    """A source with its labels in another language."""
    taken = [match.span() for match in labels.skipped.finditer(text)]
    texts: dict[tuple[int, int], str] = {}
    for pattern in labels.patterns:
        for match in pattern.finditer(text):
            start, end = match.span(1)
            if any(first < end and start < last for first, last in taken):
                continue
            taken.append((start, end))
            texts[start, end] = match[1]
    for (start, end), written in sorted(texts.items(), reverse=False):
        texts[start, end] = _translated(written, words, labels.is_json)
    for (start, end), translated in sorted(texts.items(), reverse=True):
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
