"""Two built folders -> the report of their differences, such as between two releases of a book."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from figmill.errors import AuthorError, ToolError
from figmill.host import files, inside
from figmill.model import Origin, Published
from figmill.report.model import Report, Row
from figmill.report.sides import row_between

MANIFEST = "manifest.json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class BuiltFolder:
    """An output folder: its figures by label, and their SVGs by path."""

    figures: Mapping[str, Published]
    svgs: Mapping[str, Mapping[str, bytes]]  # by label, then by path
    failed: frozenset[str] = frozenset()  # labels of figures that could not be built: their SVGs are older


def load(place: Path) -> BuiltFolder:
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
    failed = frozenset(figure.label for figure, _, status in rows if status == "stale")
    return BuiltFolder({p.label: p for p, *_ in rows}, {p.label: svgs for p, svgs, _ in rows}, failed)


def _published(row: Mapping[str, Any]) -> Published:
    names = ("id", "name", "track", "title", "kind", "source", "alt", "caption", "facts")
    return Published(**{name: row[name] for name in names})


def _svgs(row: Mapping[str, Any], folder: Path) -> dict[str, bytes]:
    """The SVGs of a figure by their relative paths, which may lead to sources outside the folder."""
    svgs = {}
    explored = (file for one in row.get("explore", {}).get("pictures", ()) for file in one["files"])
    for file in (*row["files"], *explored):
        if file["format"] == "svg":
            path = os.path.normpath(file["path"])
            if os.path.isabs(path):
                raise ValueError(path)
            place = f"{folder.name}/{path}".replace(os.sep, "/")
            svgs[path] = inside.read(folder.parent, place, allowed=(folder.name, os.path.dirname(place)))
    return svgs


def between(before: BuiltFolder, after: BuiltFolder) -> Report:
    """The report with a row for each figure in either folder."""
    labels = sorted({*before.figures, *after.figures})
    return Report(tuple(_row(label, before, after) for label in labels), dry=True, check=True)


def _row(label: str, before: BuiltFolder, after: BuiltFolder) -> Row:
    then, now = before.figures.get(label), after.figures.get(label)
    failed = (_failure(then),) if then is not None and label in before.failed else ()
    if now is not None and label in after.failed:
        errors = (_failure(now),)
        return Row(
            now.id, now.name, now.kind, "failed", errors=errors, then=then, now=now, failed_before=failed
        )
    svgs = (side.svgs.get(label, {}) for side in (before, after))
    return row_between(then, now, *svgs, failed_before=failed)


def _failure(figure: Published) -> AuthorError:
    return AuthorError(Origin(figure.source), "could not be built, so the folder has an older picture of it")
