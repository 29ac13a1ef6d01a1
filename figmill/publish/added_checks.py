"""Run the checks of other packages on a settled figure. They read it, and change nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from figmill.checks import CHECKS, CheckedFigure
from figmill.errors import ToolError, one_line
from figmill.late import imported

MOST = 100  # findings of one check on one figure


def findings(figure: CheckedFigure, active: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The findings as (check, message). Raises ToolError if a check fails."""
    for name in sorted(CHECKS.added.keys() & set(active)):
        for _, message in zip(range(MOST), _messages(name, figure), strict=False):
            yield name, one_line(message)


def _messages(name: str, figure: CheckedFigure) -> Iterator[str]:
    check = CHECKS[name]
    try:
        for message in imported(check.function)(figure):
            if not isinstance(message, str):
                raise TypeError(f"a finding is text, not {type(message).__name__}")
            yield message
    except MemoryError:
        raise
    except Exception as error:
        cause = one_line(f"{type(error).__name__}: {error}")
        remedy = "repair or uninstall it, or switch the check off in [tool.figmill.lint]"
        package = check.package.name if check.package else "figmill"
        raise ToolError(f"the check '{name}' of {package} failed ({cause}); {remedy}") from None
