"""What pages ask of the file of a picture: its texts and its links. Each file is read once."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from html import unescape
from pathlib import Path

from figmill.claims.labels import labels
from figmill.integrations import figures
from figmill.late_dataclasses import dataclass

_VALUE = r'(?:[^"<>]|"[^"]*")'
LINK = re.compile(rf'<a (?P<before>{_VALUE}*?)href="(?P<target>[^"]*)"(?P<after>{_VALUE}*)>')


@dataclass(frozen=True, slots=True)
class PictureContent:
    """What a picture says and where it leads."""

    texts: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()  # of its links, each once


def content(folder: Path, path: str) -> PictureContent:
    """The content of a picture; arguments as for `figures.place`. Nothing of a file that cannot be read: whoever
    publishes it reports that.
    """
    try:
        about = os.stat(f"{folder}/{path}")
        return _content(folder, path, (about.st_mtime_ns, about.st_size))
    except OSError:
        return PictureContent()


@lru_cache(maxsize=1024)
def _content(folder: Path, path: str, _state: tuple[int, int]) -> PictureContent:
    data = figures.read(folder, path)
    return PictureContent(labels(data), targets(data.decode("utf-8", "replace")) if b"<a " in data else ())


def targets(svg: str) -> tuple[str, ...]:
    """The targets of the links in a published SVG, each once."""
    return tuple(dict.fromkeys(unescape(match["target"]) for match in LINK.finditer(svg)))
