"""Finds the line of a key in a TOML file, for messages. Pure."""

from __future__ import annotations

import re

# Compiled on first use, which is a message.
_HEADER = r"\s*+\[([^\[\]]++)\]"
_KEY = r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*="""

MOST_PARTS = 64  # of a key; the time of the TOML parser grows with the square of their number
_LONG_KEY = rf"""(?:\.[ \t]*+(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+){{{MOST_PARTS}}}"""


def long_key(text: str) -> int | None:
    """The line of a key with more than MOST_PARTS parts; None if there is none."""
    match = re.search(_LONG_KEY, text)
    return None if match is None else text.count("\n", 0, match.start()) + 1


def line_of(text: str, keys: tuple[str, ...], value: str = "") -> int | None:
    """The line of a key in a TOML file, else of the nearest enclosing table; None if neither is found.

    value: the text of an item in a list; then the result is that item's line. tomllib reports no lines. This search for
    table headers, and for keys at the start of a line, is good enough for a message; no value is ever read this way.
    """
    table: tuple[str, ...] = ()
    best, nearest = 0, None
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(_HEADER, line):
            here = table = _parts(header[1])
        elif key := re.match(_KEY, line):
            here = (*table, *_parts(key[1]))
        else:
            continue
        shared = min(len(here), len(keys))  # `lint.contrast = ...` also counts as a line of `lint`
        if shared > best and keys[:shared] == here[:shared]:
            best, nearest = shared, number
    if value and nearest is not None:
        rows = enumerate(text.splitlines()[nearest - 1 :], start=nearest)
        return next((number for number, row in rows if f'"{value}"' in row or f"'{value}'" in row), nearest)
    return nearest


def _parts(dotted: str) -> tuple[str, ...]:
    parts = re.findall(r"""[\w-]+|"[^"]*"|'[^']*'""", dotted)
    return tuple(part.strip("\"'") for part in parts)


def deepest_line(text: str) -> int:
    """The line with the innermost bracket of a TOML file, for a message; brackets in strings count, too."""
    depth = deepest = 0
    line = 1
    for number, row in enumerate(text.splitlines(), start=1):
        for sign in re.findall(r"[\[\]{}]", row):
            depth += 1 if sign in "[{" else -1
            if depth > deepest:
                deepest, line = depth, number
    return line
