"""How a program asks the keeper for a run of the command; and, run as a file, the command `figmill` that asks it.

Standard library only: hosts load it, and pandoc and Node start it in place of the command.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

ADDRESS = (
    "FIGMILL_TESTS_KEEPER"  # a variable with the address of the keeper, the script of the command, and Python
)


class Run:
    """A run that a keeper has begun. pid: of its process; None: the keeper does not serve such a request."""

    def __init__(self, address: str, request: Mapping[str, Any], streams: Sequence[int]) -> None:
        """streams: standard input, output and errors. request: as `keeper.asked` takes it."""
        self.line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.line.connect("\0" + address)
        socket.send_fds(self.line, [json.dumps(request).encode()], streams)
        answer = self.line.recv(32)
        self.pid = int(answer) if answer else None

    def code(self, seconds: float | None = None) -> int:
        """Its exit code, once it has ended. TimeoutError: that took longer."""
        with self.line:
            self.line.settimeout(seconds)
            return int(self.line.recv(32))


def use(address: str, warm: str) -> None:
    """Have the keeper run what this process asks Python to run as `-m figmill`."""
    import subprocess

    subprocess.run = _instead(subprocess.run, address, warm)  # type: ignore[assignment]


def _instead(run: Callable[..., Any], address: str, warm: str) -> Callable[..., Any]:
    """`subprocess.run` that does so, and runs all else itself."""

    def kept(command: Any, *more: Any, **options: Any) -> Any:
        import subprocess
        import tempfile

        is_ours = (
            isinstance(command, list) and command[0] == sys.executable and command[2:4] == ["-m", "figmill"]
        )
        if not is_ours or command[1] not in ("-I", "-P") or not options.get("capture_output"):
            return run(command, *more, **options)
        env = dict(options.get("env") or os.environ)
        request = {"arguments": command[4:], "env": env, "cwd": os.getcwd(), "warm": warm}
        with open(os.devnull) as null, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            asked = Run(address, request, (null.fileno(), out.fileno(), err.fileno()))
            if asked.pid is None:
                return run(command, *more, **options)
            code = asked.code(options.get("timeout"))
            printed = [(file.seek(0), file.read())[1] for file in (out, err)]
        return subprocess.CompletedProcess(command, code, *printed)

    return kept


def main() -> None:
    """Be the command, by the keeper; else by its own script."""
    address, warm, command = os.environ[ADDRESS].split(" ", 2)
    env = {name: value for name, value in os.environ.items() if name != ADDRESS}
    request = {"arguments": sys.argv[1:], "env": env, "cwd": os.getcwd(), "warm": warm}
    asked = Run(address, request, (0, 1, 2))
    if asked.pid is None:
        os.execve(command, [command, *sys.argv[1:]], env)
    sys.exit(asked.code())


if __name__ == "__main__":
    main()
