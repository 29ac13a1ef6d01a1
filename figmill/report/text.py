"""A report as lines for people. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import add
from types import MappingProxyType
from typing import TypeAlias

from figmill import fastpath
from figmill.formats import FORMATS
from figmill.late_dataclasses import dataclass
from figmill.model import Change
from figmill.report import diff
from figmill.report.lines import ReportLine, report_lines, with_one_install
from figmill.report.model import Diagnostic, LintReport, Report, Row, Status, by_check
from figmill.streams import Painted

FOLD = 20  # figures whose diffs are shown, and orphans


@dataclass(frozen=True, slots=True)
class ReportStyle:
    """How much of a report is shown, and whether in colour."""

    verbose: bool = False
    explain: bool = False
    colour: bool = False


_COLOURS = MappingProxyType(
    {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "bold": "1", "dim": "2"}
)
_OF_STATUS = MappingProxyType(
    {Status.RENDERED: "green", Status.EXPORTED: "green", Status.UNCHANGED: "dim", Status.FRESH: "dim"}
)
_OF_DIFF = MappingProxyType({"+": "green", "-": "red", "@": "cyan"})


StyledLine: TypeAlias = str | Painted


def paint(text: str, colour: str, style: ReportStyle) -> StyledLine:
    """A line or a part of one, coloured if the style says so."""
    return Painted((text, _COLOURS[colour])) if style.colour else text


def joined(*parts: StyledLine) -> StyledLine:
    """A line of several parts, each coloured or plain."""
    return (
        reduce(add, parts, Painted())
        if any(isinstance(part, Painted) for part in parts)
        else "".join(map(str, parts))
    )


def _finding_lines(finding: ReportLine, text: str, style: ReportStyle) -> Iterator[StyledLine]:
    """A clickable line, then the indented detail. text: the message, with or without its tag."""
    diagnostic = finding.first
    text = f"{text}{finding.figures}{finding.rest}"
    colour = "red" if diagnostic.is_error else "yellow"
    yield joined(paint(str(diagnostic.origin), "bold", style), ": ", paint(text, colour, style))
    yield from _indented(diagnostic.detail)
    if style.verbose:
        yield from _indented(diagnostic.trace)


def _indented(detail: str) -> Iterator[str]:
    yield from (f"    {line}" for line in detail.splitlines())


def problem_lines(report: Report, style: ReportStyle) -> Iterator[StyledLine]:
    """A build's lines for standard error: the warnings, then every failure once."""
    yield from (paint(line, "yellow", style) for line in report.standing)
    yield from warning_lines((d for d in report.diagnostics if not d.is_error), style)
    for finding in report_lines(with_one_install(d for d in report.diagnostics if d.is_error)):
        yield from _finding_lines(finding, finding.first.headline, style)


def warning_lines(diagnostics: Iterable[Diagnostic], style: ReportStyle) -> Iterator[StyledLine]:
    """One line per figure and check; with --verbose, one per warning."""
    for finding in report_lines(diagnostics, style.verbose):
        line = f"{finding.first.line}{finding.figures}{finding.rest}"
        yield paint(line, "yellow", style)


def build_lines(report: Report, style: ReportStyle) -> Iterator[StyledLine]:
    """A build's lines for standard output: one for each figure it touched, then the count."""
    shared = _shared_reasons(report)
    for reason, count in shared.items():
        yield paint(f"{reason} changed: {count} figures are checked again", "cyan", style)
    diffs = 0
    for row in report.rows:
        is_quiet = row.status in (Status.FRESH, Status.LEFT) or (
            row.status in (Status.UNCHANGED, Status.RENDERED) and report.dry
        )
        if row.status is Status.FAILED:
            if row.failed_before:
                yield joined(paint("failed   ", "red", style), f" {row.label}  it also failed before")
            continue
        if is_quiet and not style.explain:
            continue
        yield from _row_lines(row, shared, style)
        changes = [change for change in row.changes if diff.verb(change)]
        if changes and report.dry and not report.check:
            diffs += 1
            if style.verbose and diffs <= FOLD:
                yield from _diff_lines(changes, style)
    if diffs and not style.verbose:
        yield "--verbose shows how the files differ"
    elif diffs > FOLD:
        yield f"... and the diffs of {diffs - FOLD} more figures; --id shows one"
    yield from (joined(paint("orphan", "yellow", style), f"  {line}") for line in _orphans(report))
    if repeats := sum(row.is_known and row.status is Status.FAILED for row in report.rows):
        yield f"{_figures(repeats)} failed as before; nothing has changed, and --force draws them again"
    yield build_summary(report, style)


