"""The door: which files of a book are read, under every name that leads to them."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path

import pytest
from helpers.cases import cases

from figmill.enclosure import view
from figmill.errors import AuthorError
from figmill.host import files, inside
from figmill.host.inside import RefusedError
from figmill.store.disk import Disk

SECRET = b"no reader may see this"
PLAIN = b"any reader may see this"


def in_a_row(book: Path, name: str) -> bytes:
    """The bytes of a file of which the folder was looked up before."""
    folders = inside.Folders(book)
    with suppress(OSError):
        folders.read(f"{os.path.dirname(name)}/a.csv")
    return folders.read(name)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book with secrets in it, beside a file of somebody else."""
    root = tmp_path / "book"
    for name in (
        ".git/config",
        ".git/HEAD",
        ".git/objects/a",
        ".git/refs/a",
        ".env",
        ".env.local",
        "visuals/.npmrc",
        "visuals/id_rsa",
        "visuals/SERVER.PEM",
        "visuals/.hidden/a.csv",
        "visuals/.hidden.csv",
        "gha-creds-12.json",
        "visuals/bare/HEAD",
        "visuals/bare/objects/a",
        "visuals/bare/refs/a",
        "visuals/bare/description",
        "visuals/.ssh/config",
        ".figs/a.csv",
        ".figs/.inner/a.csv",
        ".figs/.env",
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(SECRET)
    (root / "visuals/deep").mkdir()
    for name in ("visuals/a.csv", "visuals/deep/b.csv", "environment", "visuals/keyed.csv", "visuals/HEAD"):
        (root / name).write_bytes(PLAIN)
    (tmp_path / "outside.csv").write_bytes(SECRET)
    return root


@pytest.mark.parametrize(
    "name",
    [
        "visuals/a.csv",
        "visuals/deep/b.csv",
        "visuals/deep/../a.csv",
        "environment",
        "visuals/keyed.csv",
        "./visuals/a.csv",
        "visuals/HEAD",
    ],
)
def test_a_file_of_the_book_is_read(book: Path, name: str) -> None:
    assert inside.read(book, name) == in_a_row(book, name) == PLAIN


@pytest.mark.parametrize("name", ["visuals/one.csv", "visuals/linked/b.csv", "visuals/chain.csv"])
def test_a_link_inside_the_book_is_followed(book: Path, name: str) -> None:
    (book / "visuals/one.csv").symlink_to("deep/b.csv")
    (book / "visuals/chain.csv").symlink_to("one.csv")
    (book / "visuals/linked").symlink_to(book / "visuals/deep")
    assert inside.read(book, name) == in_a_row(book, name) == PLAIN


def test_a_root_may_be_behind_a_link_or_below_a_hidden_folder(book: Path, tmp_path: Path) -> None:
    """Only what lies below the root counts: where a book is, is its builder's business."""
    hidden = tmp_path / ".hidden/.env"
    hidden.parent.mkdir()
    book.rename(hidden)
    (tmp_path / "link").symlink_to(hidden)
    assert inside.read(hidden, "visuals/a.csv") == inside.read(tmp_path / "link", "visuals/a.csv") == PLAIN


REFUSED = {
    "secret": [
        ".git/config",
        ".env",
        ".env.local",
        "visuals/.npmrc",
        "visuals/id_rsa",
        "visuals/SERVER.PEM",
        "gha-creds-12.json",
        "visuals/.ssh/config",
        "visuals/../.env",
        ".figs/.env",
    ],
    "hidden": ["visuals/.hidden/a.csv", "visuals/.hidden.csv", ".figs/a.csv", ".figs/.inner/a.csv"],
    "repository": ["visuals/bare/description", "visuals/bare/HEAD", "visuals/bare/objects/a"],
    "outside": ["../outside.csv", "visuals/../../outside.csv"],
}
WAYS: dict[str, Callable[[Path, str], str]] = {
    "by name": lambda book, name: name,
    "by a link": lambda book, name: linked(book, book / name),
    "by a relative link": lambda book, name: linked(book, Path("..", name)),
    "by a linked folder": lambda book, name: f"{linked(book, (book / name).parent)}/{os.path.basename(name)}",
    "by a chain of links": lambda book, name: linked(book, book / linked(book, book / name)),
}


def linked(book: Path, target: Path) -> str:
    name = f"visuals/link-{len(list(book.glob('visuals/link-*')))}"
    (book / name).symlink_to(target)
    return name


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("reason", "name"), [(reason, name) for reason, names in REFUSED.items() for name in names]
)
def test_a_file_that_no_figure_reads_is_refused_under_every_name(
    book: Path, reason: str, name: str, way: str
) -> None:
    name = WAYS[way](book, name)
    for reading in (
        inside.read,
        in_a_row,
        inside.digest,
        inside.place,
        lambda root, path: inside.head(root, path, 10),
    ):
        with pytest.raises(RefusedError) as caught:
            reading(book, name)
        assert caught.value.reason == reason
        assert caught.value.strerror == f"it {caught.value.phrase}" and SECRET.decode() not in str(
            caught.value
        )


