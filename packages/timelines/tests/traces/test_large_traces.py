"""Large traces: the memory that they take, and that condensing them in chunks loses nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from figmill_timelines.spans import busy_per_lane
from figmill_timelines.traces import columns

MEASURE = """
from figmill_timelines.traces import readers
from figmill_timelines.traces.columns import Columns, to_timeline
{before}
def peak():  # of this process alone; getrusage counts what it was forked from
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
empty = peak()
{work}
print(peak() - empty)
"""


def measured(before: str, work: str) -> float:
    """MB more than before that this work takes, in a process of its own."""
    code = MEASURE.format(before=before, work=work)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600
    )
    return int(done.stdout) / 1024


@pytest.mark.parametrize("order", ["n", "(n * 7919) % 1_000_003"])
def test_a_million_spans_take_less_than_eighty_megabytes(order: str) -> None:
    megabytes = measured(
        "readers.read",
        f"found = Columns()\n"
        f"for n in range(1_000_000):\n"
        f"    k = {order}\n"
        f"    found.add(0, float(k), k + 0.75, ('forward', '', -1))\n"
        f"assert to_timeline(found, [0], ['a'], 'ms').condensed",
    )
    assert 10 < megabytes < 80


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("chunk", [7, 64, 1 << 18])
def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch, seed: int, chunk: int) -> None:
    source = np.random.default_rng(seed)
    rows = [
        (int(lane), float(s), float(s + d), ("forward", "backward")[int(k)])
        for lane, s, d, k in zip(
            source.integers(0, 3, 400),
            source.integers(0, 500, 400),
            source.exponential(3, 400),
            source.integers(0, 2, 400),
            strict=True,
        )
    ]
    # Another way: the time that at least one span of a lane covers, minute by minute.
    first = min(s for _, s, _, _ in rows)
    covered = []
    for lane in range(3):
        reached, total = float("-inf"), 0.0
        for s, e in sorted((s, e) for own, s, e, _ in rows if own == lane):
            total += max(0.0, e - max(s, reached))
            reached = max(reached, e)
        covered.append(total)
    for most in (columns.MOST_SPANS, 10):
        monkeypatch.setattr(columns, "CHUNK", chunk)
        monkeypatch.setattr(columns, "MOST_SPANS", most)
        table = columns.Columns()
        for lane, s, e, kind in rows:
            table.add(lane, s, e, (kind, "", -1))
        trace = columns.to_timeline(table, [0, 1, 2], ["a", "b", "c"], "ms")
        assert trace.condensed == (most == 10) and trace.origin == first
        assert busy_per_lane(trace.timeline) == pytest.approx(covered)


@pytest.mark.soak
def test_a_gigabyte_takes_less_than_four_hundred_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    with path.open("w") as stream:
        stream.write('{"traceEvents": [\n')
        number = 0
        while stream.tell() < 1_000_000_000:
            stream.writelines(
                f'{{"ph": "X", "cat": "kernel", "name": "void elementwise_kernel<{n % 50}>(int)", "pid": 0,'
                f' "tid": {7 + n % 4}, "ts": {3 * n}.25, "dur": {3 + n % 5}.5,'
                f' "args": {{"External id": {n}, "device": 0, "stream": {7 + n % 4}, "correlation": {n}}}}},\n'
                for n in range(number, number + 50_000)
            )
            number += 50_000
        stream.write("]}")
    assert measured("readers.read", f"assert readers.read({str(path)!r}).condensed") < 400  # MB
