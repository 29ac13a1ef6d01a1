"""The small commands beside a build: `clean`, `facts`, `new`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path, PurePosixPath

from figmill import config
from figmill.config import Options
from figmill.engine.load import look
from figmill.engine.results import Request
from figmill.errors import ToolError, did_you_mean
from figmill.model import Change, Fact
from figmill.scaffold import generators, new_files
from figmill.store import ledger as ledgers
from figmill.store.disk import Disk
from figmill.store.ledger import Ledger
from figmill.store.lock import lock


def clean(root: Path, options: Options, *, write: bool) -> tuple[str, ...]:
    """Remove the outputs that no figure makes any more; returns their paths."""
    with lock(root) if write else nullcontext():
        shelf = look(root, options, Request())
        kept, orphans = shelf.partition(shelf.ledger.entries, set(shelf.ledger.orphans))
        if write:
            for path in orphans:
                shelf.disk.remove(path)
            shelf.disk.put_now(ledgers.PATH, ledgers.dumps(Ledger(kept)))
        return orphans


def facts_of(root: Path, id_: str) -> Mapping[str, Fact]:
    """The facts of a built figure, by id or by `<id>-<name>`. Raises ToolError where it is not built."""
    ledger = ledgers.loads(Disk(root).read(ledgers.PATH))
    found = {entry.published.label: entry.published.facts for entry in ledger.entries.values()}
    if id_ not in found:
        raise ToolError(f"no built figure '{id_}'{did_you_mean(id_, found)}; build it first")
    return found[id_]


def new(root: Path, id_: str, kind: str, track: str | None, generator: str | None) -> tuple[str, ...]:
    """Write a question and its source; returns their paths. A folder without questions becomes a book.

    generator: one of figmill's own to begin with, whose sample data comes along where the book has none.
    """
    options = config.load(root)
    shelf = look(root, options, Request())
    existing = shelf.disk.files(options.folders)
    text, data = generators.read(generator) if generator else (b"", {})
    begin = (f"{generator}.py", text) if generator else None
    changes = new_files.new(
        id_, kind, options, existing=existing, ids=shelf.book.ids, track=track, generator=begin
    )
    folder = PurePosixPath(changes[-1].target).parent / "data"
    samples = tuple(Change(f"{folder}/{name}", None, content) for name, content in data.items())
    written = [*changes, *(sample for sample in samples if not shelf.disk.is_there(sample.target))]
    for change in changes:
        if shelf.disk.is_there(change.target):  # and is none of the book's files: a link, say
            raise ToolError(f"{change.target} is there already; take another id, or move that away first")
    for change in written:
        shelf.disk.create(change.target, change.after or b"")
    return tuple(change.target for change in written)
