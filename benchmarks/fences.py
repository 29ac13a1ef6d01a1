"""Diagrams of Mermaid in pages: cold, unchanged, edited under `watch`; and the checks of drawings from elsewhere.

    python -m benchmarks.fences [FENCES]

Prints rows of the table in docs/developers/benchmarks.md. Processor time is that of all processes of a command;
each number is the median of a few runs, pairs in turns.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.resident import edited, processor_time

TIMES = 5
# Five common types, about as large as in pages that were counted: six to ten words.
SOURCES = (
    "flowchart LR\n  ask[Client {n}] --> gate{{Gateway}}\n  gate -->|yes| one[Worker]\n  gate -->|no| lost[Queue]\n"
    "  one --> store[(Store)]\n",
    "sequenceDiagram\n  Client->>Server {n}: ask\n  Server->>Store: look up\n  Store-->>Server {n}: rows\n"
    "  Server {n}-->>Client: answer\n",
    "stateDiagram-v2\n  [*] --> Idle\n  Idle --> Busy: task {n}\n  Busy --> Idle: done\n  Busy --> [*]: stop\n",
    "flowchart TD\n  a[Read {n}] --> b[Check] --> c[Draw]\n  c --> d[Write]\n  b --> e[Tell]\n"
    "  subgraph build [Build]\n    c\n    d\n  end\n",
    'pie title Time of build {n}\n  "draw" : 40\n  "check" : 35\n  "write" : 25\n',
)
MARK = "```"
MKDOCS = "site_name: A book\ntheme: {{name: mkdocs}}\nplugins: [{plugins}]\n"
PROSE = "Some words about what the diagram shows, as they stand on any page of a book. " * 12


def fence(number: int) -> str:
    source = SOURCES[number % len(SOURCES)].replace("{n}", str(number)).replace("{{", "{").replace("}}", "}")
    return f"{MARK}mermaid\n{source}{MARK}\n"


def pages(root: Path, fences: int) -> None:
    """Pages with five fences each."""
    docs = root / "docs"
    docs.mkdir(parents=True)
    for page in range(0, fences, 5):
        blocks = "\n".join(f"{PROSE}\n\n{fence(number)}" for number in range(page, min(page + 5, fences)))
        (docs / f"{'index' if page == 0 else f'p{page}'}.md").write_text(f"# Page {page}\n\n{blocks}")
    (root / "figmill.toml").write_text('fences = ["mermaid"]\npages = ["docs"]\n')
    (root / "with.yml").write_text(MKDOCS.format(plugins="figmill"))
    (root / "without.yml").write_text(MKDOCS.format(plugins=""))


def spent(*command: str, cwd: Path) -> tuple[float, float]:
    """Seconds of a command, and its processor time with all processes below it."""
    began, used = time.perf_counter(), 0.0
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(command, cwd=cwd, stdout=errors, stderr=errors) as process,
    ):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        while (
            process.poll() is None
        ):  # processes that draw are not waited for: they are seen only while they run
            used = max(used, processor_time(process.pid))
            time.sleep(0.02)
        took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        if process.returncode not in (0, 1):
            errors.seek(0)
            raise SystemExit(errors.read())
    return took, max(used, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def middle(runs: list[tuple[float, float]]) -> tuple[float, float]:
    return statistics.median(took for took, _ in runs), statistics.median(used for _, used in runs)


def row(what: str, runs: list[tuple[float, float]], more: str = "") -> None:
    took, used = middle(runs)
    print(f"| {what} | {took:.2f} s | processor time {used:.2f} s | {more} |", flush=True)


def forget(root: Path) -> None:
    for made in ("build", ".figmill"):
        shutil.rmtree(root / made, ignore_errors=True)


def times(work: Callable[[], tuple[float, float]], count: int = TIMES) -> list[tuple[float, float]]:
    return [work() for _ in range(count)]


def site(root: Path, name: str) -> tuple[float, float]:
    """The time of one build of the site `name`."""
    words = ("build", "-q", "-f", f"{name}.yml", "-d", f"site-{name}")
    return spent(sys.executable, "-m", "mkdocs", *words, cwd=root)


def drawn(root: Path, fences: int) -> None:
    own = (sys.executable, "-m", "figmill", "--quiet")

    def cold() -> tuple[float, float]:
        forget(root)
        return spent(*own, cwd=root)

    found = times(cold, 3)
    row(f"{fences} fences of Mermaid, cold", found, f"{middle(found)[1] / fences * 1e3:.0f} ms a fence")
    row("the same, unchanged", times(lambda: spent(*own, cwd=root)))
    pairs = []
    for number in range(TIMES):
        sites = [site(root, name) for name in ("with", "without")[:: 1 if number % 2 else -1]]
        pairs.append(sites if number % 2 else sites[::-1])
    more = statistics.median(ours[1] - plain[1] for ours, plain in pairs)
    row(
        "a MkDocs site of these pages, unchanged",
        [ours for ours, _ in pairs],
        f"{more:+.2f} s of processor time beside the same pages without figmill",
    )


def linted(root: Path) -> None:
    """Twenty drawings of the book itself, as anybody's files."""
    files = sorted(path for path in (root / "build").rglob("*.svg") if ".dark." not in path.name)[:20]
    command = (sys.executable, "-m", "figmill", "lint", "--quiet", *map(str, files))
    row(f"`figmill lint` of {len(files)} SVG files", times(lambda: spent(*command, cwd=root.parent)))


def main(fences: int) -> None:
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, load {os.getloadavg()[0]:.1f}\n")
    print("| what | time | processor time | |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(os.path.realpath(folder)) / "book"
        pages(root, fences)
        drawn(root, fences)
        linted(root)
        single = root.parent / "single"
        (single / "visuals").mkdir(parents=True)
        (single / "questions").mkdir()
        (single / "visuals/flow.mmd").write_text(
            fence(0).removeprefix(f"{MARK}mermaid\n").removesuffix(f"{MARK}\n")
        )
        (single / "questions/flow.yaml").write_text("id: flow\nvisual: {source: flow.mmd, alt: A flow.}\n")
        edit = (
            "flowchart",
            "visuals/flow.mmd",
            "build/global/flow.svg",
            lambda text, number: text.replace("Worker", f"Worker {number}"),
        )
        edited("edit under `watch`, Mermaid", single, (edit,))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
