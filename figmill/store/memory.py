"""What builds of a book remember: values read from the journal on demand, and written if they differ.

A value that the journal has, and that is still the same object, is not serialised again. Records that are malformed
count as missing, all of a kind together: what they describe is looked at again. Values that nobody asked for stay as
they are, so a build that reads a part of a book writes only that part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from figmill import versions
from figmill.model import Warned
from figmill.store import checked, codec, figure_records, question_records
from figmill.store.digest_index import DigestRow
from figmill.store.journal import Journal, Records
from figmill.store.ledger import INPUTS, Ledger
from figmill.store.question_records import ParsedFile, ParsedFiles
from figmill.store.rows import Codecs

# The kinds of records.
FIGURE, FAILURE, ORPHANS = "figure", "failure", "orphans"
QUESTION, PARSER = "question", "parser"
DIGEST, PAGE, FINDINGS, FALSE = "digest", "page", "findings", "false"


class PageText(NamedTuple):
    """A figure as the manifest and the gallery have it."""

    shows: str  # the label of the figure shown
    line: str
    card: str


Pages: TypeAlias = Mapping[tuple[str, str], PageText]  # by id and name, or "": their order


class Finding(NamedTuple):
    """A finding of a check on a figure."""

    label: str  # of the figure, or the id of a question
    warned: Warned


class FalseNumbers(NamedTuple):
    """The false numbers in a question: the line, the column and the message of each."""

    key: str  # what they depend on
    findings: tuple[tuple[int, int, str], ...]


_CODECS = Codecs({})
_FINDINGS = _CODECS[tuple[Finding, ...]]


# A page's record is not JSON: its texts stand between tabs. Parsing the quotes of a thousand cards takes as long as all
# else that a build of one figure reads. In the texts, one character stands for a line feed, and one for a tab.
_PLAIN, _KEPT = "\n\t", "\x1e\x1f"
_ESCAPE = "\x1d"  # before a digit: it stands for one of these three in the texts
_ESCAPES = {character: f"{_ESCAPE}{place}" for place, character in enumerate((_ESCAPE, *_KEPT))}
_ESCAPED = {escape: character for character, escape in _ESCAPES.items()}


def packed_page(page: PageText) -> bytes:
    """The value of a page's record."""
    return "\t".join(map(_escaped, page)).encode("utf-8", "surrogatepass")


def page_of(value: bytes) -> PageText:
    """The page of a record. Raises ValueError, TypeError or KeyError."""
    return PageText(*map(_unescaped, value.decode("utf-8", "surrogatepass").split("\t")))


def _escaped(text: str) -> str:
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    for plain, kept in zip(_PLAIN, _KEPT, strict=True):
        text = text.replace(plain, kept)
    return text


def _unescaped(text: str) -> str:
    for plain, kept in zip(_PLAIN, _KEPT, strict=True):
        text = text.replace(kept, plain)
    if _ESCAPE in text:
        text = re.sub(f"{_ESCAPE}.", lambda match: _ESCAPED[match[0]], text)
    return text


