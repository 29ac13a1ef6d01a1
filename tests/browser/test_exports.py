"""Drawings as tools export them look in Chromium as they did before: the same picture but for fonts, the same words.

Real exports lie beside the checkout, and are never part of it; drawings of our own in the manner of tools are.
`make exports` prints the table of docs/developers/measured-exports.md.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers import exported, likeness
from helpers.book import REPOSITORY
from playwright.sync_api import Page

from figmill.svg import Sheet, SvgError, normalise

CORPUS = Path(os.environ.get("FIGMILL_EXPORTS") or REPOSITORY.parent / "shared" / "corpus" / "exports")
REAL = sorted(CORPUS.rglob("*.svg"))
LABELLED = [path for path in REAL if b"<foreignObject" in path.read_bytes()]
SAMPLE = sorted({*LABELLED, *REAL[::9]})
SHEET = Sheet("fig", "Title", "What it shows")
# What Chromium itself does not show as it was meant, so that no likeness can be asked for.
ODD = {
    "canvg-issue71.svg": "SVG fonts, which Chromium has not: letters of another font lie on each other",
    "canvg-issue945.svg": "its style makes it wider than its view, and so than the window here, which cuts it off",
}
# What acts: scripts, handlers, links to elsewhere. Refused, for good.
ACTS = re.compile(r"<script> is not allowed|event handler|leaves the figure|<\?xml-stylesheet")


@dataclass(frozen=True)
class Found:
    """One drawing: whether it is taken, why not, and what a reader sees that is not the same."""

    name: str
    tool: str
    refused: str
    differs: list[str]
    labels: int


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with likeness.reader(tmp_path_factory.mktemp("reader")) as page:
        yield page


def look(page: Page, path: Path, folder: Path) -> Found:
    data = path.read_bytes()
    labels = data.count(b"<foreignObject")
    try:
        result = normalise(data, SHEET)
    except SvgError as error:
        return Found(path.name, path.parent.name, str(error), [], labels)
    return Found(path.name, path.parent.name, "", compared(page, data, result.svg, folder), labels)


def compared(page: Page, before: bytes, after: bytes, folder: Path) -> list[str]:
    size = re.search(rb'<svg[^>]* width="([0-9.]+)" height="([0-9.]+)"', after)
    assert size is not None
    both = (likeness.looks(page, svg, (float(size[1]), float(size[2])), folder) for svg in (before, after))
    return likeness.differences(*both)


@pytest.mark.parametrize("name", exported.DRAWINGS)
def test_it_looks_as_it_did(name: str, page: Page, tmp_path: Path) -> None:
    drawing = exported.DRAWINGS[name]
    result = normalise(drawing, SHEET)
    assert compared(page, drawing, result.svg, tmp_path) == []
    for trace in (b"foreignObject", b"xhtml", b"<div", b"<p>", b"<span", b"not SVG", b"Stub"):
        assert trace not in result.svg


DAMAGE = {
    "a word": ("<tspan[^>]*>and</tspan>", "", "words lost: ['and']"),
    "a word in a sentence": ("client that waits", "client who waits", "words lost: ['that']"),
    "a box": ('<rect x="190" y="10"', '<rect display="none" x="190" y="10"', "spots of the picture differ"),
    "a frame": (
        'fill="#ffffff" ([^>]*)stroke="#000000"',
        'fill="#ffffff" \\1',
        "spots of the picture differ",
    ),
    "a colour": ('fill="#cfe2f3"|fill="#dae8fc"', 'fill="#fcdada"', "spots of the picture differ"),
    "a place": ('y="[0-9.]+"([^>]*>sends)', 'y="75"\\1', "spots of the picture differ"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_what_is_lost_is_seen(what: str, page: Page, tmp_path: Path) -> None:
    """The comparison can fail: each of these is one word or one shape of a whole drawing."""
    old, new, told = DAMAGE[what]
    result = normalise(exported.DRAWIO, SHEET).svg.decode()
    damaged = re.sub(old, new, result, count=1)
    assert damaged != result
    assert told in "; ".join(compared(page, exported.DRAWIO, damaged.encode(), tmp_path))


@pytest.mark.skipif(not REAL, reason="the corpus of real exports is not beside this checkout")
@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_real_export_looks_as_it_did(path: Path, page: Page, tmp_path: Path) -> None:
    export = look(page, path, tmp_path)
    if path in LABELLED and not ACTS.search(export.refused):
        assert not export.refused  # its labels are simple, all of them
    assert export.differs == [] or path.name in ODD


@pytest.mark.soak
@pytest.mark.skipif(not REAL, reason="the corpus of real exports is not beside this checkout")
def test_all_real_exports(page: Page, tmp_path: Path) -> None:
    exports = [look(page, path, tmp_path) for path in REAL]
    assert [export for export in exports if export.differs and export.name not in ODD] == []
    inert = [export for export in exports if not ACTS.search(export.refused)]
    assert len([export for export in inert if not export.refused]) >= 0.98 * len(inert), [
        (export.name, export.refused) for export in inert if export.refused
    ]


def table(exports: list[Found]) -> str:
    """The drawings by tool, as docs/developers/measured-exports.md has them."""
    lines = [
        "| program | drawings | taken as they are | the same | labels in HTML |",
        "|---|---|---|---|---|",
    ]
    for tool in sorted({export.tool for export in exports}):
        mine = [export for export in exports if export.tool == tool]
        taken = [export for export in mine if not export.refused]
        same = [export for export in taken if not export.differs]
        labels = sum(export.labels for export in taken) or ""
        lines.append(f"| {tool} | {len(mine)} | {len(taken)} | {len(same)} | {labels} |")
    taken = [export for export in exports if not export.refused]
    same = [export for export in taken if not export.differs]
    lines.append(
        f"| all | {len(exports)} | {len(taken)} | {len(same)} | {sum(export.labels for export in taken)} |"
    )
    reasons = [f"- {export.tool}/{export.name}: {export.refused}" for export in exports if export.refused]
    differing = [
        f"- {export.tool}/{export.name}: {'; '.join(export.differs)}" for export in taken if export.differs
    ]
    return "\n".join([*lines, "", "Refused:", "", *reasons, "", "Not the same:", "", *differing])


if __name__ == "__main__":
    scratch = Path(tempfile.mkdtemp())
    with likeness.reader(scratch) as shown:
        print(table([look(shown, path, scratch) for path in REAL]))
    sys.exit(0 if REAL else f"{CORPUS}: no drawings; FIGMILL_EXPORTS names the folder")
