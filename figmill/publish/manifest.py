"""The manifest, which book tools read: every published figure with its files, texts and facts. Pure.

Equal figures give equal bytes: no dates, no names of machines, sorted by id and name.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable
from typing import Any

from figmill.model import File, Json, Published

NAME = "manifest.json"
VERSION = 1


def row(figure: Published, status: str, folder: str) -> dict[str, Json]:
    """One figure's row in the manifest of `folder`. status: `current` or `stale`."""
    facts: dict[str, Json] = {name: figure.facts[name] for name in sorted(figure.facts)}  # type: ignore[misc]
    return {
        "id": figure.id,
        "name": figure.name,
        "track": figure.track,
        "title": figure.title,
        "kind": figure.kind,
        "source": figure.source,
        "alt": figure.alt,
        "caption": figure.caption,
        "status": status,
        "facts": facts,
        "files": [_file(file, folder) for file in figure.files],
    }


def _file(file: File, folder: str) -> dict[str, Any]:
    return {
        "theme": file.theme,
        "format": file.format,
        "path": relative(file.path, folder),
        "sha256": file.sha256,
        "width": _plain(file.width),
        "height": _plain(file.height),
    }


def relative(path: str, folder: str) -> str:
    """A path of the book, relative to a folder of the book."""
    inside = f"{folder}/"
    return path.removeprefix(inside) if path.startswith(inside) else posixpath.relpath(path, folder)


def _plain(number: float) -> int | float:
    return int(number) if number == int(number) else number


def dumps(figures: Iterable[tuple[Published, str]], folder: str) -> bytes:
    """The manifest of (figure, status) pairs, one figure per line, so that its diff is readable."""
    ordered = sorted(figures, key=lambda pair: pair[0].order)
    rows = (json.dumps(row(figure, status, folder), ensure_ascii=False) for figure, status in ordered)
    joined = ",\n".join(rows)
    return f'{{"version": {VERSION}, "figures": [\n{joined}\n]}}\n'.encode()
