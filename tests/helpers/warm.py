"""Warm processes for tests: a build gets one that is forked of a process which has the libraries loaded.

Loading is most of a small build: 0.3 s of processor time for what settles figures, 1 s for matplotlib. So a server
loads the libraries of each set of kinds once, and forks. All else is as in a build outside of tests: the process lives
in the bubblewrap that the build itself has started, under its limits, and runs `worker.main` with the setting of the
build. Where the sandbox is another one, and in tests of these processes themselves, a build starts its own.

In place of Python, bubblewrap starts a shell that waits. The fork enters its namespaces, gives up what it has given
up, and becomes the warm process; when that ends, the shell ends with its exit code.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

SHARED = (sys.prefix, sys.base_prefix, str(Path(__file__).parents[2]))  # what all builds may load from
MUCH = 1 << 18  # bytes of a request
KEPT = 10  # sets of kinds whose libraries stay loaded
WAITS = "echo; read code; exit ${code:-1}"  # what stands in the sandbox for the process
NAMESPACES = 0x20000 | 0x08000000 | 0x20000000 | 0x40000000  # mount, IPC, PID, net: linux/sched.h

# --- in the build ---


def use(address: Callable[[], str]) -> None:
    """Have the builds of this process take their warm processes from a server. address: empty: start their own."""
    from figmill.enclosure import sandbox
    from figmill.enclosure.mode import Mode
    from figmill.render import processes

    start = processes.start_process

    def started(setting: Any, environment: dict[str, str], **options: Any) -> subprocess.Popen[bytes]:
        is_suited = setting.way == "fork" and sandbox.available(setting.enclosure)[0] is Mode.EACH
        if not is_suited or not (to := address()):
            return start(setting, environment, **options)
        path = processes.library_path(Path(setting.root))
        if not all(name.startswith(SHARED) for name in (*path, *setting.fonts)):
            return start(setting, environment, **options)  # it has libraries or fonts of its own
        inside = {**environment, sandbox.ENCLOSED: Mode.EACH.value}
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
            line.connect("\0" + to)
            line.sendall(json.dumps({"key": _key(setting, inside, path)}).encode())
            if line.recv(1) != b"+":
                return start(setting, environment, **options)
            also = [Path(name) for name in (*setting.fonts, *setting.read)]
            command = sandbox.enclosed(
                ["/bin/sh", "-c", WAITS],
                Path(setting.scratch),
                setting.enclosure,
                Path(setting.root),
                also,
            )
            wish = {"argument": json.dumps(asdict(setting)), "env": inside}
            options |= {"env": environment, "cwd": setting.scratch}
            return _in_place(command, line, json.dumps(wish).encode(), options)

    processes.start_process = started


def _key(setting: Any, environment: Mapping[str, str], path: list[str]) -> str:
    """What loaded libraries depend on."""
    same = {name: value for name, value in environment.items() if value != setting.scratch}
    return json.dumps([setting.kinds, setting.fonts, setting.preload, path, same], sort_keys=True)


def _in_place(
    command: list[str], line: socket.socket, wish: bytes, options: dict[str, Any]
) -> subprocess.Popen[bytes]:
    """Start the sandbox with a shell in it, and have the server put the process there."""
    control = options["stdin"]
    info, of_info = os.pipe()
    ready, of_shell = os.pipe()
    errors, of_errors = os.pipe()
    wait, of_wait = os.pipe()
    options |= {"stdin": wait, "stdout": of_shell, "stderr": of_errors, "pass_fds": (of_info,)}
    try:
        command = [command[0], "--info-fd", str(of_info), *command[1:]]
        process = subprocess.Popen(command, **options)
        process.stderr = open(errors, "rb")  # noqa: SIM115 - the launcher closes it
        socket.send_fds(line, [wish], [control.fileno(), of_errors, info, ready, of_wait])
        line.recv(1)  # until another process holds them
    finally:
        for descriptor in (info, of_info, ready, of_shell, of_errors, wait, of_wait):
            os.close(descriptor)
    return process


# --- the server ---


def serve(address: str) -> None:
    """Fork warm processes until standard input ends."""
    import select

    from figmill.render import worker  # noqa: F401 - what all of them have

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for its children
    kept: dict[str, socket.socket | None] = {}
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind("\0" + address)
        listening.listen(64)
        poll = select.poll()
        poll.register(0)
        poll.register(listening, select.POLLIN)
        print(flush=True)
        while all(number for number, _ in poll.poll()):
            line, _ = listening.accept()
            with line:
                _hand_on(line, listening, kept)


def _hand_on(line: socket.socket, listening: socket.socket, kept: dict[str, socket.socket | None]) -> None:
    """Hand a request to the process that has its libraries, which is made if need be."""
    asked = line.recv(MUCH)
    if not asked:
        return
    key = json.loads(asked)["key"]
    if key not in kept:
        if len(kept) >= KEPT and (oldest := kept.pop(next(iter(kept)))) is not None:
            oldest.close()
        kept[key] = _loaded(key, [listening, line, *filter(None, kept.values())])
    kept[key] = loaded = kept.pop(key)  # now the youngest
    if loaded is None:
        return
    line.sendall(b"+")
    wish, descriptors, _, _ = socket.recv_fds(line, MUCH, 5)
    if wish:
        socket.send_fds(loaded, [wish], descriptors)
    for descriptor in descriptors:
        os.close(descriptor)


def _loaded(key: str, others: list[socket.socket]) -> socket.socket | None:
    """A process with the libraries of a key; None if they cannot be loaded: then the build says why."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if not os.fork():
        for other in (*others, ours):
            other.close()
        _be_loaded(key, theirs)
    theirs.close()
    if ours.recv(1) == b"+":
        return ours
    ours.close()
    return None


