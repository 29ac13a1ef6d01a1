"""Guess which kinds a build will draw, from names and times of files alone, before the book is read.

The guess only serves to start processes while the questions are read. A wrong one costs a little processor time, and
nothing waits for it.
"""

from __future__ import annotations

import os
from pathlib import Path

from figmill.config import Options
from figmill.engine.fonts import are_known
from figmill.fastpath import Seen
from figmill.host import files
from figmill.kinds import KINDS, is_script, kind_of_name, lacking, of_fences
from figmill.render.pool import Pool
from figmill.store import journal
from figmill.store.links import PRIVATE

READ = 1 << 16  # bytes of a script that are read
SCRIPTS = 8  # read at most, if all are to be run


def begin(pool: Pool, options: Options, seen: Seen, force: bool = False) -> None:
    """Start the processes that will probably be needed."""
    kinds = likely(pool.root, options, seen, force)
    if kinds is not None:
        pool.start(kinds)


def likely(root: Path, options: Options, seen: Seen, force: bool = False) -> tuple[str, ...] | None:
    """The kinds that will probably be drawn; None: none, or unknown.

    In a book that was built before: the kind of the source that was changed last, since the author works on it; empty
    for a hand drawing or a question, whose figure usually only settles. In a new book, or with `force`: all kinds.
    """
    if options.fonts and not are_known(tuple(root / name for name in options.fonts), root):
        return None  # they must be checked first, in a process with limits
    below = tuple(f"{folder}/" for folder in options.visuals)
    sources = [(mtime, path) for path, size, mtime, *_ in seen.rows if size >= 0 and path.startswith(below)]
    built = _built(root)
    if force or built is None:
        is_cached = not force and _holds_any(root / (options.cache_folder or f"{PRIVATE}/cache"))
        return () if is_cached else _of_all(root, [path for _, path in sources], options.fences)
    changed = [source for source in sources if source[0] > built]
    if changed:
        return _of_one(root, max(changed)[1])
    return () if any(row[2] > built for row in seen.rows) else None


def _built(root: Path) -> int | None:
    """When the book was last built, in ns; None: never."""
    try:
        return os.stat(root / journal.PATH).st_mtime_ns
    except OSError:
        return None


def _holds_any(folder: Path) -> bool:
    """Whether a folder has entries: then the drawings are probably in the cache."""
    try:
        with os.scandir(folder) as entries:
            return any(entries)
    except OSError:
        return False


def _of_all(root: Path, paths: list[str], fences: tuple[str, ...]) -> tuple[str, ...] | None:
    """fences: the languages of code blocks in pages that are figures."""
    scripts = [path for path in paths if is_script(path)]
    others = {path.rpartition(".")[2]: path for path in paths if not is_script(path)}
    guesses = [_of_one(root, path) for path in (*others.values(), *scripts[:SCRIPTS])]
    kinds_of_fences = of_fences()
    of_pages = {kinds_of_fences[language][0] for language in fences if language in kinds_of_fences}
    guesses += [(kind,) for kind in of_pages if not lacking(kind, False)]
    kinds = {kind for some in guesses if some is not None for kind in some}
    return None if all(some is None for some in guesses) else tuple(kind for kind in KINDS if kind in kinds)


def _of_one(root: Path, path: str) -> tuple[str, ...] | None:
    """The kinds to load for a source; empty for a hand drawing."""
    kind = _kind_of_script(root / path) if is_script(path) else kind_of_name(path)
    if kind is None:
        return None
    return () if KINDS[kind].by_hand or lacking(kind, is_script(path)) else (kind,)


def _kind_of_script(path: Path) -> str | None:
    try:
        text = files.head(path, READ)
    except OSError:
        return None
    return next(
        (name for name, kind in KINDS.items() if any(sign in text for sign in kind.scripts.signs)), None
    )
