"""The sandbox around what draws: what is asked of it, what it keeps from a script, and what is said without one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from helpers.book import Ran, Space
from helpers.disturbed import remaining
from helpers.machine import sandboxed

from figmill.enclosure import limits, process_tree, sandbox, view
from figmill.errors import ToolError

REQUIRED = 'sandbox = "require"\n'
SCRIPT = """\
import os
from pathlib import Path

from matplotlib.figure import Figure


def draw():
    {code}
    return Figure()
"""


@pytest.fixture(autouse=True)
def afresh() -> None:
    sandbox._strongest.cache_clear()


def drawn(space: Space, codes: Mapping[str, str], setting: str) -> Ran:
    """A book with one script for each piece of code."""
    space.write({"figmill.toml": setting})
    for number, (name, code) in enumerate(codes.items()):
        space.write({f"visuals/{name}.py": SCRIPT.format(code=code)})
        space.question(f"q{number}", f"kind: matplotlib, source: {name}.py, alt: nothing")
    return space.run()


@pytest.fixture
def enclosed() -> None:
    sandboxed()


KEPT = {
    # what a script tries by means that Python does not see -> what must come of it
    "write into the book": "assert os.system('echo x > {book}/visuals/written 2>/dev/null') != 0",
    "write beside its scratch folder": "assert os.system('echo x > {place}/written 2>/dev/null') != 0",
    "remove a source": "assert os.system('rm -f {book}/visuals/keep 2>/dev/null') != 0",
    "see other processes": "assert len([p for p in os.listdir('/proc') if p.isdigit()]) < 20",
    "reach a server of this machine": (
        "import errno, socket\n    try: socket.create_connection(('127.0.0.1', {port}))\n"
        "    except OSError as error: assert error.errno == errno.EAFNOSUPPORT\n    else: assert False"
    ),
    "read the book": "assert Path('{book}/visuals/keep').read_text() == 'kept'",
    "write into its scratch folder": "Path('x').write_text('y'); assert not os.path.islink('x')",
}


def test_a_script_is_kept_to_its_scratch_folder(space: Space, tmp_path: Path, enclosed: None) -> None:
    space.write({"visuals/keep": "kept"})
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        places = {"book": space.root, "place": tmp_path, "port": port}
        done = drawn(space, {name: code.format(**places) for name, code in KEPT.items()}, REQUIRED)
        assert (done.code, done.err) == (0, "")
    assert not (space.root / "visuals/written").exists() and not (tmp_path / "written").exists()
    assert space.read("visuals/keep") == "kept"


def test_without_the_sandbox_the_same_would_have_come_through(space: Space, tmp_path: Path) -> None:
    """The measure itself: what the sandbox keeps away is really tried."""
    code = KEPT["write beside its scratch folder"].format(place=tmp_path)
    done = drawn(space, {"x": code}, 'sandbox = "off"\n')
    assert (done.code, "AssertionError" in done.err) == (1, True)
    assert (tmp_path / "written").exists()


def test_require_fails_where_there_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    message = "bubblewrap is for Linux only" if sys.platform != "linux" else "bubblewrap is not installed"
    with pytest.raises(ToolError, match=f'sandbox = "require", but {message}'):
        sandbox.enclosed(["true"], tmp_path, "require")
    assert sandbox.enclosed(["true"], tmp_path, "auto") == ["true"]
    assert sandbox.enclosed(["true"], tmp_path, "off") == ["true"]


def test_a_place_below_dev_is_told_with_what_to_do(tmp_path: Path) -> None:
    below = Path("/dev/shm/book")
    with pytest.raises(ToolError, match=r"^/dev/shm/book is below /dev, .*; move the book$"):
        view.arguments(tmp_path, below, ())
    with pytest.raises(ToolError, match=r"; set TMPDIR to another folder$"):
        view.arguments(below, tmp_path, ())
    (tmp_path / "link").symlink_to(below)
    with pytest.raises(ToolError, match="link is below /dev"):
        view.arguments(tmp_path, tmp_path / "link", ())
    view.arguments(tmp_path, Path("/devices"), ())


def test_a_python_from_a_relative_folder_of_the_path_draws(space: Space, enclosed: None) -> None:
    """`sys.executable` then is a path from the folder in which Python was started."""
    space.write({"figmill.toml": REQUIRED, "visuals/a.dot": "graph { a }"})
    space.question("a", "source: a.dot, alt: a node")
    folder = os.path.relpath(Path(sys.executable).parent, space.root)
    done = subprocess.run(
        [Path(sys.executable).name, "-m", "figmill"],
        cwd=space.root,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux")
def test_a_bubblewrap_that_may_not_work_is_told_in_its_own_words(space: Space, tmp_path: Path) -> None:
    forbidden = tmp_path / "bin/bwrap"
    forbidden.parent.mkdir()
    forbidden.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    forbidden.chmod(0o755)
    path = f"{forbidden.parent}:{os.environ['PATH']}"
    space.write({"figmill.toml": REQUIRED, "visuals/a.dot": "graph { a }"})
    space.question("a", "source: a.dot, alt: a node")
    done = space.run(env={"PATH": path})
    assert (done.code, done.err) == (
        2,
        'figmill: sandbox = "require", but bubblewrap does not work here: '
        "bwrap: No permissions to create new namespace\n",
    )
    space.write({"figmill.toml": 'sandbox = "auto"\n'})
    assert space.run(env={"PATH": path}).code == 0


def test_the_environment_holds_nothing_of_the_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "hunter2")
    environment = sandbox.environment(tmp_path)
    assert "GITHUB_TOKEN" not in environment
    assert set(environment) - set(sandbox.FIXED) - set(sandbox.PASSED) == {
        "HOME",
        "USERPROFILE",
        "TMPDIR",
        "TMP",
        "TEMP",
        "XDG_CACHE_HOME",
        "MPLCONFIGDIR",
    }
    assert environment["HOME"] == str(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX")
def test_limits_are_hard_and_are_handed_down() -> None:
    """A script cannot raise them again, nor can what it starts."""
    shell = "ulimit -Ht; ulimit -Hc; ulimit -Hf"
    code = (
        "import subprocess\nfrom figmill.enclosure import limits\nlimits.limit(1 << 30, 7)\n"
        f"print(subprocess.run(['bash', '-c', '{shell}'], capture_output=True, text=True).stdout)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, core, blocks = done.stdout.split()
    assert (seconds, core) == ("12", "0")
    assert int(blocks) * 1024 == limits.FILE_SIZE


def test_bubblewrap_that_hangs_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text(f"#!/bin/sh\n: {tmp_path}\nsh -c 'sleep 79; : {tmp_path}' &\nwait\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(sandbox, "LONG", 0.3)
    assert sandbox._why_not() == "bubblewrap does not work here: it did not finish within 0.3 s"
    assert remaining(tmp_path) == []  # not what it has started either


def test_a_look_ahead_that_may_open_no_file_prints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for the answer looks again, and tells it."""
    asked, raised = threading.Event(), list[object]()

    def fails() -> None:
        asked.set()
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(sandbox, "_strongest", fails)
    monkeypatch.setattr(threading, "excepthook", raised.append)
    before = set(threading.enumerate())
    sandbox.look_ahead()
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
    assert asked.wait(10) and raised == []
    with pytest.raises(OSError, match="Too many open files"):
        sandbox.available("auto")


def test_what_a_process_has_left_behind_ends_with_it_though_it_ended_by_itself() -> None:
    started = subprocess.Popen(
        ["sh", "-c", "sleep 61 & echo $!"], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert started.stdout is not None
    left = int(started.stdout.readline())
    os.waitid(os.P_PID, started.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has waited for it
    assert is_running(left)
    process_tree.end_started(started)
    started.communicate(timeout=10)
    deadline = time.monotonic() + 10
    while is_running(left):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
