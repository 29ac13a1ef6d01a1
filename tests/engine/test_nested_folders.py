"""A book with folders nested without end fails in one line at most, and no other book is harmed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.book import DOT, Ran, Space
from helpers.nested import RECURSION, SCRIPT, nested

from figmill.host.trees import remove


@pytest.fixture
def temporary(tmp_path: Path) -> Iterator[Path]:
    """A folder for temporary files; what is nested in it is gone before pytest would remove it."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    yield folder
    assert remove(str(folder))


def run(space: Space, temporary: Path, *words: str) -> Ran:
    return space.run(*words, env={"TMPDIR": str(temporary)}, as_user=True)


def test_a_script_that_nests_folders_leaves_nothing(space: Space, temporary: Path) -> None:
    space.write({"visuals/deep.py": SCRIPT, "visuals/a.dot": DOT})
    space.question("deep", "kind: dot, source: deep.py, alt: a box")
    space.question("graph", "source: a.dot, alt: a sends to b which sends to c")
    for sandbox in ("auto", "off"):
        space.write({"figmill.toml": f'sandbox = "{sandbox}"\n'})
        done = run(space, temporary, "--force")
        told = [line for line in done.err.splitlines() if "sandbox" not in line]
        if told:  # where its files are counted by looking, it may not lock folders away
            assert done.code == 1 and len(told) == 1
            assert told[0].startswith("visuals/deep.py: wrote more than 512 MiB, 10,000 files, or folders")
        assert (space.root / "build/global/graph.svg").exists()
        assert os.listdir(temporary) == []


def test_what_a_killed_build_left_nested_is_swept(book: Space, temporary: Path) -> None:
    from figmill.render.temp_dirs import MARKER

    left = temporary / "figmill-left"
    nested(left / "homes-x/y", RECURSION)
    marker = f'{{"figmill": "scratch", "pid": {2**31 - 1}, "started": "1", "uid": {os.geteuid()}}}'
    (left / MARKER).write_text(marker)
    for _ in range(3):  # no build spends more than some seconds on it
        done = run(book, temporary)
        assert (done.code, done.err) == (0, "")
    assert os.listdir(temporary) == []


def test_nested_folders_among_outputs_and_in_the_private_folder_stop_nothing(
    built_book: Space, temporary: Path
) -> None:
    places = [built_book.root / name for name in ("build/d", ".figmill/cache/ab")]
    for place in places:
        nested(place, RECURSION)
    built_book.write({"visuals/a.dot": DOT.replace("sends", "gets")})
    done = run(built_book, temporary)
    assert done.code == 0 and done.err.count("\n") == 0, done.err
    assert run(built_book, temporary, "clean").code == 0
    assert all(remove(str(place)) for place in places)


@pytest.mark.parametrize(("folder", "levels", "name"), [("questions", 40, "d" * 200), ("visuals", 70, "d")])
def test_nested_folders_among_the_sources_are_one_line(
    built_book: Space, temporary: Path, folder: str, levels: int, name: str
) -> None:
    place = built_book.root / folder / "d"
    nested(place, levels, name)
    for words in ((), ("--check",), ("lint",)):
        done = run(built_book, temporary, *words)
        assert (done.code, done.err.count("\n"), len(done.err) < 500) == (2, 1, True), words
        assert done.err.startswith(f"figmill: {folder}/d/d") and "at most 64 levels" in done.err
    assert remove(str(place))
    assert run(built_book, temporary).code == 0


def test_a_commit_with_nested_folders_stops_no_later_build(space: Space, temporary: Path) -> None:
    space.write({"visuals/a.dot": DOT}).question("graph", "source: a.dot, alt: a sends to b")
    space.git("init", "-q")
    space.git("add", "-A")
    space.git("commit", "-qm", "good")
    for place, levels in (("more", RECURSION), ("visuals", 70)):
        nested(space.root / place / "d", levels)
        space.git("add", "-A")
        space.git("commit", "-qm", place)
        assert remove(str(space.root / place / "d"))
    for commit, code in (("HEAD", 2), ("HEAD~1", 2), ("HEAD~2", 0), ("HEAD~2", 0)):
        done = run(space, temporary, "--dry-run", "--against", commit)
        assert done.code == code and "Traceback" not in done.err and done.err.count("\n") == code // 2, done
        assert os.listdir(temporary) == []
    assert run(space, temporary).code == 0
