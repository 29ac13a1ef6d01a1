"""The schema of an answer: the valid results of a drawing job, whoever sends them. Pure.

A drawing process runs an author's code, so it can send anything. So can a cluster's worker and the writer of a shared
cache. None of them is trusted: this module checks types, lengths and numbers. A wrong answer raises only
WrongAnswerError.
"""

from __future__ import annotations

import json
import math
import os
import re
import signal
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from figmill import wording
from figmill.errors import AuthorError
from figmill.kind import stated
from figmill.kind.job import Raw, Remark
from figmill.kind.tables import WrongTableError, unpacked
from figmill.late_dataclasses import dataclass
from figmill.model import Fact, FigureTable, Origin

FACTS = 1_000  # the most facts of a figure
ITEMS = 256  # the most items of a list-valued fact
NAME, TEXT = 100, 1_000  # characters of a fact's name, and of a text-valued fact
DIGITS = 100  # the most digits of an integer fact: Python can print these, and compare them with floats
SIGNIFICANT = 12  # digits of a float fact: more depend on Python's version and the order of sums
_LARGE = 10**DIGITS
WHOLE = 1_000_000  # characters of all facts as JSON
TRACED, PATH = 100_000, 4_096  # files read by a figure, and characters of a path
PRINTED, MESSAGE, DETAIL = (
    64 << 10,
    2_000,
    16_000,
)  # characters kept of prints, of a message, and of its detail
REMARKS, CHECK = 256, 40  # remarks per figure, and characters of a check's name
SVG = 64 << 20  # bytes; the limit for published SVG is lower and has a better message

# Characters that break a line, control a terminal, or cannot be published. Compiled on first use, because this takes
# long.
UNFIT = "[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
_LONE = "[\ud800-\udfff]"  # lone surrogates, which JSON can hold and UTF-8 cannot
# The form of nearly all paths.
_PLAIN = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9._-]*/)*[A-Za-z0-9_-][A-Za-z0-9._-]*")
_FOREIGN = re.compile(r"[\\:]" if os.name == "nt" else "(?!)")  # on Windows these lead out of a folder


class WrongAnswerError(Exception):
    """The answer does not fit the schema; the text says what is wrong and what would be right."""


def name_of(status: int) -> str:
    """The signal or the exit code of a status, as from `os.waitstatus_to_exitcode`."""
    if status >= 0:
        return f"exit code {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:  # real-time signals, which a script may send to itself, have no name
        return f"signal {-status}"


@dataclass(frozen=True, slots=True)
class Ended:
    """The process ended before it answered.

    - status: as from `os.waitstatus_to_exitcode`.
    - why: the reason, if it is known.
    - printed: its last output.
    - peak: its peak memory in bytes; None if unknown.
    """

    status: int
    why: str
    printed: str
    peak: int | None = None

    @property
    def how(self) -> str:
        """The signal that ended it, or its exit code."""
        return name_of(self.status)

    def had_room(self, memory: int) -> bool | None:
        """Whether it was far from a limit in bytes; None if unknown."""
        return None if self.peak is None else self.peak < memory // 4


@dataclass(frozen=True, slots=True)
class Broken:
    """figmill's own code failed in the process."""

    traceback: str


Read: TypeAlias = "Raw | AuthorError | Ended | Broken"


def answer_of(header: object, payload: bytes) -> Read:
    """The result in a process's answer. Raises WrongAnswerError."""
    fields = _mapping(header, "the answer")
    return next((read(fields) for key, read in _OTHERS.items() if key in fields), None) or raw_of(
        fields, payload
    )


def raw_of(header: object, svg: object) -> Raw:
    """The drawing from a header, as made by `Raw.header`, and its SVG. Raises WrongAnswerError."""
    fields = _mapping(header, "the answer")
    if not isinstance(svg, bytes):
        raise WrongAnswerError(f"the SVG is {_sort(svg)} and must be bytes")
    if len(svg) > SVG:
        raise WrongAnswerError(f"the SVG has {len(svg):,} bytes; a drawing has at most {SVG:,}")
    return Raw(
        svg,
        facts_of(_required(fields, "facts")),
        _words(fields, "printed", PRINTED),
        traced_of(_required(fields, "traced")),
        _words(fields, "unseen", NAME) if "unseen" in fields else "",
        remarks_of(fields.get("remarks", [])),
        tables_of(fields.get("tables", [])),
        asked_of(fields.get("asked", [])),
        stated_of(fields["stated"]) if "stated" in fields else stated.Stated(),
    )


