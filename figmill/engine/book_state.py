"""A book and the result of its last build: which outputs are current, stale, or no longer belong to a figure.

Writes nothing, and only asks the disk which files exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import PurePosixPath
from typing import TypeAlias

from figmill import checks
from figmill.book import misspelled_keys
from figmill.book.question import label_of
from figmill.book.resolve import Book
from figmill.book.sources import folded
from figmill.config import Options
from figmill.engine.outputs import (
    LONGEST_BEGIN,
    all_files,
    is_published,
    page_folder,
    paths,
    published_of,
)
from figmill.engine.plan import Step, target
from figmill.engine.request import is_among
from figmill.errors import AuthorError, ToolError
from figmill.formats import FORMATS
from figmill.host import files
from figmill.late_dataclasses import dataclass
from figmill.model import Origin, Published, PublishedStatus, Visual
from figmill.page_words import Speech
from figmill.publish import data_files, export_plan, gallery, manifest
from figmill.store.disk import ABSENT, Disk
from figmill.store.ledger import Entry, Failure, Ledger, key
from figmill.store.links import PRIVATE
from figmill.store.memory import FalseNumbers, Finding, Memory, Pages, PageText
from figmill.store.question_records import ParsedFiles

# The figures' texts for the pages, as made by earlier updates of this process. They save time, and change no byte.
Texts: TypeAlias = dict[tuple[str, str], tuple[Published, PublishedStatus, PageText]]


# The false numbers of each question, with the objects that they depend on, as found by this process.
FalseByPath: TypeAlias = dict[str, tuple[tuple[object, ...], FalseNumbers]]


@dataclass(frozen=True, slots=True)
class Rest:
    """The texts of the figures that were not read, if only a part of the book was."""

    pages: Pages = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class PageSet:
    """The manifest and the gallery: their bytes by path, and the texts that they are joined from."""

    files: Mapping[str, bytes]
    texts: Pages
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class BookState:
    """A book, read whole or in part, and the result of its last build: what is current, stale, or an orphan.

    - ledger: as the last build saved it.
    - questions: the parsed files to save.
    - sources: the listing of questions and visuals, made before anything was read.
    - ids: globs of the requested questions; empty: all.
    """

    disk: Disk
    options: Options
    book: Book
    memory: Memory
    questions: ParsedFiles
    ledger: Ledger
    steps: tuple[Step, ...]
    sources: str
    texts: Texts = field(default_factory=dict)
    rest: Rest = field(default_factory=Rest)
    false_numbers: FalseByPath = field(default_factory=dict)
    ids: tuple[str, ...] = ()

    @property
    def requested(self) -> tuple[Step, ...]:
        """The steps of the requested figures."""
        return tuple(step for step in self.steps if self.wants(step.visual.id))

    def wants(self, id_: str | None) -> bool:
        """Whether a question is requested. id_: None if it could not be read."""
        return is_among(id_, self.ids)

    def is_settled(self) -> bool:
        """Whether a build would write nothing at all."""
        if self.book.problems or any(not step.is_fresh for step in self.steps):
            return False
        ledger = self.ledger_of(self.ledger.entries, set(self.ledger.orphans), self.ledger.failures)
        if self.memory.journal.status is None or self.memory.differing(ledger, self.questions):
            return False
        current = {key(step.visual) for step in self.steps}
        return all(
            self.disk.holds(path, data) for path, data in self.pages(ledger.entries, current).files.items()
        )

    def ledger_of(
        self, entries: Mapping[str, Entry], left: set[str], failures: Mapping[str, Failure]
    ) -> Ledger:
        """The ledger to save. left: outputs that may no longer belong to a figure."""
        kept, orphans = self.partition(entries, left)
        return Ledger(kept, orphans, self.living(failures))

    def living(self, failures: Mapping[str, Failure]) -> dict[str, Failure]:
        """The failures of figures that are still there."""
        names = {key(visual) for visual in self.book.visuals} if failures else set()
        return {name: failure for name, failure in failures.items() if name in names}

    def partition(
        self, entries: Mapping[str, Entry], left: set[str]
    ) -> tuple[dict[str, Entry], tuple[str, ...]]:
        """Entries to keep, and outputs on disk that no figure makes any more.

        A figure whose question cannot be read just now is kept: its outputs are those of an earlier build.
        """
        questions = {key(visual): visual.at().path for visual in self.book.visuals}
        broken = {problem.error.origin.path for problem in self.book.problems}
        kept = {name: e for name, e in entries.items() if name in questions or e.question in broken}
        moved = {
            name: path for name, path in questions.items() if name in kept and kept[name].question != path
        }
        kept |= {name: replace(kept[name], question=path) for name, path in moved.items()}
        gone = (entry for name, entry in entries.items() if name not in kept)
        left = left.union(*(paths(entry) | export_plan.paths(entry) for entry in gone))
        claimed = {file.path for entry in kept.values() for file in all_files(entry)} if left else set()
        left = left - claimed
        if not left:
            return kept, ()
        left |= self._earlier_pages(left)
        sources = {visual.source for visual in self.book.visuals}
        inputs = {name for visual in self.book.visuals for name in visual.inputs}
        left = left - sources - inputs
        twins = {folded(path): self.disk.root / path for path in claimed}
        left = {
            path
            for path in left
            if (twin := twins.get(folded(path))) is None or not files.is_same(self.disk.root / path, twin)
        }
        return kept, tuple(sorted(path for path in left if self._is_output(path)))

    def _earlier_pages(self, left: set[str]) -> set[str]:
        """The manifest and the gallery of an earlier output folder that holds some of these files."""
        outside = {path for path in left if not path.startswith(f"{self.folder}/")}
        folders = {str(folder) for path in outside for folder in PurePosixPath(path).parents} - {"."}
        return {
            f"{folder}/{name}"
            for folder in folders
            if not outside.isdisjoint(
                manifest.paths(self.disk.read(f"{folder}/{manifest.NAME}") or b"", folder)
            )
            for name in (manifest.NAME, gallery.NAME)
        }

    def _is_output(self, path: str) -> bool:
        """Whether a build may have written a file, so that it can be removed. The ledger alone is not trusted.

        In the output folder, any picture counts. Elsewhere (in an earlier output folder or beside the sources), these
        count: an SVG in the published form, an export beside such an SVG, and a manifest or gallery of figmill.
        """
        if not self.disk.is_own_file(path):
            return False
        is_table, name = data_files.ENDING.search(path), path.rpartition("/")[2]
        stem, _, suffix = path.rpartition(".")
        if is_table or suffix in FORMATS:
            if path.startswith(f"{self.folder}/") and (is_table or not self.options.in_place):
                return True
            stem = data_files.ENDING.sub("", path) if is_table else stem
            return is_published(self.disk.head(f"{stem}.svg", LONGEST_BEGIN))
        is_ours = {manifest.NAME: manifest.is_one, gallery.NAME: gallery.is_one}.get(name)
        return (
            is_ours is not None and path not in self.page_paths and self.disk.foreign(path, is_ours) is None
        )

    def refuse_foreign(self, path: str, data: bytes, visual: Visual) -> None:
        """Raise AuthorError if an output of a figure would overwrite a file that no build has made.

        The product that a question of an older vault names may be overwritten, whoever made it.
        """
        entry = self.ledger.entries.get(key(visual))
        if path == visual.old_product or (
            entry is not None and any(file.path == path for file in all_files(entry))
        ):
            return
        if not self.disk.holds(path, data) and path not in self.ledger.orphans:
            fault = self._foreign(path, is_published if path.endswith(".svg") else lambda _: False)
            if fault is not None and not (data_files.ENDING.search(path) and self._is_published(visual)):
                raise AuthorError(Origin(path), fault)

    def _is_published(self, visual: Visual) -> bool:
        """Whether a figure has a picture, so that its tables are its own.

        A clone has no ledger, and once the figure has failed there, no manifest lists its tables either.
        """
        return is_published(self.disk.head(target(visual, self.options), LONGEST_BEGIN))

    def refuse_foreign_pages(self) -> None:
        """Raise ToolError if the manifest or the gallery would overwrite a foreign file.

        In a folder with outputs of the ledger, both are figmill's own.
        """
        entries = self.ledger.entries.values()
        if not any(path.startswith(f"{self.folder}/") for entry in entries for path in paths(entry)):
            for path, is_ours in zip(self.page_paths, (manifest.is_one, gallery.is_one), strict=True):
                if (fault := self._foreign(path, is_ours)) is not None:
                    raise ToolError(f"{path}: {fault}")

    def _foreign(self, path: str, is_ours: Callable[[bytes], bool]) -> str | None:
        fault = self.disk.foreign(path, is_ours)
        if fault is None or path in self._listed():
            return None
        return f"{fault}; move it away, or choose another output"

    def _listed(self) -> set[str]:
        """The files that builds have written, by the ledger and, in a fresh clone, by the manifest."""
        listed = {file.path for entry in self.ledger.entries.values() for file in all_files(entry)}
        return listed | manifest.paths(self.disk.read(self.page_paths[0]) or b"", self.folder)

    def pages(self, entries: Mapping[str, Entry], current: set[str]) -> PageSet:
        """The manifest and the gallery."""
        texts = dict(self.rest.pages)
        for shows, figure, status in self._published(entries, current):
            texts[figure.order] = self.page_text(shows, figure, status)
        for order in self.texts.keys() - texts.keys():
            del self.texts[order]
        ordered = {order: texts[order] for order in sorted(texts)}
        findings = (*self._findings(entries), *self.rest.findings)
        cards = {label_of(id_, name or None): text.card for (id_, name), text in ordered.items()}
        for_tools, for_people = self.page_paths
        files = {
            for_tools: manifest.joined(text.line for text in ordered.values()),
            for_people: gallery.joined(cards, findings, self.speech, self.options.languages),
        }
        return PageSet(files, ordered, findings)

    def page_text(self, shows: str, figure: Published, status: PublishedStatus) -> PageText:
        """A figure's texts in the manifest and in the gallery, made once. shows: the label of the figure shown."""
        cached = self.texts.get(figure.order)
        if cached is None or cached[0] is not figure or cached[1] != status:
            line = manifest.line(figure, status, self.folder)
            card = gallery.card(figure, status, self.folder, self.speech)
            cached = self.texts[figure.order] = figure, status, PageText(shows, line, card)
        return cached[2]

    def _findings(self, entries: Mapping[str, Entry]) -> Iterator[Finding]:
        """The findings of the checks, in the order of the figures; then those of questions without a figure."""
        for entry in sorted(entries.values(), key=lambda entry: entry.published.order):
            yield from (Finding(entry.published.label, warned) for warned in entry.warnings)
        if checks.levels(self.options.lint)[misspelled_keys.CHECK] == checks.WARN:
            yield from (Finding(id_, suspect.warning) for id_, suspect in self.book.suspects)

    @property
    def speech(self) -> Speech:
        """The words of the gallery."""
        return Speech(self.options.language, dict(self.options.words))

    @property
    def folder(self) -> str:
        """The folder of the manifest and the gallery."""
        return page_folder(self.options)

    @property
    def written_to(self) -> tuple[str, ...]:
        """The folders where a killed build may leave unfinished files; the live page writes into those of questions."""
        options = self.options
        visuals = options.visuals if options.in_place else ()
        return tuple(dict.fromkeys((PRIVATE, self.folder, *visuals, *options.questions)))

    @property
    def page_paths(self) -> tuple[str, str]:
        return f"{self.folder}/{manifest.NAME}", f"{self.folder}/{gallery.NAME}"

    def _published(
        self, entries: Mapping[str, Entry], current: set[str]
    ) -> Iterator[tuple[str, Published, PublishedStatus]]:
        """Every figure that has outputs, with its status; references show the figure that they name.

        First the label of the figure that is shown. What is shown elsewhere, in what has not been read, comes as well.
        """
        by_label: dict[str, tuple[Published, PublishedStatus]] = {}
        for name, entry in entries.items():
            if name in current or all(self.disk.digest(path) != ABSENT for path in paths(entry)):
                figure = published_of(entry)
                status = PublishedStatus.CURRENT if name in current else PublishedStatus.STALE
                by_label[figure.label] = figure, status
                yield figure.label, figure, status
        for ref in self.book.refs:
            if ref.target in by_label:
                figure, status = by_label[ref.target]
                shown = replace(figure, id=ref.id, name=ref.name, track=ref.track, title=ref.title)
                yield ref.target, shown, status
