"""Names in a text that are almost labels of a figure near it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from figmill.errors import did_you_mean

# A word in quotes or in code: one that an author marks as a name.
_NAME = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|\u201c([^\u201d\n]+)\u201d|(?<!\w)'([A-Z][^'\n]+)'")
_PLAIN = re.compile(r"[A-Za-z][\w -]{3,39}")


def unknown(text: str, labels: Mapping[str, Sequence[str]]) -> Iterator[tuple[int, int, str, str]]:
    """Start, end, figure and message of each marked name that nearly equals a label.

    labels: label of a figure -> the texts in its picture. A name that differs only in its case equals it.
    """
    for match in _NAME.finditer(text):
        group = next(number for number in range(1, 5) if match[number] is not None)
        name = match[group].strip()
        if not _PLAIN.fullmatch(name):
            continue
        if any(_letters(name) in _letters(text) for texts in labels.values() for text in texts):
            continue
        for figure, texts in labels.items():
            alike = [text for text in texts if _PLAIN.fullmatch(text) and _is_near(name, text)]
            if alike:
                near = did_you_mean(name, alike) or f"; it has '{alike[0]}'"
                yield match.start(group), match.end(group), figure, f"'{figure}' has no label '{name}'{near}"
                break


def _letters(text: str) -> str:
    """A text without what a picture may lay out otherwise: blanks and case."""
    return "".join(text.split()).casefold()


def _is_near(name: str, label: str) -> bool:
    """Whether one letter is wrong, missing, extra or swapped. Numbers tell labels apart: Rank 3 is not Rank 4."""
    if any(letter.isdigit() for letter in name + label):
        return False
    start = next((at for at, pair in enumerate(zip(name, label, strict=False)) if pair[0] != pair[1]), None)
    if start is None or abs(len(name) - len(label)) > 1 or name[0].isupper() != label[0].isupper():
        return False  # one is the beginning of the other: a plural, or another form of the word
    rest = name[start:], label[start:]
    swapped = rest[0][1::-1] + rest[0][2:] == rest[1]
    return swapped or rest[0][1:] in (rest[1][1:], rest[1]) or rest[0] == rest[1][1:]