def facts_of(value: object) -> dict[str, Fact]:
    """The facts of a figure as JSON values, floats rounded. Raises WrongAnswerError."""
    fields = _mapping(value, "facts")
    if len(fields) > FACTS:
        raise WrongAnswerError(f"there are {len(fields):,} facts; a figure states at most {FACTS:,}")
    facts = {_name(name): fact_of(name, stated) for name, stated in fields.items()}
    values = sum([len(stated) if isinstance(stated, list) else 1 for stated in facts.values()])
    if values > WHOLE // TEXT // 2 and (size := len(json.dumps(facts, ensure_ascii=False))) > WHOLE:
        raise WrongAnswerError(f"the facts take {size:,} characters; a figure states at most {WHOLE:,}")
    return facts


def _name(name: object) -> str:
    if not isinstance(name, str) or not name.isidentifier() or len(name) > NAME:
        shown = _short(repr(name))
        raise WrongAnswerError(f"fact {shown}: a name is letters, digits and underscores, at most {NAME}")
    return name


def fact_of(name: str, value: object) -> Fact:
    """One fact: a scalar, or a list of scalars. Raises WrongAnswerError."""
    if not isinstance(value, list):
        return _scalar(name, value)
    if len(value) > ITEMS:
        raise WrongAnswerError(f"fact '{name}' has {len(value):,} values; at most {ITEMS} can be stated")
    return [_scalar(name, item) for item in value]


def _scalar(name: str, value: object) -> None | bool | int | float | str:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if not -_LARGE < value < _LARGE:
            raise WrongAnswerError(
                f"fact '{name}' is a number of more than {DIGITS} digits; state it shorter"
            )
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise WrongAnswerError(f"fact '{name}' is {value}; a stated number must be finite")
        return rounded(value)
    if isinstance(value, str):
        return _text(name, value)
    raise WrongAnswerError(
        f"fact '{name}' is {_sort(value)}; use a number, text, true, false or null, or a list of these"
    )


def rounded(value: float) -> float:
    """A finite number to 12 significant digits; a whole number unchanged."""
    return value if value.is_integer() else float(f"{value:.{SIGNIFICANT}g}")


def _text(name: str, value: str) -> str:
    if len(value) > TEXT:
        raise WrongAnswerError(f"fact '{name}' has {len(value):,} characters; at most {TEXT:,} can be stated")
    if unfit := unfit_in(value):
        raise WrongAnswerError(
            f"fact '{name}' holds the character {unfit}; a stated text is one line of Unicode"
        )
    return value


def unfit_in(text: str) -> str | None:
    """The first character that would break a line, control a terminal, or cannot be published, as U+001B; else None."""
    match = re.search(UNFIT, text)
    return f"U+{ord(match[0]):04X}" if match else None


def traced_of(value: object) -> tuple[str, ...]:
    """The files read inside the book: paths below its root. Raises WrongAnswerError."""
    if not isinstance(value, list | tuple):
        raise WrongAnswerError(f"traced is {_sort(value)} and must be a list of paths")
    if len(value) > TRACED:
        raise WrongAnswerError(f"it reads {len(value):,} files of the book; a figure may read {TRACED:,}")
    return tuple(path_of(name) for name in value)


def remarks_of(value: object) -> tuple[Remark, ...]:
    """A renderer's remarks: rows of check, message and line. Raises WrongAnswerError."""
    if not isinstance(value, list | tuple):
        raise WrongAnswerError(f"remarks is {_sort(value)} and must be a list")
    if len(value) > REMARKS:
        raise WrongAnswerError(f"there are {len(value):,} remarks; a figure has at most {REMARKS}")
    return tuple(_remark(row) for row in value)


def tables_of(value: object) -> tuple[FigureTable, ...]:
    """The tables of a drawing. Raises WrongAnswerError."""
    try:
        return unpacked(value)
    except WrongTableError as error:
        raise WrongAnswerError(str(error)) from None


def asked_of(value: object) -> tuple[str, ...]:
    """The messages of a drawing in another language. Raises WrongAnswerError."""
    if not isinstance(value, list | tuple) or len(value) > wording.MOST:
        raise WrongAnswerError(f"asked is {_sort(value)} and must be a list of at most {wording.MOST} texts")
    for text in value:
        if not isinstance(text, str) or len(text) > wording.LONGEST or re.search(_LONE, text):
            raise WrongAnswerError(
                f"a message is {_sort(text)} and must be a text of at most {wording.LONGEST}"
            )
    return tuple(value)


def stated_of(value: object) -> stated.Stated:
    """The labels and relations of a drawing's source. Raises WrongAnswerError."""
    try:
        return stated.unpacked(value)
    except ValueError as error:
        raise WrongAnswerError(str(error)) from None


