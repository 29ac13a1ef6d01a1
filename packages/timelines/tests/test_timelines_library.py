"""figmill_timelines as a library: what it loads, its documented functions, and the examples of its pages."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from helpers.book import REPOSITORY

DOCS = REPOSITORY / "docs"
TIMELINES = REPOSITORY / "packages" / "timelines" / "figmill_timelines"
STRUCTURE = DOCS / "generators/structure.md"  # another library
PAGES = [
    DOCS / "timelines-library.md",
    *(page for page in sorted((DOCS / "generators").glob("*.md")) if page != STRUCTURE),
]
# Runs the examples of a page as one session, and prints the modules of figmill that are loaded afterwards.
EXAMPLES = """
import doctest, re, sys
text = "\\n".join(re.findall(r"```pycon\\n(.*?)```", open(sys.argv[1], encoding="utf-8").read(), re.DOTALL))
session = doctest.DocTestParser().get_doctest(text, {}, "page", None, 0)
runner = doctest.DocTestRunner()
runner.run(session)
assert runner.summarize() == (0, len(session.examples)), "an example failed"
assert len(session.examples) > 5
print("modules:", *sorted(name for name in sys.modules if name.startswith("figmill")))
"""


def lines(path: Path) -> str:
    """The code of a page's examples, without what they print."""
    text = "\n".join(re.findall(r"```pycon\n(.*?)```", path.read_text("utf-8"), re.DOTALL))
    return "\n".join(line[4:] for line in text.splitlines() if line.startswith((">>> ", "... ")))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_examples_run_and_load_nothing_else_of_figmill(path: Path, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-P", "-c", EXAMPLES, str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    loaded = set(ran.stdout.rpartition("modules:")[2].split())
    assert {name.partition(".")[0] for name in loaded} == {"figmill_timelines"} and len(loaded) > 2


@cache
def api() -> ModuleType:
    sys.path.insert(0, str(DOCS / "site"))
    try:
        return import_module("timelines_api")
    finally:
        sys.path.pop(0)


def called(path: Path) -> set[str]:
    """The names of figmill that a page's examples use, in full."""
    tree = ast.parse(lines(path))
    names = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return {names[node.id] for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in names} | {
        f"{names[node.value.id]}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names
    }


def test_each_public_function_has_an_example_and_a_docstring() -> None:
    functions = [
        (module, node, page)
        for module, page in api().API.items()
        for node in api().members(module)
        if isinstance(node, ast.FunctionDef)
    ]
    assert len(functions) > 150
    used = {page: called(DOCS / f"{page}.md") for page in api().API.values()}
    missing = [
        f"{module}.{node.name}"
        for module, node, page in functions
        if f"figmill_timelines.{module}.{node.name}" not in used[page] or not ast.get_docstring(node)
    ]
    assert missing == []


def test_the_library_page_names_each_module_and_its_page() -> None:
    text = (DOCS / "timelines-library.md").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    named = {name: row for row in rows for name in re.findall(r"`([\w.]+)`", row.split("|")[1])}
    assert named.keys() == api().API.keys()
    wrong = [
        name
        for name, page in api().API.items()
        if page.startswith("generators/") and f"({page}.md)" not in named[name]
    ]
    assert wrong == []


def test_each_generator_has_a_page_with_picture_parameters_facts_and_an_example() -> None:
    scripts = sorted(path.name for path in (REPOSITORY / "visuals").glob("*.py"))
    index = (DOCS / "timelines.md").read_text("utf-8")
    pages = {
        script: DOCS / link
        for cells, link in re.findall(
            r"^\| (`[^|]+`) \| .*?\]\((generators/[\w-]+\.md)\)", index, re.MULTILINE
        )
        for script in re.findall(r"`(\w+\.py)`", cells)
    }
    assert sorted(pages) == scripts
    assert set(pages.values()) == {*PAGES[1:], STRUCTURE}
    for script, page in pages.items():
        if page == STRUCTURE:
            continue
        text = page.read_text("utf-8")
        parts = (
            f"`{script}`",
            "](../pictures/cloud-",
            "| parameter | default | meaning |",
            "Facts",
            "## In Python",
        )
        assert [part for part in parts if part not in text] == [], page.name


@pytest.mark.parametrize(
    ("page", "places"),
    [
        ("timelines-library", ["packages/timelines/figmill_timelines"]),
        (
            "developers/svg-library",
            ["figmill/svg", "figmill/palette.py", "figmill/font_metrics.py", "figmill/spelling.py"],
        ),
    ],
)
def test_a_page_names_each_library_that_its_modules_import(page: str, places: list[str]) -> None:
    folders = [REPOSITORY / place for place in places]
    files = [file for folder in folders for file in (folder.rglob("*.py") if folder.is_dir() else [folder])]
    modules = {
        name.partition(".")[0]
        for file in files
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
        )
    }
    libraries = modules - sys.stdlib_module_names - {"figmill", "figmill_timelines"}
    introduction = (DOCS / f"{page}.md").read_text("utf-8").partition("\n| ")[0]
    assert len(libraries) > 3 and libraries <= set(re.findall(r"`(\w+)`", introduction))


def names() -> Iterator[tuple[str, str]]:
    """Each type of figmill and each alias of a type: (name, file)."""
    for path in (*(REPOSITORY / "figmill").rglob("*.py"), *TIMELINES.rglob("*.py")):
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.ClassDef):
                yield node.name, path.relative_to(REPOSITORY).as_posix()
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if re.fullmatch(r"[A-Z]+[a-z]\w*", name):
                    yield name, path.relative_to(REPOSITORY).as_posix()


def test_no_type_of_the_timelines_has_a_name_of_another_type() -> None:
    everything = list(names())
    count = Counter(name for name, _ in everything)
    own = [name for name, file in everything if file.startswith("packages/timelines/figmill_timelines/")]
    assert len(own) > 100
    assert sorted({name for name in own if count[name] > 1}) == []
