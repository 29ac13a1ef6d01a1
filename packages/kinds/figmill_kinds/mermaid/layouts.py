"""The layouts of Mermaid, and whether a source states its own. Pure."""

from __future__ import annotations

import re

NAMES = ("elk", "dagre", "cose-bilkent", "swimlane")
ELK = tuple(f"elk.{name}" for name in ("stress", "force", "mrtree", "sporeOverlap", "box", "rectpacking"))
ALL = (*NAMES, *ELK)
_STATED = re.compile(
    rb"^[ \t]*layout[ \t]*:|^[ \t]*flowchart-elk\b|[{,]\s*['\"]?layout['\"]?[ \t]*:", re.MULTILINE
)


def states_own(source: bytes) -> bool:
    """Whether a source chooses its layout itself."""
    return _STATED.search(source) is not None
