"""The private folder is believed only in the checkout that it was made in; elsewhere the book is built as if new."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from helpers.book import DOT, HAND, CopyOf, Space, two_figures

from figmill import fastpath
from figmill.config import Options
from figmill.host import bound
from figmill.store import private
from figmill.store.cache import Cache
from figmill.store.disk import Disk
from figmill.store.journal import Journal

SCRIPT = b"<script>alert(1)</script></svg>"
TOLD = f"figmill: {private.NOTICE}\n"
FRESH = "2 figures, all fresh\n"
READER = (
    "from pathlib import Path\n\n\ndef draw():\n    return (Path(__file__).parent / 'w.txt').read_text()\n"
)


@pytest.fixture
def built(copy_of: CopyOf) -> Space:
    return copy_of(two_figures)


def lie(space: Space) -> None:
    """A forged output; journal and snapshot say that it is what the build has made."""
    path = space.root / "build/global/graph.svg"
    old = path.read_bytes()
    new = old.replace(b"</svg>", SCRIPT)
    path.write_bytes(new)
    records = space.kept("journal").replace(sha256(old).hexdigest(), sha256(new).hexdigest())
    assert sha256(new).hexdigest() in records
    space.keep("journal", records)


def is_believed(space: Space) -> bool:
    return bound.key_of(space.root) is not None


def is_built_anew(space: Space) -> None:
    assert not is_believed(space)
    done = space.run()
    assert (done.code, done.err) == (0, TOLD)
    assert "rendered" in done.out and b"<script" not in space.outputs()["build/global/graph.svg"]
    again = space.run()
    assert (again.code, again.out, again.err) == (0, FRESH, "")  # told once, and warm from then on


def committed(space: Space) -> Space:
    """The book with all that figmill has left, in a commit, and the forged output."""
    lie(space)
    (space.root / ".figmill/.gitignore").unlink()
    space.git("init", "-q")
    space.git("add", "--all", "--force")
    space.git("commit", "-q", "-m", "everything")
    return space


def test_a_clone_believes_nothing_that_was_committed(built: Space, tmp_path: Path) -> None:
    committed(built)
    assert is_believed(built) and "script" not in built.run().out  # the lie works where it was told
    assert b"<script" in built.outputs()["build/global/graph.svg"]
    clone = Space(tmp_path / "clone")
    built.git("clone", "-q", str(built.root), str(clone.root))
    assert (clone.root / ".figmill/key").exists() and b"<script" in clone.outputs()["build/global/graph.svg"]
    is_built_anew(clone)
    worktree = Space(tmp_path / "worktree")
    built.git("worktree", "add", "-q", str(worktree.root))
    is_built_anew(worktree)


def test_a_checkout_over_a_warm_folder_puts_nothing_into_it(built: Space, tmp_path: Path) -> None:
    """git replaces ignored files without a word: the secret stays, and the forged ledger does not know it."""
    other = Space(tmp_path / "other")
    shutil.copytree(built.root, other.root)
    built.git("init", "-q")
    built.git("add", "questions", "visuals")
    built.git("commit", "-q", "-m", "the book")
    stranger = Space(tmp_path / "stranger")
    built.git("clone", "-q", str(built.root), str(stranger.root))
    assert stranger.run().code == 0
    committed(stranger)
    stranger.git("rm", "-q", "--cached", ".figmill/key", ".figmill/mark")
    stranger.git("commit", "-q", "-m", "a lie without the secret")
    secret = bound.key_of(built.root)
    built.git("fetch", "-q", str(stranger.root), "HEAD")
    built.git("checkout", "-q", "--force", "FETCH_HEAD")
    assert bound.key_of(built.root) == secret is not None
    assert b"<script" in built.outputs()["build/global/graph.svg"]
    done = built.run()
    assert (done.code, done.err) == (0, "") and "graph.svg" in done.out
    assert b"<script" not in built.outputs()["build/global/graph.svg"]


def through_tar(source: Path, place: Path) -> None:
    archive = place.with_suffix(".tar")
    with tarfile.open(archive, "w") as whole:
        whole.add(source, ".")
    with tarfile.open(archive) as whole:
        whole.extraction_filter = getattr(tarfile, "fully_trusted_filter", None)  # of Python 3.11.4
        whole.extractall(place)


def through_links(source: Path, place: Path) -> None:
    subprocess.run(["cp", "-al", source, place], check=True)
    (place / ".figmill/lock").unlink()  # with a second name it is refused, which says what to do


COPIES: dict[str, Callable[[Path, Path], object]] = {
    "cp -a": lambda source, place: subprocess.run(["cp", "-a", source, place], check=True),
    "hard links": through_links,
    "shutil": lambda source, place: shutil.copytree(source, place, symlinks=True),
    "an archive": through_tar,
}


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_is_built_anew_with_all_its_times(built: Space, tmp_path: Path, way: str) -> None:
    lie(built)
    COPIES[way](built.root, tmp_path / "copy")
    is_built_anew(Space(tmp_path / "copy"))


def test_a_book_that_is_moved_stays_warm(built: Space, tmp_path: Path) -> None:
    moved = Space(built.root.rename(tmp_path / "moved"))
    done = moved.run()
    assert (done.code, done.out, done.err) == (0, FRESH, "")


CHANGES: dict[str, Callable[[Path], object]] = {
    "its bytes": lambda key: key.write_bytes(b"0" * 64),
    "its length": lambda key: key.write_bytes(b"0"),
    "its rights": lambda key: key.chmod(0o600),
    "its time": lambda key: os.utime(key, (1, 1)),
    "another file": lambda key: (shutil.copy2(key, key.with_name("x")), key.with_name("x").replace(key)),
    "a second name": lambda key: os.link(key, key.with_name("x")),
    "a link": lambda key: (key.rename(key.with_name("x")), key.symlink_to("x")),
    "a pipe": lambda key: (key.unlink(), os.mkfifo(key)),
    "a folder": lambda key: (key.unlink(), key.mkdir()),
    "gone": lambda key: key.unlink(),
    "the mark": lambda key: key.with_name("mark").write_text("1 2\n"),
    "the mark gone": lambda key: key.with_name("mark").unlink(),
    "the mark a pipe": lambda key: (key.with_name("mark").unlink(), os.mkfifo(key.with_name("mark"))),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_secret_that_is_not_the_same_file_is_none(built: Space, what: str) -> None:
    CHANGES[what](built.root / ".figmill/key")
    assert not is_believed(built)
    assert fastpath.answer(str(built.root)) == (None, None)
    assert Journal(built.root).records == {}


def test_a_time_of_this_century_is_that_of_a_checkout(built: Space) -> None:
    """With the right inode and ctime in its mark: no commit can guess these, and needs not be able to."""
    key = built.root / ".figmill/key"
    os.utime(key)
    status = key.stat()
    key.with_name("mark").write_text(f"{status.st_ino} {status.st_ctime_ns}\n")
    assert not is_believed(built)


def test_what_is_behind_a_link_is_not_ours(built: Space, tmp_path: Path) -> None:
    (built.root / ".figmill").rename(tmp_path / "elsewhere")
    (built.root / ".figmill").symlink_to(tmp_path / "elsewhere")
    assert not is_believed(built) and fastpath.answer(str(built.root)) == (None, None)
    assert built.run().code == 2


def test_a_file_counts_under_its_own_name_alone(built: Space) -> None:
    folder = built.root / ".figmill"
    assert Disk(built.root).read(".figmill/snapshot") and Journal(built.root).records
    shutil.copy(folder / "snapshot", folder / "journal")
    assert Journal(built.root).records == {}


def test_an_entry_of_the_private_cache_that_another_checkout_made_is_a_miss(
    space: Space, tmp_path: Path
) -> None:
    other = Space(tmp_path / "other")
    other.root.mkdir()
    for book, label in ((space, "sends"), (other, "LIES")):
        book.write({"visuals/s.py": READER})
        book.write({"visuals/w.txt": DOT.replace("sends", label)})
        book.question("s", "kind: dot, source: s.py, alt: a sends to b")
    assert space.run().code == other.run().code == 0
    entry = next(path for path in (other.root / ".figmill/cache").glob("??/*") if len(path.name) == 64)
    name = entry.relative_to(other.root)
    assert (space.root / name).exists()  # by its declared inputs
    space.write({name.as_posix(): entry.read_bytes(), "visuals/w.txt": DOT.replace("sends", "LIES")})
    shutil.rmtree(space.root / "build")
    assert "rendered" in space.run().out
    seal = private.seal_of(space.root / ".figmill/cache")
    assert seal is not None and not seal.is_signed(b"x", "0" * 64) and seal.sign is not None
    assert seal.is_signed(b"x", seal.sign(b"x")) and not seal.is_signed(b"y", seal.sign(b"x"))
    assert private.seal_of(tmp_path / "shared") is None  # whose trust is told in docs/cache.md
    assert Cache(space.root / ".figmill/cache", seal).folder.is_dir()


def test_lint_and_a_dry_run_believe_as_little(built: Space, tmp_path: Path) -> None:
    lie(built)
    copy = Space(tmp_path / "copy")
    shutil.copytree(built.root, copy.root)
    before = copy.stamps()
    told = copy.run("--check")
    assert told.code == 3 and "would-change build/global/graph.svg" in told.out
    assert copy.stamps() == before  # and it writes nothing, no new secret either
    assert copy.run("lint").code == 0


# ---------------------------------------------------------------- the fast path


def test_an_unmarked_snapshot_prints_nothing_and_leads_nowhere(space: Space) -> None:
    """As it was committed: without folders, with a warning that is a command, or with a link to the whole disk."""
    space.write({"questions/.keep": "", "visuals/d.svg": HAND})
    (space.root / "disk").symlink_to("/")
    warning = "::add-mask::x"
    for folders in ([], ["questions", "visuals"], ["disk"], ["disk/etc"], [""], ["/etc"]):
        seen = fastpath.look(str(space.root), folders)
        assert len(seen.rows) < 10
        also = ["visuals/d.svg"]
        last = fastpath.LastBuild(
            [], 1, [warning], also, fastpath.state_of(str(space.root), also), seen.state
        )
        data = fastpath.dumps(last, folders)
        path = space.write({fastpath.PATH: data}).root
        assert fastpath.answer(str(path)) == (None, None)
        done = space.run()
        assert "add-mask" not in done.out + done.err
    space.keep("snapshot", data.replace(b"/etc", b""))
    assert fastpath.answer(str(space.root))[0] is None  # no book is without folders


def test_no_link_out_of_the_book_is_walked(space: Space, tmp_path: Path) -> None:
    space.write({"inside/a.dot": DOT, "questions/.keep": ""})
    (space.root / "visuals").symlink_to("inside")  # one that leads to a folder of the book is a folder
    (tmp_path / "aside/book").mkdir(parents=True)
    (space.root / "out").symlink_to(tmp_path / "aside")
    (space.root / "inside/deeper").symlink_to(tmp_path / "aside")
    paths = [row[0] for row in fastpath.rows(str(space.root), ["questions", "visuals", "out", "out/book"])]
    assert paths == ["out", "out/book", "questions", "visuals", "visuals/a.dot", "visuals/deeper"]


def test_the_fast_path_stays_light() -> None:
    slow = {"hashlib", "hmac", "re", "json", "typing"}
    code = f"import sys, figmill.fastpath; print(*sorted({slow} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_a_disk_without_a_secret_makes_one_where_it_writes(space: Space) -> None:
    (space.root / ".figmill").mkdir()
    disk = Disk(space.root)
    assert disk.read(".figmill/x") is None
    disk.put_now(".figmill/x", b"content")
    assert disk.read(".figmill/x") == b"content"
    assert (space.root / ".figmill/x").read_bytes().startswith(b"figmill ")
    before = (space.root / ".figmill/x").stat().st_ino
    disk.put_now(".figmill/x", b"content")
    assert (space.root / ".figmill/x").stat().st_ino == before  # the same content is not written again
    assert Options().cache is None
