"""Pickles of plain data, read without running code in them: dicts, lists, tuples, strings and numbers.

A pickle asks for functions by name. This reader has its own replacements for the few functions that create numpy's
numbers and ordered dicts, and refuses every other name. The replacements check their arguments, and build plain values.
"""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Callable, Mapping
from typing import Any

_FORMATS = {
    "i1": "b",
    "i2": "h",
    "i4": "i",
    "i8": "q",
    "u1": "B",
    "u2": "H",
    "u4": "I",
    "u8": "Q",
    "f4": "f",
    "f8": "d",
    "b1": "?",
}


class PickleError(ValueError):
    """A pickle contains something other than plain data."""


class _NumberType:
    """numpy's dtype of a number: its name, and the order of its bytes."""

    def __init__(self, name: object, *_: object) -> None:
        if not isinstance(name, str) or name not in _FORMATS:
            raise PickleError(f"a number of the kind {name!r:.40}; only integers and floats are read")
        self.name, self.order = name, "<"

    def __setstate__(self, state: object) -> None:
        if isinstance(state, tuple) and len(state) > 1 and state[1] in ("<", ">", "|"):
            self.order = "<" if state[1] == "|" else state[1]


def _scalar(kind: object, data: object = b"") -> int | float | bool:
    if not isinstance(kind, _NumberType) or not isinstance(data, bytes):
        raise PickleError("a number without its bytes")
    form = kind.order + _FORMATS[kind.name]
    if len(data) != struct.calcsize(form):
        raise PickleError(f"a number of {len(data)} bytes that should have {struct.calcsize(form)}")
    value: int | float | bool = struct.unpack(form, data)[0]
    return value


def _encoded(text: object, encoding: object = "") -> bytes:
    """The bytes that protocols below 3 write as text."""
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise PickleError("bytes that are not text in latin1")
    return text.encode("latin1")


def _ordered(*items: object) -> dict[Any, Any]:
    if items:
        raise PickleError("an ordered dict made in one piece")
    return {}


_STAND_INS: Mapping[tuple[str, str], Callable[..., Any]] = {
    ("numpy", "dtype"): _NumberType,
    ("numpy.core.multiarray", "scalar"): _scalar,
    ("numpy._core.multiarray", "scalar"): _scalar,
    ("_codecs", "encode"): _encoded,
    ("collections", "OrderedDict"): _ordered,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        stand_in = _STAND_INS.get((module, name))
        if stand_in is None:
            raise PickleError(f"the pickle asks for {module}.{name}; only plain data is read")
        return stand_in


def loads(data: bytes) -> Any:
    """The value in a pickle. PickleError if the pickle asks for anything but plain data, or is damaged."""
    try:
        return _Unpickler(io.BytesIO(data)).load()
    except PickleError:
        raise
    except Exception as error:  # a damaged pickle raises almost anything
        raise PickleError(f"not a pickle of plain data: {error}") from error
