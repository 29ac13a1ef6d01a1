"""Scripts that take more than a figure's share, or what is not theirs: each in a real book, in each mode.

Whatever a script does, the other figure is built, the message says what happened, and nothing is left on the machine:
no process, no file, no memory, no process of the user that is less willing than before.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from helpers.book import Space
from helpers.disturbed import remaining

from figmill.enclosure import sandbox

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(sys.platform != "linux", reason="what scripts are held to is Linux's"),
]

ENCLOSED, BARE, OFF = "enclosed", "bare", "off"
SETTINGS = {ENCLOSED: "require", BARE: "auto", OFF: "off"}
REFUSED = "PermissionError: [Errno 1] Operation not permitted"
READ_ONLY = "OSError: [Errno 30] Read-only file system"
UNREADABLE = ", because a script sees only the book"
MEMORY = "ran out of memory: a figure may use 256 MiB"
FULL = "OSError: No space left on device; a script may write 512 MiB of temporary files"
WRITTEN = "wrote more than 512 MiB, 10,000 files, or folders too deep to count to its folder"
NO_NETWORK = "OSError: a script has no network"
HIDDEN = "FileNotFoundError: [Errno 2] No such file or directory"
DRAWN = ""  # the attack gets nothing, and knows it

PREFACE = """\
import ctypes, fcntl, mmap, os, resource, shutil, socket, stat, subprocess, sys, threading, time
from pathlib import Path
from matplotlib.figure import Figure

BOOK = Path(__file__).parents[1]
HONEST = os.fsencode(BOOK / "visuals/honest.py")
LIBC = ctypes.CDLL(None, use_errno=True)
MIB = 1 << 20


