"""What a report tells in short: one line a figure and check, with a count of the rest. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from figmill.report.model import FAILS, Diagnostic

NAMED = 3  # figures that are named of those that one line is for


@dataclass(frozen=True, slots=True)
class Told:
    """One line of a report. labels: the figures that it is for; more: further ones of its check that it stands for."""

    first: Diagnostic
    labels: tuple[str, ...]
    more: int = 0

    @classmethod
    def of(cls, diagnostic: Diagnostic) -> Told:
        return cls(diagnostic, _labels([diagnostic]))

    @property
    def figures(self) -> str:
        """Which figures a line is about, where the file that it names is not called after the only one."""
        stem = PurePosixPath(self.first.origin.path).stem
        if not self.labels or self.labels == (stem,):
            return ""
        others = len(self.labels) - NAMED
        return f" ({', '.join(self.labels[:NAMED])}{f' and {others} more' if others > 0 else ''})"

    @property
    def rest(self) -> str:
        return f" (+{self.more} more, with --verbose)" if self.more else ""


def told(diagnostics: Iterable[Diagnostic], every: bool = False) -> Iterator[Told]:
    """The lines for diagnostics, in their order. every: one for each; else one a figure and check.

    Failures are told each. What is said of several figures in the same words is one line.
    """
    groups: dict[tuple[object, ...], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        is_each = every or diagnostic.check == FAILS or diagnostic.id is None
        own = diagnostic.line if is_each else diagnostic.check
        groups.setdefault((diagnostic.id, diagnostic.name, diagnostic.check, own), []).append(diagnostic)
    lines: dict[tuple[str, int], list[Diagnostic]] = {}
    for same in groups.values():
        more = len({diagnostic.line for diagnostic in same}) - 1
        lines.setdefault((same[0].line, more), []).append(same[0])
    for (_, more), firsts in lines.items():
        yield Told(firsts[0], _labels(firsts), more)


def _labels(diagnostics: Sequence[Diagnostic]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(d.label for d in diagnostics if d.label is not None))
