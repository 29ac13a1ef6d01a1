"""Links that let a script read the files beside it by their bare names, as if it ran in its own folder.

A script runs in a scratch folder, which gets a link to each file and folder beside the script. What the script writes
stays in the scratch folder: a new file replaces the link of the same name. On Windows, where only some users may make
links, copies and junctions stand in for them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from figmill.host import files
from figmill.late_dataclasses import dataclass

COPIED = 64 << 20  # bytes of copies for one script, where there are no links; the smallest files come first
MANY = 1000  # files beside a script; if there are more, only those that the script names are linked
NEVER = (".py", ".pyc")  # modules are imported from their own folder


@dataclass(frozen=True, slots=True)
class Beside:
    """Two folders: `scratch`, where a script runs, and `home`, where its file is.

    - stand_ins: names in `scratch` of what is not a link, but stands for the file or folder of that name in `home`.
    """

    scratch: str
    home: str
    stand_ins: frozenset[str] = frozenset()

    def meant(self, path: str) -> str:
        """The path beside the script that this one stands for; else the same path.

        A missing file counts as one beside the script, because an author may add it there.
        """
        full = os.path.abspath(path)
        if full == self.scratch:
            return self.home
        if not full.startswith(self.scratch + os.sep):
            return path
        name = full[len(self.scratch) + 1 :]
        first = os.path.join(self.scratch, name.partition(os.sep)[0])
        is_own = os.path.lexists(first) and not self.is_link(first)
        return path if is_own or name.startswith(".") else os.path.join(self.home, name)

    def is_link(self, path: str) -> bool:
        """Whether a path is one of the links."""
        full = os.path.abspath(path)
        folder, name = os.path.split(full)
        return folder == self.scratch and (name in self.stand_ins or os.path.islink(full))


def link(script: Path, scratch: str) -> Beside:
    """Link the files beside a script into the folder that it runs in."""
    home, stand_ins = str(script.parent), frozenset[str]()
    try:
        with os.scandir(home) as entries:
            names = [entry.name for entry in entries if not entry.name.startswith((".", "__"))]
        names = sorted(name for name in names if not name.endswith(NEVER))
        if len(names) > MANY:
            text = files.read(script, files.SOURCE).decode("utf-8", "replace")
            names = [name for name in names if name in text][:MANY]
        try:
            for name in names:
                os.symlink(os.path.join(home, name), os.path.join(scratch, name))
        except OSError:
            if sys.platform == "win32":
                stand_ins = _without_links(home, scratch, names)
    except (OSError, NotImplementedError, files.UnfitError):
        pass  # if the script needs such a file, it fails with its own message
    return Beside(scratch, home, stand_ins)


def _without_links(home: str, scratch: str, names: list[str]) -> frozenset[str]:
    """Copy files, and make junctions to folders, which every user of Windows may. Returns the names."""
    copied, room = set[str](), COPIED
    sizes = {name: os.stat(os.path.join(home, name)).st_size for name in names}
    for name in sorted(names, key=lambda name: (sizes[name], name)):
        source, target = os.path.join(home, name), os.path.join(scratch, name)
        try:
            if os.path.isdir(source):
                files.junction(source, target)
            elif sizes[name] <= room:
                files.copy(source, target)
                room -= sizes[name]
            else:
                continue
        except OSError:
            continue
        copied.add(name)
    return frozenset(copied)
