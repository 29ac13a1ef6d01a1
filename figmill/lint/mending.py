"""Repair one drawing outside a book: SVG bytes in, the repaired drawing out. Unaware of files."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePath

from figmill.checks import NOTE, OFF, levels_alone
from figmill.lint.drawings import sheet_of
from figmill.svg import Mended, SvgError, mended, still_copy

# Notes that a repair of the layout need not look at: text keeps its size.
ASIDE = frozenset(("small-on-phone",))


def mend(name: str, data: bytes, title: str = "", desc: str = "", moves: bool = False) -> Mended:
    """The drawing in normal form, repaired. Raises SvgError if a book would refuse it.

    name: of its file, whose stem begins its ids and is its title if it has none. moves: whether the layout may change,
    too, and notes of the layout are repaired as well.
    """
    levels = levels_alone({})
    wanted = frozenset(check for check, level in levels.items() if level not in (OFF, NOTE))
    notes = (
        frozenset(check for check, level in levels.items() if level == NOTE) - ASIDE if moves else frozenset()
    )
    wanted |= notes
    sheet = replace(sheet_of(wanted, title, desc), figure=label_of(name), any_pictures=False)
    try:
        return mended(data, sheet, notes, moves)
    except SvgError:
        copy = still_copy(data)
        if not copy.removed and not copy.added:
            raise
    result = mended(copy.svg, sheet, notes, moves)
    return replace(result, changes=(*(f"removed {what}" for what in copy.removed), *result.changes))


def label_of(name: str) -> str:
    """The stem of a file as the beginning of ids."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", PurePath(name).stem).strip("-.") or "drawing"
