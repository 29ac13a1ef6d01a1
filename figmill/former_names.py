"""Former names of the libraries for scripts: a copy of a generator in a book may import figmill.timelines.charts.

A module has one object, whatever name it is imported by.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _Former(MetaPathFinder, Loader):
    """Finds the modules below a former name."""

    def __init__(self, former: str, name: str) -> None:
        self._former, self._name = former, name

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname.startswith(f"{self._former}.") else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self._name + spec.name.removeprefix(self._former))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module, which is loaded, its own spec back: the import has replaced it."""
        spec = module.__spec__
        module.__spec__ = None if spec is None else spec.loader_state


def stand_for(former: str, name: str) -> None:
    """Make `former` and every module below it aliases of the package `name`."""
    sys.meta_path.insert(0, _Former(former, name))
    sys.modules[former] = import_module(name)
