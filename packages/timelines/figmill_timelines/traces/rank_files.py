"""Small files with a lane for each pipeline rank: Megatron-LM's timers, and a plain CSV.

The lanes have the order of the file. TraceError names the place in the file.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from figmill_timelines.files import csv_rows
from figmill_timelines.traces.columns import Columns, TraceError
from figmill_timelines.traces.recording import RecordedLane, Recording

FARTHEST = 1e18  # a time; in nanoseconds, thirty years
_TIMER = re.compile(r"(forward|backward)-(?:(\d+)-)?(\d+)-(start|end)$")


def timers(path: Path) -> Recording | None:
    """Megatron-LM's pipeline timers: {"forward-<microbatch>-start": ms, ...}, one file a pipeline rank.

    The key may also be `forward-<chunk>-<microbatch>-start`. A file of several ranks maps each rank to such a
    mapping. None for any other file.
    """
    if path.stat().st_size > 64 << 20:
        return None
    try:
        loaded = json.loads(path.read_bytes(), parse_float=Decimal)
    except (ArithmeticError, ValueError, RecursionError):
        return None
    if not isinstance(loaded, dict) or not loaded:
        return None
    ranks = loaded if all(isinstance(value, dict) for value in loaded.values()) else {"0": loaded}
    if not all(_TIMER.match(key) for times in ranks.values() for key in times):
        return None
    return _of_ranks(path.name, ranks)


def timers_in(folder: Path) -> Recording:
    """The timers of all ranks in one folder, each file with `pp_rank_<n>` in its name."""
    ranks: dict[str, Any] = {}
    for file in sorted(folder.glob("*.json")):
        number = re.search(r"pp_rank_(\d+)", file.name)
        if not number:
            continue
        try:
            ranks[number[1]] = json.loads(file.read_bytes(), parse_float=Decimal)
        except (ArithmeticError, ValueError, RecursionError) as error:
            raise TraceError(f"{file.name}: not JSON: {error}") from None
        if not isinstance(ranks[number[1]], dict):
            raise TraceError(f"{file.name}: must map timers to times in ms")
    if not ranks:
        raise TraceError(f"{folder.name}: no file with pp_rank_<number> in its name")
    return _of_ranks(folder.name, dict(sorted(ranks.items(), key=lambda pair: int(pair[0]))))


def _of_ranks(origin: str, ranks: Mapping[str, Mapping[str, Any]]) -> Recording:
    columns = Columns()
    for rank, times in ranks.items():
        for key in times:
            name = _TIMER.match(key)
            if name is None or name[4] == "end":
                continue
            close = key.removesuffix("start") + "end"
            if close not in times:
                raise TraceError(f"{origin}, rank {rank}: {key} has no end")
            start, end = (_number(f"{origin}, rank {rank}: {k}", times[k]) for k in (key, close))
            if not start <= end:
                raise TraceError(f"{origin}, rank {rank}: {key} {start:g} is later than its end {end:g}")
            columns.add(rank, columns.since(start), columns.since(end), (name[1], name[3], int(name[3])))
    return _recording(columns, {rank: f"GPU {rank}" if rank.isdigit() else rank for rank in ranks})


def _recording(columns: Columns, names: Mapping[Any, str]) -> Recording:
    """A recording whose lanes are devices, in the order of the file."""
    return Recording(columns, tuple(RecordedLane(key, names[key], names[key]) for key in columns.lanes))


def _number(place: str, value: Any) -> Decimal:
    """A time, as the file states it. TraceError, with the place, for anything else and for a time beyond FARTHEST."""
    try:
        number = Decimal(value)
    except (ArithmeticError, TypeError, ValueError):
        number = Decimal("nan")
    if not abs(float(number)) < FARTHEST:
        raise TraceError(f"{place} must be a number of ms, not {value!r:.40}")
    return number


def plain(path: Path) -> Recording:
    """lane,start,end,kind[,microbatch], in ms."""
    columns = Columns()
    for line, row in enumerate(
        csv_rows(csv.DictReader(text_of(path).splitlines()), f"{path.name}:"), start=2
    ):
        missing = [name for name in ("lane", "start", "end", "kind") if row.get(name) is None]
        if missing:
            raise TraceError(f"{path.name}:{line}: no {', '.join(missing)}; needs lane,start,end,kind")
        try:
            number = int(row.get("microbatch") or -1)
        except ValueError:
            raise TraceError(
                f"{path.name}:{line}: microbatch '{row['microbatch']:.40}' is not a number"
            ) from None
        start, end = (_number(f"{path.name}:{line}: {name}", row[name]) for name in ("start", "end"))
        if not start <= end:
            raise TraceError(f"{path.name}:{line}: ends at {end:g} before it starts at {start:g}")
        what = (row["kind"], str(number) if number >= 0 else "", number)
        columns.add(row["lane"], columns.since(start), columns.since(end), what)
    return _recording(columns, {lane: str(lane) for lane in columns.lanes})


def text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise TraceError(f"{path.name}: not UTF-8 at byte {error.start}") from None
