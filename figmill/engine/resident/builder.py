"""The resident builder: brings a book's figures up to date after each change, and keeps the book in memory in between.

An update gives the same bytes as a build of the whole book, but looks only at what a change affects.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from figmill import fastpath
from figmill.book.explore.pictures import translated
from figmill.config import Options
from figmill.engine import snapshot
from figmill.engine.build import build
from figmill.engine.fonts import with_fonts
from figmill.engine.load import check_requested
from figmill.engine.processes import pool_of
from figmill.engine.request import Progress, Request
from figmill.engine.resident.change import Changes, apply
from figmill.engine.resident.reported import Reported
from figmill.engine.resident.signatures import signature_of
from figmill.engine.resident.views import FigureView, InterruptedRenderError, Update, WhatIf
from figmill.engine.resident.warm_book import WarmBook
from figmill.engine.resident.what_if import what_if
from figmill.errors import ReadOnlyError, ToolError
from figmill.exit_codes import WELL
from figmill.kind import typefaces
from figmill.kinds import KINDS
from figmill.kinds.scripts.signature import Signature
from figmill.model import Json
from figmill.paths import relative
from figmill.render.pool import Pool
from figmill.report.model import Status
from figmill.store.lock import lock


class Resident:
    """A book that is kept up to date. A context manager; its methods may be called from any thread, one at a time.

    The thread that calls first must live as long as the drawing processes: on Linux they end with it.
    """

    def __init__(self, root: Path, load: Callable[[], Options], request: Request | None = None) -> None:
        """load: reads the settings; it is called whenever their files have changed. Starts nothing."""
        self.root, self._load = root, load
        self.request = request or Request(jobs=2)
        # Whether a newer change waits. Work that can wait is then left to its update, which must follow.
        self.has_news: Callable[[], bool] = lambda: False
        self._lock = threading.RLock()
        self._pool: Pool | None = None
        self._options: Options | None = None  # as read from the settings
        self._book: WarmBook | None = None
        self._seen = Reported()
        # Changes that no update has handled yet; None: anything may have changed.
        self._owed: set[str] | None = None
        self._is_interrupted = False
        self._draws_what_if = False
        self._is_rested = True
        self._is_resting = False
        self._is_new = True  # whether `_book` has not been built yet

    def __enter__(self) -> Resident:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def update(self, changed: Collection[Path] | None = None, progress: Progress = lambda *_: None) -> Update:
        """Bring the output folder up to date. changed: absolute paths that may have changed; None: look at everything.

        Raises ToolError, for wrong settings for example; the next call then looks at everything. Raises
        InterruptedRenderError.
        """
        with self._lock:
            self._is_interrupted = False
            self._note(changed)
            try:
                update = self._updated(progress)
            except BaseException:
                self._owed, self._book = None, None
                raise
            if self._is_interrupted:
                self._owed = None
                raise InterruptedRenderError
            return update

    def rest(self) -> Update | None:
        """Use the time between changes: check the whole book, and write the snapshot for the next build.

        Returns the update if there was something to do, else None.
        """
        with self._lock:
            if self._is_rested or self._book is None:
                return None
            self._is_resting = True
            try:
                update = self.update(None)
            finally:
                self._is_resting = False
            if not self.has_news():  # else the next rest does this
                self._is_rested = True
                self._record(update)
                gc.collect()
                gc.freeze()
            return update if update.looked_at or update.removed else None

    @property
    def has_run_scripts(self) -> bool:
        return self._pool is not None and self._pool.has_run_scripts

    def figures(self) -> Mapping[str, FigureView]:
        """Every figure of the book at the last update, by its name in the ledger."""
        with self._lock:
            if self._book is None:
                self.update(None)
            assert self._book is not None
            return self._seen.views(self._book)

    @property
    def options(self) -> Options:
        """The settings as read last. Raises ToolError if they cannot be read and never were."""
        return self._options or self._load()

    def what_if(
        self, figure: str, params: Mapping[str, Json], theme: str | None = None, language: str | None = None
    ) -> WhatIf:
        """Draw a figure with other parameters, without publishing it.

        Parameters that are left out have their defaults. theme: the requested theme; None: all themes of the figure.
        language: one of the figure's other languages; the book's own for any other. Raises KeyError if there is no such
        figure, and InterruptedRenderError.
        """
        with self._lock:
            self._is_interrupted = False
            book, pool = self._ready()
            disk, visual = book.disk, book.steps[figure].visual
            for translation in visual.translations:
                if translation.language == language:
                    visual = translated(visual, translation)
            self._draws_what_if = True
            try:
                result = what_if(
                    visual, params, disk, book.options, pool, theme, is_strict=self.request.strict
                )
            finally:
                self._draws_what_if = False
            if self._is_interrupted:
                raise InterruptedRenderError
            return result

    def signature(self, figure: str) -> Signature | None:
        """The parameters of a figure's draw(); None if no draw() draws it.

        Raises KeyError if there is no such figure, and AuthorError if its script cannot be read.
        """
        with self._lock:
            book, pool = self._ready()
            return signature_of(book.steps[figure].visual, book.disk, book.options, pool)

    def interrupt(self) -> None:
        """End the running render, from another thread. The call that waits for it raises InterruptedRenderError."""
        self._is_interrupted = True
        pool = self._pool
        if pool is not None:
            pool.interrupt()

    def interrupt_what_if(self) -> None:
        """The same for a running `what_if`, but not for an update. One that has just begun may miss it."""
        if self._draws_what_if:
            self.interrupt()

    def close(self) -> None:
        """End the processes, and any call of another thread."""
        while not self._lock.acquire(timeout=0.1):
            self.interrupt()  # again, for a render that began after the last interrupt
        try:
            self.has_news = lambda: False
            if self._book is not None and self._book.owes_since is not None:
                with suppress(ToolError, InterruptedRenderError):  # the next build catches up
                    self.update(())
            self._close_pool()
            self._book = None
        finally:
            self._lock.release()

    def _note(self, changed: Collection[Path] | None) -> None:
        if changed is None:
            self._owed = None
        elif self._owed is not None:
            names = (relative(path, self.root) for path in changed)
            self._owed |= {name for name in names if not (name.startswith("..") or os.path.isabs(name))}

    def _updated(self, progress: Progress) -> Update:
        self._is_rested = False
        book, pool = self._ready()
        request = self.request
        if request.force or request.scheduler or request.shows_changes or request.forms:
            report = build(self.root, book.options, request, pool, progress)
            self._book, self._owed = None, None
            return self._seen.took(report, [row for row in report.rows if row.status is not Status.FRESH])
        changed, self._owed = self._owed, set()
        if self._is_new:
            looked_at = set(book.steps)
        else:
            looked_at = book.look_again(changed) if changed is None or changed else set()
        if request.ids:
            check_requested(book.book, request.ids)
        tries_again = changed is None and not self._is_resting
        changes = Changes(book, request, looked_at, self._seen, tries_again, changed or ())
        if not changes.must_write and not self._is_new:
            return changes.nothing()
        with lock(self.root, depth=3 if changed is None else 0):
            if book.memory.journal.is_outdated:
                self._book = book = WarmBook(self.root, book.options)
                changes = Changes(book, request, set(book.steps), self._seen, tries_again=True)
            update = apply(changes, pool, progress, self.has_news if not self._is_new else lambda: False)
        if self._is_new:
            gc.collect()
            gc.freeze()  # the book stays in memory: the collector need not visit it
        self._is_new = False
        return update

    def _ready(self) -> tuple[WarmBook, Pool]:
        """The book and its processes, for the current settings and fonts."""
        owed, options = self._owed, self._options
        apart = set(fastpath.CONFIGURATION) | set(options.fonts if options else ())
        if options is None or owed is None or owed & apart:
            fresh = self._load()
            if options is not None and (owed is None or owed & set(options.fonts)) and options.fonts:
                typefaces.digest.cache_clear()
                self._close_pool()
            if fresh != options:
                self._close_pool()
            self._options = options = fresh
        if self._pool is None:
            request = self.request
            self._pool = pool_of(self.root, options, request.jobs, stays=True, scheduler=request.scheduler)
            self._book = None
        if self._book is None:
            self._book, self._is_new = WarmBook(self.root, with_fonts(options, self.root)), True
            kinds = {step.visual.kind for step in self._book.steps.values()}
            self._pool.start(tuple(kind for kind, row in KINDS.items() if kind in kinds and not row.by_hand))
        return self._book, self._pool

    def _close_pool(self) -> None:
        if self._pool is not None:
            self._pool.__exit__()
            self._pool = None

    def _record(self, update: Update) -> None:
        """Write the snapshot, by which the next command knows that nothing has changed."""
        book = self._book
        if book is None:
            return
        is_fresh = all(step.is_fresh for step in book.steps.values())
        is_well = is_fresh and update.report.code == WELL and not update.report.orphans
        with suppress(ReadOnlyError), lock(self.root, depth=0):
            if not book.memory.journal.is_outdated:
                state, entries = book.state(), book.ledger.entries
                snapshot.leave(state, entries, state.pages(entries, set(book.steps)) if is_well else None)
                book.disk.sync()
