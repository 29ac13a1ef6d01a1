"""The text of a diagram in PlantUML's language: its lines, with those of the files that it includes.

PlantUML could not open a file: figmill reads what `!include` names, inside the book only, and remembers where each
line comes from. A line that it cannot read stays: only PlantUML knows whether an `!if` around it holds.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from figmill.kind import AuthorError, Job, Origin, did_you_mean, files, inside, looking_for, source
from figmill.kind.source_text import decoded
from figmill_kinds.plantuml.source_labels import LABELS

LARGEST = 1_000_000  # characters of a source with all that it includes
DEEPEST = 20  # files that include each other
# Library -> the wheel that carries it, and the folder in it.
WHEELS = {"C4": ("c4-diagrams", "c4/vendor/c4_plantuml")}
_START = re.compile(r"\s*@start(\w+)(?:\s*\(id=(\w+)\)|\s+\"?([^\"]*))?")
_END = re.compile(r"\s*@end\w*")
_INCLUDE = re.compile(
    r"\s*!(include|include_once|include_many|includesub|includeurl|includedef|import)\s+(.+?)\s*$"
)
_STYLE = re.compile(r"\s*<style\s+(?:src|file)\s*=\s*\"?([^\">]+?)\"?\s*>")
_THEME = re.compile(r"\s*!theme\s+(\S+)\s+from\s+(.+?)\s*$")
_COMMENT = re.compile(r"\s*'")
# A line that goes on in the next; `:Read\` is an activity with an old ending.
_GOES_ON = re.compile(r"(?!\s*(?:'|(?:#[\w#/\\|-]+)?:))(?:.*[^\\])?\\$")


@dataclass(frozen=True, slots=True)
class DiagramText:
    """The lines that PlantUML is given, from `@start...` to `@end...`, and where each was written.

    - kind: what follows `@start`.
    - included: files of the book, relative to its root.
    - of: the number of diagrams in the source, if its first was taken because the question chooses none.
    - unread: the numbers, from 1, of lines that name a file that cannot be read, each with the reason.
    - copied: such lines that now stand for a copy in the book.
    """

    source: str
    kind: str
    lines: tuple[str, ...]
    places: tuple[Origin, ...]
    included: tuple[str, ...]
    of: int = 1
    unread: Mapping[int, AuthorError] = field(default_factory=dict)
    copied: frozenset[int] = frozenset()

    def at(self, line: int) -> Origin:
        """Where a line was written, by its number from 1. Out of range: the last line."""
        return self.places[max(0, min(line, len(self.places)) - 1)]


@dataclass(slots=True)
class _SourceReader:
    """Reads a source with its includes; `size` counts characters."""

    job: Job
    root: Path
    copied: frozenset[int] = frozenset()
    unread: dict[int, AuthorError] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    places: list[Origin] = field(default_factory=list)
    included: dict[str, None] = field(default_factory=dict)
    size: int = 0

    def take(self, rows: Iterator[tuple[int, str]], path: str, above: tuple[str, ...]) -> None:
        """Add numbered lines of a file. above: the files that include it."""
        is_comment = False
        rows = _joined(rows)
        for number, row in rows:
            at = Origin(path, number)
            opens, closes = row.rfind("/'"), row.rfind("'/")
            match = None if is_comment else _named(row)
            is_comment = opens > closes if opens != closes else is_comment
            if match is None:
                self._add(row, at)
                continue
            try:
                file, file_rows = self._opened(*match, at, path, above)
            except AuthorError as error:
                if match[0] in ("includedef", "includesub"):  # which PlantUML passes over without a word
                    raise
                self.unread[len(self.lines) + 1] = error
                self._add(row, at)
                continue
            self.take(iter(file_rows), file, (*above, path))

    def _add(self, row: str, at: Origin) -> None:
        self.size += len(row) + 1
        if self.size > LARGEST:
            raise AuthorError(at, f"a diagram with all that it includes has at most {LARGEST:,} characters")
        self.lines.append(row)
        self.places.append(at)

    def _opened(
        self, word: str, name: str, at: Origin, path: str, above: tuple[str, ...]
    ) -> tuple[str, list[tuple[int, str]]]:
        """The file that a line names, and its rows. Raises AuthorError."""
        if len(self.lines) + 1 in self.copied:
            name = posixpath.basename(name)
        target, part = _target(word, name, at)
        if target.startswith("<"):
            target = self._copy_of(target.strip("<>").removesuffix(".puml"), at, path)
        file = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if file.startswith("../") or posixpath.isabs(target):
            raise AuthorError(
                at,
                f"'{target}' is outside the book; a diagram can include only files of the book, by a relative path",
            )
        if word == "include_once" and file in self.included:
            return file, []
        if len(above) >= DEEPEST or (file in above and word != "includesub"):
            raise AuthorError(
                at, f"'{target}' includes itself, or files include each other deeper than {DEEPEST}"
            )
        self.included[file] = None
        try:
            data = self.job.data(file, self.root, files.SOURCE)
        except FileNotFoundError:
            raise AuthorError(
                at, f"there is no file '{file}'; a path is relative to the file that includes it"
            ) from None
        except inside.RefusedError as error:
            raise AuthorError(at, f"'{file}' {error.phrase}") from None
        except OSError as error:
            raise AuthorError(at, f"'{file}' cannot be included: {error.strerror}") from None
        rows = _rows(data, file)
        if word == "style":
            return file, [
                (1, "<style>"),
                *(row for row in rows if "style>" not in row[1]),
                (len(rows), "</style>"),
            ]
        return file, _sub(rows, part, file, at) if word == "includesub" else _part(rows, part, at)

    def _copy_of(self, name: str, at: Origin, path: str) -> str:
        """The book's copy of a file of a library, `C4/C4_Context`: in a folder beside the including file, or above."""
        above = path.count("/")
        for level in range(above + 1):
            target = f"{'../' * level}{name}.puml"
            file = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            with suppress(OSError, inside.RefusedError):
                self.job.data(file, self.root, files.SOURCE)
                return target
        library = name.partition("/")[0]
        folder = posixpath.join(posixpath.dirname(path), library)
        self.included[posixpath.join(posixpath.dirname(path), f"{name}.puml")] = None
        wheel = WHEELS.get(library)
        where = f", which the wheel {wheel[0]} has in {wheel[1]}," if wheel else ""
        raise AuthorError(
            at, f"@plantuml/core does not have the library {library}; copy its files{where} to '{folder}'"
        )


