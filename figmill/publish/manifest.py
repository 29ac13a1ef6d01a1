"""The manifest, which book tools read: every published figure with its files, texts and facts. Pure.

Equal figures give equal bytes: no dates, no names of machines, sorted by id and name.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from figmill.model import Explored, Fact, File, Json, Published

NAME = "manifest.json"
VERSION = 1


def row(figure: Published, status: str, folder: str) -> dict[str, Json]:
    """One figure's row in the manifest of `folder`. status: `current` or `stale`."""
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
        "facts": _facts(figure.facts),
        "files": [_file(file, folder) for file in figure.files],
        # last, so that programs without a JSON parser find its start and end
        **({} if figure.explore is None else {"explore": exploration(figure.explore, folder)}),
    }


def exploration(explore: Explored, folder: str) -> dict[str, Json]:
    """An exploration: every picture, the last parameter varying fastest. bytes: of all SVGs, each counted once."""
    return {
        "parameters": {name: list(values) for name, values in explore.parameters.items()},
        "number": len(explore.pictures),
        "bytes": explore.size,
        "declared": explore.declared,
        "pictures": [
            {
                "params": dict(one.params),
                "alt": one.alt,
                "caption": one.caption,
                "facts": _facts(one.facts),
                "files": [_file(file, folder) for file in one.files],
            }
            for one in explore.pictures
        ],
    }  # fmt: skip


def _facts(facts: Mapping[str, Fact]) -> dict[str, Json]:
    return {name: facts[name] for name in sorted(facts)}  # type: ignore[misc]


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
    """A path in the book, relative to a folder in the book."""
    inside = f"{folder}/"
    return path.removeprefix(inside) if path.startswith(inside) else posixpath.relpath(path, folder)


def _plain(number: float) -> int | float:
    return int(number) if number == int(number) else number


def dumps(figures: Iterable[tuple[Published, str]], folder: str, kept: Texts | None = None) -> bytes:
    """The manifest of (figure, status) pairs, one figure per line, so that its diff is readable.

    kept: the lines of earlier manifests of this folder.
    """
    joined = ",\n".join(texts(figures, lambda figure, status: line(figure, status, folder), kept))
    return f'{{"version": {VERSION}, "figures": [\n{joined}\n]}}\n'.encode()


def is_one(begin: bytes) -> bool:
    """Whether a file that begins so is a manifest."""
    return begin.lstrip().startswith(b'{"version": ') and b'"figures": [' in begin


def paths(data: bytes, folder: str) -> set[str]:
    """The files that a manifest of `folder` lists, by their paths in the book; none if it is damaged."""
    try:
        rows = json.loads(data)["figures"]
        return {posixpath.normpath(f"{folder}/{file['path']}") for row in rows for file in row["files"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        return set()


def line(figure: Published, status: str, folder: str) -> str:
    """One figure's line in the manifest of `folder`."""
    return json.dumps(row(figure, status, folder), ensure_ascii=False)


# The text written for each figure, by its id and name, which are unique; reused while the figure is the same.
Texts: TypeAlias = dict[tuple[str, str], tuple[Published, str, str]]


def texts(
    figures: Iterable[tuple[Published, str]],
    write: Callable[[Published, str], str],
    kept: Texts | None = None,
) -> list[str]:
    """The text that `write` makes of each figure and its status, in the order of their names."""
    kept = {} if kept is None else kept
    ordered = sorted(figures, key=lambda pair: pair[0].order)
    found: list[str] = []
    for figure, status in ordered:
        known = kept.get(figure.order)
        if known is None or known[0] is not figure or known[1] != status:
            known = kept[figure.order] = figure, status, write(figure, status)
        found.append(known[2])
    if len(kept) > len(ordered):
        for order in kept.keys() - {figure.order for figure, _ in ordered}:
            del kept[order]
    return found
