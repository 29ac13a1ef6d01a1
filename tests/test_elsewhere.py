"""Windows and macOS, as far as Linux can pretend: figmill needs nothing that they lack, and the bytes are the same.

No part of this replaces a run there, which `.github/workflows/ci.yml` does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from helpers import showcase
from helpers.book import REPOSITORY, CopyOf, Space, four_figures, two_figures
from helpers.elsewhere import SYSTEMS, on
from helpers.served import serving

from figmill.render.temp_dirs import MARKER

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux pretends to be another system")

MERMAID = "sequenceDiagram\n  worker->>server: pull\n  server-->>worker: gradients\n"
CHART = """\
{"data": {"values": [{"rank": "0", "ms": 3}, {"rank": "1", "ms": 5}]}, "mark": "bar",
 "encoding": {"x": {"field": "rank", "type": "nominal"}, "y": {"field": "ms", "type": "quantitative"}}}
"""
ALTAIR = """\
import altair

chart = altair.Chart(altair.Data(values=[{"rank": "0", "ms": 3}])).mark_bar().encode(x="rank:N", y="ms:Q")


def draw():
    return chart
"""
GRAPH = """\
import graphviz


def draw(ranks: int = 3) -> graphviz.Digraph:
    ring = graphviz.Digraph()
    for rank in range(ranks):
        ring.edge(f"rank {rank}", f"rank {(rank + 1) % ranks}")
    return ring
"""
READS = """\
import csv


def draw():
    with open("times.csv", newline="") as file, open("data/more.csv") as more:
        times = [ms for _, ms in csv.reader(file)] + [more.read()]
    with open("times.csv", "w") as file:  # the script's own from here on
        file.write("nothing")
    try:
        open("data/more.csv", "w")
    except PermissionError:
        return f"digraph {{ {' -> '.join(times)} }}"
