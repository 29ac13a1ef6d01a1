"""What figmill is measured against: the plain loop, and the bound that no tool of this kind can pass.

loop: one `python script.py` after the other. bound: children forked from a process that has matplotlib loaded,
two at a time, which draw and save and do nothing else.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def loop(sources: list[Path], out: Path) -> None:
    for source in sources:
        environment = {**os.environ, "VISUAL_OUT_PATH": str(out / f"{source.stem}.svg"), "MPLBACKEND": "agg"}
        subprocess.run(
            [sys.executable, str(source)], cwd=out, env=environment, capture_output=True, check=False
        )


def dot_loop(sources: list[Path], out: Path, program: str) -> None:
    for source in sources:
        subprocess.run([program, "-Tsvg", "-o", str(out / f"{source.stem}.svg"), str(source)], check=True)


def bound(sources: list[Path], out: Path, slots: int = 2) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.preload"])

    def one(source: Path) -> None:
        process = context.Process(target=draw, args=(str(source), str(out / f"{source.stem}.svg")))
        process.start()
        process.join()

    with ThreadPoolExecutor(slots) as executor:
        list(executor.map(one, sources))


def draw(source: str, target: str) -> None:
    """In a forked child: run the script, which saves."""
    os.environ["VISUAL_OUT_PATH"] = target
    os.chdir(Path(target).parent)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    runpy.run_path(source, run_name="__main__")
