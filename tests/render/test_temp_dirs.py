"""Scratch folders: gone with their build, swept where a build was killed, and nobody else's touched."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from figmill.render.temp_dirs import MARKER, Scratch, sweep

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kernel locks on folders are POSIX")


def aged(path: Path) -> Path:
    os.utime(path, (0, 0), follow_symlinks=False)
    return path


def orphan(place: Path, name: str = "figmill-orphan", **marker: object) -> Path:
    """A folder as a killed build leaves it, but for what `marker` says."""
    folder = place / name
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/file").write_text("left")
    told = {"figmill": "scratch", "pid": ended(), "started": "12345", "uid": os.geteuid(), **marker}
    (folder / MARKER).write_text(json.dumps({key: value for key, value in told.items() if value is not None}))
    return aged(folder)


@cache
def ended() -> int:
    """The number of a process that is no more."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_a_folder_is_gone_afterwards(tmp_path: Path) -> None:
    with Scratch(tmp_path) as path:
        (Path(path) / "file").write_text("x")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_build_left_is_swept_and_what_is_held_stays(tmp_path: Path) -> None:
    with Scratch(tmp_path) as held:
        aged(Path(held))
        left, young = orphan(tmp_path), tmp_path / "figmill-young"
        young.mkdir()
        with Scratch(tmp_path) as other:
            assert not left.exists()
            assert {path.name for path in tmp_path.iterdir()} == {
                Path(held).name,
                Path(other).name,
                "figmill-young",
            }


def test_links_files_and_other_folders_are_left_alone(tmp_path: Path) -> None:
    elsewhere = orphan(tmp_path, "elsewhere")
    (tmp_path / "figmill-link").symlink_to(elsewhere)
    (tmp_path / "figmill-file").write_text("x")
    swept = orphan(tmp_path)
    (swept / "out").symlink_to(elsewhere)
    for path in tmp_path.iterdir():
        aged(path)
    sweep(str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"elsewhere", "figmill-link", "figmill-file"}
    assert (elsewhere / "deep/file").read_text() == "left"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away"
)
def test_another_users_folder_is_left_alone(tmp_path: Path) -> None:
    folder = orphan(tmp_path)
    os.chown(folder, 65534, 65534)
    sweep(str(tmp_path))
    assert folder.exists()


def test_a_folder_of_somebody_else_stays_whatever_its_name(tmp_path: Path) -> None:
    """`mkdir $TMPDIR/figmill-my-book-draft`, with or without something that looks like ours."""
    mine = tmp_path / "figmill-my-book-draft"
    mine.mkdir()
    (mine / "chapter.md").write_text("a year's work")
    (tmp_path / "figmill-empty").mkdir()
    aged(mine), aged(tmp_path / "figmill-empty")
    sweep(str(tmp_path))
    assert (mine / "chapter.md").read_text() == "a year's work"
    assert (tmp_path / "figmill-empty").is_dir()


def not_json(marker: Path) -> None:
    marker.write_text("{")


def a_link(marker: Path) -> None:
    marker.rename(marker.parent / "real")
    marker.symlink_to("real")


def a_hard_link(marker: Path) -> None:
    os.link(marker, marker.parent / "another")


def a_folder(marker: Path) -> None:
    marker.unlink()
    marker.mkdir()


def a_pipe(marker: Path) -> None:
    marker.unlink()
    os.mkfifo(marker)


def a_socket(marker: Path) -> None:
    marker.unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.getcwd()
        os.chdir(marker.parent)
        listener.bind(marker.name)
        os.chdir(here)


def too_long(marker: Path) -> None:
    marker.write_text(marker.read_text() + " " * 10_000)


def another_name(marker: Path) -> None:
    marker.rename(marker.parent / "scratch.json")


@pytest.mark.parametrize(
    "spoil", [not_json, a_link, a_hard_link, a_folder, a_pipe, a_socket, too_long, another_name]
)
def test_a_marker_that_figmill_did_not_write_is_none(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    folder = orphan(tmp_path)
    spoil(folder / MARKER)
    aged(folder)
    sweep(str(tmp_path))
    assert (folder / "deep/file").read_text() == "left"


@pytest.mark.parametrize(
    "marker",
    [
        {"figmill": "draft"},
        {"figmill": None},
        {"uid": 4321},
        {"uid": None},
        {"pid": None},
        {"pid": "1"},
        {"pid": True},
        {"pid": -1},
        {"pid": 0},
        {"pid": 1 << 40},
        {"more": 1},
        {"started": None},
    ],
)
def test_a_marker_with_other_words_is_none(tmp_path: Path, marker: dict[str, object]) -> None:
    folder = orphan(tmp_path, **marker)
    sweep(str(tmp_path))
    assert (folder / "deep/file").read_text() == "left"


def test_a_folder_whose_process_lives_stays_and_one_of_a_reused_number_goes(tmp_path: Path) -> None:
    with Scratch(tmp_path) as held:
        told = json.loads((Path(held) / MARKER).read_bytes())
        assert told["pid"] == os.getpid() and told["started"].isdigit()
        living = orphan(tmp_path, "figmill-living", pid=told["pid"], started=told["started"])
        reused = orphan(tmp_path, "figmill-reused", pid=told["pid"], started="1")
        sweep(str(tmp_path))
        assert living.exists() and not reused.exists()


HOLD = (
    "import sys\nfrom pathlib import Path\nfrom figmill.commands.error_handler import guarded\n"
    "from figmill.render.temp_dirs import Scratch\n"
    "def work():\n    with Scratch(Path(sys.argv[1])) as path:\n        print(path, flush=True)\n"
    "        sys.stdin.read()\nsys.exit(guarded(work))"
)


def held_by_another(place: Path) -> tuple[subprocess.Popen[str], Path]:
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", HOLD, str(place)]
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM", "SIGINT"])
def test_a_build_that_is_told_to_end_leaves_nothing(tmp_path: Path, name: str) -> None:
    number = getattr(signal, name)
    before = signal.signal(number, signal.SIG_DFL)  # below `nohup` it would be ignored
    try:
        process, path = held_by_another(tmp_path)
    finally:
        signal.signal(number, before)
    assert path.is_dir()
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, "figmill: interrupted; finished figures are written\n")
    assert list(tmp_path.iterdir()) == []


def test_a_hangup_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as `nohup` does
    try:
        process, path = held_by_another(tmp_path)
    finally:
        signal.signal(signal.SIGHUP, before)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    assert process.poll() is None and path.is_dir()
    process.communicate("", timeout=30)
    assert process.returncode == 0


def test_a_killed_builds_folder_is_swept_at_once(tmp_path: Path) -> None:
    process, path = held_by_another(tmp_path)
    process.kill()
    process.communicate()
    assert path.is_dir()
    with Scratch(tmp_path):
        assert not path.exists()


def test_a_place_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    sweep(str(tmp_path / "nowhere"))
