"""Pipeline schedules: each device's order, when it runs, the memory it takes, and work for its bubbles.

Of these modules `panels` alone knows figures. Its functions are offered here too, since books write `from
figmill.timelines import pipeline` and mean them. `panels` is imported at its first use, so that a simulation does not
load matplotlib.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from figmill.timelines.pipeline.panels import axis, bubble, check, hollow, panel, same_work, scale, share

    __all__ = ["axis", "bubble", "check", "hollow", "panel", "same_work", "scale", "share"]

_OF_PANELS = frozenset({"axis", "bubble", "check", "hollow", "panel", "same_work", "scale", "share"})


def __getattr__(name: str) -> Any:
    if name not in _OF_PANELS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.panels"), name)
