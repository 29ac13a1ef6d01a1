"""A report as one JSON object. Pure."""

from __future__ import annotations

from figmill.host.lines import as_json, in_ascii
from figmill.model import Json, Origin
from figmill.report.model import Diagnostic, LintReport, Report, Row


def build_json(report: Report) -> str:
    """`figures`: one object per row; `summary`: the number of each status, the orphans and the exit code.

    `warnings`, if there are any: of questions without a figure.
    """
    figures: list[Json] = [_row(row) for row in report.rows]
    counts: dict[str, Json] = dict(sorted(report.counts.items()))
    summary: dict[str, Json] = {
        "total": len(report.rows),
        **counts,
        "orphans": list(report.orphans),
        "exit": report.code,
    }
    warnings: list[Json] = [{"id": note.id, **_warning(note)} for note in report.notes]
    return as_json({"figures": figures, **({"warnings": warnings} if warnings else {}), "summary": summary})


def lint_json(report: LintReport) -> str:
    """`findings`, and `notes` if there are any: one object per diagnostic; `summary`: counts, and the exit code."""
    findings: list[Json] = [_finding(diagnostic) for diagnostic in report.findings]
    notes: list[Json] = [_finding(diagnostic) for diagnostic in report.notes]
    summary: dict[str, Json] = {
        "figures": report.figures,
        "findings": len(findings),
        "excused": len(report.excused),
        "checks": dict(report.counts),
        "exit": report.code,
    }
    return as_json({"findings": findings, **({"notes": notes} if notes else {}), "summary": summary})


def encodable(text: str, encoding: str | None) -> str:
    """The same JSON in characters of the stream's encoding; None means ASCII only."""
    try:
        text.encode(encoding or "ascii")
    except UnicodeEncodeError:
        return in_ascii(text)
    return text


def _row(row: Row) -> Json:
    figure: dict[str, Json] = {
        "id": row.id,
        "name": row.name,
        "kind": row.kind,
        "status": row.status,
        "reasons": list(row.reasons),
        "path": row.path,
        "seconds": round(row.seconds, 3),
    }
    if row.was:
        figure["was"] = row.was
    if row.phrases:
        figure["changed"] = list(row.phrases)
    if row.share is not None:
        figure["pixels"] = round(row.share, 6)
    if row.failed_before:
        figure["failed_before"] = str(row.failed_before[0])
    if row.warnings:
        figure["warnings"] = [_warning(finding) for finding in row.findings]
    if row.errors:
        errors: list[Json] = [_error(failure) for failure in row.failures]
        figure["error"] = errors[0]
        if len(errors) > 1:
            figure["errors"] = errors
    return figure


def _error(failure: Diagnostic) -> Json:
    return {**_place(failure.origin), "message": failure.message}


def _warning(finding: Diagnostic) -> dict[str, Json]:
    return {**_place(finding.origin), "message": finding.message, "check": finding.check}


def _finding(diagnostic: Diagnostic) -> Json:
    return {
        "id": diagnostic.id,
        "name": diagnostic.name,
        "check": diagnostic.check,
        "level": diagnostic.level,
        **_place(diagnostic.origin),
        "message": diagnostic.message,
    }


def _place(at: Origin) -> dict[str, Json]:
    return {"file": at.path, "line": at.line, "column": at.column}
