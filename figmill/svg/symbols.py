"""The fonts of signs that the book font lacks: arrows, operators, letters of mathematics. Cut to these.

usvg sets a whole text in another font where that has all its letters, and a browser only the sign that is missing. Of a
font that has no plain letters usvg, too, takes the sign alone.
"""

from __future__ import annotations

import io
from functools import cache

from figmill.font_metrics import FACES, WIDE, code_points, path_of

FAMILY = "figmill symbols"
FILES = tuple(WIDE.values())
OF_A_FAMILY = (1, 4, 16)  # numbers of names


@cache
def cut(file: str) -> bytes:
    """One of FILES without the characters that the book font has, by a name of its own: the same bytes each time."""
    from fontTools.ttLib import TTFont

    known = code_points(path_of(FACES[False, False]))
    with TTFont(path_of(file), lazy=True, recalcTimestamp=False, recalcBBoxes=False) as font:
        for table in font["cmap"].tables:
            table.cmap = {code: glyph for code, glyph in table.cmap.items() if code not in known}
        for name in font["name"].names:
            if name.nameID in OF_A_FAMILY:
                name.string = FAMILY
        written = io.BytesIO()
        font.save(written, reorderTables=None)
    return written.getvalue()


def needed(text: str) -> bool:
    """Whether any of these characters is missing in the book font."""
    known = code_points(path_of(FACES[False, False]))
    return any(ord(character) > 0x7E and ord(character) not in known for character in text)
