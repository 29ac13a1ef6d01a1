"""The resident builder: brings a book's figures up to date again and again, and keeps what it knows in between."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import TracebackType

from figmill import fastpath
from figmill.config import Options
from figmill.engine.build import build
from figmill.engine.load import look
from figmill.engine.notes import judged
from figmill.engine.processes import pool_of
from figmill.engine.request import Progress, Request
from figmill.engine.resident.signatures import signature_of
from figmill.engine.resident.supposing import suppose
from figmill.engine.resident.views import CURRENT, FAILED, STALE, FigureView, Supposed, Update
from figmill.kinds.signature import Signature
from figmill.model import Json
from figmill.render.pool import Pool
from figmill.report.model import Row
from figmill.store.disk import Disk
from figmill.store.ledger import Entry, key


class Resident:
    """A book that is kept up to date. A context manager; its methods may be called from any thread, one at a time."""

    def __init__(self, root: Path, load: Callable[[], Options], request: Request | None = None) -> None:
        self.root, self._load = root, load
        self.request = request or Request()
        self._lock = threading.Lock()
        self._pool: Pool | None = None
        self._options: Options | None = None
        self._rows: dict[str, Row] = {}
        self._why: dict[str, Row] = {}

    def __enter__(self) -> Resident:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def update(self, changed: Collection[Path] | None = None, progress: Progress = lambda *_: None) -> Update:
        """Bring the output folder up to date. changed: absolute paths that may have changed; None: look at everything.

        Raises ToolError, for settings that are wrong, say; the next call begins anew.
        """
        with self._lock:
            pool = self._ready()
            assert self._options is not None
            report = build(self.root, self._options, self.request, progress, pool=pool)
            rows = {_name(row): row for row in report.rows}
            looked_at = tuple(row for row in report.rows if row.status != "fresh")
            removed = tuple(sorted(self._rows.keys() - rows.keys()))
            self._why = {
                name: row for name, row in {**self._why, **_by_name(looked_at)}.items() if name in rows
            }
            self._rows = rows
            return Update(report, looked_at, removed)

    def figures(self) -> Mapping[str, FigureView]:
        """Every figure of the book as of the last update, by its name in the ledger."""
        with self._lock:
            self._ready()
            assert self._options is not None
            state = judged(look(self.root, self._options, Request()), Request())
            views: dict[str, FigureView] = {}
            for step in state.steps:
                name, visual = key(step.visual), step.visual
                row, why = self._rows.get(name), self._why.get(name)
                entry = step.entry
                status = FAILED if row is not None and row.errors else STALE if step.reasons else CURRENT
                views[name] = FigureView(
                    visual.id, visual.name, visual.track, visual.title, visual.kind, visual.at(), visual.source,
                    status, entry.published if entry else None, row.errors if row else (),
                    row.warnings if row else (), _reads(entry), why.reasons if why else (), visual.params,
                    visual.expect, why.said if why else "",
                )  # fmt: skip
            for row in self._rows.values():
                if _name(row) not in views and row.errors:
                    at = row.errors[0].origin
                    entry = state.ledger.entries.get(_name(row))
                    views[_name(row)] = FigureView(
                        row.id, row.name, entry.published.track if entry else "", None, row.kind, at, None, FAILED,
                        entry.published if entry else None, row.errors,
                    )  # fmt: skip
            return views

    def what_if(self, figure: str, params: Mapping[str, Json]) -> Supposed:
        """A figure as it would be with these parameters, all others at their defaults; nothing of it is published.

        Raises KeyError where there is no such figure, and InterruptedRenderError.
        """
        with self._lock:
            pool = self._ready()
            options = self._options
            assert options is not None
            state = look(self.root, options, Request())
            visual = {key(step.visual): step.visual for step in state.steps}[figure]
            disk = Disk(self.root, fastpath.look(str(self.root), options.folders).rows)
            return suppose(visual, params, disk, state.options, self.request, pool)

    def signature(self, figure: str) -> Signature | None:
        """What a figure's draw() takes; None where no draw() draws it.

        Raises KeyError where there is no such figure, and AuthorError where its script cannot be read.
        """
        with self._lock:
            pool = self._ready()
            options = self._options
            assert options is not None
            state = look(self.root, options, Request())
            visual = {key(step.visual): step.visual for step in state.steps}[figure]
            return signature_of(visual, state.disk, options, pool)

    def interrupt(self) -> None:
        """End the render that is under way, from another thread: the call that waits for it raises."""

    def close(self) -> None:
        with self._lock:
            if self._pool is not None:
                self._pool.__exit__()
                self._pool = None

    def _ready(self) -> Pool:
        """The pool, for the settings as they are now."""
        options = self._load()
        if self._pool is None or options != self._options:
            if self._pool is not None:
                self._pool.__exit__()
            self._pool, self._options = pool_of(self.root, options, self.request.jobs, stays=True), options
        return self._pool


def _name(row: Row) -> str:
    if row.id is None:
        return row.errors[0].origin.path if row.errors else "?"
    return row.id if row.name is None else f"{row.id}/{row.name}"


def _by_name(rows: Collection[Row]) -> dict[str, Row]:
    return {_name(row): row for row in rows}


def _reads(entry: Entry | None) -> tuple[str, ...]:
    if entry is None:
        return ()
    traced = (name for name, _ in entry.traced.rows)
    return tuple(dict.fromkeys((entry.question, entry.published.source, *sorted(traced))))