def _named(row: str) -> tuple[str, str] | None:
    """The directive that takes a file in, and the file's name: an include, a style sheet or a theme in a folder."""
    if match := _INCLUDE.match(row):
        return match[1], match[2]
    if match := _STYLE.match(row):
        return "style", match[1]
    if match := _THEME.match(row):
        return "theme", f"{match[2].rstrip('/')}/puml-theme-{match[1]}.puml"
    return None


def _joined(rows: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The rows with those that end in a backslash joined with the next; without the end of an empty style sheet."""
    begun: tuple[int, str] | None = None
    is_style = False
    for number, row in rows:
        if begun is not None:
            number, row = begun[0], begun[1] + row.lstrip()
        begun = (number, row[:-1]) if _GOES_ON.match(row) else None
        is_end = is_style and row.strip() == "</style>"
        is_style = _STYLE.match(row) is not None
        if begun is None and not is_end:
            yield number, row
    if begun is not None:
        yield begun


def _target(word: str, name: str, at: Origin) -> tuple[str, str]:
    """The file and the part of it that an include names. Raises AuthorError for one that figmill cannot read."""
    name = name.strip().strip('"')
    if name.startswith("<"):
        return name, ""
    if (word == "includeurl" and "/" in name) or re.match(r"\w+://", name):
        raise AuthorError(at, "figmill has no network; save the file in the book, and include it by its path")
    if word in ("import", "includedef"):
        raise AuthorError(at, f"figmill does not read !{word}; include a file of the book with !include")
    if "$" in name or "%" in name:
        copy = posixpath.basename(name)
        raise AuthorError(
            at, f"the folder of '{name}' is known only to PlantUML; put '{copy}' beside this file"
        )
    target, _, part = name.partition("!")
    return target, part


def _rows(data: bytes, path: str) -> list[tuple[int, str]]:
    return list(enumerate(decoded(data, path).replace("\r", "\n").split("\n"), 1))


def _part(rows: list[tuple[int, str]], part: str | None, at: Origin) -> list[tuple[int, str]]:
    """The diagram of a file that an include takes in: the one with a number or an id, else the first, else all."""
    blocks: list[list[tuple[int, str]]] = []
    ids: list[str] = []
    inside = False
    for number, row in rows:
        if _START.match(row):
            blocks.append([])
            named = re.search(r"\(id=(\w+)\)", row)
            ids.append(named[1] if named else str(len(ids)))
            inside = True
        elif _END.match(row):
            inside = False
        elif inside:
            blocks[-1].append((number, row))
    if not blocks:
        return rows
    wanted = part or ids[0]
    if wanted not in ids:
        raise AuthorError(at, f"that file has no diagram '{wanted}'; it has {', '.join(ids)}")
    return blocks[ids.index(wanted)]


def _sub(rows: list[tuple[int, str]], part: str, path: str, at: Origin) -> list[tuple[int, str]]:
    """The lines between `!startsub NAME` and `!endsub`."""
    lines: list[tuple[int, str]] = []
    names: list[str] = []
    inside = False
    for number, row in rows:
        tokens = row.split()
        if tokens[:1] == ["!startsub"]:
            names += tokens[1:2]
            inside = tokens[1:2] == [part]
        elif tokens[:1] == ["!endsub"]:
            inside = False
        elif inside:
            lines.append((number, row))
    if part not in names:
        parts = f"; it has {', '.join(names)}" if names else ""
        raise AuthorError(at, f"'{path}' has no part '{part}'{parts}")
    return lines


def read(job: Job, root: Path, copied: frozenset[int] = frozenset()) -> DiagramText:
    """The diagram of a source with all that it includes. Raises AuthorError at the line where it is wrong.

    copied: numbers of lines that name an address, for which a file of the same name beside the line's own is taken.
    """
    rows = _rows(source(job, root, LABELS), job.source)
    if not any(row.strip() for _, row in rows):
        raise AuthorError(
            Origin(job.source, 1), "the file is empty; write a diagram between @startuml and @enduml"
        )
    starts = [(index, match) for index, (_, row) in enumerate(rows) if (match := _START.match(row))]
    begun = [index for index, _ in starts]
    # PlantUML starts again at a doubled @start
    starts = [(index, match) for index, match in starts if not _is_doubled(rows, index, begun)]
    kind, first = "uml", (rows[0][0], "@startuml")
    if job.figure and not starts:
        raise AuthorError(Origin(job.source), "holds one diagram, without @start; leave `figure` out")
    if starts:
        start, match = starts[_chosen(job, [match[2] or (match[3] or "").strip() for _, match in starts])]
        kind = match[1]
        first = (rows[start][0], f"@start{kind}")
        rows = rows[start + 1 :]
        end = next(
            (index for index, (_, row) in enumerate(rows) if _END.match(row) or _START.match(row)), None
        )
        if end is None or _START.match(rows[end][1]):
            raise AuthorError(
                Origin(job.source, first[0]), f"this diagram has no end; write @end{kind} as its last line"
            )
        rows = rows[:end]
    reader = _SourceReader(job, root, copied)
    reader.take(iter([first]), job.source, ())
    with looking_for(reader.included):
        reader.take(iter(rows), job.source, ())
    last = rows[-1][0] if rows else first[0]
    reader.take(iter([(last, f"@end{kind}")]), job.source, ())
    count = 1 if job.figure else max(1, len(starts))
    lines, places, included = tuple(reader.lines), tuple(reader.places), tuple(reader.included)
    return DiagramText(job.source, kind, lines, places, included, count, reader.unread, copied)


def _is_doubled(rows: Sequence[tuple[int, str]], index: int, starts: Sequence[int]) -> bool:
    """Whether a @start follows another with nothing between them."""
    following = next((start for start in starts if start > index), None)
    return following is not None and not any(row.strip() for _, row in rows[index + 1 : following])


def _chosen(job: Job, names: Sequence[str]) -> int:
    """Which diagram `figure` chooses, from 0, by its name or its number from 1; else the first."""
    if not job.figure or job.figure in names:
        return names.index(job.figure) if job.figure else 0
    if job.figure.isdecimal() and 0 < int(job.figure) <= len(names):
        return int(job.figure) - 1
    named = [name for name in names if name]
    near = (
        did_you_mean(job.figure, named)
        or f"; there are {len(names)}{': ' if named else ''}{', '.join(named)}"[:300]
    )
    raise AuthorError(Origin(job.source), f"has no diagram '{job.figure}'{near}")
