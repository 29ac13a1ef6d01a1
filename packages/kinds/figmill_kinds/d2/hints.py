"""Versions of a diagram that ask D2 for another layout engine, or another direction. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from figmill.kind import Hint

_ENGINE = re.compile(r"layout-engine\s*:")
_VARS = re.compile(r"(?m)^vars\b")
_DIRECTION = re.compile(r"(?m)^direction:[ \t]*(up|down|left|right)\b")
TURNED = {"down": "right", "up": "left", "right": "down", "left": "up"}


def hints(source: str) -> Iterator[Hint]:
    """The versions of a source, the smallest change first."""
    if not _ENGINE.search(source) and not _VARS.search(source):
        yield Hint("engine: elk", f"vars: {{\n  d2-config: {{\n    layout-engine: elk\n  }}\n}}\n{source}")
    stated = _DIRECTION.search(source)
    if stated is None:
        yield Hint("direction: right", f"direction: right\n{source}")
    else:
        turned = TURNED[stated[1]]
        text = f"{source[: stated.start(1)]}{turned}{source[stated.end(1) :]}"
        yield Hint(f"direction: {turned}", text)