"""


def every_kind(space: Space) -> Space:
    """A figure of each kind, from each sort of source."""
    four_figures(every_way_to_read(space)).write(
        {"visuals/m.mmd": MERMAID, "visuals/v.vl.json": CHART, "visuals/altair_bars.py": ALTAIR}
    )
    space.question("messages", "source: m.mmd, alt: a worker pulls gradients from a server")
    space.question("bars", "source: v.vl.json, alt: two bars of 3 and 5 ms")
    return space.question("script", "source: altair_bars.py, alt: one bar of 3 ms")


def every_way_to_read(space: Space) -> Space:
    """Graphs: from a script, from one that reads files, and from a file with the ends of lines of Windows."""
    space.write(
        {
            "visuals/ring.py": GRAPH,
            "visuals/reads.py": READS,
            "visuals/times.csv": "0,3\r\n1,5\r\n",
            "visuals/data/more.csv": "4",
            "visuals/crlf.dot": b'digraph {\r\n  "a b" -> c\r\n}\r\n',
        }
    )
    space.question("ring", "kind: dot, source: ring.py, alt: three ranks in a ring, params: {ranks: 3}")
    space.question("reads", "kind: dot, source: reads.py, alt: 3 leads to 5 which leads to 4")
    return space.question("ends", "source: crlf.dot, alt: a box that leads to c")


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def whole(space: Space) -> dict[str, bytes]:
    paths = (path for path in sorted((space.root / "build").rglob("*")) if path.is_file())
    return {path.relative_to(space.root).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.parametrize("figures", [every_way_to_read, pytest.param(every_kind, marks=pytest.mark.soak)])
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_same_bytes_from_every_system(
    system: str, figures: Callable[[Space], Space], copy_of: CopyOf, tmp_path: Path
) -> None:
    """With one more run that finds them fresh; and nothing is left among the temporary files."""
    here = copy_of(figures)
    other = Space(tmp_path / "other")
    there = on(system, tmp_path / "there")
    ran = figures(other).run("--jobs", "1", env=there)  # each further worker loads all libraries again
    assert ran.code == 0, ran.err
    assert "scripts ran without a sandbox: bubblewrap is for Linux only" in ran.err
    assert whole(other) == whole(here)
    assert other.run("--check", env=there).code == 0
    assert other.run("--quiet", env=there).out == ""
    assert other.read("visuals/times.csv") == "0,3\n1,5\n" and other.read("visuals/data/more.csv") == "4"
    other.write({"visuals/times.csv": "0,7\n"})
    assert "reads" in other.run("--check", env=there).out, "a file beside a script counts"
    assert left(tmp_path / "there") == []


@pytest.mark.soak
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_showcase_has_the_same_bytes_on_every_system(system: str, tmp_path: Path) -> None:
    here, other = showcase.built(tmp_path / "here"), showcase.written(tmp_path / "other")
    done = subprocess.run(
        [sys.executable, "-m", "figmill", "--quiet"],
        cwd=other.root,
        timeout=900,
        check=False,
        capture_output=True,
        env={**os.environ, **on(system, tmp_path / "there")},
    )
    assert done.returncode == 0, done.stderr
    assert whole(other) == whole(here)


@pytest.mark.parametrize("system", SYSTEMS)
def test_scripts_see_no_token_and_end_in_time_and_have_no_sandbox(
    space: Space, system: str, tmp_path: Path
) -> None:
    space.write({"visuals/s.py": "import os\n\n\ndef draw():\n    raise ValueError(sorted(os.environ))\n"})
    space.write({"visuals/endless.py": "def draw():\n    while True:\n        pass\n"})
    space.question("s", "kind: dot, source: s.py, alt: a box")
    space.question("endless", "kind: dot, source: endless.py, timeout: 1, alt: a box")
    there = {**on(system, tmp_path / "there"), "TOKEN": "secret"}
    said = space.run(env=there).err
    assert "PYTHONHASHSEED" in said and "TOKEN" not in said
    assert "visuals/endless.py: took longer than 1 s" in said, said
    needed = space.run("--sandbox", "require", env=there)
    assert needed.code == 2 and 'sandbox = "require", but bubblewrap is for Linux only' in needed.err


# A statement in a module of figmill -> what it must end with there.
TAKEN: Mapping[str, Mapping[str, str]] = {
    "win32": {
        "import fcntl": "ModuleNotFoundError",
        "import resource": "ModuleNotFoundError",
        "from os import fork": "ImportError",
        "import os; os.geteuid()": "AttributeError",
        "import os; os.pread": "AttributeError",
        "import signal; signal.SIGKILL": "AttributeError",
        "import socket; socket.AF_UNIX": "AttributeError",
        "import select; select.poll": "AttributeError",
        "open('/proc/self/status')": "FileNotFoundError",
        "import os; file = open('held', 'w'); os.remove('held')": "PermissionError",
        "import os; os.mkdir('in'); os.chdir('in'); os.rmdir('../in')": "PermissionError",
        "import os; open('a', 'w'); open('b', 'w'); os.rename('a', 'b')": "FileExistsError",
        "import os; os.symlink('a', 'b')": "PermissionError",
        "import socket, subprocess as s; s.Popen(['true'], stdin=socket.socketpair()[0])": "OSError",
        "import sys; assert sys.platform == 'win32'; import msvcrt": "",
    },
    "darwin": {
        "import os; os.sched_getaffinity(0)": "AttributeError",
        "import os; os.O_PATH": "AttributeError",
        "import os; os.memfd_create": "AttributeError",
        "import os; os.listdir('/proc/self/fd')": "FileNotFoundError",
        "import fcntl, resource, os; os.fork; os.geteuid()": "",
    },
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_is_not_there_is_not_there(system: str, tmp_path: Path) -> None:
    """Else the other tests would prove nothing. Libraries of others see this machine."""
    there = {**os.environ, **on(system, tmp_path / "there")}
    program = (
        "import json, sys, figmill\n"
        "import os; assert os.fork and sys.platform == 'linux'\n"
        "ended = {}\n"
        "for text in json.loads(sys.argv[1]):\n"
        "    try:\n"
        "        exec(text, {'__builtins__': figmill.__builtins__})\n"
        "        ended[text] = ''\n"
        "    except Exception as error:\n"
        "        ended[text] = type(error).__name__\n"
        "print(json.dumps(ended))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps([*TAKEN[system]])],
        env=there,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == TAKEN[system]


def test_a_second_build_waits_for_the_first_on_windows(space: Space, tmp_path: Path) -> None:
    two_figures(space).write({"visuals/b.py": "import time\ntime.sleep(3)\ndef draw(): ...\n"})
    space.question("slow", "kind: dot, source: b.py, alt: nothing")
    there = on("win32", tmp_path / "there")
    first = subprocess.Popen(
        [sys.executable, "-m", "figmill"],
        cwd=space.root,
        env={**os.environ, **there},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lock = space.root / ".figmill" / "lock"
    until = time.monotonic() + 30
    while not (lock.exists() and lock.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    second = space.run("--id", "graph", env=there)
    said, _ = first.communicate(timeout=60)
    assert f"waiting for another build of this book (process {first.pid})" in second.err
    assert second.code == 0, second.err
    assert "slow" in said


def test_a_killed_build_leaves_nothing_to_windows(space: Space, tmp_path: Path) -> None:
    """Its folder goes with the next build; that of a process that lives stays. There, signal 0 would be Ctrl-C."""
    there = on("win32", tmp_path / "there")
    ended = subprocess.Popen(["true"])
    ended.wait()
    for name, pid in (("figmill-ended", ended.pid), ("figmill-lives", os.getpid())):
        marker = {"figmill": "scratch", "pid": pid, "started": "", "uid": 0}
        folder = tmp_path / "there" / name
        folder.mkdir()
        (folder / MARKER).write_text(json.dumps(marker))
        os.chown(folder / MARKER, 0, 0) if os.geteuid() == 0 else pytest.skip(
            "Windows' files belong to user 0"
        )
    assert two_figures(space).run("--id", "hand", env=there).code == 0
    assert left(tmp_path / "there") == ["figmill-lives"]


@pytest.mark.parametrize("system", SYSTEMS)
def test_pages_are_served(space: Space, system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what a control asks for, drawn by a process that stays."""
    for name, value in on(system, tmp_path / "there").items():
        monkeypatch.setenv(name, value)
    two_figures(space).write({"visuals/ring.py": GRAPH})
    space.question("ring", "kind: dot, source: ring.py, alt: three ranks in a ring, params: {ranks: 3}")
    with serving(space) as served:
        answer = served.wish(served.enter(), "ring", ranks=5)
        assert answer.status == 200 and answer.json["pictures"], answer
        assert served.interrupt()[0] == 130


