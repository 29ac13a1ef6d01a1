"""Speed of the timelines, as a table: `python benchmarks/timelines.py [--trace-gb N]`."""

from __future__ import annotations

import argparse
import io
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from figmill_timelines.charts import gantt
from figmill_timelines.pipeline import schedules
from figmill_timelines.traces import readers
from figmill_timelines.training import stall_table, stalls

DATA = Path(__file__).parent.parent / "visuals" / "data"


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, the best of three where it is quick, and what came out."""
    best, found, begun = float("inf"), None, time.perf_counter()
    for _ in range(3):
        start = time.perf_counter()
        found = work()
        best = min(best, time.perf_counter() - start)
        if time.perf_counter() - begun > 5:
            break
    return best, found


def row(name: str, value: str, limit: str) -> None:
    print(f"{name:<52}{value:>14}{limit:>14}")


def svg(timeline: schedules.Timeline) -> str:
    out = io.StringIO()
    gantt.draw(timeline).savefig(out, format="svg")
    return out.getvalue()


@contextmanager
def trace(gigabytes: float) -> Iterator[Path]:
    """A trace in the PyTorch profiler's form: kernels and CPU calls with their arguments."""
    event = (
        '  {\n    "ph": "X", "cat": "%s", "name": "%s", "pid": %d, "tid": %d,\n    "ts": %d.125, "dur": %d.5,\n'
        '    "args": {"External id": %d, "device": 0, "context": 1, "stream": 7, "correlation": %d,\n'
        '      "grid": [128, 1, 1], "block": [256, 1, 1], "est. achieved occupancy %%": 62}\n  },\n'
    )
    kinds = (("kernel", "forward gemm", 0), ("kernel", "backward gemm", 0), ("cpu_op", "aten::mm", 9))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        with path.open("w") as stream:
            stream.write('{"schemaVersion": 1, "traceEvents": [\n')
            number = 0
            while stream.tell() < gigabytes * 1e9:
                for _ in range(10_000):
                    category, name, process = kinds[number % 3]
                    start = number // 3 * 20
                    stream.write(
                        event % (category, name, process, number % 3, start, 5 + number % 13, number, number)
                    )
                    number += 1
            stream.write('  {"ph": "M", "name": "process_name", "pid": 9, "args": {"name": "python"}}\n]}\n')
        yield path


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--trace-gb", type=float, default=0.25)
    gigabytes = arguments.parse_args().trace_gb
    row("what", "measured", "at most")
    seconds, middle = timed(lambda: schedules.simulate("1f1b", 64, 512, backward=2))
    row("simulate 1f1b, P = 64, M = 512 (65 536 operations)", f"{seconds:.3f} s", "0.2 s")
    seconds, _ = timed(lambda: schedules.facts("1f1b", middle))
    row("  its facts", f"{seconds:.3f} s", "")
    seconds, text = timed(lambda: svg(middle))
    row("  its figure", f"{seconds:.3f} s", "4 s")
    row("  its SVG", f"{len(text) / 1e6:.2f} MB", "3 MB")
    seconds, _ = timed(lambda: schedules.simulate("1f1b", 256, 1024, backward=2))
    row("simulate 1f1b, P = 256, M = 1024 (524 288)", f"{seconds:.3f} s", "2 s")
    for name in schedules.SCHEDULES:
        seconds, _ = timed(lambda name=name: schedules.simulate(name, 64, 512))  # type: ignore[misc]
        row(f"simulate {name}, P = 64, M = 512", f"{seconds:.3f} s", "")
    table = stall_table.read(DATA / "stalls.csv")
    seconds, _ = timed(lambda: stalls.sweep(table))
    row("nine stall scenarios, 120 steps x 4 GPUs", f"{seconds:.3f} s", "")
    with trace(gigabytes) as path:
        start = time.perf_counter()
        found = readers.read(path)
        svg(found.timeline)
        seconds = time.perf_counter() - start
        size = path.stat().st_size / 1e9
        row(
            f"trace of {size:.2f} GB, {found.events} events, to figure",
            f"{seconds:.1f} s",
            f"{60 * size:.0f} s",
        )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
            1 << (30 if sys.platform == "darwin" else 20)
        )
        row("  most memory of this process", f"{peak * 1000:.0f} MB", "500 MB")


if __name__ == "__main__":
    main()
