"""Read and write the table of measured steps that `stalls` replays: a CSV, long or wide.

Long: a row for each step and GPU, with the columns of COLUMNS. Wide: a row for each step, where all columns but epoch
and index have `_gpu<i>` behind their names. Times are seconds or timestamps; either all timestamps have a time zone,
or none has.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from figmill.timelines.training.stalls import Row, Table

COLUMNS = (
    "epoch",
    "index",
    "gpu",
    "fetch_start",
    "fetch_seconds",
    "train_start",
    "iteration_seconds",
    "stall_seconds",
)
_PER_GPU = COLUMNS[3:]
_WIDE = re.compile(r"(?P<name>.+)_gpu(?P<gpu>\d+)$")


def read(path: str | Path) -> Table:
    """The table of a CSV file; lines that begin with # are comments. ValueError names line and column."""
    file = Path(path)
    with file.open(newline="", encoding="utf-8") as stream:
        numbered = [(n, line) for n, line in enumerate(stream, start=1) if not line.startswith("#")]
    numbers = [n for n, _ in numbered]
    reader = csv.DictReader(line for _, line in numbered)
    names = reader.fieldnames or ()
    wide = any(_WIDE.match(name) for name in names)
    missing = [name for name in COLUMNS if not wide and name not in names]
    if missing:
        raise ValueError(
            f"{file.name}: no column {', '.join(missing)}; there are {', '.join(names) or 'none'}"
        )
    rows: list[Row] = []
    for number, cells in zip(numbers[1:], reader, strict=False):
        try:
            rows += _wide(cells) if wide else [_row(cells)]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{file.name}, line {number}: {error}") from error
    return Table.of(rows)


def _wide(cells: Mapping[str, str]) -> Iterator[Row]:
    gpus = sorted({int(column["gpu"]) for name in cells if name and (column := _WIDE.match(name))})
    for gpu in gpus:
        per_gpu = {name: cells[f"{name}_gpu{gpu}"] for name in _PER_GPU}
        yield _row({"epoch": cells["epoch"], "index": cells["index"], "gpu": str(gpu), **per_gpu})


def _row(cells: Mapping[str, str]) -> Row:
    times = {name: _seconds(name, cells[name]) for name in _PER_GPU}
    for name in ("fetch_seconds", "iteration_seconds", "stall_seconds"):
        if times[name] < 0:
            raise ValueError(f"{name} is negative: {cells[name]}")
    return Row(int(cells["epoch"]), int(cells["index"]), int(cells["gpu"]), **times)


def _seconds(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{name} is neither seconds nor a timestamp: '{text}'") from None
    # Any zone will do for timestamps without one, since only differences count.
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def write(rows: Iterable[Row], path: str | Path, comment: str = "") -> None:
    """Write the long form, with comment lines above it."""
    with Path(path).open("w", newline="", encoding="utf-8") as stream:
        stream.writelines(f"# {line}\n" for line in comment.splitlines())
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow(_short(getattr(row, name)) for name in COLUMNS)


def _short(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6f}".rstrip("0").rstrip(".")
