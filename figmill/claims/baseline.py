"""A baseline: the contradictions that an old book had when it began to check its numbers. Pure.

Entries are not reported; fixed ones are dropped; none is ever added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from figmill.claims import listed
from figmill.errors import ToolError

# The file, the words around, the number, the figure and the fact: lines may move.
Known: TypeAlias = tuple[str, str, str, str, str]
KEYS = ("file", "text", "number", "figure", "fact")


def dumps(entries: Iterable[Known]) -> bytes:
    return listed.dumps(dict(zip(KEYS, each, strict=True)) for each in sorted(entries))


def loads(name: str, data: bytes) -> frozenset[Known]:
    """Raises ToolError."""
    try:
        return frozenset(tuple(str(row[key]) for key in KEYS) for row in listed.loads(data))  # type: ignore[misc]
    except (ValueError, KeyError, TypeError):
        raise ToolError(
            f"{name} is not a baseline of `figmill claims`; remove it to start a new one"
        ) from None


def parted(
    entries: frozenset[Known], now: Mapping[Known, object], is_compared: Callable[[str, str], bool]
) -> tuple[set[Known], frozenset[Known]]:
    """The current contradictions that are not among the entries, and the entries that stay.

    is_compared: whether a file was compared with a figure this time; the entries of any other pair stay.
    """
    left = frozenset(each for each in entries if each in now or not is_compared(each[0], each[3]))
    return {each for each in now if each not in entries}, left
