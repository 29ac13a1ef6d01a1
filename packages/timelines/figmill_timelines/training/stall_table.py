"""Reads and writes the table of measured steps that `stalls` replays: a CSV, long or wide, or a folder of them.

Long: a row for each step and GPU, with the columns of COLUMNS or the names that notebooks give them (see
`stall_columns`). Wide: a row for each step, with the GPU's number in the names of its columns. A value without a column
may be in the file's name, as in `epoch0_gpu3.csv`. A folder may have a file for each GPU, epoch or step. Times are
seconds or timestamps; either all timestamps have a time zone, or none has.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from figmill_timelines.files import csv_rows
from figmill_timelines.training.stall_columns import COLUMNS, PER_GPU, ColumnMeaning, in_file_name, meaning
from figmill_timelines.training.stalls import StallRow, StallTable

__all__ = ["COLUMNS", "read", "write"]

LONGEST = 1e6  # seconds, eleven days: the most that a step, a fetch or a stall can take
LATEST = 1e12  # seconds; a timestamp beyond it is in another unit
MOST_FILES = 100_000
_OPTIONAL = ("epoch", "train_start")  # nothing is computed from the time when training began


def read(path: str | Path) -> StallTable:
    """The table of a CSV file, or of all CSV files in a folder; lines that begin with # are comments.

    ValueError names file, line and column of a value that is missing, not a number, or out of bounds.
    """
    file = Path(path)
    if not file.is_dir():
        return StallTable.of(_rows(file))
    files = sorted(file.glob("*.csv"))
    if not files:
        raise ValueError(f"{file.name}: no .csv file in this folder")
    if len(files) > MOST_FILES:
        raise ValueError(f"{file.name}: {len(files)} files; a folder may have {MOST_FILES}")
    return StallTable.of(row for part in files for row in _rows(part))


def _rows(file: Path) -> Iterator[StallRow]:
    with file.open(newline="", encoding="utf-8-sig") as stream:
        numbered = [(n, line) for n, line in enumerate(stream, start=1) if not line.startswith("#")]
    reader = csv.DictReader(line for _, line in numbered)
    try:
        headings = [name for name in reader.fieldnames or () if name]
    except csv.Error as error:
        raise ValueError(f"{file.name}:{reader.reader.line_num}: {error}") from None
    columns = {name: column for name in headings if (column := meaning(name))}
    named = in_file_name(file.stem)
    gpus = sorted({column.gpu for column in columns.values() if column.gpu >= 0})
    offered = {column.name for column in columns.values()} | named.keys() | set(_OPTIONAL)
    offered |= {"gpu"} if gpus else set()
    # A file of one step needs no number in each row; one of many steps without numbers is in order.
    missing = [name for name in COLUMNS if name not in offered and name != "index"]
    if missing:
        raise ValueError(
            f"{file.name}: no column {', '.join(missing)}; there are {', '.join(headings) or 'none'}"
        )
    counted = any(column.name == "index" for column in columns.values()) or "index" in named
    steps: dict[tuple[int, int], int] = {}  # seen of each epoch and GPU
    for cells in csv_rows(reader, f"{file.name}:"):
        line = numbered[min(reader.line_num, len(numbered)) - 1][0]
        try:
            for gpu in gpus or [-1]:
                of_gpu = {c.name: (c, cells[h]) for h, c in columns.items() if c.gpu in (-1, gpu)}
                row = _row(of_gpu, named | ({"gpu": gpu} if gpu >= 0 else {}))
                key = (row.epoch, row.gpu)
                steps[key] = steps.get(key, -1) + 1
                yield row if counted else replace(row, index=steps[key])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{file.name}, line {line}: {error}") from error


def _row(cells: Mapping[str, tuple[ColumnMeaning, str]], given: Mapping[str, int]) -> StallRow:
    whole = {
        name: _whole(name, cells[name][1]) if name in cells else given.get(name, 0) for name in COLUMNS[:3]
    }
    times = {}
    for name in PER_GPU:
        if name in cells:
            times[name] = _seconds(name, *cells[name])
        elif name != "train_start":
            raise ValueError(f"no {name} for GPU {whole['gpu']}")
    times.setdefault("train_start", times["fetch_start"] + times["fetch_seconds"])
    for name in ("fetch_seconds", "iteration_seconds", "stall_seconds"):
        if times[name] < 0:
            raise ValueError(f"{name} is negative: {cells[name][1]}")
        if times[name] > LONGEST:
            raise ValueError(f"{name} must be from 0 to {LONGEST:g} seconds, not {times[name]:g}")
    if times["iteration_seconds"] == 0:
        raise ValueError("iteration_seconds is 0: a step takes time")
    if times["stall_seconds"] > times["iteration_seconds"] * (1 + 1e-6):
        raise ValueError(
            f"stall_seconds {times['stall_seconds']:g} is longer than its step,"
            f" iteration_seconds {times['iteration_seconds']:g}"
        )
    return StallRow(whole["epoch"], whole["index"], whole["gpu"], **times)


def _whole(name: str, text: str) -> int:
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{name} is not a whole number: '{text}'") from None
    if not (0 <= number < 2**53 and number == int(number)):
        raise ValueError(f"{name} must be a whole number from 0, not '{text}'")
    return int(number)


def _seconds(name: str, column: ColumnMeaning, text: str | None) -> float:
    if text is None or not text.strip():
        raise ValueError(f"{name} is empty")
    try:
        number = float(text) * column.scale
    except ValueError:
        pass
    else:
        if not (math.isfinite(number) and abs(number) <= LATEST):
            raise ValueError(f"{name} must be a number of seconds up to {LATEST:g}, not {text}")
        return number
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{name} is neither seconds nor a timestamp: '{text}'") from None
    # Any time zone will do for timestamps without one, since only differences count.
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def write(rows: Iterable[StallRow], path: str | Path, comment: str = "") -> None:
    """Write the long form, with comment lines above it."""
    with Path(path).open("w", newline="", encoding="utf-8") as stream:
        stream.writelines(f"# {line}\n" for line in comment.splitlines())
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow(_short(getattr(row, name)) for name in COLUMNS)


def _short(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6f}".rstrip("0").rstrip(".")
