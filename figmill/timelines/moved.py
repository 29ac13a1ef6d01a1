"""Import a module by its public name, wherever in the package it lies.

A finder at the end of `sys.meta_path`: Python asks it only for modules that lie in no package's own folder. It knows
no timelines.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.abc import InspectLoader, MetaPathFinder
    from types import CodeType, ModuleType
else:
    InspectLoader = MetaPathFinder = object  # importlib.abc loads a dozen modules


def install(package: str, places: Mapping[str, str]) -> None:
    """Make `package.name` the module `package.place`, for each name and place of the mapping.

    A package that is imported again replaces its finder: the worker reloads a book's modules between figures.
    """
    sys.meta_path[:] = [finder for finder in sys.meta_path if getattr(finder, "package", None) != package]
    sys.meta_path.append(
        _Finder(package, {f"{package}.{name}": f"{package}.{place}" for name, place in places.items()})
    )


class _Finder(MetaPathFinder):
    """places: full names of modules."""

    def __init__(self, package: str, places: Mapping[str, str]) -> None:
        self.package, self.places = package, places

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        place = self.places.get(fullname)
        if place is None:
            return None
        real = find_spec(place)
        return ModuleSpec(fullname, _Loader(place), origin=real.origin if real else None)


class _Loader(InspectLoader):
    """Hands out the module at `place` instead of making one."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self.place)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has just put the public name's spec on the module: it keeps its own.
        module.__spec__ = self.spec

    def get_code(self, fullname: str) -> CodeType | None:
        """What `python -m` runs."""
        real = find_spec(self.place)
        loader = real.loader if real else None
        return loader.get_code(self.place) if loader and hasattr(loader, "get_code") else None

    def get_source(self, fullname: str) -> str | None:
        real = find_spec(self.place)
        loader = real.loader if real else None
        return loader.get_source(self.place) if loader and hasattr(loader, "get_source") else None
