"""`make bench`: figmill beside a plain loop and beside the bound, in one run. Ratios count, not seconds.

`--scripts FOLDER` names plain pyplot scripts to draw; the examples that matplotlib's source distribution ships
are a good corpus:

    pip download --no-deps --no-binary matplotlib --no-build-isolation matplotlib==3.7.5

Without it, the build of scripts is left out.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from benchmarks import corpus, plain

PEAK = """
import resource, sys
sys.argv = ["x", "--root", sys.argv[1], "--force", "--quiet"]
from figmill import cli
cli.run()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def figmill(root: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "figmill", "--root", str(root), *words], capture_output=True, text=True
    )
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return done.stdout.strip().splitlines()[-1]


def median(work: Callable[[], object], times: int = 5) -> float:
    work()
    return statistics.median(seconds(work) for _ in range(times))


def row(what: str, measured: str, against: str, ratio: str) -> None:
    print(f"| {what} | {measured} | {against} | {ratio} |", flush=True)


def cold_build(folder: Path, place: Path, count: int) -> None:
    """A book of real scripts, drawn from nothing."""
    root, out = place / "scripts", place / "out"
    out.mkdir()
    sources = corpus.book_of_scripts(folder, root, count)

    def fresh() -> None:
        shutil.rmtree(root / "build", ignore_errors=True)
        shutil.rmtree(root / ".figmill", ignore_errors=True)

    fresh()
    done = subprocess.run(
        [sys.executable, "-m", "figmill", "--root", str(root), "--format", "json"],
        capture_output=True,
        text=True,
    )
    failing = [found["id"] for found in json.loads(done.stdout)["figures"] if found["status"] == "failed"]
    for name in failing:  # both sides draw only what can be published
        (root / "visuals" / f"{name}.py").unlink()
        (root / "questions" / f"{name}.yaml").unlink()
    sources = [source for source in sources if source.exists()]
    ours, bounds = [], []
    for _ in range(3):
        fresh()
        ours.append(seconds(lambda: figmill(root)))
        bounds.append(seconds(lambda: plain.bound(sources, out)))
    loop = seconds(lambda: plain.loop(sources, out))
    here, least = statistics.median(ours), statistics.median(bounds)
    n = len(sources)
    row(
        f"cold build, {n} scripts ({len(failing)} refused)",
        f"{here / n * 1e3:.0f} ms a figure",
        f"loop {loop / n * 1e3:.0f} ms",
        f"{loop / here:.1f}x faster",
    )
    row(
        "the same beside the bound", f"{here:.2f} s", f"bound {least:.2f} s", f"{here / least:.2f}x the bound"
    )


def large(place: Path) -> None:
    """10 000 questions with 1 000 graphs."""
    root = place / "large"
    corpus.large_book(root, 10_000, 1_000)
    drawing = seconds(lambda: figmill(root))
    row("10 000 questions, first build of 1 000 graphs", f"{drawing:.2f} s", "", f"{drawing:.1f} ms a graph")
    no_op = median(lambda: figmill(root))
    start = median(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
    click = median(lambda: subprocess.run([sys.executable, "-c", "import figmill.fastpath"], check=True))
    row(
        "the same, unchanged",
        f"{no_op:.3f} s",
        f"python's start {start:.3f} s, imports {click - start:.3f} s, 12 000 stats {no_op - click:.3f} s",
        "",
    )
    files = sorted((root / "questions").rglob("*.yaml"))
    parse = seconds(lambda: [yaml.safe_load(path.read_bytes()) for path in files])
    row(
        "the same beside parsing every file",
        f"{no_op:.3f} s",
        f"yaml.safe_load {parse:.2f} s",
        f"{parse / no_op:.0f}x faster",
    )
    source = next((root / "visuals").rglob("*.dot"))

    def edit_and_build() -> None:
        source.write_text(source.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        figmill(root)

    one = median(edit_and_build)
    row("one source changed", f"{one:.3f} s", f"unchanged {no_op:.3f} s", f"+{one - no_op:.3f} s")
    done = subprocess.run([sys.executable, "-c", PEAK, str(root)], capture_output=True, text=True, check=True)
    row("memory of the parent, all 1 000 drawn", f"{int(done.stdout) / 1024:.0f} MB", "", "")


def graphs(place: Path) -> None:
    """1 000 graphs of ten nodes, a figure each."""
    root = place / "graphs"
    corpus.large_book(root, 1_000, 1_000)
    here = seconds(lambda: figmill(root))
    row("1 000 graphs of ten nodes, cold", f"{here:.2f} s", "", f"{here:.2f} ms a graph")
    (root / "figmill.toml").write_text('themes = ["light"]\n')
    for made in (root / "build", root / ".figmill"):
        shutil.rmtree(made)
    alone = seconds(lambda: figmill(root))
    row("the same in one theme", f"{alone:.2f} s", "", f"{alone:.2f} ms a graph")
    program = shutil.which("dot")
    if program:
        out = place / "dots"
        out.mkdir()
        sources = sorted((root / "visuals").rglob("*.dot"))[:200]
        loop = seconds(lambda: plain.dot_loop(sources, out, program)) * 5
        row(
            "the same beside one `dot -Tsvg` a graph",
            f"{here:.2f} s",
            f"{loop:.2f} s",
            f"{loop / here:.1f}x faster",
        )


def normal_form() -> None:
    """One drawing of each renderer, put into the normal form."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    import numpy as np

    from figmill.svg import DEFAULT_CHECKS, Sheet, in_themes, normalise

    figure, axes = plt.subplots(2, 2, figsize=(8, 6))
    for k, part in enumerate(axes.flat):
        for j in range(3):
            part.plot(np.arange(60), np.sin(np.arange(60) / (j + 2)) + k, label=f"line {j}")
        part.legend()
        part.set_title(f"panel {k}")
    plt.rcParams["svg.fonttype"] = "none"
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg")
    sheet = Sheet("bench", "A title", "A description", checks=DEFAULT_CHECKS - {"contrast"})
    checked = Sheet("bench", "A title", "A description")
    plot = buffer.getvalue()
    here = median(lambda: normalise(plot, sheet), 20)
    row(f"normal form of a {len(plot) // 1000} kB plot", f"{here * 1e3:.1f} ms", "", "")
    both = median(lambda: in_themes(plot, checked, ("light", "dark")), 20)
    row(
        "the same with a dark one beside it, contrast checked",
        f"{both * 1e3:.1f} ms",
        "",
        f"{both / here:.1f}x",
    )
    from figmill.kinds import dot

    dot.warm([])
    drawn = dot._layout(corpus.graph(1), "dot").svg
    here = median(lambda: normalise(drawn, sheet), 20)
    row("normal form of a graph of ten nodes", f"{here * 1e3:.2f} ms", "", "")
    both = median(lambda: in_themes(drawn, checked, ("light", "dark")), 20)
    row("the same in both themes", f"{both * 1e3:.2f} ms", "", f"{both / here:.1f}x")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scripts", type=Path, help="a folder of plain pyplot scripts")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--only", choices=["cold", "large", "graphs", "normal"], action="append")
    options = parser.parse_args()
    wanted = options.only or ["cold", "large", "graphs", "normal"]
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}\n")
    print("| what | figmill | against | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if "cold" in wanted and options.scripts is not None:
            cold_build(options.scripts, place, options.count)
        if "large" in wanted:
            large(place)
        if "graphs" in wanted:
            graphs(place)
    if "normal" in wanted:
        normal_form()


if __name__ == "__main__":
    main()
