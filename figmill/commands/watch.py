"""Build, then build again at every change of the book, until interrupted.

Knows when to build, not how. What a build itself writes is no change.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from figmill.config import Options
from figmill.errors import ToolError
from figmill.host import files
from figmill.host.lines import shown
from figmill.store import ledger as ledgers
from figmill.streams import LostOutputError, complain


def watch(
    root: Path, load: Callable[[], Options], build: Callable[[Options], object], is_quiet: bool = False
) -> NoReturn:
    """Call `build` now, and again whenever a file changes that a figure may depend on. Never returns."""
    try:
        from watchfiles import watch as watched
    except ImportError:
        raise ToolError("--watch needs the package watchfiles: pip install 'figmill[watch]'") from None
    options = load()
    has_begun = False  # the watcher comes first, so that a change during the first build counts
    for changes in watched(
        root,
        watch_filter=lambda _, path: concerns(path, root, options),  # noqa: B023 - by the latest settings
        raise_interrupt=True,
        debounce=100,
        rust_timeout=250,
        yield_on_timeout=True,
    ):
        if has_begun and not changes:
            continue
        try:
            options = load()
            build(options)
        except (ToolError, LostOutputError) as error:
            if not has_begun:
                raise
            complain(shown(str(error)))  # settings that are half written, say: the next save mends them
        if not has_begun and not is_quiet:
            complain(shown(f"watching {root}: every change is built; Ctrl-C ends it"))
        has_begun = True
    raise KeyboardInterrupt  # the watcher has been stopped


def concerns(path: str, root: Path, options: Options) -> bool:
    """Whether a change at this path can change a figure: true of all files in the book that no build writes."""
    inside = Path(path).relative_to(root)
    if any(part.startswith(".") or part == "__pycache__" for part in inside.parts):
        return False
    output = "build" if options.in_place else options.output
    return not inside.is_relative_to(output) and inside.as_posix() not in _written(root)


def _written(root: Path) -> set[str]:
    """The outputs of the last build, without hand drawings in place: those are written by their authors."""
    try:
        ledger = ledgers.loads(files.read(root / ledgers.PATH))
    except OSError:
        return set()
    figures = [entry.published for entry in ledger.entries.values()]
    svgs = {file.path for figure in figures for file in figure.all_files if file.path != figure.source}
    return svgs | {export.file.path for entry in ledger.entries.values() for export in entry.exports}
