"""The book behind the pages: kept up to date by the resident builder, sent to every page that listens.

A page listens to one event stream. A stream sends the difference between two states, computed when it can be sent:
nothing is queued for a client that does not read.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Collection, Sequence
from pathlib import Path

from figmill.compare.merged import merged
from figmill.engine.resident.builder import Resident
from figmill.engine.resident.views import FigureView, InterruptedRenderError, Update
from figmill.errors import AuthorError, ToolError
from figmill.host import files, inside
from figmill.kinds.scripts.signature import Signature
from figmill.late_dataclasses import dataclass
from figmill.model import Published
from figmill.palette import Role
from figmill.serve.snapshot import Snapshot

KEPT = 64 << 20  # bytes of pictures that are in no file: those of controls, and those shown before an edit
QUIET = 15.0  # seconds between signs of life on a stream


class Pictures:
    """Pictures of controls and of earlier moments by digest, the oldest dropped first.

    Its methods are called from any thread.
    """

    def __init__(self, most: int = KEPT) -> None:
        self._most, self._size, self._lock = most, 0, threading.Lock()
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def put(self, svg: bytes) -> str:
        """Keep a picture; returns its digest."""
        digest = hashlib.sha256(svg).hexdigest()
        with self._lock:
            if self._kept.pop(digest, None) is None:
                self._size += len(svg)
            self._kept[digest] = svg
            while self._size > self._most and len(self._kept) > 2:
                self._size -= len(self._kept.popitem(last=False)[1])
        return digest

    def get(self, digest: str) -> bytes | None:
        with self._lock:
            return self._kept.get(digest)


@dataclass(frozen=True, slots=True)
class PictureOfChange:
    """The change of a figure in one theme.

    - digest: of the picture.
    - legend: what it shows.
    """

    theme: str
    digest: str
    legend: tuple[str, ...]


class Live:
    """The state of the book, and the pages that wait for the next one. All but `refresh`, `rest`, `signature`
    and `last_change`, which take long, belong to the event loop."""

    def __init__(self, resident: Resident) -> None:
        self.resident, self.root = resident, resident.root
        self.now = Snapshot()
        self.pictures = Pictures()
        self.is_closed = False
        self._changed = asyncio.Event()
        # What each figure showed before its last change.
        self._earlier: dict[str, Published] = {}
        # Each with the view that it was read for.
        self._signatures: dict[str, tuple[FigureView, Signature | None]] = {}

    def refresh(self, changed: Collection[Path] | None = None) -> tuple[Snapshot, Update | None]:
        """Bring the book up to date, in a thread of its own; returns the state after it."""
        try:
            while True:
                try:
                    update = self.resident.update(changed)
                    return self.now.then(self.resident.figures()), update
                except InterruptedRenderError:  # meant for an earlier request of a page
                    if self.is_closed:
                        return self.now, None
        except ToolError as error:  # such as half-written settings: the next save corrects them
            return self.now.troubled(str(error)), None

    def rest(self) -> tuple[Snapshot, Update] | None:
        """Do deferred work between changes; returns the state after it, if it differs."""
        try:
            update = self.resident.rest()
        except (ToolError, InterruptedRenderError):
            return None
        return None if update is None else (self.now.then(self.resident.figures()), update)

    def publish(self, snapshot: Snapshot) -> None:
        """Tell every page."""
        for name, view in snapshot.views.items():
            before = self.now.views[name].published if name in self.now.views else None
            if before and view.published and before.files != view.published.files:
                self._earlier[name] = before
        self.now = snapshot
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def close(self) -> None:
        """End every stream."""
        self.is_closed = True
        self._wake()

    async def changes(self) -> AsyncIterator[dict[str, object] | None]:
        """Yield the whole state, then each difference; None now and then, to see whether anybody still listens."""
        sent: Snapshot | None = None
        while not self.is_closed:
            now, event = self.now, self._changed
            if sent is not now:
                news = now.since(sent)
                sent = now
                yield news
                continue
            try:
                await asyncio.wait_for(event.wait(), QUIET)
            except TimeoutError:
                yield None

    def known_signature(self, name: str) -> tuple[Signature | None] | None:
        """The same as `signature`, in a tuple; None if it is not known without waiting."""
        view, signature = self._signatures.get(name, (None, None))
        return (signature,) if view is not None and view is self.now.views.get(name) else None

    def signature(self, name: str) -> Signature | None:
        """The parameters of a figure's draw(); None where it has none, or they cannot be read just now."""
        try:
            view = self.now.views[name]
            signature = self.resident.signature(name)
        except (AuthorError, ToolError, KeyError):
            return None  # the figure's card says why
        self._signatures[name] = view, signature
        return signature

    def picture(self, digest: str) -> bytes | None:
        """A picture by the digest of its bytes: of a control, or as it was published."""
        picture = self.pictures.get(digest)
        path = self.now.paths.get(digest)
        if picture is not None or path is None:
            return picture
        try:
            data = inside.read(self.root, path, allowed=(os.path.dirname(path),))
        except OSError:
            return None
        # Kept, because a block of a page gets another file with each edit, and shows its last picture if it fails.
        return data if self.pictures.put(data) == digest else None

    def last_change(self, name: str, palette: Sequence[Role]) -> tuple[PictureOfChange, ...]:
        """What the last edit changed in a figure as one picture for each theme.

        Empty if the change cannot be drawn as one picture, or if the earlier one was never shown.
        """
        view, before = self.now.views.get(name), self._earlier.get(name)
        if view is None or view.published is None or before is None:
            return ()
        old = {file.theme: file.sha256 for file in before.files if file.format == "svg"}
        changes = []
        for file in view.published.files:
            then, now = self.pictures.get(old.get(file.theme, "")), self.picture(file.sha256)
            change = merged(then, now, file.theme, palette) if then and now else None
            if change is not None:
                changes.append(PictureOfChange(file.theme, self.pictures.put(change.svg), change.legend))
        return tuple(changes)

    def lines(self, path: str) -> list[str] | None:
        """The lines of a file that a figure comes from; None for any other file."""
        if path not in self.now.files:
            return None
        try:
            data = inside.read(self.root, path, files.SETTINGS, (os.path.dirname(path),))
            return data.decode("utf-8", "replace").splitlines()
        except OSError:
            return None
