"""Drawing on a cluster: real `dask scheduler` and `dask worker` processes on this machine."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers.book import DOT, HAND, REPOSITORY, Space
from helpers.machine import locked

from figmill import cluster
from figmill.cluster import client
from figmill.enclosure import landlock
from figmill.errors import ToolError
from figmill.kind.job import Job
from figmill.render.pool import Pool
from figmill.render.results import Drawn, NotDrawn

READER = """\
from pathlib import Path

import style


def draw():
    text = (Path(__file__).parent / "data.csv").read_text().strip() + style.MARK
    print("read the data")
    return f'digraph {{ a [label="{text}"] }}'
"""
SLOW = """\
import time


def draw(n: int, seconds: float = 0.3):
    time.sleep(seconds)
    return f"digraph {{ number -> {n} }}"
"""
MURDERER = """\
import os, signal


def draw():
    forkserver = os.getppid()
    worker = int(open(f"/proc/{forkserver}/stat").read().rpartition(")")[2].split()[1])
    os.kill(worker, signal.SIGKILL)
"""


@dataclass(frozen=True)
class Dask:
    """A scheduler and its workers."""

    address: str
    workers: tuple[subprocess.Popen[bytes], ...]
    folder: Path

    def leftovers(self) -> list[Path]:
        """Laid out books and scratch folders of builds."""
        walked = os.walk(self.folder)  # which does not mind folders that go while it looks
        return [
            Path(place, name)
            for place, folders, _ in walked
            for name in folders
            if name.startswith("figmill-")
        ]


@contextmanager
def dask(
    folder: Path, *, workers: int = 1, options: tuple[str, ...] = ("--no-nanny",), env: Mapping[str, str] = {}
) -> Iterator[Dask]:
    folder.mkdir()
    note = folder / "scheduler.json"
    allowed = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"} if "--nanny" in options else {}
    with ExitStack() as stack:
        arguments = ("scheduler", "--host", "127.0.0.1", "--port", "0")
        stack.enter_context(started(folder, arguments, allowed))
        wait_until(note.exists)
        crew = tuple(stack.enter_context(worker(folder, options, env)) for _ in range(workers))
        yield Dask(json.loads(note.read_text())["address"], crew, folder)


@contextmanager
def worker(
    folder: Path, options: tuple[str, ...], env: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of the scheduler of this folder."""
    place = ("--host", "127.0.0.1", "--nthreads", "2", "--local-directory", str(folder))
    with started(folder, ("worker", *place, *options), env) as process:
        yield process


