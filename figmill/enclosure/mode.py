"""The four modes in which a script runs: they decide what the kernel refuses it. Unaware of how a mode is set up."""

from __future__ import annotations

from enum import StrEnum


class Mode(StrEnum):
    EACH = "each"  # bubblewrap, and in it a view of its own for each script
    ALL = "all"  # bubblewrap, and all scripts share one view
    BARE = "bare"  # no bubblewrap: only what the kernel lets a process do to itself
    OFF = "off"  # the settings turn the sandbox off

    @property
    def is_sandboxed(self) -> bool:
        return self in (Mode.EACH, Mode.ALL)
