"""What the processes of a figure take, as it is counted."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from figmill.enclosure import usage

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it is read from Linux's /proc")
MIB = 1 << 20


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    """One with 20 MiB, four threads, 100 sockets, and a file of 3 MiB that has no name."""
    code = (
        "import os, socket, sys, tempfile, threading, time\n"
        "own = bytearray(b'x') * (20 << 20)\n"
        "for _ in range(3): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "kept = [socket.socketpair() for _ in range(50)]\n"
        "file = tempfile.TemporaryFile(); file.write(bytes(3 << 20)); file.flush()\n"
        "print('ready', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None and started.stdout.readline() == "ready\n"
        yield started
        started.kill()


def test_what_a_process_takes(process: subprocess.Popen[str]) -> None:
    taken = usage.of(process.pid)
    assert taken.threads == 4 and 20 * MIB < taken.memory < 60 * MIB
    sockets = 100 * usage.BUFFERS["socket"]
    assert not usage.hold_more_than(sockets + 60 * MIB, {process.pid: taken}, 0)
    assert usage.hold_more_than(sockets + 15 * MIB, {process.pid: taken}, 0)
    assert usage.hold_more_than(sockets + 60 * MIB, {process.pid: taken}, 0, 60 * MIB)


def test_nobody_takes_nothing() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert usage.of(gone.pid) == usage.Taken()
    assert not usage.hold_more_than(0, {gone.pid: usage.Taken()}, 0)
    assert usage.held_in(gone.pid, ("/tmp",)) == 0


def test_a_folder_is_over_by_bytes_by_files_and_by_what_has_no_name(
    tmp_path: Path, process: subprocess.Popen[str]
) -> None:
    for name in ("a/b/one", "two"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(bytes(2 * MIB))
    (tmp_path / "away").symlink_to("/usr")
    assert not usage.is_over(str(tmp_path), [], 5 * MIB, 5)
    assert usage.is_over(str(tmp_path), [], 3 * MIB, 5)
    assert usage.is_over(str(tmp_path), [], 5 * MIB, 4)
    assert usage.is_over(str(tmp_path), [process.pid], 5 * MIB, 5)
    assert not usage.is_over(str(tmp_path / "gone"), [], 0, 0)


def test_a_hole_takes_no_room_and_what_is_allocated_does(tmp_path: Path) -> None:
    with open(tmp_path / "x", "wb") as file:
        file.truncate(64 * MIB)
        assert not usage.is_over(str(tmp_path), [], MIB, 5)
        os.posix_fallocate(file.fileno(), 0, 2 * MIB)
        assert usage.is_over(str(tmp_path), [], MIB, 5)


def test_folders_too_deep_for_a_path_are_too_many(tmp_path: Path) -> None:
    here = os.getcwd()
    deep, count = "d" * 200, 25
    try:
        os.chdir(tmp_path)
        for _ in range(count):
            os.mkdir(deep)
            os.chdir(deep)
        assert usage.is_over(str(tmp_path), [], MIB, 1000)
        for _ in range(count):
            os.chdir("..")
            os.rmdir(deep)
    finally:
        os.chdir(here)


def test_looking_at_an_ordinary_process_takes_little() -> None:
    """It is done twenty times a second for each child."""
    with ExitStack() as stack:
        for _ in range(10):
            stack.enter_context(socket.socket())
        began = time.process_time()
        for _ in range(20):
            usage.hold_more_than(1 << 40, {os.getpid(): usage.of(os.getpid())}, 0)
            usage.is_over("/proc/self/ns", [os.getpid()], 1 << 40, 1000)
        assert time.process_time() - began < 0.2
