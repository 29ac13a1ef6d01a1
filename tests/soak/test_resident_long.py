"""Long sequences of edits, for a resident builder, builds of parts, and dry runs; and memory that stays flat."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from helpers.book import DOT, HAND, PLOT, Space
from helpers.sequences import drive, drive_dry_runs, drive_parts

from figmill import config
from figmill.engine.request import Request
from figmill.engine.resident.builder import Resident

pytestmark = pytest.mark.soak

EDITS = 2_000
GROWTH = 1.1  # of all processes together, from the first quarter of the edits to the second half


@pytest.mark.parametrize("seed", range(100, 112))
def test_long_sequences_of_edits_end_as_whole_builds_do(tmp_path: Path, seed: int) -> None:
    drive(tmp_path, seed, edits=60)


@pytest.mark.parametrize("seed", range(100, 130))
def test_long_sequences_of_builds_of_parts_end_as_whole_builds_do(tmp_path: Path, seed: int) -> None:
    drive_parts(tmp_path, seed, edits=40)


@pytest.mark.parametrize("seed", range(100, 112))
def test_long_sequences_of_dry_runs_foresee_builds_that_end_as_first_builds_do(
    tmp_path: Path, seed: int
) -> None:
    foreseen, equal = drive_dry_runs(tmp_path, seed, edits=25)
    assert foreseen
    assert equal


def test_memory_stays_flat(space: Space) -> None:
    space.write({"visuals/a.dot": DOT, "visuals/h.svg": HAND, "visuals/p.py": PLOT})
    space.question("graph", "source: a.dot, alt: a graph")
    space.question("hand", "source: h.svg, alt: a rank")
    space.question("plot", "source: p.py, kind: matplotlib, alt: a plot, params: {n: 4}")
    sizes: list[int] = []
    with Resident(space.root, lambda: config.load(space.root), Request(jobs=2)) as resident:
        resident.update()
        for number in range(EDITS):
            path, text = [
                ("visuals/a.dot", DOT.replace("sends", f"word {number}")),
                ("visuals/h.svg", HAND.replace("Rank 0", f"Rank {number}")),
                ("visuals/a.dot", "digraph {\n  a -> -> b\n}\n"),
                ("visuals/p.py", PLOT.replace("Latency", f"Latency {number}")),
            ][number % 4 if number % 16 < 3 or number % 64 == 3 else number % 2]
            space.write({path: text})
            assert resident.update([space.root / path]).looked_at
            if number % 100 == 99:
                resident.rest()
                sizes.append(_resident(os.getpid()))
    early, late = sizes[: len(sizes) // 4], sizes[len(sizes) // 2 :]
    assert max(late) < GROWTH * max(early), sizes


def _resident(pid: int) -> int:
    """Pages in memory of a process and all below it, in bytes; what they share counts for each."""
    children = Path(f"/proc/{pid}/task").glob("*/children")
    below = [int(child) for path in children for child in path.read_text().split()]
    own = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return own + sum(_resident(child) for child in below)