def _orphans(report: Report) -> Iterator[str]:
    """A line for the outputs of removed figures, and one for exports that are older than their figures."""
    drawn = {row.path.removesuffix(".svg") for row in report.rows if row.path}
    older: dict[str, list[str]] = {}  # by suffix
    removed: list[str] = []
    for path in report.orphans:
        stem, _, suffix = path.rpartition(".")
        is_older = suffix in FORMATS and any(stem == name or stem.startswith(f"{name}.") for name in drawn)
        (older.setdefault(suffix, []) if is_older else removed).append(path)
    if removed:
        yield f"{_several(removed)}: no figure has {_it(removed)}; `figmill clean` removes {_it(removed)}"
    for suffix, paths in older.items():
        why = "its figure has changed" if len(paths) == 1 else "their figures have changed"
        them = _it(paths)
        again = f"`figmill export --to {suffix}` makes {them} again"
        yield f"{_several(paths)}: {why}; {again}, `figmill clean` removes {them}"


def _several(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{min(paths, key=len)} and {len(paths) - 1} more"


def _it(paths: Sequence[str]) -> str:
    return "it" if len(paths) == 1 else "them"


def _shared_reasons(report: Report) -> Mapping[str, int]:
    """Reasons that concern several figures, such as a new version of a tool, with their counts."""
    counts = Counter(reason for row in report.rows for reason in row.reasons if reason in report.shared)
    return {reason: count for reason, count in sorted(counts.items()) if count > 1}


def _row_lines(row: Row, shared: Mapping[str, int], style: ReportStyle) -> Iterator[StyledLine]:
    status = paint(f"{row.status:9}", _OF_STATUS.get(row.status, "yellow"), style)
    time = f"  {row.seconds:.2f} s" if row.seconds >= 0.005 and not row.changes else ""
    reasons = [reason for reason in row.reasons if style.explain or reason not in shared]
    why = f"  ({', '.join(reasons)})" if reasons else ""
    what = f"  {'; '.join(row.phrases)}" if row.phrases else ""
    if row.share is not None:
        what += f"  {share_of(row.share)}"
    yield joined(status, f" {row.path or row.label}{time}{why}{what}")
    if style.explain and row.note:
        yield f"          {row.note}"
    if style.verbose:
        yield from (f"          | {line}" for line in row.printed.splitlines())


def share_of(share: float) -> str:
    """A share of pixels in words."""
    if share == 0:
        return "no pixel"
    return f"{100 * share:.1f} % of the pixels" if share >= 0.001 else "under 0.1 % of the pixels"


def _diff_lines(changes: Iterable[Change], style: ReportStyle) -> Iterator[StyledLine]:
    for line in (line for change in changes for line in diff.diff(change)):
        colour = "bold" if line.startswith(("+++", "---")) else _OF_DIFF.get(line[:1])
        yield paint(line, colour, style) if colour else line


def build_summary(report: Report, style: ReportStyle) -> StyledLine:
    """The last line of a build: the number of figures, and of each status."""
    counts = report.counts
    total = sum(counts.values())
    if counts.get(Status.FRESH, 0) == total and all(row.is_figure for row in report.rows):
        return fastpath.summary(total)
    line = ", ".join(
        [_figures(total), *(f"{counts[status]} {status}" for status in Status if counts.get(status))]
    )
    if counts.get(Status.FAILED):
        return paint(line, "red", style)
    return line + (" (nothing was written)" if report.dry else "")


def lint_lines(report: LintReport, style: ReportStyle) -> Iterator[StyledLine]:
    """The lines of `lint` for standard output: one per figure and check, then the counts by check."""
    for finding in report_lines(with_one_install(report.findings), style.verbose):
        yield from _finding_lines(finding, finding.first.tagged, style)
    if style.verbose:
        for note in report.notes:
            yield paint(f"{note.origin}: note: {note.tagged}", "dim", style)
        for diagnostic, reason in report.excused:
            message = f"{diagnostic.message} [{diagnostic.check}: {reason}]"
            yield paint(f"{diagnostic.origin}: let off: {message}", "dim", style)
    yield lint_summary(report, style.verbose)


def lint_summary(report: LintReport, verbose: bool = False) -> str:
    """The last line of `lint`: the number of figures, and of findings and notes by check. verbose: notes are listed."""
    findings, noted = (
        ", ".join(f"{count} {check}" for check, count in counts.items())
        for counts in (report.counts, by_check(report.notes))
    )
    notes = f"; noted: {noted}{'' if verbose else ' (--verbose lists them)'}" if noted else ""
    excused = f"; {len(report.excused)} let off" if report.excused else ""
    if not report.figures and report.noun == "figure" and not findings:
        return fastpath.summary(0)
    count = _figures(report.figures, report.noun)
    return f"{count}: {findings or 'nothing found'}{notes}{excused}"


def _figures(count: int, noun: str = "figure") -> str:
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"
