"""The keeper: a process that has loaded what the command loads, and forks a new process for each run of it.

Loading takes 0.15 s of processor time, which is most of a short run. The keeper itself runs nothing, so each run begins
as a new process does, and sees nothing of the runs before it. What Python reads only at its start (`START`) is the same
in all of them: a run that changes that has a Python of its own. Standard library only, as it is run as a file.
"""

from __future__ import annotations

import gc
import json
import os
import select
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

START = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_")  # how variables begin that are read when a process starts
MODULES = (
    "subprocess",
    "tomllib",
    "yaml",
    "figmill.book.yaml_parser",
    "figmill.cli",
    "figmill.commands.build",
    "figmill.commands.group",
    "figmill.commands.lint",
    "figmill.commands.show",
    "figmill.commands.printing",
    "figmill.engine.build",
    "figmill.engine.dry_run",
    "figmill.engine.partial",
    "figmill.lint.lint",
    "figmill.report.json_",
)
MUCH = 1 << 17  # bytes of a request
LONGEST = 120.0  # seconds of a run


def _serve(control: socket.socket) -> None:
    """Fork a process for each request, and answer with its number, then with how it ended."""
    for name in (*MODULES, "figmill.render.processes"):
        import_module(name)
    warm = _helper("warm")
    os.fsync = unsynced
    _compute_digests()
    sandbox = import_module("figmill.enclosure.sandbox")
    sandbox.available("auto")  # starts bubblewrap twice to find out
    programs = os.environ.get("PATH")
    gc.collect()
    gc.freeze()
    running: dict[int, tuple[int, socket.socket]] = {}  # by the descriptor of the process
    poll = select.poll()
    poll.register(control, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor != control.fileno():
                pid, answer = running.pop(descriptor)
                poll.unregister(descriptor)
                os.close(descriptor)
                _, status = os.waitpid(pid, 0)
                with suppress(OSError), answer:
                    answer.send(str(os.waitstatus_to_exitcode(status)).encode())
                continue
            data, descriptors, _, _ = socket.recv_fds(control, MUCH, 4)
            if not data:
                return
            *streams, last = descriptors
            pid = os.fork()
            if not pid:
                for one in (
                    control.fileno(),
                    last,
                    *running,
                    *(line.fileno() for _, line in running.values()),
                ):
                    os.close(one)
                wish = json.loads(data)
                if address := wish.pop("warm"):
                    warm.use(lambda: address)
                if wish.pop("lacks_landlock"):
                    _helper("lacking").without_landlock()
                if wish["env"].get("PATH") != programs:
                    sandbox._strongest.cache_clear()
                _run(streams, **wish)
            for stream in streams:
                os.close(stream)
            answer = socket.socket(fileno=last)
            answer.send(str(pid).encode())
            beside = os.pidfd_open(pid)
            running[beside] = pid, answer
            poll.register(beside, select.POLLIN)


def _compute_digests() -> None:
    """Of figmill's own code, which is a quarter of a short build; and read its own words."""
    versions, words = import_module("figmill.versions"), import_module("figmill.page_words")
    for key in versions.CODE:
        versions.code(key)
    for place in ("page", "gallery"):
        words.english(place)


def unsynced(descriptor: int) -> None:
    """In the place of `os.fsync`: no test ends with a power failure, and a build waits ten times for the disk.

    Syncs that fail are tested on a Python of its own, as are processes that are killed at one.
    """


def _run(
    streams: Sequence[int], words: Sequence[str], env: Mapping[str, str], cwd: str, as_user: bool
) -> None:
    """In a new process: run the command, as `python -m figmill` does. as_user: as `book.without_rights` has it."""
    if as_user:
        kernel = import_module("figmill.enclosure.kernel")
        kernel.keep_capabilities(number for number in range(64) if number not in (1, 2))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    from figmill import __main__ as command

    sys.argv = [str(command.__file__), *words]
    command.run()


def _helper(name: str) -> Any:
    """A module beside this one, without a change of `sys.path`."""
    spec = spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Keeper:
    """The keeper of this process, and a way to run the command."""

    def __init__(self) -> None:
        self.start = _read_at_start(os.environ)
        self.control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self.process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(other.fileno())],
                pass_fds=(other.fileno(),),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )

    def serves(self, env: Mapping[str, str]) -> bool:
        """Whether a new Python would begin with these variables as the keeper did."""
        return _read_at_start(env) == self.start

    def run(
        self,
        words: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        as_user: bool = False,
        lacks_landlock: bool = False,
    ) -> tuple[int, str, str]:
        """The exit code, the output and the errors of the command. TimeoutExpired: it took too long, and was ended."""
        from helpers import warm  # of the tests, which run this as a module

        answer, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pipes = os.pipe(), os.pipe()
        null = os.open(os.devnull, os.O_RDONLY)
        request = {
            "words": words,
            "env": dict(env),
            "cwd": os.fspath(cwd),
            "warm": warm.in_use(),
            "as_user": as_user,
            "lacks_landlock": lacks_landlock,
        }
        given = [null, *(write for _, write in pipes), theirs.fileno()]
        try:
            socket.send_fds(self.control, [json.dumps(request).encode()], given)
        finally:
            theirs.close()
            for descriptor in given[:-1]:
                os.close(descriptor)
        with answer:
            pid = int(answer.recv(32))
            try:
                out, err = _read([read for read, _ in pipes])
                answer.settimeout(LONGEST)
                return int(answer.recv(32)), out, err
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(["figmill", *words], LONGEST) from None
            finally:
                for read, _ in pipes:
                    os.close(read)


def _read(descriptors: Sequence[int]) -> tuple[str, ...]:
    """All that is written to these pipes, as text."""
    texts = {descriptor: bytearray() for descriptor in descriptors}
    until = time.monotonic() + LONGEST
    with selectors.DefaultSelector() as waiting:
        for descriptor in descriptors:
            waiting.register(descriptor, selectors.EVENT_READ)
        while waiting.get_map():
            ready = waiting.select(max(0.0, until - time.monotonic()))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                texts[key.fd] += data
                if not data:
                    waiting.unregister(key.fd)
    return tuple(bytes(text).decode().replace("\r\n", "\n") for text in texts.values())


def _read_at_start(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(START)}


_own: list[Keeper] = []


def keeper() -> Keeper | None:
    """The keeper of this process, started if need be; None where processes cannot be kept so."""
    if sys.platform != "linux":
        return None
    if not _own:
        _own.append(Keeper())
    return _own[0]


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        _serve(socket.socket(fileno=int(sys.argv[1])))
