"""draw.io's own SVG export beside a source: found by its name, and taken if it shows the same page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from shlex import quote
from urllib.parse import unquote_to_bytes

from lxml import etree

from figmill.kind import AuthorError, Job, Origin, files
from figmill_kinds.drawio.files import Page, pages

_SUFFIX = re.compile(r"\.(?:drawio(?:\.xml)?|dio)$")


def names(job: Job) -> tuple[str, ...]:
    """The names that an export of a figure's source has: from the editor, and from `drawio -x`."""
    stem = _SUFFIX.sub("", job.source)
    return f"{stem}.drawio.svg", f"{stem}.svg"


def export_of(page: Page, number: int, job: Job, root: Path) -> bytes:
    """The export that shows a page, from beside its source. number: of the page, from 1. Raises AuthorError."""
    exports = dict(_beside(job, root))
    inside = {name: _pages_shown(svg) for name, svg in exports.items()}
    for name, shown in inside.items():
        if shown and all(_cells(other) == _cells(page) for other in shown):
            return exports[name]
    raise AuthorError(Origin(job.source), _complaint(page, number, job, inside), looked=names(job))


def _complaint(page: Page, number: int, job: Job, inside: Mapping[str, tuple[Page, ...]]) -> str:
    """Why no export shows a page, and the command that makes one. inside: the pages that each export may show."""
    chosen = f"-p {number} " * (number > 1)
    command = f"`drawio -x -f svg -e {chosen}{quote(job.source)}`"
    if not inside:
        return f"figmill does not draw diagrams of draw.io itself; export this one beside it: {command}"
    name, shown = next(iter(inside.items()))
    if not shown:
        return f"{name} contains no copy of the diagram to compare; export it again: {command}"
    if any(_cells(other) == _cells(page) for other in shown):
        return f"{name} does not say which of its {len(shown)} pages it shows; export it again: {command}"
    if len(shown) == 1 and shown[0].name != page.name:
        return f"{name} shows page '{shown[0].name}', not '{page.name}'; export that one: {command}"
    return f"{name} is older than this file: its cells are others; export it again: {command}"


def _beside(job: Job, root: Path) -> Iterator[tuple[str, bytes]]:
    """The exports of a figure's source that lie beside it."""
    for name in names(job):
        try:
            yield name, job.data(name, root, files.SOURCE)
        except OSError:
            continue


def _pages_shown(svg: bytes) -> tuple[Page, ...]:
    """The pages of the diagram inside an export that its picture may show; none without a diagram.

    `drawio -x` puts all pages into the export of each. Then the ids in the picture tell which one it is.
    """
    try:
        root = etree.fromstring(svg, etree.XMLParser(resolve_entities=False, no_network=True))
        content = (root.get("content") or "").encode()
        inner = pages(content if content.lstrip().startswith(b"<") else unquote_to_bytes(content), "")
    except (etree.XMLSyntaxError, AuthorError, ValueError):
        return ()
    ids = {id_ for element in root.iter() if (id_ := element.get("data-cell-id"))}
    fitting = (page for page in inner if ids <= {cell.get("id") for cell in page.model.iterfind("root/*")})
    return tuple(fitting) or inner


def _cells(page: Page) -> bytes:
    """What a page contains, without the settings of its editor and the blanks between its cells."""
    root = page.model.find("root")
    if root is None:
        return b""
    text = re.sub(rb">\s+<", b"><", etree.tostring(root, with_tail=False))
    return etree.tostring(etree.fromstring(text), method="c14n")
