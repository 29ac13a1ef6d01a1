"""coloraide is loaded without the tables of colour temperatures that it computes with its import.

They take two thirds of the time of its import, and only colour temperatures need them. They are computed with the
first question for one, and are then the same.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from functools import cache, partial
from importlib.machinery import ModuleSpec, PathFinder
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from importlib.abc import Loader

    from coloraide import Color

# Module -> its class, whose objects compute a table when they are made.
COMPUTING = MappingProxyType(
    {
        "coloraide.temperature.robertson_1968": "Robertson1968",
        "coloraide.temperature.ohno_2013": "Ohno2013",
    }
)
WAITING = "_set_up"


@cache
def color_class() -> type[Color]:
    """coloraide's Color."""
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        from coloraide import Color
    finally:
        sys.meta_path.remove(finder)
    return Color


def postpone(kind: type[Any]) -> None:
    """From now on, an object of this class is set up when somebody first asks for what it then has."""
    set_up, lock = kind.__init__, threading.RLock()

    def wait(self: Any, *args: Any, **options: Any) -> None:
        vars(self)[WAITING] = partial(set_up, self, *args, **options)

    def first_use(self: Any, name: str) -> Any:  # Python asks here for attributes that there are not
        with lock:
            vars(self).pop(WAITING, _nothing)()
        return object.__getattribute__(self, name)

    kind.__init__, kind.__getattr__ = wait, first_use


def _nothing() -> None:
    pass


class _Finder:
    """Finds the modules with these classes as ever, and has the classes postponed once they are loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path) if fullname in COMPUTING else None
        if spec is not None and spec.loader is not None:
            spec.loader = cast("Loader", _Loader(spec.loader))
        return spec


class _Loader:
    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        kind = getattr(module, COMPUTING[module.__name__], None)
        if isinstance(kind, type) and kind.__dictoffset__ and not hasattr(kind, "__getattr__"):
            postpone(kind)  # any other coloraide computes as ever