def test_the_builders_word_allows_what_is_hidden_and_nothing_else(book: Path) -> None:
    """A folder in the settings, or a file under `inputs`: not what lies in a further hidden folder, and no secret."""
    assert inside.read(book, ".figs/a.csv", allowed=(".figs",)) == SECRET
    assert inside.read(book, "visuals/.hidden.csv", allowed=("visuals/.hidden.csv",)) == SECRET
    linked(book, book / "visuals/.hidden.csv")
    assert inside.read(book, "visuals/link-0", allowed=("visuals/link-0",)) == SECRET
    refused = {
        ".figs/.inner/a.csv": ".figs",
        "visuals/.hidden/a.csv": "visuals",
        "visuals/.hidden.csv": "visuals/.hidden",
        ".figs/.env": ".figs/.env",
        ".git/config": ".git",
        "visuals/bare/description": "visuals/bare",
        "../outside.csv": "../outside.csv",
    }
    for name, allowed in refused.items():
        with pytest.raises(RefusedError):
            inside.read(book, name, allowed=(allowed, "no such file"))
        for folders, more in ((inside.Folders(book, (allowed,)), ()), (inside.Folders(book), (allowed,))):
            for _ in range(2):
                with pytest.raises(RefusedError):
                    folders.read(name, allowed=more)


def test_files_that_move_while_many_are_read_are_told_as_missing(book: Path) -> None:
    folders = inside.Folders(book, (".figs",))
    assert folders.read(".figs/a.csv") == SECRET and folders.read("visuals/a.csv") == PLAIN
    assert folders.read("visuals/deep/b.csv") == PLAIN
    (book / "visuals/a.csv").rename(book / "visuals/deep/a.csv")
    assert folders.read("visuals/deep/a.csv") == PLAIN
    with pytest.raises(FileNotFoundError):
        folders.read("visuals/a.csv")
    (book / "visuals/deep").rename(book / "visuals/moved")
    with pytest.raises(FileNotFoundError):
        folders.read("visuals/deep/a.csv")
    (book / "visuals/a.csv").symlink_to("../../outside.csv")
    with pytest.raises(RefusedError, match="leads out of the book"):
        folders.read("visuals/a.csv")


def test_the_next_look_at_a_book_sees_that_a_folder_is_a_link_now(book: Path) -> None:
    disk = Disk(book)
    with disk.in_a_row():
        assert disk.read("visuals/deep/b.csv") == PLAIN
    (book / "visuals/deep/b.csv").rename(book.parent / "b.csv")
    (book / "visuals/deep").rmdir()
    (book / "visuals/deep").symlink_to(book.parent)
    for reading in (disk.in_a_row, nullcontext):
        with reading(), pytest.raises(AuthorError, match="leads out of the book"):
            disk.read("visuals/deep/b.csv")


def test_what_is_no_regular_file_or_is_missing_is_told_as_ever(book: Path) -> None:
    os.mkfifo(book / "visuals/pipe")
    (book / "visuals/loop").symlink_to("loop")
    folders = inside.Folders(book)
    for read in (partial(inside.read, book), folders.read):
        with pytest.raises(files.UnfitError, match="a pipe"):
            read("visuals/pipe")
        with pytest.raises(files.UnfitError, match="at most 3"):
            read("visuals/a.csv", 3)
        for name in ("visuals", "visuals/deep"):
            with pytest.raises(IsADirectoryError):
                read(name)
    for name in (
        "visuals/none.csv",
        "visuals/a.csv/none",
        "visuals/\0",
        "visuals/\ud800",
        "none/\0",
        "none/\ud800",
    ):
        for read in (partial(inside.read, book), folders.read):
            with pytest.raises((FileNotFoundError, NotADirectoryError)):
                read(name)
    for read in (partial(inside.read, book), folders.read):
        with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
            read("visuals/loop")


def test_a_secret_that_is_missing_is_refused_too(book: Path) -> None:
    """So nobody learns from an error which of them exist."""
    for name in (".netrc", ".git/none", "visuals/none.pem"):
        with pytest.raises(RefusedError):
            inside.read(book, name)


@cases("name", [".GIT", ".git ", ".Env", "ID_RSA", "a.Pem", "\u200c.git", ".g\u200cit", ".env::$DATA"])
def test_names_that_some_file_system_takes_for_a_secret_are_secrets(name: str) -> None:
    assert inside.is_secret(name)


@cases("name", ["git", "env", ".envelope", "environment.csv", "pem", "keys.csv", "kubeconfig.svg", "id"])
def test_other_names_are_not(name: str) -> None:
    assert not inside.is_secret(name)


def test_the_sandbox_hides_the_same_names(book: Path) -> None:
    """One list: what no figure reads is also invisible to scripts."""
    hidden = {
        Path(place).relative_to(book.resolve()).as_posix()
        for place in view._secrets_below(str(book.resolve()))
    }
    assert hidden == {
        ".git",
        ".env",
        ".env.local",
        "visuals/.npmrc",
        "visuals/id_rsa",
        "visuals/SERVER.PEM",
        "gha-creds-12.json",
        "visuals/bare",
        "visuals/.ssh",
        ".figs/.env",
    }
