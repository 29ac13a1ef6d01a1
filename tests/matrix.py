"""The same bytes from every Python: build the showcase and test books with each, compare, and run the tests.

    make matrix             builds, comparison and tests
    make matrix TESTS=no    builds and comparison alone

Takes each of VERSIONS that is on PATH or among pyenv's, and names the missing ones. Each Python has an environment of
its own in .venv-matrix/, installed from the lock files by hash and kept until they change.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from helpers.book import CLASSIC, DOT, HAND, PLOT

REPOSITORY = Path(__file__).parent.parent
ENVIRONMENTS = REPOSITORY / ".venv-matrix"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
LOCKS = ("requirements.lock", "requirements-test.lock")
SHELVES = tuple(f"packages/{name}" for name in ("timelines", "structure", "kinds"))
OURS = tuple(word for folder in (".", *SHELVES) for word in ("--editable", folder))
INSTALLED_FROM = (
    *LOCKS,
    "pyproject.toml",
    "hatch_build.py",
    *(f"{folder}/pyproject.toml" for folder in SHELVES),
)
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
PYTEST = (
    "-m",
    "pytest",
    "-m",
    "not soak and not site",
    "--numprocesses",
    "3",
    "--dist",
    "loadfile",
    "--no-loadscope-reorder",
)
INSTALL, BUILD, TESTS = 1800, 600, 5400  # seconds that each may take


class Failure(Exception):  # noqa: N818 - the report calls it so
    """A step of one Python failed; the message is the end of what it printed."""


@dataclass(frozen=True, slots=True)
class Row:
    """One Python in the table at the end. outputs: (book/path, SHA-256) of every file that its builds wrote."""

    version: str
    outputs: Mapping[str, str]
    tests: str
    failure: str = ""


# Times whose sums are not exact in binary: they show any change in how floats are added up.
UNEVEN = "devices: 4, microbatches: 8, forward: 0.1, p2p: 0.03"
SCHEDULES = (
    "gpipe",
    "1f1b",
    "interleaved",
    "looped-bfs",
    "zb-h1",
    "interleaved-zb",
    "zb-v",
    "dualpipe",
    "dualpipe-v",
    "1f1b-overlap",
    "interleaved-overlap",
    "chimera",
)


def one_of_each_kind(root: Path) -> None:
    """The tests' book: a graph, a figure with facts, a plain script and a drawing by hand."""
    sources = {"a.dot": DOT, "b.py": PLOT, "c.py": CLASSIC, "d.svg": HAND}
    visuals = {
        "graph": "source: a.dot, alt: a sends to b",
        "plot": "kind: matplotlib, source: b.py, params: {n: 7}, alt: 'a line, half is {half:.1f}'",
        "classic": "kind: matplotlib, source: c.py, alt: the first three squares",
        "hand": "source: d.svg, alt: one rank as a box",
    }
    _write(root, visuals)
    for name, text in sources.items():
        (root / "visuals" / name).write_text(text, encoding="utf-8")


