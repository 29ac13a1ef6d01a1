"""Files that C code opens are inputs like all others; where they cannot be seen, the build says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.book import Space

from figmill.render.open_watch import OpenWatch, begin

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the watch is Linux's")

# libxml2 opens its files itself, as pyarrow, HDF5 and GDAL do; fopen() is what all of them come down to.
PARSED = """\
from pathlib import Path
from lxml import etree


def draw():
    number = etree.parse(str(Path(__file__).parent / "data" / "deep" / "t.xml")).getroot().text
    return f'digraph {{ a [label="{number}"] }}'
"""
OPENED = """\
import ctypes
from pathlib import Path


def draw():
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    name = str(Path(__file__).parent / "data" / "deep" / "t.xml").encode()
    libc.fgets.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p]
    line = ctypes.create_string_buffer(99)
    libc.fgets(line, 99, libc.fopen(name, b"r"))
    return f'digraph {{ a [label="{line.value[3:-5].decode()}"] }}'
"""


def traced(space: Space, id_: str) -> set[str]:
    records = space.records()
    entry = records["figure"][id_]
    group, *numbers = entry["traced"]
    return {name for name, _ in (*records["inputs"].get(group, []), *(entry["rows"][n] for n in numbers))}


def test_a_file_that_c_code_opens_is_an_input(space: Space) -> None:
    scripts = {"libxml2": PARSED, "fopen": OPENED}
    space.write({"visuals/data/deep/t.xml": "<n>12</n>\n", "visuals/data/u.xml": "<n/>"})
    for name, script in scripts.items():
        space.write({f"visuals/{name}.py": script})
        space.question(name, f"kind: dot, source: {name}.py, alt: a number in a box")
    first = space.run("--strict")
    assert (first.code, first.err) == (0, "")
    for name in scripts:
        assert {path for path in traced(space, name) if "data" in path} == {"visuals/data/deep/t.xml"}
    assert space.run().out == "2 figures, all fresh\n"
    space.write({"visuals/data/u.xml": "<m/>", "visuals/data/new.xml": "<m/>"})
    assert space.run().out == "2 figures, all fresh\n"
    space.write({"visuals/data/deep/t.xml": "<n>13</n>\n"})
    rows = space.run("--format", "json").json["figures"]
    assert {row["id"]: row["reasons"] for row in rows} == {
        name: ["visuals/data/deep/t.xml"] for name in scripts
    }
    for name in scripts:
        assert ">13</text>" in space.read(f"build/global/{name}.svg")


def test_what_others_open_at_the_same_time_is_told_apart(tmp_path: Path) -> None:
    for name in ("mine.txt", "theirs.txt", "deep/mine.txt", ".hidden/mine.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    watch = OpenWatch(begin(), tmp_path)
    subprocess.run(["cat", tmp_path / "theirs.txt"], check=True, stdout=subprocess.DEVNULL)
    for name in ("mine.txt", "deep/mine.txt", ".hidden/mine.txt"):
        os.close(os.open(tmp_path / name, os.O_RDONLY))
    assert watch.opened() == {str(tmp_path / "mine.txt"), str(tmp_path / "deep/mine.txt")}
    assert watch.opened() == set()
    assert watch.is_complete


@pytest.mark.parametrize("folders", [999, 1000])
def test_a_book_of_too_many_folders_is_not_seen_whole(tmp_path: Path, folders: int) -> None:
    for number in range(folders):
        (tmp_path / str(number)).mkdir()
    assert OpenWatch(begin(), tmp_path).is_complete == (folders < 1000)


def test_where_nothing_can_be_seen_the_build_says_so_once(space: Space) -> None:
    space.write({f"notes/{n}/a.txt": "" for n in range(1001)})
    space.write({"visuals/p.py": PARSED, "visuals/data/deep/t.xml": "<n>12</n>\n"})
    space.question("p", "kind: dot, source: p.py, alt: a number in a box")
    reason = "loads lxml, whose reads figmill cannot see here: name its files under `inputs`"
    said = f"visuals/p.py: {reason} [unseen-reads]\n"
    assert (space.run().err, space.run().err) == (said, said)
    assert space.run("--strict").code == 1
    assert not list((space.root / ".figmill/cache").rglob("?" * 64))  # nobody else is to take it for whole
    space.question("p", "kind: dot, source: p.py, alt: a number in a box, inputs: [data/deep/t.xml]")
    seen = space.run("--strict")
    assert (seen.code, seen.err) == (0, "")


def test_no_watch_has_seen_nothing(tmp_path: Path) -> None:
    watch = OpenWatch(-1, tmp_path)
    assert (watch.is_complete, watch.opened()) == (False, set())
