"""The private folder of a book: data between builds, which nobody should commit."""

from __future__ import annotations

import os
from pathlib import Path

from figmill.host import files
from figmill.store.links import PRIVATE

IGNORED = b"# Made by figmill for this machine; all of this folder may be deleted.\n*\n"


def make(root: Path) -> str:
    """The path of the folder, created if missing and ignored by git. Raises OSError."""
    folder = files.own_folder(root, PRIVATE)
    path = os.path.join(folder, ".gitignore")
    if not os.path.lexists(path):  # an author's own file stays
        files.replace_whole(
            path, IGNORED, lasting=False
        )  # never torn, so that nobody takes it for an author's
    return folder
