"""The secrets of a server, kept between two runs: its old tabs keep working when it starts again at the same port.

They lie in the private folder of the book, for nobody but their owner to read, and are sealed with the folder's own
secret: what a commit or an archive brings along is not believed.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from dataclasses import astuple
from pathlib import Path

from figmill.host import bound, files
from figmill.serve.guard import SECRET, Keys
from figmill.store import private

NAME = "serve"
LONGEST = 2000  # bytes
OWNER_ONLY = 0o600


def kept(root: Path) -> Keys | None:
    """The keys of the last server of this book; None if there are none that count."""
    path = root / bound.PRIVATE / NAME
    try:
        if not _is_private(os.lstat(path)):
            return None
        data = bound.opened(bound.key_of(root), NAME, files.read(path, LONGEST, follow=False))
        port, *secrets = json.loads(data or b"")
    except (OSError, ValueError, TypeError):
        return None
    if type(port) is not int or not 0 < port < 65536 or len(secrets) != 3:
        return None
    return Keys(port, *secrets) if all(map(_is_secret, secrets)) else None


def keep(root: Path, keys: Keys) -> None:
    """Keep the keys for the next server of this book. Raises OSError."""
    folder = private.make(root)
    data = bound.sealed(bound.bind(root), NAME, json.dumps(astuple(keys)).encode())
    files.replace_whole(os.path.join(folder, NAME), data, lasting=False, mode=OWNER_ONLY)


def _is_secret(value: object) -> bool:
    return isinstance(value, str) and SECRET.fullmatch(value) is not None


def _is_private(status: os.stat_result) -> bool:
    """Whether nobody else can read a file, or has written it."""
    if not stat.S_ISREG(status.st_mode):
        return False
    if sys.platform == "win32":  # there, the folder's access list says who reads it
        return True
    return status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == OWNER_ONLY
