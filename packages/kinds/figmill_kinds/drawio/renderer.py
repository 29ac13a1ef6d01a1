"""The kind drawio: a diagram of draw.io (`.drawio`, or a PNG export with a copy of it), drawn by figmill itself.

files.py finds the pages in a file, model.py reads one page, shapes.py and routes.py make outlines and lines, labels.py
makes text, and picture.py joins them. An SVG export does not need any of this: it is a drawing like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from figmill.kind import AuthorError, Fact, Job, Origin, Raw, Remark, did_you_mean, source
from figmill.kind.drawn_text import encoded
from figmill.kind.named import named, of_edges
from figmill.kind.stated import counted
from figmill_kinds.drawio.as_tables import stated_of, tables_of
from figmill_kinds.drawio.exports import beside, names, shows
from figmill_kinds.drawio.files import Page, line_of, pages
from figmill_kinds.drawio.model import read
from figmill_kinds.drawio.picture import drawn
from figmill_kinds.drawio.unproven import unproven

EXPORT = "draw.io's own export has it: `drawio -x -f svg -e` and the name of the file"


def warm(fonts: Sequence[str]) -> None:
    """Do nothing: there is nothing to load."""


def render(job: Job, root: Path) -> Raw:
    """The SVG of one page, with its shapes and connectors as facts. Raises AuthorError."""
    all_pages = pages(source(job, root), job.source)
    if len(all_pages) > 1 and not job.figure and job.source.endswith(".png"):
        reason = f"has {len(all_pages)} pages, and does not say which one its pixels show; write `figure: 1`, or a name"
        raise AuthorError(Origin(job.source), reason)
    page = _chosen(all_pages, job)
    diagram = read(page, job.source)
    picture = drawn(diagram)
    if picture is None:
        reason = f"nothing on page '{page.name}' can be drawn: its connectors have no ends"
        raise AuthorError(Origin(job.source, line_of(page.model)), reason)
    refused = unproven(diagram, picture.routes)
    facts: dict[str, Fact] = {
        "nodes": picture.nodes,
        "edges": picture.edges,
        "page": page.name,
        "pages": len(all_pages),
    }
    remarks = tuple(_remarks(all_pages, job))
    if refused is not None:
        svg = _export(job, root, page, *refused)
        return Raw(svg, facts, remarks=remarks, tables=tables_of(diagram), traced=names(job))
    svg, stated = encoded(picture.svg), stated_of(diagram)
    tables = tables_of(diagram)
    facts = named(of_edges(tables), counted(facts, "edges", svg, stated))
    return Raw(svg, facts, remarks=remarks, tables=tables, stated=stated)


def _export(job: Job, root: Path, page: Page, reason: str, line: int | None) -> bytes:
    """draw.io's own export of a page that figmill refuses, from beside its source. Raises AuthorError."""
    exports = dict(beside(job, root))
    for svg in exports.values():
        if shows(svg, page):
            return svg
    older = f"; {next(iter(exports))} shows another version" if exports else ""
    message = f"page '{page.name}' has {reason}{older}; {EXPORT}"
    raise AuthorError(Origin(job.source, line), message, looked=names(job))


def _chosen(all_pages: Sequence[Page], job: Job) -> Page:
    """The page that `figure` selects, by its name or by its number from 1; otherwise the first page."""
    if not job.figure:
        return all_pages[0]
    named = [page for page in all_pages if page.name == job.figure]
    if not named and job.figure.isdecimal() and 0 < int(job.figure) <= len(all_pages):
        return all_pages[int(job.figure) - 1]
    if not named:
        all_ = [page.name for page in all_pages]
        near = did_you_mean(job.figure, all_) or f"; there are {', '.join(all_)}"[:300]
        raise AuthorError(Origin(job.source), f"has no page '{job.figure}'{near}")
    return named[0]


def _remarks(all_pages: Sequence[Page], job: Job) -> Iterator[Remark]:
    if len(all_pages) > 1 and not job.figure:
        yield Remark("dropped", f"the first of {len(all_pages)} pages is drawn; `figure: 2` draws the second")
