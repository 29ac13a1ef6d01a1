"""Graphviz's own functions, called with ctypes in the libraries of pygraphviz's wheel or of a conda environment.

pygraphviz's module is not imported: it is linked to the plugins for raster pictures, and so to GLib, X11 and fontconfig
of the system. This module loads the core, the layouts and SVG, which do not need them. A plugin of figmill's own
measures text (text_plugin.py). Functions keep their C names; an item is an address.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from figmill import versions
from figmill.errors import ToolError
from figmill.kinds.graphs import text_plugin

PLUGINS = ("core", "dot_layout", "neato_layout")
# What each library needs from the system, and the Debian package that contains it.
OF_DEBIAN = MappingProxyType(
    {"libexpat": "libexpat1", "libz": "zlib1g", "libstdc++": "libstdc++6", "libgcc_s": "libgcc-s1"}
)

_ADDRESS, _TEXT, _INT = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
# Function -> what it returns, and what it takes.
CGRAPH: Mapping[str, tuple[Any, tuple[Any, ...]]] = MappingProxyType(
    {
        "agmemread": (_ADDRESS, (_TEXT,)),
        "agclose": (_INT, (_ADDRESS,)),
        "agnnodes": (_INT, (_ADDRESS,)),
        "agnedges": (_INT, (_ADDRESS,)),
        "agfstnode": (_ADDRESS, (_ADDRESS,)),
        "agnxtnode": (_ADDRESS, (_ADDRESS, _ADDRESS)),
        "agfstout": (_ADDRESS, (_ADDRESS, _ADDRESS)),
        "agnxtout": (_ADDRESS, (_ADDRESS, _ADDRESS)),
        "agfstsubg": (_ADDRESS, (_ADDRESS,)),
        "agnxtsubg": (_ADDRESS, (_ADDRESS,)),
        "agnameof": (_TEXT, (_ADDRESS,)),
        "agget": (_TEXT, (_ADDRESS, _TEXT)),
        "agattr_text": (_ADDRESS, (_ADDRESS, _INT, _TEXT, _TEXT)),
        "agsafeset": (_INT, (_ADDRESS, _TEXT, _ADDRESS, _TEXT)),
        "aghtmlstr": (_INT, (_ADDRESS,)),
        "agstrdup_html": (_ADDRESS, (_ADDRESS, _TEXT)),
    }
)
GVC: Mapping[str, tuple[Any, tuple[Any, ...]]] = MappingProxyType(
    {
        "gvContextPlugins": (_ADDRESS, (_ADDRESS, _INT)),
        "gvLayout": (_INT, (_ADDRESS, _ADDRESS, _TEXT)),
        "gvFreeLayout": (_INT, (_ADDRESS, _ADDRESS)),
        "gvRenderData": (_INT, (_ADDRESS, _ADDRESS, _TEXT, _ADDRESS, _ADDRESS)),
        "gvFreeRenderData": (None, (_ADDRESS,)),
    }
)


class _Attribute(ctypes.Structure):
    """The beginning of `Agsym_t`: a link of cdt's dictionary, the name, and the default."""

    _fields_ = (("right", _ADDRESS), ("left", _ADDRESS), ("name", _TEXT), ("default", _TEXT))


class _Builtin(ctypes.Structure):
    """`lt_symlist_t`: a plugin that is loaded already."""

    _fields_ = (("name", _TEXT), ("address", _ADDRESS))


