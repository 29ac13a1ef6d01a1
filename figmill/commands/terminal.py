"""The terminal that a command writes to."""

from __future__ import annotations

import os
from typing import IO

from figmill.report.text import ReportStyle


def style_of(stream: IO[str], color: str, verbose: bool, explain: bool = False) -> ReportStyle:
    """The style of a report on a stream. color: `auto`, `always` or `never`."""
    is_wanted = stream.isatty() and "NO_COLOR" not in os.environ
    return ReportStyle(verbose, explain, color == "always" or (color == "auto" and is_wanted))
