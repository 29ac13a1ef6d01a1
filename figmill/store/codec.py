"""The text of records: a key of a kind and a name, and a value as JSON. Pure, and unaware of kinds and values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from figmill.store import checked


def key_of(kind: str, name: object) -> bytes:
    """The key of a record."""
    return f"{kind} {_json(name)}".encode("utf-8", "surrogatepass")


def text_of(value: object) -> bytes:
    """The value of a record: JSON on one line. A name of a file in it need not be UTF-8."""
    return _json(value).encode("utf-8", "surrogatepass")


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def names(keys: Iterable[bytes]) -> list[Any]:
    """The names in keys of records. Raises ValueError."""
    return _every(key.partition(b" ")[2] for key in keys)


def values(lines: Mapping[bytes, bytes]) -> list[Any]:
    """The values of records. Raises ValueError."""
    return _every(lines.values())


def rows(lines: Mapping[bytes, bytes]) -> dict[str, Any]:
    """The values of records by their names. Raises ValueError."""
    return dict(zip(map(checked.text, names(lines)), values(lines), strict=True))


def _every(texts: Iterable[bytes]) -> list[Any]:
    """Parse texts of JSON, all at once: one by one takes three times as long."""
    return checked.items(checked.loads(b"[%b]" % b",".join(texts)))