class Memory:
    """The records of one book. Only the holder of the book's lock may save."""

    def __init__(self, root: Path) -> None:
        """Raises AuthorError if the journal cannot be read."""
        self.journal = Journal(root)
        self._known: dict[str, dict[Any, object]] = {}  # kind -> name -> the value that the journal has
        self._idle: list[bytes] = []  # groups of inputs that no figure refers to

    def ledger(self, touching: Collection[str] | None = None) -> Ledger:
        """The figures of earlier builds; an empty ledger if there is none, or if it is damaged.

        touching: only figures whose records name one of these paths; None: all.
        """
        failures, groups, orphans = map(self.journal.of_kind, (FAILURE, INPUTS, ORPHANS))
        if touching is None:
            figures = self.journal.of_kind(FIGURE)
        else:
            figures = self.journal.mentioning(FIGURE, map(codec.text_of, touching))
        ledger, used = _ledger(figures, failures, groups, orphans)
        self._note(FIGURE, figures, ledger.entries)
        self._note(FAILURE, failures, ledger.failures)
        if touching is None:
            self._idle = [key for key in groups if key not in used]
        return ledger

    def questions(self, paths: Iterable[str] | None = None) -> dict[str, ParsedFile]:
        """The parsed questions; none if other code parsed them. paths: only those of these files; None: all."""
        if paths is None:
            lines = self.journal.of_kind(QUESTION)
        else:
            keys = (codec.key_of(QUESTION, path) for path in paths)
            lines = {key: row for key in keys if (row := self.journal.get(key))}
        files: dict[str, ParsedFile] = {}
        try:
            if self._one(PARSER) == versions.code("parse"):
                files = {
                    path: question_records.unpacked(path, row) for path, row in codec.rows(lines).items()
                }
        except question_records.MALFORMED:
            files = {}
        self._note(QUESTION, lines, files)
        return files

    def digests(self) -> dict[str, DigestRow]:
        """The digests of files, each with the status for which it holds."""
        lines = self.journal.of_kind(DIGEST)
        try:
            digests = {name: row for name, row in codec.rows(lines).items() if isinstance(row, list)}
        except ValueError:
            digests = {}
        self._note(DIGEST, lines, digests)
        return digests

    def pages(self) -> Pages:
        """The texts of all figures in the manifest and the gallery. Raises ValueError if they are damaged."""
        lines = self.journal.of_kind(PAGE)
        try:
            texts = map(page_of, lines.values())
            pages = {(id_, name): text for (id_, name), text in zip(codec.names(lines), texts, strict=True)}
        except (TypeError, KeyError):
            raise ValueError("no texts of a page") from None
        self._known[PAGE] = {**pages}
        return pages

    def findings(self) -> tuple[Finding, ...]:
        """The findings of the checks, as the gallery shows them. Raises ValueError if it is damaged."""
        try:
            return _FINDINGS.read(self._one(FINDINGS) or [])  # type: ignore[no-any-return]
        except TypeError:
            raise ValueError("no findings") from None

    def false_numbers(self, path: str) -> FalseNumbers | None:
        """The false numbers last found in a question; None if it was never searched."""
        text = self.journal.get(codec.key_of(FALSE, path))
        try:
            kept, *rows = checked.items(checked.loads(text)) if text else (None,)
            findings = tuple(
                (checked.count(row[0]), checked.count(row[1]), checked.text(row[2])) for row in rows
            )
            return FalseNumbers(checked.text(kept), findings) if text else None
        except (ValueError, IndexError, TypeError):
            return None

    def save_false_numbers(self, numbers: Mapping[str, FalseNumbers], *, is_whole: bool) -> None:
        """Remember these; in place of all earlier ones, if they are of the whole book. Raises ToolError."""
        lines = {
            codec.key_of(FALSE, path): codec.text_of([each.key, *each.findings])
            for path, each in numbers.items()
        }
        if is_whole:
            lines |= {key: b"" for key in self.journal.of_kind(FALSE) if key not in lines}
        self.journal.write(self.journal.differing(lines), lasting=False)

    def differing(self, ledger: Ledger, questions: ParsedFiles) -> Records:
        """What `save` would write of these."""
        return self.journal.differing(self._records(ledger, questions))

    def save(self, ledger: Ledger, questions: ParsedFiles) -> None:
        """Remember these in place of everything that was read. Raises ToolError."""
        records = self._records(ledger, questions)
        if self.journal.differing(records):
            records = dict.fromkeys(self._idle, b"") | records  # a figure may use a group again
        self.journal.write(records)
        self._idle = []
        self._known |= {
            FIGURE: dict(ledger.entries),
            FAILURE: dict(ledger.failures),
            QUESTION: dict(questions),
        }

    def save_digests(self, digests: Mapping[str, DigestRow] | None) -> None:
        """Remember these digests in place of those that were read; None: those stay. Raises ToolError."""
        if digests is not None:
            self.journal.write(self._changed(DIGEST, digests, lambda row: row), lasting=False)
            self._known[DIGEST] = dict(digests)

    def save_texts(self, pages: Pages, findings: Iterable[Finding]) -> None:
        """Remember these texts of pages in place of all earlier ones. Raises ToolError."""
        if PAGE not in self._known:
            self._note(PAGE, self.journal.of_kind(PAGE), {})
        new = self._new(PAGE, pages)
        lines = {codec.key_of(PAGE, order): packed_page(text) for order, text in new.items()}
        lines |= self._gone(PAGE, pages)
        rows = _FINDINGS.pack(findings)
        lines[codec.key_of(FINDINGS, "")] = codec.text_of(rows) if rows else b""
        self.journal.write(lines, lasting=False)
        self._known[PAGE] = dict(pages)

    def _records(self, ledger: Ledger, questions: ParsedFiles) -> Records:
        """The records of what has changed, with the groups of inputs that they refer to."""
        records = _records(ledger, self._changed)
        records |= self._changed(QUESTION, questions, question_records.packed)
        records[codec.key_of(PARSER, "")] = codec.text_of(versions.code("parse"))
        return records

    def _one(self, kind: str) -> Any:
        """The value of the only record of a kind; None if there is none. Raises ValueError."""
        text = self.journal.get(codec.key_of(kind, ""))
        return checked.loads(text) if text else None

    def _note(self, kind: str, keys: Iterable[bytes], values: Mapping[Any, object]) -> None:
        """Remember what the journal has. A malformed record has no value, and is replaced or removed."""
        current = self._known.setdefault(kind, {})
        current |= dict.fromkeys(tuple(n) if isinstance(n, list) else n for n in codec.names(keys))
        current |= values

    def _changed(self, kind: str, values: Mapping[Any, Any], pack: Callable[[Any], Any]) -> Records:
        """The records of values that the journal does not have, and empty records of those that are gone."""
        return _packed(kind, self._new(kind, values), pack) | self._gone(kind, values)

    def _new(self, kind: str, values: Mapping[Any, Any]) -> dict[Any, Any]:
        """The values that the journal does not have."""
        current = self._known.get(kind, {})
        return {name: value for name, value in values.items() if current.get(name) is not value}

    def _gone(self, kind: str, values: Mapping[Any, Any]) -> Records:
        """Empty records of the values that are no longer there."""
        gone = self._known.get(kind, {}).keys() - values.keys()
        return {codec.key_of(kind, name): b"" for name in gone}


