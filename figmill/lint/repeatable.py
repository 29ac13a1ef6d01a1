"""How a figure differs if it is drawn a second time. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from figmill.publish.finalise import Settled

ROOM = 60  # characters shown of a line


def difference(first: Settled, second: Settled) -> str | None:
    """The first difference, in a line of the SVG or else in a fact; None if both are equal."""
    for page, again in zip(first.pages, second.pages, strict=True):
        lines = zip_longest(page.svg.decode().splitlines(), again.svg.decode().splitlines(), fillvalue="")
        for number, (mine, yours) in enumerate(lines, 1):
            if mine != yours:
                place = f"first in line {number} of its SVG"
                return (
                    f"drawn a second time, it differs, {place}: {' and then '.join(_excerpts(mine, yours))}"
                )
    for name in sorted(first.facts.keys() | second.facts.keys()):
        now, then = first.facts.get(name), second.facts.get(name)
        if now != then:
            return f"drawn a second time, it states {name}: {then!r}, not {now!r}"
    return None


def _excerpts(mine: str, yours: str) -> Iterator[str]:
    """A part of each line, from shortly before the first difference."""
    pairs = enumerate(zip(mine, yours, strict=False))
    same = next((number for number, (a, b) in pairs if a != b), min(len(mine), len(yours)))
    start = max(0, same - ROOM // 3)
    return (f"`{line[start : start + ROOM].strip()}`" for line in (mine, yours))
