"""The kinds of figure: what each depends on, and how it becomes SVG.

A kind is a module with warm(fonts) (load what is heavy, once a worker) and render(job, root) -> Raw, and a row of
the table, which says what its drawings depend on beside the book. Adding one is a module and a row.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, cast

from figmill import versions
from figmill.kinds.job import Job, Raw


class Renderer(Protocol):
    """What the module of a kind offers."""

    def warm(self, fonts: Sequence[str]) -> None: ...

    def render(self, job: Job, root: Path) -> Raw: ...


@dataclass(frozen=True, slots=True)
class Kind:
    """One row of the table: all that differs between kinds.

    suffixes: of its sources, the usual one first. beside_product: the suffix of a source whose product, `<stem>.svg`,
    is checked in beside it in existing vaults. by_hand: the source is the drawing; no process draws it, and its
    lines can be told. layouts: what `engine` may be, the default first. counts: what `expect` counts in it.
    takes_roles: a drawing depends on the palette's added roles. whole_scripts: a script without draw() runs as a
    whole. script_signs: words that tell a script of this kind. packages, script_packages: those whose versions its
    drawings depend on, and those that only scripts use.
    """

    module: str
    suffixes: tuple[str, ...]
    beside_product: str | None = None
    by_hand: bool = False
    layouts: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    takes_roles: bool = False
    whole_scripts: bool = True
    script_signs: tuple[bytes, ...] = ()
    packages: tuple[str, ...] = ()
    script_packages: tuple[str, ...] = ()

    @property
    def all_packages(self) -> tuple[str, ...]:
        return (*self.packages, *self.script_packages)

    def load(self) -> Renderer:
        """The module; only a process that draws has need of it."""
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
            packages=("pygraphviz",),
            script_packages=("graphviz",),
        ),
        "matplotlib": Kind(
            "figmill.kinds.matplotlib_",
            suffixes=(".py",),
            beside_product=".py",
            script_signs=(b"matplotlib", b"figmill"),  # figmill's own generators draw with it, too
            packages=("matplotlib", "numpy", "pillow", "contourpy", "kiwisolver"),
        ),
        "svg": Kind("figmill.kinds.svg", suffixes=(".svg",), by_hand=True),
    }
)


def is_script(source: str) -> bool:
    """Whether a source is an author's program."""
    return source.endswith(".py")


def told_by(suffix: str) -> str | None:
    """The kind that a suffix tells; None where it tells none, or may be of several."""
    found = [name for name, kind in KINDS.items() if suffix in kind.suffixes]
    return found[0] if len(found) == 1 else None


def siblings(written: str | None) -> tuple[tuple[str, str], ...]:
    """Which files beside a product `<stem>.svg` may be its true source, each with the kind that it makes the figure.

    written: the kind that the question states; existing vaults state `svg` for whatever is checked in as SVG.
    """
    if written is not None and not KINDS[written].by_hand:
        return tuple((suffix, written) for suffix in KINDS[written].suffixes)
    return tuple((kind.beside_product, name) for name, kind in KINDS.items() if kind.beside_product)


@cache
def toolchain(kind: str, scripted: bool) -> tuple[tuple[str, str], ...]:
    """Rows for everything outside the book that a drawing of this kind depends on."""
    found = KINDS[kind]
    if found.by_hand:
        return ()
    rows = [(name, versions.version(name)) for name in (found.all_packages if scripted else found.packages)]
    if scripted:
        rows.append(("python", platform.python_version()))
    rows.append(("figmill's renderers", versions.code("draw by script" if scripted else "draw")))
    rows.append(("platform", f"{platform.system()} {platform.machine()}".lower()))
    return tuple(rows)
