"""A layout that depends only on its graph: random seeds and memory as in a new process.

Graphviz's force-directed layouts use the C library's random numbers, whose state the previous layout has changed. fdp
also compares addresses: the direction of an edge in its own graph follows the two nodes' order in memory. A process
that has drawn before has holes in its memory, so that later allocations may lie lower. `filled_holes` fills the holes
first: from then on, addresses rise as in a new process. Knows nothing of graphs.

Without it, most layouts of fdp differ between two processes (`python -m benchmarks.patches`). Checked with the Graphviz
in pygraphviz 2.0.4; check again with each new version: if fdp no longer compares addresses, delete `filled_holes`.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

# Block sizes in bytes that fill holes: large ones first, to fill most of a hole at once, then every size class for
# which glibc keeps lists of free blocks (`tcache`), down to the smallest.
SIZES = (*(1 << power for power in range(16, 10, -1)), *range(1032, 23, -16))
MMAP_THRESHOLD = -3  # a parameter of mallopt
LEAST = 32  # bytes of a free block


def seed() -> None:
    """Reset the C library's two random number generators to their state in a new process."""
    library = _library()
    for name, number in (("srand", 1), ("srand48", 0)):
        if hasattr(library, name):
            getattr(library, name)(number)


@contextmanager
def filled_holes() -> Iterator[None]:
    """Run the body with all free memory in one piece at the end of the heap. No effect without glibc.

    Python's garbage collector is off meanwhile: it would make new holes.
    """
    was_collecting = gc.isenabled()
    gc.disable()
    last = _fill()
    try:
        yield
    finally:
        _free(last)
        if was_collecting:
            gc.enable()


def _fill() -> int:
    """Allocate until only the end of the heap is free. Returns the last block; each block points to the one before.

    A list of the blocks would grow on the same heap and leave holes.
    """
    library, last = _library(), 0
    if not hasattr(library, "mallinfo"):
        return last
    library.mallopt(MMAP_THRESHOLD, 128 << 10)  # otherwise it grows with freed blocks
    end = (library.sbrk(0) or 0) - _free_at_end()
    for size in SIZES:
        block = 0
        while block < end:
            block, last = _held(size, last)
            if not block:
                return last
    # glibc's merging depends on the free space at the end: leave its minimum, so that the next page begins.
    return _held(_free_at_end() - LEAST - 8, last)[1]


def _held(size: int, last: int) -> tuple[int, int]:
    """A new block, twice: its address and the new last block; (0, last) if the process has no more memory."""
    block = _library().malloc(size) if size > 8 else None
    if block is None:
        return 0, last
    ctypes.c_void_p.from_address(block).value = last
    return block, block


def _free_at_end() -> int:
    return int(_library().mallinfo().keepcost) & 0xFFFFFFFF


def _free(last: int) -> None:
    while last:
        block, last = last, ctypes.c_void_p.from_address(last).value or 0
        _library().free(block)


class _Usage(ctypes.Structure):
    """`struct mallinfo` of glibc. keepcost: free bytes at the end of the heap."""

    _fields_ = tuple(
        (name, ctypes.c_int)
        for name in (
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keepcost",
        )
    )


@cache
def _library() -> Any:
    """The C library that Graphviz calls; an object without functions if it cannot be loaded."""
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
