"""What goes wrong is one line: of an author's file, of the machine, or of figmill itself, which asks for a report."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from helpers.book import Space

from figmill.errors import AuthorError, ToolError, machine_words
from figmill.model import Origin


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("unknown kind 'größe → 图'", "unknown kind 'größe → 图'"),
        ("two\nlines", "two\\nlines"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\u202eb\u2028c\x85", "a\\u202eb\\u2028c\\x85"),
    ],
)
def test_a_message_is_one_line_that_acts_on_no_terminal(message: str, shown: str) -> None:
    assert AuthorError(Origin("x.dot", 3), message).message == shown
    assert str(AuthorError(Origin("x.dot", 3), message)) == f"x.dot:3: {shown}"


def test_a_detail_keeps_its_lines() -> None:
    assert AuthorError(Origin("x.py"), "wrong", "one\n\ttwo\x07").detail == "one\n\ttwo\\x07"


def test_what_the_machine_cannot_give_is_told_with_its_place() -> None:
    begin = "the build cannot continue on this machine: "
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/book/build/x.svg")
    assert machine_words(full) == f"{begin}No space left on device at /book/build/x.svg"
    many = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    assert machine_words(many) == f"{begin}Too many open files; `ulimit -n` prints how many may be open"
    assert machine_words(ImportError("x.so: cannot open: Too many open files")) == machine_words(many)
    assert machine_words(MemoryError()) == "this machine has no memory left"
    no_process = OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    assert str(machine_words(no_process)).startswith(f"{begin}{os.strerror(errno.EAGAIN)}; ")
    assert machine_words(RuntimeError("can't start new thread")) == machine_words(no_process)
    gone = OSError(errno.ESTALE, os.strerror(errno.ESTALE), "/book/build")
    assert str(machine_words(gone)).startswith(f"{begin}{os.strerror(errno.ESTALE)} at /book/build; ")


@pytest.mark.parametrize(
    "error", [ValueError("x"), FileNotFoundError(errno.ENOENT, "x"), ImportError("no x")]
)
def test_our_own_mistakes_are_not_the_machines(error: Exception) -> None:
    assert machine_words(error) is None


def test_our_own_mistake_says_so_and_asks_for_a_report(space: Space) -> None:
    code = (
        "import sys\nimport figmill.engine.build\ndef broken(*_, **__): raise ZeroDivisionError('ours')\n"
        "figmill.engine.build.build = broken\nfrom figmill.cli import run\n"
        "from figmill.commands.error_handler import guarded\nsys.exit(guarded(run))"
    )
    space.question("a", "source: a.dot, alt: a node")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=space.root, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    first, *_, last = done.stderr.splitlines()
    assert first == "Traceback (most recent call last):"
    assert (
        last
        == "figmill: figmill itself has failed (ZeroDivisionError); please report it with the lines above"
    )


@pytest.mark.parametrize("kind", [lambda text: AuthorError(Origin("a.yaml", 3), text), ToolError])
def test_a_message_is_short_whatever_a_file_holds(kind: Callable[[str], Exception]) -> None:
    told = str(kind(f"unknown key '{'x' * 1_000_000}'; did you mean 'title'?"))
    assert len(told) < 1100
    assert "unknown key 'xxx" in told
    assert told.endswith("x'; did you mean 'title'?")
