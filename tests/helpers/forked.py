"""Programs in Python that are started often: each run is a process of its own, forked of one that has the modules.

Most of the time of a small site's build is the loading of modules. A process forks for each run, and then loads what
that run has loaded, for the next ones. All else is new in each: the folder, the arguments, and what modules keep.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NoReturn

HERE = Path(__file__)  # which Python forgets after a script that fails
DRAWS = "figmill.render.processes"  # loaded by a host that builds books
DIGESTS = "figmill.versions"


class Server:
    """The process that forks to run one program, a module or a script. env: of it, and of all its runs."""

    def __init__(self, program: str, env: Mapping[str, str]) -> None:
        self.program = program
        self.process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=dict(env),
            text=True,
            start_new_session=True,
        )

    def run(
        self, arguments: Sequence[str], cwd: Path, first: str = "", seconds: float = 180
    ) -> tuple[int, str, str]:
        """Run it with these arguments: its exit code, and what it has printed to stdout and to stderr.

        first: of `sys.path`, by default the folder where it runs.
        """
        assert self.process.stdin and self.process.stdout
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder) / "out", Path(folder) / "err"
            from helpers import warm  # of the tests, which run this as a module
            from helpers.keeper import keeper

            kept = keeper()
            wish = {
                "program": self.program,
                "arguments": arguments,
                "cwd": str(cwd),
                "first": first or str(cwd),
                "out": str(out),
                "err": str(err),
                "warm": warm.in_use(),
                "keeper": kept.address if kept else "",
            }
            print(json.dumps(wish), file=self.process.stdin, flush=True)
            if not select.select([self.process.stdout], [], [], seconds)[0]:
                os.killpg(self.process.pid, signal.SIGKILL)
                server.cache_clear()  # the next run has a new one
                raise TimeoutError(f"{self.program}: longer than {seconds} s")
            code = int(self.process.stdout.readline())
            return code, out.read_text("utf-8", "replace"), err.read_text("utf-8", "replace")


@cache
def server(program: str, env: tuple[tuple[str, str], ...]) -> Server:
    """The process for a program in this environment; it ends with this one, whose pipe it reads.

    Each has its own: a plugin that serves two hosts takes the one that is loaded.
    """
    return Server(program, dict(env))


def serve() -> None:
    """Read wishes, one a line, and answer with exit codes."""
    answers = os.fdopen(os.dup(1), "w")
    del sys.path[0]  # of this file
    os.fsync = unsynced
    for line in sys.stdin:
        wish = json.loads(line)
        reading, writing = os.pipe()
        gc.freeze()
        pid = os.fork()
        if not pid:
            os.close(reading)
            answers.close()
            become(wish, writing)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            loaded = pipe.read()
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(code, file=answers, flush=True)
        load(loaded.split())  # while the other process looks at what has been made


def unsynced(descriptor: int) -> None:
    """In the place of `os.fsync`, as in `keeper`."""


def load(names: Iterable[str]) -> None:
    """Import what a run has imported, and compute the digests of figmill's code, for the next ones."""
    for name in names:
        if name not in sys.modules:
            try:
                importlib.import_module(name)
            except Exception:  # which the program itself has seen to
                continue
    if versions := sys.modules.get(DIGESTS):
        for key in versions.CODE:
            versions.code(key)  # which is kept


def become(wish: Mapping[str, Any], tell: int) -> NoReturn:
    """Be the program of a wish. tell: where the names of its modules go."""
    for path, number in ((os.devnull, 0), (wish["out"], 1), (wish["err"], 2)):
        to = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(to, number)
        os.close(to)
    os.chdir(wish["cwd"])
    sys.path.insert(0, wish["first"])
    sys.argv[1:] = wish["arguments"]
    atexit.register(names, tell)
    if wish["warm"] and DRAWS in sys.modules:
        _helper("warm").use(lambda: wish["warm"])
    if wish["keeper"]:
        _helper("asking").use(wish["keeper"], wish["warm"])
    if wish["program"].endswith(".py"):
        runpy.run_path(wish["program"], run_name="__main__")
    else:
        runpy.run_module(wish["program"], run_name="__main__", alter_sys=True)
    sys.exit()


def _helper(name: str) -> Any:
    """As in `keeper`."""
    spec = spec_from_file_location(name, HERE.with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names(tell: int) -> None:
    """Write the names of all modules that belong to Python, to its libraries or to figmill."""
    roots = (sys.prefix, sys.base_prefix, str(HERE.parents[2] / "figmill"))
    modules = [
        name
        for name, module in list(sys.modules.items())
        if not name.startswith("__") and str(getattr(module, "__file__", None)).startswith(roots)
    ]
    os.write(tell, " ".join(modules).encode())
    os.close(tell)


if __name__ == "__main__":
    serve()
