"""kill -9 of a build at any point: every output is whole, and the next build makes everything right."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from helpers.book import DOT, Space
from helpers.disturbed import Disturbed, copied, disturbed, traced
from helpers.fixtures import Once
from helpers.sequences import left as left_of

# The calls by which a build changes files. At any of them it may be the last thing that the build does.
CHANGES = "openat,write,pwrite64,fsync,rename,mkdir,unlink,rmdir,ftruncate"


@pytest.fixture(scope="module")
def book(once: Once, tmp_path_factory: pytest.TempPathFactory) -> Disturbed:
    return copied(once, tmp_path_factory.mktemp("kills").resolve())


@pytest.fixture(scope="module")
def plots(tmp_path_factory: pytest.TempPathFactory) -> Disturbed:
    """One that also runs a script in a forked child, and takes four times as long."""
    return disturbed(tmp_path_factory.mktemp("plots").resolve(), plots=True)


def left(book: Disturbed) -> int:
    book.is_whole()
    return book.ends_well()


@pytest.mark.parametrize(("name", "kills"), [("book", 1), pytest.param("plots", 220, marks=pytest.mark.soak)])
def test_killed_at_random_times(
    name: str, kills: int, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    book: Disturbed = request.getfixturevalue(name)
    dice = random.Random(3)  # the first of them early and in the middle
    ended = Counter[str]()
    for _ in range(kills):
        book.again()
        process = book.start()
        time.sleep(dice.uniform(0.05, 1.05 * book.seconds))
        process.kill()
        process.communicate()
        ended["killed" if process.returncode else "was faster"] += 1
        ended["left behind and swept"] += left(book)
    with capsys.disabled():
        print(f"\nkills at random times: {dict(ended)}")
    assert ended["killed"]


def changes(book: Disturbed) -> list[list[str]]:
    """What strace is told to kill a build at each of the calls by which an undisturbed one changes its files.

    Those of the build's own thread are counted. Outputs are written by other threads, each of which counts for
    itself: of those, the first to sync its first, second or third file.
    """
    book.again()
    log = book.home / "calls"
    assert book.run("strace", "-o", str(log), "-e", f"trace={CHANGES}")[0] == 0
    counts = Counter[str]()
    points: list[list[str]] = []
    for line in log.read_text(errors="replace").splitlines():
        called = re.match(r"(\w+)\(", line)
        if called is None:
            continue
        counts[called[1]] += 1
        if called[1] != "openat" or ("O_CREAT" in line and str(book.home) in line):
            call, number = called[1], counts[called[1]]
            points.append(["-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"])
    syncs = (["-e", "trace=fsync", "-e", f"inject=fsync:signal=KILL:when={number}"] for number in (1, 2, 3))
    return points + [["-f", *options] for options in syncs]


@pytest.mark.parametrize("kills", [2, pytest.param(100, marks=pytest.mark.soak)])
def test_killed_at_calls_that_change_files(
    book: Disturbed, kills: int, capsys: pytest.CaptureFixture[str]
) -> None:
    traced()
    points = changes(book)
    assert len(points) > 20
    dice = random.Random(kills)
    ended = Counter[str]()
    for options in dice.sample(points, min(kills, len(points))):
        book.again()
        code, _ = book.run("strace", "-o", "/dev/null", *options)
        ended["killed" if code else "was faster"] += 1
        ended["left behind and swept"] += left(book)
    with capsys.disabled():
        print(f"\nkills at {len(points)} calls that change files: {dict(ended)}")
    assert ended["killed"] >= kills - 1 or len(points) < kills


def test_a_book_that_is_never_disturbed_ends_well(book: Disturbed) -> None:
    """The measure itself: it must pass where nothing happens, and fail where an output is torn."""
    book.again()
    assert book.run()[0] == 0
    assert left(book) == 0
    torn = book.root / "build/global/graph.svg"
    Path(torn).write_bytes(torn.read_bytes()[:-1])
    with pytest.raises(AssertionError, match="neither old nor new"):
        book.is_whole()


KILLED = """\
import os, signal, sys
from figmill.__main__ import run
from figmill.host import files

put, last = files._put_in_place, sys.argv.pop()

def killed(descriptor, temporary, path):
    if path.endswith(last):
        os.kill(os.getpid(), signal.SIGKILL)
    put(descriptor, temporary, path)

files._put_in_place = killed
run()
"""


@pytest.mark.parametrize("name", ["build/global/graph.svg", "build/manifest.json"])
def test_a_file_that_a_kill_left_unfinished_is_swept_by_the_next_build(book: Disturbed, name: str) -> None:
    book.again()
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, name], cwd=book.root, env=book.environment, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert left(book) > 0


@pytest.mark.parametrize("kills", [1, pytest.param(80, marks=pytest.mark.soak)])
def test_killed_while_a_part_of_the_book_is_built(tmp_path: Path, kills: int) -> None:
    """In place, as a copy of a book is looked at as a whole."""
    book, twin = Space(tmp_path / "book"), Space(tmp_path / "twin")
    for space in (book, twin):
        for name in ("a", "b", "c"):
            space.write({f"visuals/{name}.dot": DOT}).question(name, f"source: {name}.dot, alt: a graph")
        assert space.run().code == 0
    dice = random.Random(kills)
    for number in range(kills):
        for space in (book, twin):
            space.write({"visuals/b.dot": DOT.replace("sends", f"sends {number}")})
            space.question("c", f"source: c.dot, alt: graph {number}")
        process = subprocess.Popen([sys.executable, "-m", "figmill", "--quiet"], cwd=book.root)
        time.sleep(dice.uniform(0.1, 0.45))
        process.kill()
        process.wait()
        assert book.run().code == twin.run("--verbose").code == 0  # with details, all of a book is looked at
        assert left_of(book.root) == left_of(twin.root)
        assert book.run().out == "3 figures, all fresh\n"
