"""A builder that stays: from the write of a file to the new bytes in the output folder.

`python -m benchmarks.resident` prints rows of the table in docs/developers/benchmarks.md. The machine's load counts:
the time that a bare Python takes to start stands beside, and the processor time of the builder.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import corpus

REPOSITORY = Path(__file__).parent.parent
TIMES = 15
PAUSE = 0.25  # seconds between two edits: as from a person with quick fingers
Edit = Callable[[str, int], str]


def showcase(place: Path) -> Path:
    """A copy of the showcase."""
    root = place / "showcase"
    for folder in ("questions", "visuals"):
        shutil.copytree(REPOSITORY / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "pyproject.toml", root)
    return root


@contextmanager
def watching(root: Path) -> Iterator[subprocess.Popen[str]]:
    """A running `watch` that has built the book once."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "figmill", "--root", str(root), "--watch"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    try:
        for line in process.stderr:
            if line.startswith("watching "):
                break
        time.sleep(1)
        yield process
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


def latencies(root: Path, file: str, output: str, edit: Edit, times: int = TIMES) -> list[float]:
    """Seconds from each write of `file` to new bytes in `output`."""
    source, target = root / file, root / output
    before, found = source.read_text(encoding="utf-8"), []
    try:
        for number in range(times):
            shown = target.read_bytes()
            text = edit(before, number)
            began = time.perf_counter()
            source.write_text(text, encoding="utf-8")
            while _read(target) in (shown, b""):
                if time.perf_counter() - began > 30:
                    raise SystemExit(f"{output} has not changed 30 s after {file}")
                time.sleep(0.0005)
            found.append(time.perf_counter() - began)
            time.sleep(PAUSE)
    finally:
        source.write_text(before, encoding="utf-8")
    return found


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def processor_time(pid: int) -> float:
    """Seconds of a process, of all below it, and of those that these have waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        lists = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:  # it has just ended
        return 0.0
    below = sum(processor_time(int(child)) for text in lists for child in text.split())
    return below + sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _first(old: str, new: str) -> Edit:
    return lambda text, number: text.replace(old, new.replace("{0}", str(number)), 1)


# What is edited, the file, the output that must change, and the edit.
SHOWCASE: tuple[tuple[str, str, str, Edit], ...] = (
    (
        "DOT",
        "visuals/figmill/figmill-states.dot",
        "build/figmill/figmill-states.svg",
        _first("just now, or", "edit {0}, or"),
    ),
    (
        "drawing by hand",
        "visuals/cloud/cloud-visual-001.svg",
        "build/cloud/cloud-visual-001.svg",
        _first("</svg>", '<text x="9" y="9" font-size="9">{0}</text></svg>'),
    ),
    (
        "alt",
        "questions/cloud/cloud-2848.yaml",
        "build/cloud/cloud-2848.svg",
        _first("Gantt chart", "Edit {0}, a Gantt chart"),
    ),
    (
        "worker timeline",
        "visuals/worker_timeline.py",
        "build/cloud/cloud-2849.svg",
        _first('idle="Waiting"', 'idle="Waiting {0}"'),
    ),
)
LARGE: tuple[tuple[str, str, str, Edit], ...] = (
    (
        "DOT",
        "visuals/t00/q-00020.dot",
        "build/t00/q-00020.svg",
        _first("digraph {", "digraph {\n  n0 -> edited_{0}"),
    ),
    ("alt", "questions/t00/q-00020.yaml", "build/t00/q-00020.svg", _first("A chain", "Edit {0}, a chain")),
)


def edited(name: str, root: Path, edits: tuple[tuple[str, str, str, Edit], ...]) -> None:
    """Rows for edits of one book under `watch`."""
    with watching(root) as process:
        for what, file, output, edit in edits:
            before = processor_time(process.pid)
            found = sorted(latencies(root, file, output, edit))
            time.sleep(1)
            spent = (processor_time(process.pid) - before) / len(
                found
            )  # with what is done after the bytes are there
            middle, fast, slow = statistics.median(found), found[0], found[-3]
            row = (
                f"{name}: {what}",
                f"{middle * 1e3:.0f} ms",
                f"{fast * 1e3:.0f} to {slow * 1e3:.0f} ms",
                f"{spent * 1e3:.0f} ms of processor time an edit",
            )
            print("| " + " | ".join(row) + " |", flush=True)


def main() -> None:
    print("| edit under `watch` | median | range | |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        edited("showcase", showcase(place), SHOWCASE)
        corpus.large_book(place / "large", 10_000, 1_000)
        edited("10 000 questions", place / "large", LARGE)
    start = [0.0] * 5
    for number in range(len(start)):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        start[number] = time.perf_counter() - began
    print(f"\na bare Python starts in {statistics.median(start) * 1e3:.0f} ms; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