def uneven_timelines(root: Path) -> None:
    """Every schedule and simulator with times that no float holds exactly."""
    shutil.copytree(REPOSITORY / "visuals" / "data", root / "visuals" / "data")
    for script in sorted((REPOSITORY / "visuals").glob("*.py")):
        shutil.copy(script, root / "visuals")
    scripts = {
        f"schedule-{name}": ("pipeline_bubble.py", f"schedule: {name}, {UNEVEN}") for name in SCHEDULES
    }
    scripts |= {f"workers-{seed}": ("worker_timeline.py", f"seed: {seed}, jitter: 0.37") for seed in range(4)}
    scripts |= {
        "stalls": ("data_stalls.py", "fetch_align: mean, start_align: midrange"),
        "stalls-carry": ("data_stalls.py", "view: timeline, carry: true, depth: 3"),
        "filling": ("bubble_filling.py", "forward: 0.7, backward: 1.3, curvature_a: 0.1, sync: 0.07"),
        "trace": ("trace_timeline.py", "lanes: all, simulate: 1f1b"),
        "queue": ("queueing.py", "service_per_s: 33, slo_ms: 170"),
        "queue-general": ("queueing.py", "model: M/G/1, cv2: 2.3, slo_ms: 900"),
        "serving": (
            "serving_timeline.py",
            "compare: [static, chunked, disaggregated], seed: 3, prefill_us: 70.7",
        ),
        "paging": (
            "serving_timeline.py",
            "cache_blocks: 140, compare: [swap, unlimited], seed: 3, prefill_us: 70.7, swap_us: 33.3",
        ),
        "memory": ("memory_budget.py", "use: serving, parameters_b: 6.7, hbm_gb: 24, seed: 4"),
        "roofline": ("roofline.py", "peak_tflops: 312.3, bandwidth_gb_s: 2039.7"),
        "experts": (
            "memory_budget.py",
            "parameters_b: 46.7, layers: 31, experts: 8, expert_parallel: 8, hybrid: 16, cache_bytes: 1",
        ),
        "mixture": ("roofline.py", "accelerator: MI300X, experts: 24, top_k: 7, batches: [3, 77]"),
        "fields": ("bit_fields.py", "known: TCP, numbering: both"),
        "messages": ("message_sequence.py", "known: clocks, clocks: vector, latency: 33.3"),
        "transformer": ("transformer_blocks.py", "known: Llama 3 8B, layers: 40"),
        "network": ("network_blocks.py", "known: AlexNet"),
        "chain": ("bandwidth_chain.py", "size_mb: 777.7, chunk_mb: 7.7"),
        "steps": ("collective_steps.py", "view: cost, ranks: 24, alpha_us: 7.3"),
        "slowest": ("stragglers.py", "distribution: pareto, spread: 0.27, compare: [normal, uniform]"),
        "speculation": ("speculative.py", "view: timeline, acceptance: 0.77, cost: 0.07, seed: 5"),
        "failures": ("failures.py", "view: timeline, nodes: 9999, seed: 6"),
        "sharding": (
            "fsdp_timeline.py",
            "forward: 0.7, backward: 1.3, all_gather: 0.37, compare: [no-overlap]",
        ),
    }
    _write(
        root,
        {
            name: f"kind: matplotlib, source: {script}, params: {{{params}}}, alt: a timeline with uneven times"
            for name, (script, params) in scripts.items()
        },
    )


def showcase(root: Path) -> None:
    """This repository's own book."""
    for folder in ("questions", "visuals"):
        shutil.copytree(REPOSITORY / folder, root / folder, dirs_exist_ok=True)
    shutil.copy(REPOSITORY / "pyproject.toml", root)
    (root / "docs").mkdir()  # which its settings name, for pages


BOOKS = {"showcase": showcase, "kinds": one_of_each_kind, "uneven": uneven_timelines}


def _write(root: Path, visuals: Mapping[str, str]) -> None:
    for name, visual in visuals.items():
        text = f"id: {name}\ntrack: global\ntitle: A title\nvisual: {{{visual}}}\n"
        (root / "questions" / f"{name}.yaml").write_text(text, encoding="utf-8")


def find(version: str) -> Path | None:
    """The interpreter of that version: on PATH, else the newest of pyenv's; None where there is none."""
    on_path = shutil.which(f"python{version}")
    candidates = [Path(on_path)] if on_path else []
    pyenv = shutil.which("pyenv")
    if pyenv:
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False, timeout=30)
        versions = Path(root.stdout.strip() or os.devnull) / "versions"
        candidates += sorted(versions.glob(f"{version}.*/bin/python{version}"), key=_release, reverse=True)
    return next((path for path in candidates if _version(path).startswith(f"{version}.")), None)


def _release(path: Path) -> tuple[int, ...]:
    """`.../3.12.11/bin/python3.12` -> (3, 12, 11)."""
    return tuple(int(part) for part in path.parent.parent.name.split(".") if part.isdigit())


