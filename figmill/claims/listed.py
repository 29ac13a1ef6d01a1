"""Lists of claims as JSON: one line a claim, so that a diff shows each. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping


def dumps(rows: Iterable[Mapping[str, object]]) -> bytes:
    lines = ["\n" + json.dumps(row, ensure_ascii=False) for row in rows]
    return ('{"version": 1, "claims": [' + ",".join(lines) + "\n]}\n").encode()


def loads(data: bytes) -> list[Mapping[str, object]]:
    """Raises ValueError, KeyError or TypeError."""
    try:
        return [dict(row) for row in json.loads(data)["claims"]]
    except RecursionError:
        raise ValueError("nested too deep") from None
