"""The SQLite export of Nsight Systems: kernels by device and stream, named after the NVTX range of their launch.

A kernel has the correlationId of the runtime call that launched it, and that call lies within NVTX ranges of its
thread. The text of a range is in its own row, or in StringIds under its textId. Times are nanoseconds.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections.abc import Hashable
from pathlib import Path

from figmill_timelines.traces.columns import Columns
from figmill_timelines.traces.event_kinds import what_is
from figmill_timelines.traces.recording import RecordedLane, Recording

_RANGES = """
    SELECT n.globalTid, n.start, n.end, COALESCE(n.text, s.value, '')
    FROM NVTX_EVENTS n LEFT JOIN StringIds s ON s.id = n.textId
    WHERE n.end IS NOT NULL ORDER BY n.globalTid, n.start, n.end DESC
"""
_KERNELS = """
    SELECT k.deviceId, k.streamId, k.start, k.end, COALESCE(s.value, ''), r.globalTid, r.start
    FROM CUPTI_ACTIVITY_KIND_KERNEL k
    LEFT JOIN StringIds s ON s.id = k.shortName
    LEFT JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId
    ORDER BY k.start
"""
_COPIES = ("CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET")

Range = tuple[int, int, str, int]  # start, end, text, index of the range around it or -1


def read(path: Path) -> Recording:
    """All kernels, copies and memory sets, with a lane for each stream; without any, the NVTX ranges of each thread."""
    columns = Columns()
    names: dict[Hashable, tuple[str, str]] = {}  # of a lane and its device
    base = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        tables = {name for (name,) in base.execute("SELECT name FROM sqlite_master")}
        ranges = _ranges(base) if "NVTX_EVENTS" in tables else {}
        if "CUPTI_ACTIVITY_KIND_KERNEL" in tables:
            for device, stream, start, end, kernel, thread, called in base.execute(_KERNELS):
                text = _innermost(ranges.get(thread, []), called) if called is not None else ""
                kind = what_is(kernel, "kernel")
                meant = what_is(text, "kernel") if text and kind[0] == "compute" else kind
                columns.add((device, stream), columns.since(start), columns.since(end), meant)
                names[device, stream] = (f"GPU {device} stream {stream}", f"GPU {device}")
        for table in _COPIES:
            if table in tables:
                rows = base.execute(f"SELECT deviceId, streamId, start, end FROM {table}")
                for device, stream, start, end in rows:
                    copied = what_is("", "gpu_memcpy")
                    columns.add((device, stream), columns.since(start), columns.since(end), copied)
                    names[device, stream] = (f"GPU {device} stream {stream}", f"GPU {device}")
        gpus = frozenset(device for _, device in names.values())
        if not gpus:
            for number, (thread, of_thread) in enumerate(sorted(ranges.items())):
                names[thread] = (f"thread {number}", f"thread {number}")
                for start, end, text, _ in of_thread:
                    columns.add(thread, columns.since(start), columns.since(end), what_is(text, "kernel"))
    except (OverflowError, TypeError, ValueError) as error:  # SQLite stores any value in any column
        raise ValueError(f"{path.name}: a range or a kernel is not a name and two times: {error}") from error
    except sqlite3.DatabaseError as error:
        raise ValueError(f"{path.name}: not a complete Nsight Systems export: {error}") from error
    finally:
        base.close()
    lanes = tuple(RecordedLane(key, *names[key]) for key in sorted(columns.lanes, key=_order))
    return Recording(columns, lanes, 1e-6, gpus=gpus)


def _order(key: Hashable) -> tuple[int, ...]:
    """Streams by device and number; threads in the order of their numbers."""
    return key if isinstance(key, tuple) else (int(str(key)),)


def _ranges(base: sqlite3.Connection) -> dict[int, list[Range]]:
    """The ranges of each thread, sorted by start, each with the index of the range around it."""
    threads: dict[int, list[Range]] = {}
    around: dict[int, list[int]] = {}
    for thread, start, end, text in base.execute(_RANGES):
        ranges, stack = threads.setdefault(thread, []), around.setdefault(thread, [])
        while stack and ranges[stack[-1]][1] <= start:
            stack.pop()
        ranges.append((start, end, text, stack[-1] if stack else -1))
        stack.append(len(ranges) - 1)
    return threads


def _innermost(ranges: list[Range], moment: int) -> str:
    """The text of the innermost range around a moment; empty where there is none."""
    index = bisect_right(ranges, moment, key=lambda row: row[0]) - 1
    while index >= 0 and ranges[index][1] < moment:
        index = ranges[index][3]
    return ranges[index][2] if index >= 0 else ""
