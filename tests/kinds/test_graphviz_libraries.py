"""Graphviz takes nothing of a desktop from the system; a library that it lacks is named with its Debian package."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.book import Space
from helpers.drawing import draw_all
from helpers.layouts import ENGINES

from figmill import kinds
from figmill.errors import ToolError
from figmill.kind.job import Job
from figmill.kinds.graphs import library
from figmill.render.results import Drawn

PACKAGE = Path(next(iter(find_spec("pygraphviz").submodule_search_locations)))  # type: ignore[union-attr, arg-type]
# What the raster plugins of Graphviz would load.
DESKTOP = re.compile(
    r"lib(glib|gobject|gio|X11|Xext|Xrender|xcb|fontconfig|freetype|cairo|pango|harfbuzz|gd)[-.]"
)
LABELS = (
    "<<b>x</b><i>y</i> a &amp; <font face='Courier' point-size='20'>z &auml;</font>>",
    "<<table><tr><td port='p'>one</td><td>two<br/>three</td></tr></table>>",
    "<<b>x</i>>",
    "<a & b>",
    "<<table><tr><td>no end</td></tr>>",
)
DRAWING = """
import ctypes, json, re, sys
from figmill.kinds import dot
wanted = json.loads(sys.argv[1])
dot.warm([])
drawn = []
for engine in wanted["engines"]:
    for label in wanted["labels"]:
        with dot.Stderr() as said:
            laid = dot._layout(f"graph {{ a [label={label}]; a -- b [label=words] }}", engine)
        drawn.append([laid.svg.decode(), said.text])
maps = open("/proc/self/maps").read().splitlines()
files = sorted({line.split(maxsplit=5)[5] for line in maps if line.count("/")})
print(json.dumps({"drawn": drawn, "files": files, "loaded": sorted(sys.modules)}))
"""


def drawing(engines: tuple[str, ...] = ("dot",)) -> dict[str, list[str]]:
    """What a new process draws, and the files that are mapped into it."""
    wanted = {"engines": engines, "labels": LABELS}
    command = [sys.executable, "-c", DRAWING, json.dumps(wanted)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 0, ran.stderr
    answer: dict[str, list[str]] = json.loads(ran.stdout)
    return answer


def names(files: list[str]) -> set[str]:
    return {Path(file).name for file in files}


@pytest.mark.skipif(sys.platform != "linux", reason="which libraries are mapped is told by Linux")
def test_no_library_of_a_desktop_is_loaded() -> None:
    answer = drawing(ENGINES)
    assert {name for name in names(answer["files"]) if DESKTOP.match(name)} == set()
    assert any(name.startswith("libgvc") for name in names(answer["files"]))  # so they are told
    assert [name for name in answer["loaded"] if name.partition(".")[0] == "pygraphviz"] == []
    assert sum("<text" in svg for svg, _ in answer["drawn"]) >= 2 * len(ENGINES)


@pytest.mark.skipif(sys.platform != "linux", reason="which libraries are mapped is told by Linux")
def test_no_library_of_a_desktop_is_loaded_in_a_worker(space: Space) -> None:
    """The script that says it runs in the process that lays its graph out."""
    space.write(
        {
            "visuals/g.py": "from figmill import Drawing\ndef draw():\n    maps = open('/proc/self/maps').read()\n"
            "    names = {line.split('/')[-1] for line in maps.splitlines() if '.so' in line}\n"
            "    return Drawing('digraph { a -> b }', {'maps': sorted(names)})\n"
        }
    )
    (result,) = draw_all([Job("dot", "visuals/g.py", "draw")], space.root, 1)
    assert isinstance(result, Drawn), result
    lines = result.raw.facts["maps"]
    assert isinstance(lines, list)
    found = names([str(line) for line in lines])
    assert any(name.startswith("libgvc") for name in found)
    assert {name for name in found if DESKTOP.match(name)} == set()


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("libgvc-0a1b2c3d.so.7.0.9", b"no library", "Graphviz does not load: "),
        ("libother.so.1", b"", "pygraphviz has no library 'gvc'. Install its wheel, which contains Graphviz"),
    ],
)
def test_a_wheel_without_its_libraries_is_told_in_one_line(
    tmp_path: Path, name: str, data: bytes, words: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ToolError, match=re.escape(words)) as raised:
        library._opened([tmp_path], "gvc")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("said", "package"),
    [
        ("libexpat.so.1: cannot open shared object file: No such file or directory", "libexpat1"),
        ("libgvc-0a.so.7: file too short", ""),
    ],
)
def test_a_library_that_the_system_lacks_is_named_with_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, package: str
) -> None:
    """Slim images of Python have no libexpat, to which Graphviz's core is linked: no graph can be drawn there."""

    def refuse(_: str) -> None:
        raise OSError(said)

    (tmp_path / "libgvc-0a.so.7").write_bytes(b"")
    monkeypatch.setattr(library.ctypes, "CDLL", refuse)
    monkeypatch.setattr(library.sys, "platform", "linux")
    cure = f" (Debian: apt-get install {package})" if package else ""
    with pytest.raises(ToolError) as raised:
        library._opened([tmp_path], "gvc")
    assert str(raised.value) == f"Graphviz does not load: {said}{cure}"


