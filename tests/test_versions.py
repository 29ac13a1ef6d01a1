"""Which keys a change of figmill's own code changes: held against what each module imports."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from figmill.paths import PACKAGE
from figmill.versions import CODE, code

# Where the work of each key begins.
ENTRIES = {
    "parse": ("book.question", "store.parse_cache"),
    "draw": ("kinds", "kinds.dot", "kinds.matplotlib_"),
    "draw by script": ("kinds", "kinds.dot", "kinds.matplotlib_", "render.worker", "timelines"),
    "settle": ("publish.finalise",),
    "export": ("publish.exporter",),
    "compare": ("compare.drawing",),
    "cluster": ("cluster.worker_plugin", "render.worker", "kinds.svg"),
}
# What a product does not depend on, though its code imports it.
OUTSIDE = {
    "errors": "words of messages, which no product holds",
    "streams": "what is said meanwhile",
    "host.files": "how files are read, which changes no byte of them",
    "host.excerpt": "which lines of a kept file are read; each is read as ever",
    "host.lines": "words of messages",
    "host.trees": "how folders are walked and removed",
    "host.temporary": "where files lie for a moment",
    "render.temp_dirs": "where files lie for a moment",
    "late": "how a module is found by its name",
    "paths": "where figmill lies",
    "enclosure.sandbox": "how large the limits are, for words of messages",
    "versions": "says what is installed, which is a row of the key by itself",
    "config": "the book's settings are rows of the key by themselves",
    "render.protocol": "how values cross between processes",
    "kinds": "the table of kinds, for the names of their sources",
    "kinds.job": "how a drawing crosses between processes",
}

# A change in a file below this place -> the keys that change, and no others.
CHANGES = {
    "book": {"parse"},
    "store/parse_cache.py": {"parse"},
    "store/checked.py": {"parse"},
    "model.py": {"parse", "draw", "draw by script", "settle", "export", "cluster"},
    "checks.py": {"parse", "settle", "export", "compare"},
    "palette.py": {"parse", "draw", "draw by script", "settle", "export", "compare", "cluster"},
    "errors.py": {"cluster"},
    "font_metrics.py": {"draw", "draw by script", "settle", "export", "compare", "cluster"},
    "host": {"cluster"},
    "paths.py": {"cluster"},
    "units.py": {"draw by script", "settle", "cluster"},
    "versions.py": {"cluster"},
    "kinds": {"parse", "draw", "draw by script", "cluster"},
    "kinds/answer.py": {"parse", "draw", "draw by script", "settle", "cluster"},
    "kinds/job.py": {"parse", "draw", "draw by script", "settle", "cluster"},
    "kinds/typefaces.py": {"parse", "draw", "draw by script", "export", "compare", "cluster"},
    "render": {"draw by script", "cluster"},
    "enclosure": {"draw by script", "cluster"},
    "timelines": {"draw by script", "cluster"},
    "svg": {"settle", "export", "compare"},
    "compare/drawing.py": {"compare"},
    "compare/pictures.py": {"compare"},
    "compare/pixels.py": {"compare"},
    "publish/finalise.py": {"settle"},
    "publish/expectations.py": {"settle"},
    "publish/placeholders.py": {"settle"},
    "publish/same_units.py": {"settle"},
    "publish/exporter.py": {"export"},
    "cluster": {"cluster"},
    **{place: set() for place in (
        "__init__.py", "__main__.py", "cli.py", "config", "fastpath.py", "late.py", "streams.py", "commands", "compare",
        "engine", "integrations", "lint", "markdown.py", "publish", "report", "scaffold", "serve", "sphinx.py", "store",
    )},
}  # fmt: skip


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.soak)])
def test_a_change_of_any_file_changes_just_its_keys(tmp_path: Path, step: int) -> None:
    """Each n-th file of a key alone changes it; all others together do not, and so none of them does."""
    copy = tmp_path / "figmill"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "fonts"))
    texts = {path.relative_to(copy).as_posix(): path.read_bytes() for path in sorted(copy.rglob("*.py"))}
    rows = {name: expected(name) for name in texts}

    before = {key: code(key, copy) for key in CODE}

    def changed(key: str, names: list[str]) -> bool:
        for name in names:
            (copy / name).write_bytes(texts[name] + b"\n# changed\n")
        code.cache_clear()
        after = code(key, copy)
        for name in names:
            (copy / name).write_bytes(texts[name])
        return after != before[key]

    for key in CODE:
        inside = [name for name, keys in rows.items() if key in keys]
        assert inside and [name for name in inside[::step] if not changed(key, [name])] == [], key
        assert not changed(key, [name for name in texts if name not in inside]), key


def expected(name: str) -> set[str]:
    """The row of the most particular place that holds the file."""
    parts = name.split("/")
    return next(CHANGES[at] for n in range(len(parts), 0, -1) if (at := "/".join(parts[:n])) in CHANGES)


@pytest.mark.parametrize("key", CODE)
def test_a_key_has_all_code_that_its_product_comes_from(key: str) -> None:
    found: set[str] = set()
    waiting = list(ENTRIES[key])
    while waiting:
        module = waiting.pop()
        if module not in found and not is_outside(module, key):
            found.add(module)
            waiting += imported(module)
    missing = {module for module in found if not any(is_part(module, part) for part in CODE[key])}
    assert missing == set()


def is_outside(module: str, key: str) -> bool:
    return module in OUTSIDE and module not in ENTRIES[key] and module not in CODE[key]


def is_part(module: str, part: str) -> bool:
    return module == part or module.startswith(f"{part}.")


def imported(module: str) -> Iterator[str]:
    """The modules of figmill that one imports while it runs, inside functions too."""
    place = PACKAGE.joinpath(*module.split("."))
    path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    tree = ast.parse(path.read_bytes())
    for_types = {id(node) for block in ast.walk(tree) if is_for_types(block) for node in ast.walk(block)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and id(node) not in for_types and node.module:
            package, _, inside = node.module.partition(".")
            if package == "figmill":
                below = [f"{inside}.{alias.name}".strip(".") for alias in node.names]
                yield from (
                    name if is_module(name) else inside for name in below if is_module(name) or inside
                )


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def is_module(name: str) -> bool:
    place = PACKAGE.joinpath(*name.split("."))
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists()
