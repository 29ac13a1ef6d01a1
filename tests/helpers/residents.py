"""Processes that stay, and read one source after the other: what a warm engine draws costs no start of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import connection, get_context
from pathlib import Path

from figmill.enclosure import limits
from figmill.errors import AuthorError

MEMORY = 2 << 30  # bytes, as a book has them by default
START = 60.0  # seconds that the first source of a process takes longer: it loads its engine
_FORK = get_context("fork")

Read = Callable[[Path, bytes], object]


class Resident:
    """A process that reads sources in a folder of its own. An answer of None: it has ended, or raised a fault."""

    def __init__(self, read: Read, folder: Path, limit: int | None) -> None:
        self._read, self._folder, self._limit = read, folder, limit
        folder.mkdir(exist_ok=True)
        self._start()

    def _start(self) -> None:
        self.line, theirs = _FORK.Pipe()
        self._child = _FORK.Process(target=self._serve, args=(theirs,), daemon=True)
        self._child.start()
        theirs.close()
        self._room = START

    def _serve(self, line: connection.Connection) -> None:
        self.line.close()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)  # what an engine prints as it crashes
        if self._limit is not None:
            limits.limit(self._limit)
        while True:
            try:
                data = line.recv_bytes()
            except EOFError:
                os._exit(0)
            line.send(self._said(data))

    def _said(self, data: bytes) -> str | None:
        try:
            self._read(self._folder, data)
        except AuthorError as error:
            return str(error)
        except Exception:
            return None
        return ""

    def ask(self, data: bytes, seconds: float) -> None:
        self.line.send_bytes(data)
        self.until = time.monotonic() + seconds + self._room
        self._room = 0.0

    def answer(self) -> str | None:
        """What it said, or None, after which it is another process."""
        try:
            said: str | None = self.line.recv() if self.line.poll() else None
        except (EOFError, OSError):
            said = None
        if said is None:
            self.close()
            self._start()
        return said

    def close(self) -> None:
        self._child.kill()
        self._child.join()
        self.line.close()


def answers(residents: Sequence[Resident], batch: Sequence[bytes], seconds: float) -> Iterator[str | None]:
    """The answer to each source of a batch, in order. seconds: that one may take."""
    waiting = iter(enumerate(batch))
    asked: dict[Resident, int] = {}
    said: dict[int, str | None] = {}
    while len(said) < len(batch):
        for resident in residents:
            if resident not in asked and (following := next(waiting, None)) is not None:
                asked[resident], data = following
                resident.ask(data, seconds)
        left = min(resident.until for resident in asked) - time.monotonic()
        ready = connection.wait([resident.line for resident in asked], max(0.0, left))
        now = time.monotonic()
        for resident in [resident for resident in asked if resident.line in ready or resident.until <= now]:
            said[asked.pop(resident)] = resident.answer()
    return (said[number] for number in range(len(batch)))
