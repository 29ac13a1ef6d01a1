"""What `lint` has found -> lines, JSON, annotations; the exit code. Pure.

Unaware of how figures are looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from figmill.checks import ERROR
from figmill.errors import AuthorError
from figmill.host import lines
from figmill.model import Json, Origin, Warned
from figmill.report import model
from figmill.report.model import FAILED, WELL, Look, paint

FAILS = model.FAILS  # the check of a figure that cannot be built at all


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found. id and name: of the figure; None where it is the book's, or cannot be read."""

    id: str | None
    name: str | None
    check: str
    level: str  # "warn" or "error"
    origin: Origin
    message: str
    detail: str = ""
    trace: str = ""  # for --verbose

    @classmethod
    def of(cls, warned: Warned, level: str, id_: str | None, name: str | None) -> Finding:
        return cls(id_, name, warned.check, level, warned.origin, warned.message)

    @classmethod
    def failure(cls, error: AuthorError, id_: str | None, name: str | None) -> Finding:
        return cls(id_, name, FAILS, ERROR, error.origin, error.message, error.detail, error.trace)

    @property
    def order(self) -> tuple[str, int, int, str, str]:
        """By file and line."""
        at = self.origin
        return at.path, at.line or 0, at.column or 0, self.check, self.message


@dataclass(frozen=True, slots=True)
class Linted:
    """All findings by file and line; those that a figure's exceptions let pass, each with the reason."""

    findings: tuple[Finding, ...]
    excused: tuple[tuple[Finding, str], ...]
    figures: int  # how many were looked at
    strict: bool = False

    @property
    def code(self) -> int:
        """FAILED where a finding is an error, or --strict makes it one."""
        return FAILED if any(self.strict or f.level == ERROR for f in self.findings) else WELL


def text_lines(linted: Linted, look: Look) -> Iterator[str]:
    """A line a finding, then a count by check."""
    for finding in linted.findings:
        colour = "red" if finding.level == ERROR else "yellow"
        message = paint(f"{finding.message} [{finding.check}]", colour, look)
        yield f"{paint(str(finding.origin), 'bold', look)}: {message}"
        yield from model.detail_lines(finding.detail)
        if look.verbose:
            yield from model.detail_lines(finding.trace)
    if look.verbose:
        for finding, reason in linted.excused:
            told = f"{finding.origin}: let off: {finding.message} [{finding.check}: {reason}]"
            yield paint(lines.one_line(told), "dim", look)
    yield summary(linted)


def summary(linted: Linted) -> str:
    """The last line: figures, and findings by check."""
    figures = "1 figure" if linted.figures == 1 else f"{linted.figures} figures"
    counts = Counter(finding.check for finding in linted.findings)
    found = ", ".join(f"{count} {check}" for check, count in sorted(counts.items()))
    excused = f"; {len(linted.excused)} let off" if linted.excused else ""
    return f"{figures}: {found or 'nothing found'}{excused}"


def as_json(linted: Linted) -> str:
    """One object: `findings`, each with what it is about and where, and `summary` with the counts."""
    counts: dict[str, Json] = dict(sorted(Counter(f.check for f in linted.findings).items()))
    rows: list[Json] = [_json(finding) for finding in linted.findings]
    whole: dict[str, Json] = {
        "findings": rows,
        "summary": {
            "figures": linted.figures,
            "findings": len(linted.findings),
            "excused": len(linted.excused),
            "checks": counts,
            "exit": linted.code,
        },
    }
    return lines.as_json(whole)


def _json(finding: Finding) -> Json:
    at = finding.origin
    return {
        "id": finding.id,
        "name": finding.name,
        "check": finding.check,
        "level": finding.level,
        "file": at.path,
        "line": at.line,
        "column": at.column,
        "message": finding.message,
    }


def github_lines(linted: Linted) -> Iterator[str]:
    """Workflow commands: each finding is shown at its line of the pull request."""
    for finding in linted.findings:
        level = "error" if finding.level == ERROR else "warning"
        text = "\n".join(part for part in (f"{finding.message} [{finding.check}]", finding.detail) if part)
        yield model.github_line(level, finding.origin, text)
    yield summary(linted)


def as_sarif(linted: Linted) -> str:
    """SARIF 2.1.0, as code scanning services read it."""
    levels = {ERROR: "error"}
    return model.sarif(
        model.sarif_result(f.check, levels.get(f.level, "warning"), f.origin, f.message)
        for f in linted.findings
    )


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each once, by file and line."""
    return tuple(sorted(dict.fromkeys(findings), key=lambda finding: finding.order))
