"""What ordinary scripts do goes on working behind all that is refused, in each mode."""

from __future__ import annotations

import json
import os
import shutil
import sys

import pytest
from helpers.book import Space
from helpers.machine import locked

from figmill.enclosure import sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="scripts are held to what Linux offers")

SCRIPT = """\
import asyncio, concurrent.futures, mmap, multiprocessing, os, shutil, socket, sqlite3, subprocess, tarfile, tempfile
import threading, zipfile
from pathlib import Path
from figmill import Drawing


def square(number):
    return number * number


def copies():
    Path("a").write_text("x")
    shutil.copy("a", "b"), shutil.copy2("a", "c"), shutil.copystat(__file__, "a"), shutil.move("c", "d")
    shutil.copytree(Path(__file__).parent, "tree")
    assert Path("b").read_text() == Path("d").read_text() == "x"


def touched():
    Path("new").touch(), Path("new").touch()
    subprocess.run(["touch", "newer"], check=True)
    assert Path("new").exists() and Path("newer").exists()


def archives():
    with zipfile.ZipFile("z.zip", "w") as file:
        file.writestr("q", "1")
    zipfile.ZipFile("z.zip").extractall("zip")
    with tarfile.open("t.tar", "w") as file:
        file.add("z.zip")
    packed = tarfile.open("t.tar")
    packed.extraction_filter = getattr(tarfile, "data_filter", None)  # of Python 3.11.4
    packed.extractall("tar")
    assert Path("zip/q").read_text() == "1" and Path("tar/z.zip").exists()


def temporary():
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as file:
        Path(folder, "x").write_text("x"), file.write(b"x"), tempfile.TemporaryFile().write(b"x")


def data():
    import numpy
    from PIL import Image
    with sqlite3.connect("x.db") as base:
        base.execute("create table a (b)")
    numpy.memmap("m", dtype="f8", mode="w+", shape=(1000,))[:] = 1
    Image.new("RGB", (9, 9)).save("i.png"), Image.open("i.png").load()
    assert mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE)[0] == 0


def loops():
    async def main():
        process = await asyncio.create_subprocess_exec("true")
        await process.wait()
    asyncio.run(main())


def threads():
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(square, range(3))) == [0, 1, 4]


def programs():
    Path("program").write_text("#!/bin/sh\\nexit 0\\n")
    os.chmod("program", 0o755)
    subprocess.run(["sh", "program"], check=True)


def executables():
    subprocess.run(["./program"], check=True)


def pools():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(square, range(3)) == [0, 1, 4]


def processes():
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
        assert list(pool.map(square, range(3))) == [0, 1, 4]


def shared():
    multiprocessing.RawArray("d", 100)


TRIED = (copies, touched, archives, temporary, data, loops, threads, programs, executables, pools, processes, shared)


def draw():
    failed = {}
    for each in TRIED:
        try:
            each()
        except Exception as error:
            failed[each.__name__] = repr(error)[:60]
    return Drawing("digraph { a }", facts={"failed": str(failed)})
"""
REFUSED = "PermissionError(13, 'Permission denied')"
# What there is only in a sandbox.
BARE = dict.fromkeys(("executables", "pools", "processes", "shared"), REFUSED)


def only(space: Space, *names: str) -> dict[str, str]:
    """An environment in which these programs are found and no others."""
    folder = space.root.parent / "programs"
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(os.path.realpath(shutil.which(name) or name))
    return {"PATH": str(folder)}


@pytest.mark.parametrize(("setting", "failed"), [("require", {}), ("auto", BARE), ("off", {})])
def test_an_ordinary_script_is_not_in_the_way(space: Space, setting: str, failed: dict[str, str]) -> None:
    if setting == "require" and (why := sandbox._why_not()):
        pytest.skip(why)
    locked()
    space.write({"figmill.toml": f'sandbox = "{setting}"\n', "visuals/a.py": SCRIPT})
    space.question("a", "kind: dot, source: a.py, alt: nothing")
    done = space.run(env=only(space, "sh", "touch", "true") if setting == "auto" else None)
    assert done.code == 0, done.err
    facts = json.loads(space.read("build/manifest.json"))["figures"][0]["facts"]
    assert facts["failed"] == str(failed)


def test_a_pool_without_a_sandbox_is_told_what_it_needs(space: Space) -> None:
    locked()
    code = "import multiprocessing\ndef draw():\n    multiprocessing.Pool(2)\n"
    space.write({"visuals/a.py": code})
    space.question("a", "kind: dot, source: a.py, alt: nothing")
    done = space.run(env=only(space))
    message = "multiprocessing needs shared memory, which a script has only in a sandbox; install bubblewrap"
    assert f"visuals/a.py:3: PermissionError: {message}, or use threads" in done.err
