"""The language that a page or a question states. Pure.

Apart from front_matter.py, because hosts ask it of every page, and most need no YAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from figmill.book.nodes import Node, Scalar
from figmill.config.readers import other_than_english

KEYS = frozenset(("language", "lang"))  # of a question, at its top level
_LANGUAGE = re.compile(
    r"""\A(?:---|\+\+\+)\n(?:(?!---|\+\+\+|\.\.\.).*\n)*?(?:lang|language|locale)[ ]*[:=][ ]*["']?(?P<matter>[\w-]+)
      | \A(?::\w+:.*\n)*?:(?:lang|language):[ ]*(?P<field>[\w-]+)
      | \A\s*(?i:<!doctype[^>]*>)?\s*<html\b[^>]*\blang=["']?(?P<html>[\w-]+)""",
    re.VERBOSE,
)


def of_page(text: str) -> str:
    """The language that a page states in its first lines, if it is not English; else empty. text: with LF line ends."""
    match = _LANGUAGE.search(text, 0, 4000)
    code = next(filter(None, match.groups()), "") if match else ""
    return code if other_than_english(code) else ""


def of_question(rows: Iterable[tuple[Scalar, Node]]) -> str:
    """The language that a question states if it is not English; else empty. rows: its top-level keys."""
    stated = (node.text for key, node in rows if key.text in KEYS and isinstance(node, Scalar))
    return next(filter(other_than_english, stated), "")
