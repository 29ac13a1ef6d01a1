"""Validation of data kept by an earlier build: the files may have been changed, so nothing is trusted. Pure.

Each function returns the value if it has the right form, else raises ValueError. The caller then ignores the data.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from figmill.kind.answer import WrongAnswerError, path_of
from figmill.model import Origin

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # perhaps a lone surrogate; figmill never writes one escaped
_NAME = re.compile(r"[^/\\\x00-\x1f]{1,255}")


def loads(data: bytes) -> Any:
    """Parse JSON with finite numbers and valid Unicode only."""
    try:
        whole = json.loads(data, parse_constant=_refused)
        if _HALF.search(data):
            json.dumps(whole, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deep") from None
    return whole


def _refused(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")


def text(value: object) -> str:
    """A text of any length."""
    if type(value) is not str:
        raise ValueError("no text")
    return value


def texts(value: object) -> tuple[str, ...]:
    return tuple(map(text, items(value)))


def items(value: object) -> list[Any]:
    """A list."""
    if type(value) is not list:
        raise ValueError("no list")
    return value


def mapping(value: object) -> Mapping[str, Any]:
    """A mapping; JSON makes its keys text."""
    if type(value) is not dict:
        raise ValueError("no mapping")
    return value


def path(value: object) -> str:
    """A path below the book's root."""
    try:
        return path_of(value)
    except WrongAnswerError as error:
        raise ValueError(str(error)) from None


def name(value: object) -> str:
    """A bare file or folder name."""
    if type(value) is not str or not _NAME.fullmatch(value) or value in (".", ".."):
        raise ValueError("no bare name")
    return value


def number(value: object) -> float:
    """A number from 0 to 1e300, small enough for sums to stay finite."""
    if (type(value) is not float and type(value) is not int) or not 0 <= value <= 1e300:
        raise ValueError("no number")
    return value


def finite(value: object) -> None | bool | int | float | str:
    """A JSON scalar; a number must be finite."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("not a number of JSON")
    if value is not None and not isinstance(value, bool | int | float | str):
        raise ValueError("no scalar")
    return value


def count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("no count")
    return value


def origin(path: str, line: object, column: object = None) -> Origin:
    """A place in a file, whose line and column may be unknown."""
    if type(line) is not int or type(column) is not int:  # the fast path: both are known
        for value in (line, column):
            if value is not None:
                count(value)
    return Origin(path, line, column)  # type: ignore[arg-type]
