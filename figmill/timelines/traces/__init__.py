"""Recorded timelines: traces as profilers write them, and the events of a recorded pipeline.

The names of `readers` are offered here too, since books write `from figmill.timelines import traces` and mean them.
`readers` is imported at its first use; an import of another module in this folder does not load it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from figmill.timelines.traces.readers import MOST_SAMPLES, Part, Trace, TraceError, read

    __all__ = ["MOST_SAMPLES", "Part", "Trace", "TraceError", "read"]

_OF_READERS = frozenset({"MOST_SAMPLES", "Part", "Trace", "TraceError", "read"})


def __getattr__(name: str) -> Any:
    if name not in _OF_READERS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.readers"), name)
