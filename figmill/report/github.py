"""A report as GitHub's workflow commands, which show each diagnostic at its line of a pull request. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from figmill.checks import ERROR, NOTE
from figmill.host.lines import one_line
from figmill.model import Origin
from figmill.report.lines import ReportLine
from figmill.report.model import Diagnostic, LintReport, Report
from figmill.report.text import ReportStyle, build_summary, lint_summary


def build_github(report: Report) -> Iterator[str]:
    """One command per diagnostic, then the last line of the text report; for `streams.annotate`."""
    for diagnostic in report.diagnostics:
        yield command_of(diagnostic, diagnostic.headline + ReportLine.of(diagnostic).figures)
    yield str(build_summary(report, ReportStyle()))


def lint_github(report: LintReport) -> Iterator[str]:
    """One command per diagnostic, then the last line of the text report."""
    for diagnostic in report.diagnostics:
        yield command_of(diagnostic, diagnostic.tagged + ReportLine.of(diagnostic).figures)
    yield lint_summary(report, verbose=True)


def command_of(diagnostic: Diagnostic, text: str) -> str:
    """One workflow command, escaped so that nothing in the text or path can end it or begin another."""
    level = {ERROR: "error", NOTE: "notice"}.get(diagnostic.level, "warning")
    lines = "\n".join(part for part in (text, diagnostic.detail) if part)
    return f"::{level} {_place(diagnostic.origin)}::{_escaped(lines)}"


def _place(at: Origin) -> str:
    numbers = (f",{name}={value}" for name, value in (("line", at.line), ("col", at.column)) if value)
    return f"file={_escaped(one_line(at.path), ',:')}" + "".join(numbers)


def _escaped(text: str, more: str = "") -> str:
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
