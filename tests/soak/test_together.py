"""Several builds of one book at once: each waits for the one before it, says so, and all leave what one leaves."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from helpers.book import DOT, HAND, Space
from helpers.disturbed import Disturbed, disturbed, leftovers, tree

WAITING = re.compile(r"waiting for another build of this book \(process (\d+)\) \.\.\.")


def edit(space: Space, number: int) -> None:
    """Another change in every round: of a graph, of a drawing, of words; every fourth time of nothing."""
    if number % 4 == 0:
        space.write({"visuals/a.dot": DOT.replace("sends", f"sends {number} times")})
    elif number % 4 == 1:
        space.write({"visuals/d.svg": HAND.replace("Rank 0", f"Rank {number}")})
    elif number % 4 == 2:
        space.question("hand", f"source: d.svg, alt: one rank as {number} boxes")


@pytest.mark.parametrize(
    ("builds", "rounds", "plots"), [(3, 1, False), pytest.param(8, 25, True, marks=pytest.mark.soak)]
)
def test_builds_at_once_leave_what_one_leaves(
    tmp_path: Path, builds: int, rounds: int, plots: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    book: Disturbed = disturbed(tmp_path.resolve(), plots=plots)
    together, alone = Space(book.root), Space(book.home / "twin")
    seen = Counter[str]()
    for number in range(rounds):
        edit(together, number)
        edit(alone, number)
        assert alone.run().code == 0
        running = [book.start() for _ in range(builds)]
        owners = {str(process.pid) for process in running}
        for process in running:
            _, said = process.communicate(timeout=120)
            assert process.returncode == 0, said
            lines = said.splitlines()
            assert all(WAITING.fullmatch(line) for line in lines), said
            assert {match[1] for line in lines if (match := WAITING.fullmatch(line))} <= owners
            seen["waited" if lines else "had not to wait"] += 1
        assert tree(book.root) == tree(alone.root)
        assert leftovers(book.root, book.temporary) == []
    with capsys.disabled():
        print(f"\n{rounds} rounds of {builds} builds at once: {dict(seen)}")
    assert seen["waited"] or rounds == 1  # one that starts late finds nothing to do
    assert book.run() == (0, book.messages)
