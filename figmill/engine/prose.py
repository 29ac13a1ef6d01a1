"""The numbers in the prose of questions, and those of figures' own texts by the record, in every build.

What words say of a figure's own texts is found when it is settled. The rest is looked for after an update, from what it
published, and kept in the journal: a question is read again only if it, its figures or the record changed.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from figmill import checks, versions
from figmill.engine.book_state import BookState
from figmill.engine.questions import is_page
from figmill.errors import AuthorError
from figmill.late import imported
from figmill.late_dataclasses import dataclass
from figmill.model import Origin, Visual, Warned
from figmill.report.model import Diagnostic
from figmill.store.ledger import Entry, key
from figmill.store.memory import FalseNumbers

# Loaded only for a book that has changed, or has a record: their patterns take as long as a thousand questions.
FIND, STATED = "figmill.engine.false_prose:false_statements", "figmill.engine.false_prose:Statement"
READ, DRAWN = "figmill.engine.claims:read_record", "figmill.engine.claims:drawn_texts"
# What decides here, besides the code that settles.
CODE = ("claims/passages.py", "engine/false_prose.py", "engine/prose.py")


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """A record, by file and key of its texts. digests: of what it says about each file."""

    record: Mapping[tuple[str, str], Mapping[tuple[str, int], Sequence[Any]]]
    digests: Mapping[str, str]


NOTHING = KeptRecord({}, {})
CHECK = "contradicted"  # as in claims/messages.py, which loads its patterns


def notes(state: BookState, entries: Mapping[str, Entry], *, is_strict: bool) -> tuple[Diagnostic, ...]:
    """A note for each false number of the requested questions. entries: of all their figures."""
    level = checks.levels(state.options.lint)[CHECK]
    if level in (checks.OFF, checks.NOTE):
        return ()
    level = checks.ERROR if is_strict else level
    recorded, damaged = NOTHING, list[Diagnostic]()
    try:
        recorded = record_of(state)
    except AuthorError as error:
        warned = Warned(error.origin, error.message, CHECK)
        damaged = [Diagnostic.of_check(warned, level, None, None)]
    of_prose = (
        Diagnostic.of_check(Warned(Origin(path, line, column), message, CHECK), level, id_, None)
        for path, id_, false in _of_questions(state, entries, recorded)
        if false.findings and state.wants(id_)
        for line, column, message in false.findings
    )
    return (*damaged, *of_prose)


def record_of(state: BookState) -> KeptRecord:
    """A book's record; NOTHING without its file. Raises AuthorError if it cannot be read, or is damaged."""
    name = state.options.claims_record
    data = state.disk.read(name)
    record: KeptRecord = imported(READ)(data, name) if data else NOTHING
    return record


def _of_questions(
    state: BookState, entries: Mapping[str, Entry], recorded: KeptRecord
) -> Iterator[tuple[str, str, FalseNumbers]]:
    """The path and the id of each question with a figure, and what is false in it."""
    by_path: dict[str, list[Visual]] = defaultdict(list)
    for visual in state.book.visuals:
        by_path[visual.at().path].append(visual)
    common = _common(state.options.claim_keys)
    for path in state.false_numbers.keys() - by_path.keys():
        del state.false_numbers[path]
    for path, visuals in by_path.items():
        file = state.questions.get(path)
        published = [entry for visual in visuals if (entry := entries.get(key(visual))) is not None]
        if file is None or len(published) < len(visuals) or is_page(path):
            continue  # it has errors, or is a page, which its host compares
        inputs = (file, recorded, *published)
        last = state.false_numbers.get(path)
        if last is None or len(last[0]) != len(inputs) or any(map(_differ, last[0], inputs)):
            text = f"{common} {file.digest} {recorded.digests.get(path, '')}"
            last = inputs, _kept_or_compared(state, path, text, visuals, published, recorded)
            state.false_numbers[path] = last
        yield path, visuals[0].id, last[1]


def _differ(first: object, second: object) -> bool:
    return first is not second


@cache
def _common(keys: tuple[str, ...]) -> str:
    """A digest of the code that decides, and of the settings."""
    parts = (versions.code("settle"), *(versions.own_digest(versions.OWN + name) for name in CODE), *keys)
    return _digest("\0".join(parts))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _kept_or_compared(
    state: BookState,
    path: str,
    own: str,
    visuals: Sequence[Visual],
    published: Sequence[Entry],
    recorded: KeptRecord,
) -> FalseNumbers:
    """The false numbers of a question, from the journal or recomputed.

    own: what they depend on besides the figures, which are ignored if the question has no numbers.
    """
    kept = state.memory.false_numbers(path)
    if kept is not None and kept.key == own:
        return kept
    drawn = "".join(
        repr((entry.published.facts, [file.sha256 for file in entry.published.files])) for entry in published
    )
    whole = f"{own} {_digest(drawn)}"
    if kept is not None and kept.key == whole:
        return kept
    stated, drawn_texts = imported(STATED), imported(DRAWN)
    figures = [
        stated(visual, entry.published.facts, partial(drawn_texts, entry.published, state.disk))
        for visual, entry in zip(visuals, published, strict=True)
    ]
    statements = imported(FIND)(state, path, figures, recorded.record)
    if statements is None:
        return FalseNumbers(own, ())
    excused = {visual.label for visual in visuals if CHECK in visual.lint}
    return FalseNumbers(whole, tuple(each[:3] for each in statements if each.label not in excused))
