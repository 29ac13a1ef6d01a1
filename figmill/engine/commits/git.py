"""Call git in the one way in which it runs no other program. Nothing else in figmill calls git.

This module finds a repository itself, by `.git` alone. A folder that merely looks like a repository does not count: a
commit can contain one, with settings that name programs. Names are resolved in the repository, with every setting off
that names a program. Files are read through a temporary repository that has no settings, attributes or remotes and
borrows the objects, so no filter, hook or transport applies. Unaware of books.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from figmill.errors import ToolError
from figmill.host import files
from figmill.late_dataclasses import dataclass

# The variables that git inherits. Nothing else is passed: no tokens, and nothing that gives git other settings,
# repositories or programs. The three with GIT in their names locate the user's own settings, which list the folders of
# other users that are trusted.
PASSED = (
    "PATH",
    "HOME",
    "USERPROFILE",
    "XDG_CONFIG_HOME",
    "SYSTEMROOT",
    "SUDO_UID",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
)
NO_PROGRAM = "false"
FIXED: Mapping[str, str] = MappingProxyType(
    {
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": "none",  # overrides the setting of any protocol
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        **dict.fromkeys(
            ("GIT_ASKPASS", "GIT_EDITOR", "GIT_PAGER", "GIT_SSH_COMMAND", "SSH_ASKPASS"), NO_PROGRAM
        ),
    }
)
OFF: Mapping[str, str] = MappingProxyType(
    {
        "safe.bareRepository": "explicit",
        "core.alternateRefsCommand": NO_PROGRAM,
        "core.askPass": NO_PROGRAM,
        "core.attributesFile": os.devnull,
        "core.fsmonitor": "false",
        "core.hooksPath": os.devnull,
        "core.pager": NO_PROGRAM,
        "core.sshCommand": NO_PROGRAM,
        "credential.helper": "",
        "gc.auto": "0",
        "maintenance.auto": "false",
        "protocol.allow": "never",
        "submodule.recurse": "false",
    }
)
LONGEST = 4096  # bytes of a file that leads to a git folder
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Repository:
    """top: its work tree; folder: its own git folder; program: the full path of git."""

    top: Path
    folder: Path
    program: str

    def ask(self, *arguments: str) -> bytes:
        """Git's answer. Raises ToolError if it is an error."""
        where = {"GIT_DIR": str(self.folder), "GIT_WORK_TREE": str(self.top)}
        return _asked(self.program, arguments, self.top, _environment() | where)


class MissingError(Exception):
    """The repository lacks an object, as a partial clone does."""


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of a tree. mode: git's, such as 0o100644; digest: the name of its content."""

    path: str
    mode: int
    digest: str


def repository_of(folder: Path) -> Repository:
    """The repository whose work tree has this folder. Raises ToolError if there is none, or no git."""
    for top in (folder, *folder.parents):
        git_folder = _git_folder(top / ".git")
        if git_folder is not None:
            repository = Repository(top, git_folder, _program(top))
            _refuse_foreign(repository)
            return repository
    raise ToolError(
        f"comparing with a commit needs a git repository, and there is no .git in {folder} or above it"
    )


def tree_of(repository: Repository, ref: str) -> str:
    """The name of the tree of a ref. Raises ToolError if there is none."""
    arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{tree}}")
    try:
        if not ref.startswith("-"):  # no name in git begins so, and git would take it for an option
            return repository.ask(*arguments).decode().strip()
    except ToolError:
        pass  # reported below
    is_shallow = repository.ask("rev-parse", "--is-shallow-repository").strip() == b"true"
    why = "this clone is shallow" if is_shallow else "in CI, fetch it first"
    raise ToolError(f"commit {ref}: there is no such commit here; {why} (fetch-depth: 0)")


def store_of(repository: Repository) -> str:
    """Git's folder for data of this repository on this machine, which is never part of a commit."""
    answer = os.fsdecode(repository.ask("rev-parse", "--git-common-dir").removesuffix(b"\n"))
    return os.path.join(repository.top, answer)


