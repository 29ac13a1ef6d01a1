"""One warning that lists everything left out or rewritten to make a still picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from figmill.svg.document import Draft, Element

MOST_KINDS = 8  # named in the warning


def report_dropped(draft: Draft) -> None:
    """Warn at the first place: list each kind of content that was left out or rewritten, with its count."""
    notes = {"left out": draft.dropped, "rewritten": draft.resolved}
    parts = [f"{did}: {_listed(kinds)}" for did, kinds in notes.items() if kinds]
    if not parts:
        return
    nodes = [node for kinds in notes.values() for at in kinds.values() for node in at if node is not None]
    first = min(nodes, key=lambda node: node.number or 0, default=None)
    draft.warn("dropped", first, f"made a still picture of this drawing; {'; '.join(parts)}")


def _listed(kinds: Mapping[str, Sequence[Element | None]]) -> str:
    named = [
        what if len(nodes) == 1 else f"{what} ({len(nodes)} times)"
        for what, nodes in list(kinds.items())[:MOST_KINDS]
    ]
    more = len(kinds) - len(named)
    return ", ".join(named) + (f", and {more} more kinds" if more else "")
