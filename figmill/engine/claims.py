"""The claims of a book: its questions and pages are read, and their numbers compared with what its figures state.

The figures are those of the last build. Writes nothing.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from figmill import fastpath
from figmill.claims import bind, messages, names, passages, record
from figmill.claims.bind import BOUND, CONTRADICTED, VERDICTS, Claim, NearbyFigure
from figmill.claims.context import OWN
from figmill.claims.labels import labels
from figmill.claims.numbers import WrittenNumber, numbers
from figmill.claims.offers import LABEL, Offer, offers
from figmill.claims.passages import TEXTS, Passage
from figmill.claims.record import Binding, Record, Recorded
from figmill.config import Options
from figmill.config.readers import other_than_english
from figmill.engine.book_state import BookState
from figmill.engine.load import look
from figmill.engine.prose import KeptRecord, record_of
from figmill.engine.questions import SUFFIXES
from figmill.errors import AuthorError, ToolError
from figmill.late_dataclasses import dataclass
from figmill.model import Fact, Origin, Published, Visual
from figmill.store.disk import Disk


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
class BuiltFigure:
    """A built figure. texts: in its picture."""

    visual: Visual
    published: Published
    texts: tuple[str, ...]

    @property
    def facts(self) -> Mapping[str, Fact]:
        return self.published.facts

    @property
    def shown(self) -> NearbyFigure:
        return NearbyFigure(self.visual.label, offers(self.facts, self.visual.params, self.texts))


@dataclass(frozen=True, slots=True)
class BookClaims:
    """The claims of a book, by file and place.

    stale: labels of figures that are out of date. unread: why a file is left out, one line each.
    left_out: the files of the book that were not read. is_whole: no question has errors, which would hide its figures.
    record: as it is on the disk.
    """

    claims: tuple[Judged, ...] = ()
    figures: Mapping[str, BuiltFigure] = field(default_factory=dict)
    stale: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    left_out: frozenset[str] = frozenset()
    is_whole: bool = True
    record: Record = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        verdicts = [judged.claim.verdict for judged in self.claims if not judged.reason]
        return {verdict: verdicts.count(verdict) for verdict in VERDICTS}

    @property
    def lapsed(self) -> int:
        """How many numbers of the record stand in sentences that are gone, or have other words now."""
        met = {_place(judged.claim.was) for judged in self.claims if judged.claim.was is not None}
        compared = (row for row in record.rows(self.record) if self.is_compared(row.file, row.figure))
        return sum(1 for row in compared if _place(row) not in met)

    def is_compared(self, file: str, figure: str) -> bool:
        """Whether a file was read and a figure is up to date."""
        is_there = self.is_whole or figure in self.figures
        return file not in self.left_out and figure not in self.stale and is_there

    def recorded(self, *, accepting: bool) -> set[Binding]:
        """The record of today: what is bound now, and what is contradicted, until it is mended.

        What was not read or not built stays. accepting: drop what is contradicted.
        """
        rows = {row for row in record.rows(self.record) if not self.is_compared(row.file, row.figure)}
        now: dict[tuple[object, ...], set[Binding | None]] = defaultdict(set)
        for passage, judged in groupby(self.claims, key=attrgetter("passage")):
            spots = record.places(passage.text, numbers(passage.text))
            for claim in (each.claim for each in judged):
                if (spot := spots.get(claim.number.start)) is not None and claim.figure not in self.stale:
                    row = None
                    if claim.verdict == BOUND and claim.offer is not None:
                        number, fact = " ".join(claim.number.text.split()), self._fact_of(claim, claim.offer)
                        row = Binding(passage.path, passage.key, *spot, number, claim.figure, fact)
                    elif claim.was is not None and not accepting:
                        row = claim.was
                    now[passage.path, passage.key, *spot].add(row)
        # A sentence that occurs twice is recorded only if both copies bind to the same fact.
        return rows.union(row for same in now.values() if len(same) == 1 for row in same if row is not None)

    def _fact_of(self, claim: Claim, offer: Offer) -> str:
        """The name under which a value is recorded. A label often repeats a fact, which outlives it."""
        figure = self.figures.get(claim.figure)
        if offer.source == LABEL and figure is not None:
            same = [fact for fact in offers(figure.facts, figure.visual.params) if _is_same(fact, offer)]
            named = [fact for fact in same if fact.meanings & offer.meanings] or same
            if len(named) == 1:
                return named[0].recorded_as
        return offer.recorded_as


def _is_same(first: Offer, second: Offer) -> bool:
    return (first.unit, first.is_derived) == (second.unit, False) and math.isclose(first.value, second.value)


def _place(row: Binding) -> tuple[object, ...]:
    return row.file, row.key, row.sentence, row.place


def book_claims(root: Path, options: Options, only: Sequence[str] = ()) -> BookClaims:
    """All claims of a book; none if its texts are not English. only: paths of files; empty: all.

    Raises ToolError for a path that is neither a question nor a page of the book, and AuthorError for a damaged record.
    """
    state = look(root, options)
    pages = [row[0] for row in fastpath.rows(str(root), [f".{fastpath.ONLY_PAGES}"])]
    questions = [*state.disk.files(options.questions, SUFFIXES)]
    every = {*questions, *pages}
    for path in only:
        if path not in every:
            raise ToolError(f"{path} is neither a question nor a page of the book")
    recorded = record_of(state).record
    if other_than_english(options.language):
        why = f"the book is in '{options.language}', and figmill reads numbers in English texts"
        return BookClaims(unread=(why,), left_out=frozenset(every), record=recorded)
    figures = dict(_figures(state))
    shown = {label: figure.shown for label, figure in figures.items()}
    judged: list[Judged] = []
    unread: list[str] = []
    left_out = every.copy()
    ids = {visual.at().path: visual.id for visual in state.book.visuals}
    failed = {problem.error.origin.path for problem in state.book.problems}
    for path in [*questions, *pages]:
        if only and path not in only:
            continue
        if path.endswith(SUFFIXES) and path not in ids:  # it has no figure, or errors
            left_out -= {path} - failed
            continue
        try:
            passages_of = [*_passages(path, state, ids, figures)]
        except AuthorError as error:
            unread += [str(error)] if path in pages else []  # the build reports that of a question
            continue
        left_out.discard(path)
        for passage in passages_of:
            judged += judged_in(passage, figures, shown, recorded.get((path, passage.key), {}))
    judged.sort(key=lambda each: (each.origin.path, each.origin.line or 0, each.origin.column or 0))
    stale = [step.visual.label for step in state.steps if not step.is_fresh]
    return BookClaims(
        tuple(judged), figures, tuple(stale), tuple(unread), frozenset(left_out), not failed, recorded
    )


@lru_cache(maxsize=2)
def read_record(data: bytes, name: str) -> KeptRecord:
    """The record with these bytes. name: of its file. Raises AuthorError if it is damaged."""
    try:
        rows = record.loads(data)
        return KeptRecord(rows, record.digests(rows))
    except ValueError as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise AuthorError(
            Origin(name, line),
            "is not a record of claims; restore it, or remove it and record again with `figmill claims --record`",
        ) from None


def judged_in(
    passage: Passage,
    figures: Mapping[str, BuiltFigure],
    shown: Mapping[str, NearbyFigure],
    recorded: Recorded,
) -> Iterator[Judged]:
    """The claims of one passage. shown: label -> what that figure offers."""
    near = [shown[label] for label in passage.near if label in shown]
    far = [shown[label] for label in passage.far if label in shown]
    for claim in bind.claims(passage.text, near, far, kind=passage.kind, recorded=recorded):
        yield _judged(passage, claim, messages.message(passage.text, claim), figures)
    texts = {label: figures[label].texts for label in passage.near if label in figures}
    for start, end, label, message in names.unknown(passage.text, texts):
        number = WrittenNumber(start, end, passage.text[start:end], 0, 0, 0)
        yield _judged(passage, Claim(number, CONTRADICTED, label), message, figures)


def _judged(passage: Passage, claim: Claim, message: str, figures: Mapping[str, BuiltFigure]) -> Judged:
    figure = figures.get(claim.figure)
    is_wrong = claim.verdict == CONTRADICTED and figure is not None
    reason = (
        figure.visual.lint.get(messages.CHECK, "") if is_wrong and figure is not None and passage.key else ""
    )
    return Judged(passage, claim, message, reason)


def _figures(state: BookState) -> Iterator[tuple[str, BuiltFigure]]:
    for step in state.steps:
        if step.entry is not None:
            published = step.entry.published
            yield (
                step.visual.label,
                BuiltFigure(step.visual, published, drawn_texts(published, state.disk) or ()),
            )


def drawn_texts(published: Published, disk: Disk) -> tuple[str, ...] | None:
    """The texts in a published picture; None if it cannot be read, or is not as published."""
    light = next((file for file in published.files if file.format == "svg"), None)
    if light is None or disk.digest(light.path) != light.sha256:
        return None
    data = disk.read(light.path)
    return labels(data) if data else None


def _passages(
    path: str, state: BookState, ids: Mapping[str, str], figures: Mapping[str, BuiltFigure]
) -> Iterator[Passage]:
    """The passages of a question or a page. Raises AuthorError if it cannot be read."""
    data = state.disk.read(path) or b""
    if path.endswith(SUFFIXES):
        yield from of_question(path, data, ids[path], state.options)
    else:
        yield from of_page(path, text_of(data), figures)


def text_of(data: bytes) -> str:
    """The text of a file, with LF line ends and without a byte-order mark."""
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def of_question(path: str, data: bytes, id_: str, options: Options) -> Iterator[Passage]:
    """The passages of a question file. Raises AuthorError."""
    from figmill.book import yaml_parser  # loads PyYAML, which a build of an unchanged book does not need

    rows = yaml_parser.read(path, data, None)
    for passage in passages.of_question(path, text_of(data), rows, id_):
        if passage.kind == OWN or _is_prose(passage.key, options.claim_keys):
            yield passage


def _is_prose(key: str, keys: Sequence[str]) -> bool:
    return not keys or any(key == name or key.startswith(f"{name}.") for name in keys)


def of_page(path: str, text: str, figures: Mapping[str, BuiltFigure]) -> Iterator[Passage]:
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