def must(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def fill(path, size):
    with open(path, "wb") as file:
        for _ in range(size // MIB):
            file.write(b"x" * MIB)


def draw():
    attack()
    return Figure(figsize=(1, 1))


def attack():
"""


@dataclass(frozen=True)
class Attack:
    """code: of `attack`. says: what the figure's message holds, by mode; in other modes nothing is promised."""

    code: str
    says: Mapping[str, str]
    files: Mapping[str, str] = field(default_factory=dict)  # of the book
    memory: str = "256 MiB"


def everywhere(outcome: str) -> dict[str, str]:
    return {ENCLOSED: outcome, BARE: outcome, OFF: outcome}


ATTACKS: Mapping[str, Attack] = {
    # memory that no limit of a process counts
    "memory without a file": Attack(
        "for n in range(8):\n    fd = os.memfd_create('x')\n    os.posix_fallocate(fd, 0, 250 * MIB)",
        everywhere(REFUSED),
    ),
    "segments": Attack(
        "for n in range(8):\n    LIBC.shmat(must(LIBC.shmget(0x66690000 + n, 250 * MIB, 0o1600)), None, 0)",
        everywhere(REFUSED),
    ),
    "queues of messages": Attack("must(LIBC.msgget(0x66690000, 0o1600))", everywhere(REFUSED)),
    "POSIX queues": Attack("must(LIBC.mq_open(b'/forged', 0o102, 0o600, None))", everywhere(REFUSED)),
    "anonymous shared memory, of which a page stays mapped": Attack(
        "kept = []\nLIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]\n"
        "for n in range(10):\n    kept.append(mmap.mmap(-1, 200 * MIB))\n"
        "    kept[-1][::4096] = b'x' * (200 * MIB // 4096)\n"
        "    at = ctypes.addressof(ctypes.c_char.from_buffer(kept[-1]))\n"
        "    LIBC.munmap(at + 4096, 200 * MIB - 4096)",
        everywhere(REFUSED),
    ),
    "the device of zeros, shared": Attack(
        "for n in range(10):\n    mmap.mmap(os.open('/dev/zero', os.O_RDONLY), 200 * MIB, prot=mmap.PROT_READ)",
        {ENCLOSED: UNREADABLE, BARE: UNREADABLE},
    ),
    "shared memory with a name": Attack(
        "for n in range(2):\n    fill(f'/dev/shm/forged{n}', 120 * MIB)\n    fill(f'own{n}', 90 * MIB)\ntime.sleep(9)",
        {ENCLOSED: MEMORY, BARE: UNREADABLE},
    ),
    "files in memory": Attack(
        "for n in range(2):\n    fill(f'{n}', 200 * MIB)\ntime.sleep(9)",
        {ENCLOSED: "MiB of it are temporary files"},
    ),
    "pages in pipes": Attack(
        "LIBC.vmsplice.restype = ctypes.c_ssize_t\nmust(LIBC.vmsplice(os.pipe()[1], None, 0, 0))",
        everywhere(REFUSED),
    ),
    "what sockets have not been asked for": Attack(
        "kept = []\nfor n in range(12):\n    if os.fork() == 0:\n"
        "        for _ in range(450):\n            kept.append(socket.socketpair())\n"
        "            for one in kept[-1]:\n                one.setblocking(False)\n"
        "                try:\n                    while True: one.send(b'x' * 60000)\n"
        "                except BlockingIOError: pass\n"
        "        time.sleep(20)\n        os._exit(0)\ntime.sleep(20)",
        everywhere(MEMORY),
    ),
    "many processes with memory each": Attack(
        "for n in range(8):\n    if os.fork() == 0:\n        own = bytearray(b'x') * (90 * MIB)\n"
        "        time.sleep(20)\n        os._exit(0)\ntime.sleep(20)",
        everywhere(MEMORY),
    ),
    # the disk
    "2.4 GB by fallocate": Attack(
        "for n in range(10):\n    os.posix_fallocate(os.open(f'{n}', os.O_CREAT | os.O_WRONLY), 0, 240 * MIB)\n"
        "time.sleep(9)",
        {ENCLOSED: FULL, BARE: WRITTEN, OFF: WRITTEN},
        memory="1 GiB",
    ),
    "files without a name": Attack(
        "for n in range(10):\n    fd = os.open('x', os.O_CREAT | os.O_WRONLY)\n    os.unlink('x')\n"
        "    os.posix_fallocate(fd, 0, 240 * MIB)\ntime.sleep(9)",
        {ENCLOSED: FULL, BARE: WRITTEN, OFF: WRITTEN},
        memory="1 GiB",
    ),
    "20,000 files": Attack(
        "for n in range(20_000):\n    open(f'{n}', 'w').close()\ntime.sleep(9)",
        {ENCLOSED: FULL, BARE: WRITTEN, OFF: WRITTEN},
    ),
    "one file that is too large": Attack(
        "fill('x', 300 * MIB)", everywhere("MiB of temporary files, and 256 MiB to one"), memory="1 GiB"
    ),
    # threads and processes
    "4,718 threads": Attack(
        "threading.stack_size(32768)\nfor n in range(4718):\n"
        "    threading.Thread(target=time.sleep, args=(20,), daemon=True).start()",
        everywhere("started more than 256 threads at a time, so figmill ended it"),
    ),
    "100 processes": Attack(
        "for n in range(100):\n    if os.fork() == 0:\n        time.sleep(20)\n        os._exit(0)\ntime.sleep(20)",
        everywhere("started more than 64 processes at a time, so figmill ended it"),
    ),
    # what there is in a book besides sources
    "a socket in the book": Attack(
        "socket.socket(socket.AF_UNIX).connect(str(BOOK / 'listener'))", {ENCLOSED: NO_NETWORK}
    ),
    "a server of another figure": Attack("socket.create_server(('127.0.0.1', 0))", {ENCLOSED: NO_NETWORK}),
    "a checkout below the book": Attack(
        "(BOOK / 'deep/er/vendor/.git/config').read_text()",
        {ENCLOSED: HIDDEN},
        {"deep/er/vendor/.git/config": "token"},
    ),
    "what figmill keeps, in a first build": Attack(
        "time.sleep(1)\nassert not list((BOOK / '.figmill').glob('*')), 'seen'", {ENCLOSED: DRAWN}
    ),
    # what a script may only read, and others' willingness
    "nice for everybody": Attack("os.setpriority(os.PRIO_USER, 0, 19)", everywhere(REFUSED)),
    "nice for a group": Attack("os.setpriority(os.PRIO_PGRP, 0, 19)", everywhere(REFUSED)),
    "another's processors": Attack("os.sched_setaffinity(os.getppid() or 1, {0})", everywhere(REFUSED)),
    "mode of a source": Attack("must(LIBC.chmod(HONEST, 0))", {ENCLOSED: READ_ONLY, BARE: DRAWN}),
    "time of a source": Attack("must(LIBC.utimes(HONEST, bytes(32)))", {ENCLOSED: READ_ONLY, BARE: DRAWN}),
    "attribute of a source": Attack(
        "must(LIBC.setxattr(HONEST, b'user.forged', b'1', 1, 0))", {ENCLOSED: READ_ONLY, BARE: REFUSED}
    ),
}
HONEST = "from matplotlib.figure import Figure\ndef draw():\n    return Figure(figsize=(1, 1))\n"
STAMP = 1_500_000_000_000_000_000


@contextmanager
def neighbour() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the same user that has nothing to do with the build."""
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            yield process
        finally:
            process.kill()


def machine() -> list[str]:
    """What lies in this machine's shared memory."""
    kept = [Path(f"/proc/sysvipc/{name}").read_text().splitlines() for name in ("shm", "sem", "msg")]
    return [line for lines in kept for line in lines] + sorted(os.listdir("/dev/shm"))


@pytest.mark.parametrize(
    ("name", "how"), [(name, how) for name, attack in ATTACKS.items() for how in attack.says]
)
def test_an_attack_hurts_its_own_figure_alone(space: Space, tmp_path: Path, name: str, how: str) -> None:
    if how == ENCLOSED and (why := sandbox._why_not()):
        pytest.skip(why)
    attack, temporary, before = ATTACKS[name], tmp_path / "temporary", machine()
    temporary.mkdir()
    code = "".join(f"    {line}\n" for line in attack.code.splitlines())
    space.write(
        {
            **attack.files,
            "visuals/attack.py": PREFACE + code,
            "visuals/honest.py": HONEST,
            "figmill.toml": f'sandbox = "{SETTINGS[how]}"\nmemory = "{attack.memory}"\n',
        }
    )
    for figure in ("attack", "honest"):
        space.question(figure, f"kind: matplotlib, source: {figure}.py, alt: nothing")
    source = space.root / "visuals/honest.py"
    os.utime(source, ns=(STAMP, STAMP))
    mode = source.stat().st_mode
    env = {"TMPDIR": str(temporary)} | ({"PATH": str(tmp_path)} if how == BARE else {})
    with neighbour() as process:
        willing = os.getpriority(os.PRIO_PROCESS, process.pid), os.sched_getaffinity(process.pid)
        done = space.run(env=env)
        after = os.getpriority(os.PRIO_PROCESS, process.pid), os.sched_getaffinity(process.pid)
    told = "\n".join(line for line in done.err.splitlines() if line.startswith("visuals/"))
    assert (attack.says[how] in told) if attack.says[how] else not told, done.err
    assert done.code == (1 if attack.says[how] else 0), done.err
    assert (space.root / "build/global/honest.svg").is_file()
    assert machine() == before and after == willing
    assert list(temporary.iterdir()) == [] and remaining(temporary) == []
    status = source.stat()
    assert (status.st_mode, status.st_mtime_ns, os.listxattr(source)) == (mode, STAMP, [])
