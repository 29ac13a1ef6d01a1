"""Make an export in another process of the pool: the SVG is sent, the bytes of a PNG or PDF come back.

Unaware of how an export is made (exporter.py), of books, and of how processes are started.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from figmill.errors import AuthorError, ToolError
from figmill.formats import FORMATS
from figmill.kind.job import Raw
from figmill.late_dataclasses import dataclass
from figmill.model import Form, Visual
from figmill.palette import Role
from figmill.render.results import FollowUp, FollowUpAnswer

LIBRARY = "typst"
# The checks of an export.
ALIKE, UNTAGGED, SMALL_PRINT = "grey-alike", "untagged", "small-print"


@dataclass(frozen=True, slots=True)
class Exported:
    """The bytes of an export, and the findings about it: the name of a check, and its message."""

    data: bytes
    findings: tuple[tuple[str, str], ...] = ()


def exporting(
    visual: Visual,
    form: Form,
    fonts: Sequence[Path],
    memory: int,
    page: str,
    palette: Sequence[Role],
    language: str,
) -> FollowUp:
    """The follow-up that exports a published SVG; `exported` takes its answer.

    fonts, palette, language: the book's; memory: in bytes; page: the colour behind the figure, empty for none.
    """
    function: Callable[[Raw], FollowUpAnswer] = partial(
        _export, form, tuple(fonts), page, tuple(palette), language
    )
    return FollowUp(function, "exported", visual.source, visual.timeout, memory)


def _export(
    form: Form, fonts: tuple[Path, ...], page: str, palette: tuple[Role, ...], language: str, raw: Raw
) -> FollowUpAnswer:
    from figmill.publish import exporter  # loads libraries that a process that only settles does not need
    from figmill.svg import grey_ink

    svg = raw.svg
    findings: list[tuple[str, str]] = []
    if form.ink:
        try:
            svg, alike = grey_ink.printed(svg, palette)
        except ValueError as error:
            return {"failed": str(error)}, b""
        findings += [(ALIKE, message) for message in alike]
    if not FORMATS[form.format].writer:
        return {"findings": findings}, svg
    try:
        loaded = exporter.fonts_of(svg, fonts)
    except Exception as error:
        return {"tool_error": f"{LIBRARY} does not start: {type(error).__name__}: {error}"}, b""
    try:
        written = exporter.export(svg, form, loaded, page, language)
    except exporter.ExportError as error:
        return {"failed": str(error)}, b""
    except BaseException as error:  # a panic of the library is not an Exception
        return {"failed": f"{LIBRARY} failed: {type(error).__name__}: {error}"}, b""
    if written.untagged:
        findings.append((UNTAGGED, written.untagged))
    return {"findings": findings}, written.data


def exported(answer: FollowUpAnswer | AuthorError) -> Exported | str:
    """An export, or the reason for its failure. Raises ToolError if the library does not start."""
    if isinstance(answer, AuthorError):
        return answer.message
    header: dict[str, Any]
    header, data = answer
    if "tool_error" in header:
        raise ToolError(str(header["tool_error"]))
    if "failed" in header:
        return str(header["failed"])
    return Exported(data, tuple((str(check), str(message)) for check, message in header["findings"]))
