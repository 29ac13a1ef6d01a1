"""Change every file of the showcase: exactly the figures that depend on it are stale, none is stale for nothing.

Who depends on what is read off the questions and the scripts here, not asked of the engine.
"""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest
import yaml
from helpers.book import Space, believed

APPENDED = b"\n"  # changes the bytes of a file, and does harm in no format
# Data that a generator reads where its question names none: the default of draw()'s parameter.
FOLDER = "visuals/data"


def found_in(root: Path, track: str, name: str) -> str:
    return next(p for p in (f"visuals/{track}/{name}", f"visuals/{name}") if (root / p).exists())


def modules_of(root: Path, source: str) -> set[str]:
    """The book's own modules that a script imports, and those that they import."""
    reached, waiting = set[str](), [source]
    while waiting:
        path = waiting.pop()
        for node in ast.walk(ast.parse((root / path).read_bytes())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            for name in names:
                for folder in (str(Path(path).parent), "visuals"):
                    module = f"{folder}/{name.replace('.', '/')}.py"
                    if (root / module).exists() and module not in reached:
                        reached.add(module)
                        waiting.append(module)
    return reached


def data_of(root: Path, source: str, params: dict[str, object]) -> set[str]:
    """The files of data that params or draw()'s defaults name, alone or by their folder."""
    values = dict(params)
    for node in ast.parse((root / source).read_bytes()).body:
        if isinstance(node, ast.FunctionDef) and node.name == "draw":
            named = node.args.args[len(node.args.args) - len(node.args.defaults) :]
            defaults = zip(named, node.args.defaults, strict=True)
            values = {a.arg: d.value for a, d in defaults if isinstance(d, ast.Constant)} | values
    texts = {value for value in values.values() if isinstance(value, str)}
    data = [path.relative_to(root).as_posix() for path in (root / FOLDER).rglob("*") if path.is_file()]
    return {name for name in data for word in texts if f"{name}/".startswith(f"{FOLDER}/{word}/")}


def dependents(root: Path) -> dict[str, set[str]]:
    """Every file of the book -> the ids of the figures that must be looked at again when it changes."""
    table: dict[str, set[str]] = {
        p.relative_to(root).as_posix(): set() for p in sorted(root.glob("visuals/**/*")) if p.is_file()
    }
    for path in sorted(root.glob("questions/**/*.yaml")):
        question = yaml.safe_load(path.read_text())
        for visual in [question["visual"]] if "visual" in question else question.get("visuals", []):
            source = found_in(root, question.get("track", "global"), visual["source"])
            needed = {source}
            if source.endswith(".py"):
                needed |= modules_of(root, source) | data_of(root, source, visual.get("params", {}))
            for name in needed:
                table[name].add(question["id"])
    return table


def stale(space: Space) -> set[str]:
    figures = space.run("--check", "--format", "json").json["figures"]
    assert not [row for row in figures if row["status"] == "failed"], figures
    return {row["id"] for row in figures if row["status"] != "fresh"}


@pytest.fixture(scope="module")
def book(showcase: Path, tmp_path_factory: pytest.TempPathFactory) -> Space:
    root = tmp_path_factory.mktemp("showcase").resolve() / "book"
    space = Space(shutil.copytree(showcase, root))
    believed(root)
    assert stale(space) == set()
    return space


def found_stale(space: Space, name: str) -> set[str]:
    """The figures that are stale while the file is another one."""
    path = space.root / name
    before = path.read_bytes()
    path.write_bytes(before + APPENDED)
    try:
        return stale(space)
    finally:
        path.write_bytes(before)


def test_the_table_of_dependents_is_not_empty(book: Space) -> None:
    """Some rows that can be checked by eye, so that the table itself is not taken on trust."""
    table = dependents(book.root)
    assert table["visuals/cloud/cloud-2846.dot"] == {"cloud-2846"}
    assert table["visuals/data/stalls.csv"] == {"cloud-2855", "cloud-2863"}
    assert table["visuals/data/make_stalls.py"] == set()
    assert table["visuals/data/shop/web.py"] == {"shop-classes", "shop-imports"}
    assert all(table[f"visuals/{name}"] for name in ("pipeline_bubble.py", "queueing.py", "collective.py"))


SAMPLE = (
    "visuals/cloud/cloud-2846.dot",
    "visuals/cloud/cloud-visual-001.svg",
    "visuals/data/stalls.csv",
    "visuals/data/profile.json",
    "visuals/data/make_stalls.py",
    "visuals/collective.py",
    "visuals/cloud/checkpoint_interval.py",
    "visuals/data/shop.openapi.yaml",
    "visuals/data/shop/web.py",
)


@pytest.mark.parametrize("name", SAMPLE)
def test_exactly_the_dependents_of_a_file_are_stale(book: Space, name: str) -> None:
    assert found_stale(book, name) == dependents(book.root)[name]


@pytest.mark.soak
def test_exactly_the_dependents_of_every_file_are_stale(book: Space) -> None:
    table = dependents(book.root)
    assert {name: found_stale(book, name) for name in table} == table
    assert stale(book) == set()


def test_a_question_concerns_its_own_figure_and_a_comment_in_it_none(book: Space) -> None:
    path = book.root / "questions/cloud/cloud-2846.yaml"
    before = path.read_text()
    for after, expected in (
        (before + "\n# a comment\n", set()),
        (before.replace("title: ", "title: Now "), {"cloud-2846"}),
    ):
        assert after != before
        path.write_text(after)
        try:
            assert stale(book) == expected
        finally:
            path.write_text(before)
