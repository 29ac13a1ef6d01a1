"""The kind vega-lite: Vega draws a chart in JSON, `.vl.json`, in a process beside this one (plots/vega.py).

Data that the chart names by a relative path are read from the book and put into the chart, because Vega opens no files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from figmill.errors import AuthorError
from figmill.host import files
from figmill.kinds.job import Job, Raw, source
from figmill.kinds.plots.vega import VegaError, svg_of
from figmill.model import Origin

DATA = 20_000_000  # bytes of a file with data
TABLES = ("csv", "tsv", "dsv", "json", "topojson")


def warm(fonts: Sequence[str]) -> None:
    """Do nothing: Vega is loaded by the process that draws."""


def render(job: Job, root: Path) -> Raw:
    """The SVG of one chart. Raises AuthorError at the line of an error in JSON."""
    try:
        chart = json.loads(source(job, root).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise AuthorError(Origin(job.source), "not UTF-8; save the file as UTF-8") from None
    except json.JSONDecodeError as error:
        raise AuthorError(Origin(job.source, error.lineno, error.colno), f"not JSON: {error.msg}") from None
    except RecursionError:
        raise AuthorError(Origin(job.source), "nested deeper than Python can read") from None
    if not isinstance(chart, dict):
        raise AuthorError(Origin(job.source), 'a chart of Vega-Lite is an object, like {"mark": "bar"}')
    for data in _named(chart):
        _take_in(data, job, root)
    try:
        return Raw(svg_of(json.dumps(chart).encode()))
    except VegaError as error:
        raise AuthorError(Origin(job.source), str(error)) from None


def _named(value: Any) -> Iterator[dict[str, Any]]:
    """Every `data` with a `url`, at any depth."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            data = item.get("data")
            if isinstance(data, dict) and isinstance(data.get("url"), str):
                yield data
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item


def _take_in(data: dict[str, Any], job: Job, root: Path) -> None:
    """Replace the path of a table by its content. Raises AuthorError."""
    name = data.pop("url")
    at = Origin(job.source)
    if "://" in name or name.startswith(("/", "\\")) or ".." in Path(name).parts:
        rule = f"data are read only from the book, by a relative path without '..', not from '{name}'"
        raise AuthorError(at, f"{rule}; save them beside the chart")
    stated = data.get("format")
    form = dict(stated) if isinstance(stated, dict) else {}
    form.setdefault("type", Path(name).suffix[1:].lower() or "json")
    if form["type"] not in TABLES:
        raise AuthorError(at, f"data '{name}' must end in one of {', '.join(TABLES)}, or state its `format`")
    try:
        text = files.read((root / job.source).parent / name, DATA).decode("utf-8-sig")
        data["values"] = json.loads(text) if "json" in form["type"] else text
    except (OSError, files.UnfitError) as error:
        raise AuthorError(at, f"data '{name}' cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise AuthorError(at, f"data '{name}' cannot be read: {error}") from None
    data["format"] = form
