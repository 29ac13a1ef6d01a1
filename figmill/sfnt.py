"""The widths and heights in a TrueType or OpenType font, from four of its tables, without fontTools.

Loading fontTools takes longer than drawing a graph, and most figures need only the fonts that come with figmill.
Formats 4 and 12 of `cmap`, as in the OpenType specification 1.9; any other font is left to fontTools.
"""

from __future__ import annotations

import struct
from array import array
from pathlib import Path
from typing import TypeAlias

# Platform and encoding of the tables of `cmap`, the best first: all of Unicode, then its first plane alone.
_ENCODINGS = ((3, 10), (0, 6), (0, 4), (3, 1), (0, 3), (0, 2), (0, 1), (0, 0))
_PLAIN = (b"\0\1\0\0", b"true", b"OTTO")  # one font, not compressed

Widths: TypeAlias = "dict[int | None, float]"


class OtherFormatError(Exception):
    """The font does not have the tables that are read here."""


def advances(path: str) -> Widths:
    """Advance widths in em by code point; the key None has that of a missing character.

    Raises OtherFormatError for a font of another form, and OSError.
    """
    data = Path(path).read_bytes()
    try:
        tables = _tables(data)
        em = struct.unpack_from(">H", data, tables["head"] + 18)[0]
        count = struct.unpack_from(">H", data, tables["hhea"] + 34)[0]
        pairs = _numbers(data, tables["hmtx"], 2 * count)
        glyphs = _glyphs(data, tables["cmap"])
    except (KeyError, IndexError, struct.error, ValueError) as error:
        raise OtherFormatError(path) from error
    widths = [width / em for width in pairs[::2]]
    last = count - 1  # glyphs beyond it are as wide
    by_code: Widths = {code: widths[min(glyph, last)] for code, glyph in glyphs.items()}
    by_code[None] = widths[0]
    return by_code


def heights(path: str) -> tuple[float, float]:
    """How far a line reaches above and below its baseline, in em. Raises as `advances` does."""
    data = Path(path).read_bytes()
    try:
        tables = _tables(data)
        (em,) = struct.unpack_from(">H", data, tables["head"] + 18)
        above, below = struct.unpack_from(">hh", data, tables["hhea"] + 4)
    except (KeyError, struct.error, ValueError) as error:
        raise OtherFormatError(path) from error
    return above / em, -below / em


def _tables(data: bytes) -> dict[str, int]:
    """Where each table begins."""
    if data[:4] not in _PLAIN:
        raise ValueError("a collection, or compressed")
    rows = struct.iter_unpack(">4s4xI4x", data[12 : 12 + 16 * struct.unpack_from(">H", data, 4)[0]])
    return {tag.decode("latin-1"): place for tag, place in rows}


def _numbers(data: bytes, start: int, count: int) -> array[int]:
    """Unsigned numbers of two bytes."""
    if count < 0 or start + 2 * count > len(data):
        raise ValueError("the table is cut off")
    return array("H", struct.unpack_from(f">{count}H", data, start))


def _glyphs(data: bytes, start: int) -> dict[int, int]:
    """The number of the glyph of each character."""
    rows = struct.iter_unpack(
        ">HHI", data[start + 4 : start + 4 + 8 * struct.unpack_from(">H", data, start + 2)[0]]
    )
    places = {(platform, encoding): start + place for platform, encoding, place in rows}
    table = next(places[encoding] for encoding in _ENCODINGS if encoding in places)
    (kind,) = struct.unpack_from(">H", data, table)
    if kind == 12:
        return _in_groups(data, table)
    if kind == 4:
        return _in_segments(data, table)
    raise ValueError(f"format {kind}")


def _in_groups(data: bytes, table: int) -> dict[int, int]:
    """Format 12: the first and the last code point of each group, and the glyph of the first."""
    (count,) = struct.unpack_from(">I", data, table + 12)
    glyphs: dict[int, int] = {}
    for first, last, glyph in struct.iter_unpack(">III", data[table + 16 : table + 16 + 12 * count]):
        if not first <= last <= 0x10FFFF:
            raise ValueError("no code points")
        glyphs.update(zip(range(first, last + 1), range(glyph, glyph + last - first + 1), strict=True))
    return {code: glyph for code, glyph in glyphs.items() if glyph}


def _in_segments(data: bytes, table: int) -> dict[int, int]:
    """Format 4: the code points of a segment have glyphs at a distance of theirs, or in a list after the segments."""
    count = struct.unpack_from(">H", data, table + 6)[0] // 2
    size = struct.unpack_from(">H", data, table + 2)[0]
    numbers = _numbers(data, table + 14, (size - 14) // 2)
    lasts, firsts = numbers[:count], numbers[count + 1 : 2 * count + 1]
    deltas, offsets = numbers[2 * count + 1 : 3 * count + 1], 3 * count + 1
    glyphs: dict[int, int] = {}
    for segment, (first, last, delta) in enumerate(zip(firsts, lasts, deltas, strict=True)):
        codes = range(first, last + 1)
        offset = numbers[offsets + segment]
        if offset == 0:
            glyphs.update((code, (code + delta) & 0xFFFF) for code in codes)
        else:
            at = offsets + segment + offset // 2
            listed = zip(codes, numbers[at : at + len(codes)], strict=True)
            glyphs.update((code, (glyph + delta) & 0xFFFF if glyph else 0) for code, glyph in listed)
    glyphs.pop(0xFFFF, None)  # the end of the table
    return {code: glyph for code, glyph in glyphs.items() if glyph}
