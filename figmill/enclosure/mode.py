"""The four modes in which a script runs; what is refused it depends on them. Unaware of how they are brought about."""

from __future__ import annotations

from enum import StrEnum


class Mode(StrEnum):
    EACH = "each"  # bubblewrap, and in it a view of its own for each script
    ALL = "all"  # bubblewrap, and all scripts share one view
    BARE = "bare"  # no bubblewrap: only what the kernel lets a process do to itself
    OFF = "off"  # the settings leave out the sandbox

    @property
    def is_sandboxed(self) -> bool:
        return self in (Mode.EACH, Mode.ALL)
