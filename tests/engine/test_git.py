"""Git as figmill asks it: no program of a commit is run, whatever the book, the commit or the repository holds."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.book import DOT, REPOSITORY, Ran, Space

from figmill.engine.commits.checkout import checked_out, commit_of
from figmill.errors import ToolError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are written as shell scripts")

TOKEN = "token-of-the-build"
GRAPH = "source: a.dot, alt: a graph of three"
OTHER = DOT.replace("sends", "waits")


def spy(space: Space, name: str = "spy") -> str:
    """A program that leaves a mark, with the token if it can read it; as one word of a command."""
    path = space.root.parent / name
    marks = space.root.parent / "marks"
    path.write_text(f'#!/bin/sh\necho "{name} $0 $* $BUILD_TOKEN" >>"{marks}"\nexit 0\n')
    path.chmod(0o755)
    return str(path)


def marks(space: Space) -> str:
    path = space.root.parent / "marks"
    return path.read_text() if path.exists() else ""


def status(ran: Ran) -> dict[str, str]:
    assert ran.code in (0, 3), ran
    return {row["id"] or row["path"]: row["status"] for row in ran.json["figures"]}


@pytest.fixture
def book(space: Space) -> Space:
    """A book in a subfolder of a repository, with one figure, which has changed since its commit."""
    whole = Space(space.root)
    inner = Space(space.root / "docs/book")
    inner.write({"visuals/a.dot": DOT}).question("a", GRAPH)
    whole.git("init", "-q")
    whole.git("add", ".")
    whole.git("commit", "-qm", "one")
    inner.write({"visuals/a.dot": OTHER})
    return whole


def inner(book: Space) -> Space:
    return Space(book.root / "docs/book")


def compared(book: Space, against: str = "HEAD", **more: str) -> Ran:
    """The comparison of the book in the subfolder, by the real command."""
    env = {"BUILD_TOKEN": TOKEN, **more}
    return inner(book).run("--check", "--format", "json", f"--against={against}", env=env)


def laid_out(book: Space, ref: str = "HEAD") -> dict[str, bytes | str]:
    """What the same comparison has of the commit: by path, what is in a file, or where a link leads."""
    with checked_out(commit_of(inner(book).root.resolve(), ref)) as aside:
        return {
            path.relative_to(aside).as_posix(): os.readlink(path) if path.is_symlink() else path.read_bytes()
            for path in sorted(aside.rglob("*"))
            if path.is_symlink() or not path.is_dir()
        }


def is_the_commit(found: dict[str, bytes | str]) -> bool:
    return list(found) == ["questions/a.yaml", "visuals/a.dot"] and found["visuals/a.dot"] == DOT.encode()


def refused(book: Space, ref: str = "HEAD") -> str:
    """The one line that is told of a commit that cannot be laid out."""
    with pytest.raises(ToolError) as error:
        laid_out(book, ref)
    assert error.value.code == 2 and "\n" not in str(error.value)
    return str(error.value)


@pytest.fixture(autouse=True)
def a_build_with_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUILD_TOKEN", TOKEN)


# What git runs, by the setting that names it.
SETTINGS = {
    "core.fsmonitor": "{}",
    "core.sshCommand": "{}",
    "core.pager": "{}",
    "core.editor": "{}",
    "core.askPass": "{}",
    "core.gitProxy": "{}",
    "core.alternateRefsCommand": "{}",
    "credential.helper": "!{}",
    "diff.external": "{}",
    "diff.spy.command": "{}",
    "diff.spy.textconv": "{}",
    "merge.spy.driver": "{}",
    "filter.spy.smudge": "{}",
    "filter.spy.clean": "{}",
    "filter.spy.process": "{}",
    "filter.spy.required": "true",
    "filter.lfs.smudge": "{}",
    "filter.lfs.process": "{}",
    "gpg.program": "{}",
    "log.showSignature": "true",
    "sequence.editor": "{}",
    "uploadpack.packObjectsHook": "{}",
    "pager.rev-parse": "{}",
    "pager.ls-tree": "{}",
    "pager.cat-file": "{}",
    "alias.rev-parse": "!{}",
    "alias.ls-tree": "!{}",
    "alias.cat-file": "!{}",
    "submodule.sub.update": "!{}",
    "remote.origin.url": "ext::{} %S",
    "remote.origin.uploadpack": "{}",
    "remote.origin.promisor": "true",
    "remote.origin.vcs": "spy",
    "extensions.partialClone": "origin",
    "protocol.ext.allow": "always",
    "protocol.file.allow": "always",
    "protocol.spy.allow": "always",
    "protocol.allow": "always",
}
HOOKS = (
    "fsmonitor-watchman",
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "pre-commit",
    "post-merge",
    "pre-auto-gc",
    "update",
    "post-rewrite",
)
ATTRIBUTES = "* filter=spy diff=spy merge=spy ident export-subst text=auto eol=crlf\n"


def booby_trapped(space: Space, folder: Path) -> None:
    """Name a spy at each place of a git folder where git would run a program."""
    program = spy(space)
    for name, value in SETTINGS.items():
        subprocess.run(
            ["git", "config", "--file", str(folder / "config"), name, value.format(program)], check=True
        )
    (folder / "hooks").mkdir(exist_ok=True)
    for hook in HOOKS:
        shutil.copy(program, folder / "hooks" / hook)
    (folder / "info").mkdir(exist_ok=True)
    (folder / "info/attributes").write_text(f"{ATTRIBUTES}* working-tree-encoding=UTF-16\n")


def test_the_traps_are_traps(book: Space) -> None:
    """Plain git runs them: else the tests below would show nothing."""
    booby_trapped(book, book.root / ".git")
    subprocess.run(
        ["git", "status"], cwd=book.root, env={**os.environ, "BUILD_TOKEN": TOKEN}, capture_output=True
    )
    subprocess.run(
        ["git", "checkout-index", "--all", "--force", f"--prefix={book.root.parent}/x/"],
        cwd=book.root,
        env={**os.environ, "BUILD_TOKEN": TOKEN},
        capture_output=True,
    )
    assert TOKEN in marks(book)


def look_alike(book: Space, at: str) -> Path:
    """A folder of the book that git would take for a bare repository, with traps, and a work tree above it."""
    folder = book.root / at
    bare = book.root.parent / "bare"
    subprocess.run(["git", "clone", "-q", "--bare", str(book.root), str(bare)], check=True)
    shutil.copytree(bare, folder, dirs_exist_ok=True)
    booby_trapped(book, folder)
    config = ["git", "config", "--file", str(folder / "config")]
    subprocess.run([*config, "core.bare", "false"], check=True)
    subprocess.run([*config, "core.worktree", "."], check=True)
    return folder


def test_a_folder_that_looks_like_a_repository_is_none(book: Space) -> None:
    look_alike(book, "docs/book")
    assert status(compared(book)) == {"a": "would-change"}
    assert marks(book) == ""


@pytest.mark.parametrize("at", [".", "docs", "docs/book", "docs/book/visuals"])
def test_nor_is_it_one_anywhere_else(book: Space, at: str) -> None:
    look_alike(book, at)
    assert is_the_commit(laid_out(book)) and marks(book) == ""


def test_the_configuration_of_the_repository_runs_nothing(book: Space) -> None:
    inner(book).write({".gitattributes": ATTRIBUTES})
    book.git("-c", "core.attributesFile=/dev/null", "add", "--all")
    book.git("commit", "-qm", "attributes")
    booby_trapped(book, book.root / ".git")
    assert status(compared(book)) == {"a": "unchanged"}
    assert marks(book) == ""


def test_files_are_as_they_were_committed(book: Space) -> None:
    """No filter, no line ends, no keyword: the bytes of the commit are drawn."""
    booby_trapped(book, book.root / ".git")
    assert is_the_commit(laid_out(book)) and marks(book) == ""


# ---------------------------------------------------------------- where the repository is


def test_a_git_folder_that_is_none_is_passed_over_and_one_that_leads_nowhere_is_told(book: Space) -> None:
    (book.root / "docs/.git").mkdir()
    assert is_the_commit(laid_out(book))
    (book.root / "docs/.git").rmdir()
    for content in ("gitdir: ../nowhere\n", "gitdir: ../.git\ngitdir: x\n", "x" * 5000, "../.git"):
        (book.root / "docs/.git").write_text(content)
        assert "docs/.git leads to no git repository" in refused(book)
    (book.root / "docs/.git").unlink()
    os.mkfifo(book.root / "docs/.git")
    assert "docs/.git leads to no git repository" in refused(book)


def test_a_further_work_tree_and_a_submodule_are_repositories(book: Space, tmp_path: Path) -> None:
    book.git("worktree", "add", "-q", str(tmp_path / "tree"), "HEAD")
    assert is_the_commit(laid_out(Space(tmp_path / "tree")))
    outer = Space(tmp_path / "outer")
    outer.root.mkdir()
    outer.git("init", "-q")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(book.root), "sub")
    sub = Space(outer.root / "sub")
    assert is_the_commit(laid_out(sub)) and compared(sub).code == 0
    # What is kept lies in the book, not in git's folder.
    assert (inner(sub).root / ".figmill/commits").is_dir() and not (
        outer.root / ".git/modules/sub/figmill"
    ).exists()


def test_a_folder_without_a_repository_is_told(small_book: Space) -> None:
    ran = small_book.run("--check", "--against", "HEAD")
    assert ran.code == 2 and ran.err.startswith("figmill: comparing with a commit needs a git repository")


def test_variables_of_git_lead_nowhere_else(book: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    decoy = book.root.parent / "decoy"
    subprocess.run(["git", "init", "-q", str(decoy)], check=True)
    program = spy(book)
    more = {
        "GIT_DIR": str(decoy / ".git"),
        "GIT_WORK_TREE": str(decoy),
        "GIT_INDEX_FILE": str(decoy / "index"),
        "GIT_OBJECT_DIRECTORY": str(decoy / "objects"),
        "GIT_COMMON_DIR": str(decoy / ".git"),
        "GIT_NAMESPACE": "x",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": program,
        "GIT_EXTERNAL_DIFF": program,
        "GIT_PAGER": program,
        "GIT_SSH": program,
        "GIT_EXEC_PATH": str(decoy),
        "GIT_TRACE2": str(decoy / "trace"),
        "GIT_REPLACE_REF_BASE": "refs/x",
    }
    for name, value in more.items():
        monkeypatch.setenv(name, value)
    assert is_the_commit(laid_out(book))
    assert marks(book) == "" and not (decoy / "trace").exists()


def test_git_is_never_a_program_of_the_repository(book: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(spy(book), book.root / "git")
    shutil.copy(spy(book), book.root / "docs/book/git")
    path = os.pathsep.join(
        ("", ".", str(book.root), "docs", str(book.root / "docs/book"), os.environ["PATH"])
    )
    monkeypatch.setenv("PATH", path)
    monkeypatch.chdir(inner(book).root)
    assert is_the_commit(laid_out(book)) and marks(book) == ""
    monkeypatch.setenv("PATH", str(book.root))
    assert "needs git, which is not installed" in refused(book)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_the_repository_of_another_user_is_not_believed_unless_the_user_says_so(
    book: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (book.root / ".git", book.root):
        os.chown(path, 12345, -1)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("HOME", str(book.root.parent))
    assert "git says: " in refused(book)
    mine = f"[safe]\n\tdirectory = {book.root}\n"
    for name in ("gitconfig", ".gitconfig"):  # git before 2.32 knows the second alone
        (book.root.parent / name).write_text(mine)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(book.root.parent / "gitconfig"))
    assert is_the_commit(laid_out(book))


# ---------------------------------------------------------------- what a name may be

REFS = (
    "--upload-pack=touch x",
    "--output=x",
    "-x",
    "--",
    "",
    "@{u}",
    "@{-1}",
    "HEAD@{99}",
    ":/nowhere",
    ":0:a",
    "HEAD:x",
    "HEAD:docs/nowhere",
    "HEAD^{/no}",
    "$(touch x)",
    "HEAD\n--all",
    "refs/heads/*",
    "..",
    "...",
    "HEAD...HEAD",
    "..--all",
    "-x..HEAD",
    "x" * 5000,
    "\udcff",
    "docs/book/visuals/a.dot",
)


def test_a_name_is_never_an_option(book: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(inner(book).root)
    before = sorted(book.root.rglob("*"))
    for ref in REFS:
        assert "there is no such commit here" in refused(book, ref), ref
    assert sorted(book.root.rglob("*")) == before
    ran = compared(book, "-x..HEAD\n::error::x")
    assert (ran.code, ran.err.count("\n")) == (2, 1) and ran.err.startswith("figmill: commit -x: there")


# ---------------------------------------------------------------- what a commit may hold


def committed(book: Space, *rows: tuple[str, str, str]) -> str:
    """A commit of the book with further entries (mode, path, content), none of which lies in the work tree.

    Written object by object, so that it can hold what git itself would refuse.
    """

    def put(kind: str, data: bytes) -> str:
        words = ["git", "hash-object", "-w", "--stdin", "--literally", "-t", kind]
        return (
            subprocess.run(words, cwd=book.root, input=data, capture_output=True, check=True)
            .stdout.decode()
            .strip()
        )

    def tree(entries: list[tuple[str, str, str]]) -> str:
        return put(
            "tree", b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(it) for mode, name, it in entries)
        )

    inside: dict[str, list[tuple[str, str, str]]] = {"": []}
    files = [
        ("100644", "questions/a.yaml", (inner(book).root / "questions/a.yaml").read_text()),
        ("100644", "visuals/a.dot", DOT),
        *rows,
    ]
    for mode, path, content in files:
        *folders, name = path.split("/")
        for depth in range(len(folders)):
            inside.setdefault("/".join(folders[: depth + 1]), [])
        it = content if mode == "160000" else put("blob", content.encode())
        inside["/".join(folders)].append((mode, name, it))
    for path in sorted(inside, key=lambda path: (path.count("/"), path), reverse=True):
        if path:
            above, _, name = path.rpartition("/")
            inside[above].append(("40000", name, tree(inside[path])))
    return tree([("40000", "docs", tree([("40000", "book", tree(inside[""]))]))])


OUTSIDE = "outside"
ENTRIES = {
    "a file beside the book": (("100644", "../x", "x"),),
    "git's own settings": (("100644", ".git/config", "[core]\n\tfsmonitor = x\n"),),
    "git's folder on a file system without cases": (("100644", ".GIT/config", "x"),),
    "git's folder below": (("100644", "visuals/.git/config", "x"),),
    "git's folder with letters unseen": (("100644", ".g\u200cit/config", "x"),),
    "git's folder as NTFS knows it": (("100644", "GIT~1/config", "x"),),
    "git's folder with an end that Windows drops": (("100644", ".git . /config", "x"),),
    "a folder above": (("100644", "visuals/../../x", "x"),),
    "nothing": (("100644", "visuals//x", "x"),),
    "a link and a folder of one name": (("120000", "d", OUTSIDE), ("100644", "d/x", "x")),
    "a file and a folder of one name": (("100644", "d", "x"), ("100644", "d/x", "x")),
    "a file twice": (("100644", "d", "x"), ("100644", "d", "y")),
    "a link that is a book": (("120000", "d", "x" * 5000),),
    "a folder 101 deep": (("100644", "d/" * 101 + "x", "x"),),
}


@pytest.mark.parametrize("rows", ENTRIES.values(), ids=ENTRIES)
def test_what_no_checkout_has_is_one_line(book: Space, rows: tuple[tuple[str, str, str], ...]) -> None:
    outside = book.root.parent / OUTSIDE
    outside.mkdir()
    rows = tuple(
        (mode, path, str(outside) if content == OUTSIDE else content) for mode, path, content in rows
    )
    refused(book, committed(book, *rows))
    assert os.listdir(outside) == []


def test_what_figmill_keeps_is_left_out_however_it_is_written(book: Space) -> None:
    names = (".figmill", ".FigMill", ".figmill.", "FIGMIL~1", ".fig\u200dmill")
    tree = committed(book, *(("100644", f"{name}/journal", "{") for name in names))
    assert is_the_commit(laid_out(book, tree))


def test_links_and_submodules_of_a_commit_lead_nowhere(book: Space) -> None:
    secret = book.root.parent / "secret.dot"
    secret.write_text("digraph { secret }")
    question = "id: b\ntrack: global\ntitle: A title\nvisual: {source: b.dot, alt: a graph of a link}\n"
    tree = committed(
        book,
        ("120000", "visuals/b.dot", str(secret)),
        ("120000", "up", "../../.."),
        ("160000", "sub", "1" * 40),
        ("100755", "run.sh", "#!/bin/sh\n"),
        ("100644", "questions/b.yaml", question),
    )
    ran = compared(book, tree)
    assert status(ran) == {"a": "would-change"}  # b failed then, and is gone now
    assert "secret" not in json.dumps(ran.json).replace(str(secret), "")


def test_a_tree_of_trees_without_end_is_one_line(book: Space) -> None:
    """Ten folders of ten folders, nine levels down: a billion files of a few hundred bytes."""

    def put(kind: str, data: bytes) -> bytes:
        words = ["git", "hash-object", "-w", "--stdin", "-t", kind]
        out = subprocess.run(words, cwd=book.root, input=data, capture_output=True, check=True).stdout
        return bytes.fromhex(out.decode().strip())

    content = put("blob", b"x")
    below = put("tree", b"".join(b"100644 %d\0" % n + content for n in range(10)))
    for _ in range(8):
        below = put("tree", b"".join(b"40000 %d\0" % n + below for n in range(10)))
    book_ = put("tree", b"40000 book\0" + put("tree", b"40000 bomb\0" + below))
    tree = put("tree", b"40000 docs\0" + book_)
    assert "has more than 200,000 files at that commit" in refused(book, tree.hex())


# ---------------------------------------------------------------- what a clone may lack


def test_a_clone_in_part_fetches_nothing(book: Space, tmp_path: Path) -> None:
    book.git("config", "uploadpack.allowFilter", "true")
    clone = Space(tmp_path / "clone")
    for part, lacks in (("blob:none", "lacks files of that commit"), ("tree:0", "")):
        shutil.rmtree(clone.root, ignore_errors=True)
        inner(book).write({"visuals/a.dot": OTHER + f"// {part}\n"})
        book.git("commit", "-qam", "two")
        book.git("clone", "-q", f"--filter={part}", f"file://{book.root}", str(clone.root))
        clone.git("config", "remote.origin.uploadpack", spy(clone))
        assert lacks in refused(clone, "HEAD~1")
        assert marks(clone) == ""


def test_objects_are_read_where_they_lie(book: Space, tmp_path: Path) -> None:
    """In another repository that lends them, in a pack, and by SHA-256."""
    lent = Space(tmp_path / "lent")
    book.git("clone", "-q", "--shared", str(book.root), str(lent.root))
    assert is_the_commit(laid_out(lent))
    book.git("gc", "-q")
    assert is_the_commit(laid_out(book))
    other = Space(tmp_path / "other")
    other.root.mkdir()
    other.git("init", "-q", "--object-format=sha256")
    inner(other).write({"visuals/a.dot": DOT}).question("a", GRAPH)
    other.git("add", ".")
    other.git("commit", "-qm", "one")
    assert is_the_commit(laid_out(other))


def test_another_object_in_the_place_of_one_is_not_read(book: Space) -> None:
    """git replace lets a clone show other contents than were committed."""
    old = book.git("rev-parse", "HEAD:docs/book/visuals/a.dot").strip()
    new = (
        subprocess.run(
            ["git", "hash-object", "-w", "--stdin"],
            cwd=book.root,
            input=OTHER.encode(),
            capture_output=True,
            check=True,
        )
        .stdout.decode()
        .strip()
    )
    book.git("replace", old, new)
    assert is_the_commit(laid_out(book))


def test_only_one_module_calls_git() -> None:
    package = REPOSITORY / "figmill"
    found = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"""\[["']git["']|git\.exe|rev-parse|cat-file|ls-tree""", path.read_text("utf-8"))
    }
    assert found == {"engine/commits/git.py"}
