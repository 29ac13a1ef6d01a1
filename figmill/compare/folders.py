"""Two built folders -> the report of what differs between them: two releases of a book, say."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from figmill.errors import ToolError
from figmill.host import files
from figmill.model import Published
from figmill.report.model import Report
from figmill.report.sides import row_between

MANIFEST = "manifest.json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Built:
    """A book as it was built: its figures by label, and their SVGs by path."""

    figures: Mapping[str, Published]
    svgs: Mapping[str, Mapping[str, bytes]]  # by label, then by path


def load(place: Path) -> Built:
    """What lies in an output folder, given by itself or by its manifest. Raises ToolError."""
    path = place / MANIFEST if place.is_dir() else place
    try:
        found = json.loads(files.read(path))
        if found["version"] != VERSION:
            raise ToolError(f"{path} is of version {found['version']}, and this figmill reads {VERSION}")
        rows = [(_published(row), _svgs(row, path.parent)) for row in found["figures"]]
    except FileNotFoundError:
        raise ToolError(f"{path} is not there; name a folder that `render-visuals` has built") from None
    except OSError as error:
        raise ToolError(f"{error.filename or path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ToolError(f"{path} is no manifest of figmill") from None
    return Built({p.label: p for p, _ in rows}, {p.label: svgs for p, svgs in rows})


def _published(row: Mapping[str, Any]) -> Published:
    names = ("id", "name", "track", "title", "kind", "source", "alt", "caption", "facts")
    return Published(**{name: row[name] for name in names})


def _svgs(row: Mapping[str, Any], folder: Path) -> dict[str, bytes]:
    """The SVGs of a figure by their paths: relative ones, which may lead to sources beside the folder."""
    found = {}
    turned = (file for one in row.get("explore", {}).get("pictures", ()) for file in one["files"])
    for file in (*row["files"], *turned):
        if file["format"] == "svg":
            path = os.path.normpath(file["path"])
            if os.path.isabs(path):
                raise ValueError(path)
            found[path] = files.read(folder / path)
    return found


def between(before: Built, after: Built) -> Report:
    """A row for each figure of either."""
    rows = (
        row_between(
            before.figures.get(label),
            after.figures.get(label),
            before.svgs.get(label, {}),
            after.svgs.get(label, {}),
        )
        for label in sorted({*before.figures, *after.figures})
    )
    return Report(tuple(rows), dry=True, check=True)
