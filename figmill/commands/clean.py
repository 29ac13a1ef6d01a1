"""`clean`: remove outputs that no longer belong to a figure."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click

from figmill import config
from figmill.commands.environment import root_of
from figmill.config import Options
from figmill.engine.load import look
from figmill.errors import ReadOnlyError
from figmill.store.lock import lock
from figmill.streams import say


@click.command("clean")
@click.option("--dry-run", is_flag=True, help="Only show what would be removed.")
@click.pass_obj
def command(root: Path | None, dry_run: bool) -> int:
    """Remove outputs that no longer belong to a figure."""
    root = root_of(root)
    paths = clean(root, config.load(root), write=not dry_run)
    verb = "would remove" if dry_run else "removed"
    say([f"{verb}  {path}" for path in paths] or ["nothing to remove"])
    return 0


def clean(root: Path, options: Options, *, write: bool) -> tuple[str, ...]:
    """The paths of the orphans, which are removed if `write` is true. If the book is read-only, there must be none."""
    with ExitStack() as held:
        if write:
            try:
                held.enter_context(lock(root))
            except ReadOnlyError:
                if clean(root, options, write=False):
                    raise
                return ()
        state = look(root, options)
        before = state.ledger
        ledger = state.ledger_of(before.entries, set(before.orphans), before.failures)
        if write:
            for path in ledger.orphans:
                state.disk.remove(path)
            state.memory.save(replace(ledger, orphans=()), state.questions)
        return ledger.orphans
