"""The kinds of figure: what each depends on, and how it becomes SVG.

A kind is a module with PACKAGES and CODE (what its drawings depend on beside the book), warm() (load what is
heavy, once a worker) and render(job, root) -> Raw. Adding one is a module and a row.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from figmill.kinds import dot, generator, matplotlib_, svg
from figmill.kinds.job import Job, Raw


class Kind(Protocol):
    """What each module in the table offers."""

    @property
    def PACKAGES(self) -> tuple[str, ...]: ...  # noqa: N802

    @property
    def CODE(self) -> tuple[str, ...]: ...  # noqa: N802

    def warm(self) -> None: ...

    def render(self, job: Job, root: Path) -> Raw: ...


KINDS: Mapping[str, Kind] = MappingProxyType({"dot": dot, "matplotlib": matplotlib_, "svg": svg})

_PACKAGE = Path(__file__).parent.parent


@cache
def toolchain(kind: str, scripted: bool) -> tuple[tuple[str, str], ...]:
    """Rows for everything outside the book that a drawing of this kind depends on."""
    if kind == "svg":
        return ()
    module = KINDS[kind]
    packages = (*module.PACKAGES, *(("graphviz",) if kind == "dot" and scripted else ()))
    rows = [(name, metadata.version(name)) for name in packages]
    code = module.CODE
    if scripted:
        timelines = sorted(p.relative_to(_PACKAGE).as_posix() for p in _PACKAGE.glob("timelines/*.py"))
        code = (*code, *generator.CODE, "palette.py", *timelines)
        rows.append(("python", platform.python_version()))
    rows.append(("figmill's renderers", code_digest(code)))
    rows.append(("platform", f"{platform.system()} {platform.machine()}".lower()))
    return tuple(rows)


@cache
def code_digest(files: tuple[str, ...]) -> str:
    """A digest of modules of figmill itself: no version number has to be remembered when they change."""
    digest = hashlib.sha256()
    for name in files:
        digest.update((_PACKAGE / name).read_bytes())
    return digest.hexdigest()
