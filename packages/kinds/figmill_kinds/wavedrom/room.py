"""Room for the names in a register: bits as wide as their names need. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from figmill.kind import font_metrics
from figmill_kinds.wavedrom.reading import words

SIZE, WIDE, WIDEST = 14, 800, 1600  # WaveDrom's size of text and width of a register in px; our widest
BESIDE = 8.0  # px beside a name


def with_room(value: Mapping[str, Any]) -> dict[str, Any]:
    """A diagram whose register is wide enough for the names of its fields. A width that the source sets stays."""
    given = value.get("config")
    config = given if isinstance(given, dict) else {}
    if not value.get("reg") or "hspace" in config:
        return dict(value)
    size = config.get("fontsize", SIZE)
    size = size if isinstance(size, int | float) else SIZE
    bits = config.get("bits") or sum(row["bits"] for row in value["reg"])
    lanes = config.get("lanes") or 1
    if not isinstance(bits, int) or not isinstance(lanes, int):
        return dict(value)
    widest = max(_needs(value["reg"], size), default=0.0)
    space = min(WIDEST, math.ceil(widest * math.ceil(bits / lanes)) + BESIDE)
    return {**value, "config": {**config, "hspace": round(space)}} if space > WIDE else dict(value)


def _needs(fields: list[dict[str, Any]], size: float) -> Iterator[float]:
    """The width of a bit in px that the name of each field needs."""
    for field in fields:
        if field.get("name") is not None and not field.get("rotate"):
            name = words(field["name"])
            yield (font_metrics.width(name) * size * font_metrics.SLACK + BESIDE) / field["bits"]
