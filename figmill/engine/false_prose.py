"""The false numbers in the prose of a question, and those of its figures' own texts by the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from figmill.claims import bind, messages
from figmill.claims.bind import CONTRADICTED, Claim, NearbyFigure
from figmill.claims.context import OWN
from figmill.claims.numbers import may_have_numbers
from figmill.claims.offers import offers
from figmill.claims.passages import Passage
from figmill.claims.record import Record, Recorded
from figmill.engine.book_state import BookState
from figmill.engine.claims import of_question
from figmill.errors import AuthorError
from figmill.late_dataclasses import dataclass
from figmill.model import Fact, Visual


@dataclass(frozen=True, slots=True)
class Statement:
    """What a figure states. texts: reads those in its picture; None: they cannot be read."""

    visual: Visual
    facts: Mapping[str, Fact]
    texts: Callable[[], Sequence[str] | None]

    def shown(self, texts: Sequence[str]) -> NearbyFigure:
        return NearbyFigure(self.visual.label, offers(self.facts, self.visual.params, texts))


class _Figures:
    """The figures of a question. What they offer is found once, and the texts in their pictures only if needed."""

    def __init__(self, figures: Sequence[Statement]) -> None:
        self.figures = figures

    @cached_property
    def without_texts(self) -> Mapping[str, NearbyFigure]:
        return {figure.visual.label: figure.shown(()) for figure in self.figures}

    @cached_property
    def with_texts(self) -> Mapping[str, NearbyFigure] | None:
        """None if a picture cannot be read."""
        texts = {figure.visual.label: figure.texts() for figure in self.figures}
        if None in texts.values():
            return None
        return {
            figure.visual.label: figure.shown(texts[figure.visual.label] or ()) for figure in self.figures
        }


class Contradiction(NamedTuple):
    """A false number: its place, the message, and the label of the figure that contradicts it."""

    line: int
    column: int
    message: str
    label: str


def false_statements(
    state: BookState, path: str, figures: Sequence[Statement], record: Record
) -> tuple[Contradiction, ...] | None:
    """The false numbers in a question; None: it has no numbers. figures: all of the question."""
    try:
        data = state.disk.read(path) or b""
        passages = [*of_question(path, data, figures[0].visual.id, state.options)]
    except AuthorError:
        return None
    numbered = [passage for passage in passages if may_have_numbers(passage.text)]
    if not numbered:
        return None
    stated = _Figures(figures)
    return tuple(
        sorted(
            Contradiction(at.line or 1, at.column or 1, messages.message(passage.text, claim), claim.figure)
            for passage in numbered
            for claim in _false(passage, stated, record.get((path, passage.key), {}))
            for at in (passage.origin(claim.number.start, claim.number.end),)
        )
    )


def _false(passage: Passage, figures: _Figures, recorded: Recorded) -> list[Claim]:
    """The false numbers of a passage, without those that settling finds.

    The texts of pictures may explain a number, so they are read before one is called false.
    """
    if passage.kind == OWN and not recorded:
        return []
    is_drawn = any(row.fact.startswith("'") for rows in recorded.values() for row in rows)
    if not is_drawn and not _claims(passage, figures.without_texts, recorded):
        return []
    if (shown := figures.with_texts) is None:
        return []
    claims = _claims(passage, shown, recorded)
    if passage.kind == OWN and claims:
        settled = {claim.number.start for claim in _claims(passage, shown, {})}
        return [claim for claim in claims if claim.was is not None and claim.number.start not in settled]
    return claims


def _claims(passage: Passage, shown: Mapping[str, NearbyFigure], recorded: Recorded) -> list[Claim]:
    near, far = (
        [shown[label] for label in labels if label in shown] for labels in (passage.near, passage.far)
    )
    every = bind.claims(passage.text, near, far, kind=passage.kind, recorded=recorded, false_only=True)
    return [claim for claim in every if claim.verdict == CONTRADICTED]
