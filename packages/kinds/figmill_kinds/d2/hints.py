"""Versions of a diagram that ask D2 for another layout engine, another direction, or another place of a name. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from figmill.kind import Hint

_ENGINE = re.compile(r"layout-engine\s*:")
_VARS = re.compile(r"(?m)^vars\b")
_DIRECTION = re.compile(r"(?m)^direction:[ \t]*(up|down|left|right)\b")
_BLOCK = re.compile(r"(?m)^([ \t]*)([^#\n{}|]*?)[ \t]*\{[ \t]*$")
_NO_SHAPE = re.compile(
    r"->|<-|--|[*&]|(?i:^(?:vars|classes|layers|scenarios|steps|style|d2-config)\b|\.style\b)"
)
_PLACED = re.compile(r"\s*label\.near\b")
NEAR = "label.near: bottom-center"  # where no connection comes from above
MOST = 6  # containers whose name is moved, each in a version
TURNED = {"down": "right", "up": "left", "right": "down", "left": "up"}


def hints(source: str) -> Iterator[Hint]:
    """The versions of a source, the smallest change first."""
    yield from islice(_named_below(source), MOST)
    if not _ENGINE.search(source) and not _VARS.search(source):
        yield Hint("engine: elk", f"vars: {{\n  d2-config: {{\n    layout-engine: elk\n  }}\n}}\n{source}")
    stated = _DIRECTION.search(source)
    if stated is None:
        yield Hint("direction: right", f"direction: right\n{source}")
    else:
        turned = TURNED[stated[1]]
        text = f"{source[: stated.start(1)]}{turned}{source[stated.end(1) :]}"
        yield Hint(f"direction: {turned}", text)


def _named_below(source: str) -> Iterator[Hint]:
    """The versions with the name of one container at its lower edge, out of the way of connections from above."""
    for block in _BLOCK.finditer(source):
        name = block[2].partition(":")[0].strip()
        is_text = source.count("|", 0, block.start()) % 2 == 1
        if not name or is_text or _NO_SHAPE.search(block[2].strip()) or _PLACED.match(source, block.end()):
            continue
        line = f"\n{block[1]}  {NEAR}"
        yield Hint(f"{NEAR} in {name}", source[: block.end()] + line + source[block.end() :])