def _be_loaded(key: str, control: socket.socket) -> NoReturn:
    """Load the libraries, then fork for each request."""
    import gc

    from figmill.kinds import KINDS
    from figmill.late import imported
    from figmill.render import import_tracer, worker

    kinds, fonts, preload, path, environment = json.loads(key)
    home = tempfile.mkdtemp()
    names = ("HOME", "USERPROFILE", "TMPDIR", "TMP", "TEMP", "XDG_CACHE_HOME", "MPLCONFIGDIR")
    try:
        os.environ.clear()
        os.environ.update({**environment, **dict.fromkeys(names, home)})
        before = dict(os.environ)
        os.chdir(home)
        sys.path[:] = path
        gc.disable()
        for kind in kinds:
            module = KINDS[kind].load()
            module.warm(fonts)
            module.warm = _has_loaded
        imports = import_tracer.ImportTracer()
        imports.install()
        if preload:
            imported(preload)()
            where, _, name = preload.partition(":")
            setattr(import_module(where), name, _has_loaded)
        imports.install = _has_loaded
        worker.ImportTracer = lambda: imports  # it knows who has imported which module
        gc.freeze()
        tempfile.tempdir = None
        changed = {name: os.environ.get(name) for name in _changed(before, os.environ)}
        control.sendall(b"+")
        while True:
            wish, descriptors, _, _ = socket.recv_fds(control, MUCH, 5)
            if not wish:
                break
            if not os.fork():
                control.close()
                _watch(json.loads(wish), changed, *descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
    finally:
        shutil.rmtree(home, ignore_errors=True)
        os._exit(0)


def _has_loaded(*_: object) -> None:
    """What loads libraries, where they are loaded."""


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}


def _watch(
    wish: dict[str, Any],
    changed: Mapping[str, str | None],
    control: int,
    errors: int,
    info: int,
    ready: int,
    wait: int,
) -> NoReturn:
    """Enter the sandbox of a request, fork the process there, and tell the shell how it ends.

    changed: what loading has made of the environment; None: taken away.
    """
    try:
        from figmill.enclosure import kernel, process_tree

        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        text = b""
        while not text.rstrip().endswith(b"}"):
            if not (more := os.read(info, 1 << 12)):
                return  # bubblewrap has said what is wrong
            text += more
        first = json.loads(text)["child-pid"]
        if not os.read(ready, 1):
            return
        (shell,) = process_tree.children(first)
        with open(f"/proc/{shell}/status", encoding="ascii") as file:
            status = dict(line.split(":\t") for line in file.read().splitlines() if ":\t" in line)
        held = int(status["CapPrm"], 16)
        first_process = os.pidfd_open(first)
        kernel.call("setns", first_process, NAMESPACES)
        for descriptor in (info, ready, first_process):
            os.close(descriptor)
        pid = os.fork()
        if not pid:
            os.close(wait)
            kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
            kernel.keep_capabilities(number for number in range(64) if held >> number & 1)
            env = {**wish["env"], **changed}
            _become(wish["argument"], {k: v for k, v in env.items() if v is not None}, control, errors)
        os.close(control)
        os.close(errors)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.write(wait, f"{code if code >= 0 else 128 - code}\n".encode())
    except OSError:
        pass  # the build has ended the sandbox
    finally:
        os._exit(0)


def _become(argument: str, environment: Mapping[str, str], control: int, errors: int) -> NoReturn:
    """Be the warm process, as `processes._BOOT` is."""
    import traceback

    from figmill.render import worker

    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for source, number in ((control, 0), (null, 1), (errors, 2)):
            os.dup2(source, number)
            os.close(source)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = ["-c", argument]
        worker.main(argument)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


# --- in the tests ---

_BOOT = (
    "from importlib.util import module_from_spec, spec_from_file_location; "
    "spec = spec_from_file_location('warm', {file!r}); warm = module_from_spec(spec); "
    "spec.loader.exec_module(warm); warm.serve({address!r})"
)
_COMMAND = (
    "import sys; sys.path[0] = {folder!r}; import asking, warm; del sys.path[0]; "
    "warm.use(lambda: {address!r}); asking.use({keeper!r}, {address!r}); "
    "from figmill import __main__ as command; sys.argv[0] = command.__file__; command.run()"
)
_own: list[str] = []
_starting = threading.Lock()
own_alone = [False]  # whether builds start their own


def command(*arguments: str) -> list[str]:
    """The command in a new process of Python, as a command line. What it runs of figmill, the keeper runs."""
    from helpers.keeper import keeper

    address, kept = in_use(), keeper()
    if not address or kept is None:
        return [sys.executable, "-u", "-m", "figmill", *arguments]
    folder = str(Path(__file__).parent)
    program = _COMMAND.format(folder=folder, address=address, keeper=kept.address)
    return [sys.executable, "-u", "-c", program, *arguments]


def in_use() -> str:
    """The address of this process's server, started if need be; empty where builds start their own."""
    if own_alone[0] or sys.platform != "linux" or os.geteuid() != 0:
        return ""
    with _starting:
        if not _own:
            _own.append(_started(f"figmill-warm-{os.getpid()}"))
    return _own[0]


def _started(address: str) -> str:
    """The address of a new server, which ends with this process."""
    from figmill.enclosure import sandbox

    boot = _BOOT.format(file=__file__, address=address)
    kept = {name: os.environ[name] for name in sandbox.PASSED if name in os.environ}
    process = subprocess.Popen(
        [sys.executable, "-s", "-P", "-c", boot],
        env={**kept, **sandbox.FIXED},
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None and process.stdin is not None
    process.stdout.readline()
    atexit.register(process.stdin.close)
    return address
