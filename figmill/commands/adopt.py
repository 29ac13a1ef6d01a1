"""`adopt`: give a code block in a page a question file and a source file, and show it from there."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import click

from figmill import config, kinds
from figmill.book.names import anchor_of
from figmill.book.pages import languages, questions
from figmill.commands.environment import root_of
from figmill.engine.book_state import BookState
from figmill.engine.load import look
from figmill.engine.questions import of_book
from figmill.errors import ToolError
from figmill.fastpath import PAGES
from figmill.scaffold import adopted
from figmill.scaffold.adopted import Adopted
from figmill.streams import say


@click.command("adopt")
@click.argument("place", metavar="PAGE[:LINE]")
@click.option("--id", "id_", metavar="ID", help="The question's id; needs a LINE. Default: the block's.")
@click.option("--track", help="The track of the questions; default: global.")
@click.option("--dry-run", is_flag=True, help="Show what would be written; write nothing.")
@click.pass_obj
def command(root: Path | None, place: str, id_: str | None, track: str | None, dry_run: bool) -> int:
    """Move code blocks from a page into question files and source files, and refer to them from the page.

    Without a LINE, move every block that figmill can draw.
    """
    return adopt(root_of(root), place, id_, track, dry_run)


def adopt(book: Path, place: str, id_: str | None, track: str | None, dry_run: bool) -> int:
    """Move the blocks at PAGE[:LINE]; returns the exit code. Raises ToolError."""
    page, line = _page_and_line(place, book)
    if id_ is not None and line is None:
        raise click.UsageError("--id needs the line of a block: PAGE:LINE")
    state = look(book, config.load(book))
    data = state.disk.read(page)
    if data is None:
        raise ToolError(f"there is no page {page}")
    blocks = _blocks(page, data, line, id_, state)
    ours = {moved.question.id for moved in blocks}
    changes = adopted.changes(
        page,
        data,
        blocks,
        state.options,
        state.disk.files(state.options.folders),
        {*state.book.ids} - ours,
        track,
    )
    for change in changes[:-1]:
        if state.disk.is_there(change.target):
            raise ToolError(
                f"{change.target} already exists; choose another id with --id, or move that file away first"
            )
    for change in changes[:-1] if not dry_run else ():
        state.disk.create(change.target, change.after or b"")
    if not dry_run:
        state.disk.write(page, changes[-1].after or b"")
    did = ("would write", "would show") if dry_run else ("wrote", "now shows")
    say([f"{did[0]} {change.target}" for change in changes[:-1]])
    say([f"{page}:{moved.block.start} {did[1]} ![](figmill:{moved.id})" for moved in blocks])
    say([line for moved in blocks for line in _moved(moved)])
    return 0


def _page_and_line(place: str, book: Path) -> tuple[str, int | None]:
    """The page's path in the book, and a line. Raises ToolError."""
    match = re.fullmatch(r"(?P<path>.+?)(?::(?P<line>\d+)(?::\d+)?)?", place)
    assert match is not None
    path = Path(match["path"])
    if not path.name.endswith(PAGES):
        raise ToolError(f"{path} is not a page; pages end in {', '.join(PAGES)}")
    for full in (path.absolute(), book / path):
        if full.is_file() and full.resolve().is_relative_to(book.resolve()):
            name = full.resolve().relative_to(book.resolve()).as_posix()
            return name, int(match["line"]) if match["line"] else None
    raise ToolError(f"there is no page {path} in the book {book}")


def _blocks(page: str, data: bytes, line: int | None, id_: str | None, state: BookState) -> Sequence[Adopted]:
    """The blocks to move. Raises ToolError if there is none, or if one cannot be read."""
    fences = kinds.of_fences()
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise ToolError(f"{page} is not UTF-8; save it as UTF-8") from None
    blocks = list(languages.blocks(page, text, fences))
    asked, problems = questions.of_blocks(page, blocks, fences, of_book(state.disk))
    for problem in problems:
        raise ToolError(str(problem.error))
    chosen = [(b, q) for b, q in zip(blocks, asked, strict=True) if line is None or b.start <= line < b.end]
    if not chosen:
        where = "" if line is None else f" in line {line}"
        near = f"; blocks begin in lines {', '.join(str(b.start) for b in blocks)}" if blocks and line else ""
        raise ToolError(f"{page} has no code block{where} that figmill draws ({', '.join(fences)}){near}")
    alts = _alts(state)
    return [
        Adopted(block, question, id_ or question.id, alts.get(question.id, "")) for block, question in chosen
    ]


def _alts(state: BookState) -> dict[str, str]:
    """Id -> the alt text that a figure was published with."""
    try:
        rows = json.loads(state.disk.read(state.page_paths[0]) or b"{}").get("figures", [])
        return {str(row["id"]): str(row["alt"]) for row in rows}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _moved(adopted: Adopted) -> list[str]:
    """A line about links in the page that now lead to a different id."""
    anchor = anchor_of(adopted.id)
    own = next((option.value for option in adopted.block.options if option.key == "id"), anchor)
    return [] if own == anchor else [f"change links to #{own}: they must now lead to #{anchor}"]
