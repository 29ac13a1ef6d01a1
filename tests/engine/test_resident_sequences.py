"""After any sequence of edits, what a resident builder leaves is what a build from nothing leaves, to the byte."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random

import pytest
from helpers.book import Space
from helpers.edits import Editor, seeded

from figmill import config
from figmill.engine.build import build
from figmill.engine.processes import pool_of
from figmill.engine.request import Request
from figmill.engine.resident.builder import Resident
from figmill.report.model import Report
from figmill.store import ledger as ledgers

REQUEST = Request(jobs=2)


def left(root: Path) -> dict[str, bytes]:
    """The outputs, the pages and the parsed questions, by path."""
    paths = [path for path in (root / "build").rglob("*") if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def words(report: Report) -> tuple[int, list[tuple[str, ...]], list[str], list[str]]:
    """What a report says beside what was drawn just now: the exit code, failures, warnings, orphans."""
    failed = [
        (row.label, "failed" if row.errors else "", *(f"{error}\n{error.detail}" for error in row.errors))
        for row in report.rows
    ]
    return report.code, failed, [d.line for d in report.diagnostics if not d.is_error], list(report.orphans)


def is_same_as_cold(root: Path, cold: Path, updated: Report) -> None:
    """Build the book a second time, elsewhere and from nothing but the cache, and compare."""
    shutil.rmtree(cold, ignore_errors=True)
    shutil.copytree(
        root, cold, ignore=shutil.ignore_patterns("build", "ledger.json", "questions.json", "snapshot")
    )
    options = config.load(cold)
    with pool_of(cold, options, 2) as pool:
        report = build(cold, options, REQUEST, pool=pool)
    code, failed, warned, orphans = words(updated)
    assert (code, failed, warned) == words(report)[:3]
    mine, theirs = left(root), left(cold)
    ours = {name for name in mine if name in theirs or not (name in orphans or _is_kept(name, root))}
    assert {name: mine[name] for name in ours} == theirs | {
        name: mine[name] for name in ours if name.startswith("build/index") or name == "build/manifest.json"
    }
    for name in ("manifest.json",):
        now, then = (_current(path / "build" / name) for path in (root, cold))
        assert now == then
    again = build(root, options, REQUEST)
    assert words(again)[:2] == (code, failed)
    assert left(root) == mine, "a build after it has something left to do"


def _current(path: Path) -> list[object]:
    """The figures that are current; of a figure that fails, what was published earlier stays."""
    return [figure for figure in json.loads(path.read_bytes())["figures"] if figure["status"] == "current"]


def _is_kept(name: str, root: Path) -> bool:
    """Whether a file is what is left of a figure that fails now."""
    entries = ledgers.loads((root / ledgers.PATH).read_bytes()).entries.values()
    return name in {file.path for entry in entries for file in entry.published.files}


def drive(space: Space, cold: Path, seed: int, edits: int, every: int) -> None:
    """Random edits, taken in by one builder; after some of them everything is compared."""
    editor = Editor(seeded(space), Random(seed))
    root = space.root
    with Resident(root, lambda: config.load(root), REQUEST) as resident:
        resident.update()
        for number in range(1, edits + 1):
            found = resident.update(editor.edit())
            if number % every == 0:
                is_same_as_cold(root, cold, found.report)


@pytest.mark.parametrize("seed", range(2))
def test_any_sequence_of_edits_ends_as_a_build_from_nothing_does(
    space: Space, tmp_path: Path, seed: int
) -> None:
    drive(space, tmp_path / "cold", seed, edits=24, every=6)
