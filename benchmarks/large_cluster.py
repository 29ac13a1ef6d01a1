"""A large book on a Dask cluster: planning, drawing, the scheduler's memory, and a worker that dies.

    python -m benchmarks.large_cluster [FIGURES [DRAWN]]

Plans books of a fifth, two fifths and all of the figures. Draws a hundredth and all of DRAWN (default: FIGURES) through
a scheduler and two workers of one thread on this machine. In the larger run, one worker is killed after a third of the
figures, and another one comes. All figures must arrive, in order, each with its own drawing. One script is drawn,
too: a worker needs none of the other sources for that.

If a run fails, what the scheduler and the workers wrote is printed.

Times that count are of processors: of this process, of the scheduler, and of the workers with all that draws for them.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from figmill import cluster
from figmill.kind.job import Job
from figmill.render.results import Drawn

FOLDER = 1_000  # figures in one folder
SAMPLE = 500  # figures between two looks at the scheduler's memory
TOLD = 10_000  # figures between two words on the way, on standard error
PLAN = """
import json, resource, sys, time
from pathlib import Path
from figmill.config import load
from figmill.engine.load import look
root = Path(sys.argv[1])
began = time.perf_counter(), time.process_time()
state = look(root, load(root))
took = time.perf_counter() - began[0], time.process_time() - began[1]
assert len(state.steps) == int(sys.argv[2]), len(state.steps)
print(json.dumps([*took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10]))
"""


def name_of(number: int) -> str:
    return f"t{number // FOLDER:03d}/q-{number:06d}"


def write_book(root: Path, figures: int) -> None:
    """A book of small graphs, each with its own word."""
    for number in range(figures):
        source, question = root / f"visuals/{name_of(number)}.dot", root / f"questions/{name_of(number)}.yaml"
        if number % FOLDER == 0:
            source.parent.mkdir(parents=True)
            question.parent.mkdir(parents=True)
        source.write_text(f"digraph {{ start -> n{number} }}\n", encoding="utf-8")
        question.write_text(
            f"id: q-{number:06d}\ntrack: t{number // FOLDER:03d}\n"
            f"visual: {{source: q-{number:06d}.dot, alt: 'Start, then node {number}.'}}\n",
            encoding="utf-8",
        )


def planned(root: Path, figures: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PLAN, str(root), str(figures)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    seconds, used, peak = json.loads(done.stdout)
    print(
        f"| planning of {figures:,} figures | {seconds:.1f} s, processor time {used:.1f} s | "
        f"{used / figures * 1e6:.0f} us a figure | {peak} MB |",
        flush=True,
    )


@dataclass(slots=True)
class Dask:
    """A scheduler and workers of one thread on this machine."""

    folder: Path
    stack: ExitStack
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def note(self) -> Path:
        return self.folder / "scheduler.json"

    def add_worker(self) -> None:
        words = ["worker", "--no-nanny", "--nthreads", "1", "--local-directory", str(self.folder)]
        self.workers.append(started(self.folder, words, self.stack))

    def used(self) -> tuple[float, float]:
        """Seconds of processor time so far: of the scheduler, and of the workers with the processes below them.

        What a killed worker used is lost.
        """
        tick = os.sysconf("SC_CLK_TCK")
        times = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                after = (folder / "stat").read_text().rpartition(")")[2].split()
                times[int(folder.name)] = int(after[1]), sum(map(int, after[11:15])) / tick
        below = {process.pid for process in self.workers}
        while more := {pid for pid, (parent, _) in times.items() if parent in below} - below:
            below |= more
        nothing = (0, 0.0)
        return times.get(self.scheduler.pid, nothing)[1], sum(times.get(pid, nothing)[1] for pid in below)

    def resident(self) -> float:
        """MB of the scheduler's memory now."""
        pages = int(Path(f"/proc/{self.scheduler.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize() / (1 << 20)


def started(folder: Path, words: list[str], stack: ExitStack) -> subprocess.Popen[bytes]:
    log = stack.enter_context((folder / "log").open("ab"))
    command = [
        sys.executable,
        "-m",
        "dask",
        *words,
        "--scheduler-file",
        str(folder / "scheduler.json"),
        "--no-dashboard",
    ]
    process = subprocess.Popen(command, stdout=log, stderr=log)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    return process


@contextmanager
def dask(folder: Path) -> Iterator[Dask]:
    folder.mkdir()
    with ExitStack() as stack:
        found = Dask(
            folder, stack, started(folder, ["scheduler", "--host", "127.0.0.1", "--port", "0"], stack)
        )
        while not found.note.exists():
            time.sleep(0.05)
        for _ in range(2):
            found.add_worker()
        try:
            yield found
        except BaseException:
            print((folder / "log").read_text(errors="replace")[-4000:], file=sys.stderr)
            raise


def drawn(root: Path, folder: Path, figures: int, *, loses: bool) -> None:
    jobs = [Job("dot", f"visuals/{name_of(number)}.dot", "file") for number in range(figures)]
    with dask(folder) as there:
        address = json.loads(there.note.read_text())["address"]
        memory, began, first, number = [], time.perf_counter(), 0.0, 0
        used = time.process_time()
        for number, result in enumerate(cluster.draw_all(jobs, root, address)):
            assert isinstance(result, Drawn), result
            assert f">n{number}<".encode() in result.raw.svg, (number, result.raw.svg)
            first = first or time.perf_counter()
            if number % SAMPLE == 0:
                memory.append(there.resident())
            if number % TOLD == TOLD - 1:
                print(
                    f"{number + 1:,} after {time.perf_counter() - began:.0f} s, scheduler {memory[-1]:.0f} MB",
                    file=sys.stderr,
                    flush=True,
                )
            if loses and number == figures // 3:
                there.workers[0].send_signal(signal.SIGKILL)
                there.add_worker()
        assert number == figures - 1
        used = time.process_time() - used
        scheduler, workers = there.used()
        each = (time.perf_counter() - first) / max(1, figures - 1)
    lost = ", one worker killed after a third, all figures there" if loses else ""
    print(
        f"| drawing of {figures:,} figures{lost} | {first - began:.1f} s to the first, "
        f"then {each * 1e3:.2f} ms a figure; processor time a figure: this process {used / figures * 1e3:.2f} ms, "
        f"scheduler {scheduler / figures * 1e3:.2f} ms, workers {workers / figures * 1e3:.2f} ms | "
        f"scheduler: first {memory[0]:.0f}, middle {memory[len(memory) // 2]:.0f}, last {memory[-1]:.0f}, "
        f"most {max(memory):.0f} MB | client {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB |",
        flush=True,
    )


def one_script(root: Path, folder: Path) -> None:
    """A script in a large book: what its worker receives."""
    (root / "visuals/script.py").write_text(
        "def draw():\n    return 'digraph { a -> b }'\n", encoding="utf-8"
    )
    with dask(folder) as there:
        address = json.loads(there.note.read_text())["address"]
        began, used = time.perf_counter(), time.process_time()
        (result,) = cluster.draw_all([Job("dot", "visuals/script.py", "draw")], root, address)
        assert isinstance(result, Drawn), result
        took, used = time.perf_counter() - began, time.process_time() - used
    print(
        f"| one script in that book | {took:.1f} s, processor time of this process {used:.1f} s | | |",
        flush=True,
    )


def main(figures: int, most: int) -> None:
    print(
        f"{os.cpu_count()} cores, Python {sys.version.split()[0]}\n\n| what | time | each | memory |\n|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        place = Path(os.path.realpath(folder))
        root = place / "book"
        for size in (figures // 5, figures * 2 // 5, figures):
            shutil.rmtree(root, ignore_errors=True)
            write_book(root, size)
            planned(root, size)
        one_script(root, place / "dask-script")
        for size in (most // 100, most):
            drawn(root, place / f"dask-{size}", size, loses=size == most)


if __name__ == "__main__":
    counts = [int(word) for word in sys.argv[1:]] or [100_000]
    main(counts[0], counts[-1])
