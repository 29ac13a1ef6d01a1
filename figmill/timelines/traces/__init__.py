"""Recorded timelines: traces as profilers write them, and the events of a recorded pipeline.

What `readers` has is offered here too, for `from figmill.timelines import traces` has always meant that module. It is
imported at its first use: an import of another module of this folder does not load it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from figmill.timelines.traces.readers import MOST_SAMPLES, Trace, TraceError, read

    __all__ = ["MOST_SAMPLES", "Trace", "TraceError", "read"]

_OF_READERS = frozenset({"MOST_SAMPLES", "Trace", "TraceError", "read"})


def __getattr__(name: str) -> Any:
    if name not in _OF_READERS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.readers"), name)
