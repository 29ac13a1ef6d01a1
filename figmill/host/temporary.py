"""A new folder for temporary files. Unaware of what is put there."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from figmill.host import trees

CLEARING = 1.0  # seconds; what takes longer is left to the removal of the folder around it


@contextmanager
def temporary_folder() -> Iterator[str]:
    """A folder that is removed afterwards, whatever was made in it."""
    folder = tempfile.mkdtemp()
    try:
        yield folder
    finally:
        trees.remove(folder, seconds=CLEARING)
