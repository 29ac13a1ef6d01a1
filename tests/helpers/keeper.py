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
import shutil
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
ENCODING = "PYTHONIOENCODING"  # but for this, which a run can have of its own
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


def _serve(listening: socket.socket) -> None:
    """Fork a process for each request, and answer with its number, then with how it ended; until stdin ends."""
    for name in (*MODULES, "figmill.render.processes"):
        import_module(name)
    warm = _helper("warm")
    os.fsync = unsynced
    _compute_digests()
    sandbox = import_module("figmill.enclosure.sandbox")
    sandbox.available("auto")  # starts bubblewrap twice to find out
    start, programs = read_at_start(os.environ), _of_the_sandbox(os.environ)
    gc.collect()
    gc.freeze()
    running: dict[int, tuple[int, socket.socket]] = {}  # by the descriptor of the process
    poll = select.poll()
    poll.register(0)
    poll.register(listening, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if not descriptor:
                return
            if descriptor != listening.fileno():
                pid, line = running.pop(descriptor)
                poll.unregister(descriptor)
                os.close(descriptor)
                _, status = os.waitpid(pid, 0)
                with suppress(OSError), line:
                    line.send(str(os.waitstatus_to_exitcode(status)).encode())
                continue
            line, _ = listening.accept()
            data, streams, _, _ = socket.recv_fds(line, MUCH, 3)
            wish = json.loads(data or "null")
            if wish is None or read_at_start(wish["env"]) != start:
                pid = 0
            elif not (pid := os.fork()):
                for other in (listening, line, *(line for _, line in running.values())):
                    other.close()
                for other in running:
                    os.close(other)
                if address := wish.pop("warm"):
                    warm.use(lambda: address)
                if wish.pop("lacks_landlock", False):
                    _helper("lacking").without_landlock()
                if _of_the_sandbox(wish["env"]) != programs:
                    sandbox._strongest.cache_clear()
                _run(streams, **wish)
            for stream in streams:
                os.close(stream)
            if not pid:
                line.close()
                continue
            line.send(str(pid).encode())
            beside = os.pidfd_open(pid)
            running[beside] = pid, line
            poll.register(beside, select.POLLIN)


def _of_the_sandbox(env: Mapping[str, str]) -> tuple[str | None, ...]:
    """The programs that make a sandbox."""
    return tuple(shutil.which(name, path=env.get("PATH", "")) for name in ("bwrap", "unshare"))


def _compute_digests() -> None:
    """Of figmill's own code, which is a quarter of a short build; and read its own words."""
    versions, page_words = import_module("figmill.versions"), import_module("figmill.page_words")
    for key in versions.CODE:
        versions.code(key)
    for place in ("page", "gallery"):
        page_words.english(place)


def unsynced(descriptor: int) -> None:
    """In the place of `os.fsync`: no test ends with a power failure, and a build waits ten times for the disk.

    Syncs that fail are tested on a Python of its own, as are processes that are killed at one.
    """


def _run(
    streams: Sequence[int], arguments: Sequence[str], env: Mapping[str, str], cwd: str, as_user: bool = False
) -> None:
    """In a new process: run the command, as `python -m figmill` does. as_user: as `book.without_rights` has it."""
    if as_user:
        kernel = import_module("figmill.enclosure.kernel")
        kernel.keep_capabilities(number for number in range(64) if number not in (1, 2))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if encoding := env.get(ENCODING):
        for text in (sys.stdin, sys.stdout, sys.stderr):
            text.reconfigure(encoding=encoding, errors=text.errors)  # type: ignore[union-attr]
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    from figmill import __main__ as command

    sys.argv = [str(command.__file__), *arguments]
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
        self.start = read_at_start(os.environ)
        self.address = f"figmill-keeper-{os.getpid()}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
            listening.bind("\0" + self.address)
            listening.listen(64)
            self.process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(listening.fileno())],
                pass_fds=(listening.fileno(),),
                cwd="/",
                stdin=subprocess.PIPE,  # which ends with this process
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )

    def serves(self, env: Mapping[str, str]) -> bool:
        """Whether a new Python would begin with these variables as the keeper did."""
        return read_at_start(env) == self.start

    def run(
        self,
        arguments: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        as_user: bool = False,
        lacks_landlock: bool = False,
        given: str = "",
    ) -> tuple[int, str, str]:
        """The exit code, the output and the errors of the command. TimeoutExpired: it took too long, and was ended.

        given: what it reads from standard input.
        """
        from helpers import asking, warm  # of the tests, which run this as a module

        pipes = os.pipe(), os.pipe()
        stdin = os.memfd_create("stdin")
        os.write(stdin, given.encode())
        os.lseek(stdin, 0, os.SEEK_SET)
        request = {
            "arguments": arguments,
            "env": dict(env),
            "cwd": os.fspath(cwd),
            "warm": warm.in_use(),
            "as_user": as_user,
            "lacks_landlock": lacks_landlock,
        }
        streams = [stdin, *(write for _, write in pipes)]
        try:
            asked = asking.Run(self.address, request, streams)
        finally:
            for descriptor in streams:
                os.close(descriptor)
        assert asked.pid is not None
        try:
            out, err = _read([read for read, _ in pipes])
            return asked.code(LONGEST), out, err
        except TimeoutError:
            os.kill(asked.pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(["figmill", *arguments], LONGEST) from None
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


def read_at_start(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(START) and name != ENCODING}


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
