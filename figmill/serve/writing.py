"""Write changed parameters to the question file, or to a new one: the only files of a book that a page can change.

First decide: an `Edit` is the file before and after. `write` then writes it if the file is still as it was before;
`undo` restores it if the file is still as it was after.
"""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from figmill.book import question
from figmill.book.editing.params import copied, with_params
from figmill.book.editing.values import Value
from figmill.book.names import new_id_problem
from figmill.book.sources import folded
from figmill.engine.resident.views import FigureView
from figmill.errors import AuthorError
from figmill.host import files, inside
from figmill.late_dataclasses import dataclass
from figmill.model import Json, Origin


@dataclass(frozen=True, slots=True)
class Edit:
    """One file before and after."""

    path: str
    before: bytes | None  # None where it is new
    after: bytes

    @property
    def sha256(self) -> str:
        """The digest of the file when this was decided."""
        return hashlib.sha256(self.before or b"").hexdigest()

    @property
    def mark(self) -> str:
        """The digest of the file once this is written: a page sends it to undo this."""
        return hashlib.sha256(self.after).hexdigest()

    @property
    def diff(self) -> tuple[str, ...]:
        """The unified diff, without line ends."""
        old, new = (_lines(data) for data in (self.before or b"", self.after))
        name = self.path
        return tuple(difflib.unified_diff(old, new, name, name, lineterm=""))


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines()


def changed(root: Path, view: FigureView, params: Mapping[str, Json]) -> Edit:
    """The question file with these parameters. Raises AuthorError if its text cannot be cut or read back."""
    before = _read(root, view.at.path)
    after = with_params(view.at.path, before, view.name, _scalars(view, params))
    _require_readable(view.at.path, before, after)
    return Edit(view.at.path, before, after)


def begun(root: Path, view: FigureView, params: Mapping[str, Json], id_: str, ids: Iterable[str]) -> Edit:
    """A new question like this one, with these parameters. ids: those in use. Raises AuthorError."""
    at = Origin(view.at.path)
    if problem := new_id_problem(id_):
        raise AuthorError(at, f"the new id {problem}")
    if folded(id_) in map(folded, ids):
        raise AuthorError(at, f"there is already a question '{id_}'; choose another id")
    path = str(PurePosixPath(view.at.path).with_name(f"{id_}.yaml"))
    if os.path.lexists(root / path):
        raise AuthorError(Origin(path), "already exists; choose another id")
    first = _read(root, view.at.path)
    after = with_params(view.at.path, copied(view.at.path, first, id_), view.name, _scalars(view, params))
    _require_readable(view.at.path, first, after)
    return Edit(path, None, after)


def write(root: Path, edit: Edit, expected: str) -> None:
    """Write the file. expected: the digest that its author has seen. Raises AuthorError if it has changed since."""
    gone = f"{edit.path} has changed on the disk meanwhile; look at the difference again"
    if edit.before == edit.after:
        raise AuthorError(Origin(edit.path), "already says so; there is nothing to write")
    if edit.before is None:
        try:
            files.create(os.fspath(root / edit.path), edit.after)
        except FileExistsError:
            raise AuthorError(Origin(edit.path), "already exists; choose another id") from None
        return
    if edit.sha256 != expected or not files.rewrite(os.fspath(root / edit.path), edit.before, edit.after):
        raise AuthorError(Origin(edit.path), gone)


def undo(root: Path, edit: Edit) -> None:
    """Undo what was written. Raises AuthorError if the file has changed since."""
    gone = AuthorError(Origin(edit.path), "has changed on the disk since; undo it by hand")
    path = root / edit.path
    try:
        if edit.before is not None:
            if not files.rewrite(os.fspath(path), edit.after, edit.before):
                raise gone
        elif files.read(path, files.SETTINGS, follow=False) != edit.after:
            raise gone
        else:
            files.discard(path)
    except FileNotFoundError:
        raise gone from None


def _require_readable(path: str, before: bytes, after: bytes) -> None:
    """Raise AuthorError for an error in the parameters, such as a value that `explore` does not list."""
    messages = {problem.error.message for problem in question.read(path, before)[1]}
    for problem in question.read(path, after)[1]:
        if problem.error.message not in messages:
            raise problem.error


def _read(root: Path, path: str) -> bytes:
    """A question file. A link that leads out of the book must not be changed from here."""
    try:
        return inside.read(root, path, files.SETTINGS, (os.path.dirname(path),))
    except inside.RefusedError as error:
        raise AuthorError(Origin(path), f"{error.phrase}; edit it by hand") from None
    except OSError as error:
        raise AuthorError(Origin(path), f"cannot be read: {error.strerror}") from None


def _scalars(view: FigureView, params: Mapping[str, Json]) -> dict[str, Value]:
    """The parameters that a control can change. Raises AuthorError for any other."""
    scalars: dict[str, Value] = {}
    for name, value in params.items():
        if isinstance(value, list | dict):
            raise AuthorError(view.at, f"parameter '{name}' is a list; edit it by hand")
        scalars[name] = value
    return scalars
