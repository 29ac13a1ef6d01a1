"""Build what others install, and look inside: the sdist and the wheel of each distribution, in dist/.

    make dist

Each is built twice, the second time from the sdist itself: other bytes, or a file too many or too few, are an error.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from figmill.scaffold.generators import GENERATORS

REPOSITORY = Path(__file__).parent.parent
SHELVES = tuple(path.parent for path in sorted((REPOSITORY / "packages").glob("*/pyproject.toml")))
# What a file of the package may be.
SUFFIXES = frozenset(
    (
        ".py",
        ".ttf",
        ".css",
        ".js",
        ".lua",
        ".mjs",
        ".yml",
        ".json",
        ".csv",
        ".svg",
        ".sql",
        ".scxml",
        ".yaml",
        ".html",
        ".sty",
        ".po",
        ".pot",
    )
)
# Texts of fonts and scripts, and what agents read.
NAMES = frozenset(("py.typed", "digest", "OFL.txt", "LICENSE", "integrity", "SKILL.md"))
FACES = ("Regular", "Bold", "Italic", "BoldItalic")
FONTS = frozenset(
    {f"figmill/fonts/Arimo-{face}.ttf" for face in FACES} | {"figmill/fonts/OFL.txt", "figmill/fonts/digest"}
)
PARTS = ".cdx.json"  # lists of parts, in a folder `sboms`
INFO_OF_A_SHELF = frozenset(("METADATA", "WHEEL", "licenses/LICENSE", "RECORD"))
INFO = INFO_OF_A_SHELF | {"entry_points.txt", "sboms/figmill.cdx.json"}
BESIDE_A_SHELF = frozenset(("README.md", "LICENSE", "pyproject.toml", "PKG-INFO", ".gitignore"))
# What a shelf has besides: in the dist-info, and beside its package.
MORE_OF_A_SHELF = {"kinds": ({"entry_points.txt", "sboms/figmill-kinds.cdx.json"}, {"hatch_build.py"})}
BESIDE = frozenset(
    ("README.md", "LICENSE", "CHANGELOG.md", "hatch_build.py", "pyproject.toml", "PKG-INFO", ".gitignore")
)


LINKS = ("REPOSITORY_URL", "DOCUMENTATION_URL")  # variables that a build takes the links of the package from


def build(tree: Path, into: Path, bare: bool = False) -> tuple[Path, Path]:
    """The sdist and the wheel of a source tree. Ends the program where a build fails.

    bare: it sees neither those variables nor npm; a build from an sdist has from there what they give.
    """
    env = {name: value for name, value in os.environ.items() if not (bare and name in (*LINKS, "PATH"))}
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--directory", str(into)],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env=env,
    )
    if done.returncode:
        sys.exit(f"{tree.name}: {done.stdout}{done.stderr}")
    return next(into.glob("*.tar.gz")), next(into.glob("*.whl"))


def package(tree: Path) -> frozenset[str]:
    """The files of the package in a source tree, without those that a build makes."""
    paths = (path for path in (tree / "figmill").rglob("*") if path.is_file())
    names = (path.relative_to(tree).as_posix() for path in paths if "__pycache__" not in path.parts)
    return frozenset(names) - FONTS - {f"figmill/fonts/{name}" for name in ("figmill.cdx.json", "cut-from")}


def showcase(tree: Path) -> frozenset[str]:
    """The sources that `new --from` begins with, as the wheel has them."""
    generators = (path.name for path in (tree / "visuals").glob("*.py"))
    data = (f"data/{name}" for generator in GENERATORS.values() for name in generator.data)
    return frozenset(f"figmill/showcase/{name}" for name in (*generators, *data))


def in_wheel(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist()}


def in_sdist(path: Path) -> dict[str, bytes]:
    """The files, by their names below the one folder."""
    with tarfile.open(path) as sdist:
        members = [member for member in sdist.getmembers() if member.isfile()]
        return {
            member.name.partition("/")[2]: file.read()
            for member in members
            if (file := sdist.extractfile(member)) is not None
        }


def complaints(tree: Path, sdist: dict[str, bytes], wheel: dict[str, bytes]) -> Iterator[str]:
    """What is wrong with what is inside."""
    info = {name for name in wheel if PurePosixPath(name).parts[0].endswith(".dist-info")}
    yield from different("the wheel", wheel.keys() - info, package(tree) | FONTS | showcase(tree))
    yield from different("its dist-info", (name.partition("/")[2] for name in info), INFO)
    sources = {path.relative_to(tree).as_posix() for path in (tree / "visuals").glob("*.py")}
    data = {path.relative_to(tree).as_posix() for path in (tree / "visuals" / "data").rglob("*.*")}
    yield from different("the sdist", sdist, package(tree) | sources | data | BESIDE)
    for name in sorted(package(tree)):
        if PurePosixPath(name).suffix not in SUFFIXES and PurePosixPath(name).name not in NAMES:
            yield f"{name}: no file of a package; remove it, or say in tests/distribution.py what it is"
    yield from different("the list of parts", dict(listed(wheel)).items(), of_others(wheel))
    private = {os.fsencode(place) for place in {str(tree), str(Path.home())} - {"/", "/root"}}
    for name, data_ in {**sdist, **wheel}.items():
        if any(place in data_ for place in private):
            yield f"{name}: holds a path of this machine"


def shelf_complaints(tree: Path, sdist: dict[str, bytes], wheel: dict[str, bytes]) -> Iterator[str]:
    """The same for a distribution that holds only its own modules."""
    info = {name for name in wheel if PurePosixPath(name).parts[0].endswith(".dist-info")}
    (module,) = (path.parent for path in tree.glob("figmill_*/__init__.py"))
    files = (path for path in module.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    modules = frozenset(path.relative_to(tree).as_posix() for path in files)
    yield from different("the wheel", wheel.keys() - info, modules)
    more, beside = MORE_OF_A_SHELF.get(tree.name, (set(), set()))
    yield from different("its dist-info", (name.partition("/")[2] for name in info), INFO_OF_A_SHELF | more)
    yield from different("the sdist", sdist, modules | BESIDE_A_SHELF | beside)
    yield from different("the list of parts", dict(listed(wheel)).items(), of_others(wheel))
    for name in sorted(modules):
        if PurePosixPath(name).suffix not in (".py", ".js") and PurePosixPath(name).name not in NAMES:
            yield f"{name}: no file of a package"


def listed(wheel: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    """Each file of others that the list of parts names, with its SHA-256."""
    data = next((data for name, data in wheel.items() if name.endswith(PARTS)), b'{"components": []}')
    for component in json.loads(data)["components"]:
        for file in component["components"]:
            yield file["name"], file["hashes"][0]["content"]


OTHERS = ("figmill_kinds/mermaid/npm/", "figmill_kinds/wavedrom/npm/")  # folders with scripts of npm packages


def of_others(wheel: dict[str, bytes]) -> frozenset[tuple[str, str]]:
    """The same of what is there."""
    return frozenset(
        (name, hashlib.sha256(data).hexdigest())
        for name, data in wheel.items()
        if name.endswith(".ttf") or (name.startswith(OTHERS) and name.endswith(".js"))
    )


def different(what: str, names: Iterable[Any], expected: frozenset[Any] | set[Any]) -> Iterator[str]:
    names = set(names)
    yield from (f"{what} has {name}, which nobody asked for" for name in sorted(names - expected))
    yield from (f"{what} lacks {name}" for name in sorted(expected - names))


def twice(first: tuple[Path, Path], folder: Path) -> Iterator[str]:
    """What is not the same when it is built again, from the sdist alone."""
    with tarfile.open(first[0]) as sdist:
        sdist.extraction_filter = getattr(tarfile, "data_filter", None)  # of Python 3.11.4
        sdist.extractall(folder)
    (tree,) = folder.iterdir()
    yield from unlike(first, build(tree, folder / "again", bare=True))


def unlike(first: Iterable[Path], again: Iterable[Path]) -> Iterator[str]:
    """Which files of two builds differ."""
    for before, after in zip(first, again, strict=True):
        if before.read_bytes() != after.read_bytes():
            yield f"{before.name}: has other bytes when it is built again from the sdist"


def main(out: Path = REPOSITORY / "dist", again: bool = True) -> int:
    """Build all of them into `out`; 1 where something is wrong with one, which is told. again: build each twice."""
    archives, wrong = list[Path](), list[str]()
    with tempfile.TemporaryDirectory(prefix="figmill-dist-") as scratch:
        for number, tree in enumerate((REPOSITORY, *SHELVES)):
            place = Path(scratch) / str(number)
            both = build(tree, place / "made")
            look = complaints if tree == REPOSITORY else shelf_complaints
            wrong += look(tree, in_sdist(both[0]), in_wheel(both[1]))
            wrong += twice(both, place / "again") if again else ()
            archives += both
        for line in wrong:
            print(line)
        if wrong:
            return 1
        out.mkdir(parents=True, exist_ok=True)
        for path in archives:
            data = path.read_bytes()
            (out / path.name).write_bytes(data)
            print(f"{path.name}: {len(data) / 1e6:.1f} MB, sha256 {hashlib.sha256(data).hexdigest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
