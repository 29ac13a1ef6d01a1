"""Private parts of other libraries: docs/developers/architecture.md has all of them, with the version they suit."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import metadata

from helpers.book import REPOSITORY
from helpers.own_code import modules_with, tree

TABLE = (
    (REPOSITORY / "docs/developers/architecture.md")
    .read_text(encoding="utf-8")
    .partition("## Private parts")[2]
)
# Documented in spite of their names, or only the names of types.
PUBLIC = {
    "_base_executable",
    "_exit",
    "_getframe",
    "_replace",
    "_make",
    "_fields",
    "_Element",
    "_ProcessingInstruction",
}


def rows() -> Iterator[tuple[str, str, set[str]]]:
    """Library with version, module and private parts of each row; an empty cell repeats the one above."""
    library = module = ""
    for line in TABLE.partition("\n## ")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 4 or cells[0] in ("library", "---"):
            continue
        library = cells[0] or library
        module = module if cells[2] == "the same" else cells[2].strip("`")
        yield library, module, set(re.findall(r"`(_\w+)`", cells[1]))


def used(tree: ast.Module) -> set[str]:
    """Names with one underscore that a module uses of objects, but does not give to any itself."""
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    own = {
        node.attr
        for node in attributes
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
    }
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    asked = {
        node.args[1].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("getattr", "setattr", "hasattr")
        and len(node.args) > 1
        and isinstance(node.args[1], ast.Constant)
    }
    names = {node.attr for node in attributes if not _of_own_class(node)} | {str(name) for name in asked}
    private = {name for name in names if re.fullmatch(r"_[a-zA-Z]\w*", name)} - PUBLIC - defined
    return {name for name in private - own if "figmill" not in name} | (private & FOREIGN)


def _of_own_class(node: ast.Attribute) -> bool:
    return (
        isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "super"
    )


FOREIGN = set[str]().union(*(parts for _, _, parts in rows()))  # also where a class of ours inherits the part


def test_the_table_names_every_private_part_and_no_other() -> None:
    parts_of = {
        name: parts
        for name, path in modules_with(r"\._[a-zA-Z]|attr\(").items()
        if (parts := used(tree(path)))
    }
    stated: dict[str, set[str]] = {}
    for _, module, parts in rows():
        stated.setdefault(module, set()).update(parts)
    assert parts_of == stated


def test_each_library_has_the_version_that_was_looked_at() -> None:
    for library in {library for library, _, _ in rows()}:
        name, version = library.split()
        assert metadata.version(name).startswith(version), f"look at the rows of {name} again"
