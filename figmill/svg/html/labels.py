"""The entry point for HTML labels. The code that lays them out is loaded only for a drawing that has some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from figmill.svg.document import Draft
from figmill.svg.html.elements import FOREIGN
from figmill.svg.html.switches import settle_switches

if TYPE_CHECKING:
    from figmill.svg.html.lift import HtmlLabels


def lift(draft: Draft) -> HtmlLabels | None:
    """Take every <foreignObject> out of the parsed tree; None if there is none. Breaches are noted in the draft."""
    if all(node.tag != FOREIGN for node in draft.root.walk()):
        return None
    from figmill.svg.html import lift

    return lift.lift(draft)


def settle(draft: Draft, labels: HtmlLabels | None) -> None:
    """Put the labels in their places once CSS has become attributes. Decide each <switch> in every drawing."""
    if labels is not None:
        labels.put_back(draft)
    settle_switches(draft)
