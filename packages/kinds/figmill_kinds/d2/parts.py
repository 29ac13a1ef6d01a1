"""The files that a diagram in D2 names: imports and pictures, all from the book; and the boards in a source. Pure
except for reading these files.
"""

from __future__ import annotations

import base64
import binascii
import os
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from figmill.kind import AuthorError, Job, Origin, inside
from figmill.kind.source_text import unescaped

MOST = 20_000_000  # bytes of one file
IMPORT = re.compile(r"""@(?:"([^"\n]+)"|'([^'\n]+)'|([^\s;{}\[\]#,|"']+))""")
PICTURE = re.compile(
    r"""(?:"([^"\n]+\.%s)"|'([^'\n]+\.%s)'|([^\s;{}"':]+\.%s))(?![\w.])"""
    % ((r"(?i:png|jpe?g|webp|svg)",) * 3)
)
# What may be an import, in quotes or without: with backslashes, and with spaces.
_OUTSIDE = re.compile(
    r"""@\s*(?:"((?:[^"\\]|\\.)+)"|'([^']+)'|((?:[^\n;{}\[\]"'\\]|\\\s*\n|\\.)+))""", re.DOTALL
)
_EMBEDDED = re.compile(rb"""href=["']data:[^"',]*;base64,([^"']*)["']""")
_MOST_SPACES = 20  # in a name
BOARDS = ("layers", "scenarios", "steps")
_BOARDS = re.compile(rf"^(?:{'|'.join(BOARDS)})\s*:?\s*\{{", re.MULTILINE)


@dataclass(slots=True)
class SourceFiles:
    """Files by their path below the book's root: contents of those that exist, all that were looked for, and why some
    are not read.
    """

    contents: dict[str, bytes] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    looked: dict[str, None] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def looked_for(self) -> tuple[str, ...]:
        return tuple(self.looked)


def gathered(job: Job, text: str, root: Path) -> SourceFiles:
    """The source and the files that it names, and those that they name.

    Names outside the book, and words that only look like names, are ignored: D2 complains at their line.
    """
    path = job.source
    parts = SourceFiles({path: text.encode()}, {path: text})
    waiting = [path]
    while waiting:
        here = waiting.pop()
        folder = PurePosixPath(here).parent.as_posix()
        for name in _imports(parts.texts[here], folder):
            if name not in parts.contents and (data := _read(job, root, name, parts)) is not None:
                parts.contents[name] = data
                parts.texts[name] = data.decode("utf-8", "replace")
                waiting.append(name)
        # D2 looks for all pictures beside the source
        for place in dict.fromkeys((folder, PurePosixPath(path).parent.as_posix())):
            for name in _pictures(parts.texts[here], place):
                if name not in parts.contents and (data := _read(job, root, name, parts)) is not None:
                    parts.contents[name] = data
    return parts


def _read(job: Job, root: Path, name: str, parts: SourceFiles) -> bytes | None:
    parts.looked[name] = None
    try:
        return job.data(name, root, MOST)
    except inside.RefusedError as error:
        parts.refused[name] = error.phrase
    except OSError:
        pass
    return None


def _inside(folder: str, name: str) -> str | None:
    """The path below the root; None if it leads out of the book."""
    if name.startswith("/") or "\\" in name or "://" in name:
        return None
    path = posixpath.normpath(posixpath.join(folder, name))
    return None if path.startswith("../") or path == ".." else path


def _imports(text: str, folder: str) -> Iterator[str]:
    """The files that `@name` may mean: `name.d2`, and for `@name.key` also the names up to each dot."""
    for match in IMPORT.finditer(text):
        name = next(group for group in match.groups() if group)
        above = re.match(r"(?:\.\.?/)*", name)
        lead, tail = (above[0], name[above.end() :]) if above else ("", name)
        keys = tail.split(".")
        for count in range(len(keys), 0, -1):
            path = _inside(folder, lead + ".".join(keys[:count]))
            if path is not None and not path.endswith("/"):
                yield path if path.endswith(".d2") else path + ".d2"


def refuse_outside(parts: SourceFiles, folder: str) -> None:
    """Raise AuthorError for an import of a file outside the book, which D2's own program would open.

    folder: the real path of the copies, where D2 runs. Every `@` counts, since only D2 knows which are imports; so
    that no label is refused, there must be a file that D2 would find.
    """
    for path, text in parts.texts.items():
        for match in _OUTSIDE.finditer(text):
            for name in _spellings(match):
                place = os.path.normpath(os.path.join(folder, posixpath.dirname(path), name))
                if not place.startswith(folder + os.sep) and _is_import(place):
                    line = text.count("\n", 0, match.start()) + 1
                    at = Origin(path, line, match.start() - text.rfind("\n", 0, match.start()))
                    message = (
                        f"'{name}' is outside the book; imports are files of the book, by a relative path"
                    )
                    raise AuthorError(at, message)


def refuse_other_pictures(svg: bytes, parts: SourceFiles) -> None:
    """Raise AuthorError if D2 has put a file into its drawing that it did not get from figmill."""
    texts = "".join(parts.texts.values())
    for match in _EMBEDDED.finditer(svg):
        written = unescaped(match[1].decode("ascii", "replace"))
        try:
            is_given = base64.b64decode(written) in parts.contents.values()
        except binascii.Error:
            is_given = False
        if not is_given and written not in texts:  # an author may write a picture out
            at = Origin(next(iter(parts.texts)))
            raise AuthorError(
                at, "an icon is a picture outside the book; save it beside the diagram, and name it"
            )


def _spellings(match: re.Match[str]) -> Iterator[str]:
    """The names that D2 may read after an `@`: escapes undone, and without quotes also up to each space."""
    name = re.sub(
        r"\\(?:\s*\n\s*|(.))", lambda escape: escape[1] or "", next(filter(None, match.groups()), "")
    )
    if match[3] is None:
        yield name
        return
    parts = name.split(" ")
    yield from (" ".join(parts[:count]).strip() for count in range(1, min(len(parts), _MOST_SPACES) + 1))


def _is_import(place: str) -> bool:
    """Whether D2 finds a file to import here; after a dot may follow a key in that file."""
    folder, _, name = place.rpartition(os.sep)
    keys = name.split(".")
    names = (".".join(keys[:count]) for count in range(1, len(keys) + 1))
    return any(
        os.path.isfile(os.path.join(folder or os.sep, stem + end)) for stem in names for end in ("", ".d2")
    )


def _pictures(text: str, folder: str) -> Iterator[str]:
    for match in PICTURE.finditer(text):
        path = _inside(folder, next(group for group in match.groups() if group))
        if path is not None:
            yield path


def boards(text: str) -> list[tuple[str, int]]:
    """`layers`, `scenarios` and `steps` at the beginning of a line, each with its line."""
    return [
        (match[0].split(":")[0].split("{")[0].strip(), text.count("\n", 0, match.start()) + 1)
        for match in _BOARDS.finditer(text)
    ]
