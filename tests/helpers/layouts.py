"""Graphs of many kinds for every engine, and a process that draws them one after the other in any order."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

from figmill.kinds import KINDS

ENGINES = KINDS["dot"].layouts


def graph(seed: int, attributes: str = "", nodes: int = 0) -> str:
    """A random graph: with clusters, labels, several edges between two nodes and loops, by its number."""
    rng = random.Random(seed)
    nodes = nodes or rng.randrange(4, 24)
    directed = seed % 2
    arrow = "->" if directed else "--"
    rows = [f"{'digraph' if directed else 'graph'} {{", attributes]
    rows += [f'n{n} [label="{"service " * (n % 3)}{n}"];' for n in range(nodes)]
    if seed % 3 == 1:
        rows += [
            f"subgraph cluster_{c} {{ {'; '.join(f'n{n}' for n in range(c, nodes, 4))} }}" for c in (0, 1)
        ]
    for _ in range(nodes + rng.randrange(nodes)):
        rows.append(f"n{rng.randrange(nodes)} {arrow} n{rng.randrange(nodes)};")
    return "\n".join([*rows, "}"])


def corpus(count: int) -> list[tuple[str, str]]:
    """(engine, DOT text): for each engine so many graphs, with attributes that Graphviz has state for."""
    more = (
        "",
        "overlap=false",
        "splines=true overlap=scale",
        "overlap=scalexy",
        "overlap=vpsc",
        "start=random",
        "overlap=compress",
        "splines=polyline",
    )
    return [
        (engine, graph(number, more[number % len(more)])) for engine in ENGINES for number in range(count)
    ]


# Draws (engine, text) pairs read as JSON from standard input in shuffled orders, each time with a heap that was
# disturbed; prints for each pair how many different SVGs came of it, and a digest of the first.
PROGRAM = """
import ctypes, hashlib, json, random, sys
from figmill.kinds import dot
rounds, seed = int(sys.argv[1]), int(sys.argv[2])
library = ctypes.CDLL(None)
library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
pairs = json.load(sys.stdin)
rng = random.Random(seed)
seen = [set() for _ in pairs]
first = {}
dot.warm([])
for _ in range(rounds):
    for number in rng.sample(range(len(pairs)), len(pairs)):
        blocks = [library.malloc(rng.choice((24, 40, 88, 104, 120, 136, 200, 500, 1000, 3000))) for _ in range(600)]
        for block in rng.sample(blocks, 400):
            library.free(block)
        for _ in range(rng.randrange(5)):
            library.rand(), library.drand48()
        engine, text = pairs[number]
        with dot.Stderr() as said:
            svg = dot._layout(text, engine).svg
        digest = hashlib.sha256(svg).hexdigest()
        seen[number].add(digest if svg else said.text)
        first.setdefault(number, digest)
print(json.dumps([[len(digests) for digests in seen], [first[n] for n in range(len(pairs))]]))
"""


def drawn_in_one_process(pairs: list[tuple[str, str]], rounds: int, seed: int) -> tuple[list[int], list[str]]:
    """For each pair how many different SVGs it gave in one process, and the digest of its first."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(rounds), str(seed)],
        input=json.dumps(pairs),
        text=True,
        capture_output=True,
        check=False,
        env={**os.environ, "FIGMILL_PADDING": "x" * seed * 100},
    )
    assert done.returncode == 0, done.stderr
    counts, first = json.loads(done.stdout)
    return counts, first
