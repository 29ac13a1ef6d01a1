"""References: what a question shows of another question, with `ref` instead of a figure of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from figmill.book.question import Problem, Question, label_of
from figmill.book.sources import near
from figmill.errors import AuthorError
from figmill.late_dataclasses import dataclass
from figmill.model import Origin


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference whose figure was found: the question that shows it, and its label."""

    id: str
    name: str | None
    track: str
    title: str | None
    target: str  # the label of the shown figure
    origin: Origin


def refs_of(questions: Iterable[Question], taken: set[str]) -> tuple[list[Ref], list[Problem]]:
    """The references of these questions, and the errors of those that lead to no figure.

    taken: ids that two questions have.
    """
    refs: list[Ref] = []
    problems: list[Problem] = []
    if not any(question.references for question in questions):
        return refs, problems
    by_id = {question.id: question for question in questions}
    shown = {label_of(q.id, name): q for q in by_id.values() for name in q.names}
    onward = {label_of(q.id, r.name): r.ref for q in by_id.values() for r in q.references}
    for question in by_id.values():
        for reference in question.references if question.id not in taken else ():
            id_, name, at = question.id, reference.name, reference.origin
            is_taken = reference.ref in taken  # both files with that id already fail
            if not is_taken and (wrong := _why_not(reference.ref, by_id, shown, onward)):
                problems.append(Problem(AuthorError(at, wrong), id_, name))
            else:
                refs.append(Ref(id_, name, question.track, question.title, reference.ref, at))
    return refs, problems


def _why_not(
    target: str, by_id: Mapping[str, Question], shown: Mapping[str, Question], onward: Mapping[str, str]
) -> str | None:
    """Why a reference leads to no figure; None if it leads to one, even to one that fails."""
    if target in onward:
        return f"'{target}' is itself a reference to '{onward[target]}'; write `ref: {onward[target]}`"
    if target in shown:
        return None
    if target not in by_id:
        return f"there is no question '{target}'{near(target, (*by_id, *shown))}"
    if names := [label_of(target, name) for name in by_id[target].names]:
        return f"'{target}' has several figures; write one of {', '.join(names)}"
    return f"'{target}' has no figure"
