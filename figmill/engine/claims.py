"""The claims of a book: its questions and pages are read, and their numbers compared with what its figures state.

The figures are those of the last build. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from figmill import fastpath
from figmill.book import yaml_parser
from figmill.claims import bind, messages, names, passages
from figmill.claims.bind import CONTRADICTED, OWN, VERDICTS, Claim, Shown
from figmill.claims.labels import labels
from figmill.claims.numbers import Number
from figmill.claims.offers import offers
from figmill.claims.passages import TEXTS, Passage
from figmill.config import Options
from figmill.engine.load import look
from figmill.engine.plan import State
from figmill.engine.questions import SUFFIXES
from figmill.engine.request import Request
from figmill.engine.state import BookState
from figmill.errors import AuthorError
from figmill.model import Fact, Origin, Published, Visual


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim in its file. reason: why it is excused; empty: it is not."""

    passage: Passage
    claim: Claim
    message: str
    reason: str = ""

    @property
    def origin(self) -> Origin:
        return self.passage.origin(self.claim.number.start, self.claim.number.end)

    @property
    def is_wrong(self) -> bool:
        return self.claim.verdict == CONTRADICTED and not self.reason

    @property
    def text(self) -> str:
        return messages.excerpt(self.passage.text, self.claim.number)


@dataclass(frozen=True, slots=True)
class Figure:
    """A built figure. texts: in its picture."""

    visual: Visual
    published: Published
    texts: tuple[str, ...]

    @property
    def facts(self) -> Mapping[str, Fact]:
        return self.published.facts

    @property
    def shown(self) -> Shown:
        return Shown(self.visual.label, offers(self.facts, self.visual.params, self.texts))


@dataclass(frozen=True, slots=True)
class Book:
    """The claims of a book, by file and place. stale: labels of figures that are not as their questions say."""

    claims: tuple[Judged, ...]
    figures: Mapping[str, Figure]
    stale: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        found = [judged.claim.verdict for judged in self.claims if not judged.reason]
        return {verdict: found.count(verdict) for verdict in VERDICTS}


def book_claims(root: Path, options: Options, only: Sequence[str] = ()) -> Book:
    """All claims of a book. only: paths of files; empty: all."""
    state = look(root, options, Request())
    figures = dict(_figures(state))
    shown = {label: figure.shown for label, figure in figures.items()}
    judged: list[Judged] = []
    for passage in _passages(state, figures, only):
        judged += judged_in(passage, figures, shown)
    judged.sort(key=lambda each: (each.origin.path, each.origin.line or 0, each.origin.column or 0))
    stale = [step.visual.label for step in state.steps if step.state is not State.FRESH]
    return Book(tuple(judged), figures, tuple(stale))


def judged_in(
    passage: Passage, figures: Mapping[str, Figure], shown: Mapping[str, Shown]
) -> Iterator[Judged]:
    """The claims of one passage. shown: label -> what that figure offers."""
    near = [shown[label] for label in passage.near if label in shown]
    far = [shown[label] for label in passage.far if label in shown]
    for claim in bind.claims(passage.text, near, far, kind=passage.kind):
        yield _judged(passage, claim, messages.message(passage.text, claim), figures)
    texts = {label: figures[label].texts for label in passage.near if label in figures}
    for start, end, label, message in names.unknown(passage.text, texts):
        number = Number(start, end, passage.text[start:end], 0, 0, 0)
        yield _judged(passage, Claim(number, CONTRADICTED, label), message, figures)


def _judged(passage: Passage, claim: Claim, message: str, figures: Mapping[str, Figure]) -> Judged:
    figure = figures.get(claim.figure)
    is_wrong = claim.verdict == CONTRADICTED and figure is not None
    reason = (
        figure.visual.lint.get(messages.CHECK, "") if is_wrong and figure is not None and passage.key else ""
    )
    return Judged(passage, claim, message, reason)


def _figures(state: BookState) -> Iterator[tuple[str, Figure]]:
    for step in state.steps:
        if step.entry is not None:
            published = step.entry.published
            light = next((file for file in published.files if file.format == "svg"), None)
            data = None if light is None else state.disk.read(light.path)
            yield step.visual.label, Figure(step.visual, published, labels(data) if data else ())


def _passages(state: BookState, figures: Mapping[str, Figure], only: Sequence[str]) -> Iterator[Passage]:
    root, options = state.disk.root, state.options
    ids = {visual.at().path: visual.id for visual in state.book.visuals}
    for path in (path for path in ids if path.endswith(SUFFIXES) and (not only or path in only)):
        data = state.disk.read(path) or b""
        try:
            rows = yaml_parser.read(path, data, None)
        except AuthorError:
            continue  # the build reports it
        source = data.decode("utf-8-sig", "replace")
        for passage in passages.of_question(path, source, rows, ids[path]):
            if passage.kind == OWN or _is_prose(passage.key, options.claim_keys):
                yield passage
    for row in fastpath.rows(str(root), [f".{fastpath.ONLY_PAGES}"]):
        if not only or row[0] in only:
            text = (state.disk.read(row[0]) or b"").decode("utf-8-sig", "replace").replace("\r\n", "\n")
            yield from of_page(row[0], text, figures)


def _is_prose(key: str, keys: Sequence[str]) -> bool:
    return not keys or any(key == name or key.startswith(f"{name}.") for name in keys)


def of_page(path: str, text: str, figures: Mapping[str, Figure]) -> Iterator[Passage]:
    """The passages of a page: the texts of its code blocks that are figures, and the prose around figures."""
    fences = [
        figure.visual for figure in figures.values() if figure.visual.fence and figure.visual.source == path
    ]
    for visual in fences:
        for key in TEXTS:
            written = getattr(visual, key)
            if isinstance(written, str) and written and key in visual.origins:
                at = visual.at(key)
                start = sum(map(len, text.splitlines(keepends=True)[: (at.line or 1) - 1]))
                start = max(start, text.find(written, start))
                yield Passage(path, written, (visual.label,), (), OWN, text, start, f"visual.{key}")
    blocks = [(visual.fence.line, visual.label) for visual in fences if visual.fence]
    yield from passages.of_page(path, text, figures, blocks)