def records_of(ledger: Ledger) -> Records:
    """The records of a ledger."""
    return _records(ledger, _packed)


def ledger_of(lines: Records) -> Ledger:
    """The ledger of these records; an empty one if they are damaged."""
    kinds: dict[str, Records] = {kind: {} for kind in (FIGURE, FAILURE, INPUTS, ORPHANS)}
    for key, row in lines.items():
        kinds.get(key.partition(b" ")[0].decode(), {})[key] = row
    return _ledger(*kinds.values())[0]


# A kind, its values by name, and what packs one of them -> the records of those that are to be written.
Packing: TypeAlias = Callable[[str, Mapping[Any, Any], Callable[[Any], Any]], Records]


def _packed(kind: str, values: Mapping[Any, Any], pack: Callable[[Any], Any]) -> Records:
    return {codec.key_of(kind, name): codec.text_of(pack(value)) for name, value in values.items()}


def _records(ledger: Ledger, packing: Packing) -> Records:
    writer = figure_records.RecordWriter()
    lines = packing(FIGURE, ledger.entries, writer.entry) | packing(FAILURE, ledger.failures, writer.failure)
    lines |= _packed(INPUTS, writer.groups, lambda rows: rows)
    lines[codec.key_of(ORPHANS, "")] = codec.text_of(sorted(ledger.orphans)) if ledger.orphans else b""
    return lines


def _ledger(
    figures: Records, failures: Records, groups: Records, orphans: Records
) -> tuple[Ledger, set[bytes]]:
    """The ledger of these records, and the keys of the groups of inputs that it refers to."""
    try:
        reader = figure_records.RecordReader(codec.rows(groups))
        left = [path for paths in codec.values(orphans) for path in checked.items(paths)]
        ledger = Ledger(
            {name: reader.entry(name, row) for name, row in codec.rows(figures).items()},
            tuple(map(checked.path, left)),
            {name: reader.failure(row) for name, row in codec.rows(failures).items()},
        )
    except figure_records.MALFORMED:
        return Ledger(), set()
    return ledger, {codec.key_of(INPUTS, name) for name in reader.used}
