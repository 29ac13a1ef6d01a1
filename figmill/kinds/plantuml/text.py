"""The text of a diagram in PlantUML's language: its lines, with those of the files that it includes.

PlantUML could not open a file: figmill reads what `!include` names, inside the book only, and remembers where each
line comes from.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from figmill.errors import AuthorError, did_you_mean, looking_for
from figmill.host import files, inside
from figmill.kinds.job import Job, source
from figmill.kinds.source_text import decoded
from figmill.model import Origin

LARGEST = 1_000_000  # characters of a source with all that it includes
DEEPEST = 20  # files that include each other
_START = re.compile(r"\s*@start(\w+)(?:\s*\(id=(\w+)\)|\s+\"?([^\"]*))?")
_END = re.compile(r"\s*@end\w*")
_INCLUDE = re.compile(
    r"\s*!(include|include_once|include_many|includesub|includeurl|includedef|import)\s+(.+?)\s*$"
)
_COMMENT = re.compile(r"\s*'")


@dataclass(frozen=True, slots=True)
class Text:
    """The lines that PlantUML is given, from `@start...` to `@end...`, and where each was written.

    kind: what follows `@start`. included: files of the book, relative to its root. of: the number of diagrams in the
    source, if its first was taken because the question chooses none.
    """

    source: str
    kind: str
    lines: tuple[str, ...]
    places: tuple[Origin, ...]
    included: tuple[str, ...]
    of: int = 1

    def at(self, line: int) -> Origin:
        """Where a line was written, by its number from 1. Out of range: the last line."""
        return self.places[max(0, min(line, len(self.places)) - 1)]


@dataclass(slots=True)
class _Reader:
    """Reads a source with its includes; `size` counts characters."""

    job: Job
    root: Path
    lines: list[str] = field(default_factory=list)
    places: list[Origin] = field(default_factory=list)
    included: dict[str, None] = field(default_factory=dict)
    size: int = 0

    def take(self, rows: Iterator[tuple[int, str]], path: str, above: tuple[str, ...]) -> None:
        """Add numbered lines of a file. above: the files that include it."""
        is_comment = False
        for number, row in rows:
            at = Origin(path, number)
            opens, closes = row.rfind("/'"), row.rfind("'/")
            match = None if is_comment else _INCLUDE.match(row)
            is_comment = opens > closes if opens != closes else is_comment
            if match is None:
                self._add(row, at)
            else:
                self._include(match[1], match[2], at, path, above)

    def _add(self, row: str, at: Origin) -> None:
        self.size += len(row) + 1
        if self.size > LARGEST:
            raise AuthorError(at, f"a diagram with all that it includes has at most {LARGEST:,} characters")
        self.lines.append(row)
        self.places.append(at)

    def _include(self, word: str, name: str, at: Origin, path: str, above: tuple[str, ...]) -> None:
        target, part = _target(word, name, at)
        file = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if file.startswith("../") or posixpath.isabs(target):
            raise AuthorError(
                at,
                f"'{target}' is outside the book; a diagram can include only files of the book, by a relative path",
            )
        if word == "include_once" and file in self.included:
            return
        if len(above) >= DEEPEST or file in above:
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
        rows = _part(_rows(data, file), part if word != "includesub" else None, at)
        if word == "includesub":
            rows = _sub(_rows(data, file), part, file, at)
        self.take(iter(rows), file, (*above, path))


def _target(word: str, name: str, at: Origin) -> tuple[str, str]:
    """The file and the part of it that an include names. Raises AuthorError for what is not read."""
    name = name.strip().strip('"')
    if name.startswith("<"):
        library = name.strip("<>").partition("/")[0]
        raise AuthorError(
            at, f"the library {library} is not part of @plantuml/core; copy the file into the book, "
            "and include it by its path",
        )  # fmt: skip
    if word == "includeurl" or re.match(r"\w+://", name):
        raise AuthorError(at, "figmill has no network; save the file in the book, and include it by its path")
    if word in ("import", "includedef"):
        raise AuthorError(at, f"figmill does not read !{word}; include a file of the book with !include")
    if "$" in name or "%" in name:
        raise AuthorError(at, f"'{name}' is known only while PlantUML draws; write the path itself")
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
        words = row.split()
        if words[:1] == ["!startsub"]:
            names += words[1:2]
            inside = words[1:2] == [part]
        elif words[:1] == ["!endsub"]:
            inside = False
        elif inside:
            lines.append((number, row))
    if part not in names:
        known = f"; it has {', '.join(names)}" if names else ""
        raise AuthorError(at, f"'{path}' has no part '{part}'{known}")
    return lines


def read(job: Job, root: Path) -> Text:
    """The diagram of a source with all that it includes. Raises AuthorError at the line where it is wrong."""
    rows = _rows(source(job, root), job.source)
    if not any(row.strip() for _, row in rows):
        raise AuthorError(
            Origin(job.source, 1), "the file is empty; write a diagram between @startuml and @enduml"
        )
    starts = [(index, match) for index, (_, row) in enumerate(rows) if (match := _START.match(row))]
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
    reader = _Reader(job, root)
    reader.take(iter([first]), job.source, ())
    with looking_for(reader.included):
        reader.take(iter(rows), job.source, ())
    last = rows[-1][0] if rows else first[0]
    reader.take(iter([(last, f"@end{kind}")]), job.source, ())
    count = 1 if job.figure else max(1, len(starts))
    return Text(job.source, kind, tuple(reader.lines), tuple(reader.places), tuple(reader.included), count)


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
