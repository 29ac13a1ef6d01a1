"""The direction of the arrows: a package imports only from the lines above its own, and nothing in a circle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from helpers.own_code import nodes, tree

from figmill import kind, svg

PACKAGE = Path(__file__).parent.parent / "figmill"

# Names on one line know nothing of each other.
HOUSE = (
    "late_dataclasses",
    "arabic default_limits exit_codes formats former_names host late paths palette sfnt spelling wording xml_tree",
    "house_style model page_words versions",
    "plugins",
    "checks",
    "errors",
    "font_metrics streams",
    "fastpath",
    "config enclosure report",
    "svg kind",
    "kinds",
    "book",
    "claims store scaffold render",
    "cluster publish compare",
    "engine",
    "lint",
    "integrations",
    "serve agents",
    "docutils sphinx markdown notebook commands",
    "cli",
    "__main__",
)
SVG = (
    "document oklab spec steps symbols",
    "colour",
    "colour_vision xml",
    "styles",
    "geometry",
    "pictures",
    "intake",
    "passes",
    "html",
    "checks",
    "grey_ink layout pipeline skeleton usvg",
    "repair",
    "mend",
)


def modules() -> dict[str, Path]:
    """Every module by its dotted name without `figmill`."""
    names = {path: path.relative_to(PACKAGE).with_suffix("").parts for path in PACKAGE.rglob("*.py")}
    return {".".join(parts).removesuffix(".__init__"): path for path, parts in sorted(names.items())}


MODULES = modules()


@cache
def imported(name: str) -> tuple[str, ...]:
    """The modules that one imports, inside functions and for types too."""
    return tuple(_imported(tree(MODULES[name])))


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "figmill":
            inside = (node.module or "").partition(".")[2]
            below = (f"{inside}.{alias.name}".strip(".") for alias in node.names)
            yield from (full if full in MODULES else inside for full in below if full in MODULES or inside)


def upward(layers: tuple[str, ...], of: str) -> list[str]:
    """Imports that lead up, or sideways, among the packages below `of`."""
    rank = {name: number for number, line in enumerate(layers) for name in line.split()}
    inside = f"{of}." if of else ""

    def home(module: str) -> str | None:
        first = module.removeprefix(inside).partition(".")[0]
        return first if module.startswith(inside) and module != of and first in rank else None

    return [
        f"{name} imports {other}"
        for name in MODULES
        for other in imported(name)
        if (mine := home(name)) and (yours := home(other)) and mine != yours and rank[yours] >= rank[mine]
    ]


@pytest.mark.parametrize(("layers", "of"), [(HOUSE, ""), (SVG, "svg")])
def test_no_import_leads_up(layers: tuple[str, ...], of: str) -> None:
    assert upward(layers, of) == []


def test_a_host_starts_without_what_draws() -> None:
    """A site waits for everything that its plugin loads, before the first page."""
    loaded, waiting = set[str](), ["integrations.mkdocs_plugin"]
    while waiting:
        name = waiting.pop()
        if name in MODULES and name not in loaded:
            loaded.add(name)
            body = tree(MODULES[name]).body
            at_once = ast.Module([node for node in body if isinstance(node, ast.ImportFrom)], [])
            waiting += [*_imported(at_once), name.rpartition(".")[0]]
    assert {"config", "integrations.figures", "claims.numbers"} <= loaded
    assert not loaded & {"model", "kind", "kinds", "book.question", "engine", "svg", "render"}


def test_every_package_has_its_line() -> None:
    known = {name for line in HOUSE for name in line.split()} | {"", "__init__", "structure", "timelines"}
    assert {name.partition(".")[0] for name in MODULES} <= known


def test_every_part_of_svg_has_its_line() -> None:
    parts = {name.split(".")[1] for name in MODULES if name.startswith("svg.")}
    assert parts <= {name for line in SVG for name in line.split()}


def test_svg_imports_of_the_rest_what_its_docstring_declares() -> None:
    declared = set(re.findall(r"`figmill\.(\w+)`", svg.__doc__ or ""))
    assert {
        other for name in MODULES if is_svg(name) for other in imported(name) if not is_svg(other)
    } == declared


def test_the_rest_imports_only_the_api_of_svg() -> None:
    """The names in `__all__`, and the modules for usvg and for grey ink."""
    outside = [path for name, path in MODULES.items() if not is_svg(name)]
    lines = [
        (node.module, alias.name)
        for path in outside
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("figmill.svg")
        for alias in node.names
    ]
    assert len(lines) > 10
    assert set(lines) <= {("figmill.svg", name) for name in (*svg.__all__, "grey_ink", "usvg")}


def is_svg(module: str) -> bool:
    return f"{module}.".startswith("svg.")


def test_no_module_is_part_of_a_circle() -> None:
    try:
        TopologicalSorter({name: set(imported(name)) - {name} for name in MODULES}).prepare()
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))


# A distribution -> the names of ours that it may import, by their first part.
SHELVES = {
    "kinds": {"figmill", "figmill_kinds"},
    "timelines": {"figmill_timelines"},
    "structure": {"figmill_structure", "figmill_timelines"},
}
# What figmill itself imports of the timelines: the rest of them is for scripts.
OF_TIMELINES = {"language", "palette", "units"}


def ours(folder: Path) -> set[str]:
    """The modules of figmill and its distributions that the modules below a folder import."""
    return {
        module
        for path in folder.rglob("*.py")
        for node in nodes(path)
        for module in _names(node)
        if module.startswith("figmill")
    }


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("shelf", SHELVES)
def test_a_distribution_imports_what_its_row_says(shelf: str) -> None:
    imports = ours(PACKAGE.parent / "packages" / shelf / f"figmill_{shelf}")
    assert {name.partition(".")[0] for name in imports} == SHELVES[shelf]


def test_a_kind_comes_in_by_one_door() -> None:
    """It imports figmill.kind, and of that package the modules that its docstring names."""
    modules = {path.stem for path in (PACKAGE / "kind").glob("*.py")}
    named = set(re.findall(r"`(\w+)`", kind.__doc__ or "")) & modules
    asked = {
        (node.module or "").removeprefix("figmill.kind").lstrip(".")
        or (alias.name if alias.name in modules else "")
        for path in (PACKAGE.parent / "packages/kinds/figmill_kinds").rglob("*.py")
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "figmill"
        for alias in node.names
    }
    assert asked == {"", *named}


def test_figmill_imports_little_of_the_timelines_and_nothing_of_the_structure() -> None:
    libraries = {tuple(name.split(".")[:2]) for name in ours(PACKAGE) if name.startswith("figmill_")}
    assert libraries == {("figmill_timelines", name) for name in OF_TIMELINES}


def test_a_book_is_content_and_no_package() -> None:
    assert not list((PACKAGE.parent / "visuals").rglob("__init__.py"))
