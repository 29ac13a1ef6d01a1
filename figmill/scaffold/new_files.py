"""The files that `new` writes: a question and its source, ready to build.

Pure: returns the files and writes nothing. Knows the form of question files and the folders of sources; starters.py
has the first figure of each kind.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePosixPath

from figmill.book.fields import GLOBAL
from figmill.book.names import file_name_problem, new_id_problem
from figmill.book.sources import folded, join
from figmill.config import Options
from figmill.errors import ToolError, did_you_mean
from figmill.kind.definition import Starter
from figmill.kinds import KINDS
from figmill.model import Change
from figmill.scaffold.parameters import parameter_lines, plain_text

# `lint` recognises this as an unfinished alt text.
UNFINISHED = "TODO: say what the figure shows, for people who cannot see it."


def new(
    id_: str,
    kind: str,
    options: Options,
    *,
    existing: Collection[str] = (),
    ids: Collection[str] = (),
    track: str | None = None,
    generator: tuple[str, bytes] | None = None,
    more: tuple[str, ...] = (),
    alt: str = "",
) -> tuple[Change, ...]:
    """The question file and the source of a new figure.

    existing: the files of the book, as POSIX paths relative to its root. ids: the ids in use. track: if None, the
    folder of visuals/ or questions/ whose name the id begins with, else none. generator: name and text of a source to
    copy instead of the kind's starter. more: lines of `visual` that it needs. alt: its alt text, if known. Raises
    ToolError if the id or the kind is wrong, or if a file would be overwritten.
    """
    if problem := new_id_problem(id_):
        raise ToolError(f"id '{id_}' {problem}")
    if kind not in KINDS:
        raise ToolError(f"unknown kind '{kind}'{did_you_mean(kind, KINDS) or _there_are(KINDS)}")
    starter = _copied(kind, *generator, more, alt) if generator else KINDS[kind].starter
    if starter is None:
        if not KINDS[kind].translates:
            command = f"figmill add FILE{KINDS[kind].suffixes[0]} --id {id_}"
            raise ToolError(f"a figure of kind {kind} begins with a file of yours: {command}")
        with_starter = ", ".join(name for name, row in KINDS.items() if row.starter)
        raise ToolError(
            f"kind {kind} has no first source; write its question by hand, or choose one of {with_starter}"
        )
    if folded(id_) in map(folded, ids):
        raise ToolError(f"there is already a question '{id_}'; choose another id")
    track = _likely_track(id_, existing, options) if track is None else track
    if problem := file_name_problem(track):
        raise ToolError(f"track '{track}' {problem}")
    folder = "" if track == GLOBAL else f"/{track}"
    source = id_ + starter.suffix
    written = {
        join(options.questions[0] + folder, f"{id_}.yaml"): _question(id_, track, kind, source, starter),
        join(options.visuals[0] + folder, source): starter.source,
    }
    there = {folded(path) for path in existing}
    for target in written:
        if folded(target) in there:
            raise ToolError(f"{target} already exists; choose another id, or move that file away first")
    return tuple(Change(target, None, after) for target, after in written.items())


def _likely_track(id_: str, existing: Collection[str], options: Options) -> str:
    """The longest folder name that is a prefix of the id."""
    tracks = set()
    for path in map(PurePosixPath, existing):
        for root in options.folders:
            if path.is_relative_to(root) and len(inside := path.relative_to(root).parts) > 1:
                tracks.add(inside[0])
    return max((track for track in tracks if id_.startswith(f"{track}-")), key=len, default=GLOBAL)


def _copied(kind: str, name: str, text: bytes, more: tuple[str, ...], alt: str) -> Starter:
    fitting = (suffix for suffix in KINDS[kind].suffixes if name.endswith(suffix))
    suffix = max(fitting, key=len, default="")
    if not suffix:
        raise ToolError(f"kind {kind} is drawn from {' or '.join(KINDS[kind].suffixes)}, not from '{name}'")
    parameters = parameter_lines(text) if suffix == ".py" else ()
    return Starter(suffix, text, alt=alt or UNFINISHED, more=(*more, *parameters))


def _question(id_: str, track: str, kind: str, source: str, starter: Starter) -> bytes:
    lines = [
        f"# A page shows this figure as ![](figmill:{id_}). figmill reads id, track, title and visual;",
        "# all other keys are the book's own: a question and its answer, say.",
        f"id: {plain_text(id_)}",
        *([] if track == GLOBAL else [f"track: {plain_text(track)}"]),
        f"title: {plain_text(title_of(id_))}",
        "visual:",
        f"  kind: {kind}",
        f"  source: {plain_text(source)}",
        *(f"  {line}" for line in starter.more),
        "  alt: >-",
        f"    {starter.alt}",
        *([f"  caption: {starter.caption}"] if starter.caption else []),
    ]
    return ("\n".join(lines) + "\n").encode()


def title_of(id_: str) -> str:
    """The first title of a figure, until its author writes another: its id as words."""
    return (id_[0].upper() + id_[1:]).replace("-", " ").replace("_", " ")


def _there_are(names: Collection[str]) -> str:
    return f"; choose one of {', '.join(names)}"