class Objects:
    """The objects of a repository, read through a temporary repository."""

    def __init__(self, repository: Repository, store: str, tree: str, place: str) -> None:
        """place: a new folder for the temporary repository; tree: the name of any object, whose length shows the hash
        function.
        """
        self._program, self._place = repository.program, place
        kind = "sha256" if len(tree) == 64 else "sha1"
        for folder in ("refs", "objects"):
            files.own_folder(place, folder)
        files.create(os.path.join(place, "HEAD"), b"ref: refs/heads/none\n")
        files.create(
            os.path.join(place, "config"),
            f"[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = {kind}\n".encode(),
        )
        self._environment = _environment() | {
            "GIT_DIR": place,
            "GIT_OBJECT_DIRECTORY": os.path.join(store, "objects"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": place,  # git before 2.32 reads the user's settings there, whatever the variable says
            "XDG_CONFIG_HOME": place,
        }

    def entry(self, tree: str, path: str) -> TreeFile | None:
        """The entry at a path of a tree, a file or a folder; None if there is none."""
        return next(self._listed("--", tree, path), None)

    def files(self, tree: str) -> Iterator[TreeFile]:
        """Every file of a tree, folders resolved. Raises MissingError if git cannot list them."""
        return self._listed("-r", "--", tree)

    def _listed(self, *arguments: str) -> Iterator[TreeFile]:
        command = [self._program, "ls-tree", "--full-tree", "-z", *arguments]
        with self._running(command, stdin=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            rest = b""
            while part := process.stdout.read(_PIECE):
                *rows, rest = (rest + part).split(b"\0")
                for row in rows:
                    head, _, path = row.partition(b"\t")
                    mode, _, digest = head.split(b" ")
                    yield TreeFile(os.fsdecode(path), int(mode, 8), digest.decode())
            if process.wait() != 0:
                raise MissingError

    @contextmanager
    def reader(self) -> Iterator[ObjectReader]:
        """A process that reads one object after the other."""
        with self._running([self._program, "cat-file", "--batch"], stdin=subprocess.PIPE) as process:
            yield ObjectReader(process)

    @contextmanager
    def _running(self, command: list[str], stdin: int) -> Iterator[subprocess.Popen[bytes]]:
        with subprocess.Popen(
            command,
            cwd=self._place,
            env=self._environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                yield process
            finally:
                process.kill()  # it has answered, or nobody reads the answer any more


class ObjectReader:
    """Reads objects by their names."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def content(self, digest: str) -> tuple[int, Iterator[bytes]]:
        """The size of an object, and its pieces, which must be read before the next call. Raises MissingError."""
        ask, answer = self._process.stdin, self._process.stdout
        assert ask is not None and answer is not None
        try:
            ask.write(digest.encode() + b"\n")
            ask.flush()
        except BrokenPipeError:
            raise MissingError from None
        header = answer.readline().split()
        if len(header) != 3 or header[1] != b"blob":
            raise MissingError
        return int(header[2]), self._pieces(int(header[2]))

    def _pieces(self, size: int) -> Iterator[bytes]:
        answer = self._process.stdout
        assert answer is not None
        while size:
            part = answer.read(min(size, _PIECE))
            if not part:
                raise MissingError
            size -= len(part)
            yield part
        answer.read(1)  # the end of the line


def _git_folder(path: Path) -> Path | None:
    """The git folder that a `.git` is or points to; None if there is none. Raises ToolError if it points nowhere."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    if stat.S_ISDIR(status.st_mode):
        return path if _is_git_folder(path) else None
    with suppress(OSError):  # a pipe, or too large: git never writes such a file
        pointer = os.fsdecode(files.read(path, LONGEST)).rstrip("\r\n")
        to = path.parent / pointer.removeprefix("gitdir: ")
        if pointer.startswith("gitdir: ") and "\0" not in pointer and _is_git_folder(to):
            return to
    raise ToolError(f"{path} leads to no git repository; remove it, or let git repair it")


def _is_git_folder(path: Path) -> bool:
    """Whether a folder has what git requires of a repository; a linked work tree has a part of it elsewhere."""
    if not (path / "HEAD").exists():
        return False
    return (path / "commondir").is_file() or ((path / "objects").is_dir() and (path / "refs").is_dir())


def _program(top: Path) -> str:
    """The full path of git, from PATH; never one of the repository or the current folder. Raises ToolError."""
    name = "git.exe" if sys.platform == "win32" else "git"
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            with suppress(ValueError):  # another drive
                if os.path.commonpath([os.path.realpath(folder), top]) == str(top):
                    continue
            return path
    raise ToolError("comparing with a commit needs git, which is not installed")


def _refuse_foreign(repository: Repository) -> None:
    """Raise ToolError if git does not trust the repository's owner, or finds another repository.

    Git does not check the owner of a repository that is given by name, so it must find this one itself.
    """
    within = {"GIT_CEILING_DIRECTORIES": str(repository.top.parent)}
    arguments = ("rev-parse", "--absolute-git-dir")
    answer = _asked(repository.program, arguments, repository.top, _environment() | within)
    if not files.is_same(os.fsdecode(answer.removesuffix(b"\n")), repository.folder):
        raise ToolError(f"git takes another folder than {repository.folder} for the repository")


def _environment() -> dict[str, str]:
    return {**{name: os.environ[name] for name in PASSED if name in os.environ}, **FIXED}


def _asked(program: str, arguments: tuple[str, ...], folder: Path, environment: dict[str, str]) -> bytes:
    off = (word for name, value in OFF.items() for word in ("-c", f"{name}={value}"))
    done = subprocess.run(
        [program, *off, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        message = (done.stderr or done.stdout).decode("utf-8", "replace")
        raise ToolError.quoting("git says: ", message)
    return done.stdout
