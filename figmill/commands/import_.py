"""`import`: create questions from the drawings of other programs, as still copies."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType

import click

from figmill import config
from figmill.commands.drawing_files import SUFFIXES, paths_of
from figmill.commands.environment import root_of
from figmill.config import Options
from figmill.engine.load import look
from figmill.errors import ToolError
from figmill.host import files
from figmill.kinds import KINDS, kind_of_name
from figmill.late_dataclasses import dataclass
from figmill.lint.mending import label_of, mend
from figmill.model import Change
from figmill.scaffold import new_files
from figmill.store.disk import Disk
from figmill.streams import say
from figmill.svg import Sheet, StillCopy, SvgError, in_themes, still_copy

SVG = "svg"
# The first bytes of a file -> what it is.
PICTURES: Mapping[bytes, str] = MappingProxyType(
    {b"\x89PNG": "PNG", b"\xff\xd8\xff": "JPEG", b"RIFF": "WebP"}
)


@click.command("import")
@click.argument("given", metavar="FILE.svg... [ID]", nargs=-1, required=True)
@click.option("--id", "id_", metavar="ID", help="The id of the question, for one drawing.")
@click.option(
    "--track", help="The question's track; default: the folder that the id begins with, else global."
)
@click.option("--dry-run", is_flag=True, help="Show what would be written and removed; write nothing.")
@click.pass_obj
def command(
    root: Path | None, given: tuple[str, ...], id_: str | None, track: str | None, dry_run: bool
) -> int:
    """Create a question from the drawing of another program: a still copy without active content.

    FILE.svg may be a path, a glob or a folder. The ids of several drawings are the names of their files. ID, or --id,
    is for one drawing.
    """
    try:
        place = root_of(root)
    except ToolError:  # not in a book yet
        place = Path.cwd()
    paths, named = _named(given, id_)
    if named is not None and len(paths) > 1:
        raise click.UsageError(f"{len(paths)} drawings are named, and '{named}' is the id of one")
    return bring_in(place, paths, named, ImportOptions(track, dry_run))


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How drawings are brought in.

    - fixes: repair the copies.
    - alts: the alt text that a page has for a file, by path.
    """

    track: str | None
    dry_run: bool
    fixes: bool = False
    alts: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Book:
    """The book that takes the drawings, with what was written so far."""

    disk: Disk
    options: Options
    existing: set[str]
    ids: set[str]


def bring_in(root: Path, given: Sequence[str], id_: str | None, way: ImportOptions) -> int:
    """Make a question of each of these drawings and pictures; returns the exit code. Raises ToolError for a single one.

    given: files and folders.
    """
    left, paths = 0, paths_of(given)
    if id_ is not None and len(paths) > 1:
        raise ToolError(f"{len(paths)} drawings are named, and '{id_}' is the id of one")
    options = config.load(root, is_new=True)
    state = look(root, options)
    book = _Book(state.disk, options, set(state.disk.files(options.folders)), set(state.book.ids))
    for file in paths:
        try:
            left += _import(book, Path(file), id_ or label_of(file), way)
        except ToolError as error:
            if len(paths) == 1:
                raise
            left += 1
            say([f"{error}; it is not imported"])
    return 1 if left else 0


def _named(given: Sequence[str], id_: str | None) -> tuple[list[str], str | None]:
    """The drawings that are named, and the id: the last of two words, unless it names a drawing."""
    if len(given) == 2 and id_ is None and not _is_drawing(given[1]):
        return paths_of(given[:1]), given[1]
    return paths_of(given), id_


def _is_drawing(word: str) -> bool:
    return word.lower().endswith(SUFFIXES) or glob.has_magic(word) or "/" in word or os.sep in word


def _import(book: _Book, file: Path, id_: str, way: ImportOptions) -> int:
    """Import one drawing, and say what was done. Returns how many errors a build would still report."""
    kind = SVG if file.name.casefold().endswith(SUFFIXES) else kind_of_name(file.name) or SVG
    copy = _still(file) if kind == SVG else StillCopy(_read(file), (), ())
    if kind == SVG and way.fixes:
        with suppress(SvgError):
            copy = replace(copy, svg=mend(str(file), copy.svg).svg)
    suffix = ".svg" if kind == SVG else _suffix(file, kind)
    written = _bring(book, id_, kind, (f"{id_}{suffix}", copy.svg), way, way.alts.get(str(file), ""))
    source = written[-1] if written else ""
    left = _left(copy.svg) if kind == SVG else ()
    if not written:
        say([f"{file} is already imported as {id_}"])
    else:
        did = ("would remove", "would write") if way.dry_run else ("removed", "wrote")
        say([f"added {name}" for name in copy.added])
        say([f"{did[0]} {line}" for line in copy.removed])
        say([f"{did[1]} {path}" for path in written])
    say([f"{source or id_}:{error.line or 1}: change by hand: {error.message}" for error in left])
    return len(left)


def _read(file: Path) -> bytes:
    """The bytes of a file. Raises ToolError."""
    try:
        return files.read(file)
    except OSError as error:
        raise ToolError(f"{file} cannot be read: {error.strerror or error}") from None


def _suffix(file: Path, kind: str) -> str:
    """The suffix of a source of this kind, which may have two dots."""
    name = file.name.casefold()
    return max(
        (suffix for suffix in KINDS[kind].suffixes if name.endswith(suffix)), key=len, default=file.suffix
    )


def _still(file: Path) -> StillCopy:
    """The still copy of a file. Raises ToolError if the file cannot be read as a drawing."""
    data = _read(file)
    if name := next((name for start, name in PICTURES.items() if data.startswith(start)), None):
        raise ToolError(f"{file} is a {name}; name it so, as in {file.with_suffix(f'.{name.lower()}').name}")
    try:
        return still_copy(data)
    except SvgError as error:
        raise ToolError(f"{file}:{error}") from None


def _left(svg: bytes) -> Sequence[SvgError]:
    """The errors that a build would still report."""
    try:
        in_themes(svg, Sheet(SVG, "", ""), ("light",))
    except SvgError as error:
        return (error, *error.others)
    return ()


def _bring(
    book: _Book, id_: str, kind: str, source: tuple[str, bytes], way: ImportOptions, alt: str
) -> tuple[str, ...]:
    """Write a question with this source; returns the paths written, none if both exist already.

    Raises ToolError if another file has one of the names, or another question has the id.
    """
    endings = (".yaml", Path(source[0]).suffix)
    mine = {path for path in book.existing if Path(path).name in [f"{id_}{end}" for end in endings]}
    changes = new_files.new(
        id_,
        kind,
        book.options,
        existing=book.existing - mine,
        ids=book.ids - ({id_} if mine else set()),
        track=way.track,
        generator=source,
        alt=alt,
    )
    if all(_is_there(book.disk.root, change) for change in changes):
        return ()
    for change in changes:
        if book.disk.is_there(change.target):
            raise ToolError(
                f"{change.target} already exists; choose another id, or move that file away first"
            )
    if id_ in book.ids:
        raise ToolError(f"there is already a question '{id_}'; choose another id")
    for change in changes if not way.dry_run else ():
        book.disk.create(change.target, change.after or b"")
    book.ids.add(id_)
    book.existing.update(change.target for change in changes)
    return tuple(change.target for change in changes)


def _is_there(root: Path, change: Change) -> bool:
    """Whether a file was imported before: the same drawing, or a question with any content."""
    path = root / change.target
    if not path.is_file():
        return False
    return change.target.endswith(".yaml") or files.read(path) == change.after
