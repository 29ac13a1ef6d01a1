"""What lies beside a script can be read under the name that it has there, as when one runs the script in its folder.

The folder that a script runs in is its own, and gets a link to each file and folder beside the script. What is written
stays in the folder: a file that is written anew takes the place of its link.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from figmill.host import files

MANY = 1000  # files beside a script; of more, those are linked whose names are in the script
NEVER = (".py", ".pyc")  # modules are found by import


@dataclass(frozen=True, slots=True)
class Beside:
    """Two folders: where a script runs, and where it lies."""

    scratch: str
    home: str

    def meant(self, path: str) -> str:
        """The path beside the script that this one stands for; the same path if it stands for none.

        A file that is nowhere might come to lie beside the script.
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
        """Whether it is one of the links themselves."""
        full = os.path.abspath(path)
        return os.path.dirname(full) == self.scratch and os.path.islink(full)


def link(script: Path, scratch: str) -> Beside:
    """Link what lies beside a script into the folder that it runs in, as far as the system has links."""
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
        pass  # the script is told of what it does not find
    return Beside(scratch, str(script.parent))
