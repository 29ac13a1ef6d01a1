"""Whether an alt text says anything to somebody who cannot see the figure. Pure.

Unaware of the drawing. The facts in the texts are filled in already.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from difflib import SequenceMatcher

LEAST = 10  # characters
# The share of characters that two texts have in common, in order, from which on they say the same.
ALIKE = 0.9
_IMAGE = re.compile(
    r"(?:(?:an?|the|this)\s+)?(?:image|picture|photo|photograph|graphic|figure|illustration|svg)\s+"
    r"(?:of|showing|that shows|which shows|shows|depicting|depicts)\b",
    re.IGNORECASE,
)
_FILE = re.compile(r"\S+\.(?:svg|png|jpe?g|gif|pdf|dot|gv|py)", re.IGNORECASE)


def findings(alt: str, caption: str | None, title: str | None) -> Iterator[tuple[str, str]]:
    """What is wrong with an alt text: (check, message)."""
    if _FILE.fullmatch(alt):
        yield "alt-file-name", f"the alt text '{alt}' is the name of a file; say what the figure shows"
    elif len(alt) < LEAST:
        yield (
            "alt-short",
            f"the alt text '{alt}' has {len(alt)} characters; say in a sentence what the figure shows",
        )
    if opening := _IMAGE.match(alt):
        yield (
            "alt-says-image",
            f"the alt text begins with '{opening[0]}', which is read out anyway; begin with what is shown",
        )
    for name, other in (("caption", caption), ("title", title)):
        if other and says_the_same(alt, other):
            yield "alt-repeats-caption", f"the alt text repeats the {name}; say what the figure shows instead"
            break


def says_the_same(one: str, other: str) -> bool:
    """Whether two texts are one but for case, punctuation and a few characters."""
    first, second = _plain(one), _plain(other)
    if first == second:
        return bool(first)
    if _numbers(first) != _numbers(second):
        return False  # 4 devices are not 8 devices
    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= ALIKE


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).casefold()
    return " ".join(re.findall(r"\w+", folded))


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+", text)
