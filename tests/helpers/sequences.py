"""The same edits taken in by a resident builder, or by builds of parts, and by a whole build after each.

All that they leave is compared. So is what a dry run says with what the build after it does, and what a build leaves
after many others with what the first build of the same book leaves.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from random import Random

from helpers.book import Space
from helpers.building import built_here
from helpers.edits import EDITS, GENTLE, Editor, seeded

from figmill import config, fastpath
from figmill.engine.build import build
from figmill.engine.dry_run import compare as dry_run
from figmill.engine.processes import pool_of
from figmill.engine.request import Request
from figmill.engine.resident.builder import Resident
from figmill.render.pool import Pool
from figmill.report.model import Report
from figmill.report.text import ReportStyle, warning_lines
from figmill.store.memory import Memory, records_of

REQUEST = Request(jobs=2)


def left(root: Path) -> dict[str, bytes]:
    """All that a build leaves: outputs and pages by path, figures and questions by record."""
    paths = [path for path in (root / "build").rglob("*") if path.is_file()]
    outputs = {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
    memory = Memory(root)
    records = {
        key.decode("utf-8", "surrogatepass"): text for key, text in records_of(memory.ledger()).items()
    }
    questions = {f"parsed {path}": repr(file).encode() for path, file in memory.questions().items()}
    return outputs | records | questions


def words(report: Report) -> object:
    """What a report says, beside what was drawn just now and how long it took."""
    failed = [
        (row.label, row.kind, [f"{error}\n{error.detail}" for error in row.errors]) for row in report.rows
    ]
    return report.code, failed, [d.line for d in report.diagnostics if not d.is_error], report.orphans


def drive(folder: Path, seed: int, edits: int) -> None:
    """Random edits in two equal books below a folder."""
    warm, cold = (Space(folder / name) for name in ("warm", "cold"))
    for space in (warm, cold):
        space.root.mkdir()
    editors = [Editor(seeded(space), Random(seed)) for space in (warm, cold)]
    with (
        Resident(warm.root, lambda: config.load(warm.root), REQUEST) as resident,
        pool_of(cold.root, config.load(cold.root), REQUEST.jobs, stays=True) as pool,
    ):
        paths, names = set[Path](), list[str]()
        for number in range(edits + 1):
            resident.has_news = lambda: number % 2 == 1  # noqa: B023 - every other update is told of a newer one
            reports = [resident.update(paths or None).report]
            if resident.has_news():
                resident.has_news = lambda: False
                reports = [resident.update(()).report]
            reports.append(build(cold.root, config.load(cold.root), REQUEST, pool))
            mine, whole = map(words, reports)
            assert mine == whole, (names, mine, whole)
            compare(warm.root, cold.root, names)
            paths, _ = [editor.edit() for editor in editors]
            names.append(" ".join(sorted(path.relative_to(warm.root).as_posix() for path in paths)))
    assert built_here(warm.root, REQUEST.jobs).code in (0, 1)


def compare(one: Path, other: Path, names: list[str]) -> None:
    """Two books have the same left in them, to the byte. names: the edits so far."""
    mine, whole = left(one), left(other)
    assert mine.keys() == whole.keys(), (names, mine.keys() ^ whole.keys())
    differing = [name for name in mine if mine[name] != whole[name]]
    lines = [set(files[name].splitlines()) for name in differing for files in (mine, whole)]
    assert not differing, f"{differing} after {names}:\n{lines[0] ^ lines[1]}"


def build_after_edit(root: Path, pool: Pool) -> Report | None:
    """A build as the command makes it without options; None where nothing has changed."""
    fresh, seen = fastpath.answer(str(root))
    if fresh is not None:
        return None
    return build(root, config.load(root), REQUEST, pool, seen=seen)


def told(report: Report) -> list[str]:
    """The warnings of a build, as people read them."""
    warnings = (diagnostic for diagnostic in report.diagnostics if not diagnostic.is_error)
    return [*report.standing, *warning_lines(warnings, ReportStyle())]


def drive_parts(folder: Path, seed: int, edits: int) -> int:
    """Random edits in two equal books below a folder; the number of builds that looked only at a part of the book."""
    part, cold = (Space(folder / name) for name in ("part", "cold"))
    for space in (part, cold):
        space.root.mkdir()
    ways = GENTLE if seed % 2 else EDITS
    editors = [Editor(seeded(space), Random(seed), ways) for space in (part, cold)]
    with (
        pool_of(part.root, config.load(part.root), REQUEST.jobs, stays=True) as pool,
        pool_of(cold.root, config.load(cold.root), REQUEST.jobs, stays=True) as other,
    ):
        names, parts = list[str](), 0
        for _ in range(edits + 1):
            mine = build_after_edit(part.root, pool)
            whole = build(cold.root, config.load(cold.root), REQUEST, other)
            if mine is not None:
                parts += bool(mine.others)
                assert mine.code == whole.code, (names, words(mine), words(whole))
                assert mine.counts == whole.counts, names
                assert told(mine) == told(whole), names
            else:
                assert whole.counts.keys() <= {"fresh"}, names
            compare(part.root, cold.root, names)
            paths, _ = [editor.edit() for editor in editors]
            names.append(" ".join(sorted(path.relative_to(part.root).as_posix() for path in paths)))
    return parts


def drive_dry_runs(folder: Path, seed: int, edits: int) -> tuple[int, int]:
    """Random edits of a book: a dry run after each, a build, and the first build of a copy of the book.

    Returns how many dry runs foresaw a change, and how many builds were compared with a first one as a whole.
    """
    space, first = (Space(folder / name) for name in ("book", "first"))
    for other in (space, first):
        other.root.mkdir()
    editor, root = Editor(seeded(space), Random(seed)), space.root
    foreseen, equal, names = 0, 0, list[str]()
    with (
        pool_of(root, config.load(root), REQUEST.jobs, stays=True) as pool,
        pool_of(first.root, config.load(root), REQUEST.jobs, stays=True) as another,
    ):
        for _ in range(edits + 1):
            before = tree(root)
            said = dry_run(root, config.load(root), replace(REQUEST, dry_run=True), pool)
            assert tree(root) == before, names
            report = build(root, config.load(root), REQUEST, pool)
            foreseen += _is_as_foreseen(said, report, before, tree(root), names)
            _copy_book(root, first.root)
            fresh = build(first.root, config.load(first.root), REQUEST, another)
            equal += _is_like_the_first(space, first, report, fresh, names)
            paths = editor.edit()
            names.append(" ".join(sorted(path.relative_to(root).as_posix() for path in paths)))
    return foreseen, equal


def tree(root: Path) -> dict[str, bytes]:
    """All files of a book and of its private folder, but for the lock."""
    paths = (path for path in root.rglob("*") if path.is_file() and path.name != "lock")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def _is_as_foreseen(
    dry: Report, report: Report, before: dict[str, bytes], after: dict[str, bytes], names: list[str]
) -> bool:
    """Whether the build changed anything. It changed what the dry run said, to the byte, and failed where it said."""
    ours = [[row.label for row in outcome.rows if row.status == "failed"] for outcome in (dry, report)]
    assert ours[0] == ours[1], names
    changes = {c.target: c.after for row in dry.rows for c in row.changes if c.before != c.after}
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    changed = {path for path in changed if path.count("/") > 1 and path.startswith("build/")}  # not the pages
    assert changed == changes.keys(), (names, changed ^ changes.keys())
    assert all(after.get(path) == data for path, data in changes.items()), names
    return bool(changed)


def _copy_book(book: Path, copy: Path) -> None:
    """Make the copy a book that was never built. Its folder stays: processes draw in it."""
    for path in copy.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(book, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("build", ".figmill"))


def _is_like_the_first(space: Space, first: Space, report: Report, fresh: Report, names: list[str]) -> bool:
    """Whether the book was compared as a whole. What the first build publishes, the book has, to the byte."""
    ours, theirs = words(report), words(fresh)
    mine, whole = left(space.root), left(first.root)
    if report.code == 0 and not report.orphans:
        assert ours == theirs, (names, ours, theirs)
        compare(space.root, first.root, names)
        return True
    failed = [[row.label for row in outcome.rows if row.status == "failed"] for outcome in (report, fresh)]
    assert failed[0] == failed[1], names  # of a failed figure, only the book has an earlier version
    pages = [json.loads(files["build/manifest.json"])["figures"] for files in (mine, whole) if files]
    listed = [{f["id"] + (f["name"] or ""): f for f in page if f["status"] == "current"} for page in pages]
    assert not listed or listed[0] == listed[1], names
    outputs = {
        path: data for path, data in whole.items() if path.count("/") > 1 and path.startswith("build/")
    }
    assert {path: mine.get(path) for path in outputs} == outputs, names
    return False
