"""Versions: the inputs of a product outside the book, namely installed packages and figmill's own code.

The version of a package is read from the name of its `.dist-info` folder, and its entry points for figmill from
`entry_points.txt` there, as the binary distribution format specifies. importlib.metadata takes a tenth of a second for
the same. Standard library only.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from figmill.late_dataclasses import dataclass
from figmill.paths import DISTRIBUTIONS, code_folders, files_below

SUFFIX = ".dist-info"
SOURCES = (".py", ".js")  # what figmill's own code is made of
ABSENT = "absent"
# The folders of installed packages. Any other folder on sys.path may belong to a book, and nobody has installed it.
SITES = ("site-packages", "dist-packages")
GROUPS = b"[figmill."  # the beginning of the name of a section for figmill


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package.

    - folder: the one on sys.path that it is in.
    - record: its `.dist-info` there.
    """

    name: str
    version: str
    folder: str
    record: str

    @property
    def is_ours(self) -> bool:
        """Whether it is released together with figmill."""
        return self.name in DISTRIBUTIONS


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """What a package offers under a name: `target` is `module:attribute`."""

    name: str
    target: str
    package: Package


@cache
def _installed() -> dict[str, Package]:
    """Normalised name of a package -> the package. The first on sys.path counts."""
    installed: dict[str, Package] = {}
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.endswith(SUFFIX):
                project, _, version = name.removesuffix(SUFFIX).partition("-")
                package = Package(project.replace("_", "-"), version, folder, os.path.join(folder, name))
                installed.setdefault(_normal(project), package)
    return installed


def _normal(name: str) -> str:
    return name.casefold().replace("-", "_").replace(".", "_")


def version(name: str) -> str:
    """The version of an installed package. Raises PackageNotFoundError, a ModuleNotFoundError."""
    package = _installed().get(_normal(name))
    if package is not None:
        return package.version
    from importlib import metadata  # slow: only for packages installed in another way

    return metadata.version(name)


@cache
def conda_packages(prefix: Path) -> Mapping[str, str]:
    """Name -> version and build of each package of a conda environment; empty if `prefix` is not an environment.

    conda keeps a file `NAME-VERSION-BUILD.json` for each.
    """
    try:
        names = [name for name in os.listdir(prefix / "conda-meta") if name.endswith(".json")]
    except OSError:
        return {}
    parts = (name.removesuffix(".json").rsplit("-", 2) for name in names)
    return {part[0]: "-".join(part[1:]) for part in parts if len(part) == 3}


@cache
def version_if_installed(name: str) -> str:
    """The version of a package; ABSENT if it is not installed."""
    try:
        return version(name)
    except ModuleNotFoundError:
        return ABSENT


def folder(name: str) -> str:
    """The folder in which a package is installed; its status changes whenever a package is added or removed."""
    package = _installed().get(_normal(name))
    if package is not None:
        return package.folder
    from importlib import metadata  # slow, as above

    return str(metadata.distribution(name).locate_file(""))


def folders() -> tuple[str, ...]:
    """Every folder on sys.path that packages are installed in, such as those of a kind that is missing now."""
    installed = {package.folder for package in _installed().values()}
    return tuple(path for path in sys.path if path and (path in installed or os.path.basename(path) in SITES))


@cache
def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """What installed packages offer in a group of entry points, by name and package."""
    rows = (
        EntryPoint(name.strip(), target.strip(), package)
        for package, text in _offers().items()
        for name, target in _section(text, group)
    )
    return tuple(sorted(rows, key=lambda row: (row.name, row.package.name)))


@cache
def _offers() -> dict[Package, str]:
    """The packages that offer something to figmill, with their files of entry points."""
    offers = {}
    for package in _installed().values():
        if os.path.basename(package.folder) in SITES:
            try:
                with open(os.path.join(package.record, "entry_points.txt"), "rb", buffering=0) as file:
                    data = file.read()
            except OSError:  # most packages offer nothing
                continue
            if GROUPS in data:
                offers[package] = data.decode("utf-8", "replace")
    return offers


def _section(text: str, group: str) -> Iterator[tuple[str, str]]:
    """The rows `name = target` of one section."""
    inside = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            inside = line == f"[{group}]"
        elif inside and "=" in line and not line.startswith(("#", ";")):
            name, _, target = line.partition("=")
            yield name, target


def files_of(module: str) -> tuple[tuple[str, Path], ...]:
    """The files of the top-level package that holds a module: names relative to it, and paths. Empty: none is found."""
    from importlib.util import find_spec  # only for kinds and checks from outside

    try:
        spec = find_spec(module.partition(".")[0])
    except (ImportError, ValueError):
        return ()
    if spec is None:
        return ()
    if spec.submodule_search_locations is None:
        return ((Path(spec.origin).name, Path(spec.origin)),) if spec.origin else ()
    places = [Path(place) for place in spec.submodule_search_locations]
    return tuple(
        (path.relative_to(place).as_posix(), path)
        for place in places
        for path in sorted(map(Path, files_below(place)))
    )


def row_of(package: Package, module: str) -> tuple[str, str]:
    """A package as an input: its name, with its version and a digest of the files beside a module of it."""
    return package.name, f"{package.version} {_digest_beside(module)}"


