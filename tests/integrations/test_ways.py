"""Addresses of files in pages, also where a path between two drives does not exist."""

from __future__ import annotations

import ntpath
from pathlib import Path

from figmill.integrations.ways import way


def test_an_address_has_slashes_and_leads_from_one_drive_to_another(tmp_path: Path) -> None:
    assert way(tmp_path / "build", tmp_path / "docs" / "guide") == "../../build"
    assert way(r"C:\book\build", r"C:\book\docs", ntpath) == "../build"
    assert way(r"D:\my book\build", r"C:\site", ntpath) == "file:///D:/my%20book/build"
