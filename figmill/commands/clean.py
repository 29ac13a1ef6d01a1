"""`clean`: remove the outputs that no figure makes any more."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from figmill import config
from figmill.commands.environment import root_of
from figmill.config import Options
from figmill.engine.load import look
from figmill.engine.request import Request
from figmill.errors import ReadOnlyError
from figmill.store import ledger as ledgers
from figmill.store import ledger_packing
from figmill.store.ledger import Ledger
from figmill.store.lock import lock
from figmill.streams import say


@click.command("clean")
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@click.pass_obj
def command(root: Path | None, dry_run: bool) -> int:
    """Remove the outputs that no figure makes any more."""
    root = root_of(root)
    paths = clean(root, config.load(root), write=not dry_run)
    verb = "would remove" if dry_run else "removed"
    say([f"{verb}  {path}" for path in paths] or ["nothing to remove"])
    return 0


def clean(root: Path, options: Options, *, write: bool) -> tuple[str, ...]:
    """The paths of the orphans, which are removed if `write` is true. Where nobody may write, there must be none."""
    with ExitStack() as held:
        if write:
            try:
                held.enter_context(lock(root))
            except ReadOnlyError:
                if clean(root, options, write=False):
                    raise
                return ()
        state = look(root, options, Request())
        kept, orphans = state.partition(state.ledger.entries, set(state.ledger.orphans))
        if write:
            for path in orphans:
                state.disk.remove(path)
            state.disk.put_now(
                ledgers.PATH, ledger_packing.dumps(Ledger(kept, failures=state.living(state.ledger.failures)))
            )
        return orphans
