"""What a Dask cluster costs a figure: the same jobs in the local pool, and through a scheduler on this machine.

    python -m benchmarks.cluster [FIGURES]

Both have as many slots as there are cores. "first": until the first result is there, which is where processes
are started, and files are sent. "each": what every further figure takes, all slots at work. Both are the best
of some rounds, here and there in turns.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from figmill import cluster
from figmill.kind.job import Job
from figmill.render.pool import Pool
from figmill.render.results import Drawn, Result

ROUNDS = 3
SLOTS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
GRAPH = "digraph {{ {} }}\n".format(" ".join(f"n{n} -> n{n + 1};" for n in range(9)))
PLOT = """\
from matplotlib.figure import Figure


def draw(n: int) -> Figure:
    figure = Figure(figsize=(4, 3))
    figure.add_subplot().plot([n * x for x in range(20)])
    return figure
"""


def main(figures: int) -> None:
    with tempfile.TemporaryDirectory() as folder, dask(Path(folder)) as address:
        root = Path(os.path.realpath(folder)) / "book"
        (root / "visuals").mkdir(parents=True)
        (root / "visuals/graph.dot").write_text(GRAPH)
        (root / "visuals/plot.py").write_text(PLOT)
        graphs = tuple(Job("dot", "visuals/graph.dot", "file") for _ in range(figures))
        plots = tuple(Job("matplotlib", "visuals/plot.py", "draw", {"n": n}) for n in range(figures))
        print(f"{figures} figures, {SLOTS} slots    {'first (s)':>18}    {'each (ms)':>18}    cluster's part")
        print(f"{'':24}    {'local  cluster':>18}    {'local  cluster':>18}    of each (ms)")
        for name, jobs in (("ten-node graphs", graphs), ("matplotlib plots", plots)):
            rounds = [
                (drawn_here(jobs, root), timed(cluster.draw_all(jobs, root, address))) for _ in range(ROUNDS)
            ]
            here, there = (tuple(map(min, zip(*times, strict=False))) for times in zip(*rounds, strict=False))
            first = f"{here[0]:8.2f} {there[0]:8.2f}"
            each = f"{here[1] * 1e3:8.1f} {there[1] * 1e3:8.1f}"
            print(f"{name:24}    {first:>18}    {each:>18}    {(there[1] - here[1]) * 1e3:8.1f}")


def drawn_here(jobs: Sequence[Job], root: Path) -> tuple[float, float]:
    with Pool(root, slots=SLOTS) as pool:
        return timed(pool.draw_all(jobs))


def timed(results: Iterable[Result]) -> tuple[float, float]:
    """Seconds until the first result, and for each further one."""
    began = time.perf_counter()
    stamps = []
    for result in results:
        assert isinstance(result, Drawn), result
        stamps.append(time.perf_counter())
    return stamps[0] - began, (stamps[-1] - stamps[0]) / max(1, len(stamps) - 1)


@contextmanager
def dask(folder: Path) -> Iterator[str]:
    """A scheduler and one worker on this machine; yields the scheduler's address."""
    note = folder / "scheduler.json"
    command = [sys.executable, "-m", "dask"]
    common = ["--scheduler-file", str(note), "--no-dashboard"]
    with ExitStack() as stack:
        for words in (
            ["scheduler", "--host", "127.0.0.1", "--port", "0"],
            ["worker", "--no-nanny", "--nthreads", str(SLOTS), "--local-directory", str(folder)],
        ):
            with open(folder / "log", "ab") as log:
                process = subprocess.Popen([*command, *words, *common], stdout=log, stderr=log)
            stack.callback(process.wait)
            stack.callback(process.terminate)
            while not note.exists():
                time.sleep(0.05)
        yield json.loads(note.read_text())["address"]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
