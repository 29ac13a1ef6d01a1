"""Shortens a report: one line per figure and check, with a count of the rest. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from figmill.fastpath import PAGES
from figmill.late_dataclasses import dataclass
from figmill.model import is_made
from figmill.report.model import FAILS, Diagnostic

NAMED = 3  # figures named in a line


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One line of a report.

    - labels: the figures it concerns.
    - more: the number of further findings of its check.
    """

    first: Diagnostic
    labels: tuple[str, ...]
    more: int = 0

    @classmethod
    def of(cls, diagnostic: Diagnostic) -> ReportLine:
        return cls(diagnostic, _labels([diagnostic]))

    @property
    def figures(self) -> str:
        """The figures of a line in brackets; empty if the place already names the only one.

        The id that figmill makes for a block of a page says nothing that the page and the line do not.
        """
        path = self.first.origin.path
        if not self.labels or self.labels == (PurePosixPath(path).stem,):
            return ""
        if (
            len(self.labels) == 1
            and self.first.origin.line
            and path.endswith(PAGES)
            and is_made(self.labels[0])
        ):
            return ""
        others = len(self.labels) - NAMED
        return f" ({', '.join(self.labels[:NAMED])}{f' and {others} more' if others > 0 else ''})"

    @property
    def rest(self) -> str:
        return f" (+{self.more} more, with --verbose)" if self.more else ""


def with_one_install(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The diagnostics; if several figures lack packages, one of them names the command that installs all."""
    every = list(diagnostics)
    lacking = [diagnostic for diagnostic in every if diagnostic.requirement]
    if len(lacking) < 2:
        yield from every
        return
    requirements = sorted({diagnostic.requirement for diagnostic in lacking})
    message = f"{len(lacking)} figures need packages that are not installed: pip install {_all(requirements)}"
    for diagnostic in every:
        if diagnostic is lacking[0]:
            yield replace(diagnostic, message=message, id=None, name=None)
        elif not diagnostic.requirement:
            yield diagnostic


def _all(requirements: Iterable[str]) -> str:
    """Requirements for a shell, with one for all extras of a package: `'figmill[d2,mermaid]'`."""
    extras: dict[str, list[str]] = {}
    for requirement in requirements:
        name, _, extra = requirement.removesuffix("]").partition("[")
        extras.setdefault(name, []).extend([extra] if extra else [])
    return " ".join(f"'{name}[{','.join(wanted)}]'" if wanted else name for name, wanted in extras.items())


def report_lines(diagnostics: Iterable[Diagnostic], every: bool = False) -> Iterator[ReportLine]:
    """The lines for diagnostics, in their order. every: one line each; otherwise one per figure (or drawing) and check.

    Each failure gets a line. Equal messages about several figures share one line.
    """
    groups: dict[tuple[object, ...], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        is_each = every or diagnostic.check == FAILS
        of = diagnostic.origin.path if diagnostic.id is None else ""
        key = diagnostic.line if is_each else f"{diagnostic.check} {of}"
        groups.setdefault((diagnostic.id, diagnostic.name, diagnostic.check, key), []).append(diagnostic)
    lines: dict[tuple[str, int], list[Diagnostic]] = {}
    for same in groups.values():
        more = len({diagnostic.line for diagnostic in same}) - 1
        lines.setdefault((same[0].line, more), []).append(same[0])
    for (_, more), firsts in lines.items():
        yield ReportLine(firsts[0], _labels(firsts), more)


def _labels(diagnostics: Sequence[Diagnostic]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(d.label for d in diagnostics if d.label is not None))
