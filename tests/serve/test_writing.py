"""What a page may write: decided on the bytes of the question file alone."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.book import DOT, Space

from figmill.engine.resident.views import FigureView, ViewStatus
from figmill.errors import AuthorError
from figmill.model import Origin
from figmill.serve import writing

EXPLORED = """\
id: chain
visual:
  source: p.py
  params: {n: 3, mode: plain}
  explore: {n: [3, 4]}
  alt: a plot of a few points
"""
VIEW = FigureView(
    "chain", None, "global", None, "matplotlib", Origin("questions/chain.yaml", 2), "p.py", ViewStatus.CURRENT
)


@pytest.fixture
def root(space: Space) -> Path:
    return space.write({"questions/chain.yaml": EXPLORED}).root


def test_a_value_that_readers_cannot_choose_is_not_written(root: Path) -> None:
    """The question could not be read any more."""
    assert writing.changed(root, VIEW, {"n": 4}).after.decode() == EXPLORED.replace("{n: 3,", "{n: 4,")
    for decide in (
        lambda: writing.changed(root, VIEW, {"n": 5}),
        lambda: writing.begun(root, VIEW, {"n": 5}, "other", ["chain"]),
    ):
        with pytest.raises(AuthorError, match=r"chain.yaml:4:15: .*begins with 5, which is not in explore.n"):
            decide()


def test_a_mistake_that_was_there_before_holds_nothing_up(root: Path) -> None:
    (root / "questions/chain.yaml").write_text(EXPLORED + "  widht: 3\n")
    assert b"mode: bold" in writing.changed(root, VIEW, {"mode": "bold"}).after


def test_what_is_said_into_the_book_is_not_said_again(space: Space) -> None:
    space.write({"visuals/a.dot": DOT}).question("graph", "source: a.dot, alt: a sends to b")
    with open(space.root / "out.txt", "wb") as log:
        served = subprocess.Popen(
            [sys.executable, "-u", "-m", "figmill", "watch", "--no-open"],
            cwd=space.root,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
        )
    try:
        deadline = time.monotonic() + 20
        while "1 figure" not in space.read("out.txt") and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.5)
        assert space.read("out.txt").count("1 figure") == 1
        space.write({"visuals/a.dot": DOT.replace("sends", "waits")})
        while space.read("out.txt").count("1 figure") < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1)
        assert space.read("out.txt").count("1 figure") == 2
    finally:
        served.send_signal(signal.SIGTERM)
        served.wait(timeout=10)


@pytest.mark.parametrize("id_", ["a.yaml", "a.YML", "x.dark", "con", "../x", "a/b", "", "CHAIN", "there"])
def test_a_new_id_is_held_to_the_rules_of_new(space: Space, root: Path, id_: str) -> None:
    """And its file's name is that of the id, as shown before anything is written."""
    space.write({"questions/there.yaml": "# somebody's notes\n"})
    with pytest.raises(AuthorError):
        writing.begun(root, VIEW, {}, id_, ["chain"])
    if id_:
        done = space.run("new", id_, "--kind", "dot")
        assert done.code == 2 and done.err.count("\n") == 1
    edit = writing.begun(root, VIEW, {}, "a.b", ["chain"])
    assert (edit.path, edit.before) == ("questions/a.b.yaml", None)
