"""One warning for everything that was left out or rewritten to make a still picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from figmill.svg.document import Draft, Node

MOST_KINDS = 8  # named in the warning


def tell_dropped(draft: Draft) -> None:
    """Warn of what was left out and rewritten: each kind with its count, at the first place."""
    found = {"left out": draft.dropped, "rewritten": draft.resolved}
    told = [f"{did}: {_listed(kinds)}" for did, kinds in found.items() if kinds]
    if not told:
        return
    nodes = [node for kinds in found.values() for at in kinds.values() for node in at if node is not None]
    first = min(nodes, key=lambda node: node.number or 0, default=None)
    draft.warn("dropped", first, f"made a still picture of this drawing; {'; '.join(told)}")


def _listed(kinds: Mapping[str, Sequence[Node | None]]) -> str:
    named = [
        what if len(nodes) == 1 else f"{what} ({len(nodes)} times)"
        for what, nodes in list(kinds.items())[:MOST_KINDS]
    ]
    more = len(kinds) - len(named)
    return ", ".join(named) + (f", and {more} more kinds" if more else "")
