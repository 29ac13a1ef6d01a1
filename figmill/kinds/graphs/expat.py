"""Lends Graphviz Python's XML parser if the system has no libexpat.

Graphviz is linked to `libexpat.so.1`, for HTML-like labels. Slim container images lack it: their Python contains an
expat of its own, whose functions it offers to other libraries in a capsule. If a library of some name is already
loaded, the loader uses it for that name. So this module makes a tiny library with the name in memory, in which each
function jumps to Python's. For Linux on x86-64 and AArch64.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple

SONAME = "libexpat.so.1"
MAGIC = b"pyexpat.expat_CAPI 1.1"  # in Python 3.11 to 3.14
# Function -> its place among the pointers of the capsule, after its first three words. It is documented as
# `struct PyExpat_CAPI` in pyexpat.h; new functions are added at its end.
FUNCTIONS: Mapping[str, int] = MappingProxyType(
    {
        "XML_ErrorString": 0,
        "XML_GetErrorCode": 1,
        "XML_GetCurrentColumnNumber": 2,
        "XML_GetCurrentLineNumber": 3,
        "XML_Parse": 4,
        "XML_ParserCreate": 5,  # Python's takes two more arguments, which may be zero
        "XML_ParserFree": 6,
        "XML_SetCharacterDataHandler": 7,
        "XML_SetElementHandler": 10,
        "XML_SetUserData": 14,
    }
)
WITH_ZEROS = "XML_ParserCreate"
_FIRST = 3


def lend() -> None:
    """Make sure that `libexpat.so.1` can be loaded, if possible. If not, the loader says what is missing."""
    if sys.platform != "linux":
        return
    with suppress(OSError):
        ctypes.CDLL(SONAME)
        return
    processor = PROCESSORS.get(platform.machine())
    functions = _functions()
    if processor is None or functions is None:
        return
    with suppress(OSError):
        file = os.memfd_create(SONAME)
        try:
            os.write(file, library(functions, processor))
            _loaded.append(ctypes.CDLL(f"/proc/self/fd/{file}"))
        finally:
            os.close(file)


_loaded: list[ctypes.CDLL] = []


def _functions() -> Mapping[str, int] | None:
    """Function -> the address of Python's; None if this Python offers them in another form."""
    try:
        import pyexpat
    except ImportError:  # a Python that is linked to the missing library itself
        return None
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    try:
        address = pointer(pyexpat.expat_CAPI, b"pyexpat.expat_CAPI")
    except (AttributeError, ValueError):
        return None
    words = ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))
    if not words[0] or ctypes.string_at(words[0]) != MAGIC:
        return None
    return {name: words[_FIRST + place] or 0 for name, place in FUNCTIONS.items()}


# ---------------------------------------------------------------- the library, as the loader reads it


class Processor(NamedTuple):
    """number: of the processor, in the file's header. jump: the code of a jump to an address.

    zeros: code that sets the second and the third argument to zero.
    """

    number: int
    jump: Callable[[int], bytes]
    zeros: bytes


def _jump_on_x86_64(address: int) -> bytes:
    """mov rax, address; jmp rax."""
    return b"\x48\xb8" + struct.pack("<Q", address) + b"\xff\xe0"


def _jump_on_aarch64(address: int) -> bytes:
    """ldr x16, the 8 bytes after the jump; br x16."""
    return struct.pack("<IIQ", 0x58000050, 0xD61F0200, address)


PROCESSORS: Mapping[str, Processor] = MappingProxyType(
    {
        "x86_64": Processor(62, _jump_on_x86_64, b"\x31\xf6\x31\xd2"),  # xor esi, esi; xor edx, edx
        "aarch64": Processor(
            183, _jump_on_aarch64, struct.pack("<II", 0xAA1F03E1, 0xAA1F03E2)
        ),  # mov x1, xzr; x2
    }
)
SPACE = 1 << 16  # between the part that is run and the part that is written: at least a page
SLOT = 32  # bytes for the code of a function
_HEADERS = 64 + 4 * 56


def library(functions: Mapping[str, int], processor: Processor) -> bytes:
    """A shared library in the ELF format with these functions, each a jump to an address of this process."""
    names, symbols = [b""], [bytes(24)]
    strings = b"\0"
    code_at = _aligned(_HEADERS)
    code = b""
    for name, address in functions.items():
        jump = (processor.zeros if name == WITH_ZEROS else b"") + processor.jump(address)
        # st_name, global function, default visibility, some section, st_value, st_size
        symbols.append(struct.pack("<IBBHQQ", len(strings), 0x12, 0, 1, code_at + len(code), len(jump)))
        code += jump.ljust(SLOT, b"\0")
        strings += name.encode() + b"\0"
        names.append(name.encode())
    soname, strings = len(strings), strings + SONAME.encode() + b"\0"
    count = len(names)
    # One bucket whose chain goes through all symbols.
    table = struct.pack(
        f"<{3 + count}I", 1, count, 1, *(i + 1 if 0 < i < count - 1 else 0 for i in range(count))
    )
    symbols_at = code_at + len(code)
    table_at = symbols_at + 24 * count
    strings_at = _aligned(table_at + len(table))
    end = strings_at + len(strings)
    rows = (
        (14, soname),
        (4, table_at),
        (5, strings_at),
        (6, symbols_at),
        (10, len(strings)),
        (11, 24),
        (0, 0),
    )
    dynamic = b"".join(struct.pack("<QQ", *row) for row in rows)
    header = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 3, processor.number, 1, 0, 64, 0, 0, 64, 56, 4, 0, 0, 0
    )
    segments = (
        (1, 5, 0, end),  # loaded, read and run
        (1, 6, SPACE, len(dynamic)),  # loaded, read and written
        (2, 6, SPACE, len(dynamic)),  # the dynamic section
        (0x6474E551, 6, 0, 0),  # the stack, which is not run
    )
    header += b"".join(
        struct.pack("<IIQQQQQQ", kind, flags, at, at, at, size, size, SPACE if kind == 1 else 8)
        for kind, flags, at, size in segments
    )
    parts = (
        (0, header),
        (code_at, code),
        (symbols_at, b"".join(symbols)),
        (table_at, table),
        (strings_at, strings),
        (SPACE, dynamic),
    )
    data = bytearray(SPACE + len(dynamic))
    for at, part in parts:
        data[at : at + len(part)] = part
    return bytes(data)


def _aligned(at: int) -> int:
    return -(-at // 16) * 16
