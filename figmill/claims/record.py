"""The record: which fact each number of a text was bound to, when its author last recorded that. Pure.

A sentence is known by its words, without its numbers; an item of a list and a row of a table count as one. While it has
the same words, each of its numbers must fit the fact that it was bound to, whether the number changes or the figure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, fields
from hashlib import blake2b
from typing import TypeAlias

from figmill.claims import listed
from figmill.claims.numbers import WrittenNumber
from figmill.late_dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Binding:
    """A number that was bound.

    - key: of its text in a question; empty: in a page.
    - sentence: a digest of its words.
    - place: of the number in its sentence.
    - number: as it was written.
    """

    file: str
    key: str
    sentence: str
    place: int
    number: str
    figure: str
    fact: str


Spot: TypeAlias = tuple[str, int]
# The numbers of one text, by sentence and place.
Recorded: TypeAlias = Mapping[Spot, Sequence[Binding]]
# By file and key.
Record: TypeAlias = Mapping[tuple[str, str], Recorded]
_WORDS = re.compile(r"\w+|\0")
_END = re.compile(r"[.!?;](?=\s|$)|\n(?=[ \t]*(?:\n|[|*+-]|\d+[.)][ ]))")
FEWEST = 2  # words of a sentence; a row of numbers alone cannot be recognised
_NAMES = tuple(field.name for field in fields(Binding))


def places(text: str, numbers: Iterable[WrittenNumber]) -> dict[int, Spot]:
    """The sentence and the place of each number of a text, by where it begins; without those of too few words."""
    left = list(numbers)
    result: dict[int, Spot] = {}
    begin = 0
    for end in (*(match.end() for match in _END.finditer(text)), len(text)) if left else ():
        inside = [number for number in left if begin <= number.start < end]
        if inside:
            del left[: len(inside)]
            starts = [begin, *(number.end for number in inside)]
            stops = [*(number.start for number in inside), max(end, starts[-1])]
            masked = "\0".join(text[start:stop] for start, stop in zip(starts, stops, strict=True))
            words = _WORDS.findall(masked.casefold())
            if len(words) - len(inside) >= FEWEST:
                digest = _digest(" ".join(words))
                result |= {number.start: (digest, place) for place, number in enumerate(inside)}
        begin = end
    return result


def by_text(rows: Iterable[Binding]) -> Record:
    record: dict[tuple[str, str], dict[tuple[str, int], list[Binding]]] = defaultdict(dict)
    for row in rows:
        record[row.file, row.key].setdefault((row.sentence, row.place), []).append(row)
    return dict(record)


def rows(record: Record) -> set[Binding]:
    return {row for recorded in record.values() for same in recorded.values() for row in same}


def digests(record: Record) -> dict[str, str]:
    """The digest of each file's rows in a record."""
    by_file: dict[str, list[Binding]] = defaultdict(list)
    for row in sorted(rows(record)):
        by_file[row.file].append(row)
    return {file: _digest(repr(same)) for file, same in by_file.items()}


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def dumps(rows: Iterable[Binding]) -> bytes:
    return listed.dumps(dict(zip(_NAMES, astuple(row), strict=True)) for row in sorted(rows))


def loads(data: bytes) -> Record:
    """Raises ValueError."""
    try:
        return by_text(map(_bound, listed.loads(data)))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(str(error)) from None


def _bound(row: Mapping[str, object]) -> Binding:
    file, key, sentence, place, number, figure, fact = (str(row[name]) for name in _NAMES)
    return Binding(file, key, sentence, int(place), number, figure, fact)
