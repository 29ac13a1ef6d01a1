"""The checks on drawings outside a book: SVG bytes in, findings out.

A drawing has the limits of a drawing in a book. It is measured in its own kind of font, on a white page, and pictures
that it refers to are not read. Unaware of where its bytes come from.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from figmill import checks
from figmill.checks import CHECKS, OFF
from figmill.errors import AuthorError, held, one_line
from figmill.house_style import NONE, Style
from figmill.model import Origin, Warned
from figmill.report.model import Diagnostic, LintReport, in_order
from figmill.svg import CHECKS as OF_DRAWINGS
from figmill.svg import Normal, Sheet, SvgError, SvgWarning, in_themes, is_laid_out, still_copy

ACTIVE = "active-content"
# Stands for every picture that is not read: one transparent pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def lint_drawings(
    drawings: Iterable[tuple[str, bytes | str]],
    chosen: Mapping[str, str],
    strict: bool = False,
    style: Style = NONE,
) -> LintReport:
    """The findings on drawings: each its name with its bytes, or with the reason why it cannot be read.

    chosen: levels of checks that differ from the defaults. style: the house style that they should keep.
    """
    levels = checks.levels_alone(chosen)
    count = 0
    diagnostics: list[Diagnostic] = []
    for name, data in drawings:
        count += 1
        if isinstance(data, str):
            diagnostics.append(Diagnostic.failure(AuthorError(Origin(name), data), None, None))
        else:
            diagnostics += findings(name, data, levels, style)
    return LintReport(in_order(diagnostics), (), count, strict, noun="drawing")


def findings(name: str, data: bytes, levels: Mapping[str, str], style: Style = NONE) -> Iterator[Diagnostic]:
    """The findings on one drawing, as errors where its level is one; a drawing that cannot be read is a failure."""
    style = style.without_places() if is_laid_out(data) else style
    wanted = frozenset(check for check, level in levels.items() if level != OFF)
    try:
        form, warnings = looked_at(data, replace(sheet_of(wanted), style=style))
    except SvgError as error:
        for each in (error, *error.others):
            yield Diagnostic.failure(
                AuthorError(Origin(name, each.line, each.column), each.message), None, None
            )
        return
    except Exception as error:  # a fault of ours: the other drawings are still checked
        yield Diagnostic.failure(held(Origin(name), "checking this drawing", error), None, None)
        return
    for line, message, check in (*warnings, *form.warnings):
        if check in wanted:
            warned = Warned(Origin(name, line), one_line(message), check)
            yield Diagnostic.of_check(warned, levels[check], None, None)


def sheet_of(wanted: frozenset[str], title: str = "drawing", desc: str = "") -> Sheet:
    """The settings for settling a drawing outside a book: no page, its own kind of font."""
    return Sheet(
        "drawing",
        title,
        desc,
        background="none",
        own_fonts=True,
        any_pictures=True,
        checks=wanted & OF_DRAWINGS,
    )


def looked_at(data: bytes, sheet: Sheet) -> tuple[Normal, tuple[SvgWarning, ...]]:
    """The normal form of a drawing, and what had to be left out for it. Raises SvgError.

    Lines are those of the file, or None if what was left out has moved them.
    """
    try:
        return in_themes(data, sheet, ("light",), _no_picture)[0], ()
    except SvgError as error:
        copy = still_copy(data)
        if not copy.removed and not copy.added:
            raise error from None
        form = in_themes(copy.svg, sheet, ("light",), _no_picture)[0]
    if copy.svg.count(b"\n") != data.count(b"\n"):
        moved = tuple(finding._replace(line=None) for finding in form.warnings)
        form = Normal(form.svg, form.width, form.height, moved, form.texts)
    removed = tuple(
        SvgWarning(None, f"{what}: it does nothing in an <img>, and may act on a reader elsewhere", ACTIVE)
        for what in copy.removed
    )
    return form, removed


def _no_picture(_: str) -> bytes:
    return PIXEL


def known(check: str) -> bool:
    """Whether a check can run on a drawing outside a book."""
    return check in CHECKS and (CHECKS[check].alone != OFF or check in OF_DRAWINGS)
