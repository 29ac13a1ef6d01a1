"""`new`: create a question and its source."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import click

from figmill import config
from figmill.commands.environment import root_of
from figmill.engine.load import look
from figmill.errors import ToolError
from figmill.kinds import KINDS, is_script, lacking
from figmill.model import Change
from figmill.scaffold import generators, new_files
from figmill.streams import say


@click.command("new")
@click.argument("id_", metavar="ID")
@click.option("--kind", type=click.Choice(list(KINDS)), help="The kind of the figure; optional with --from.")
@click.option("--from", "generator", metavar="NAME", help="Start from one of figmill's own generators.")
@click.option(
    "--track", help="The question's track; default: the folder that the id begins with, else global."
)
@click.pass_obj
def command(root: Path | None, id_: str, kind: str | None, generator: str | None, track: str | None) -> int:
    """Create a question and its source, ready to build."""
    if generator is None and kind is None:
        raise click.UsageError(
            f"name what draws it: --kind {' or --kind '.join(KINDS)}, or --from a generator"
        )
    drawn_by = generators.find(generator).kind if generator else kind
    if kind not in (None, drawn_by):
        raise click.UsageError(f"{generator} draws figures of kind {drawn_by}, not {kind}")
    try:
        place = root_of(root)
    except ToolError:  # not in a book yet
        place = Path.cwd()
    written = new(place, id_, drawn_by or "", track, generator)
    steps = [*_to_install(drawn_by or "", place, is_script(written[1])), f"figmill --id {id_}"]
    say([*(f"wrote {path}" for path in written), f"next: {', then '.join(steps)}"])
    return 0


def _to_install(kind: str, root: Path, scripted: bool) -> Iterator[str]:
    """The commands that install the missing packages of a kind."""
    if lacking(kind, scripted):
        yield f"pip install {KINDS[kind].requirement}"
    needs = KINDS[kind].needs
    if not all((root / name).is_file() for name in needs.files):
        yield needs.get_files


def new(root: Path, id_: str, kind: str, track: str | None, generator: str | None) -> tuple[str, ...]:
    """Write a question and its source; returns the paths written. A folder without questions becomes a book.

    generator: the name of one of figmill's own. The book also gets its sample data, unless it has files of these
    names.
    """
    options = config.load(root, is_new=True)
    state = look(root, options)
    existing = state.disk.files(options.folders)
    script, data = generators.read(generator) if generator else (b"", {})
    begin = (f"{generator}.py", script) if generator else None
    more = generators.find(generator).more if generator else ()
    changes = new_files.new(
        id_, kind, options, existing=existing, ids=state.book.ids, track=track, generator=begin, more=more
    )
    for change in changes:
        if state.disk.is_there(change.target):  # not listed among the book's files, such as a link
            raise ToolError(
                f"{change.target} already exists; choose another id, or move that file away first"
            )
    folder = PurePosixPath(changes[-1].target).parent / "data"
    samples = (Change(f"{folder}/{name}", None, content) for name, content in data.items())
    changes = (*changes, *(sample for sample in samples if not state.disk.is_there(sample.target)))
    for change in changes:
        state.disk.create(change.target, change.after or b"")
    return tuple(change.target for change in changes)