@cache
def _digest_beside(module: str) -> str:
    """SHA-256 over the names and bytes of `files_of(module)`."""
    digest = hashlib.sha256()
    for name, path in files_of(module):
        digest.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


OWN = "figmill's "  # the prefix of the names of inputs that are files of figmill's package


@cache
def own_digest(name: str) -> str:
    """SHA-256 of a file of figmill or its libraries, by its name as an input; ABSENT if there is none."""
    place = _place(tuple(name.removeprefix(OWN).split("/")), code_folders())
    try:
        return ABSENT if place is None else hashlib.sha256(place.read_bytes()).hexdigest()
    except OSError:
        return ABSENT


def _place(parts: tuple[str, ...], folders: Mapping[str, Path]) -> Path | None:
    """The path with these names, of which the first may be a library; None if they lead out of figmill's code."""
    inside = folders.get(parts[0])
    path = folders[""].joinpath(*parts) if inside is None else inside.joinpath(*parts[1:])
    return None if ".." in parts else path


# Key -> the modules and packages of figmill that affect its product. A change in one of them changes the key, so
# nobody has to raise a version number. A test compares each row with the imports. `draw` and `draw by script` are what
# all kinds share: a drawing depends also on the modules of its kind (its `needs.code`), and on the
# timelines that its script loads.
_PALETTE = ("palette", "timelines.palette")
_WORDING = ("timelines.language", "wording")
_TABLES = (
    "checks",
    "house_style",
    "kind.definition",
    "kinds.__init__",
    "kinds.own",
    "kinds.starters",
    "model",
    *_PALETTE,
    "plugins",
)
_MEASURES = ("arabic", "font_metrics", "sfnt")
_SHARED = (
    *_MEASURES,
    *_PALETTE,
    *_WORDING,
    "default_limits",
    "host.inside",
    "kind.answer",
    "kinds.drawing",
    "kind.drawn_text",
    "kind.job",
    "kind.links",
    "kind.named",
    "kind.source_text",
    "kind.source_words",
    "kind.stated",
    "kind.tables",
    "kind.typefaces",
    "model",
    "xml_tree",
)
CODE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "parse": (
            *_TABLES,
            *_WORDING,
            "book",
            "config.readers",
            "host.inside",
            "kind.answer",
            "kind.stated",
            "kind.tables",
            "store.checked",
            "store.question_records",
            "store.rows",
            "xml_tree",
        ),
        "draw": _SHARED,
        "draw by script": (
            *_SHARED,
            "enclosure",
            "kinds.scripts.clock",
            "kind.notebook",
            "kind.script",
            "kind.script_facts",
            "render",
        ),
        "settle": (
            *_MEASURES,
            *_PALETTE,
            *_WORDING,
            "checks",
            "claims.bind",
            "claims.context",
            "claims.listed",
            "claims.messages",
            "claims.numbers",
            "claims.offers",
            "claims.record",
            "claims.vocabulary",
            "default_limits",
            "host.inside",
            "house_style",
            "kind.answer",
            "kind.job",
            "kind.named",
            "kind.source_text",
            "kind.source_words",
            "kind.stated",
            "kind.tables",
            "model",
            "publish.added_checks",
            "publish.expectations",
            "publish.fact_files",
            "publish.finalise",
            "publish.findings",
            "publish.made_alt",
            "publish.not_drawn",
            "publish.placeholders",
            "publish.same_units",
            "svg",
            "timelines.units",
            "xml_tree",
        ),
        "export": (
            *_MEASURES,
            *_PALETTE,
            "formats",
            "house_style",
            "kind.typefaces",
            "publish.exporter",
            "svg",
            "xml_tree",
        ),
        "compare": (
            *_MEASURES,
            *_PALETTE,
            "compare.drawing",
            "compare.pictures",
            "compare.pixels",
            "house_style",
            "kind.typefaces",
            "svg",
            "xml_tree",
        ),
        "cluster": (
            *_MEASURES,
            "cluster",
            "default_limits",
            "enclosure",
            "errors",
            "host",
            "kind",
            "kinds",
            "late_dataclasses",
            "model",
            "palette",
            "paths",
            "plugins",
            "render",
            "spelling",
            "structure",
            "timelines",
            "versions",
            "wording",
            "xml_tree",
        ),
    }
)


def code(key: str) -> str:
    """SHA-256 over the names and bytes of all modules that affect the product of this key."""
    return digest_of(CODE[key])


@cache
def digest_of(parts: tuple[str, ...]) -> str:
    """SHA-256 over the names and bytes of these modules and packages of figmill and its libraries."""
    return digest_in(code_folders(), parts)


def digest_in(folders: Mapping[str, Path], parts: tuple[str, ...]) -> str:
    """The same where the code is in these folders."""
    digest = hashlib.sha256()
    for part in parts:
        place = _place(tuple(part.split(".")), folders)
        assert place is not None, part
        files = sorted(map(Path, files_below(place, SOURCES)))  # of a module, none
        for path in files or [place.with_suffix(".py")]:
            name = path.relative_to(place.parent).as_posix()
            digest.update(f"{part} {name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()
