"""Checks whether an alt text helps people who cannot see the figure. Pure.

Unaware of the drawing. Facts in the texts are filled in already.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from difflib import SequenceMatcher

from figmill.checks import LONG_ALT, LONG_CAPTION

LEAST = 10  # characters
# The share of common characters, in order, from which two texts count as the same.
ALIKE = 0.9
_IMAGE = re.compile(
    r"(?:(?:an?|the|this)\s+)?(?:image|picture|photo|photograph|graphic|figure|illustration|svg)\s+"
    r"(?:of|showing|that shows|which shows|shows|depicting|depicts)\b",
    re.IGNORECASE,
)
# Beginnings of unfinished texts, including the one that `new` writes.
_TO_DO = re.compile(
    r"(?:TODO|FIXME|TBD|XXX)\b|\.\.\.|…|lorem ipsum|\[(?:alt|caption|description)\b", re.IGNORECASE
)
_FILE = re.compile(r"\S+\.(?:svg|png|jpe?g|gif|pdf|dot|gv|py)", re.IGNORECASE)


def findings(alt: str, caption: str | None, title: str | None) -> Iterator[tuple[str, str, str]]:
    """The problems of a figure's texts: (key, check, message)."""
    for key, noun, text in (("alt", "alt text", alt), ("caption", "caption", caption)):
        if text and _TO_DO.match(text):
            yield (
                key,
                "alt-unfinished",
                f"the {noun} '{_cut(text)}' is unfinished; say what the figure shows",
            )
    if _TO_DO.match(alt):
        return
    if _FILE.fullmatch(alt):
        yield "alt", "alt-file-name", f"the alt text '{alt}' is the name of a file; say what the figure shows"
    elif len(alt) < LEAST:
        yield (
            "alt",
            "alt-short",
            f"the alt text '{alt}' has {len(alt)} characters; say in a sentence what the figure shows",
        )
    if opening := _IMAGE.match(alt):
        yield (
            "alt",
            "alt-says-image",
            f"the alt text begins with '{opening[0]}', which screen readers say anyway; begin with the content",
        )
    if len(alt) > LONG_ALT:
        message = (
            f"the alt text has {len(alt)} characters; shorten it to {LONG_ALT}, as it is read without a pause"
        )
        yield "alt", "alt-long", message
    if caption and len(caption) > LONG_CAPTION:
        yield (
            "caption",
            "caption-long",
            f"the caption has {len(caption)} characters; move what exceeds {LONG_CAPTION} to the page's text",
        )
    for name, other in (("caption", caption), ("title", title)):
        if other and says_the_same(alt, other):
            message = f"the alt text repeats the {name}; say what the figure shows instead"
            yield "alt", "alt-repeats-caption", message
            break


def _cut(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}…"


def says_the_same(text: str, other: str) -> bool:
    """Whether two texts differ only in case, punctuation and a few characters."""
    first, second = _plain(text), _plain(other)
    if first == second:
        return bool(first)
    if _numbers(first) != _numbers(second):
        return False  # 4 devices are not 8 devices
    compared = SequenceMatcher(None, first, second, autojunk=False)
    # The first two are upper bounds of the third, which takes seconds on long texts.
    bounds = (compared.real_quick_ratio, compared.quick_ratio, compared.ratio)
    return all(bound() >= ALIKE for bound in bounds)


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).casefold()
    return " ".join(re.findall(r"\w+", folded))


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+", text)
