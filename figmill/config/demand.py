"""The caller's demands on the sandbox, which no settings can lower. Standard library only.

The settings belong to the author of a book, and a pull request may change them. The person who runs figmill sets the
least protection through the environment: such as in CI, for the books of strangers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePosixPath

from figmill.errors import ToolError, did_you_mean
from figmill.late_dataclasses import dataclass

SANDBOX, READABLE = "FIGMILL_SANDBOX", "FIGMILL_SANDBOX_READ"
MODES = ("auto", "require", "off")


@dataclass(frozen=True, slots=True)
class Demand:
    """The least protection that the caller demands.

    - sandbox: overrides the setting; None: the setting counts.
    - readable: the most that scripts may read.
    """

    sandbox: str | None = None
    readable: tuple[str, ...] = ()

    def forbids(self, path: str) -> bool:
        """Whether settings may not let scripts read a path outside the book."""
        place = PurePosixPath(path)
        return self.sandbox == "require" and not any(place.is_relative_to(whole) for whole in self.readable)


def demand_of(environ: Mapping[str, str]) -> Demand:
    """The demand in an environment. Raises ToolError for an unknown mode."""
    mode = environ.get(SANDBOX, "")
    if mode and mode not in MODES:
        near = did_you_mean(mode, MODES) or f"; choose one of {', '.join(MODES)}"
        raise ToolError(f"{SANDBOX} has no mode '{mode}'{near}")
    paths = environ.get(READABLE, "").split(os.pathsep)
    return Demand(mode or None, tuple(path for path in paths if os.path.isabs(path)))
