"""Refuse links at places where figmill would write: a link may lead anywhere."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from figmill.errors import ToolError
from figmill.host import files
from figmill.host.bound import PRIVATE as PRIVATE


def refuse_link(root: Path, folder: str) -> None:
    """Raise ToolError if a folder to write to is a link."""
    path = root / folder
    if path.is_symlink():
        try:
            leads = files.real(path)
        except OSError:
            leads = "many others"
        inside = leads.startswith(os.path.join(os.path.realpath(root), ""))
        elsewhere = "name that folder in the settings" if inside else "put a folder of the book there"
        advice = "remove the link" if folder.startswith(PRIVATE) else elsewhere
        raise ToolError(f"{folder} is a link to {leads}, and nothing is written through links; {advice}")


def refuse_links(root: Path, folder: str, depth: int = 3) -> None:
    """Raise ToolError if the folder, or a folder in it, is a link; `depth` levels deep, as figmill's own folders are.

    At the top of .figmill it also refuses pipes and devices, since opening one could hang the build.
    """
    refuse_link(root, folder)
    # A missing folder is fine; any other error will appear on writing.
    with suppress(OSError), os.scandir(root / folder) as entries:
        for entry in entries:
            if entry.is_symlink() or (depth and entry.is_dir()):
                refuse_links(root, f"{folder}/{entry.name}", depth - 1)
            elif folder == PRIVATE and not (entry.is_file() or entry.is_dir()):
                sort = files.sort_of(entry.stat(follow_symlinks=False).st_mode)
                raise ToolError(f"{folder}/{entry.name} is {sort}, not a regular file; remove it")


class OwnFolders:
    """The folders of one book that may be written to. Each is checked once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._known: set[str] = set()

    def check(self, folder: str) -> None:
        """Raise ToolError if a folder is not below the root, or if it or one of its parents is a link."""
        if folder in self._known:
            return
        parts = folder.split("/") if folder else []
        if os.path.isabs(folder) or ".." in parts:  # possible in a damaged ledger
            raise ToolError(f"{folder} is not a folder of the book; nothing is written there", code=1)
        for count in range(1, len(parts) + 1):
            refuse_link(self.root, "/".join(parts[:count]))
        self._known.add(folder)
