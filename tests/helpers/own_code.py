"""Every module of figmill and of the distributions beside it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from figmill.paths import PACKAGE, code_folders


def modules() -> Mapping[str, Path]:
    """Name -> path: `kinds/dot.py` of figmill itself, `figmill_kinds/d2/renderer.py` of another distribution."""
    shelves = [folder for name, folder in code_folders().items() if name]
    return {
        path.relative_to(base).as_posix(): path
        for folder, base in ((PACKAGE, PACKAGE), *((folder, folder.parent) for folder in shelves))
        for path in sorted(folder.rglob("*.py"))
    }


def modules_with(pattern: str) -> Mapping[str, Path]:
    """Those whose text matches: the others need no parsing, which takes a second for all."""
    return {
        name: path for name, path in modules().items() if re.search(pattern, path.read_text(encoding="utf-8"))
    }


def calls(names: Iterable[str]) -> str:
    """The pattern of a call of one of these names."""
    return rf"\b(?:{'|'.join(sorted(names))})\("


@cache
def tree(path: Path) -> ast.Module:
    """A module as Python parses it; several tests look at all of them. Not to be changed."""
    return ast.parse(path.read_bytes())


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a module."""
    return tuple(ast.walk(tree(path)))