# What runs on Linux alone: modules that only the fork server reaches, and lines that look for what they use first.
OF_LINUX = (
    "figmill/enclosure/",
    "figmill/render/forkserver.py",
    "figmill/render/processes.py: send_fds",  # of the fork launcher
    "figmill/render/protocol.py: POLL",
    "figmill/render/connection.py: poll",
    "figmill/render/connection.py: POLLIN",
    "figmill/kind/vega.py: fork",  # of the fork server's helper
    "figmill/kind/vega.py: WTERMSIG",
    "figmill/kind/vega.py: SIGTRAP",
    "figmill/host/trees.py: fchmod",
    "figmill/host/trees.py: O_PATH",
)


@pytest.mark.soak
@pytest.mark.parametrize("system", SYSTEMS)
def test_no_line_uses_what_the_types_of_a_system_lack(system: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--platform", system, "--cache-dir", str(tmp_path)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    wrong = [line for line in done.stdout.splitlines() if "has no attribute" in line]
    assert any("figmill/enclosure/" in line for line in wrong), done.stdout
    assert [line for line in wrong if not any(is_known(line, row) for row in OF_LINUX)] == []


def is_known(line: str, row: str) -> bool:
    path, _, name = row.partition(": ")
    return line.startswith(path) and (not name or f'no attribute "{name}' in line)