def _version(python: Path) -> str:
    """What the interpreter says it is; empty where it does not run, as a pyenv shim without its version."""
    told = subprocess.run(
        [python, "-c", "import platform; print(platform.python_version())"],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    return told.stdout.strip()


def environment(python: Path, version: str) -> Path:
    """An interpreter with everything in the locks and figmill itself; kept while nothing it is made from changes."""
    folder = ENVIRONMENTS / version
    inner, stamp = folder / "bin" / "python", folder / ".installed"
    digest = hashlib.sha256(_version(python).encode())
    for name in INSTALLED_FROM:
        digest.update((REPOSITORY / name).read_bytes())
    if stamp.exists() and stamp.read_text() == digest.hexdigest():
        return inner
    shutil.rmtree(folder, ignore_errors=True)
    _run([python, "-m", "venv", folder], INSTALL)
    for lock in LOCKS:
        _run([inner, *PIP, "--require-hashes", "-r", lock], INSTALL)
    _run([inner, *PIP, "--no-deps", "--no-build-isolation", *OURS], INSTALL)
    stamp.write_text(digest.hexdigest())
    return inner


def outputs(python: Path, books: Iterable[str] = tuple(BOOKS)) -> Iterator[tuple[str, str]]:
    """(book/path, SHA-256) of each file that a first build of each book writes."""
    for name in books:
        with tempfile.TemporaryDirectory(prefix="figmill-matrix-") as folder:
            root = Path(folder) / "book"
            (root / "questions").mkdir(parents=True)
            (root / "visuals").mkdir()
            BOOKS[name](root)
            _run([python, "-m", "figmill", "--quiet"], BUILD, root)
            built = root / "build"
            for path in sorted(built.rglob("*")):
                if path.is_file():
                    digest = hashlib.sha256(path.read_bytes()).hexdigest()
                    yield f"{name}/{path.relative_to(built).as_posix()}", digest


def _run(command: list[str | Path], seconds: float, folder: Path = REPOSITORY) -> str:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(map(str, command))}: not done after {seconds:g} s") from None
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise Failure(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{tail}")
    return done.stdout


def measure(python: Path, version: str, tests: bool) -> Row:
    """Everything about one Python. A step that fails ends it and is told."""
    full, written, verdict = _version(python), {}, "not run"
    try:
        inner = environment(python, version)
        written = dict(outputs(inner))
        if tests:
            verdict = "failed"
            verdict = _run([inner, *PYTEST], TESTS).splitlines()[-1]
    except Failure as failure:
        return Row(full, written, verdict, str(failure))
    return Row(full, written, verdict)


def differences(rows: list[Row]) -> list[str]:
    """The outputs that are not the same from all, each with the versions that differ from the first."""
    built = [row for row in rows if row.outputs]
    names = sorted({name for row in built for name in row.outputs})
    return [
        f"{name}: {', '.join(other)} not as {built[0].version}"
        for name in names
        if (other := [r.version for r in built if r.outputs.get(name) != built[0].outputs.get(name)])
    ]


def table(rows: list[Row], missing: list[str]) -> str:
    """A line a Python: how many outputs, one digest of them all, and the tests."""
    lines = [f"{'Python':10} {'outputs':>7}  {'digest':12}  tests"]
    for row in rows:
        digest = hashlib.sha256("".join(f"{n} {d}\n" for n, d in row.outputs.items()).encode()).hexdigest()
        lines.append(f"{row.version:10} {len(row.outputs):7}  {digest[:12]}  {row.tests}")
    lines += [f"{version:10} missing: neither on PATH nor among pyenv's" for version in missing]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="The same bytes from every Python on this machine.")
    parser.add_argument("--tests", choices=("yes", "no"), default="yes", help="run the tests on each, too")
    parser.add_argument("versions", nargs="*", default=VERSIONS, help=f"default: {' '.join(VERSIONS)}")
    options = parser.parse_args()
    pythons = {version: find(version) for version in options.versions}
    rows = []
    for version, python in pythons.items():
        if python is not None:
            print(f"Python {version}: {python}", flush=True)
            rows.append(measure(python, version, options.tests == "yes"))
            print(f"  tests: {rows[-1].tests}", flush=True)
    failures = [f"Python {row.version}: {row.failure}" for row in rows if row.failure]
    different = differences(rows)
    for line in (*failures, *different):
        print(line)
    print(table(rows, [version for version, python in pythons.items() if python is None]))
    if not failures and not different and len(rows) > 1:
        print(f"the same {len(rows[0].outputs)} outputs from {len(rows)} Pythons")
    elif len(rows) < 2:
        print("nothing to compare: only one Python was found" if rows else "no Python was found")
    return 1 if failures or different or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
