"""Bind the numbers of a text to what the figures near it offer. Pure.

A number is *bound* if a value fits it and its words name that value, or if it has so many digits that it fits none by
chance; *contradicted* if its words or its unit name a value, and none that they name fits; *elsewhere* if a figure
further away offers it; *unbacked* otherwise. A number by itself contradicts nothing.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TypeAlias

from figmill.claims.context import OWN, PROSE, NumberInSentence, Sentence, noun_of
from figmill.claims.numbers import WrittenNumber, numbers, sentences
from figmill.claims.offers import FACT, LABEL, Offer
from figmill.claims.record import Binding, Recorded, places
from figmill.late_dataclasses import dataclass

BOUND, CONTRADICTED, ELSEWHERE, UNBACKED = VERDICTS = ("bound", "contradicted", "elsewhere", "unbacked")


@dataclass(frozen=True)
class NearbyFigure:
    """A figure near a passage."""

    label: str
    offers: tuple[Offer, ...]

    @cached_property
    def _by_units(self) -> dict[tuple[str, ...], Pairs]:
        return {}

    def in_units(self, units: tuple[str, ...]) -> Pairs:
        """The values in some units, in their order."""
        if units not in self._by_units:
            self._by_units[units] = [(self.label, offer) for offer in self.offers if offer.unit in units]
        return self._by_units[units]

    @cached_property
    def by_noun(self) -> Mapping[str, Pairs]:
        """What counts something, and is not derived."""
        pairs: Mapping[str, Pairs] = defaultdict(list)
        for offer in self.offers:
            if offer.noun and not (offer.unit or offer.is_derived):
                pairs[offer.noun].append((self.label, offer))
        return pairs


Pairs: TypeAlias = list[tuple[str, Offer]]


@dataclass(frozen=True, slots=True)
class Claim:
    """A number of a text, and what came of it.

    - figure, offer: what it is bound to, or what it contradicts.
    - was: what the record says that it was bound to, if it decides.
    """

    number: WrittenNumber
    verdict: str
    figure: str = ""
    offer: Offer | None = None
    was: Binding | None = None


_AT = re.compile(r"(?:^\s*|[.;:,]\s)at\s$|[=)]:?\s$", re.IGNORECASE)
_WITH = re.compile(r"\b(?:with|of)\s$", re.IGNORECASE)
_TAKES = re.compile(r"\b(?:takes?|took|lasts?|(?:ends?|arrives?) after)\s$")
_DIGIT = re.compile(r"\d")
_RATIOS = frozenset(("over", "ratio", "speedup", "times"))
# What any graph has, so that a sentence in a page may mean others: `when two nodes are on one line`.
_OF_GRAPHS = frozenset(("node", "edge", "message", "task"))
_SHOWS = re.compile(r"\b(?:figure|diagram|graph|chart|picture|shows?|above|below)\b", re.IGNORECASE)
CLOSE = 0.012  # a number of three digits or more that is so near to a value is meant to be it


def claims(
    text: str,
    near: Sequence[NearbyFigure],
    far: Sequence[NearbyFigure] = (),
    *,
    kind: str = OWN,
    recorded: Recorded = MappingProxyType({}),
    false_only: bool = False,
) -> list[Claim]:
    """The claims of a text. near: the figures that it is about; far: further ones of the page.

    kind: OWN: the text says what the picture shows (alt, caption, title). PROSE of a question and the text of a PAGE
    also speak of how else it could be, so there a unit alone names nothing. recorded: what the record says of this
    text. false_only: leave out numbers that cannot be contradicted, which saves most of the time.
    """
    result: list[Claim] = []
    rest = numbers(text)
    spots = places(text, rest) if recorded else {}
    for begin, end in sentences(text) if rest else ():
        count = next((at for at, number in enumerate(rest) if number.start >= end), len(rest))
        inside = rest[:count]
        del rest[:count]
        sentence = None
        for at, number in enumerate(inside):
            rows = recorded.get(spots[number.start], ()) if number.start in spots else ()
            claim = _as_recorded(number, rows, (*near, *far)) if rows else None
            if claim is None:
                if false_only and kind != OWN and not _may_be_false(number, noun_of(number, text, end), near):
                    continue
                sentence = sentence or Sentence(text, begin, end, inside, kind)
                claim = _claim(NumberInSentence(sentence, at), near, far)
            result.append(claim)
    return result


def _as_recorded(
    number: WrittenNumber, rows: Iterable[Binding], shown: Iterable[NearbyFigure]
) -> Claim | None:
    """What the record says of a number; None if no figure here states what it was bound to."""
    stated = [
        (row, figure, offer)
        for row in rows
        for figure in shown
        if figure.label == row.figure
        for offer in figure.offers
        if offer.recorded_as == row.fact
    ]
    for row, figure, offer in stated:
        if _fitting(number, (NearbyFigure(figure.label, (offer,)),)):
            return Claim(number, BOUND, row.figure, offer, row)
    if not stated:
        return None
    row, _, offer = min(stated, key=lambda each: abs(each[2].value - number.value))
    return Claim(number, CONTRADICTED, row.figure, offer, row)


def _may_be_false(number: WrittenNumber, noun: str, near: Iterable[NearbyFigure]) -> bool:
    """Whether the text of a page, or prose, may contradict a number: it is counted, or has the unit of a value.

    A number with a unit that fits a value in this unit is bound to it, whatever the words.
    """
    if number.unit == "x":
        return False
    if number.unit:
        stated = any(shown.in_units((number.unit,)) for shown in near)
        return stated and not any(offer.unit for _, offer in _fitting(number, near))
    units = [unit for unit in _units(number) if unit]
    return any(noun in shown.by_noun or any(map(shown.in_units, zip(units))) for shown in near)


def _claim(place: NumberInSentence, near: Sequence[NearbyFigure], far: Sequence[NearbyFigure]) -> Claim:
    number = place.number
    fitting = [(_score(place, offer), label, offer) for label, offer in _fitting(number, near)]
    counted = _counted(place, near)
    if any(row[0] > 1 for row in fitting) and all(pair[1].source == LABEL for pair in counted):
        counted = []  # a label counts its own: `24 of 56 cells`
    if counted and not place.is_supposed():
        label, offer = min(counted, key=lambda pair: abs(pair[1].value - number.value))
        return Claim(number, BOUND if _fits(number, offer) else CONTRADICTED, label, offer)
    score, label, best = max(fitting, key=_preference, default=(0.0, "", None))
    if best is not None and score > 1:
        return Claim(number, BOUND, label, best)
    given = [
        row
        for row in fitting
        if (
            row[2].unit or place.kind == OWN or row[0] > 0
            if number.unit not in ("", "x")
            else not row[2].is_derived
        )
    ]
    has_unit = number.unit not in ("", "x") and bool(given)
    if not (score > 0 or has_unit or place.is_supposed()):
        for named in _namings(place, near):
            if named and not any(_fits(number, offer) for _, offer in named):
                label, offer = _likeliest(place, named)
                return Claim(number, CONTRADICTED, label, offer)
            if named:
                break
    if given and (has_unit or _is_telling(number) or score > 0):
        _, label, offer = max(given, key=lambda row: row[0])
        return Claim(number, BOUND, label, offer)
    for label, other in _fitting(number, far):
        if other.meanings & place.around or _is_telling(number):
            return Claim(number, ELSEWHERE, label, other)
    return Claim(number, UNBACKED)


def _preference(row: tuple[float, str, Offer]) -> tuple[bool, float]:
    """Facts that are named come before labels, which repeat them."""
    score, _, offer = row
    return score > 1 and offer.source == FACT, score


def _score(place: NumberInSentence, offer: Offer) -> float:
    """How well the words around a number name a value that fits it."""
    is_counted = offer.noun != "" and offer.noun == place.noun
    return 2 * len(offer.meanings & place.around) + 3 * is_counted - offer.is_derived


def _units(number: WrittenNumber) -> tuple[str, ...]:
    """The units in which a value can be compared with a number."""
    if number.unit == "x":
        return "x", ""
    is_share = number.unit == "" and number.decimals and 0 <= number.value <= 1
    return (number.unit, "%") if is_share else (number.unit,)


def _fitting(number: WrittenNumber, near: Iterable[NearbyFigure]) -> Pairs:
    """The values that may be written so. One whose name leaves out its unit may have any: 352 for 352 ms."""
    low, high = number.bounds
    units = _units(number)
    if "" in units:
        return [
            pair
            for shown in near
            for pair in shown.in_units(units)
            if low <= pair[1].value + pair[1].slack
            and pair[1].value - pair[1].slack <= high
            and _fits(number, pair[1])
        ]
    pairs = []
    for shown in near:
        for pair in shown.in_units((number.unit, "")):
            offer, value = pair[1], pair[1].value
            if not offer.unit and not (number.unit == "%" and 0 <= value <= 1):
                value *= number.factor
            if low <= value + offer.slack and value - offer.slack <= high:
                is_its_own = bool(offer.unit)
                if _fits(number, offer) if is_its_own else offer.source != LABEL and number.fits(value):
                    pairs.append(pair)
    return pairs


def _fits(number: WrittenNumber, offer: Offer) -> bool:
    """Whether a value in its unit may be written so. A label confirms no number with more digits than it has."""
    if offer.slack > (number.high - number.low) / 2 * 1.001:
        return False
    return number.fits(offer.value, offer.slack * 0.999)


def _is_telling(number: WrittenNumber) -> bool:
    """Whether a number has three digits or more, so that it hardly fits a value by chance; `under 100` fits many."""
    return len(_DIGIT.findall(number.text)) >= 3 and math.isfinite(number.high - number.low)


def _likeliest(place: NumberInSentence, named: Pairs) -> tuple[str, Offer]:
    """The value that a number is most likely meant to be: the best named, then the nearest."""
    facts = [pair for pair in named if pair[1].source != LABEL] or named
    most = max(len(offer.meanings & place.around) for _, offer in facts)
    best = [pair for pair in facts if len(pair[1].meanings & place.around) == most]
    return min(best, key=lambda pair: abs(pair[1].value - place.number.value))


def _namings(place: NumberInSentence, near: Iterable[NearbyFigure]) -> Iterator[Pairs]:
    """The values that a number claims to be, by what names them; the surest first."""
    number, before = place.number, place.before
    if _AT.search(before):
        return
    units = _units(number)
    alike = [pair for shown in near for pair in shown.in_units(units) if not pair[1].is_derived]
    if number.unit == "x":  # `three times as many` is a ratio of anything
        alike = [pair for pair in alike if not _RATIOS.isdisjoint(pair[1].name.split("_"))]
    facts = [pair for pair in alike if pair[1].source != LABEL and pair[1].meanings]
    own = place.own()
    if place.kind != OWN:
        yield [pair for pair in facts if pair[1].unit == "%" and pair[1].meanings <= own]
        yield [
            pair for pair in facts if pair[1].unit not in ("", "%", "x") and len(pair[1].meanings & own) > 1
        ]
        return
    if number.unit == "":
        beside = place.beside()
        yield [pair for pair in facts if not place.noun and set() < pair[1].meanings - {"takes"} <= beside]
    else:
        yield [pair for pair in facts if pair[1].meanings <= own]
    yield [pair for pair in alike if pair[1].unit and (pair[1].meanings - {"takes"}) & own]
    if _TAKES.search(before):
        yield [pair for pair in alike if "takes" in pair[1].meanings]
    if number.unit not in ("", "x") and number.decimals is not None:
        yield [pair for pair in facts if pair[1].unit == number.unit]
    if _is_telling(number):
        yield [pair for pair in facts if _is_close(number, pair[1])]


def _counted(place: NumberInSentence, near: Iterable[NearbyFigure]) -> Pairs:
    """The values that count what the number counts. Some of all are never more than all."""
    number, before = place.number, place.before
    if not number.is_exact or number.unit or not place.noun or _is_aside(place.kind, before):
        return []
    pairs = [pair for shown in near for pair in shown.by_noun.get(place.noun, ())]
    if not pairs:
        return pairs
    if place.kind != OWN:
        named = place.own() | {place.noun}
        pairs = [pair for pair in pairs if pair[1].source != LABEL and pair[1].meanings <= named]
        sentence = place.sentence
        if place.noun in _OF_GRAPHS and not _SHOWS.search(sentence.text, sentence.begin, sentence.end):
            return []
    if place.is_part() and any(pair[1].value >= number.value for pair in pairs):
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


def _is_close(number: WrittenNumber, offer: Offer) -> bool:
    return offer.value != 0 and 0 < abs(number.value / offer.value - 1) < CLOSE
