"""What a test needs of the machine that a container may not have."""

from __future__ import annotations

import multiprocessing

import pytest

from figmill.enclosure import sandbox


def sandboxed() -> None:
    """Skip, and say why, where bubblewrap cannot work: a container may forbid it. Elsewhere its promises are held."""
    if why := sandbox._why_not():
        pytest.skip(why)


def locked() -> None:
    """Skip, and say why, where Python has no locks between processes."""
    try:
        multiprocessing.Lock()
    except OSError:
        pytest.skip("Python has no locks between processes here: there is no /dev/shm")
