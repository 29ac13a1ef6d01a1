"""A book in memory: its questions, figures and steps, and which figures depend on which file.

Reads the book through its disk, and writes nothing. After any sequence of changes, its state is the same as after
reading the whole book again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from figmill import fastpath
from figmill.book import patch
from figmill.book.question import Question
from figmill.book.resolve import Book, Resolved, resolved
from figmill.config import Options
from figmill.engine import questions
from figmill.engine.book_state import BookState, FalseByPath, Texts
from figmill.engine.drawing.failures import recalled
from figmill.engine.outputs import all_files
from figmill.engine.plan import Step, plan
from figmill.model import Visual
from figmill.publish import export_plan
from figmill.store.ledger import Ledger, key
from figmill.store.memory import Memory
from figmill.store.question_records import ParsedFile, ParsedFiles
from figmill.store.resident_disk import ResidentDisk

Questions: TypeAlias = tuple[Question, ...]


def _is_same_set(pair: tuple[Questions, Questions]) -> bool:
    """Whether a file has the same questions in the same order, whatever their content."""
    before, now = pair
    return [question.id for question in before] == [question.id for question in now]


class WarmBook:
    """One book under fixed settings; other settings need another object.

    - steps: by figure, in their order.
    - ledger: as last written.
    - owes_since: the time from which the manifest and the gallery have been postponed; None: they are not postponed.
    """

    def __init__(self, root: Path, options: Options) -> None:
        """options: with full paths of fonts."""
        self.root, self.options = root, options
        seen = fastpath.look(str(root), options.listed)
        fastpath.settle_clock(seen.rows)
        self.memory = Memory(root)
        self.disk = ResidentDisk(root, seen.rows, self.memory.digests(), options.own_words)
        self.texts: Texts = {}
        self.false_numbers: FalseByPath = {}
        self.owes_since: float | None = None
        self.is_written = False  # whether the journal and the pages agree with the book
        self._parsed: dict[str, ParsedFile] = {}
        self._files = frozenset[str]()
        self._odd: Mapping[str, str] = {}
        self.resolved: Resolved
        self._disputes = frozenset[str]()
        self._read_files(self.memory.questions())
        self._resolve()
        self.ledger = export_plan.without_stale_exports(self.memory.ledger(), self.disk.digest)
        self.steps: dict[str, Step] = {}
        self._touching: dict[str, set[str]] = defaultdict(set)  # file -> figures
        self._touched_by: dict[str, frozenset[str]] = {}  # figure -> files
        self._place(self.resolved.book.visuals)

    def look_again(self, changed: Collection[str] | None) -> set[str]:
        """Take in what has changed.

        Returns the figures that may be affected, each with a new step. changed: names below the root; None: look at
        everything.
        """
        unsure = self.disk.begin()
        touched, is_relisted = self._touched(changed)
        touched |= unsure
        figures = {name for file in touched for name in self._touching.get(file, ())}
        if self._affects_pages(touched - self._touching.keys()):
            self.is_written = False
        figures |= self._take_questions(touched, is_relisted)
        self.replan(figures)
        return figures & self.steps.keys()

    def replan(self, figures: Collection[str]) -> None:
        """Make new steps for these figures, by the current ledger and files."""
        visuals = [self.steps[name].visual for name in figures if name in self.steps]
        entries = {name: self.ledger.entries[name] for name in figures if name in self.ledger.entries}
        exported = {name: entry for name, entry in entries.items() if entry.exports}
        if exported:
            valid = export_plan.without_stale_exports(Ledger(exported), self.disk.digest)
            orphans = tuple(sorted({*self.ledger.orphans, *valid.orphans}))
            self.ledger = replace(
                self.ledger, entries={**self.ledger.entries, **valid.entries}, orphans=orphans
            )
        for step in self._planned(visuals):
            self.steps[key(step.visual)] = step
            self._watch(step)

    def _affects_pages(self, files: Collection[str]) -> bool:
        """Whether one of these files is a page, an orphan, or an output of a figure whose question cannot be read."""
        if not files:
            return False
        entries = self.ledger.entries
        unread = (entries[name] for name in entries.keys() - self.steps.keys())
        outputs = {file.path for entry in unread for file in all_files(entry)}
        return not outputs.union(self.ledger.orphans, self.quick_state().page_paths).isdisjoint(files)

    def state(self) -> BookState:
        """The book as a build takes it."""
        rows = [row for _, row in sorted(self.disk.rows.items())]
        return self._state(fastpath.state(rows))

    def quick_state(self) -> BookState:
        """The same without the listing of files, which only the snapshot needs."""
        return self._state("")

    def _state(self, sources: str) -> BookState:
        book = self.book
        return BookState(
            self.disk,
            self.options,
            book,
            self.memory,
            self.questions,
            self.ledger,
            tuple(self.steps.values()),
            sources,
            self.texts,
            false_numbers=self.false_numbers,
        )

    @property
    def book(self) -> Book:
        wrong = [problem for file in self._parsed.values() for problem in file.problems]
        book = self.resolved.book
        return replace(book, problems=(*wrong, *self._unusable, *book.problems))

    def _touched(self, changed: Collection[str] | None) -> tuple[set[str], bool]:
        """Every file that may have changed, and whether the book was listed anew."""
        disk = self.disk
        touched = set(changed or ())
        inside = {name for name in touched if self._is_listed(name)}
        is_plain = changed is not None and not self.options.in_place and all(map(disk.restat, inside))
        if not is_plain:
            seen = fastpath.look(str(self.root), self.options.listed)
            fastpath.settle_clock(seen.rows)
            touched |= disk.relist(seen.rows)
        if not is_plain or disk.has_links or not touched - inside <= self._touching.keys():
            touched |= disk.changed(
                [*disk.hashed()]
            )  # a file reached by another path, for example, or a folder
        disk.forget(touched)
        return touched, not is_plain

    def _is_listed(self, name: str) -> bool:
        """Whether a file of this name would be listed."""
        options = self.options
        pages = ("" if folder == "." else f"{folder}/" for folder in options.page_folders)
        below = tuple(f"{folder}/" for folder in options.folders)
        return name.startswith(below) or (questions.is_page(name) and name.startswith(tuple(pages)))

    def _take_questions(self, touched: set[str], is_relisted: bool) -> set[str]:
        """Read the questions that have changed. Returns the figures that changed with them."""
        before = self._parsed
        if is_relisted:
            self._read_files(before)
        else:
            self._parsed = dict(before)
            including = {
                name for name, file in before.items() if questions.includes(file.questions) & touched
            }
            for name in including | (touched & before.keys()):
                self._parsed[name] = questions.read_file(name, self.disk, self.options, before[name])
        now, disk, visuals = self._parsed, self.disk, self.options.visuals
        new = sorted(path for path in before.keys() | now.keys() if before.get(path) is not now.get(path))
        if new:
            self.is_written = False
        is_same = not is_relisted or (
            self._files == frozenset(disk.files(visuals)) and self._odd == disk.unusable(visuals)
        )
        is_same &= not self.resolved.sources.are_outdated(touched)
        is_same &= questions.images(now).isdisjoint(touched)  # one may be new, or gone
        if is_same and before.keys() == now.keys():
            pairs = [(before[path].questions, now[path].questions) for path in new]
            wrong = {problem.error.origin.path for problem in self.resolved.book.problems}
            wrong_pages = any(path in wrong for path in new if questions.is_page(path))
            is_patch = all(map(_is_same_set, pairs)) and not wrong_pages
            figures = self._patch(pairs) if is_patch else None
            if figures is not None:
                return figures
        return self._resolve_again()

    def _patch(self, files: Iterable[tuple[Questions, Questions]]) -> set[str] | None:
        """Replace changed questions one by one. Returns their figures, or None if the book must be resolved again."""
        book, replaced = self.resolved, list[tuple[Question, tuple[Visual, ...]]]()
        for old, new in (pair for before, now in files for pair in zip(before, now, strict=True)):
            if old == new:
                continue
            patched = patch.patched(book, self._disputes, old, new, self.options)
            if patched is None:
                return None
            book, visuals = patched
            replaced.append((old, tuple(visuals)))
        self.resolved = book  # only now: a patch that fails half-way must leave no trace
        return {name for old, visuals in replaced for name in self._replace(old, visuals)}

    def _replace(self, old: Question, visuals: Iterable[Visual]) -> set[str]:
        """Replace the figures of one question."""
        now = {key(visual): visual for visual in visuals}
        names = [old.id if d.name is None else f"{old.id}/{d.name}" for d in old.declarations]
        if set(names) & self.steps.keys() != now.keys():
            self._place(self.resolved.book.visuals)
            return set(now)
        for name, visual in now.items():
            self.steps[name] = replace(self.steps[name], visual=visual)
        return set(now)

    def _resolve_again(self) -> set[str]:
        self._resolve()
        before = {name: step.visual for name, step in self.steps.items()}
        self._place(self.resolved.book.visuals)
        return {name for name, step in self.steps.items() if before.get(name) != step.visual}

    def _place(self, visuals: Iterable[Visual]) -> None:
        """Make steps for exactly these figures, in their order."""
        before = self.steps
        wanted = {key(visual): visual for visual in visuals}
        new = [
            visual for name, visual in wanted.items() if name not in before or before[name].visual != visual
        ]
        steps = {key(step.visual): step for step in self._planned(new)}
        for name in before.keys() - wanted.keys():
            self._unwatch(name)
        self.steps = {name: steps.get(name) or before[name] for name in wanted}
        for step in steps.values():
            self._watch(step)

    def _planned(self, visuals: Iterable[Visual]) -> tuple[Step, ...]:
        steps = plan(visuals, self.options, self.disk.digest, self.ledger, root=self.root)
        return recalled(steps, self.ledger.failures, self.options, self.disk.digest)

    def _watch(self, step: Step) -> None:
        """Note which files a figure depends on."""
        name, visual = key(step.visual), step.visual
        self._unwatch(name)
        files = {visual.source, *visual.inputs, *(each.file for each in visual.facts)}
        entry, failure = step.entry, self.ledger.failures.get(name)
        if entry is not None:
            files.update(file for file, _ in entry.traced.rows)
            files.update(file.path for file in all_files(entry))
        if failure is not None:
            files.update(file for file, _ in failure.traced.rows)
        for file in files:
            self._touching[file].add(name)
        self._touched_by[name] = frozenset(files)

    def _unwatch(self, name: str) -> None:
        for file in self._touched_by.pop(name, ()):
            figures = self._touching[file]
            figures.discard(name)
            if not figures:
                del self._touching[file]

    def _read_files(self, before: ParsedFiles) -> None:
        """Read every question file that is new or changed. before: as they were parsed last."""
        self._unusable = questions.unusable(self.disk, self.options)
        self._parsed = questions.read_files(self.disk, self.options, before)

    @property
    def questions(self) -> ParsedFiles:
        """The questions to remember: of files without errors."""
        return questions.without_errors(self._parsed)

    def _resolve(self) -> None:
        disk, options = self.disk, self.options
        declared = (question for file in self._parsed.values() for question in file.questions)
        self._files = frozenset(disk.files(options.visuals))
        self._odd = disk.unusable(options.visuals)
        self.resolved = resolved(
            declared, self._files, options, self._odd, self.disk.read, self.disk.hidden, self.disk.image
        )
        self._disputes = patch.disputed(self.resolved)
