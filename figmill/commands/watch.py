"""Build, then again at every change of the book, until interrupted.

Knows when to build, not how: a change of what a build itself writes is none.
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
from figmill.streams import complain


def watch(root: Path, load: Callable[[], Options], build: Callable[[Options], object]) -> NoReturn:
    """Call `build` now and whenever something that a figure may depend on has changed. Never returns."""
    try:
        from watchfiles import watch as changes
    except ImportError:
        raise ToolError("--watch needs the package watchfiles: pip install 'figmill[watch]'") from None
    options = load()
    begun = False  # the watcher comes first: what changes during the first build is a change, too
    for found in changes(
        root,
        watch_filter=lambda _, path: concerns(path, root, options),  # noqa: B023 - the settings as they are by then
        raise_interrupt=True,
        debounce=100,
        rust_timeout=250,
        yield_on_timeout=True,
    ):
        if begun and not found:
            continue
        try:
            options = load()
            build(options)
        except ToolError as error:
            if not begun:
                raise
            complain(shown(str(error)))  # half-written, and awaited
        begun = True
    raise KeyboardInterrupt  # the watcher has been stopped


def concerns(path: str, root: Path, options: Options) -> bool:
    """Whether a changed path can change a figure: anything in the book that no build has written."""
    inside = Path(path).relative_to(root)
    if any(part.startswith(".") or part == "__pycache__" for part in inside.parts):
        return False
    output = "build" if options.in_place else options.output
    return not inside.is_relative_to(output) and inside.as_posix() not in _written(root)


def _written(root: Path) -> set[str]:
    """Every output of the last build; a hand drawing in place is written by its author."""
    try:
        ledger = ledgers.loads(files.read(root / ledgers.PATH))
    except OSError:
        return set()
    figures = [entry.published for entry in ledger.entries.values()]
    svgs = {file.path for figure in figures for file in figure.files if file.path != figure.source}
    return svgs | {export.file.path for entry in ledger.entries.values() for export in entry.exports}
