"""A build in the process of the test, as the command makes it, without what starting the command takes."""

from __future__ import annotations

from pathlib import Path

from figmill import config
from figmill.engine.build import build
from figmill.engine.processes import pool_of
from figmill.engine.request import Request
from figmill.report.model import Report


def built_here(root: Path, jobs: int = 1) -> Report:
    options = config.load(root)
    with pool_of(root, options, jobs) as pool:
        return build(root, options, Request(jobs=jobs), pool)
