"""Addresses of files in pages, also where a path between two drives does not exist."""

from __future__ import annotations

import ast
import ntpath
from pathlib import Path

from helpers.own_code import modules_with, nodes

from figmill.integrations.relative_address import way
from figmill.paths import relative

# Where no path can lead to another drive: Linux alone, a manifest of the book, paths that begin with the book's root,
# and the function itself.
OWN = {"enclosure/view.py", "host/inside.py", "publish/manifest.py", "paths.py"}


def test_an_address_has_slashes_and_leads_from_one_drive_to_another(tmp_path: Path) -> None:
    assert way(tmp_path / "build", tmp_path / "docs" / "guide") == "../../build"
    assert way(r"C:\book\build", r"C:\book\docs", ntpath) == "../build"
    assert way(r"D:\my book\build", r"C:\site", ntpath) == "file:///D:/my book/build"
    assert relative(r"C:\book\build", r"C:\book\docs", ntpath) == "../build"
    assert relative(r"D:\my book\build", r"C:\site", ntpath) == "D:/my book/build"


def test_every_relative_path_is_asked_of_the_function_that_knows_of_drives() -> None:
    asked = {
        name
        for name, path in modules_with("relpath").items()
        for node in nodes(path)
        if isinstance(node, ast.Attribute | ast.alias)
        and "relpath" in (getattr(node, "attr", ""), getattr(node, "name", ""))
    }
    assert asked == OWN


def test_sphinx_keeps_an_absolute_path_when_it_joins_it() -> None:
    """`path_from` begins with a slash; Sphinx takes that away, and joins the rest to its source folder."""
    folder = relative(r"D:\book\build", r"C:\docs", ntpath)
    assert ntpath.normpath(ntpath.join(r"C:\docs", f"{folder}/a.svg")) == r"D:\book\build\a.svg"
