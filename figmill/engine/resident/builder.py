"""The resident builder: brings a book's figures up to date again and again, and keeps what it knows in between.

An update does what a build of the whole book would do, to the same bytes, and looks only at what a change touches.
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
from figmill.config import Options
from figmill.engine import snapshot
from figmill.engine.build import build
from figmill.engine.fonts import with_fonts
from figmill.engine.load import check_asked
from figmill.engine.processes import pool_of
from figmill.engine.request import Progress, Request
from figmill.engine.resident.change import Changes, apply
from figmill.engine.resident.reported import Reported
from figmill.engine.resident.signatures import signature_of
from figmill.engine.resident.supposing import suppose
from figmill.engine.resident.views import FigureView, InterruptedRenderError, Supposed, Update
from figmill.engine.resident.warm_book import WarmBook
from figmill.errors import ReadOnlyError, ToolError
from figmill.kinds import KINDS, typefaces
from figmill.kinds.signature import Signature
from figmill.model import Json
from figmill.render.pool import Pool
from figmill.report.model import WELL
from figmill.store.lock import lock


class Resident:
    """A book that is kept up to date. A context manager; its methods may be called from any thread, one at a time.

    The thread that calls first must live as long as the processes that draw: on Linux they end with it.
    """

    def __init__(self, root: Path, load: Callable[[], Options], request: Request | None = None) -> None:
        """load: reads the settings; it is called whenever their files have changed. Starts nothing."""
        self.root, self._load = root, load
        self.request = request or Request(jobs=2)
        # Whether a newer change waits for its update: then it goes before what can wait. It must come.
        self.has_news: Callable[[], bool] = lambda: False
        self._lock = threading.RLock()
        self._pool: Pool | None = None
        self._options: Options | None = None  # as the settings have them
        self._book: WarmBook | None = None
        self._seen = Reported()
        self._owed: set[str] | None = None  # changes that no update has taken in yet; None: all there may be
        self._is_interrupted = False
        self._is_supposing = False
        self._is_rested = True
        self._is_resting = False
        self._is_new = True  # whether nothing has been built of `_book` yet

    def __enter__(self) -> Resident:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def update(self, changed: Collection[Path] | None = None, progress: Progress = lambda *_: None) -> Update:
        """Bring the output folder up to date. changed: absolute paths that may have changed; None: look at everything.

        Raises ToolError, for settings that are wrong, say; the next call makes up for it. Raises
        InterruptedRenderError.
        """
        with self._lock:
            self._is_interrupted = False
            self._note(changed)
            try:
                found = self._updated(progress)
            except BaseException:
                self._owed, self._book = None, None
                raise
            if self._is_interrupted:
                self._owed = None
                raise InterruptedRenderError
            return found

    def rest(self) -> Update | None:
        """What there is time for between changes: a look for what changed unseen, and the record for the next build.

        The update, where there was something to do; None where there was not.
        """
        with self._lock:
            if self._is_rested or self._book is None:
                return None
            self._is_resting = True
            try:
                found = self.update(None)
            finally:
                self._is_resting = False
            if not self.has_news():  # else the next rest does it
                self._is_rested = True
                self._record(found)
                gc.collect()
                gc.freeze()
            return found if found.looked_at or found.removed else None

    @property
    def has_run_scripts(self) -> bool:
        return self._pool is not None and self._pool.has_run_scripts

    def figures(self) -> Mapping[str, FigureView]:
        """Every figure of the book as of the last update, by its name in the ledger."""
        with self._lock:
            if self._book is None:
                self.update(None)
            assert self._book is not None
            return self._seen.views(self._book)

    def what_if(self, figure: str, params: Mapping[str, Json], theme: str | None = None) -> Supposed:
        """A figure as it would be with these parameters, all others at their defaults; nothing of it is published.

        theme: the only one that is asked for; None: all that the figure is published in.
        Raises KeyError where there is no such figure, and InterruptedRenderError.
        """
        with self._lock:
            self._is_interrupted = False
            book, pool = self._ready()
            disk, visual = book.disk, book.steps[figure].visual
            self._is_supposing = True
            try:
                found = suppose(visual, params, disk, book.options, self.request, pool, theme)
            finally:
                self._is_supposing = False
            if self._is_interrupted:
                raise InterruptedRenderError
            return found

    def signature(self, figure: str) -> Signature | None:
        """What a figure's draw() takes; None where no draw() draws it.

        Raises KeyError where there is no such figure, and AuthorError where its script cannot be read.
        """
        with self._lock:
            book, pool = self._ready()
            return signature_of(book.steps[figure].visual, book.disk, book.options, pool)

    def interrupt(self) -> None:
        """End the render that is under way, from another thread: the call that waits for it raises."""
        self._is_interrupted = True
        pool = self._pool
        if pool is not None:
            pool.interrupt()

    def interrupt_what_if(self) -> None:
        """The same for a `what_if` that is under way, and for no update. One that has just begun may not hear it."""
        if self._is_supposing:
            self.interrupt()

    def close(self) -> None:
        """End the processes, and what another thread still waits for."""
        while not self._lock.acquire(timeout=0.1):
            self.interrupt()  # again: a render that began after the last time has not heard it
        try:
            self.has_news = lambda: False
            if self._book is not None and self._book.owes_since is not None:
                with suppress(ToolError, InterruptedRenderError):  # the next build makes up for it
                    self.update(())
            self._close_pool()
            self._book = None
        finally:
            self._lock.release()

    def _note(self, changed: Collection[Path] | None) -> None:
        if changed is None:
            self._owed = None
        elif self._owed is not None:
            names = (os.path.relpath(path, self.root) for path in changed)
            self._owed |= {Path(name).as_posix() for name in names if not name.startswith("..")}

    def _updated(self, progress: Progress) -> Update:
        self._is_rested = False
        book, pool = self._ready()
        request = self.request
        if request.force or request.scheduler or request.shows or request.forms:
            report = build(self.root, book.options, request, pool, progress)
            self._book, self._owed = None, None
            return self._seen.took(report, [row for row in report.rows if row.status != "fresh"])
        changed, self._owed = self._owed, set()
        if self._is_new:
            looked_at = set(book.steps)
        else:
            looked_at = book.look_again(changed) if changed is None or changed else set()
        if request.ids:
            check_asked(book.book, request.ids)
        changes = Changes(book, request, looked_at, self._seen, changed is None and not self._is_resting)
        if not changes.must_write and not self._is_new:
            return changes.nothing()
        with lock(self.root, depth=3 if changed is None else 0):
            if book.memory.journal.is_outdated:
                self._book = book = WarmBook(self.root, book.options)
                changes = Changes(book, request, set(book.steps), self._seen, tries_again=True)
            found = apply(changes, pool, progress, self.has_news if not self._is_new else lambda: False)
        if self._is_new:
            gc.collect()
            gc.freeze()  # what is known of the book stays: no collector need visit it
        self._is_new = False
        return found

    def _ready(self) -> tuple[WarmBook, Pool]:
        """The book and its processes, for the settings and fonts as they are now."""
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
            self._pool, self._book = pool_of(self.root, options, self.request.jobs, stays=True), None
        if self._book is None:
            self._book, self._is_new = WarmBook(self.root, with_fonts(options, self.root)), True
            kinds = {step.visual.kind for step in self._book.steps.values()}
            self._pool.start(tuple(kind for kind, row in KINDS.items() if kind in kinds and not row.by_hand))
        return self._book, self._pool

    def _close_pool(self) -> None:
        if self._pool is not None:
            self._pool.__exit__()
            self._pool = None

    def _record(self, found: Update) -> None:
        """Leave what the next build, in another process, has to look at to know that nothing has changed."""
        book = self._book
        if book is None:
            return
        is_fresh = not any(step.reasons for step in book.steps.values())
        is_well = is_fresh and found.report.code == WELL and not found.report.orphans
        with suppress(ReadOnlyError), lock(self.root, depth=0):
            if not book.memory.journal.is_outdated:
                state, entries = book.state(), book.ledger.entries
                snapshot.leave(state, entries, state.pages(entries, set(book.steps)) if is_well else None)
                book.disk.sync()
