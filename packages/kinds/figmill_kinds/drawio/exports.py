"""draw.io's own SVG export beside a source: found by its name, and taken if it shows the same page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from figmill.kind import AuthorError, Job, files
from figmill_kinds.drawio.files import Page, pages

_SUFFIX = re.compile(r"\.drawio(?:\.xml|\.png)?$")


def names(job: Job) -> tuple[str, ...]:
    """The names that an export of a figure's source has: from the editor, and from `drawio -x`."""
    if job.text is not None:
        return ()
    stem = _SUFFIX.sub("", job.source)
    return f"{stem}.drawio.svg", f"{stem}.svg"


def beside(job: Job, root: Path) -> Iterator[tuple[str, bytes]]:
    """The exports of a figure's source that lie beside it."""
    for name in names(job):
        try:
            yield name, job.data(name, root, files.SOURCE)
        except OSError:
            continue


def shows(svg: bytes, page: Page) -> bool:
    """Whether an export shows a page: the first page of the diagram inside it has the same cells."""
    try:
        root = etree.fromstring(svg, etree.XMLParser(resolve_entities=False, no_network=True))
        inner = pages((root.get("content") or "").encode(), "")
    except (etree.XMLSyntaxError, AuthorError, ValueError):
        return False
    return _cells(inner[0]) == _cells(page)


def _cells(page: Page) -> bytes:
    root = page.model.find("root")
    if root is None:
        return b""
    text = re.sub(rb">\s+<", b"><", etree.tostring(root, with_tail=False))
    return etree.tostring(etree.fromstring(text), method="c14n")
