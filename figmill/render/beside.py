"""Links that let a script read the files beside it by their bare names, as if it ran in its own folder.

A script runs in a scratch folder, which gets a link to each file and folder beside the script. What the script writes
stays in the scratch folder: a new file replaces the link of the same name.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from figmill.host import files

MANY = 1000  # files beside a script; if there are more, only those that the script names are linked
NEVER = (".py", ".pyc")  # modules are imported from their own folder


@dataclass(frozen=True, slots=True)
class Beside:
    """Two folders: `scratch`, where a script runs, and `home`, where its file is."""

    scratch: str
    home: str

    def meant(self, path: str) -> str:
        """The path beside the script that this one stands for; the same path if it stands for none.

        A missing file counts as one beside the script, because an author may add it there.
        """
        full = os.path.abspath(path)
        if full == self.scratch:
            return self.home
        if not full.startswith(self.scratch + os.sep):
            return path
        rest = full[len(self.scratch) + 1 :]
        first = os.path.join(self.scratch, rest.partition(os.sep)[0])
        is_own = os.path.lexists(first) and not os.path.islink(first)
        return path if is_own or rest.startswith(".") else os.path.join(self.home, rest)

    def is_link(self, path: str) -> bool:
        """Whether a path is one of the links."""
        full = os.path.abspath(path)
        return os.path.dirname(full) == self.scratch and os.path.islink(full)


def link(script: Path, scratch: str) -> Beside:
    """Link the files beside a script into the folder that it runs in, if the system supports links."""
    try:
        with os.scandir(script.parent) as entries:
            names = [entry.name for entry in entries if not entry.name.startswith((".", "__"))]
        names = sorted(name for name in names if not name.endswith(NEVER))
        if len(names) > MANY:
            text = files.read(script, files.SOURCE).decode("utf-8", "replace")
            names = [name for name in names if name in text][:MANY]
        for name in names:
            os.symlink(script.parent / name, os.path.join(scratch, name))
    except (OSError, NotImplementedError, files.UnfitError):
        pass  # if the script needs such a file, it fails with its own message
    return Beside(scratch, str(script.parent))
