"""Trees that nobody should make: too deep, too many, without rights, with links; removed, or told in one line."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.book import without_rights
from helpers.nested import RECURSION, nested

from figmill.host import trees
from figmill.host.trees import DEEPEST, TooDeepError, remove, walk


@pytest.fixture(params=[True, pytest.param(False, id="by paths, as on Windows")])
def how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    by_descriptors: bool = request.param
    monkeypatch.setattr(trees, "_SEES_FOLDERS", by_descriptors)
    return by_descriptors


# ---------------------------------------------------------------- removing


def test_what_is_deeper_than_a_path_may_be_long_is_removed(tmp_path: Path) -> None:
    nested(tmp_path / "top", 40, "d" * 200)
    assert remove(str(tmp_path / "top"))
    assert list(tmp_path.iterdir()) == []


def test_what_is_deeper_than_python_may_recurse_is_removed(tmp_path: Path, how: bool) -> None:
    nested(tmp_path / "top", RECURSION)
    assert remove(str(tmp_path / "top"))
    assert list(tmp_path.iterdir()) == []


def test_many_folders_with_folders_need_few_descriptors(tmp_path: Path, how: bool) -> None:
    for number in range(40):
        nested(tmp_path / f"top/{number}", 3)
    most = "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (16, 16))"
    code = f"{most}\nfrom figmill.host import trees\ntrees._SEES_FOLDERS = {how}\n"
    code += f"assert trees.remove({str(tmp_path / 'top')!r})"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert list(tmp_path.iterdir()) == []


def test_no_link_is_followed(tmp_path: Path, how: bool) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/file").write_text("precious")
    nested(tmp_path / "top", 2)
    (tmp_path / "top/d/link").symlink_to(tmp_path / "mine")
    (tmp_path / "top/lost").symlink_to("nowhere")
    os.link(tmp_path / "mine/file", tmp_path / "top/d/hard")
    assert remove(str(tmp_path / "top"))
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert (tmp_path / "mine/file").read_text() == "precious"
    (tmp_path / "top").symlink_to(tmp_path / "mine")
    remove(str(tmp_path / "top"))
    assert (tmp_path / "mine/file").read_text() == "precious"


def test_folders_without_rights_are_removed_by_their_owner(tmp_path: Path) -> None:
    code = f"""
import os
from figmill.host.trees import remove
os.chdir({str(tmp_path)!r})
for mode in (0, 0o400, 0o100, 0o500):
    os.makedirs("top/a/b/c")
    open("top/a/b/file", "w").close()
    for folder in ("top/a/b/c", "top/a/b", "top/a", "top"):
        os.chmod(folder, mode)
    assert remove("top"), mode
    assert not os.path.lexists("top"), mode
"""
    subprocess.run([sys.executable, "-c", code], check=True, preexec_fn=without_rights)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_what_belongs_to_somebody_else_stays(tmp_path: Path) -> None:
    for name in ("top/theirs", "top/mine/theirs"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "file").write_text("theirs")
        os.chown(tmp_path / name, 65534, 65534)
    assert not remove(str(tmp_path / "top"))
    assert sorted(path.read_text() for path in tmp_path.rglob("file")) == ["theirs", "theirs"]


def test_it_takes_no_longer_than_it_may_and_goes_on_later(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    for number in range(10_000):
        os.close(os.open(top / str(number), os.O_CREAT))
    began = time.monotonic()
    assert not remove(str(top), seconds=0.0)
    assert time.monotonic() - began < 5
    assert top.exists()
    assert remove(str(top))
    assert not top.exists()


def test_names_that_stay(tmp_path: Path, how: bool) -> None:
    nested(tmp_path / "top/x", 2)
    (tmp_path / "top/marker").write_text("mine")
    (tmp_path / "top/x/marker").write_text("not mine")
    assert remove(str(tmp_path / "top"), keeps=("marker",))
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == ["top", "top/marker"]


def test_what_is_not_there_is_gone(tmp_path: Path, how: bool) -> None:
    assert remove(str(tmp_path / "top"))
    (tmp_path / "file").write_text("no folder")
    assert not remove(str(tmp_path / "file"))
    assert (tmp_path / "file").exists()


# ---------------------------------------------------------------- walking


def files_of(root: Path, *folders: str) -> list[str]:
    tree = walk(str(root), folders)
    return sorted(f"{folder}/{entry.name}" for folder, entries in tree for entry in entries)


def test_a_walk_finds_files_and_links_and_enters_what_is_seen(tmp_path: Path) -> None:
    for name in ("v/a", "v/b/c", "v/.hidden/x", "v/__pycache__/y", "w/z", "other/no"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "v/link").symlink_to(tmp_path / "other")
    assert files_of(tmp_path, "v", "w", "gone") == ["v/a", "v/b/c", "v/link", "w/z"]


@pytest.mark.parametrize(("levels", "name"), [(DEEPEST + 1, "d"), (40, "d" * 200)])
def test_a_walk_that_would_be_too_deep_says_so_in_short(tmp_path: Path, levels: int, name: str) -> None:
    nested(tmp_path / "v", levels, name)
    with pytest.raises(TooDeepError, match=f"at most {DEEPEST} levels") as caught:
        files_of(tmp_path, "v")
    assert len(str(caught.value)) < 500
    assert [folder for folder, _ in walk(str(tmp_path), ["v"], whole=False)]
    assert remove(str(tmp_path / "v"))


def test_the_deepest_tree_is_walked(tmp_path: Path) -> None:
    nested(tmp_path / "v", DEEPEST)
    assert len(list(walk(str(tmp_path), ["v"]))) == DEEPEST + 1
