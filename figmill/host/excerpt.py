"""Excerpts of files that have one line for each figure or question: a smaller file of the same form.

To read ten thousand lines takes as long as all else that follows an edit; most edits need one of them. Pure.
"""

from __future__ import annotations

from collections.abc import Callable


def excerpt(data: bytes, begin: bytes, end: bytes, is_wanted: Callable[[bytes], bool]) -> bytes:
    """`data` with only the wanted ones of the lines between `begin` and the last `end`. Raises ValueError."""
    start = data.index(begin) + len(begin)
    stop = data.rindex(end, start)
    lines = data[start:stop].split(SEPARATOR)
    return data[:start] + SEPARATOR.join(line for line in lines if is_wanted(line)) + data[stop:]


SEPARATOR = b",\n"  # JSON has no line feed within a text


def exchanged(data: bytes, old: str, new: str) -> bytes:
    """`data` with a new text in the place of an old one. Raises ValueError unless the old one is there exactly once."""
    before = old.encode("utf-8", "surrogatepass")
    if data.count(before) != 1:
        raise ValueError("not there, or more than once")
    return data.replace(before, new.encode("utf-8", "surrogatepass"))