def test_names_of_files_with_and_without_a_digest(tmp_path: Path) -> None:
    for name in ("libgvc-ae99f8ab.so.7.0.9", "libgvc.7.dylib", "gvc-b7fdaeb5b24a.dll"):
        folder = tmp_path / name
        folder.mkdir()
        for other in (name, "libgvcx-1.so.7", "libgvplugin_core-1.so.8", "gvc.txt"):
            (folder / other).write_bytes(b"")
        with pytest.raises(ToolError, match=re.escape(name) if os.name == "posix" else ""):
            library._opened([folder], "gvc")


def conda(prefix: Path) -> Path:
    """An environment as conda lays it out, with the libraries of the wheel: Graphviz's own, and its plugins below."""
    wheel = next(iter(library.folders_of(PACKAGE, prefix)))
    (prefix / "lib/graphviz").mkdir(parents=True)
    (prefix / "conda-meta").mkdir()
    (prefix / "conda-meta/graphviz-14.1.2-h8b86629_0.json").write_text("{}")
    (prefix / "conda-meta/py-lib-1.0-py311_1.json").write_text("{}")
    (prefix / "conda-meta/history").write_text("")
    for path in wheel.iterdir():
        is_looked_for = re.match("lib(gvc|cgraph|gvplugin_.*)-", path.name)
        name = re.sub("-[0-9a-f]{8}", "", path.name) if is_looked_for else path.name
        (prefix / ("lib/graphviz" if "gvplugin" in name else "lib") / name).symlink_to(path)
    (prefix / "site-packages/pygraphviz").mkdir(parents=True)
    return prefix


def test_graphviz_of_a_conda_environment_is_found(tmp_path: Path) -> None:
    prefix = conda(tmp_path / "env")
    folders = library.folders_of(prefix / "site-packages/pygraphviz", prefix)
    assert folders == (prefix / "lib", prefix / "lib/graphviz")
    assert library.Graphviz(folders).context
    with pytest.raises(ToolError, match="or conda's package graphviz"):
        library.Graphviz(library.folders_of(prefix / "site-packages/pygraphviz", tmp_path))


def test_the_version_of_condas_graphviz_is_an_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pygraphviz has a version of its own there, and does not tell."""
    before = kinds.packages("dot", False)
    monkeypatch.setattr(sys, "prefix", str(conda(tmp_path / "env")))
    assert kinds.packages("dot", False) == (*before, ("conda's graphviz", "14.1.2-h8b86629_0"))
    assert kinds.packages("svg", False) == ()
