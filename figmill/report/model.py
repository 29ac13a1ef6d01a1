"""What came of a build -> lines, JSON, annotations; the exit code. Pure, and the one owner of both.

Unaware of how figures are made; a row a figure is all it sees.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import quote

from figmill import fastpath
from figmill.checks import CHECKS
from figmill.errors import AuthorError
from figmill.host.lines import as_json as json_text
from figmill.host.lines import one_line, printable, shown, shown_lines, shown_source
from figmill.model import Change, Json, Origin, Warned
from figmill.report import diff

WELL, FAILED, DIFFERS = 0, 1, 3

FAILS = "figure-fails"  # the rule that a figure breaks which cannot be built
FOLD = 20  # figures whose diffs are shown


@dataclass(frozen=True, slots=True)
class Row:
    """One figure in a report."""

    id: str | None  # None: its file could not be read that far
    name: str | None
    kind: str | None
    status: str  # rendered, exported, unchanged, fresh, failed; would-create, would-change, would-remove
    reasons: tuple[str, ...] = ()
    path: str | None = None
    seconds: float = 0.0
    errors: tuple[AuthorError, ...] = ()
    warnings: tuple[Warned, ...] = ()
    changes: tuple[Change, ...] = ()
    note: str = ""  # for --explain: how the source was found
    said: str = ""  # for --verbose: what its script printed

    @property
    def label(self) -> str:
        return self.id or "?" if self.name is None else f"{self.id}-{self.name}"


@dataclass(frozen=True, slots=True)
class Report:
    """All rows in order, outputs that no figure claims, and how the build was asked for."""

    rows: tuple[Row, ...]
    orphans: tuple[str, ...] = ()
    dry: bool = False
    check: bool = False
    shared: frozenset[str] = frozenset()  # reasons that concern every figure: told once, with their count

    @property
    def counts(self) -> Mapping[str, int]:
        return Counter(row.status for row in self.rows)

    @property
    def code(self) -> int:
        if self.counts.get("failed"):
            return FAILED
        if self.check and any(status.startswith("would-") for status in self.counts):
            return DIFFERS
        return WELL


@dataclass(frozen=True, slots=True)
class Look:
    """How a report is to be shown."""

    verbose: bool = False
    explain: bool = False
    colour: bool = False


_COLOURS = MappingProxyType(
    {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "bold": "1", "dim": "2"}
)


def paint(text: str, colour: str, look: Look) -> str:
    """One line, or a part of it, as it is to be shown; in a colour where there are any."""
    text = printable(text)
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if look.colour else text


def error_lines(error: AuthorError, look: Look) -> Iterator[str]:
    """One line to click on, then the detail, indented."""
    yield f"{paint(str(error.origin), 'bold', look)}: {paint(error.message, 'red', look)}"
    yield from detail_lines(error.detail)
    if look.verbose:
        yield from detail_lines(error.trace)


def detail_lines(detail: str) -> Iterator[str]:
    """Further lines, indented; none of them is a command to whoever reads the log."""
    yield from (f"    {line}" for line in shown_lines(detail))


def problem_lines(report: Report, look: Look) -> Iterator[str]:
    """What belongs on standard error: every failure, every warning, each once."""
    seen: set[str] = set()
    for row in report.rows:
        for error in row.errors:
            lines = list(error_lines(error, look))
            if str(error) not in seen:
                yield from lines
            seen.add(str(error))
    for warning in dict.fromkeys(str(warning) for row in report.rows for warning in row.warnings):
        yield paint(warning, "yellow", look)


def text_lines(report: Report, look: Look) -> Iterator[str]:
    """What belongs on standard output: a line for each figure that was touched, then the count."""
    told = _shared_reasons(report)
    for reason, count in told.items():
        yield paint(one_line(f"{reason} changed: {count} figures are looked at again"), "cyan", look)
    diffs = 0
    for row in report.rows:
        quiet = row.status == "fresh" or (row.status == "unchanged" and report.dry)
        if row.status == "failed" or (quiet and not look.explain):
            continue
        yield from _row_lines(row, told, look)
        differs = [change for change in row.changes if diff.verb(change)]
        if differs and not report.check:
            diffs += 1
            if diffs <= FOLD:
                yield from _diff_lines(differs, look)
    if diffs > FOLD:
        yield f"... and the diffs of {diffs - FOLD} more figures; --id shows one"
    for orphan in report.orphans:
        told_of = shown(f"  {orphan}: no figure makes it any more; `clean` removes it")
        yield f"{paint('orphan', 'yellow', look)}{told_of}"
    yield summary(report, look)


def _shared_reasons(report: Report) -> Mapping[str, int]:
    """What concerns several figures at once, such as a new version of a tool, and how many."""
    counts = Counter(reason for row in report.rows for reason in row.reasons if reason in report.shared)
    return {reason: count for reason, count in sorted(counts.items()) if count > 1}


def _row_lines(row: Row, told: Mapping[str, int], look: Look) -> Iterator[str]:
    colour = {"rendered": "green", "exported": "green", "unchanged": "dim", "fresh": "dim"}.get(
        row.status, "yellow"
    )
    time = f"  {row.seconds:.2f} s" if row.seconds >= 0.005 and not row.changes else ""
    own = [reason for reason in row.reasons if look.explain or reason not in told]
    why = f"  ({', '.join(own)})" if own else ""
    yield f"{paint(f'{row.status:9}', colour, look)} {shown(f'{row.path or row.label}{time}{why}')}"
    if look.explain and row.note:
        yield f"          {shown(row.note)}"
    if look.verbose:
        yield from (f"          | {line}" for line in shown_lines(row.said))


def _diff_lines(differs: Iterable[Change], look: Look) -> Iterator[str]:
    for change in differs:
        for line in diff.diff(change):
            colour = "bold" if line.startswith(("+++", "---")) else \
                {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])  # fmt: skip
            yield paint(shown_source(line), colour, look) if colour else shown_source(line)


def summary(report: Report, look: Look) -> str:
    """The last line: how many figures, and how many of each status."""
    counts = report.counts
    total = sum(counts.values())
    if counts.get("fresh", 0) == total:
        return fastpath.summary(total)
    order = (
        "rendered",
        "exported",
        "unchanged",
        "fresh",
        "would-create",
        "would-change",
        "would-remove",
        "failed",
    )
    count = "1 figure" if total == 1 else f"{total} figures"
    parts = [f"{counts[name]} {name}" for name in order if counts.get(name)]
    line = ", ".join([count, *parts])
    if counts.get("failed"):
        return paint(line, "red", look)
    return line + (" (nothing was written)" if report.dry else "")


def as_json(report: Report) -> str:
    """The whole report as one JSON object."""
    figures: list[Json] = [_json_row(row) for row in report.rows]
    numbers: dict[str, Json] = {"total": len(report.rows), **dict(sorted(report.counts.items()))}
    whole: dict[str, Json] = {
        "figures": figures,
        "summary": {**numbers, "orphans": list(report.orphans), "exit": report.code},
    }
    return json_text(whole)


def _json_row(row: Row) -> Json:
    found: dict[str, Json] = {
        "id": row.id,
        "name": row.name,
        "kind": row.kind,
        "status": row.status,
        "reasons": list(row.reasons),
        "path": row.path,
        "seconds": round(row.seconds, 3),
    }
    if row.warnings:
        found["warnings"] = [str(warning) for warning in row.warnings]
    if row.errors:
        found["error"] = _json_error(row.errors[0])
        if len(row.errors) > 1:
            found["errors"] = [_json_error(error) for error in row.errors]
    return found


def _json_error(error: AuthorError) -> dict[str, Json]:
    at = error.origin
    return {"file": at.path, "line": at.line, "column": at.column, "message": error.message}


def github_lines(report: Report) -> Iterator[str]:
    """Workflow commands: each failure and warning is shown at its line of the pull request."""
    for row in report.rows:
        for error in row.errors:
            text = "\n".join(part for part in (error.message, error.detail) if part)
            yield github_line("error", error.origin, text)
        for warning in row.warnings:
            yield github_line("warning", warning.origin, f"{warning.message} [{warning.check}]")
    yield summary(report, Look())


def github_line(level: str, at: Origin, text: str) -> str:
    """One workflow command, whatever stands in the text and in the path."""
    lines = "\n".join(shown_lines(text))
    return f"::{level} {printable(_github_place(at))}::{_escaped(lines)}"


def _github_place(at: Origin) -> str:
    numbers = (f",{name}={value}" for name, value in (("line", at.line), ("col", at.column)) if value)
    return f"file={_escaped(one_line(at.path), ',:')}" + "".join(numbers)


def _escaped(text: str, more: str = "") -> str:
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def as_sarif(report: Report) -> str:
    """SARIF 2.1.0, as code scanning services read it."""
    results: list[Json] = []
    for row in report.rows:
        results += [sarif_result(FAILS, "error", e.origin, e.message) for e in row.errors]
        results += [sarif_result(w.check, "warning", w.origin, w.message) for w in row.warnings]
    return sarif(results)


def sarif(results: Iterable[Json]) -> str:
    """A SARIF file with the table of checks and these results."""
    rules: list[Json] = [{"id": FAILS}]
    rules += [{"id": name, "shortDescription": {"text": check.about}} for name, check in CHECKS.items()]
    whole: dict[str, Json] = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": {"name": "figmill", "rules": rules}}, "results": list(results)}],
    }
    return json_text(whole)


def sarif_result(rule: str, level: str, at: Origin, message: str) -> Json:
    """One result at its line."""
    region: dict[str, Json] = {"startLine": at.line or 1}
    if at.column:
        region["startColumn"] = at.column
    place: Json = {
        "physicalLocation": {"artifactLocation": {"uri": quote(os.fsencode(at.path))}, "region": region}
    }
    return {"ruleId": rule, "level": level, "message": {"text": message}, "locations": [place]}
