"""Turn numbers of a text into references to the facts that they state. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import quote

from figmill.claims.bind import BOUND, CONTRADICTED, OWN, Claim
from figmill.claims.messages import stated_value
from figmill.claims.numbers import Number
from figmill.claims.offers import FACT
from figmill.claims.passages import Passage

# Writes a fact in a format, as hosts and texts of figures do: name, format -> text; None if that is impossible.
Say = Callable[[str, str], str | None]


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters of a file, and what stands there instead."""

    start: int
    end: int
    text: str


def edit_of(passage: Passage, claim: Claim, say: Say, *, values: bool) -> Edit | None:
    """The reference in place of a number, or its right value. None if the fact cannot be written in just these letters.

    values: also correct what is contradicted.
    """
    offer, number = claim.offer, claim.number
    span = passage.span(number.start, number.end)
    if offer is None or span is None or passage.source[slice(*span)] != number.text:
        return None
    is_wrong = claim.verdict == CONTRADICTED
    if is_wrong and not values:
        return None
    if claim.verdict not in (BOUND, CONTRADICTED):
        return None
    right = stated_value(number, offer).replace(
        " %", "%" if number.text.endswith("%") and " " not in number.text else " %"
    )
    if offer.source == FACT:
        form = _form(number, offer.name, say, right if is_wrong else number.text)
        if form is not None:
            return Edit(*span, _reference(passage, claim.figure, offer.name, form))
    return Edit(*span, right) if is_wrong and number.decimals is not None else None


def _form(number: Number, name: str, say: Say, wanted: str) -> str | None:
    """The format in which a fact is written just so."""
    decimals = number.decimals or 0
    for form in (f".{decimals}%", f".{decimals}f", f",.{decimals}f", "si", ".3si", ".4si", ""):
        if say(name, form) == wanted:
            return form
    return None


def _reference(passage: Passage, figure: str, name: str, form: str) -> str:
    if passage.kind == OWN:
        return f"{{{name}:{form}}}" if form else f"{{{name}}}"
    plain, _, index = name.partition("[")
    fact = f"{plain}[{index}" if index else plain
    return f"[](figmill:{figure}#{quote(fact)}{f':{form}' if form else ''})"


def edited(source: str, edits: Iterable[Edit]) -> str:
    """A file's text with its edits; of two that overlap, the first counts."""
    parts, place = [], 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        if edit.start >= place:
            parts += [source[place : edit.start], edit.text]
            place = edit.end
    return "".join((*parts, source[place:]))
