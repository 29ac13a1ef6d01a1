"""Another system for figmill's own modules: what Windows or macOS lacks is taken away, and a little is put there.

With this folder on PYTHONPATH and FIGMILL_PRETENDS=win32 or darwin, every module of figmill sees `sys`, `os`, `socket`
and so on as there, in each process that one of them starts. Libraries of others keep this machine: they have ports of
their own, which cannot run here. On Windows, an open file can be neither removed nor replaced.

What is not imitated: paths with drives and backslashes, names that differ only in case, line ends of text streams, and
the libraries that a port brings along.
"""

from __future__ import annotations

import builtins
import ctypes
import errno
import fcntl
import importlib.abc
import multiprocessing
import os
import platform
import secrets
import select
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

PRETENDED = os.environ.get("FIGMILL_PRETENDS", "")
FIRST = "FIGMILL_PRETENDS_SINCE"  # the number of the first process on that system
IS_WINDOWS = PRETENDED == "win32"
HERE = os.path.dirname(os.path.abspath(__file__))
OF_LINUX = ("/proc", "/sys", "/dev/shm")

# ------------------------------------------------------------------------------------------------- what there is


def words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What `nt`, the module behind `os`, has in Python 3.11 on Windows, and what `os` adds to it there.
NT = words_of("""
    DirEntry F_OK R_OK W_OK X_OK O_APPEND O_CREAT O_EXCL O_RDONLY O_RDWR O_TRUNC O_WRONLY EX_OK TMP_MAX P_DETACH
    P_NOWAIT P_NOWAITO P_OVERLAY P_WAIT SEEK_CUR SEEK_END SEEK_SET PathLike abc abort access altsep chdir chmod close
    closerange cpu_count curdir
    defpath device_encoding devnull dup dup2 environ error execl execle execlp execlpe execv execve
    execvp execvpe extsep fdopen fsdecode fsencode fspath fstat fsync ftruncate get_exec_path get_handle_inheritable
    get_inheritable get_terminal_size getcwd getcwdb getenv getlogin getpid getppid isatty kill linesep link listdir
    lseek lstat makedirs mkdir name open pardir path pathsep pipe popen process_cpu_count putenv read readlink remove
    removedirs rename renames replace rmdir scandir sep set_handle_inheritable set_inheritable spawnl spawnle spawnv
    spawnve startfile stat stat_result st strerror supports_bytes_environ supports_dir_fd supports_effective_ids
    supports_fd supports_follow_symlinks symlink sys system terminal_size times times_result truncate umask
    uname_result unlink unsetenv urandom utime waitpid waitstatus_to_exitcode walk write
""")
# What only Linux has, of the names that macOS could be thought to share.
LINUX = words_of("""
    O_PATH O_TMPFILE O_DIRECT O_LARGEFILE O_NOATIME P_PIDFD CLONE_NEWNS SCHED_BATCH SCHED_IDLE copy_file_range eventfd
    eventfd_read eventfd_write fdatasync getrandom getresgid getresuid getxattr listxattr memfd_create pidfd_open
    posix_fadvise posix_fallocate pipe2 removexattr sched_getaffinity sched_getparam sched_getscheduler
    sched_setaffinity sched_setparam sched_setscheduler setns setresgid setresuid setxattr splice timerfd_create unshare
""")
SIGNALS = words_of("""
    SIGABRT SIGFPE SIGILL SIGINT SIGSEGV SIGTERM SIG_DFL SIG_IGN Handlers Signals default_int_handler getsignal
    raise_signal set_wakeup_fd signal strsignal valid_signals
""")
SOCKETS_OF_UNIX = words_of(
    "AF_UNIX AF_NETLINK AF_PACKET SO_PEERCRED SCM_RIGHTS CMSG_LEN CMSG_SPACE send_fds recv_fds"
)
TIMES_OF_UNIX = frozenset(
    name for name in dir(time) if name.startswith(("CLOCK_", "clock_", "tzset", "pthread_"))
)
ADDED = ("msvcrt", "_winapi")  # modules of Windows
# Modules that are not there.
GONE = (
    frozenset(
        (
            "fcntl",
            "resource",
            "pwd",
            "grp",
            "termios",
            "tty",
            "pty",
            "syslog",
            "posix",
            "spwd",
            "nis",
            "crypt",
            "curses",
            "readline",
            "_posixsubprocess",
        )
    )
    if IS_WINDOWS
    else frozenset(("spwd",))
)


