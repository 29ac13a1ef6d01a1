"""The kind drawio: a diagram of draw.io, whose picture is draw.io's own SVG export beside it.

figmill draws no diagram of draw.io. files.py finds the pages in the source, exports.py the export that shows one of
them; model.py, labels.py and as_tables.py read what the page contains, for facts and descriptions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from figmill.kind import AuthorError, Fact, Job, Origin, Raw, Remark, did_you_mean, source
from figmill.kind.named import named, of_edges
from figmill_kinds.drawio.as_tables import tables_of
from figmill_kinds.drawio.exports import export_of, names
from figmill_kinds.drawio.files import Page, pages
from figmill_kinds.drawio.model import Connector, Shape, read


def warm(fonts: Sequence[str]) -> None:
    """Do nothing: there is nothing to load."""


def render(job: Job, root: Path) -> Raw:
    """draw.io's SVG export of one page, with its shapes and connectors as facts. Raises AuthorError."""
    all_pages = pages(source(job, root), job.source)
    page = _chosen(all_pages, job)
    cells = read(page, job.source)
    svg = export_of(page, all_pages.index(page) + 1, job, root)
    facts: dict[str, Fact] = {
        "nodes": sum(isinstance(cell, Shape) and cell.is_node for cell in cells),
        "edges": sum(isinstance(cell, Connector) for cell in cells),
        "page": page.name,
        "pages": len(all_pages),
    }
    tables = tables_of(cells)
    remarks = tuple(_remarks(all_pages, job))
    return Raw(svg, named(of_edges(tables), facts), remarks=remarks, tables=tables, traced=names(job))


def _chosen(all_pages: Sequence[Page], job: Job) -> Page:
    """The page that `figure` selects, by its name or by its number from 1; otherwise the first page."""
    if not job.figure:
        return all_pages[0]
    by_name = [page for page in all_pages if page.name == job.figure]
    if not by_name and job.figure.isdecimal() and 0 < int(job.figure) <= len(all_pages):
        return all_pages[int(job.figure) - 1]
    if not by_name:
        all_ = [page.name for page in all_pages]
        near = did_you_mean(job.figure, all_) or f"; there are {', '.join(all_)}"[:300]
        raise AuthorError(Origin(job.source), f"has no page '{job.figure}'{near}")
    return by_name[0]


def _remarks(all_pages: Sequence[Page], job: Job) -> Iterator[Remark]:
    if len(all_pages) > 1 and not job.figure:
        yield Remark("dropped", f"the first of {len(all_pages)} pages is shown; `figure: 2` shows the second")