@contextmanager
def started(
    folder: Path, arguments: tuple[str, ...], env: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    common = ("--scheduler-file", str(folder / "scheduler.json"), "--no-dashboard")
    with open(folder / "log", "ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments, *common],
            stdout=log,
            stderr=log,
            env={**os.environ, **env},
        )
        try:
            yield process
        finally:
            ended(process)


def ended(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_until(is_so: object, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not is_so():  # type: ignore[operator]
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dask]:
    """A worker of two threads."""
    with dask(tmp_path_factory.mktemp("dask") / "one") as running:
        yield running


@pytest.fixture
def readers(book: Space) -> Space:
    """The book of one figure of each kind, and one that reads other files of the book."""
    book.write({"visuals/e.py": READER, "visuals/style.py": "MARK = '!'\n", "visuals/data.csv": "12\n"})
    return book.question("reader", "kind: dot, source: e.py, alt: a number")


def built_both_ways(space: Space, address: str) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The outputs and the ledger of a build on the cluster, and of one here."""
    builds = []
    for options in (("--scheduler", address), ()):
        done = space.run(*options, "--force")
        assert (done.code, done.err) == (0, "")
        assert "rendered" in done.out or "unchanged" in done.out
        builds.append({**space.outputs(), "ledger": space.kept("journal").encode()})
    return builds[0], builds[1]


def test_the_bytes_and_what_was_read_are_those_of_a_local_build(scheduler: Dask, readers: Space) -> None:
    """The pictures of other choices as well."""
    readers.write({"visuals/n.py": "def draw(n=1):\n    return f'digraph {{ a -> {n} }}'\n"})
    readers.question(
        "n", "kind: dot, source: n.py, params: {n: 1}, explore: {n: [1, 2, 3]}, alt: a graph of two"
    )
    there, here = built_both_ways(readers, scheduler.address)
    turned = [name for name in there if "/n/" in name]
    assert len(turned) == 4 and len(there) == 13 + len(turned)  # six figures in both themes, and the ledger
    assert there == here
    assert b"visuals/data.csv" in there["ledger"] and b"visuals/style.py" in there["ledger"]
    assert b'"explore"' in (readers.root / "build/manifest.json").read_bytes()
    assert readers.run().out == "6 figures, all fresh\n"
    wait_until(lambda: not scheduler.leftovers())


def test_failures_read_as_they_do_here(scheduler: Dask, space: Space) -> None:
    space.write(
        {
            "visuals/bad.dot": "digraph {\n a -> \n}",
            "visuals/raises.py": "def draw():\n    1 / 0\n",
            "visuals/slow.py": SLOW,
            "visuals/good.dot": DOT,
        }
    )
    space.question("bad", "source: bad.dot, alt: nothing")
    space.question("raises", "kind: dot, source: raises.py, alt: nothing")
    space.question("slow", "kind: dot, source: slow.py, params: {n: 1, seconds: 60}, timeout: 1, alt: x")
    space.question("good", "source: good.dot, alt: a good one")
    there, here = space.run("--scheduler", scheduler.address), space.run("--force")
    assert there.code == here.code == 1
    assert there.err == here.err
    assert "visuals/slow.py: took longer than 1 s" in there.err


def test_only_what_changed_is_sent_again(
    scheduler: Dask, readers: Space, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "figmill.cluster")
    readers.write({"visuals/only-here.txt": readers.root.as_posix()})  # what no worker can have yet

    def drawn() -> tuple[bytes, list[tuple[int, int]]]:
        """A graph, and how many files of how many were sent for it."""
        caplog.clear()
        (result,) = cluster.draw_all([Job("dot", "visuals/e.py", "draw")], readers.root, scheduler.address)
        assert isinstance(result, Drawn)
        sent = re.findall(r"sent (\d+) of (\d+) files", caplog.text)
        return result.raw.svg, [(int(some), int(all_)) for some, all_ in sent]

    before, sent = drawn()
    assert [files for _, files in sent] == [7]
    assert drawn() == (before, [])
    readers.write({"visuals/data.csv": f"other {readers.root.name}"})
    after, sent = drawn()
    assert b">other " in after
    assert sent == [(1, 7)]
    readers.write({"visuals/data.csv": "12\n"})
    assert drawn() == (before, [])  # its content was there before


def test_a_graph_is_sent_alone_with_what_it_looks_for(
    scheduler: Dask, space: Space, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "figmill.cluster")
    aside = {f"visuals/aside-{number}.txt": f"{space.root} {number}" for number in range(20)}
    space.write(
        {
            **aside,
            "visuals/plain.dot": "digraph { plain }",
            "visuals/long.dot": "digraph { long }" + f" // {space.root}" * 4000,
            "visuals/shown.dot": 'digraph { a [image="icon.svg" label=""] }',
            "visuals/again.dot": 'digraph { b [image="icon.svg" label=""] }',
            "visuals/gone.dot": 'digraph { b [image="gone.svg"] }',
            "visuals/wrong.dot": "digraph { a -> }",
            "docs/outside.dot": 'digraph { b [image="outside.svg"] }',
            "visuals/icon.svg": HAND + f"<!-- {space.root} -->",
            "docs/outside.svg": HAND,
        }
    )
    names = ("plain", "long", "shown", "again", "gone", "wrong")
    jobs = [Job("dot", f"visuals/{name}.dot", "file") for name in names]
    jobs.append(Job("dot", "docs/outside.dot", "file"))
    there = list(cluster.draw_all(jobs, space.root, scheduler.address))
    sent = [int(some) for some in re.findall(r"sent (\d+) of \d+ files", caplog.text)]
    assert sum(sent) == 2, "the long source and the picture, each once; the others travel with their jobs"
    with Pool(space.root) as pool:
        here = list(pool.draw_all(jobs[:-1]))
    for name, mine, theirs in zip(names, here, there[:-1], strict=True):
        if isinstance(mine, Drawn):
            assert isinstance(theirs, Drawn) and theirs.raw == mine.raw, name
        else:
            assert isinstance(theirs, NotDrawn) and str(theirs.error) == str(mine.error), name
    assert all(isinstance(result, Drawn) for result in here[:4])
    assert (
        isinstance(there[-1], NotDrawn) and "reads docs/outside.svg, which is not" in there[-1].error.message
    )


def test_sources_of_graphs_follow_a_script_only_if_it_looks(
    scheduler: Dask, space: Space, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "figmill.cluster")
    here = "from pathlib import Path\nHERE = Path(__file__).parent\n"
    sources = {
        f"visuals/many/{number}.dot": f"digraph {{ a -> {number} }} // {space.root}" for number in range(9)
    }
    space.write(
        {
            **sources,
            "visuals/none.py": "def draw():\n    return 'digraph { none }'\n",
            "visuals/opens.py": f"{here}def draw():\n    return (HERE / 'many/3.dot').read_text()\n",
            "visuals/lists.py": f"{here}def draw():\n    n = len([*HERE.glob('many/*.dot')])\n"
            "    return f'digraph {{ a -> {n} }}'\n",
            # C code opens it, so no one sees that; what it says is enough.
            "visuals/unseen.py": f"{here}import lxml.etree as etree\ndef draw():\n"
            "    root = etree.parse(str(HERE / 'x.drawio')).getroot()\n    return f'digraph {{ {root.tag} }}'\n",
            "visuals/x.drawio": f"<mxfile><!-- {space.root} --></mxfile>",
        }
    )
    sent = []
    for name, word in (("none", ">none<"), ("opens", ">3<"), ("lists", ">9<"), ("unseen", ">mxfile<")):
        caplog.clear()
        (result,) = cluster.draw_all(
            [Job("dot", f"visuals/{name}.py", "draw")], space.root, scheduler.address
        )
        assert isinstance(result, Drawn) and word.encode() in result.raw.svg, result
        sent.append(sum(int(some) for some in re.findall(r"sent (\d+) of", caplog.text)))
    # The scripts; one graph; the eight others; the drawing.
    assert sent == [4, 1, 8, 1]


def test_a_file_that_is_not_sent_is_no_part_of_a_drawing(scheduler: Dask, space: Space) -> None:
    lenient = """\
from pathlib import Path


def draw():
    try:
        text = (Path(__file__).parent.parent / "notes.txt").read_text()
    except OSError:
        text = "nothing"
    return f"digraph {{ {text} }}"
"""
    space.write({"visuals/p.py": lenient, "notes.txt": "some"})
    space.write({"visuals/opens.py": "def draw():\n    open(__file__ + '.csv')\n"})
    space.question("p", "kind: dot, source: p.py, alt: the notes")
    space.question("opens", "kind: dot, source: opens.py, alt: nothing")
    done = space.run("--scheduler", scheduler.address)
    assert done.code == 1
    assert "visuals/p.py: reads notes.txt, which is not sent to the cluster" in done.err
    assert f"'{space.root}/visuals/opens.py.csv'" in done.err
    assert "the cluster has only the files in the visuals folders" in done.err


def test_whoever_stops_early_leaves_nothing_behind(scheduler: Dask, space: Space) -> None:
    space.write({"visuals/slow.py": SLOW, "visuals/d.svg": HAND})
    jobs = [Job("dot", "visuals/slow.py", "draw", {"n": n, "seconds": 30 * n}) for n in range(4)]
    began = time.monotonic()
    drawn = cluster.draw_all([*jobs, Job("svg", "visuals/d.svg", "file")], space.root, scheduler.address)
    assert isinstance(next(drawn), Drawn)
    assert scheduler.leftovers()
    drawn.close()
    wait_until(lambda: not scheduler.leftovers(), 5)
    assert time.monotonic() - began < 20


@pytest.mark.soak
def test_a_worker_killed_in_the_middle_changes_no_byte(tmp_path: Path, space: Space) -> None:
    from distributed import Client

    space.write({"visuals/slow.py": SLOW})
    for n in range(16):
        space.question(f"slow-{n:02}", f"kind: dot, source: slow.py, params: {{n: {n}}}, alt: n")
    with dask(tmp_path / "two", workers=2) as running:
        with Client(running.address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        command = [sys.executable, "-m", "figmill", "--scheduler", running.address]
        build = subprocess.Popen(command, cwd=space.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until(lambda: (space.root / "build").exists() and len(space.outputs()) >= 2, 30)
        running.workers[0].send_signal(signal.SIGKILL)
        seen = len(space.outputs())
        out, err = build.communicate(timeout=60)
        assert (build.returncode, err) == (0, b"")
        assert seen < 16, "the worker was killed too late to matter"
        assert b"16 figures, 16 rendered" in out
    there = space.outputs()
    assert space.run("--force").code == 0
    assert there == space.outputs()


def test_a_figure_that_kills_its_workers_fails_alone(tmp_path: Path, space: Space) -> None:
    locked()  # which the nanny of a worker needs
    space.write({"visuals/murderer.py": MURDERER, "visuals/a.dot": DOT})
    space.question("a-bad-one", "kind: dot, source: murderer.py, alt: nothing")
    space.question("good", "source: a.dot, alt: a graph")
    # Out of a sandbox no script could even see its worker: the workers' path has no bubblewrap. From Linux 6.12 on
    # the kernel refuses the signal there, too.
    bare = {"PATH": str(tmp_path)}
    with dask(tmp_path / "nanny", options=("--nanny", "--nthreads", "1"), env=bare) as running:
        done = space.run("--scheduler", running.address)
    assert done.code == 1
    refused = "visuals/murderer.py:7: PermissionError: [Errno 1] Operation not permitted"
    killed = "visuals/murderer.py: killed 1 Dask workers in turn, while nothing else was drawn"
    assert (refused if landlock.version() >= 6 else killed) in done.err
    assert set(space.outputs()) == {"build/global/good.svg", "build/global/good.dark.svg"}


def test_a_cluster_without_workers(
    tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The build says that it waits for a worker, and begins when one comes."""
    space.write({"visuals/a.dot": DOT})
    jobs = [Job("dot", "visuals/a.dot", "file")]
    monkeypatch.setattr(client, "SILENT", 0.1)
    with dask(tmp_path / "dask", workers=0) as running:
        monkeypatch.setattr(client, "WAIT", 0.5)
        hint = f"start one with `dask worker {running.address}`"
        with pytest.raises(ToolError, match=f"has no workers; {hint}"):
            list(cluster.draw_all(jobs, space.root, running.address))
        assert caplog.messages == [f"figmill: waiting up to 0.5 s for a worker of {running.address}; {hint}"]
        monkeypatch.setattr(client, "WAIT", 120.0)
        command = [sys.executable, "-m", "dask", "worker", running.address, "--no-nanny", "--no-dashboard"]
        log = (tmp_path / "log").open("wb")
        late = subprocess.Popen(
            [*command, "--local-directory", str(tmp_path)], stdout=log, stderr=subprocess.STDOUT
        )
        try:
            (result,) = cluster.draw_all(jobs, space.root, running.address)
            assert isinstance(result, Drawn)
            assert len(caplog.messages) == 2
        finally:
            ended(late)
            log.close()


def test_a_scheduler_that_is_not_there(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "CONNECT", 0.5)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        space.write({"visuals/a.dot": DOT})
        with pytest.raises(ToolError, match=f"no Dask scheduler answers at {address} .*dask scheduler"):
            list(cluster.draw_all([Job("dot", "visuals/a.dot", "file")], space.root, address))


@pytest.mark.parametrize("address", ["localhost", "http://localhost:8786", "tcp://", "8786"])
def test_an_address_that_is_none(book: Space, address: str) -> None:
    jobs = [Job("dot", "visuals/a.dot", "file")]
    with pytest.raises(ToolError, match=f"--scheduler {address}: give it as tcp://HOST:PORT"):
        list(cluster.draw_all(jobs, book.root, address))


def test_the_extra_is_named_where_it_is_missing(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ToolError, match=r"pip install 'figmill\[cluster\]'"):
        list(cluster.draw_all([Job("dot", "visuals/a.dot", "file")], space.root, "tcp://127.0.0.1:1"))


def test_hand_drawings_ask_no_cluster(space: Space) -> None:
    space.write({"visuals/d.svg": HAND})
    (result,) = cluster.draw_all([Job("svg", "visuals/d.svg", "file")], space.root, "tcp://127.0.0.1:1")
    assert isinstance(result, Drawn)


def test_a_sweep_of_scenarios_is_replayed_by_the_cluster(scheduler: Dask) -> None:
    table = str(REPOSITORY / "visuals/data/stalls.csv")
    command = [sys.executable, "-m", "figmill_timelines.training.whatif", table, "--carry"]
    here = subprocess.run(command, capture_output=True, text=True, check=True)
    there = subprocess.run(
        [*command, "--scheduler", scheduler.address], capture_output=True, text=True, check=True
    )
    assert here.stdout == there.stdout
    assert len(here.stdout.splitlines()) == 10


@pytest.fixture
def other_version(tmp_path: Path) -> Mapping[str, str]:
    """The environment of a Python that takes its pygraphviz for another."""
    other = tmp_path / "site" / "pygraphviz-0.0.1.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: pygraphviz\nVersion: 0.0.1\n")
    return {"PYTHONPATH": str(other.parent)}


def test_other_versions_are_refused_by_name(
    scheduler: Dask, other_version: Mapping[str, str], small_book: Space
) -> None:
    """Of the scheduler, which is asked before its workers."""
    done = small_book.run("--scheduler", scheduler.address, env=other_version)
    assert done.code == 2
    told = rf"figmill: the scheduler {scheduler.address} has pygraphviz [\d.]+ \(here 0\.0\.1\); .*\n"
    assert re.fullmatch(told, done.err)
    assert small_book.outputs() == {}


@pytest.mark.soak
def test_other_versions_of_a_worker_are_refused_by_name(
    scheduler: Dask, other_version: Mapping[str, str], small_book: Space
) -> None:
    """Of one worker among others. Last here, as nobody waits until the scheduler has lost it."""
    from distributed import Client

    with worker(scheduler.folder, ("--no-nanny",), other_version):
        with Client(scheduler.address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        done = small_book.run("--scheduler", scheduler.address)
    assert done.code == 2
    told = r"figmill: the worker tcp://127\.0\.0\.1:\d+ has pygraphviz 0\.0\.1 \(here [\d.]+\); .*\n"
    assert re.fullmatch(told, done.err)
    assert small_book.outputs() == {}
