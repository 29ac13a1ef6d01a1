"""`watch --no-page`: a change of the book builds it again, what a build writes does not, and an interrupt ends it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.book import DOT, HAND, CopyOf, Space

from figmill.commands.watch import await_content, concerns
from figmill.config import Options

pytest.importorskip("watchfiles")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")

READER = "import helper\ndef draw():\n    graph = f'digraph {{ {helper.WORD} }}'\n    return graph\n"


class Watched:
    """A running watch and the lines that it has printed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self.printed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            with self.printed:
                self.lines.append(line.rstrip())
                self.printed.notify_all()

    def builds(self) -> list[str]:
        """The last line of every build so far."""
        return [line for line in self.lines if re.match(r"\d+ figures?\b", line)]

    def until(self, builds: int, seconds: float = 30) -> str:
        """Await the n-th build; its last line."""
        with self.printed:
            assert self.printed.wait_for(lambda: len(self.builds()) >= builds, seconds), self.lines
            return self.builds()[builds - 1]


@contextmanager
def watching(
    space: Space, *arguments: str, command: Sequence[str] = ("watch", "--no-page")
) -> Iterator[Watched]:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "figmill", *command, *arguments],
        cwd=space.root,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        yield Watched(process)
    finally:
        process.kill()
        process.wait()


def small_written(space: Space) -> Space:
    space.write({"visuals/a.dot": DOT, "visuals/r.py": READER, "visuals/helper.py": "WORD = 'one'\n"})
    space.question("graph", "source: a.dot, alt: a graph")
    return space.question("reader", "source: r.py, kind: dot, alt: a word")


@pytest.fixture
def small(space: Space) -> Space:
    return small_written(space)


@pytest.fixture
def small_built(copy_of: CopyOf) -> Space:
    return copy_of(small_written)


def test_every_change_builds_and_no_build_is_a_change(small: Space) -> None:
    with watching(small) as watched:
        assert watched.until(1) == "2 figures, 2 rendered"
        with watched.printed:
            assert watched.printed.wait_for(lambda: watched.lines[-1].startswith("watching "), 20), (
                watched.lines
            )
        assert watched.lines[-1] == f"watching {small.root}: every change is built; press Ctrl-C to stop"
        small.write({"visuals/a.dot": DOT.replace("sends", "waits")})
        assert watched.until(2) == "2 figures, 1 rendered, 1 fresh"
        assert ">waits</text>" in small.read("build/global/graph.svg")
        small.question("graph", "source: a.dot, alt: another text")
        assert watched.until(3) == "2 figures, 1 rendered, 1 fresh"
        assert "another text" in small.read("build/global/graph.svg")
        small.write({"visuals/helper.py": "WORD = 'two'\n"})
        assert watched.until(4) == "2 figures, 1 rendered, 1 fresh"
        assert ">two</text>" in small.read("build/global/reader.svg")
        small.write({"visuals/a.dot": "digraph {\n  a -> -> b\n}\n"})
        assert watched.until(5) == "2 figures, 1 fresh, 1 failed"
        assert "visuals/a.dot:2:5: '->' has no node to its right (graph)" in watched.lines
        small.write({"visuals/a.dot": DOT})
        assert watched.until(6) == "2 figures, 1 rendered, 1 fresh"
        small.write({"figmill.toml": "themes = [\n"})
        with watched.printed:
            assert watched.printed.wait_for(lambda: any("figmill.toml" in line for line in watched.lines), 20)
        small.write({"figmill.toml": "timeout = 50\n"})
        assert watched.until(7) == "2 figures, all fresh"
        (small.root / "visuals/helper.py").unlink()
        assert watched.until(8) == "2 figures, 1 fresh, 1 failed"
        assert watched.process.poll() is None
        time.sleep(1)  # ten times the time that a change takes to be noticed
        assert len(watched.builds()) == 8


def test_in_place_outputs_beside_their_sources_are_no_change(small: Space) -> None:
    small.write({"figmill.toml": 'output = "in-place"\n', "visuals/hand.svg": HAND})
    small.question("hand", "source: hand.svg, alt: a drawing")
    with watching(small) as watched:
        assert watched.until(1) == "3 figures, 3 rendered"
        small.write({"visuals/a.dot": DOT.replace("sends", "waits")})
        assert watched.until(2) == "3 figures, 1 rendered, 2 fresh"
        assert ">waits</text>" in small.read("visuals/graph.svg")
        small.write({"visuals/hand.svg": HAND.replace("Rank 0", "Rank 1")})  # its author's, in place
        assert "2 fresh" in watched.until(3)
        time.sleep(1)
        assert len(watched.builds()) == 3


