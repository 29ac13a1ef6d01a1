"""Claims: each figure claims a label and an output. Pure.

If two figures claim the same, the one with the better claim keeps it; if neither has one, both fail.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeVar

from figmill.book.explore.pictures import further
from figmill.book.question import Declaration, Problem, Question, label_of
from figmill.book.sources import folded, rendered_name
from figmill.config import Options
from figmill.errors import AuthorError
from figmill.kinds import KINDS
from figmill.late_dataclasses import dataclass
from figmill.model import Origin, Visual

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NameClaim:
    """The names and paths that a figure claims, whether it can be built or not."""

    id: str
    name: str | None
    kind: str | None
    at: Origin
    wrote: Origin  # where the name of the output is written
    output: str | None  # None: it depends on a source that was not found
    source: str | None
    drawn_here: bool  # its source is a hand drawing that is published in place
    by_default: bool  # the output has its default name
    pictures: tuple[str, ...] = ()  # outputs of its exploration, if they lie beside the sources
    forms: tuple[str, ...] = ()  # the outputs of its narrow form and of its other languages

    @property
    def label(self) -> str:
        return label_of(self.id, self.name)

    def lost(self, at: Origin, message: str) -> Problem:
        return Problem(AuthorError(at, message), self.id, self.name, self.kind)


def claim_of(
    question: Question, declaration: Declaration, visual: Visual | None, options: Options
) -> NameClaim:
    output = None if options.in_place else f"{question.track}/{rendered_name(question, declaration)}"
    default = label_of(question.id, declaration.name) + ".svg"
    return NameClaim(
        id=question.id,
        name=declaration.name,
        kind=declaration.kind,
        at=declaration.at(),
        wrote=declaration.at("rendered" if declaration.rendered else "path"),
        output=visual.output if visual else output,
        source=visual.source if visual else None,
        drawn_here=visual is not None and options.in_place and KINDS[visual.kind].by_hand,
        by_default=rendered_name(question, declaration) == default,
        pictures=_pictures(visual) if visual and options.in_place else (),
        forms=_further_forms(visual) if visual else (),
    )


def _further_forms(visual: Visual) -> tuple[str, ...]:
    """The outputs beside that of the figure itself: those of an exploration have a folder of their own."""
    if not (visual.narrow or visual.translations):
        return ()
    folder = f"{visual.output.removesuffix('.svg')}/"
    return tuple(form.output for form in further(visual) if not form.output.startswith(folder))


def _pictures(visual: Visual) -> tuple[str, ...]:
    paths = [form.output for form in further(visual)]
    return tuple(path for light in paths for path in (light, f"{light.removesuffix('.svg')}.dark.svg"))


def overwriters(claims: Iterable[NameClaim]) -> dict[Origin, Problem]:
    """Figures whose output would overwrite a hand drawing, by origin."""
    claims = tuple(claims)
    drawings = {folded(claim.source): claim for claim in claims if claim.drawn_here and claim.source}
    lost = {}
    for claim in claims:
        for output in (claim.output, *claim.pictures):
            drawing = drawings.get(folded(output)) if output else None
            if drawing and output != claim.source:
                message = f"'{output}' is the drawing of '{drawing.label}', which figmill never overwrites"
                lost[claim.at] = claim.lost(claim.wrote, message)
    return lost


def namesakes(claims: Iterable[NameClaim]) -> dict[Origin, Problem]:
    """Figures with the same label, by origin, such as `b` in the list of `a`, and the question `A-b`."""
    lost = {}
    for _, same in groups(claims, lambda claim: folded(claim.label)):
        for claim in same:
            other = next(o for o in same if o is not claim)
            message = f"the figure at {other.at} is also called '{other.label}'; rename one"
            lost[claim.at] = claim.lost(claim.at, message)
    return lost


def output_rivals(claims: Iterable[NameClaim]) -> dict[Origin, Problem]:
    """Figures with the same output, by origin. A default name is the better claim. Ignores case as file systems may."""
    lost = {}
    with_output = (claim for claim in claims if claim.output is not None)
    every = tuple(with_output)
    forms = {folded(output): claim for claim in every for output in claim.forms}
    for claim in every:
        other = forms.get(folded(claim.output or ""))
        if other is not None:
            message = f"'{claim.output}' is also a form of '{other.label}', at {other.at}"
            lost[claim.at] = claim.lost(claim.wrote, message)
    for _, same in groups(every, lambda claim: folded(claim.output or "")):
        owners = [claim for claim in same if claim.by_default]
        for claim in same:
            if owners != [claim]:
                other = next(o for o in owners or same if o is not claim)
                message = f"'{claim.output}' is also the output of '{other.label}', at {other.wrote}"
                lost[claim.at] = claim.lost(claim.wrote, message)
    return lost


def groups(items: Iterable[T], key: Callable[[T], str]) -> list[tuple[str, list[T]]]:
    """The items that share a key with another item, by key."""
    groups: dict[str, list[T]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return [(key_, same) for key_, same in groups.items() if len(same) > 1]
