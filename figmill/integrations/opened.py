"""Open a book for a host: find it, build it once, read its manifest.

The build runs in its own process (see docs/decisions/2026-11-22-hosts-build-by-command.md); for an unchanged book
this process answers, from file stats alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from figmill import checks, config, fastpath
from figmill.checks import WARN
from figmill.errors import ToolError
from figmill.host.lines import one_line, shown
from figmill.integrations import figures
from figmill.integrations.figures import Catalogue
from figmill.late_dataclasses import dataclass
from figmill.paths import this_python

if TYPE_CHECKING:
    from figmill.report.model import Diagnostic


@dataclass(frozen=True, slots=True)
class Opened:
    """A book opened for pages.

    - failures: figure label -> place and reason of its failure.
    - warnings: of its build.
    - unexported: why nothing could be exported at all.
    - fences: the languages of code blocks that are figures.
    - images: the suffixes of images that are.
    """

    root: Path
    catalogue: Catalogue
    failures: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    watched: tuple[Path, ...] = ()  # the folders of its questions and sources
    unexported: str | None = None
    fences: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    page_folders: tuple[str, ...] = ()
    judges_numbers: bool = True  # whether numbers in pages are compared with what figures state
    claims_record: str = ""  # the file with what each number was bound to

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that a host reports about the build, each once: the warnings, then the failures."""
        return tuple(dict.fromkeys((*self.warnings, *self.failures.values())))

    def in_language(self, code: str | None) -> Opened:
        """The same book for pages in this language."""
        catalogue = self.catalogue.in_language(code)
        return self if catalogue is self.catalogue else replace(self, catalogue=catalogue)


# Finds a book: upwards from a folder, or the one that a page names.
BookFinder: TypeAlias = Callable[[Path, str | None], Opened | ToolError]


def find(start: Path, given: str | None) -> Path:
    """The root of the book. given: its folder, relative to `start`; None: search upwards. Raises ToolError."""
    if not given:
        return config.find_root(start)
    root = (start / given).resolve()
    if not root.is_dir():
        raise ToolError(f"the book {one_line(str(root))} is not a folder")
    return root


def open_book(root: Path, *, build: bool = True, forms: Iterable[str] = ()) -> Opened:
    """The book at this root, built first if `build` is set. forms: additional formats: `pdf`, `png`.

    Raises ToolError if there are no figures to show.
    """
    options = config.load(root)
    failures, warnings, unexported = _built(root, tuple(forms)) if build else ({}, (), None)
    folder = root / ("build" if options.in_place else options.output)
    try:
        catalogue = figures.load(folder).of_book(options.language, dict(options.words))
    except ToolError as error:
        if warnings:
            raise ToolError(f"{error}; its build said: {warnings[0]}") from None
        raise
    watched = tuple(root / name for name in options.folders)
    judges = checks.levels(options.lint, ("contradicted",))["contradicted"] != checks.OFF
    return Opened(
        root,
        catalogue,
        failures,
        warnings,
        watched,
        unexported,
        options.fences,
        options.images,
        options.page_folders,
        judges,
        options.claims_record,
    )


def _built(root: Path, forms: tuple[str, ...]) -> tuple[Mapping[str, str], tuple[str, ...], str | None]:
    """Build the book; returns the failures by label, the lines of its warnings, and why there are no exports."""
    answer, _ = fastpath.answer(str(root), frozenset(f"{form}@1.0" for form in forms))
    if answer is not None:
        return {}, tuple(answer[1]), None
    import subprocess  # the fast path above needs none, nor the words of a report

    exports = [word for form in forms for word in ("--to", form)]
    done = subprocess.run(
        # -P: ignores a figmill.py beside the pages
        [this_python(), "-P", "-m", "figmill", "--root", str(root), "--format", "json", *exports],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    try:
        report = json.loads(done.stdout)
        return failures_of(report["figures"]), warnings_of(report), None
    except (ValueError, KeyError, TypeError):  # it ended before it could report
        output = done.stderr.decode("utf-8", "replace").strip().splitlines() or [
            f"exit code {done.returncode}"
        ]
        if forms and done.returncode == 2:
            failures, warnings, _ = _built(root, ())
            why = one_line(output[0]).removeprefix("figmill: ")
            return failures, (*warnings, why), why
        return {}, (one_line(output[0]),), None


def failures_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Figure label -> place and reason of its failure; an unreadable question's label is its file's stem."""
    failures = {}
    for row in rows:
        if error := row.get("error"):
            label = row["id"] or Path(error["file"]).stem
            column = error["column"] if error["file"].endswith(fastpath.PAGES) else None
            parts = (error["file"], error["line"], column)
            place = ":".join(str(part) for part in parts if part is not None)
            failures[f"{label}-{row['name']}" if row["name"] else label] = one_line(
                f"{place}: {error['message']}"
            )
    return failures


def warnings_of(report: Mapping[str, Any]) -> tuple[str, ...]:
    """The lines of a build's warnings, as the command shows them and the fast path keeps them."""
    from figmill.report.text import ReportStyle, warning_lines

    rows = [
        (row["id"], row["name"], warning) for row in report["figures"] for warning in row.get("warnings", ())
    ]
    rows += [(warning["id"], None, warning) for warning in report.get("warnings", ())]
    lines = warning_lines((_diagnostic(*each) for each in rows), ReportStyle())
    return tuple(shown(str(line)) for line in lines)


def _diagnostic(id_: str | None, name: str | None, row: Mapping[str, Any]) -> Diagnostic:
    from figmill.model import Origin
    from figmill.report.model import Diagnostic

    at = Origin(row["file"], row["line"], row["column"])
    return Diagnostic(row["check"], WARN, at, row["message"], id=id_, name=name)
