"""The manifest, which book tools read: every published figure with its files, texts and facts. Pure.

Equal figures give equal bytes: no dates, no names of machines, sorted by id and name.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Mapping
from typing import Any

from figmill.model import Description, Edition, Exploration, Fact, File, Json, Published, PublishedStatus

NAME = "manifest.json"
VERSION = 1


def row(figure: Published, status: PublishedStatus, folder: str) -> dict[str, Json]:
    """One figure's row in the manifest of `folder`."""
    return {
        "id": figure.id,
        "name": figure.name,
        "track": figure.track,
        "title": figure.title,
        "kind": figure.kind,
        "source": figure.source,
        **({} if figure.fence is None else {"line": figure.line, "fence": figure.fence}),
        "alt": figure.alt,
        "caption": figure.caption,
        "status": status,
        "facts": _facts(figure.facts),
        "files": [_file(file, folder) for file in figure.files],
        **({"narrow": [_file(file, folder) for file in figure.narrow]} if figure.narrow else {}),
        **({} if figure.description is None else {"description": description(figure.description, folder)}),
        **(
            {
                "languages": {
                    translation.language: edition(translation, folder) for translation in figure.editions
                }
            }
            if figure.editions
            else {}
        ),
        # last, so that programs without a JSON parser find its start and end
        **({} if figure.explore is None else {"explore": exploration(figure.explore, folder)}),
    }


def edition(translation: Edition, folder: str) -> dict[str, Json]:
    """A figure in another language: what differs from its row. decimal, group: the signs in numbers."""
    return {
        "title": translation.title,
        "alt": translation.alt,
        "caption": translation.caption,
        "decimal": translation.decimal,
        "group": translation.group,
        "direction": "rtl" if translation.is_rtl else "ltr",
        "files": [_file(file, folder) for file in translation.files],
        **({"narrow": [_file(file, folder) for file in translation.narrow]} if translation.narrow else {}),
        **(
            {}
            if translation.description is None
            else {"description": description(translation.description, folder)}
        ),
        **({} if translation.explore is None else {"explore": exploration(translation.explore, folder)}),
    }


def description(described: Description, folder: str) -> dict[str, Json]:
    """A long description: its text, and its tables as CSV files. shown: whether pages show it."""
    return {
        "shown": described.is_shown,
        **({} if described.text is None else {"text": described.text}),
        "tables": [
            {
                "title": table.title,
                "form": table.form,
                "rows": table.rows,
                "total": table.total,
                "path": relative(table.path, folder),
                "sha256": table.sha256,
            }
            for table in described.tables
        ],
    }


def exploration(explore: Exploration, folder: str) -> dict[str, Json]:
    """An exploration: every picture, the last parameter varying fastest. bytes: of all SVGs, each counted once."""
    return {
        "parameters": {name: list(values) for name, values in explore.parameters.items()},
        "number": len(explore.pictures),
        "bytes": explore.size,
        "declared": explore.declared,
        "pictures": [
            {
                "params": dict(picture.params),
                "alt": picture.alt,
                "caption": picture.caption,
                "facts": _facts(picture.facts),
                "files": [_file(file, folder) for file in picture.files],
            }
            for picture in explore.pictures
        ],
    }


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
        **({"smallest_text": _plain(file.smallest)} if file.smallest else {}),
    }


def relative(path: str, folder: str) -> str:
    """A path in the book, relative to a folder in the book."""
    inside = f"{folder}/"
    return path.removeprefix(inside) if path.startswith(inside) else posixpath.relpath(path, folder)


def _plain(number: float) -> int | float:
    return int(number) if number == int(number) else number


def dumps(figures: Iterable[tuple[Published, PublishedStatus]], folder: str) -> bytes:
    """The manifest of (figure, status) pairs."""
    ordered = sorted(figures, key=lambda pair: pair[0].order)
    return joined(line(figure, status, folder) for figure, status in ordered)


def joined(lines: Iterable[str]) -> bytes:
    """The manifest of these lines, one per figure, in their order: its diff is readable."""
    figures = ",\n".join(lines)
    return f'{{"version": {VERSION}, "figures": [\n{figures}\n]}}\n'.encode()


def is_one(begin: bytes) -> bool:
    """Whether the beginning of a file is that of a manifest."""
    return begin.lstrip().startswith(b'{"version": ') and b'"figures": [' in begin


def paths(data: bytes, folder: str) -> set[str]:
    """The files that a manifest of `folder` lists, by their paths in the book; none if it is damaged."""
    try:
        rows = json.loads(data)["figures"]
        files = [
            file
            for whole in rows
            for row in (whole, *whole.get("languages", {}).values())
            for file in (*row["files"], *row.get("narrow", ()), *row.get("description", {}).get("tables", ()))
        ]
        return {posixpath.normpath(f"{folder}/{file['path']}") for file in files}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return set()


def line(figure: Published, status: PublishedStatus, folder: str) -> str:
    """One figure's line in the manifest of `folder`."""
    return json.dumps(row(figure, status, folder), ensure_ascii=False)
