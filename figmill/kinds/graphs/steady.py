"""A layout that depends on nothing but its graph: seeds and memory as they are in a new process.

Graphviz's force-directed layouts draw from the C library's random numbers, which the layout before has moved on.
fdp also compares addresses: the direction of an edge between two clusters is that of their nodes in memory. A
process that has drawn before has holes among its memory, so that what is allocated later may lie lower. `filled_holes`
fills them first: from then on, memory rises as it does in a new process. Unaware of graphs.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

# Bytes of the blocks that fill holes: from large ones, which fill most of a hole at once, down through every size class
# that glibc keeps lists of free blocks for (`tcache`), to its least.
SIZES = (*(1 << power for power in range(16, 10, -1)), *range(1032, 23, -16))


def seed() -> None:
    """Set the C library's two random number generators to where they are when a process begins."""
    library = _library()
    for name, number in (("srand", 1), ("srand48", 0)):
        if hasattr(library, name):
            getattr(library, name)(number)


@contextmanager
def filled_holes() -> Iterator[None]:
    """Run the body with all free memory in one piece at the end of the heap. Does nothing without glibc.

    No collector of Python's runs meanwhile: it would make new holes.
    """
    was_collecting = gc.isenabled()
    gc.disable()
    held = _fill()
    try:
        yield
    finally:
        for block in held:
            _library().free(block)
        if was_collecting:
            gc.enable()


def _fill() -> list[int]:
    """Allocate until nothing is free below the end of the heap. Returns the blocks."""
    library, held = _library(), list[int]()
    if not hasattr(library, "mallinfo"):
        return held
    end = (library.sbrk(0) or 0) - (library.mallinfo().keepcost & 0xFFFFFFFF)
    for size in SIZES:
        block = 0
        while block < end:
            block = library.malloc(size)
            if block is None:  # the limit of the process; there is nothing left to fill with
                return held
            held.append(block)
    return held


class _Usage(ctypes.Structure):
    """`struct mallinfo` of glibc. keepcost: free bytes at the end of the heap."""

    _fields_ = tuple(
        (name, ctypes.c_int)
        for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks",
                     "keepcost")
    )  # fmt: skip


@cache
def _library() -> Any:
    """The C library that Graphviz calls; an object without functions where it cannot be reached."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):  # Windows
        return object()
    library.malloc.restype = library.sbrk.restype = ctypes.c_void_p
    library.malloc.argtypes = [ctypes.c_size_t]
    library.sbrk.argtypes = [ctypes.c_ssize_t]
    library.free.restype, library.free.argtypes = None, [ctypes.c_void_p]
    if hasattr(library, "srand48"):
        library.srand48.argtypes = [ctypes.c_long]
    if hasattr(library, "mallinfo"):
        library.mallinfo.restype = _Usage
    return library