class Seen(ModuleType):
    """A module as it is on the other system. missing: names that it lacks there; instead: what differs."""

    def __init__(self, real: ModuleType, missing: Iterable[str], instead: Mapping[str, Any]) -> None:
        super().__init__(real.__name__, real.__doc__)
        self.__dict__.update(instead, _real=real, _missing=frozenset(missing) - instead.keys())

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__["_missing"]:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} on {PRETENDED}")
        return getattr(self.__dict__["_real"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__.pop(name, None)
        setattr(self.__dict__["_real"], name, value)

    def __dir__(self) -> list[str]:
        return sorted({*dir(self.__dict__["_real"]), *self.__dict__} - self.__dict__["_missing"])


def not_of_linux(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which finds none of the folders that only Linux has."""

    def wrapper(path: Any = ".", *arguments: Any, **options: Any) -> Any:
        if isinstance(path, str | bytes | os.PathLike):
            text = os.fsdecode(path)
            if any(text == folder or text.startswith(f"{folder}/") for folder in OF_LINUX):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), text)
        return function(path, *arguments, **options)

    return wrapper


# ------------------------------------------------------------------------------------------------- files


def family() -> Iterator[int]:
    """The processes of this build: the first, and all that descend from it."""
    waiting = [int(os.environ[FIRST])]
    for pid in waiting:
        yield pid
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                    waiting += map(int, file.read().split())
        except OSError:
            continue


def is_open(path: Any, folder: bool = False) -> bool:
    """Whether a process of this build holds a file open, or works in a folder: then Windows does not let go of it."""
    try:
        wanted = os.stat(path, follow_symlinks=False)
    except OSError:
        return False
    for pid in family():
        try:
            names = [f"/proc/{pid}/cwd"] if folder else [each.path for each in os.scandir(f"/proc/{pid}/fd")]
        except OSError:
            continue
        for name in names:
            try:
                if os.path.samestat(os.stat(name), wanted):
                    return True
            except OSError:
                continue
    return False


def held(function: Callable[..., Any], *, folder: bool = False, both: bool = False) -> Callable[..., Any]:
    """The function, refused where a file is in use. both: whether it takes two paths."""

    def tried(path: Any, *arguments: Any, **options: Any) -> Any:
        for each in (path, *arguments[:1]) if both else (path,):
            if is_open(each, folder):
                raise PermissionError(errno.EACCES, "it is in use [as WinError 32]", os.fsdecode(each))
        if both and function is os.rename and os.path.lexists(arguments[0]):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fsdecode(arguments[0]))
        return function(path, *arguments, **options)

    return tried


def symlink(*_: Any, **__: Any) -> None:
    raise OSError(errno.EPERM, "a required privilege is not held by the client [as WinError 1314]")


def chmod(path: Any, mode: int, *, dir_fd: int | None = None, follow_symlinks: bool = True) -> None:
    """As on macOS, where links have modes of their own."""
    if not follow_symlinks and stat.S_ISLNK(os.stat(path, dir_fd=dir_fd, follow_symlinks=False).st_mode):
        return
    not_of_linux(os.chmod)(path, mode, dir_fd=dir_fd)


def kill(pid: int, number: int) -> None:
    if number == 0:
        raise SystemExit("os.kill(pid, 0) sends Ctrl-C on Windows")
    os.kill(pid, number if number in (signal.SIGINT, signal.SIGTERM) else signal.SIGKILL)


LOCK, LOCK_ONCE, UNLOCK = 1, 2, 0


def locking(descriptor: int, mode: int, count: int) -> None:
    """msvcrt.locking, by locks of the kernel that belong to an open file."""
    kind = fcntl.F_UNLCK if mode == UNLOCK else fcntl.F_WRLCK
    begin = os.lseek(descriptor, 0, os.SEEK_CUR)
    for left in reversed(range(10 if mode == LOCK else 1)):
        try:
            # 37 is F_OFD_SETLK.
            fcntl.fcntl(descriptor, 37, struct.pack("@hhqqi4x", kind, os.SEEK_SET, begin, count, 0))
            return
        except OSError as error:
            if not left:
                raise OSError(
                    errno.EACCES if mode == LOCK_ONCE else errno.EDEADLK, os.strerror(error.errno)
                ) from None
            time.sleep(1)


# ------------------------------------------------------------------------------------------------- processes


class Socket(socket.socket):
    """A socket with `share`, which gives another process a copy of it. Here it goes through a Unix socket."""

    def share(self, process_id: int) -> bytes:
        assert process_id > 0
        place = f"\0shared-{secrets.token_hex(8)}"  # in no folder, whose path may be too long for a socket
        offered = socket.socket(socket.AF_UNIX)
        offered.bind(place)
        offered.listen(1)
        copy = os.dup(self.fileno())
        threading.Thread(target=_hand_over, args=(offered, copy), daemon=True).start()
        return place.encode()


def _hand_over(offered: socket.socket, copy: int) -> None:
    with offered, offered.accept()[0] as line:
        socket.send_fds(line, [b"+"], [copy])
    os.close(copy)


def fromshare(data: bytes) -> Socket:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(data.decode())
        _, (descriptor,), _, _ = socket.recv_fds(line, 1, 1)
    return Socket(fileno=descriptor)


def socketpair() -> tuple[Socket, Socket]:
    """As Python makes one on Windows: two ends of a connection of this machine with itself."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        other, _ = server.accept()
    return Socket(fileno=client.detach()), Socket(fileno=other.detach())


def only_sockets(read: Any, write: Any, other: Any, seconds: float | None = None) -> Any:
    """select.select, which on Windows takes nothing else."""
    for each in (*read, *write, *other):
        assert isinstance(each, socket.socket), f"{each!r}: Windows waits only for sockets"
    return select.select(read, write, other, seconds)


_begin = subprocess.Popen.__init__


def begin(self: Any, command: Any, *rest: Any, **options: Any) -> None:
    """Start a process on the same system."""
    if IS_WINDOWS:
        assert not options.get("preexec_fn") and not options.get("pass_fds"), "Windows has neither"
        options["start_new_session"] = False
        for name in ("stdin", "stdout", "stderr"):
            if isinstance(options.get(name), socket.socket):
                raise OSError(errno.EBADF, "a socket is no file on Windows")
    given = os.environ if options.get("env") is None else options["env"]
    options["env"] = {**given, "FIGMILL_PRETENDS": PRETENDED, FIRST: os.environ[FIRST], "PYTHONPATH": HERE}
    _begin(self, command, *rest, **options)


def get_context(method: str | None = None) -> Any:
    if IS_WINDOWS and method not in (None, "spawn"):
        raise ValueError(f"cannot find context for {method!r}")
    return multiprocessing.get_context("spawn")


def library(name: str | None, *arguments: Any, **options: Any) -> Any:
    if IS_WINDOWS and name is None:
        raise TypeError("bad argument type for built-in operation")
    return ctypes.CDLL(name, *arguments, **options)


class Kernel:
    """What figmill asks of Windows' kernel32."""

    @staticmethod
    def OpenProcess(rights: int, inherits: bool, pid: int) -> int:  # noqa: N802
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return 0
        except PermissionError:
            pass
        return pid

    @staticmethod
    def GetExitCodeProcess(handle: int, code: Any) -> int:  # noqa: N802
        code._obj.value = 259  # STILL_ACTIVE
        return 1

    @staticmethod
    def CloseHandle(handle: int) -> int:  # noqa: N802
        return 1


# ------------------------------------------------------------------------------------------------- the modules


def of_windows() -> dict[str, ModuleType]:
    everything = {name for name in dir(os) if not name.startswith("_")}
    msvcrt = ModuleType("msvcrt")
    msvcrt.__dict__.update(
        locking=locking, LK_LOCK=LOCK, LK_NBLCK=LOCK_ONCE, LK_RLCK=3, LK_NBRLCK=4, LK_UNLCK=UNLOCK
    )
    winapi = ModuleType("_winapi")
    winapi.__dict__.update(CreateJunction=os.symlink)
    return {
        "sys": Seen(
            sys,
            ("abiflags", "getdlopenflags", "setdlopenflags"),
            {"platform": "win32", "_base_executable": sys.executable},
        ),
        "os": Seen(
            os,
            everything - NT,
            {
                "name": "nt",
                "O_BINARY": 0,
                "O_NOINHERIT": 0,
                "O_TEMPORARY": 0,
                "symlink": symlink,
                "kill": kill,
                "supports_dir_fd": set(),
                "supports_fd": {os.stat, os.truncate},
                "supports_follow_symlinks": {os.stat},
                "unlink": held(os.unlink),
                "remove": held(os.remove),
                "rmdir": held(os.rmdir, folder=True),
                "replace": held(os.replace, both=True),
                "rename": held(os.rename, both=True),
            },
        ),
        "signal": Seen(
            signal,
            {name for name in dir(signal) if not name.startswith("_")} - SIGNALS,
            {"SIGBREAK": 21, "CTRL_C_EVENT": 0, "CTRL_BREAK_EVENT": 1},
        ),
        "socket": Seen(
            socket,
            SOCKETS_OF_UNIX,
            {
                "socket": Socket,
                "socketpair": socketpair,
                "fromshare": fromshare,
                "SO_EXCLUSIVEADDRUSE": socket.SO_REUSEADDR,
            },
        ),
        "select": Seen(select, set(dir(select)) - {"select", "error"}, {"select": only_sockets}),
        "time": Seen(time, TIMES_OF_UNIX, {}),
        "platform": Seen(platform, (), {"system": lambda: "Windows", "machine": lambda: "AMD64"}),
        "ctypes": Seen(
            ctypes, (), {"CDLL": library, "WinDLL": lambda *_, **__: Kernel, "get_last_error": lambda: 87}
        ),
        "multiprocessing": Seen(multiprocessing, (), {"get_context": get_context}),
        "msvcrt": msvcrt,
        "_winapi": winapi,
    }


def of_macos() -> dict[str, ModuleType]:
    return {
        "sys": Seen(sys, (), {"platform": "darwin"}),
        "os": Seen(
            os,
            LINUX,
            {
                "chmod": chmod,
                "supports_follow_symlinks": {*os.supports_follow_symlinks, chmod},
                "listdir": not_of_linux(os.listdir),
                "readlink": not_of_linux(os.readlink),
            },
        ),
        "signal": Seen(signal, ("pidfd_send_signal", "sigtimedwait", "sigwaitinfo"), {}),
        "socket": Seen(socket, ("AF_NETLINK", "AF_PACKET", "SO_PEERCRED"), {}),
        "select": Seen(select, ("epoll",), {}),
        "platform": Seen(platform, (), {"system": lambda: "Darwin", "machine": lambda: "arm64"}),
        "multiprocessing": Seen(multiprocessing, (), {"get_context": get_context}),
    }


def imported(name: str, globals_: Any = None, locals_: Any = None, names: Any = (), level: int = 0) -> Any:
    """`import`, in a module of figmill."""
    first = name.partition(".")[0]
    if level == 0 and first in GONE:
        raise ModuleNotFoundError(f"No module named {name!r} on {PRETENDED}", name=name)
    if level == 0 and first in SEEN:
        if first not in ADDED:
            builtins.__import__(name, globals_, locals_, names, level)
        return SEEN[first] if name == first or not names else sys.modules[name]
    return builtins.__import__(name, globals_, locals_, names, level)


class Finder(importlib.abc.MetaPathFinder):
    """Finds figmill's modules as the others do, and gives them the other system's builtins."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.partition(".")[0] != "figmill":
            return None
        specs = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                module.__dict__["__builtins__"] = BUILTINS
                run(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


if PRETENDED:
    os.environ.setdefault(FIRST, str(os.getpid()))
    SEEN = of_windows() if IS_WINDOWS else of_macos()
    BUILTINS = {**vars(builtins), "__import__": imported, "open": not_of_linux(open)}
    subprocess.Popen.__init__ = begin  # type: ignore[method-assign]
    sys.meta_path.insert(0, Finder())
