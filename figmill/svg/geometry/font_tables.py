"""The advance widths in a font file, by its tables `head`, `maxp`, `hhea`, `hmtx` and `cmap` (OpenType, ISO 14496-22).

Nearly every figure has words, and this takes a tenth of the time in which fontTools is loaded and makes objects of all
glyphs. Fonts in any other form than usual are fontTools' to read: collections, compressed ones, rare tables.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import TypeAlias

Advances: TypeAlias = dict[int | None, float]  # in em by code point; None: the width of a missing character
Glyphs: TypeAlias = dict[int, int]  # code point -> number of the glyph

SINGLE = (b"\0\1\0\0", b"OTTO", b"true")  # how a file of one font begins
NEEDED = frozenset((b"head", b"maxp", b"hhea", b"hmtx", b"cmap"))
# Platform and encoding of the tables of code points, the best first; as in fontTools and HarfBuzz.
PREFERRED = ((3, 10), (0, 6), (0, 4), (3, 1), (0, 3), (0, 2), (0, 1), (0, 0))


class RareError(Exception):
    """The font is broken, or in a form that is not read here."""


def advances(path: str) -> Advances:
    """The advance widths of a font file. Raises RareError, and OSError."""
    try:
        tables = _tables(path)
        (em,) = struct.unpack_from(">H", tables[b"head"], 18)
        (count,) = struct.unpack_from(">H", tables[b"maxp"], 4)
        (stated,) = struct.unpack_from(">H", tables[b"hhea"], 34)
        widths = _numbers(tables[b"hmtx"][: 4 * min(stated, count)])[::2]
        if len(widths) < min(stated, count):
            raise RareError("fewer widths than it says")
        widths.extend(widths[-1:] * (count - len(widths)))  # the last one holds for the glyphs after it
        glyphs = _glyphs(tables[b"cmap"])
        found: Advances = {code: widths[glyph] / em for code, glyph in glyphs.items()}
        found[None] = widths[0] / em  # the first glyph stands for every missing character
    except (KeyError, IndexError, ValueError, ZeroDivisionError, struct.error) as error:
        raise RareError(str(error)) from None
    return found


def _tables(path: str) -> dict[bytes, bytes]:
    with open(path, "rb") as file:
        begin = file.read(12)
        if begin[:4] not in SINGLE:
            raise RareError("no file of a single font")
        rows = file.read(16 * int.from_bytes(begin[4:6], "big"))
        found = {}
        for tag, start, length in struct.iter_unpack(">4s4xLL", rows):
            if tag in NEEDED:
                file.seek(start)
                found[tag] = file.read(length)
    return found


def _numbers(data: bytes) -> array[int]:
    """Big-endian numbers of 16 bits."""
    numbers = array("H", data)
    if sys.byteorder == "little":
        numbers.byteswap()
    return numbers


def _glyphs(table: bytes) -> Glyphs:
    (count,) = struct.unpack_from(">H", table, 2)
    rows = list(struct.iter_unpack(">HHL", table[4 : 4 + 8 * count]))
    places = {(platform, encoding): place for platform, encoding, place in reversed(rows)}
    best = min(places, key=lambda kind: PREFERRED.index(kind) if kind in PREFERRED else len(PREFERRED))
    if best not in PREFERRED:
        raise RareError("no table of code points")
    place = places[best]
    (form,) = struct.unpack_from(">H", table, place)
    if form not in FORMS:
        raise RareError(f"a table of code points of format {form}")
    return FORMS[form](table[place:])


def _segments(table: bytes) -> Glyphs:
    """Format 4: ranges of code points up to 0xffff."""
    length, _, double = struct.unpack_from(">3H", table, 2)
    if length > len(table) or length % 2 or double % 2:
        raise RareError("a table of code points of another length than it says")
    numbers = _numbers(table[14:length])
    count = double // 2
    ends, starts = numbers[:count], numbers[count + 1 : 2 * count + 1]
    shifts, offsets = numbers[2 * count + 1 : 3 * count + 1], numbers[3 * count + 1 : 4 * count + 1]
    _ordered(zip(starts, ends, strict=True))
    found: Glyphs = {}
    for at in range(count - 1):  # the last one is for 0xffff, which is no character
        for code in range(starts[at], ends[at] + 1):
            glyph = code
            if offsets[at]:  # counted from its own place, in bytes
                glyph = numbers[3 * count + 1 + at + offsets[at] // 2 + code - starts[at]]
                if not glyph:
                    continue
            if glyph := (glyph + shifts[at]) & 0xFFFF:
                found[code] = glyph
    return found


def _groups(table: bytes) -> Glyphs:
    """Format 12: ranges of any code points."""
    length, _, count = struct.unpack_from(">3L", table, 4)
    if length > len(table) or length != 16 + 12 * count:
        raise RareError("a table of code points of another length than it says")
    groups = list(struct.iter_unpack(">3L", table[16:length]))
    _ordered((first, last) for first, last, _ in groups)
    found: Glyphs = {}
    for first, last, glyph in groups:
        found.update(zip(range(first, last + 1), range(glyph, glyph + last - first + 1), strict=True))
    return {code: glyph for code, glyph in found.items() if glyph}


def _ordered(ranges: Iterable[tuple[int, int]]) -> None:
    """Raise RareError unless each range comes after the one before: no file can then have more than Unicode has."""
    before = -1
    for first, last in ranges:
        if not before < first <= last <= sys.maxunicode:
            raise RareError("code points out of order")
        before = last


FORMS: MappingProxyType[int, Callable[[bytes], Glyphs]] = MappingProxyType({4: _segments, 12: _groups})
