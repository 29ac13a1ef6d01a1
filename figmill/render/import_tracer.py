"""The import tracer: it records which modules of figmill's libraries for scripts a script uses.

A drawing depends on these modules alone. A process that stays has loaded them before any script imports them, so the
tracer watches the imports themselves, and which module makes each.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any

from figmill.paths import LIBRARIES, code_folders
from figmill.versions import OWN


class ImportTracer:
    """Records imports of the libraries' modules: those between them always, a script's own during `recording`."""

    def __init__(self) -> None:
        self._asked_by: dict[str, set[str]] = defaultdict(set)  # a module of a library -> what it imports
        self._asked: set[str] | None = None  # by the script, or for it
        self._failed: set[str] = set()  # names of an import that raised an error

    def install(self) -> None:
        """Watch all imports from now on."""
        import_, import_module = builtins.__import__, importlib.import_module

        def watched(
            name: str,
            globals: Mapping[str, Any] | None = None,  # noqa: A002 - as Python calls it
            locals: Mapping[str, Any] | None = None,  # noqa: A002
            fromlist: Sequence[str] | None = (),
            level: int = 0,
        ) -> Any:
            importer = globals or {}
            package = str(importer.get("__package__"))
            try:
                module = import_(name, globals, locals, fromlist or (), level)
            except Exception:
                if not level or package.startswith(LIBRARIES):
                    asked = resolve_name("." * level + name, package) if level else name
                    self._failed |= {asked, *(f"{asked}.{item}" for item in fromlist or ())}
                raise
            if level:
                if not package.startswith(LIBRARIES):
                    return module
                name = resolve_name("." * level + name, package)
            if name.startswith("figmill"):
                names = tuple(fromlist or ())
                whole = getattr(module, "__all__", ()) if "*" in names else ()
                self._note(importer.get("__name__"), name, *(f"{name}.{item}" for item in (*names, *whole)))
            return module

        def watched_by_name(name: str, package: str | None = None) -> Any:
            module = import_module(name, package)
            self._note(sys._getframe(1).f_globals.get("__name__"), module.__name__)
            return module

        builtins.__import__ = watched
        importlib.import_module = watched_by_name

    def _note(self, importer: object, *names: str) -> None:
        modules = {name for name in names if name.startswith(LIBRARIES)}
        if isinstance(importer, str) and importer.startswith(LIBRARIES):
            self._asked_by[importer] |= modules
        elif self._asked is not None:
            self._asked |= modules

    @contextmanager
    def recording(self, traced: set[str]) -> Iterator[None]:
        """Add the modules that the body uses to `traced`, by their names as inputs."""
        self._asked, self._failed = set(), set()
        before = set(sys.modules)
        try:
            yield
        finally:
            modules = self._asked | (sys.modules.keys() - before)
            self._asked = None
            traced |= {input_of(name) for name in self._reached(modules)}
            traced |= set(_unloaded(frozenset(self._failed)))  # looking for a module imports its package

    def _reached(self, modules: set[str]) -> set[str]:
        """The modules of the libraries among these names, and those that they import."""
        reached: set[str] = set()
        waiting = [name for name in modules if name.startswith(LIBRARIES)]
        while waiting:
            module = sys.modules.get(waiting.pop())  # None: the name of something in a module
            name = getattr(module, "__name__", "")
            if name.startswith(LIBRARIES) and name not in reached:
                reached.add(name)
                waiting += [name.rpartition(".")[0], *self._asked_by[name]]
        return reached


def input_of(module: str) -> str:
    """The name of a loaded module of a library as an input of a drawing."""
    return _input(module, str(sys.modules[module].__file__))


def _unloaded(names: frozenset[str]) -> Iterator[str]:
    """The inputs of a failed drawing: the modules of the libraries among these names that do not load."""
    for name in sorted(names):  # a package before its modules: to look for one imports its package
        if name.startswith(LIBRARIES) and name not in sys.modules:
            with suppress(Exception):  # of the code of its package, if that does not load either
                if (spec := find_spec(name)) is not None and spec.has_location:
                    yield _input(name, str(spec.origin))


def _input(module: str, path: str) -> str:
    library = module.partition(".")[0].removeprefix("figmill_")
    return f"{OWN}{library}/{Path(path).relative_to(code_folders()[library]).as_posix()}"
