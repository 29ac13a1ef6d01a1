"""Update one question in a resolved book: the new book, or None if other questions are affected. Pure.

A question affects others by its id, by the names and outputs of its figures, and by the figures it shows. If all of
these stay the same, and none is disputed, only its own figures are looked up again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from figmill.book.name_claims import NameClaim, groups
from figmill.book.question import Question
from figmill.book.references import Ref
from figmill.book.resolve import Resolved, line_of, place
from figmill.book.sources import folded
from figmill.config import Options
from figmill.model import Visual

T = TypeVar("T")


def disputed(resolved: Resolved) -> frozenset[str]:
    """The ids of all questions that share a name or an output with another one, or claim the same."""
    claims = resolved.claims
    with_output = [claim for claim in claims if claim.output is not None]
    drawings = {folded(claim.source): claim.id for claim in claims if claim.drawn_here and claim.source}
    same = [
        *groups(claims, lambda claim: folded(claim.label)),
        *groups(with_output, lambda claim: folded(claim.output or "")),
    ]
    over = (
        id_
        for claim in (with_output if drawings else ())
        if claim.output != claim.source and (other := drawings.get(folded(claim.output or "")))
        for id_ in (claim.id, other)
    )
    return frozenset((*resolved.taken, *over, *(claim.id for _, rivals in same for claim in rivals)))


def patched(
    resolved: Resolved, disputes: frozenset[str], old: Question, new: Question, options: Options
) -> tuple[Resolved, tuple[Visual, ...]] | None:
    """The book with `new` in place of `old`, and the figures of `new`; None if everything must be resolved again.

    disputes: the result of `disputed` for this book, or for one that differs only by patches.
    """
    if _public(old) != _public(new) or old.id in disputes:
        return None
    if any(declaration.image for declaration in (*old.declarations, *new.declarations)):
        return None  # other pages may show it
    placed = [place(new, declaration, resolved.sources, options) for declaration in new.declarations]
    before = [place(old, declaration, resolved.sources, options)[1] for declaration in old.declarations]
    if [_claimed(claim) for _, claim, _ in placed] != [_claimed(claim) for claim in before]:
        return None
    book = resolved.book
    visuals = sorted((visual for visual, _, _ in placed if visual is not None), key=lambda v: v.name or "")
    refs = sorted(_refs(book.refs, new), key=lambda ref: ref.name or "")
    wrong = [problem for _, _, problems in placed for problem in problems]
    stays = [problem for problem in book.problems if problem.error.origin.path != new.path]
    lost = [problem for problem in book.problems if problem.error.origin.path == new.path]
    if old.references and len(refs) != len(old.references):
        return None  # one of them is dangling, and its message has a line number
    suspects = [(new.id, suspect) for suspect in new.suspects]
    now = replace(
        book,
        visuals=_in_place(book.visuals, visuals, new.id, lambda visual: visual.id),
        refs=_in_place(book.refs, refs, new.id, lambda ref: ref.id),
        problems=tuple(sorted((*stays, *wrong), key=line_of)) if wrong or lost else book.problems,
        suspects=_in_place(book.suspects, suspects, new.id, lambda row: row[0]),
    )
    return replace(resolved, book=now), tuple(visuals)


def _public(question: Question) -> tuple[Any, ...]:
    """The parts of a question that other questions can see."""
    shown = [(reference.name, reference.ref) for reference in question.references]
    return question.id, question.path, question.names, shown


def _claimed(claim: NameClaim) -> tuple[Any, ...]:
    """The parts of a claim that can collide with others."""
    return claim.id, claim.name, claim.output, claim.drawn_here and claim.source, claim.by_default


def _refs(refs: Iterable[Ref], question: Question) -> list[Ref]:
    """The valid references of a question, as they are now."""
    valid = {ref.name for ref in _slice(tuple(refs), question.id, lambda ref: ref.id)}
    return [
        Ref(question.id, each.name, question.track, question.title, each.ref, each.origin)
        for each in question.references
        if each.name in valid
    ]


def _slice(rows: tuple[T, ...], id_: str, of: Callable[[T], str]) -> tuple[T, ...]:
    start = bisect_left(rows, id_, key=of)
    end = start
    while end < len(rows) and of(rows[end]) == id_:
        end += 1
    return rows[start:end]


def _in_place(rows: tuple[T, ...], new: Iterable[T], id_: str, of: Callable[[T], str]) -> tuple[T, ...]:
    """Rows ordered by id, with `new` replacing those with this id."""
    start = bisect_left(rows, id_, key=of)
    return (*rows[:start], *new, *rows[start + len(_slice(rows, id_, of)) :])
