"""Fonts for symbols that the book font lacks, such as operators and mathematical letters, cut down to these symbols.

If a symbol is missing, usvg sets the whole text in another font that has all its letters. A browser takes only the
missing symbol from there. If the other font lacks plain letters, usvg also takes only the symbol.
"""

from __future__ import annotations

import io
from functools import cache

from figmill.font_metrics import FACES, WIDE, code_points, path_of

FAMILY = "figmill symbols"
FILES = tuple(WIDE.values())
OF_A_FAMILY = (1, 4, 16)  # name ids in the table `name`


@cache
def cut(file: str) -> bytes:
    """One of FILES without the characters that the book font has, under a name of its own. The bytes are always the
    same.
    """
    from fontTools.ttLib import TTFont

    in_book_font = code_points(path_of(FACES[False, False]))
    with TTFont(path_of(file), lazy=True, recalcTimestamp=False, recalcBBoxes=False) as font:
        for table in font["cmap"].tables:
            table.cmap = {code: glyph for code, glyph in table.cmap.items() if code not in in_book_font}
        for name in font["name"].names:
            if name.nameID in OF_A_FAMILY:
                name.string = FAMILY
        written = io.BytesIO()
        font.save(written, reorderTables=None)
    return written.getvalue()


def needed(text: str) -> bool:
    """Whether any of these characters is missing in the book font."""
    in_book_font = code_points(path_of(FACES[False, False]))
    return any(ord(character) > 0x7E and ord(character) not in in_book_font for character in text)
