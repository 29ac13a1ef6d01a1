"""`doctor`: one line for everything that a build needs, with what to do where it is not there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.book import CopyOf, Ran, Space, two_figures
from helpers.machine import FORBIDDEN, with_sandbox


def findings(ran: Ran) -> dict[str, dict[str, Any]]:
    """Each finding by its name; those of hosts by the file that they begin with."""
    rows = ran.json["findings"]
    return {row["said"].split()[0] if row["name"] == "host" else row["name"]: row for row in rows}


def stub(folder: Path, name: str, error: str) -> dict[str, str]:
    """Variables under which a library is there and does not load."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(f"raise ImportError({error!r})\n")
    return {"PYTHONPATH": str(folder)}


def test_all_is_well_and_each_line_says_so(copy_of: CopyOf) -> None:
    book = copy_of(two_figures)
    before = book.stamps()
    ran = book.run("doctor")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert "wrong" not in ran.out
    for name in (
        "Python",
        "figmill",
        "libraries",
        "fonts",
        "sandbox",
        "Graphviz",
        "matplotlib",
        "drawings",
        "exports",
        "browser",
        "kinds",
        "checks",
        "book",
        "cache",
        "output",
        "host",
    ):
        assert sum(line.split()[1:2] == [name] for line in lines) == 1, name
    for name in ("book", "cache", "output"):
        assert any(line.split()[:2] == ["ok", name] for line in lines), name
    assert book.stamps() == before


def test_hosts_and_a_tree_that_may_not_be_written_are_told(copy_of: CopyOf) -> None:
    book = copy_of(two_figures).write(
        {
            "mkdocs.yml": "plugins: [figmill]\n",
            "docs/conf.py": "extensions = []\n",
            "_quarto.yml": "filters: [figmill]\n",
        }
    )
    folders = (book.root, book.root / ".figmill", book.root / "build")
    for folder in folders:
        folder.chmod(0o555)
    try:
        told = book.run("doctor", "--format", "json", as_user=True)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert (told.code, told.json["works"]) == (0, True)
    assert {row["state"] for row in told.json["findings"]} <= {"ok", "note"}
    checks = findings(told)
    assert (checks["cache"]["state"], checks["output"]["state"]) == ("note", "note")
    assert "2 questions" in checks["book"]["said"]
    assert checks["mkdocs.yml"]["state"] == checks["_quarto.yml"]["state"] == "ok"
    assert (checks["docs/conf.py"]["state"], checks["docs/conf.py"]["advice"]) == (
        "note",
        "figmill setup sphinx --apply",
    )


def test_a_library_that_does_not_load_is_told_and_the_others_are_tried(space: Space, tmp_path: Path) -> None:
    graphviz = stub(tmp_path / "stubs", "pygraphviz", "it does not load")
    ran = space.run("doctor", "--format", "json", env=graphviz)
    checks = findings(ran)
    assert (ran.code, ran.json["works"], checks["Graphviz"]["state"]) == (1, False, "wrong")
    assert "Graphviz is missing" in checks["Graphviz"]["said"]
    assert checks["Graphviz"]["advice"] == "pip install --force-reinstall figmill"
    assert [checks[name]["state"] for name in ("matplotlib", "drawings")] == ["ok", "ok"]


def test_without_exports_and_without_a_book_nothing_is_wrong(space: Space, tmp_path: Path) -> None:
    ran = space.run("doctor", "--format", "json", env=stub(tmp_path / "stubs", "typst", "no such library"))
    checks = findings(ran)
    exports, book = checks["exports"], checks["book"]
    assert (ran.code, exports["state"], book["state"]) == (0, "note", "note")
    assert "no such library" in exports["said"] and exports["advice"] == "pip install 'figmill[export]'"
    assert book["advice"] == "create one: figmill new ID --kind dot"


@pytest.mark.parametrize(
    ("setting", "code", "state"), [("auto", 0, "note"), ("require", 1, "wrong"), ("off", 0, "note")]
)
def test_without_bubblewrap(space: Space, tmp_path: Path, setting: str, code: int, state: str) -> None:
    two_figures(space).write({"figmill.toml": f'sandbox = "{setting}"\n'})
    bare = replace(space, machine=with_sandbox("Landlock only", tmp_path / "bin"))
    assert "No permissions" in FORBIDDEN
    ran = bare.run("doctor", "--format", "json")
    check = findings(ran)["sandbox"]
    assert (ran.code, check["state"]) == (code, state)
    if setting != "off":
        assert (
            "bwrap: No permissions to create new namespace" in check["said"] and "Landlock" in check["said"]
        )
        assert check["advice"]


def test_settings_that_cannot_be_read(space: Space) -> None:
    two_figures(space).write({"figmill.toml": "themes = 3\n"})
    ran = space.run("doctor", "--format", "json")
    assert (ran.code, findings(ran)["book"]["state"]) == (1, "wrong")
    assert findings(ran)["book"]["said"].startswith("figmill.toml:1")
