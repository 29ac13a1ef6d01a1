"""The text of a drawing: a character that no figure can hold is the author's error, at its line in the source.

An engine draws the characters of its source, and SVG cannot hold all of them. A source may hold them where they are not
drawn, such as in a comment, so this module checks the drawing, not the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from figmill import xml_tree
from figmill.errors import AuthorError
from figmill.kind.source_text import UNFIT, place
from figmill.model import Origin

_REFERENCE = re.compile("&#(?:x([0-9a-fA-F]{1,8})|([0-9]{1,8}));")


class UnfitError(Exception):
    """A drawing that cannot become a figure. written: the character or word at fault; empty if there is none."""

    def __init__(self, message: str, written: str = "") -> None:
        super().__init__(message)
        self.written = written


def check(svg: str | bytes) -> None:
    """Raise UnfitError if a drawing holds a character that no figure can."""
    text = svg if isinstance(svg, str) else svg.decode("utf-8", "replace")
    if match := UNFIT.search(text):
        raise _unfit(match[0])
    for match in _REFERENCE.finditer(text):
        code = int(match[1], 16) if match[1] else int(match[2])
        if code > 0x10FFFF or UNFIT.match(chr(code)):
            raise _unfit(chr(min(code, 0xFFFF)))


def encoded(svg: str) -> bytes:
    """A drawing as UTF-8. Raises UnfitError."""
    check(svg)
    return svg.encode()


def tree(svg: bytes) -> etree._Element:
    """The root of a drawing. Raises UnfitError if it is not XML that a figure can hold."""
    check(svg)
    try:
        return xml_tree.parsed(svg)
    except etree.XMLSyntaxError as error:
        reason = str(error.msg).partition(", line ")[0]
        raise UnfitError(f"its drawing is not XML: {reason}") from None


def check_texts(value: Any) -> None:
    """Raise UnfitError if a text in lists and mappings, or a key, holds a character that no figure can."""
    for text in _texts(value):
        if match := UNFIT.search(text):
            raise _unfit(match[0])


def author_error(error: UnfitError, source: str, path: str) -> AuthorError:
    """The error, at the place where the source has the character or word, if it has one."""
    word = error.written
    pattern = _spellings(word) if len(word) == 1 else re.escape(word)
    at = re.search(pattern, source) if word else None
    return AuthorError(place(source, at.start(), path) if at else Origin(path), str(error))


def _unfit(character: str) -> UnfitError:
    return UnfitError(f"character U+{ord(character):04X} is not allowed in a figure", character)


def _spellings(character: str) -> str:
    """A pattern for the ways in which languages write a character: itself, \\u0001, \\x01, &#1; and #1;."""
    code = ord(character)
    return (
        f"{re.escape(character)}|\\\\u\\{{?(?i:{code:04x})|\\\\x(?i:{code:02x})(?![0-9a-fA-F])"
        f"|#0*{code};|#[xX]0*(?i:{code:x});|<U\\+0*(?i:{code:x})>"
    )


def _texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += [*item, *item.values()]
        elif isinstance(item, list):
            waiting += item
