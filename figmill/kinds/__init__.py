"""The kinds of figure, in one table.

A kind is a row of the table and a module with two functions: warm(fonts) loads its libraries once per worker, and
render(job, root) -> Raw draws. To add a kind, add a module and a row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, cast

from figmill import versions
from figmill.errors import ToolError
from figmill.kinds.job import Job, Raw


class Renderer(Protocol):
    """The functions of a kind's module."""

    def warm(self, fonts: Sequence[str]) -> None: ...

    def render(self, job: Job, root: Path) -> Raw: ...


@dataclass(frozen=True, slots=True)
class Kind:
    """One row of the table: everything that differs between kinds.

    suffixes: of its sources, the usual one first. beside_product: the suffix of sources whose product,
    `<stem>.svg`, is checked in beside them in existing vaults. by_hand: the source is the drawing itself; no
    process draws it, and errors name its lines. layouts: the values of `engine`, the default first. counts: the
    counts that `expect` can check. takes_roles: a drawing depends on the roles that the book adds. whole_scripts: a
    script without draw() runs as a whole. alone: each drawing has a process of its own, though it is no script.
    is_everyday: books have such files for other ends as well. rasterises: artists with too many elements become
    pictures. script_signs: words that identify a script of this kind. libraries: modules; a script that imports one
    of them is of this kind.
    helpers: a sign, and the function that starts a process which draws beside the script, without its limit of
    addresses; called with a function that sets the other limits.
    packages: their versions are inputs of every drawing; script_packages: of drawings by scripts only;
    extras: those that may be absent.
    """

    module: str
    suffixes: tuple[str, ...]
    beside_product: str | None = None
    by_hand: bool = False
    layouts: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    takes_roles: bool = False
    whole_scripts: bool = True
    alone: bool = False
    is_everyday: bool = False
    rasterises: bool = False
    script_signs: tuple[bytes, ...] = ()
    libraries: tuple[bytes, ...] = ()
    helpers: tuple[tuple[bytes, str], ...] = ()
    packages: tuple[str, ...] = ()
    script_packages: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()

    @property
    def all_packages(self) -> tuple[str, ...]:
        return (*self.packages, *self.script_packages)

    def load(self) -> Renderer:
        """Import the module; only processes that draw need it."""
        return cast(Renderer, import_module(self.module))


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "dot": Kind(
            "figmill.kinds.dot",
            suffixes=(".dot", ".gv", ".py"),
            beside_product=".dot",
            layouts=("dot", "neato", "fdp", "sfdp", "circo", "twopi", "osage", "patchwork"),
            counts=("nodes", "edges"),
            takes_roles=True,
            whole_scripts=False,
            script_signs=(b"graphviz",),
            libraries=(b"graphviz", b"pygraphviz"),
            packages=("pygraphviz",),
            script_packages=("graphviz",),
        ),
        "matplotlib": Kind(
            "figmill.kinds.matplotlib_",
            suffixes=(".py", ".ipynb"),
            beside_product=".py",
            rasterises=True,
            # figmill's own generators draw with matplotlib too
            script_signs=(b"matplotlib", b"seaborn", b"altair", b"plotnine", b"figmill"),
            libraries=(b"matplotlib", b"pylab", b"seaborn", b"plotnine", b"altair"),
            helpers=((b"altair", "figmill.kinds.plots.vega:begin"),),
            packages=("matplotlib", "numpy", "pillow", "contourpy", "kiwisolver"),
        ),
        "svg": Kind("figmill.kinds.svg", suffixes=(".svg", ".svgz"), by_hand=True),
        "picture": Kind(
            "figmill.kinds.picture",
            suffixes=(".png", ".jpg", ".jpeg", ".webp"),
            is_everyday=True,
            packages=("pillow",),
        ),
        "vega-lite": Kind(
            "figmill.kinds.vega_lite",
            suffixes=(".vl.json",),
            alone=True,
            helpers=((b"", "figmill.kinds.plots.vega:begin"),),
            extras=("vl-convert-python",),
        ),
    }
)


def fits(kind: str, source: str) -> bool:
    """Whether a source of this name can be of this kind."""
    row = KINDS[kind]
    name = source.casefold() if row.by_hand else source  # Windows programs write .SVG
    return name.endswith(row.suffixes)


def is_script(source: str) -> bool:
    """Whether a source is an author's program."""
    return source.endswith((".py", ".ipynb"))


def kind_of_name(source: str) -> str | None:
    """The kind of a source by its suffix; None if no kind has it, or more than one."""
    fitting = [name for name in KINDS if fits(name, source)]
    return fitting[0] if len(fitting) == 1 else None


_IMPORTS = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([\w., \t]+)", re.MULTILINE)


def kinds_of_script(data: bytes) -> tuple[str, ...]:
    """The kinds that a script may be of, by the modules that it imports. Reads lines, and parses nothing."""
    names = {
        words.split()[0].partition(b".")[0]
        for found in _IMPORTS.finditer(data)
        for words in found[1].split(b" import ")[0].split(b",")
        if words.strip()
    }
    return tuple(name for name, kind in KINDS.items() if not names.isdisjoint(kind.libraries))


def siblings(written: str | None) -> tuple[tuple[str, str], ...]:
    """The suffixes of files beside a product `<stem>.svg` that may be its source, each with the figure's kind.

    written: the kind in the question. Existing vaults write `svg` for anything that is checked in as SVG.
    """
    if written is not None and not KINDS[written].by_hand:
        return tuple((suffix, written) for suffix in KINDS[written].suffixes)
    return tuple((kind.beside_product, name) for name, kind in KINDS.items() if kind.beside_product)


def _version(name: str) -> str:
    """The version of a package that a kind needs. Raises ToolError if it is not installed."""
    try:
        return versions.version(name)
    except ModuleNotFoundError:
        raise ToolError(f"{name} is not installed; install figmill again") from None


@cache
def toolchain(kind: str, scripted: bool) -> tuple[tuple[str, str], ...]:
    """The inputs of a drawing of this kind from outside the book: versions, figmill's code, the platform."""
    import platform  # slow to load, and processes that draw do without

    row = KINDS[kind]
    if row.by_hand:
        return ()
    rows = [(name, _version(name)) for name in (row.all_packages if scripted else row.packages)]
    rows += [(name, versions.version_if_installed(name)) for name in row.extras]
    if scripted:
        rows.append(("python", platform.python_version()))
    rows.append(("figmill's renderers", versions.code("draw by script" if scripted else "draw")))
    rows.append(("platform", f"{platform.system()} {platform.machine()}".lower()))
    return tuple(rows)
