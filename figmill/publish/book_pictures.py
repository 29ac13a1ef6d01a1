"""The pictures of a book: a relative path in a drawing -> the bytes of a file that lies in the book.

A picture is looked for beside its drawing, then in the folders of sources. Every place that was looked at is noted: a
figure is made again when a file there changes, comes or goes. Reads nothing outside the book, whatever links say.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePosixPath

from figmill.host import files
from figmill.svg.pictures.raster import PictureError

MOST = 20_000_000  # bytes of one picture
PRIVATE = (".git", ".figmill")


class BookPictures:
    """Reads by `__call__`, as the normal form asks for it. seen: every path that was looked at, below the root."""

    def __init__(self, root: str, source: str, visuals: Sequence[str]) -> None:
        self._root = os.path.realpath(root)
        self._folders = tuple(dict.fromkeys((PurePosixPath(source).parent.as_posix(), *visuals)))
        self.seen: list[str] = []

    def __call__(self, path: str) -> bytes:
        """Raises PictureError."""
        for folder in self._folders:
            name = (PurePosixPath(folder) / path).as_posix()
            if PurePosixPath(name).parts[0] in PRIVATE:
                raise PictureError("lies where no picture of a book does")
            self.seen.append(name)
            place = os.path.join(self._root, name)
            if not os.path.realpath(place).startswith(os.path.join(self._root, "")):
                raise PictureError("is a link that leads out of the book")
            try:
                return files.read(place, MOST)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise PictureError(f"cannot be read: {error.strerror}") from None
        raise PictureError(f"is not there; it is looked for in {', '.join(self._folders)}")
