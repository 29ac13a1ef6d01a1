"""The words in which a claim is reported. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from figmill.claims.bind import BOUND, CONTRADICTED, ELSEWHERE, Claim, NearbyFigure, claims
from figmill.claims.context import OWN
from figmill.claims.numbers import WrittenNumber, numbers
from figmill.claims.offers import LABEL, Offer, offers

if TYPE_CHECKING:
    from figmill.model import Fact, Json

CHECK = "contradicted"
BEFORE, AFTER = 24, 30  # characters of the text around a number


def contradictions(
    text: str, label: str, facts: Mapping[str, Fact], params: Mapping[str, Json], labels: Iterable[str]
) -> Iterator[str]:
    """A message for each number of a figure's own text that contradicts what the figure states."""
    return (message for _, message in false_numbers(text, label, facts, params, labels))


def false_numbers(
    text: str, label: str, facts: Mapping[str, Fact], params: Mapping[str, Json], labels: Iterable[str]
) -> Iterator[tuple[WrittenNumber, str]]:
    """The numbers of a figure's own text that contradict what it states, each with its message."""
    if numbers(text):  # most texts have none, and need no offers
        shown = [NearbyFigure(label, offers(facts, params, labels))]
        for claim in claims(text, shown, kind=OWN):
            if claim.verdict == CONTRADICTED:
                yield claim.number, message(text, claim)


def message(text: str, claim: Claim) -> str:
    """What came of a number, on one line."""
    number = claim.number
    if claim.offer is None:
        return f"'{number.text}': no fact of a figure near it names this number"
    stated = f"{_named(claim.offer)} of '{claim.figure}' is {stated_value(number, claim.offer)}"
    if claim.verdict == CONTRADICTED and claim.was is not None:
        if number.unit != claim.offer.unit:
            number = next(iter(numbers(claim.was.number)), number)  # whose unit the fact has
        now = stated_value(number, claim.offer)
        was = f"{_named(claim.offer)} of '{claim.figure}' ({claim.was.number})"
        return (
            f"'{excerpt(text, claim.number)}' says {claim.number.text}, but it was {was} when recorded; "
            f"that is {now} now"
        )
    if claim.verdict == CONTRADICTED:
        return f"'{excerpt(text, number)}' says {number.text}, but {stated}"
    where = "from another figure of the page: " if claim.verdict == ELSEWHERE else ""
    return f"'{number.text}': {where}{stated}" if claim.verdict in (BOUND, ELSEWHERE) else stated


def _named(offer: Offer) -> str:
    return f"the label {offer.name}" if offer.source == LABEL else offer.name


def stated_value(number: WrittenNumber, offer: Offer) -> str:
    """The value of an offer in the unit and with the decimals of a number."""
    decimals = 0 if number.decimals is None else number.decimals
    if number.unit == "%" and number.text.rstrip().endswith(("%", "percent", "cent")):
        return f"{100 * offer.value:.{decimals}f} %"
    if offer.unit == "%":
        return f"{offer.value:.{max(decimals, 2)}f}"
    unit = re.search(r"[^\d\s.,/]+(?:/\w+)?$", number.text)
    if offer.unit and unit and number.unit == offer.unit:
        return f"{_short(offer.value / number.factor, decimals)} {unit[0]}"
    return _short(offer.value, decimals)


def _short(value: float, decimals: int) -> str:
    """A value with so many decimals, or more if it would else say something else."""
    rounded = round(value, decimals)
    if rounded and abs(rounded / value - 1) < 0.02:
        return f"{value:,.{decimals}f}"
    return f"{value:.4g}"


def excerpt(text: str, number: WrittenNumber) -> str:
    """The words around a number."""
    begin, end = max(0, number.start - BEFORE), min(len(text), number.end + AFTER)
    while begin and not text[begin - 1].isspace():
        begin -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    line = " ".join(text[begin:end].split())
    return f"{'…' if begin else ''}{line}{'…' if end < len(text) else ''}"