def test_an_edit_during_the_first_build_is_not_lost(small: Space) -> None:
    slow = READER.replace(
        "    return graph",
        "    import subprocess\n    helper.WORD == 'one' and subprocess.run(['sleep', '1.31'])\n    return graph",
    )
    small.write({"visuals/r.py": slow})
    with watching(small, "--id", "reader"):
        deadline = time.monotonic() + 30
        while not is_running(b"sleep\x001.31\x00") and time.monotonic() < deadline:
            time.sleep(0.01)
        small.write({"visuals/helper.py": "WORD = 'two'\n"})
        assert is_running(b"sleep\x001.31\x00")
        deadline = time.monotonic() + 15
        while "two" not in shown(small) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert ">two</text>" in shown(small)


def shown(space: Space) -> str:
    path = space.root / "build/global/reader.svg"
    return path.read_text() if path.exists() else ""


def is_running(command: bytes) -> bool:
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if entry.read_bytes() == command:
                return True
        except OSError:
            continue
    return False


def test_a_question_that_cannot_be_read_does_not_end_the_watch_of_it(small_built: Space) -> None:
    good = small_built.read("questions/graph.yaml")
    with watching(small_built, "--id", "graph") as watched:
        watched.until(1)
        small_built.write({"questions/graph.yaml": "id: [\n"})
        with watched.printed:
            assert watched.printed.wait_for(lambda: len(watched.lines) > 2, 20), watched.lines
        small_built.write({"questions/graph.yaml": good.replace("a graph", "mended")})
        deadline = time.monotonic() + 15
        while "mended" not in small_built.read("build/global/graph.svg") and time.monotonic() < deadline:
            time.sleep(0.05)
        assert "mended" in small_built.read("build/global/graph.svg"), watched.lines
        assert watched.process.poll() is None


def test_an_interrupt_ends_it_at_once(small_built: Space) -> None:
    with watching(small_built, command=["--watch"]) as watched:
        watched.until(1)
        began = time.monotonic()
        watched.process.send_signal(signal.SIGINT)
        assert watched.process.wait(10) == 130
        assert time.monotonic() - began < 2
        assert not any("Traceback" in line for line in watched.lines)


def test_a_file_that_is_written_in_two_steps_ends_right(small_built: Space) -> None:
    with watching(small_built) as watched:
        watched.until(1)
        path = small_built.root / "visuals/a.dot"
        whole = DOT.replace("sends", "waits")
        with path.open("w") as file:  # empty at first
            file.write(whole[:12])
            file.flush()
            time.sleep(0.02)
            file.write(whole[12:])
        deadline = time.monotonic() + 15
        while (
            ">waits</text>" not in small_built.read("build/global/graph.svg") and time.monotonic() < deadline
        ):
            time.sleep(0.02)
        assert ">waits</text>" in small_built.read("build/global/graph.svg"), watched.lines


def test_an_empty_file_is_waited_for(small: Space) -> None:
    path = small.root / "visuals/a.dot"
    path.write_bytes(b"")
    threading.Timer(0.03, lambda: path.write_text(DOT)).start()
    await_content([path])
    assert path.read_text() == DOT


def test_a_burst_of_saves_is_a_build_or_two(small_built: Space) -> None:
    names = [f"visuals/b{number}.dot" for number in range(6)]
    for number, name in enumerate(names):
        small_built.write({name: DOT}).question(f"b{number}", f"source: b{number}.dot, alt: one of many")
    with watching(small_built) as watched:
        watched.until(1)
        small_built.write(dict.fromkeys(names, DOT.replace("sends", "waits")))
        deadline = time.monotonic() + 20
        last = [f"build/global/b{number}.svg" for number in range(6)]
        while (
            not all(">waits</text>" in small_built.read(name) for name in last)
            and time.monotonic() < deadline
        ):
            time.sleep(0.05)
        time.sleep(0.5)
        assert all(">waits</text>" in small_built.read(name) for name in last)
        assert 2 <= len(watched.builds()) <= 4, watched.lines  # the machine may be busy elsewhere in between


@pytest.mark.parametrize(
    ("name", "concerned"),
    [
        ("visuals/a.dot", True),
        ("questions/deep/new.yaml", True),
        ("figmill.toml", True),
        ("data/numbers.csv", True),
        ("builder/x.dot", True),
        ("build/global/graph.svg", False),
        ("build/manifest.json", False),
        (".figmill/journal", False),
        (".git/index", False),
        ("visuals/.a.dot.swp", False),
        ("visuals/.figmill-x1", False),
        ("visuals/__pycache__/x.pyc", False),
    ],
)
def test_what_a_change_of_a_file_can_mean(space: Space, name: str, concerned: bool) -> None:
    assert concerns(str(space.root / name), space.root, Options()) is concerned
