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
INDEX = DOCS / "generators/index.md"
STRUCTURE = DOCS / "generators/structure.md"  # another library
PAGES = sorted({*(DOCS / "generators").glob("*.md")} - {INDEX, STRUCTURE})
SESSIONS = [*PAGES, *sorted((TIMELINES.parent / "sessions").glob("*.pycon"))]
# Runs the examples of each file as a session, and prints the modules of figmill that are loaded afterwards.
EXAMPLES = """
import doctest, re, sys
runner = doctest.DocTestRunner()
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    text = text if path.endswith(".pycon") else "\\n".join(re.findall(r"```pycon\\n(.*?)```", text, re.DOTALL))
    session = doctest.DocTestParser().get_doctest(text, {}, path, None, 0)
    runner.run(session)
    assert len(session.examples) > 2, path
assert runner.summarize().failed == 0, "an example failed"
print("modules:", *sorted(name for name in sys.modules if name.startswith("figmill")))
"""


def lines(path: Path) -> str:
    """The code of a file's examples, without what they print."""
    text = path.read_text("utf-8")
    text = text if path.suffix == ".pycon" else "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    return "\n".join(line[4:] for line in text.splitlines() if line.startswith((">>> ", "... ")))


def test_the_examples_run_and_load_nothing_else_of_figmill(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-P", "-c", EXAMPLES, *map(str, SESSIONS)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    loaded = set(ran.stdout.rpartition("modules:")[2].split())
    assert {name.partition(".")[0] for name in loaded} == {"figmill_timelines"} and len(loaded) > 30


@cache
def api() -> ModuleType:
    sys.path.insert(0, str(DOCS / "site"))
    try:
        return import_module("timelines_api")
    finally:
        sys.path.pop(0)


def called(path: Path) -> set[str]:
    """The names of figmill that a file's examples use, in full."""
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
        (module, node)
        for module in api().API
        for node in api().members(module)
        if isinstance(node, ast.FunctionDef)
    ]
    assert len(functions) > 150
    used = set().union(*map(called, SESSIONS))
    missing = [
        f"{module}.{node.name}"
        for module, node in functions
        if f"figmill_timelines.{module}.{node.name}" not in used or not ast.get_docstring(node)
    ]
    assert missing == []


def test_each_page_of_generators_shows_a_module_that_leads_to_it() -> None:
    leads = {DOCS / f"{page}.md" for page in api().API.values() if page}
    assert leads == set(PAGES)
    for path in PAGES:
        modules = {
            f"figmill_timelines.{name}" for name, page in api().API.items() if DOCS / f"{page}.md" == path
        }
        assert called(path) & modules, path.name


def test_each_generator_has_a_page_with_picture_parameters_and_facts() -> None:
    scripts = sorted((REPOSITORY / "visuals").glob("*.py"))
    pages = {
        script: INDEX.parent / link
        for cells, link in re.findall(
            r"^\| (`[^|]+`) \| .*?\]\(([\w-]+\.md)[#)]", INDEX.read_text("utf-8"), re.MULTILINE
        )
        for script in re.findall(r"`(\w+\.py)`", cells)
    }
    assert sorted(pages) == [script.name for script in scripts]
    assert set(pages.values()) == {*PAGES, STRUCTURE}
    for script in scripts:
        section = next(
            part
            for part in pages[script.name].read_text("utf-8").split("\n## ")
            if f"`{script.name}`" in part
        )
        told = set(re.findall(r"`(\w+)(?:`|: )", section))
        assert parameters(script) - SHARED <= told, script.name
        assert "](../pictures/" in section and re.search(r"\b[Ff]acts?\b", section), script.name


# Parameters that the index and the head of a page explain, or that no question needs.
SHARED = {"title", "narrow", "only", "without", "direction", "source"}


def parameters(script: Path) -> set[str]:
    """The parameters of the script's `draw`."""
    draw = next(
        node
        for node in ast.parse(script.read_bytes()).body
        if isinstance(node, ast.FunctionDef) and node.name == "draw"
    )
    return {each.arg for each in (*draw.args.args, *draw.args.kwonlyargs)}


@pytest.mark.parametrize(
    ("page", "places"),
    [
        ("reference/timelines", ["packages/timelines/figmill_timelines"]),
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
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        )
    }
    libraries = modules - sys.stdlib_module_names - {"figmill", "figmill_timelines"}
    introduction = (DOCS / f"{page}.md").read_text("utf-8").partition("\n## ")[0]
    assert len(libraries) > 3 and libraries <= set(re.findall(r"`(\w+)`", introduction))


NAMED = re.compile(r"^class (\w+)|^([A-Z]+[a-z]\w*) = ", re.MULTILINE)


def names() -> Iterator[tuple[str, str]]:
    """Each type of figmill and each alias of a type: (name, file)."""
    for path in (*(REPOSITORY / "figmill").rglob("*.py"), *TIMELINES.rglob("*.py")):
        for match in NAMED.finditer(path.read_text("utf-8")):
            yield match[1] or match[2], path.relative_to(REPOSITORY).as_posix()


def test_no_type_of_the_timelines_has_a_name_of_another_type() -> None:
    everything = list(names())
    count = Counter(name for name, _ in everything)
    own = [name for name, file in everything if file.startswith("packages/timelines/figmill_timelines/")]
    assert len(own) > 100
    assert sorted({name for name in own if count[name] > 1}) == []
