"""Where a line may break: after spaces and hyphens, and around ideographs; a small part of UAX #14.

Knows nothing of widths or styles.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from enum import Enum


class Wrapping(Enum):
    """Where breaks are allowed at a character."""

    NONE = 0
    WORDS = 1  # between words
    EMERGENCY = 2  # also inside a word that is wider than its line
    ANYWHERE = 3


OPENING = "([{\u2018\u201c\u300a\u300c\u300e\u3010\u3014\uff08\uff3b\uff5b"
CLOSING = (
    ")]}!?,.:;\u2019\u201d"
    "\u3001\u3002\u300b\u300d\u300f\u3011\u3015\uff01\uff09\uff0c\uff1a\uff1b\uff1f\uff3d\uff5d"
)
SMALL_KANA = (
    "\u3041\u3043\u3045\u3047\u3049\u3063\u3083\u3085\u3087\u308e"
    "\u30a1\u30a3\u30a5\u30a7\u30a9\u30c3\u30e3\u30e5\u30e7\u30ee\u30fc"
)
ATOM = "\ufffc"


def opportunities(text: str, wrapping: Sequence[Wrapping]) -> list[int]:
    """The positions in `text` where a line may end; position n is before character n."""
    return [at for at in range(1, len(text)) if _may_break(text, at, wrapping)]


def _may_break(text: str, at: int, wrapping: Sequence[Wrapping]) -> bool:
    before, after = text[at - 1], text[at]
    if wrapping[at - 1] is Wrapping.NONE:
        return before == " " and wrapping[at] is not Wrapping.NONE and after not in " \n"
    if after in " \n":
        return False
    if before in " \u200b" or ATOM in (before, after):
        return before not in "\u00a0" and after != "\u00a0"
    if wrapping[at] is Wrapping.NONE:
        return False
    if wrapping[at - 1] is Wrapping.ANYWHERE and wrapping[at] is Wrapping.ANYWHERE:
        return not unicodedata.combining(after)
    if before in "-\u2010":
        return at > 1 and text[at - 2].isalnum() and after.isalpha()
    if "\u2014" in (before, after):
        return before != after and after not in CLOSING and before not in OPENING
    if before in "\u2013\u2026":
        return after.isalnum()
    return _is_wide(before, after)


def _is_wide(before: str, after: str) -> bool:
    """Whether a break between ideographs, syllables or kana is allowed; punctuation stays with its neighbour."""
    if before.isascii() and after.isascii():
        return False
    if after in CLOSING or after in SMALL_KANA or before in OPENING or "\u00a0" in (before, after):
        return False
    return any(_stands_alone(letter) for letter in (before, after)) and not unicodedata.combining(after)


def _stands_alone(letter: str) -> bool:
    return unicodedata.east_asian_width(letter) == "W" and not 0xAC00 <= ord(letter) <= 0xD7A3
