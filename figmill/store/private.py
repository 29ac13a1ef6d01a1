"""The private folder of a book: data between builds. Nobody should commit it, and no build trusts a committed one.

What binds it to the checkout is in host/bound.py.
"""

from __future__ import annotations

import hmac
import os
import threading
from pathlib import Path

from figmill.host import bound, files
from figmill.host.bound import PRIVATE
from figmill.store.seal import Seal
from figmill.streams import complain

IGNORED = b"# Made by figmill for this machine; all of this folder may be deleted.\n*\n"
BELIEVED = ("journal", "snapshot", "cache", "commits", bound.KEY)
NOTICE = (
    f"{PRIVATE}/ was not made in this folder by this figmill, or was copied or restored: figmill ignores it, "
    "and draws all figures again; to keep drawings from one machine to the next, share a cache"
)


def make(root: Path) -> str:
    """The path of the folder, created if missing, ignored by git and bound to this checkout. Raises OSError."""
    folder = files.own_folder(root, PRIVATE)
    path = os.path.join(folder, ".gitignore")
    if not os.path.lexists(path):  # an author's own file stays
        # Never torn, so that nobody takes it for an author's.
        files.replace_whole(path, IGNORED, lasting=False)
    if bound.key_of(root) is None:
        is_foreign = any(os.path.lexists(os.path.join(folder, name)) for name in BELIEVED)
        bound.bind(root)
        if is_foreign:
            complain(f"figmill: {NOTICE}")
    return folder


def is_below(name: str) -> bool:
    """Whether a name below the root is that of a file in the private folder."""
    return name.startswith(f"{PRIVATE}/")


def seal_of(folder: Path) -> Seal | None:
    """The seal of a cache that lies in the private folder of a book; None for a cache anywhere else."""
    parts = folder.parts
    if PRIVATE not in parts:
        return None
    root = Path(*parts[: parts.index(PRIVATE)])
    secret = bound.key_of(root)
    lock = threading.Lock()  # entries are written by several threads

    def key() -> bytes:
        nonlocal secret
        with lock:
            if secret is None:
                make(root)
                secret = bound.bind(root)
            return secret

    def is_signed(message: bytes, signature: str) -> bool:
        return secret is not None and hmac.compare_digest(
            bound.code(secret, "cache", message), signature.encode("ascii", "replace")
        )

    return Seal(is_signed, lambda message: bound.code(key(), "cache", message).decode())
