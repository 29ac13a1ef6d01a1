"""Two built folders -> the report of their differences, such as between two releases of a book."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from figmill.compare import books
from figmill.compare.books import PublishedBook
from figmill.errors import AuthorError, ToolError
from figmill.host import files, inside
from figmill.model import Origin, Published, PublishedStatus
from figmill.report.model import Report, Row, Status
from figmill.store.ledger import name_of

MANIFEST = "manifest.json"
VERSION = 1


def load(place: Path) -> PublishedBook:
    """An output folder, given by its path or by that of its manifest. Raises ToolError."""
    path = place / MANIFEST if place.is_dir() else place
    try:
        manifest = json.loads(files.read(path))
        if manifest["version"] != VERSION:
            raise ToolError(f"{path} has version {manifest['version']}, but this figmill reads {VERSION}")
        rows = [(_published(row), _svgs(row, path.parent), row["status"]) for row in manifest["figures"]]
    except FileNotFoundError:
        raise ToolError(f"{path} does not exist; name a folder that `figmill` has built") from None
    except OSError as error:
        raise ToolError(f"{error.filename or path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ToolError(f"{path} is not a manifest of figmill") from None
    names = [name_of(figure.id, figure.name) for figure, *_ in rows]
    return PublishedBook(
        {name: figure for name, (figure, *_) in zip(names, rows, strict=True)},
        {name: svgs for name, (_, svgs, _) in zip(names, rows, strict=True)},
        rows=tuple(_failure(figure) for figure, _, status in rows if status == PublishedStatus.STALE),
    )


def _published(row: Mapping[str, Any]) -> Published:
    names = ("id", "name", "track", "title", "kind", "source", "alt", "caption", "facts")
    return Published(**{name: row[name] for name in names})


def _svgs(row: Mapping[str, Any], folder: Path) -> dict[str, bytes]:
    """The SVGs of a figure by their relative paths, which may lead to sources outside the folder."""
    svgs = {}
    explored = (file for picture in row.get("explore", {}).get("pictures", ()) for file in picture["files"])
    for file in (*row["files"], *explored):
        if file["format"] == "svg":
            path = os.path.normpath(file["path"])
            if os.path.isabs(path):
                raise ValueError(path)
            place = f"{folder.name}/{path}".replace(os.sep, "/")
            svgs[path] = inside.read(folder.parent, place, allowed=(folder.name, os.path.dirname(place)))
    return svgs


def between(before: PublishedBook, after: PublishedBook) -> Report:
    """The report with a row for each figure in either folder."""
    return Report(books.between(before, after), dry=True, check=True)


def _failure(figure: Published) -> Row:
    error = AuthorError(Origin(figure.source), "could not be built, so the folder has an older picture of it")
    return Row(figure.id, figure.name, figure.kind, Status.FAILED, errors=(error,))
