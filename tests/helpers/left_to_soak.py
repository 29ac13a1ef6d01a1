"""The tests that `make test` leaves to `make soak`, in part or as a whole, as `left_to_soak.toml` names them."""

from __future__ import annotations

import tomllib
from pathlib import Path

_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

SAMPLED: dict[str, int] = _TABLES["sampled"]  # test -> of how many cases a run has one
HELD_BY: dict[str, str] = _TABLES["held_by"]  # test that goes as a whole -> a test of each run
WHOLE = frozenset(HELD_BY).union(*_TABLES["not_held"].values())
