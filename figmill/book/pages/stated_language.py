"""The language that a page states. Pure.

Apart from front_matter.py, because hosts ask it of every page, and most need no YAML.
"""

from __future__ import annotations

import re

from figmill.config.readers import other_than_english

_LANGUAGE = re.compile(
    r"""\A(?:---|\+\+\+)\n(?:(?!---|\+\+\+|\.\.\.).*\n)*?(?:lang|language|locale)[ ]*[:=][ ]*["']?(?P<matter>[\w-]+)
      | \A(?::\w+:.*\n)*?:(?:lang|language):[ ]*(?P<field>[\w-]+)
      | \A\s*(?i:<!doctype[^>]*>)?\s*<html\b[^>]*\blang=["']?(?P<html>[\w-]+)""",
    re.VERBOSE,
)


def stated(text: str) -> str:
    """The language that a page states in its first lines, if it is not English; else empty. text: with LF line ends."""
    match = _LANGUAGE.search(text, 0, 4000)
    code = next(filter(None, match.groups()), "") if match else ""
    return code if other_than_english(code) else ""
