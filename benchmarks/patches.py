"""What each patch of another library earns: processor time of drawings with it and without it, in interleaved pairs.

`python -m benchmarks.patches` prints rows of the table in docs/developers/benchmarks.md. A patch that earns less than a
tenth of what a reader waits for is deleted.
"""

from __future__ import annotations

import hashlib
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import Any

ROOT = Path(__file__).parent.parent
TIMES = 15  # pairs
ORDERS, GRAPHS = 12, 12  # processes, each with another heap; graphs that each lays out
PATCHES = ("figmill.kinds.plots.measures:settle", "figmill.render.preload:load")
DRAWINGS: Mapping[str, tuple[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "worker timeline": ("visuals/worker_timeline.py", {"jitter": 0.3}),
        "schedule of 16 x 64": (
            "visuals/pipeline_bubble.py",
            {"devices": 16, "microbatches": 64, "schedule": "1f1b", "p2p": 0.1},
        ),
    }
)


def serve(without: str) -> None:
    """Be a warm process without one patch: draw what each line of standard input names, in a child of its own."""
    from importlib import import_module

    from figmill.kind import script
    from figmill.kind.job import Job
    from figmill.kinds import KINDS
    from figmill.render import preload

    module, _, name = without.partition(":")
    if module:
        setattr(import_module(module), name, lambda: None)
    script.import_from_source(ROOT)
    plots = KINDS["matplotlib"].load()
    plots.warm(())
    preload.load()
    print("ready", flush=True)
    for line in sys.stdin:
        source, params = DRAWINGS[line.strip()]
        child = os.fork()
        if not child:
            plots.render(Job("matplotlib", source, "draw", params), ROOT)
            os._exit(0)
        _, status, usage = os.wait4(child, 0)
        print(1000 * (usage.ru_utime + usage.ru_stime) if status == 0 else "failed", flush=True)


def drawings() -> None:
    """A row for each patch and drawing."""
    servers = {
        patch: subprocess.Popen(
            [sys.executable, "-m", "benchmarks.patches", patch],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for patch in (".", *PATCHES)
    }

    def milliseconds(patch: str, drawing: str) -> float:
        server = servers[patch]
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(f"{drawing}\n")
        server.stdin.flush()
        return float(server.stdout.readline())

    for server in servers.values():
        assert server.stdout is not None and server.stdout.readline() == "ready\n"
    for drawing in DRAWINGS:
        rounds = [{patch: milliseconds(patch, drawing) for patch in servers} for _ in range(TIMES + 1)][1:]
        with_all = statistics.median(round_["."] for round_ in rounds)
        for patch in PATCHES:
            without = statistics.median(round_[patch] for round_ in rounds)
            ratio = statistics.median(round_[patch] / round_["."] for round_ in rounds)
            print(
                f"| {patch}: {drawing} | {with_all:.0f} ms | {without:.0f} ms without it | {ratio:.2f} |",
                flush=True,
            )
    for server in servers.values():
        assert server.stdin is not None
        server.stdin.close()
        server.wait()


def clusters(number: int) -> str:
    """A graph of clusters for fdp."""
    chance = random.Random(number)
    groups = 2 + number // 3
    nodes = [f"n{group}_{each}" for group in range(groups) for each in range(3)]
    bodies = (
        f"subgraph cluster_{g} {{ {' '.join(f'n{g}_{each};' for each in range(3))} }}" for g in range(groups)
    )
    edges = (f"{chance.choice(nodes)} -- {chance.choice(nodes)};" for _ in range(3 * groups))
    return "graph {\n" + "\n".join((*bodies, *edges)) + "\n}\n"


def layouts(seed: int) -> list[str]:
    """Digests of all layouts, made in a shuffled order in a process whose heap has holes."""
    from figmill.kinds import dot

    chance = random.Random(seed)
    blocks = [bytearray(chance.randrange(16, 5000)) for _ in range(2000)]
    chance.shuffle(blocks)
    del blocks[: chance.randrange(2000)]
    order = list(range(GRAPHS))
    chance.shuffle(order)
    digests = {
        number: hashlib.sha256(dot._layout(clusters(number), "fdp").svg).hexdigest() for number in order
    }
    return [digests[number] for number in range(GRAPHS)]


def heaps() -> None:
    """A row: how many layouts differ between processes, with holes in memory filled and without."""
    from figmill.kinds import dot
    from figmill.kinds.graphs import steady

    dot.warm(())
    filled, counts = steady.filled_holes, []
    for way in (filled, nullcontext):
        steady.filled_holes = way  # type: ignore[assignment]
        first, *others = [_in_a_child(seed) for seed in range(ORDERS)]
        counts.append(sum(a != b for other in others for a, b in zip(first, other, strict=True)))
    steady.filled_holes = filled
    whole = (ORDERS - 1) * GRAPHS
    print(
        f"| kinds/graphs/steady.py: layouts of fdp that differ | {counts[0]} | {counts[1]} of {whole} without it | |"
    )


def _in_a_child(seed: int) -> list[str]:
    reader, writer = os.pipe()
    if not os.fork():
        os.write(writer, "\n".join(layouts(seed)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as lines:
        digests = lines.read().split()
    os.wait()
    return digests


if __name__ == "__main__":
    if len(sys.argv) > 1:
        serve(sys.argv[1].removeprefix("."))
    else:
        drawings()
        heaps()
