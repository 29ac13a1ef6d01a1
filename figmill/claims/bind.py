"""Bind the numbers of a text to what the figures near it offer. Pure.

A number is *bound* if a value fits it and its words name that value, or if it has so many digits that it fits none by
chance; *contradicted* if its words or its unit name a value, and none that they name fits; *elsewhere* if a figure
further away offers it; *unbacked* otherwise. A number by itself contradicts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from figmill.claims.numbers import Number, numbers, sentences
from figmill.claims.offers import FACT, LABEL, Offer
from figmill.claims.vocabulary import COMMON, WORD, meaning

BOUND, CONTRADICTED, ELSEWHERE, UNBACKED = VERDICTS = ("bound", "contradicted", "elsewhere", "unbacked")
OWN, PROSE, PAGE = KINDS = ("own", "prose", "page")
REACH = 8  # words each way that may name what a number counts


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure near a passage."""

    label: str
    offers: tuple[Offer, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A number of a text, and what came of it. figure, offer: what it is bound to, or what it contradicts."""

    number: Number
    verdict: str
    figure: str = ""
    offer: Offer | None = None


# After these a sentence speaks of another figure than the one shown.
_SUPPOSING = re.compile(
    r"\b(?:if|would|could|were|suppose|imagine|instead|otherwise|unless|but|needs?|in general|usually|on paper)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\b(?:when|whenever|where)\b", re.IGNORECASE)
_AT = re.compile(r"(?:^\s*|[.;:,]\s)at\s$|[=)]:?\s$", re.IGNORECASE)
_WITH = re.compile(r"\b(?:with|of)\s$", re.IGNORECASE)
_TAKES = re.compile(r"\b(?:takes?|took|lasts?|(?:ends?|arrives?) after)\s$")
_SAME_AGAIN = re.compile(r"\b(?:against|instead of|not|to|and|versus|or)\s$|,\s$")
_NEUTRAL = frozenset(
    ("same", "equal", "identical", "different", "separate", "independent", "parallel", "such")
)
# The number may count some of several: the two GPUs, each of three, groups of eight, four ranks away.
_BEFORE_PART = re.compile(
    r"\b(?:(?:batches|blocks|chunks|groups|lines|pairs|parts|rows|sets|waves|vectors?) of|the|other|first|last|these"
    r"|those|its|each|every|another|next|than|by|more|further|each of)\s$",
    re.IGNORECASE,
)
_AFTER_PART = re.compile(
    r"[ \u00a0][\w-]+(?:[ ][\w-]+)?[ ](?:each\b|in each|per\b|at a time|of\b|more\b|apart|away|deep|long"
    r"|wide)"
)
_CLAUSE = re.compile(r"[,;:()]\s|\)")
_IS = re.compile(r"([\w -]+)\b(?:is|are|at|to|of|reaches|holds|stays at|=)\s$")
_ARE = re.compile(r"[ \u00a0](?:are|is|of them are)[ ]([\w -]+)")
_RATIOS = frozenset(("over", "ratio", "speedup", "times"))
# What any graph has, so that a sentence in a page may mean others: `when two nodes are on one line`.
_OF_GRAPHS = frozenset(("node", "edge", "message", "task"))
_SHOWS = re.compile(r"\b(?:figure|diagram|graph|chart|picture|shows?|above|below)\b", re.IGNORECASE)
CLOSE = 0.012  # a number of three digits or more that is so near to a value is meant to be it


def claims(text: str, near: Sequence[Shown], far: Sequence[Shown] = (), *, kind: str = OWN) -> list[Claim]:
    """The claims of a text. near: the figures that it is about; far: further ones of the page.

    kind: OWN: the text says what the picture shows (alt, caption, title). PROSE of a question and the text of a PAGE
    also speak of how else it could be, so there a unit alone names nothing.
    """
    every = numbers(text)
    spans = list(sentences(text)) if every else []
    result = []
    for at, number in enumerate(every):
        begin, end = next((span for span in spans if span[0] <= number.start < span[1]), (0, len(text)))
        before = [other for other in every[:at] if other.start >= begin]
        after = [other for other in every[at + 1 :] if other.end <= end]
        first = before[-1].end if before else begin
        place = _Place(text, begin, end, first, after[0].start if after else end, number, before, kind)
        result.append(_claim(place, near, far))
    return result


@dataclass(frozen=True, slots=True)
class _Place:
    """A number in its text. begin, end: of its sentence; first, last: no other number stands between these."""

    text: str
    begin: int
    end: int
    first: int
    last: int
    number: Number
    before: Sequence[Number]  # those of its sentence
    kind: str

    def words(self, first: int, last: int, reach: int) -> frozenset[str]:
        before = WORD.findall(self.text[first : self.number.start])[-reach:]
        after = WORD.findall(_CLAUSE.split(self.text[self.number.end : last], maxsplit=1)[0])[:reach]
        return frozenset(meaning(word) for word in (*before, *after) if word.lower() not in COMMON)

    @property
    def around(self) -> frozenset[str]:
        return self.words(self.begin, self.end, REACH)

    @property
    def own(self) -> frozenset[str]:
        """The words that belong to this number, and to none other of the sentence.

        In `66 units, 9.1% idle, against 81 and 25.9%` the last two take the words of the number with their unit.
        """
        words = self.words(self.first, self.last, REACH)
        if words or not _SAME_AGAIN.search(self.text[self.first : self.number.start]):
            return words
        for at in range(len(self.before) - 1, -1, -1):
            if self.before[at].unit == self.number.unit:
                first = self.before[at - 1].end if at else self.begin
                last = self.before[at + 1].start if at + 1 < len(self.before) else self.number.start
                return replace(self, number=self.before[at], before=self.before[:at]).words(
                    first, last, REACH
                )
        return words

    @property
    def beside(self) -> frozenset[str]:
        """The words that a verb or a preposition joins to the number: `the peak is 3`, `24 are idle`."""
        before = _IS.search(self.text[self.first : self.number.start])
        after = _ARE.match(self.text[self.number.end : self.last])
        found = WORD.findall(" ".join(match[1] for match in (before, after) if match))
        return frozenset(meaning(word) for word in found if word.lower() not in COMMON)

    @property
    def noun(self) -> str:
        """What the number counts, by meaning: the plural after it. Empty with an adjective: it may count a part."""
        match = re.match(
            r"[ \u00a0]((?:[a-z]+[ -])??)([A-Za-z]{3,}s)\b", self.text[self.number.end : self.end]
        )
        if match is None or (match[1] and match[1].strip(" -") not in _NEUTRAL):
            return ""
        return meaning(match[2])

    @property
    def is_supposed(self) -> bool:
        before = _CLAUSE.split(self.text[self.begin : self.number.start])[-1]
        after = _CLAUSE.split(self.text[self.number.end : self.end], maxsplit=1)[0]
        if _SUPPOSING.search(before):
            return True
        if self.kind == OWN:
            return False
        is_question = self.text[: self.end].endswith("?")
        return is_question or bool(_SUPPOSING.search(after) or _WHEN.search(before + after))

    @property
    def is_part(self) -> bool:
        before, after = self.text[self.begin : self.number.start], self.text[self.number.end : self.end]
        return bool(_BEFORE_PART.search(before) or _AFTER_PART.match(after))


def _claim(place: _Place, near: Sequence[Shown], far: Sequence[Shown]) -> Claim:
    number, around = place.number, place.around
    fitting = [
        (_score(place, offer, around), shown.label, offer)
        for shown in near for offer in shown.offers if _fits(number, offer)
    ]  # fmt: skip
    stated = [(shown.label, offer) for shown in near for offer in shown.offers if not offer.is_derived]
    counted = _counted(place, stated)
    if any(row[0] > 1 for row in fitting) and all(pair[1].source == LABEL for pair in counted):
        counted = []  # a label counts its own: `24 of 56 cells`
    if counted and not place.is_supposed:
        label, offer = min(counted, key=lambda pair: abs(pair[1].value - number.value))
        return Claim(number, BOUND if _fits(number, offer) else CONTRADICTED, label, offer)
    score, label, best = max(fitting, key=_preference, default=(0.0, "", None))
    if best is not None and score > 1:
        return Claim(number, BOUND, label, best)
    given = [row for row in fitting if number.unit not in ("", "x") or not row[2].is_derived]
    has_unit = number.unit not in ("", "x") and bool(given)
    if not (score > 0 or has_unit or place.is_supposed):
        for named in _namings(place, stated):
            if named and not any(_fits(number, offer) for _, offer in named):
                label, offer = _likeliest(place, named)
                return Claim(number, CONTRADICTED, label, offer)
            if named:
                break
    if given and (has_unit or _is_telling(number) or score > 0):
        _, label, offer = max(given, key=lambda row: row[0])
        return Claim(number, BOUND, label, offer)
    for shown in far:
        for other in shown.offers:
            if _fits(number, other) and (other.words & around or _is_telling(number)):
                return Claim(number, ELSEWHERE, shown.label, other)
    return Claim(number, UNBACKED)


def _preference(row: tuple[float, str, Offer]) -> tuple[bool, float]:
    """Facts that are named come before labels, which repeat them."""
    score, _, offer = row
    return score > 1 and offer.source == FACT, score


def _score(place: _Place, offer: Offer, around: frozenset[str]) -> float:
    """How well the words around a number name a value that fits it."""
    is_counted = offer.noun != "" and offer.noun == place.noun
    return 2 * len(offer.words & around) + 3 * is_counted - offer.is_derived


def _fits(number: Number, offer: Offer) -> bool:
    """Whether a value may be written so.

    A value whose name leaves out its unit may have any; a label confirms no number with more digits than it has.
    """
    if _comparable(number, offer):
        half = (number.high - number.low) / 2
        return offer.slack <= half * 1.001 and number.fits(offer.value, offer.slack * 0.999)
    if offer.unit or offer.source == LABEL or number.unit in ("", "x"):
        return False
    if number.unit == "%" and 0 <= offer.value <= 1:
        return number.fits(offer.value)
    return number.in_its_unit.fits(offer.value)


def _comparable(number: Number, offer: Offer) -> bool:
    if number.unit == offer.unit:
        return True
    if number.unit == "" and offer.unit == "%":
        return bool(number.decimals) and 0 <= number.value <= 1
    return number.unit == "x" and offer.unit == ""


def _is_telling(number: Number) -> bool:
    """Whether a number has three digits or more, so that it hardly fits a value by chance."""
    return sum(letter.isdigit() for letter in number.text) >= 3


Pairs: TypeAlias = list[tuple[str, Offer]]


def _likeliest(place: _Place, named: Pairs) -> tuple[str, Offer]:
    """The value that a number is most likely meant to be: the best named, then the nearest."""
    around = place.around
    facts = [pair for pair in named if pair[1].source != LABEL] or named
    most = max(len(offer.words & around) for _, offer in facts)
    best = [pair for pair in facts if len(pair[1].words & around) == most]
    return min(best, key=lambda pair: abs(pair[1].value - place.number.value))


def _namings(place: _Place, stated: Pairs) -> Iterator[Pairs]:
    """The values that a number claims to be, by what names them; the surest first."""
    number, before = place.number, place.text[place.begin : place.number.start]
    if _AT.search(before):
        return
    alike = [pair for pair in stated if _comparable(number, pair[1])]
    if number.unit == "x":  # `three times as many` is a ratio of anything
        alike = [pair for pair in alike if not _RATIOS.isdisjoint(pair[1].name.split("_"))]
    facts = [pair for pair in alike if pair[1].source != LABEL and pair[1].words]
    if place.kind != OWN:
        yield [pair for pair in facts if pair[1].unit == "%" and pair[1].words <= place.own]
        yield [
            pair
            for pair in facts
            if pair[1].unit not in ("", "%", "x") and len(pair[1].words & place.own) > 1
        ]
        return
    if number.unit == "":
        yield [pair for pair in facts if not place.noun and set() < pair[1].words - {"takes"} <= place.beside]
    else:
        yield [pair for pair in facts if pair[1].words <= place.own]
    yield [pair for pair in alike if pair[1].unit and (pair[1].words - {"takes"}) & place.own]
    if _TAKES.search(before):
        yield [pair for pair in alike if "takes" in pair[1].words]
    if number.unit not in ("", "x") and number.decimals is not None:
        yield [pair for pair in facts if pair[1].unit == number.unit]
    if _is_telling(number):
        yield [pair for pair in facts if _is_close(number, pair[1])]


def _counted(place: _Place, stated: Pairs) -> Pairs:
    """The values that count what the number counts. Some of all are never more than all."""
    number, before = place.number, place.text[place.begin : place.number.start]
    if not number.is_exact or number.unit or not place.noun or _is_aside(place.kind, before):
        return []
    pairs = [pair for pair in stated if pair[1].noun == place.noun and pair[1].unit == ""]
    if place.kind != OWN:
        named = place.own | {place.noun}
        pairs = [pair for pair in pairs if pair[1].source != LABEL and pair[1].words <= named]
        if place.noun in _OF_GRAPHS and not _SHOWS.search(place.text[place.begin : place.end]):
            return []
    if place.is_part and any(pair[1].value >= number.value for pair in pairs):
        return []
    return pairs


def _is_aside(kind: str, before: str) -> bool:
    """Whether a count is of another case: `with 11 microbatches it is less`; in prose, `a forward of two units`.

    A page that begins a sentence so says what the figure was drawn with.
    """
    match = _WITH.search(before)
    if match is None:
        return False
    is_of = match[0].strip().lower() == "of"
    if kind == OWN:
        return not is_of and not before[: match.start()].strip()
    return is_of or kind == PROSE or bool(before[: match.start()].strip())


def _is_close(number: Number, offer: Offer) -> bool:
    return offer.value != 0 and 0 < abs(number.value / offer.value - 1) < CLOSE
