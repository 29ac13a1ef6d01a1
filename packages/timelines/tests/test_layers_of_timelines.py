"""The directions of import inside the timelines: nouns, then charts, then simulators, then readers of traces."""

from __future__ import annotations

import ast
from pathlib import Path

from helpers.book import REPOSITORY
from helpers.own_code import nodes

TIMELINES = REPOSITORY / "packages" / "timelines" / "figmill_timelines"

# Each line may import from the lines above it, and within itself; imports for types alone count as well.
LAYERS = (
    "language palette units spans bounds files quantities titles",
    "charts",  # know no simulator
    "plots",  # nor do these
    "pipeline training models",  # know nothing of each other
    "traces",  # a recorded pipeline brings work for its bubbles
)
RANK = {name: rank for rank, line in enumerate(LAYERS) for name in line.split()}
# Simulators compute; these alone of their folders may draw.
DRAWS = {"pipeline/schedule_panels.py"}


def imported(path: Path) -> set[str]:
    """The modules and folders of the timelines that a file imports, anywhere in it, by their dotted names."""
    names = set()
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {
        name.removeprefix("figmill_timelines.") for name in names if name.startswith("figmill_timelines.")
    }


def files() -> list[tuple[str, Path]]:
    """(folder or module of LAYERS, file) of all but the package itself."""
    paths = (path for path in sorted(TIMELINES.rglob("*.py")) if path != TIMELINES / "__init__.py")
    return [(path.relative_to(TIMELINES).with_suffix("").parts[0], path) for path in paths]


def module_of(dotted: str) -> str:
    """`charts.gantt.draw` -> `charts/gantt.py`; a folder by itself -> `charts/__init__.py`."""
    parts = dotted.split(".")
    for n in range(len(parts), 0, -1):
        file = Path(*parts[:n]).with_suffix(".py")
        if (TIMELINES / file).is_file():
            return file.as_posix()
    return f"{parts[0]}/__init__.py"


def test_imports_run_one_way() -> None:
    wrong = [
        f"{path.relative_to(TIMELINES)} imports {name}"
        for own, path in files()
        for name in imported(path)
        if (other := name.split(".")[0]) != own and RANK[other] >= RANK[own] and RANK[own] > 0
    ]
    assert wrong == []


def test_what_lies_at_the_top_knows_no_folder() -> None:
    wrong = [
        f"{path.name} imports {name}"
        for own, path in files()
        if path.parent == TIMELINES
        for name in imported(path)
        if RANK[name.split(".")[0]] > RANK[own]
    ]
    assert wrong == []


def test_simulators_do_not_draw() -> None:
    wrong = [
        f"{path.relative_to(TIMELINES)} imports {name}"
        for own, path in files()
        if own in ("pipeline", "training", "models", "traces")
        and path.relative_to(TIMELINES).as_posix() not in DRAWS
        for name in imported(path)
        if name.split(".")[0] in ("charts", "plots")
    ]
    assert wrong == []


def test_there_is_no_circle() -> None:
    needs = {
        path.relative_to(TIMELINES).as_posix(): {module_of(name) for name in imported(path)}
        for _, path in files()
        if path.name != "__init__.py"  # offer what lies below them
    }
    free: set[str] = set()
    while ready := {
        name for name, others in needs.items() if name not in free and others & needs.keys() <= free
    }:
        free |= ready
    assert sorted(needs.keys() - free) == []
