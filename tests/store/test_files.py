"""Reading, hashing and writing: what is whole, what is trusted, and who waits for whom."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from helpers.book import Space

from figmill.errors import AuthorError, ToolError
from figmill.fastpath import rows
from figmill.host import files
from figmill.store.digest_index import DigestRow
from figmill.store.disk import ABSENT, Disk
from figmill.store.lock import lock
from figmill.store.memory import Memory


def disk(space: Space, *folders: str, digests: Mapping[str, DigestRow] = MappingProxyType({})) -> Disk:
    return Disk(space.root, rows(str(space.root), list(folders)), digests)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_digests_are_of_bytes_listings_or_absence(space: Space) -> None:
    space.write({"a.txt": "1\n", "b/x": "", "b/y": "", "b/.figmill-tmp": ""})
    tree = disk(space)
    assert tree.digest("a.txt") == sha(b"1\n")
    assert tree.digest("b/") == sha(b"x\0y")  # our own unfinished files are no part of a listing
    for name in ("gone", "gone/", "a.txt/x", "b", "nul\0byte"):
        assert tree.digest(name) == ABSENT, name


def test_files_are_those_below_the_folders_and_inside_the_book(space: Space, tmp_path: Path) -> None:
    (tmp_path / "secret.dot").write_text("outside")
    space.write(
        {"v/b.dot": "", "v/a/c.dot": "", "v/a.txt": "", "v/.hidden/x.dot": "", "w/d.dot": "", "vv/e.dot": ""}
    )
    (space.root / "v/out.dot").symlink_to(tmp_path / "secret.dot")
    (space.root / "v/in.dot").symlink_to("b.dot")
    (space.root / "v/lost.dot").symlink_to("nowhere")
    os.mkfifo(space.root / "v/pipe.dot")
    tree = disk(space, "v", "w")
    assert tree.files(["v"], (".dot",)) == ["v/a/c.dot", "v/b.dot", "v/in.dot"]
    assert tree.files(["w", "v"]) == ["v/a.txt", "v/a/c.dot", "v/b.dot", "v/in.dot", "w/d.dot"]
    assert tree.files(["nowhere"]) == []


def test_put_touches_nothing_that_holds_just_that(space: Space) -> None:
    tree = disk(space)
    tree.put({"out/deep/x.svg": b"1"})
    tree.sync()
    before = space.stamps()
    assert tree.differing({"out/deep/x.svg": b"1", "y.svg": b"1"}) == {"y.svg": b"1"}
    tree.put(tree.differing({"out/deep/x.svg": b"1"}))
    tree.sync()
    assert space.stamps() == before
    assert tree.differing({"out/deep/x.svg": b"2"}) == {"out/deep/x.svg": b"2"}
    tree.put({"out/deep/x.svg": b"2"})
    assert tree.digest("out/deep/x.svg") == sha(b"2")


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_files_are_readable_as_the_umask_says(space: Space, umask: int) -> None:
    old = os.umask(umask)
    try:
        disk(space).write("x.svg", b"1")
    finally:
        os.umask(old)
    assert (space.root / "x.svg").stat().st_mode & 0o777 == 0o644 & ~umask


def test_a_hard_link_and_a_read_only_output_are_replaced_and_not_written_into(space: Space) -> None:
    space.write({"x.svg": "old"})
    os.link(space.root / "x.svg", space.root / "other.svg")
    (space.root / "x.svg").chmod(0o444)
    disk(space).write("x.svg", b"new")
    assert (space.read("x.svg"), space.read("other.svg")) == ("new", "old")


def test_what_cannot_be_written_is_said_and_leaves_the_old_whole(space: Space) -> None:
    space.write({"build": "a file where a folder should be", "x.svg/inside": ""})
    for name in ("build/x.svg", "x.svg"):
        with pytest.raises(ToolError, match=f"cannot write {name}: ") as caught:
            disk(space).write(name, b"1")
        assert caught.value.code == 1
    assert space.read("build") == "a file where a folder should be"
    assert not [name for name in space.stamps() if ".figmill-" in name]


def test_a_file_that_cannot_be_read_is_its_authors_fault(space: Space) -> None:
    (space.root / "x.dot").symlink_to("x.dot")  # a loop, which root cannot read either
    with pytest.raises(AuthorError, match=r"x\.dot: cannot be read"):
        disk(space).read("x.dot")


def age(space: Space, *names: str) -> None:
    for name in names:
        os.utime(space.root / name, (0, 0))


def test_leftovers_of_a_crash_are_swept(space: Space) -> None:
    space.write({"build/a/.figmill-01234567": "torn", "build/a/x.svg": "whole"})
    kept = ["build/.figmill-x", "build/.figmill-0123456g", "build/.figmill-012345678"]  # not named like ours
    space.write(dict.fromkeys(kept, "mine"))
    busy = os.path.join(space.root, "build/.figmill-89abcdef")  # another build is at it
    with open(busy, "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        disk(space).sweep("build")
        assert sorted(space.stamps()) == sorted(
            ["build", "build/.figmill-89abcdef", "build/a", "build/a/x.svg", *kept]
        )
    disk(space).sweep("build")
    assert not os.path.exists(busy)


@pytest.mark.parametrize("spoil", ["link", "hard link", "folder"])
def test_what_no_killed_build_can_have_left_stays(space: Space, spoil: str) -> None:
    space.write({"precious": "mine", "build/x.svg": ""})
    path = space.root / "build/.figmill-01234567"
    if spoil == "folder":
        path.mkdir()
    else:
        (os.symlink if spoil == "link" else os.link)(space.root / "precious", path)
    disk(space).sweep("build")
    assert os.path.lexists(path) and space.read("precious") == "mine"


def test_without_locks_the_age_tells_what_is_left_over(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "hold", lambda _: None)
    space.write({"build/.figmill-01234567": "torn", "build/.figmill-89abcdef": "another build may be at it"})
    age(space, "build/.figmill-01234567")
    disk(space).sweep("build")
    assert sorted(space.stamps()) == ["build", "build/.figmill-89abcdef"]
    disk(space).write("build/x.svg", b"1")
    assert space.read("build/x.svg") == "1"


def test_a_file_that_is_swept_before_it_is_locked_is_written_under_another_name(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold, swept = files.hold, []

    def late(descriptor: int) -> bool | None:
        if not swept:
            swept.extend(space.root.glob(".figmill-*"))
            swept[0].unlink()
        return hold(descriptor)

    monkeypatch.setattr(files, "hold", late)
    disk(space).write("x.svg", b"1")
    assert swept and sorted(space.stamps()) == ["x.svg"]


def test_a_build_sweeps_what_a_killed_one_left(built_book: Space) -> None:
    left = {f"{folder}/.figmill-01234567": "torn" for folder in ("build/global", ".figmill", "questions")}
    built_book.write({**left, "visuals/a.dot": "digraph { x }"})
    assert built_book.run().code == 0
    assert not [name for name in left if (built_book.root / name).exists()]


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest of a single file is worth keeping, too."""
    monkeypatch.setattr("figmill.store.digest_index.FEW", 1)


