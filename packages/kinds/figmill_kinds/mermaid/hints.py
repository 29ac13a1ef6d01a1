"""Versions of a diagram that ask Mermaid for another layout, or another direction. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from figmill.kind import Hint
from figmill_kinds.mermaid.layouts import states_own

TURNED = {"TD": "LR", "TB": "LR", "LR": "TB", "BT": "RL", "RL": "BT"}
_HEAD = re.compile(r"(?m)^([ \t]*(?:flowchart|graph)[ \t]+)(TD|TB|LR|BT|RL)\b")
# The diagrams that a layout of Mermaid places.
_PLACED = re.compile(
    r"(?m)^[ \t]*(?:flowchart|graph|stateDiagram|classDiagram|erDiagram|requirementDiagram)\b"
)
_FRONT = re.compile(r"\A\s*---[ \t]*\n(.*?)^[ \t]*---[ \t]*$", re.DOTALL | re.MULTILINE)
_CONFIG = re.compile(r"(?m)^config:[ \t]*\n")


def hints(source: str) -> Iterator[Hint]:
    """The versions of a source, the smallest change first."""
    if not _PLACED.search(source):
        return
    if not states_own(source.encode("utf-8", "surrogateescape")):
        yield Hint("layout: elk", _with_layout(source))
    head = _HEAD.search(source)
    if head is not None:
        turned = TURNED[head[2]]
        yield Hint(f"direction {turned}", f"{source[: head.start(2)]}{turned}{source[head.end(2) :]}")


def _with_layout(source: str) -> str:
    """The source with the layout in its front matter."""
    front = _FRONT.match(source)
    if front is None:
        return f"---\nconfig:\n  layout: elk\n---\n{source}"
    config = _CONFIG.search(source, front.start(1), front.end(1))
    if config is not None:
        return f"{source[: config.end()]}  layout: elk\n{source[config.end() :]}"
    return f"{source[: front.start(1)]}config:\n  layout: elk\n{source[front.start(1) :]}"
