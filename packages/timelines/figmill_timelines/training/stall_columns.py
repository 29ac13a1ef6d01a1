"""The names of the columns in a table of steps: figmill's own, and those that notebooks use.

A name is compared in lower case, with spaces, dots and brackets as underscores. A unit at its end is removed: `Stall
time (ms)` is stall_seconds in milliseconds. A GPU's number may come first or last: `fetch_time_gpu3`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

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
PER_GPU = COLUMNS[3:]

_KNOWN_AS: Mapping[str, str] = {
    "epoch": "epoch epoch_id epoch_idx",
    "index": "index idx step step_id step_idx iteration iter iter_id batch batch_id batch_idx batch_index",
    "gpu": "gpu gpu_id gpu_idx rank local_rank device device_id",
    "fetch_start": "fetch_start fetch_start_time fetch_begin fetch_start_timestamp start_fetch data_start",
    "fetch_seconds": "fetch fetch_time fetch_duration fetch_length fetch_latency data_time",
    "train_start": "train_start train_start_time train_begin train_start_timestamp start_train compute_start",
    "iteration_seconds": "iteration_time iter_time iteration_duration iteration_length step_time step_duration",
    "stall_seconds": "stall stall_time stall_duration stall_length data_stall data_stall_time fetch_stall wait_time",
}
_CANONICAL = {word: name for name, words in _KNOWN_AS.items() for word in words.split()}
_CANONICAL |= {name: name for name in COLUMNS}
# With a unit, `step` is the length of a step and not its number.
_TIMED = {word: name for word, name in _CANONICAL.items() if name in PER_GPU}
_TIMED |= dict.fromkeys(("iteration", "iter", "step"), "iteration_seconds")
_UNITS = {
    "s": 1.0,
    "sec": 1.0,
    "secs": 1.0,
    "second": 1.0,
    "seconds": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "µs": 1e-6,
    "ns": 1e-9,
}
_GPU = r"(?:gpu|rank)_?(?P<gpu>\d+)"
_NUMBERED = (re.compile(rf"(?P<name>.+)_{_GPU}$"), re.compile(rf"{_GPU}_(?P<name>.+)$"))
_IN_NAMES = {
    "epoch": re.compile(r"(?:^|[^a-z])(?:epoch|ep)[-_=]?(\d+)", re.IGNORECASE),
    "index": re.compile(r"(?:^|[^a-z])(?:step|iteration|iter|batch|index)[-_=]?(\d+)", re.IGNORECASE),
    "gpu": re.compile(r"(?:^|[^a-z])(?:gpu|rank|device)[-_=]?(\d+)", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class ColumnMeaning:
    """The meaning of a column: its name in COLUMNS, the seconds of its unit, the GPU in its name or -1."""

    name: str
    scale: float = 1.0
    gpu: int = -1


def meaning(heading: str) -> ColumnMeaning | None:
    """What a column means; None for a column that is not needed."""
    word = re.sub(r"[^a-z0-9µ]+", "_", heading.strip().lower()).strip("_")
    gpu = -1
    for form in _NUMBERED:
        match = form.match(word)
        if match:
            word, gpu = match["name"], int(match["gpu"])
            break
    if word in _CANONICAL:
        return ColumnMeaning(_CANONICAL[word], 1.0, gpu)
    stem, _, unit = word.rpartition("_")
    if stem in _TIMED and unit in _UNITS:
        return ColumnMeaning(_TIMED[stem], _UNITS[unit], gpu)
    return None


def in_file_name(name: str) -> dict[str, int]:
    """Epoch, index and GPU from a file's name, if it has them: `epoch1_step7_gpu3.csv`."""
    return {key: int(match[1]) for key, form in _IN_NAMES.items() if (match := form.search(name))}
