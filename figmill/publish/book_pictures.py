"""The pictures of a book: a relative path in a drawing leads to the bytes of a file in the book.

Looks for a picture beside its drawing, then in the folders of sources. Records every path that it tries, so that a
change, a new file or a removal there makes the figure stale.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from figmill.host import inside
from figmill.svg import PictureError

MOST = 20_000_000  # bytes per picture


class BookPictures:
    """A callable that reads pictures for the normal form.

    - seen: every path tried, relative to the root.
    """

    def __init__(self, root: str, source: str, visuals: Sequence[str], inputs: Sequence[str] = ()) -> None:
        self._root = root
        self._folders = tuple(dict.fromkeys((PurePosixPath(source).parent.as_posix(), *visuals)))
        self._allowed = (*self._folders, *inputs)
        self.seen: list[str] = []

    def __call__(self, path: str) -> bytes:
        """The bytes of a picture. Raises PictureError."""
        for folder in self._folders:
            name = (PurePosixPath(folder) / path).as_posix()
            self.seen.append(name)
            try:
                return inside.read(self._root, name, MOST, self._allowed)
            except FileNotFoundError:
                continue
            except inside.RefusedError as error:
                raise PictureError(error.phrase) from None
            except OSError as error:
                raise PictureError(f"cannot be read: {error.strerror}") from None
        raise PictureError(f"does not exist; figmill looks in {', '.join(self._folders)}")
