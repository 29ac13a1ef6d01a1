"""The record: which fact each number of a text was bound to, when its author last recorded that. Pure.

A sentence is known by its words, without its numbers. While it has the same words, each of its numbers must fit the
fact that it was bound to, whether the number changes or the figure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from hashlib import blake2b
from typing import TypeAlias

from figmill.claims import listed
from figmill.claims.numbers import Number, sentences


@dataclass(frozen=True, slots=True, order=True)
class Bound:
    """A number that was bound. key: of its text in a question; empty: in a page.

    sentence: a digest of its words; place: of the number among those of its sentence; number: as it was written.
    """

    file: str
    key: str
    sentence: str
    place: int
    number: str
    figure: str
    fact: str


# The numbers of one text, by sentence and place. More than one for a place: the sentence stands there twice.
Recorded: TypeAlias = Mapping[tuple[str, int], Sequence[Bound]]
# By file and key.
Record: TypeAlias = Mapping[tuple[str, str], Recorded]
_WORDS = re.compile(r"\w+|\0")
_NAMES = tuple(field.name for field in fields(Bound))


def places(text: str, numbers: Iterable[Number]) -> dict[int, tuple[str, int]]:
    """The sentence and the place of each number of a text, by where it begins."""
    left = list(numbers)
    result: dict[int, tuple[str, int]] = {}
    for begin, end in sentences(text) if left else ():
        inside = [number for number in left if begin <= number.start < end]
        if inside:
            ends = [begin, *(number.end for number in inside)]
            between = [*(number.start for number in inside), max(end, ends[-1])]
            masked = "\0".join(text[start:stop] for start, stop in zip(ends, between, strict=True))
            words = " ".join(_WORDS.findall(masked.casefold()))
            digest = blake2b(words.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
            result |= {number.start: (digest, place) for place, number in enumerate(inside)}
    return result


def by_text(rows: Iterable[Bound]) -> Record:
    record: dict[tuple[str, str], dict[tuple[str, int], list[Bound]]] = defaultdict(dict)
    for row in rows:
        record[row.file, row.key].setdefault((row.sentence, row.place), []).append(row)
    return dict(record)


def rows(record: Record) -> set[Bound]:
    return {row for recorded in record.values() for same in recorded.values() for row in same}


def dumps(rows: Iterable[Bound]) -> bytes:
    return listed.dumps(dict(zip(_NAMES, astuple(row), strict=True)) for row in sorted(rows))


def loads(data: bytes) -> Record:
    """Raises ValueError."""
    try:
        return by_text(map(_bound, listed.loads(data)))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(str(error)) from None


def _bound(row: Mapping[str, object]) -> Bound:
    file, key, sentence, place, number, figure, fact = (str(row[name]) for name in _NAMES)
    return Bound(file, key, sentence, int(place), number, figure, fact)
