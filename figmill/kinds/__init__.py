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
    """packages: whose versions its drawings depend on."""

    module: str
    packages: tuple[str, ...] = ()

    def load(self) -> Renderer:
        """The module; only a process that draws has need of it."""
        return cast(Renderer, import_module(self.module))


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "dot": Kind(
            "figmill.kinds.dot",
            packages=("pygraphviz",),
        ),
        "matplotlib": Kind(
            "figmill.kinds.matplotlib_",
            packages=("matplotlib", "numpy", "pillow", "contourpy", "kiwisolver"),
        ),
        "svg": Kind("figmill.kinds.svg"),
    }
)


@cache
def toolchain(kind: str, scripted: bool) -> tuple[tuple[str, str], ...]:
    """Rows for everything outside the book that a drawing of this kind depends on."""
    if kind == "svg":
        return ()
    found = KINDS[kind]
    packages = (*found.packages, *(("graphviz",) if kind == "dot" and scripted else ()))
    rows = [(name, versions.version(name)) for name in packages]
    if scripted:
        rows.append(("python", platform.python_version()))
    rows.append(("figmill's renderers", versions.code("draw by script" if scripted else "draw")))
    rows.append(("platform", f"{platform.system()} {platform.machine()}".lower()))
    return tuple(rows)
