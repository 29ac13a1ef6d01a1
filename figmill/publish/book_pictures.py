"""The pictures of a book: a relative path in a drawing leads to the bytes of a file in the book.

Looks for a picture beside its drawing, then in the folders of sources. Records every path that it tries, so that a
change, a new file or a removal there makes the figure stale. Never reads outside the book, whatever links exist.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePosixPath

from figmill.host import files
from figmill.svg import PictureError

MOST = 20_000_000  # bytes per picture
PRIVATE = (".git", ".figmill")


class BookPictures:
    """A callable that reads pictures for the normal form. seen: every path tried, relative to the root."""

    def __init__(self, root: str, source: str, visuals: Sequence[str]) -> None:
        self._root = os.path.realpath(root)
        self._folders = tuple(dict.fromkeys((PurePosixPath(source).parent.as_posix(), *visuals)))
        self.seen: list[str] = []

    def __call__(self, path: str) -> bytes:
        """The bytes of a picture. Raises PictureError."""
        for folder in self._folders:
            name = (PurePosixPath(folder) / path).as_posix()
            if PurePosixPath(name).parts[0] in PRIVATE:
                raise PictureError(f"is in {' or '.join(PRIVATE)}, where pictures are not allowed")
            self.seen.append(name)
            place = os.path.join(self._root, name)
            try:
                if not files.real(place).startswith(os.path.join(self._root, "")):
                    raise PictureError("is a link that leads out of the book")
                return files.read(place, MOST)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise PictureError(f"cannot be read: {error.strerror}") from None
        raise PictureError(f"does not exist; figmill looks in {', '.join(self._folders)}")
