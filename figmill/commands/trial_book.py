"""A book of three small figures, which `doctor` builds with the command itself to see what works on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from figmill.host import files
from figmill.paths import this_python

GRAPH = "digraph { a -> b }\n"
PLOT = """\
from matplotlib.figure import Figure


def draw():
    figure = Figure(figsize=(2, 2))
    figure.add_subplot().plot([1, 2])
    return figure
"""
DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">'
    '<rect x="5" y="5" width="30" height="30" fill="#cfe2f3" stroke="#4a90c4"/></svg>\n'
)
# name in the findings -> the file, the source and the kind of a figure
TRIALS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "Graphviz": ("graph.dot", GRAPH, "dot"),
        "matplotlib": ("plot.py", PLOT, "matplotlib"),
        "drawings": ("drawing.svg", DRAWING, "svg"),
    }
)
LONG = 120.0  # seconds for all of them


def write(root: Path, sandbox: str) -> None:
    """Write the book into an empty folder. sandbox: as in the settings."""
    questions, visuals = (files.new_folder(root / name) for name in ("questions", "visuals"))
    files.create(os.fspath(root / "figmill.toml"), f'sandbox = "{sandbox}"\nthemes = ["light"]\n'.encode())
    for name, text, kind in TRIALS.values():
        files.create(os.path.join(visuals, name), text.encode())
        row = f"id: {kind}\nvisual: {{kind: {kind}, source: {name}, alt: a trial of this machine}}\n"
        files.create(os.path.join(questions, f"{kind}.yaml"), row.encode())


def built(root: Path, *arguments: str) -> tuple[dict[str, tuple[str, str]], str]:
    """The status and the error of each figure; and the reason if nothing was built."""
    command = [this_python(), "-m", "figmill", "--root", str(root), "--format", "json", *arguments]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=LONG,
            check=False,
            stdin=subprocess.DEVNULL,
            cwd=root,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        figures = json.loads(done.stdout)["figures"]
    except subprocess.TimeoutExpired:
        return {}, f"nothing was drawn in {LONG:g} s"
    except (ValueError, KeyError, TypeError):
        lines = [line for line in done.stderr.splitlines() if line and not line.startswith(" ")]
        return {}, (lines or ["the build printed nothing"])[-1].partition(": ")[2]
    return {row["id"]: (row["status"], (row.get("error") or {}).get("message", "")) for row in figures}, ""
