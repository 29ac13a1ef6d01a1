"""The words around a number: its sentence and clause, what it counts, whether the sentence supposes something. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from figmill.claims.numbers import WrittenNumber
from figmill.claims.vocabulary import WORD, meaning, naming

OWN, PROSE, PAGE = KINDS = ("own", "prose", "page")
REACH = 8  # words each way that may name what a number counts

# After these a sentence speaks of another figure than the one shown.
_SUPPOSING = re.compile(
    r"\b(?:if|would|could|were|suppose|imagine|instead|otherwise|unless|but|needs?|in general|usually|on paper)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\b(?:when|whenever|where)\b", re.IGNORECASE)
_SAME_AGAIN = re.compile(r"\b(?:against|instead of|not|to|and|versus|or)\s$|,\s$")
_NEUTRAL = frozenset(
    ("same", "equal", "identical", "different", "separate", "independent", "parallel", "such")
)
# The number may count some of several: the two GPUs, each of three, groups of eight, four ranks away, eight heads that
# share keys, two that go down while two go up.
_BEFORE_PART = re.compile(
    r"\b(?:(?:batches|blocks|chunks|groups|lines|pairs|parts|rows|sets|waves|vectors?) of|the|other|first|last|these"
    r"|those|its|each|every|another|next|than|by|more|further|each of)\s$",
    re.IGNORECASE,
)
_AFTER_PART = re.compile(
    r"[ \u00a0][\w-]+(?:[ ][\w-]+)?[ ](?:each\b|in each|per\b|at a time|of\b|more\b|apart|away|deep|long"
    r"|wide)|[ \u00a0][\w-]+[ ](?:shares?\b|(?P<verb>[a-z]+)\b[^.;]*(?:\band|,)[ ](?:the[ ])?\w+[ ](?P=verb)\b)"
)
_NOUN = re.compile(r"[ \u00a0]((?:[a-z]+[ -])??)([A-Za-z]{3,}s)\b")
_CLAUSE = re.compile(r"[,;:()]\s|\)")
_IS = re.compile(r"([\w -]+)\b(?:is|are|at|to|of|reaches|holds|stays at|=)\s$")
_ARE = re.compile(r"[ \u00a0](?:are|is|of them are)[ ]([\w -]+)")


def noun_of(number: WrittenNumber, text: str, end: int) -> str:
    """What a number counts, by meaning: the plural after it. Empty with an adjective: it may count a part."""
    match = _NOUN.match(text, number.end, end)
    if match is None or (match[1] and match[1].strip(" -") not in _NEUTRAL):
        return ""
    return meaning(match[2])


class Sentence:
    """A sentence with numbers. Its words and clauses are looked for once."""

    def __init__(self, text: str, begin: int, end: int, numbers: Sequence[WrittenNumber], kind: str) -> None:
        self.text, self.begin, self.end, self.numbers, self.kind = text, begin, end, numbers, kind
        names = [(match.start(), naming(match[0])) for match in WORD.finditer(text, begin, end)]
        self._places, self._names = [place for place, _ in names], [name for _, name in names]
        self._clauses = [match.span() for match in _CLAUSE.finditer(text, begin, end)]

    def words(self, number: WrittenNumber, first: int, last: int) -> frozenset[str]:
        """The words between two places, by meaning: those before a number, and those of its clause after it."""
        at, place = self._places, bisect_left(self._places, number.start)
        before = self._names[max(bisect_left(at, first), place - REACH) : place]
        place = bisect_left(at, number.end)
        after = self._names[place : min(bisect_left(at, min(last, self.clause(number)[1])), place + REACH)]
        return frozenset(filter(None, (*before, *after)))

    def clause(self, number: WrittenNumber) -> tuple[int, int]:
        """Where the clause of a number begins and ends."""
        first = max((end for _, end in self._clauses if end <= number.start), default=self.begin)
        return first, min((start for start, _ in self._clauses if start >= number.end), default=self.end)


class NumberInSentence:
    """A number in its sentence.

    - first, last: the places between which no other number stands.
    """

    def __init__(self, sentence: Sentence, at: int) -> None:
        self.sentence, self.at = sentence, at
        self.number, self.kind = sentence.numbers[at], sentence.kind
        self.first, self.last = self._bounds(at)
        self.around = sentence.words(self.number, sentence.begin, sentence.end)
        self.noun = noun_of(self.number, sentence.text, sentence.end)

    def _bounds(self, at: int) -> tuple[int, int]:
        numbers = self.sentence.numbers
        first = numbers[at - 1].end if at else self.sentence.begin
        return first, numbers[at + 1].start if at + 1 < len(numbers) else self.sentence.end

    @property
    def before(self) -> str:
        """The sentence up to the number."""
        return self.sentence.text[self.sentence.begin : self.number.start]

    def own(self) -> frozenset[str]:
        """The words that belong to this number, and to none other of the sentence.

        In `66 units, 9.1% idle, against 81 and 25.9%` the last two take the words of the number with their unit.
        """
        sentence, number = self.sentence, self.number
        own = sentence.words(number, self.first, self.last)
        if own or not _SAME_AGAIN.search(sentence.text[self.first : number.start]):
            return own
        for at in range(self.at - 1, -1, -1):
            if sentence.numbers[at].unit == number.unit:
                return sentence.words(sentence.numbers[at], *self._bounds(at))
        return own

    def beside(self) -> frozenset[str]:
        """The words that a verb or a preposition joins to the number: `the peak is 3`, `24 are idle`."""
        text = self.sentence.text
        before = _IS.search(text[self.first : self.number.start])
        after = _ARE.match(text, self.number.end, self.last)
        joined = WORD.findall(" ".join(match[1] for match in (before, after) if match))
        return frozenset(filter(None, map(naming, joined)))

    def is_supposed(self) -> bool:
        text, (first, last) = self.sentence.text, self.sentence.clause(self.number)
        if _SUPPOSING.search(text, first, self.number.start):
            return True
        if self.kind == OWN:
            return False
        after = self.number.end, last
        return (
            text.endswith("?", 0, self.sentence.end)
            or _SUPPOSING.search(text, *after) is not None
            or _WHEN.search(text, first, self.number.start) is not None
            or _WHEN.search(text, *after) is not None
        )

    def is_part(self) -> bool:
        after = self.number.end, self.sentence.end
        return bool(_BEFORE_PART.search(self.before[-20:]) or _AFTER_PART.match(self.sentence.text, *after))
