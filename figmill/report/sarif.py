"""Diagnostics as SARIF 2.1.0, for code scanning services. Pure."""

from __future__ import annotations

import os
from collections.abc import Iterable
from urllib.parse import quote

from figmill.checks import CHECKS, ERROR, NOTE
from figmill.host.lines import as_json
from figmill.model import Json
from figmill.report.model import FAILS, Diagnostic


def sarif(diagnostics: Iterable[Diagnostic]) -> str:
    """A SARIF file: the checks as its rules, the diagnostics as its results."""
    rules: list[Json] = [{"id": FAILS}]
    rules += [{"id": name, "shortDescription": {"text": check.about}} for name, check in CHECKS.items()]
    driver: Json = {"name": "figmill", "rules": rules}
    results: list[Json] = [_result(diagnostic) for diagnostic in diagnostics]
    return as_json(
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{"tool": {"driver": driver}, "results": results}],
        }
    )


def _result(diagnostic: Diagnostic) -> Json:
    """One diagnostic at its line, or line 1 if only the file is known."""
    at = diagnostic.origin
    region: dict[str, Json] = {"startLine": at.line or 1}
    if at.column:
        region["startColumn"] = at.column
    place: Json = {"artifactLocation": {"uri": quote(os.fsencode(at.path))}, "region": region}
    return {
        "ruleId": diagnostic.check,
        "level": {ERROR: "error", NOTE: "note"}.get(diagnostic.level, "warning"),
        "message": {"text": diagnostic.message},
        "locations": [{"physicalLocation": place, **_figure(diagnostic)}],
    }


def _figure(diagnostic: Diagnostic) -> dict[str, Json]:
    """The name of the figure, as SARIF's logical location."""
    return {} if diagnostic.label is None else {"logicalLocations": [{"name": diagnostic.label}]}
