"""Scratch folders: gone with their build, swept where a build was killed, and nobody else's touched."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from figmill.scratch import Scratch, sweep

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kernel locks on folders are POSIX")


def aged(path: Path) -> Path:
    os.utime(path, (0, 0), follow_symlinks=False)
    return path


def orphan(place: Path, name: str = "figmill-orphan") -> Path:
    folder = place / name
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/file").write_text("left")
    return aged(folder)


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
                Path(held).name, Path(other).name, "figmill-young"
            }  # fmt: skip


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


def test_a_place_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    sweep(str(tmp_path / "nowhere"))
