"""Pictures in graphs: `image=` and `<IMG SRC="">`, for files of the book.

Graphviz never opens them. It gets stand-ins of the same size and writes their names into its SVG; the files themselves
are read and decoded when the figure is settled. This module knows nothing of DOT's syntax.
"""

from __future__ import annotations

import io
import os
import re
import struct
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from xml.parsers import expat

from figmill.errors import AuthorError
from figmill.host import files, inside
from figmill.host.temporary import temporary_folder
from figmill.kind.job import Job
from figmill.model import Origin

MOST = 20_000_000  # bytes per picture
FARTHEST = 1_000_000  # px of a side
LONGEST = 1_000  # characters of a name
WHERE = (
    f"a picture is a PNG, JPEG, WebP or SVG of the book, by a relative path of at most {LONGEST:,} characters, "
    "without '..'"
)
_PLAIN = re.compile(r"(?!\.)[\w .@+-]+(?:/(?!\.)[\w .@+-]+)*")
_KINDS = (".png", ".jpg", ".jpeg", ".webp", ".svg")
_PX = re.compile(r"([0-9]*\.?[0-9]+)(?:px)?")
_NUMBER = r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]{1,3})?"
_BOX = re.compile(rf"\s*{_NUMBER}[\s,]+{_NUMBER}[\s,]+({_NUMBER})[\s,]+({_NUMBER})\s*")
_IMG = re.compile(r"<\s*img\b([^<>]*)>?", re.I)
_SRC = re.compile(r"""\s*(?:src\s*=\s*(["'])([^"']*)\1|scale\s*=\s*(["'])\w*\3)""", re.I)


def is_plain(name: str) -> bool:
    """Whether a name is valid for a picture, in any folder."""
    return len(name) <= LONGEST and bool(_PLAIN.fullmatch(name)) and name.lower().endswith(_KINDS)


def refused_in(html: str) -> Iterator[int]:
    """The positions of <IMG> elements without a valid name in an HTML-like label."""
    for image in _IMG.finditer(html):
        rest = image[1].rstrip("/ \t\r\n")
        names = [match[2] for match in _SRC.finditer(rest) if match[2] is not None]
        if _SRC.sub("", rest).strip() or len(names) != 1 or not is_plain(names[0]):
            yield image.start()


def folders(job: Job, root: Path) -> list[str]:
    """The folders searched for a graph's pictures, in order."""
    names = (PurePosixPath(job.source).parent.as_posix(), *job.folders)
    return [str(root / name) for name in dict.fromkeys(names)]


def named_in(html: str) -> Iterator[str]:
    """The names of pictures in an HTML-like label."""
    for image in _IMG.finditer(html):
        yield from (match[2] for match in _SRC.finditer(image[1]) if match[2])


@contextmanager
def stand_ins(names: Sequence[str], job: Job, root: Path) -> Iterator[str]:
    """Write stand-ins for pictures and yield DOT that points to them. Raises AuthorError for an unreadable picture."""
    if not names:
        yield ""
        return
    with temporary_folder() as folder:
        for name in names:
            try:
                size = _size(job.data(_place(name, job, root), root, MOST))
            except inside.RefusedError as error:
                raise AuthorError(Origin(job.source), f"the picture '{name}' {error.phrase}") from None
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                raise AuthorError(
                    Origin(job.source), f"the picture '{name}' cannot be read: {reason}"
                ) from None
            place = folder
            for part in PurePosixPath(name).parts[:-1]:
                place = os.path.join(place, part)
                if not os.path.isdir(place):
                    files.new_folder(place)
            files.create(os.path.join(place, os.path.basename(name)), _png_of(*size))
        yield f'graph [imagepath="{folder}"];'


def _place(name: str, job: Job, root: Path) -> str:
    """The path of a picture, relative to the root. Raises AuthorError if it is missing."""
    places = paths_of([name], job)
    there = next((place for place in places if os.path.lexists(root / place)), None)
    if there is None:
        where = ", ".join(folders(job, Path()))
        raise AuthorError(
            Origin(job.source), f"the picture '{name}' does not exist; figmill looks in {where}"
        )
    return there


def _size(data: bytes) -> tuple[int, int]:
    """Width and height in px. Raises OSError or ValueError."""
    from PIL import Image

    if b"<svg" in data[:4096]:
        return _size_of_drawing(data)
    try:
        with warnings.catch_warnings():
            # its warning about size, which is checked when the picture is decoded
            warnings.simplefilter("ignore")
            return Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")).size
    except MemoryError:
        raise
    except Exception:  # decoders raise anything for damaged files
        raise ValueError("it is not a readable PNG, JPEG or WebP; save it again") from None


def _size_of_drawing(data: bytes) -> tuple[int, int]:
    root: dict[str, str] = {}

    def start(_tag: str, attributes: dict[str, str]) -> None:
        root.update(attributes) if not root else None

    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = start
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        if not root:
            raise ValueError(f"it is not well-formed XML: {expat.ErrorString(error.code)}") from None
    box = _BOX.fullmatch(root.get("viewBox", "0 0 300 150"))
    stated = [_PX.fullmatch(root.get(name, "")) for name in ("width", "height")]
    if box is None and None in stated:
        raise ValueError("its viewBox is not four numbers, so it has no size")
    sides = [float(match[1]) if match else float(box[n]) if box else 0.0 for n, match in enumerate(stated, 1)]
    if max(sides) > FARTHEST:
        raise ValueError(f"it has {max(sides):g} px; at most {FARTHEST:,} are drawn")
    return max(1, round(sides[0])), max(1, round(sides[1]))


def _png_of(width: int, height: int) -> bytes:
    """The header of a PNG, which is all that Graphviz reads."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", len(head))
        + b"IHDR"
        + head
        + struct.pack(">I", zlib.crc32(head))
    )


def paths_of(names: Sequence[str], job: Job) -> tuple[str, ...]:
    """All paths below the root that were searched for these pictures."""
    paths = (PurePosixPath(folder) / name for name in names for folder in folders(job, Path()))
    return tuple(dict.fromkeys(path.as_posix() for path in paths))
