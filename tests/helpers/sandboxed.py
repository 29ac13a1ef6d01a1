"""What a test needs that asks for the sandbox, and a machine may not have."""

from __future__ import annotations

import pytest

from figmill.enclosure import sandbox


def sandboxed() -> None:
    """Skip, and say why, where bubblewrap cannot work: a container may forbid it. Elsewhere its promises are held."""
    if why := sandbox._why_not():
        pytest.skip(why)