def _remark(row: object) -> Remark:
    if isinstance(row, Remark):  # from a worker of a cluster
        row = (row.check, row.message, row.line)
    if not isinstance(row, list | tuple) or len(row) != 3:
        raise WrongAnswerError("a remark is not a check, a message and a line")
    fields = dict(zip(("check", "message", "line"), row, strict=True))
    check = _words(fields, "check", CHECK)
    if not re.fullmatch("[a-z-]+", check):
        raise WrongAnswerError(
            f"{_short(repr(check))} is not a check; its name is lower-case letters and hyphens"
        )
    return Remark(check, _words(fields, "message", MESSAGE), _count(fields, "line"))


def path_of(value: object) -> str:
    """A path below the book's root, with '/' between names; a trailing slash stands for a folder's listing.

    Raises WrongAnswerError for anything else: an answer must never make figmill look outside the book.
    """
    if not isinstance(value, str):
        raise WrongAnswerError(f"a path is {_sort(value)} and must be text")
    if value == "./" or (len(value) <= PATH and _PLAIN.fullmatch(value)):  # "./" is the root's listing
        return value
    parts = value.removesuffix("/").split("/")
    if len(value) > PATH or "\0" in value or _FOREIGN.search(value) or not {"", ".", ".."}.isdisjoint(parts):
        shown = _short(repr(value))
        raise WrongAnswerError(
            f"the path {shown} is not below the book's root; make it relative, without '..'"
        )
    if re.search(_LONE, value):
        raise WrongAnswerError(f"the path {_short(repr(value))} is not UTF-8; rename that file")
    return value


def is_path(text: str) -> bool:
    """Whether a text is a path as `path_of` takes it."""
    try:
        path_of(text)
    except WrongAnswerError:
        return False
    return True


def error_of(header: Mapping[str, Any]) -> AuthorError:
    """The author's error from the header {"failed", "printed"}. Raises WrongAnswerError."""
    fields = _mapping(header["failed"], "failed")
    origin = _mapping(_required(fields, "origin"), "origin")
    at = Origin(path_of(_required(origin, "path")), _count(origin, "line"), _count(origin, "column"))
    parts = (_words(fields, "detail", DETAIL), _words(header, "printed", PRINTED).strip())
    return AuthorError(at, _words(fields, "message", MESSAGE), "\n".join(part for part in parts if part))


def read_of(header: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The files that a failed job read; None if a retry may succeed. Raises WrongAnswerError."""
    return traced_of(header["read"]) if "read" in header else None


def _count(header: Mapping[str, Any], name: str) -> int | None:
    value = header.get(name)
    if value is not None and (not _is_int(value) or not 0 <= value < 10**9):
        raise WrongAnswerError(f"{name} is {_sort(value)} and must be a line's or a column's number")
    return value


def _ended(header: Mapping[str, Any]) -> Ended:
    status = header["ended"]
    if not _is_int(status) or not -128 <= status <= 255:
        raise WrongAnswerError(f"ended is {_sort(status)} and must be an exit code")
    peak = header.get("peak")
    if peak is not None and (not _is_int(peak) or not 0 <= peak < 1 << 60):
        raise WrongAnswerError(f"peak is {_sort(peak)} and must be a number of bytes")
    return Ended(status, _words(header, "why", MESSAGE), _words(header, "printed", PRINTED), peak)


def _broken(header: Mapping[str, Any]) -> Broken:
    return Broken(_words(header, "broken", DETAIL))


# Keys of answers without a drawing, with their readers.
_OTHERS: Mapping[str, Callable[[Mapping[str, Any]], AuthorError | Ended | Broken]] = MappingProxyType(
    {"failed": error_of, "broken": _broken, "ended": _ended}
)


def _mapping(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise WrongAnswerError(f"{name} is {_sort(value)} and must be a mapping")
    return value


def _required(header: Mapping[str, Any], name: str) -> Any:
    if name not in header:
        raise WrongAnswerError(f"the answer has no {name}")
    return header[name]


def _words(header: Mapping[str, Any], name: str, most: int) -> str:
    """Text for people, from an untrusted source: cut if too long, with lone surrogates written out."""
    value = _required(header, name)
    if not isinstance(value, str):
        raise WrongAnswerError(f"{name} is {_sort(value)} and must be text")
    text = value if len(value) <= most else f"{value[:most]}…"
    return re.sub(_LONE, lambda match: f"\\u{ord(match[0]):04x}", text)


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_SORTS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),
    ((int, float), "a number"),
    (str, "text"),
    ((list, tuple), "a list"),
    (Mapping, "a mapping"),
    (type(None), "null"),
)


def _sort(value: object) -> str:
    """The type of a value, named for a message."""
    return next(
        (phrase for kind, phrase in _SORTS if isinstance(value, kind)), f"of type {type(value).__name__}"
    )


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}…"