@pytest.mark.parametrize(("files", "size", "kept"), [(3, 10, False), (70, 10, True), (1, 2 << 20, True)])
def test_digests_are_kept_where_hashing_again_takes_longer(
    space: Space, files: int, size: int, kept: bool
) -> None:
    names = [f"v/{number}" for number in range(files)]
    space.write(dict.fromkeys(names, "x" * size))
    tree = disk(space, "v")
    for name in names:
        tree.digest(name)
    digests = tree.reliable_digests()
    assert (None if digests is None else sorted(digests)) == (sorted(names) if kept else None)


@pytest.mark.usefixtures("always")
def test_what_was_hashed_is_not_read_again(space: Space) -> None:
    space.write({"v/x": "1"})
    first = disk(space, "v")
    assert first.digest("v/x") == sha(b"1")
    digests = first.reliable_digests()
    assert digests is not None
    digests["v/x"][-1] = sha(b"from an earlier build")
    assert disk(space, "v", digests=digests).digest("v/x") == sha(b"from an earlier build")


@pytest.mark.usefixtures("always")
def test_a_file_with_its_old_size_time_and_inode_is_read_again_where_it_was_written(space: Space) -> None:
    space.write({"v/x": "1"})
    first = disk(space, "v")
    first.digest("v/x")
    digests = first.reliable_digests()
    assert digests is not None
    path = space.root / "v/x"
    status = path.stat()
    path.write_text("2")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    now = path.stat()
    assert (now.st_size, now.st_mtime_ns, now.st_ino) == (status.st_size, status.st_mtime_ns, status.st_ino)
    assert disk(space, "v", digests=digests).digest("v/x") == sha(b"2")


@pytest.mark.usefixtures("always")
def test_what_was_written_is_known_without_being_read(space: Space) -> None:
    """Its status is that after it got its name, which shows in its ctime."""
    first = disk(space)
    first.write("v/x", b"1")
    status = (space.root / "v/x").stat()
    row = [status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns, sha(b"1")]
    assert first.reliable_digests() == {"v/x": row}


@pytest.mark.usefixtures("always")
def test_a_file_changed_while_it_was_looked_at_is_not_trusted(space: Space) -> None:
    for number in range(20):
        space.write({"v/x": f"{number:02}"})
        tree = disk(space, "v")
        tree.digest("v/x")
        space.write({"v/x": f"{number + 50}"})  # at once, and of the same size
        digests = tree.reliable_digests()
        assert disk(space, "v", digests=digests or {}).digest("v/x") == sha(f"{number + 50}".encode())


@pytest.mark.parametrize("torn", [3, [1, 2], None, {}, [[]]])
def test_digests_that_are_malformed_are_none(space: Space, torn: object) -> None:
    space.write({"v/x": "1", ".figmill/.gitignore": "*"})
    space.forge({"digest": {"v/x": torn}})
    assert disk(space, "v", digests=Memory(space.root).digests()).digest("v/x") == sha(b"1")


HOLD = (
    "import sys\nfrom pathlib import Path\nfrom figmill.store.lock import lock\n"
    "with lock(Path(sys.argv[1])) as waited:\n    print(waited, flush=True)\n    sys.stdin.read()\n"
)


def test_a_second_build_waits_and_says_for_whom(space: Space) -> None:
    def start() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", HOLD, str(space.root)]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    first = start()
    assert first.stdout and first.stdout.readline() == "False\n"
    second = start()
    assert second.stderr and second.stdout
    assert second.stderr.readline() == f"waiting for another build of this book (process {first.pid}) ...\n"
    first.kill()  # the kernel frees it
    first.communicate()
    assert second.stdout.readline() == "True\n"
    second.communicate("")
    with lock(space.root) as waited:
        assert waited is False