class Graphviz:
    """The functions of the loaded libraries, and one context. Only one thread at a time may use it."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._cgraph = _typed(_opened(folders, "cgraph"), CGRAPH)
        self._gvc = _typed(_opened(folders, "gvc"), GVC)
        for name in CGRAPH:
            setattr(self, name, getattr(self._cgraph, name))
        self._address_of = self._cgraph["agget"]  # the same function, but its value stays an address
        self._address_of.restype, self._address_of.argtypes = _ADDRESS, (_ADDRESS, _TEXT)
        plugins = [(f"gvplugin_{name}_LTX_library", _opened(folders, f"gvplugin_{name}")) for name in PLUGINS]
        self._kept = plugins  # Python may unload a library without references
        rows = [(name.encode(), ctypes.addressof(ctypes.c_byte.in_dll(each, name))) for name, each in plugins]
        rows.append((b"gvplugin_figmill_LTX_library", text_plugin.address()))
        self._builtins = (_Builtin * (len(rows) + 1))(*(_Builtin(*row) for row in rows))
        # The context comes before the first graph: it declares the default label of nodes.
        self.context = self._gvc.gvContextPlugins(self._builtins, 0)

    def default(self, graph: int, sort: int, name: bytes) -> bytes:
        """The default of an attribute in the whole graph; empty if there is none."""
        address = self._cgraph.agattr_text(graph, sort, name, None)
        return ctypes.cast(address, ctypes.POINTER(_Attribute))[0].default or b"" if address else b""

    def put(self, graph: int, item: int, name: bytes, value: bytes) -> None:
        """Set an attribute; a label between < and > is HTML-like, as in DOT text."""
        text: Any = value
        if name in (b"label", b"xlabel") and value[:1] == b"<" and value[-1:] == b">":
            text = self._cgraph.agstrdup_html(graph, value[1:-1])
        self._cgraph.agsafeset(item, name, text, b"")

    def is_html(self, item: int, name: bytes) -> bool:
        """Whether the value of an attribute is an HTML-like label."""
        return bool(self._cgraph.aghtmlstr(self._address_of(item, name)))

    def lay_out(self, graph: int, engine: str) -> tuple[bytes, bytes] | None:
        """The SVG of a graph, empty if it cannot be written, and its JSON; None if the graph cannot be laid out.

        If Graphviz fails, it writes the reason to descriptor 2. Raises what the measuring of text raised.
        """
        is_laid_out = False
        try:
            with text_plugin.errors():
                is_laid_out = self._gvc.gvLayout(self.context, graph, engine.encode()) == 0
            if not is_laid_out:
                return None
            svg = self._rendered(graph, b"svg")
            if not svg:
                return svg, b""
            with _silence():  # JSON does not show pictures, which is not the graph's fault
                return svg, self._rendered(graph, b"dot_json")
        finally:
            if is_laid_out:
                self._gvc.gvFreeLayout(self.context, graph)

    def _rendered(self, graph: int, form: bytes) -> bytes:
        data, length = ctypes.c_void_p(), ctypes.c_size_t()
        failed = self._gvc.gvRenderData(self.context, graph, form, ctypes.byref(data), ctypes.byref(length))
        try:
            return b"" if failed or not data.value else ctypes.string_at(data.value, length.value)
        finally:
            self._gvc.gvFreeRenderData(data)


@contextmanager
def _silence() -> Iterator[None]:
    """Drop what the body writes to descriptor 2."""
    kept, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(null)
        os.close(kept)


@cache
def loaded() -> Graphviz:
    """Graphviz, loaded once for a process. Raises ToolError if a library is missing."""
    spec = find_spec("pygraphviz")
    if spec is None or not spec.submodule_search_locations:
        raise ToolError("Graphviz is missing: it comes with the wheel of pygraphviz; install figmill again")
    return Graphviz(folders_of(Path(spec.submodule_search_locations[0]), Path(sys.prefix)))


def folders_of(package: Path, prefix: Path) -> tuple[Path, ...]:
    """Where the libraries are: those of the wheel, or those of a conda environment, where Graphviz is its own package.

    package: the folder of pygraphviz; prefix: that of the environment.
    """
    for folder in (package.with_name("pygraphviz.libs"), package / ".dylibs"):
        if folder.is_dir():
            return (folder,)
    if not versions.conda_packages(prefix):
        return (package,)
    return tuple(filter(Path.is_dir, (prefix / "lib", prefix / "lib/graphviz", prefix / "Library/bin")))


def _opened(folders: Sequence[Path], name: str) -> ctypes.CDLL:
    """An open library, whose file name contains a digest in a wheel."""
    pattern = re.compile(rf"(lib)?{name}(-[0-9a-f]+)?(\.[0-9]+)*\.(so|dylib|dll)[0-9.]*")
    files: Sequence[Path] = sorted(
        path for folder in folders for path in folder.iterdir() if pattern.fullmatch(path.name)
    )
    if not files:
        raise ToolError(
            f"Graphviz is missing: pygraphviz has no library '{name}'. Install its wheel, which contains Graphviz (for "
            "Linux with glibc, macOS and Windows), or conda's package graphviz; a pygraphviz that was built on this "
            "machine contains none"
        )
    try:
        return ctypes.CDLL(str(files[0]))
    except OSError as error:
        raise ToolError(f"Graphviz does not load: {error}{_advice(str(error))}") from None


def _advice(message: str) -> str:
    wanted = next(
        (package for library, package in OF_DEBIAN.items() if message.startswith(f"{library}.")), ""
    )
    return f" (Debian: apt-get install {wanted})" if wanted and sys.platform == "linux" else ""


def _typed(library: ctypes.CDLL, functions: Mapping[str, tuple[Any, tuple[Any, ...]]]) -> ctypes.CDLL:
    for name, (returned, taken) in functions.items():
        function = getattr(library, name)
        function.restype, function.argtypes = returned, taken
    return library
