"""The pictures of an interactive figure: each is drawn and settled like any figure, and all are published or none.

Works between steps and outcomes. Equal pictures share one file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum

from figmill.book.explore.pictures import combinations, is_declared
from figmill.book.explore.values import shown
from figmill.engine.drawing.outcome import Built, Failed, Outcome
from figmill.engine.plan import Stale, Step
from figmill.errors import AuthorError
from figmill.late_dataclasses import dataclass
from figmill.model import Exploration, ExploredPicture, File, Inputs, Json, Visual, Warned
from figmill.publish.finalise import Page

PathOf = Callable[[Visual, str], str]  # a figure and a theme -> the path of the SVG


def flat(step: Step) -> tuple[Step, ...]:
    """The step, and after it those of its other pictures if they have to be drawn."""
    if not isinstance(step.state, Stale):
        return (step,)
    return (step, *(replace(variant, state=step.state) for variant in step.variants))


def merged(outcomes: Sequence[Outcome]) -> Outcome:
    """The outcome of a figure: all of its pictures, or the errors of all. The declared picture comes first."""
    declared, *others = outcomes
    if not others:
        return declared
    failed = [outcome for outcome in outcomes if isinstance(outcome, Failed)]
    if failed:
        drawn = [outcome.seconds for outcome in outcomes if isinstance(outcome, Built)]
        return _failed(declared.step, failed, fsum(drawn))
    assert isinstance(declared, Built)
    built = [outcome for outcome in outcomes if isinstance(outcome, Built)]
    settled = replace(
        declared.settled,
        warnings=_warned((picture.step.visual.explored, picture.settled.warnings) for picture in built),
        excused=_warned((picture.step.visual.explored, picture.settled.excused) for picture in built),
    )
    traced = declared.traced
    for picture in built[1:]:
        traced |= picture.traced
    seconds = fsum(picture.seconds for picture in built)
    return replace(declared, settled=settled, traced=traced, seconds=seconds, variants=tuple(built[1:]))


def _failed(step: Step, failed: Sequence[Failed], seconds: float) -> Failed:
    """Each error once, with the values that cause it. The failure is saved if every error must occur again."""
    failures: dict[tuple[object, str], tuple[AuthorError, list[Mapping[str, Json]]]] = {}
    for failure in failed:
        for error in failure.errors:
            _, values = failures.setdefault((error.origin, error.message), (error, []))
            values.append(failure.step.visual.explored)
    errors = tuple(
        AuthorError(error.origin, error.message + _with(values), error.detail, error.trace)
        for error, values in failures.values()
    )
    traced: Inputs | None = Inputs.of(())
    for failure in failed:
        traced = None if traced is None or failure.traced is None else traced | failure.traced
    return Failed(step, errors, seconds + fsum(failure.seconds for failure in failed), traced)


def _warned(pictures: Iterator[tuple[Mapping[str, Json], tuple[Warned, ...]]]) -> tuple[Warned, ...]:
    of_pictures: dict[Warned, list[Mapping[str, Json]]] = {}
    for values, warnings in pictures:
        for warned in warnings:
            of_pictures.setdefault(warned, []).append(values)
    return tuple(
        warned
        if warned.check == "untranslated"  # which names the language
        else replace(warned, message=warned.message + _with(values))
        for warned, values in of_pictures.items()
    )


def _with(values: Sequence[Mapping[str, Json]]) -> str:
    """The values to which a message applies; empty if it applies to the declared picture."""
    if not all(values):
        return ""
    parameters = ", ".join(f"{name} {shown(value)}" for name, value in values[0].items())
    more = f", and in {len(values) - 1} more pictures" if len(values) > 1 else ""
    return f" (with {parameters}{more})"


@dataclass(frozen=True, slots=True)
class PlacedPage:
    """One page with its path. is_own: no earlier picture has the same bytes, so this page has a file of its own."""

    page: Page
    path: str
    is_own: bool

    @property
    def file(self) -> File:
        page = self.page
        return File(page.theme, "svg", self.path, page.sha256, page.width, page.height, page.smallest)


def placed_pages(built: Built, path_of: PathOf) -> tuple[tuple[PlacedPage, ...], ...]:
    """The pages of the declared picture and of all others; equal pages share the path of the first."""
    paths: dict[tuple[str, str], str] = {}
    pictures = []
    for picture in (built, *built.variants):
        pages = []
        for page in picture.settled.pages:
            own = path_of(picture.step.visual, page.theme)
            path = paths.setdefault((page.theme, page.sha256), own)
            pages.append(PlacedPage(page, path, path == own))
        pictures.append(tuple(pages))
    return tuple(pictures)


def in_its_language(built: Built) -> Built:
    """The figure with those of its other pictures that are in the same language."""
    own = built.step.visual.translation
    return replace(
        built, variants=tuple(picture for picture in built.variants if picture.step.visual.translation == own)
    )


def in_other_languages(built: Built) -> tuple[Built, ...]:
    """The figure in each other language, with its other pictures in that language."""
    editions = []
    for into in built.step.visual.translations:
        first, *others = [picture for picture in built.variants if picture.step.visual.translation == into]
        editions.append(replace(first, variants=tuple(others)))
    return tuple(editions)


def exploration(built: Built, path_of: PathOf) -> Exploration | None:
    """The exploration as in the manifest; None if the figure is not interactive."""
    visual = built.step.visual
    built = in_its_language(built)
    if not visual.explore:
        return None
    pages = placed_pages(built, path_of)
    declared, *others = zip((built, *built.variants), pages, strict=True)
    waiting = iter(others)
    pictures: list[ExploredPicture] = []
    number = 0
    for params in combinations(visual.explore):
        if is_declared(visual, params):
            number = len(pictures)
        picture, own = declared if is_declared(visual, params) else next(waiting)
        settled = picture.settled
        files = tuple(page.file for page in own)
        pictures.append(ExploredPicture(params, settled.alt, settled.caption, settled.facts, files))
    sizes = {page.path: len(page.page.svg) for own in pages for page in own}
    return Exploration(visual.explore, number, tuple(pictures), sum(sizes.values()))
