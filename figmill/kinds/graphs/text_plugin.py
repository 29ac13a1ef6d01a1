"""Graphviz's plugin for the size of text: a function of figmill, which Graphviz calls for each line of a label.

The structures are those of Graphviz's public headers gvplugin.h and textspan.h.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from figmill.kinds.graphs import room

_ADDRESS, _TEXT, _INT = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
TEXTLAYOUT = 2  # the number of this type of plugin, `API_textlayout`
BETTER = 100  # among several plugins, the one with the highest number is used
LARGEST = 1e6  # points; Graphviz may estimate anything larger
_FLAGS = 0x7F  # the rest of that number counts references


class _Font(ctypes.Structure):
    """`textfont_t`."""

    _fields_ = (
        ("name", _TEXT),
        ("color", _TEXT),
        ("alias", _ADDRESS),
        ("size", ctypes.c_double),
        ("flags", ctypes.c_uint),
    )


class _Span(ctypes.Structure):
    """`textspan_t`."""

    _fields_ = (
        ("text", _TEXT),
        ("font", ctypes.POINTER(_Font)),
        ("layout", _ADDRESS),
        ("free_layout", _ADDRESS),
        ("baseline", ctypes.c_double),
        ("middle", ctypes.c_double),
        ("width", ctypes.c_double),
        ("height", ctypes.c_double),
        ("just", ctypes.c_char),
    )


_Measuring = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.POINTER(_Span), _ADDRESS)


class _Engine(ctypes.Structure):
    """`gvtextlayout_engine_t`."""

    _fields_ = (("measure", _Measuring),)


class _Installed(ctypes.Structure):
    """`gvplugin_installed_t`."""

    _fields_ = (
        ("id", _INT),
        ("type", _TEXT),
        ("quality", _INT),
        ("engine", _ADDRESS),
        ("features", _ADDRESS),
    )


class _Api(ctypes.Structure):
    """`gvplugin_api_t`."""

    _fields_ = (("api", _INT), ("types", _ADDRESS))


class _Library(ctypes.Structure):
    """`gvplugin_library_t`."""

    _fields_ = (("package", _TEXT), ("apis", _ADDRESS))


_fonts: list[str] = []  # the book's own
_raised: list[BaseException] = []  # by `_measure`: an error cannot pass through C


def _measure(pointer: Any, _path: Any) -> bool:
    """Fill in the size of a line of text. If it returns False, Graphviz estimates the size."""
    try:
        span = pointer[0]
        font = span.font[0]
        span.layout = span.free_layout = None
        if not 0 <= font.size <= LARGEST:  # nan is neither
            return False
        measured = _measured(span.text or b"", font.name or b"", font.size, font.flags & _FLAGS)
        span.width, span.height, span.baseline, span.middle = measured[:4]
    except BaseException as error:
        _raised.append(error)
        return False
    return True


def _measured(text: bytes, name: bytes, size: float, flags: int) -> room.Room:
    return room.of(text, name, size, flags, tuple(_fonts))


def use(fonts: Sequence[str]) -> None:
    """From now on, take the widths of characters that the shipped fonts lack from these files."""
    _fonts[:] = fonts


@contextmanager
def errors() -> Iterator[None]:
    """Raise after the body what `_measure` raised during it."""
    _raised.clear()
    yield
    if _raised:
        raise _raised[0]


@cache
def _parts() -> tuple[Any, ...]:
    """The plugin, and everything that it points to: it must live as long as the process."""
    engine = _Engine(_Measuring(_measure))
    types = (_Installed * 2)(_Installed(0, b"textlayout", BETTER, ctypes.addressof(engine), None))
    apis = (_Api * 2)(_Api(TEXTLAYOUT, ctypes.addressof(types)))
    return _Library(b"figmill", ctypes.addressof(apis)), apis, types, engine


def address() -> int:
    """The address of the plugin, a `gvplugin_library_t`."""
    return ctypes.addressof(_parts()[0])
