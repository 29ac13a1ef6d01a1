"""Expectations: the question's claims about its figure, compared with the drawing. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from figmill.errors import AuthorError
from figmill.kind.answer import DIGITS
from figmill.kind.stated import Label
from figmill.model import ExpectedFact, Fact, Visual
from figmill.publish.not_drawn import missing
from figmill.publish.placeholders import short


def unmet(visual: Visual, facts: Mapping[str, Fact], texts: tuple[str, ...]) -> Iterator[AuthorError]:
    """Each expectation that the drawing does not meet, at its own line."""
    yield from _unmet_counts(visual, facts)
    whole = " ".join(texts)
    for number, text in enumerate(visual.expect.text):
        if " ".join(text.split()) not in whole and missing((Label(text),), texts):  # or its lines are broken
            at = visual.at("expect", "text", str(number))
            yield AuthorError(at, f"the text '{text}' is not in the figure", f"its texts: {whole[:400]}")
    for fact in visual.expect.facts:
        yield from _unmet_fact(visual, fact, facts)


def unmet_facts(visual: Visual, facts: Mapping[str, Fact]) -> Iterator[AuthorError]:
    """As `unmet`, without the texts: only what a drawing's facts can decide."""
    yield from _unmet_counts(visual, facts)
    for fact in visual.expect.facts:
        yield from _unmet_fact(visual, fact, facts)


def _unmet_counts(visual: Visual, facts: Mapping[str, Fact]) -> Iterator[AuthorError]:
    for name, wanted in visual.expect.counts.items():
        if facts.get(name) != wanted:
            drawn = short(str(facts.get(name)))
            yield AuthorError(
                visual.at("expect", name), f"expected {short(str(wanted))} {name}, drawn: {drawn}"
            )


def _unmet_fact(visual: Visual, expected: ExpectedFact, facts: Mapping[str, Fact]) -> Iterator[AuthorError]:
    at = visual.at("expect", "facts", expected.name)
    if expected.name not in facts:
        stated = short(", ".join(facts)) or "none"
        yield AuthorError(at, f"the figure states no fact '{expected.name}'; it states: {stated}")
        return
    drawn, wanted = facts[expected.name], expected.value
    truth = isinstance(drawn, bool), isinstance(wanted, bool)  # a bool does not count as a number
    if not any(truth) and isinstance(drawn, int | float) and isinstance(wanted, int | float):
        if abs(wanted) >= 10**DIGITS and isinstance(wanted, int):
            text = f"{expected.name}: no fact can be the number {short(str(wanted))}; one has at most {DIGITS} digits"
            yield AuthorError(at, text)
            return
        tolerance = max(expected.rel * abs(wanted), expected.abs)
        if abs(drawn - wanted) > tolerance:
            text = f"{expected.name}: expected {wanted}, drawn {drawn:.6g}, tolerance {tolerance:.3g}"
            yield AuthorError(at, text)
    elif drawn != wanted or truth[0] != truth[1]:
        text = f"{expected.name}: expected {short(repr(wanted))}, drawn {short(repr(drawn))}"
        yield AuthorError(at, text)
