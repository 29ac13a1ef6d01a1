"""Where the parts of a built figure are, or those of a drawing: its receipt."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from figmill import config
from figmill.commands.drawing_files import STDIN, read
from figmill.commands.environment import root_of
from figmill.errors import ToolError, did_you_mean
from figmill.kinds import KINDS
from figmill.lint.receipt import receipt
from figmill.model import Published
from figmill.store.disk import Disk
from figmill.store.memory import Memory
from figmill.svg import SvgError

DRAWING = (".svg", ".svgz")


def layout(root: Path | None, id_: str) -> dict[str, Any]:
    """The receipt of a figure, or of a drawing outside a book; `-` is standard input. Raises ToolError."""
    if id_ == "-" or id_.lower().endswith(DRAWING):
        return _layout_of_file(STDIN if id_ == "-" else id_)
    place = root_of(root)
    return _layout_of(place, built(place, id_))


def built(root: Path, id_: str) -> Published:
    """A built figure, by id or by `<id>-<name>`. Raises ToolError if it has not been built."""
    figures = {entry.published.label: entry.published for entry in Memory(root).ledger().entries.values()}
    if id_ not in figures:
        raise ToolError(f"no built figure '{id_}'{did_you_mean(id_, figures)}; build it first")
    return figures[id_]


def _layout_of(root: Path, figure: Published) -> dict[str, Any]:
    """The receipt of a published figure."""
    path = next(file.path for file in figure.files if file.format == "svg")
    disk = Disk(root, allowed=config.load(root).own_words)
    data = disk.read(path)
    if data is None:
        raise ToolError(f"{path} is not there; build the book first")
    nodes, edges = _graph(disk, figure)
    style, levels = config.house_style(root)
    if not KINDS[figure.kind].is_placed:
        style = style.without_places()
    return receipt(figure.label, path, data, figure.facts, nodes, edges, style, levels)


def _graph(disk: Disk, figure: Published) -> tuple[list[str], list[dict[str, str]]]:
    """The nodes and edges that the source of a figure states, from its published tables; none if it has no graph."""
    tables = figure.description.tables if figure.description is not None else ()
    rows = {table.form: _rows(disk.read(table.path)) for table in tables}
    edges = rows.get("edges") or rows.get("links") or []
    if not edges or not rows.get("nodes") or not {"from", "to", "label"} <= edges[0].keys():
        return [], []
    nodes = [next(iter(row.values())) for row in rows["nodes"]]
    return nodes, [{key: row[key] for key in ("from", "to", "label")} for row in edges]


def _rows(data: bytes | None) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((data or b"").decode())))


def _layout_of_file(name: str) -> dict[str, Any]:
    """The receipt of a drawing outside a book."""
    data = read(name)
    if isinstance(data, str):
        raise ToolError(f"{name}: {data}")
    try:
        style, levels = config.house_style(Path.cwd())
        return receipt(None, name, data, {}, style=style, chosen=levels)
    except SvgError as error:
        raise ToolError(f"{name}:{error}", 1) from None
