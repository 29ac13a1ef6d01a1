"""Settle figures in another process, which an author's bytes cannot leave: plain data goes back, and is looked at.

Unaware of what settling is, of files, and of how processes are started.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from figmill import checks
from figmill.config import Options
from figmill.errors import AuthorError
from figmill.kinds.job import Raw
from figmill.model import Fact, Origin, Visual, Warned
from figmill.publish.finalise import Page, Settled, settle, themes_of
from figmill.render.protocol import Shared
from figmill.render.results import FollowUp, Made


def settling(visual: Visual, options: Shared[Options], every: bool = False) -> FollowUp:
    """`settle` of what is still to be drawn, for another process to do; `unpacked` takes what it answers."""
    function: Callable[[Raw], Made] = partial(_settled, visual, options, every)
    return FollowUp(function, "read and checked", visual.source, visual.timeout, options.value.memory)


def _settled(visual: Visual, options: Shared[Options], every: bool, raw: Raw) -> Made:
    return packed(settle(visual, raw, options.value, every))


def packed(settled: Settled | tuple[AuthorError, ...]) -> Made:
    """What settling came to as plain data: JSON, and the pages' bytes one after the other."""
    if not isinstance(settled, Settled):
        return {"errors": [[*_row(e.origin), e.message, e.detail] for e in settled]}, b""
    header = {
        "pages": [[page.theme, len(page.svg), page.width, page.height] for page in settled.pages],
        "alt": settled.alt,
        "caption": settled.caption,
        "warnings": [[*_row(found.origin), found.message, found.check] for found in settled.warnings],
        "excused": [[*_row(found.origin), found.message, found.check] for found in settled.excused],
    }
    return header, b"".join(page.svg for page in settled.pages)


def _row(at: Origin) -> tuple[str, int | None, int | None]:
    return at.path, at.line, at.column


def unpacked(made: Made, visual: Visual, facts: Mapping[str, Fact]) -> Settled | tuple[AuthorError, ...]:
    """The same again. Raises ValueError where it is nothing that settling this figure comes to."""
    header, payload = made
    if "errors" in header:
        errors = tuple(AuthorError(at, *words) for at, words in _rows(header["errors"]))
        _hold(bool(errors), "no errors")
        return errors
    pages: list[Page] = []
    start = 0
    for row in _list(header.get("pages"), 4):
        theme, size, width, height = row
        _hold(_is_whole(size) and 0 < size <= len(payload) - start, "a page of no size")
        _hold(all(_is_side(side) for side in (width, height)), "a page without sides")
        pages.append(Page(theme, payload[start : start + size], width, height))
        start += size
    _hold([page.theme for page in pages] == themes_of(visual) and start == len(payload), "other pages")
    alt, caption = header.get("alt"), header.get("caption")
    _hold(_is_text(alt) and (caption is None or _is_text(caption)), "no texts")
    warnings, excused = (
        tuple(Warned(at, message, check) for at, (message, check) in _rows(header.get(name)))
        for name in ("warnings", "excused")
    )
    _hold(all(found.check in checks.CHECKS for found in (*warnings, *excused)), "checks that there are not")
    return Settled(tuple(pages), str(alt), caption, facts, warnings, excused)


def _hold(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"what came back has {what}")


def _list(rows: Any, width: int) -> list[list[Any]]:
    is_right = isinstance(rows, list) and all(isinstance(row, list) and len(row) == width for row in rows)
    _hold(is_right, "rows of another form")
    return list(rows)


def _rows(rows: Any) -> list[tuple[Origin, tuple[str, str]]]:
    """A place and two texts each."""
    found = _list(rows, 5)
    for path, line, column, *texts in found:
        _hold(_is_text(path) and all(map(_is_text, texts)), "rows without words")
        _hold(all(number is None or _is_whole(number) for number in (line, column)), "no lines")
    return [(Origin(path, line, column), (one, other)) for path, line, column, one, other in found]


def _is_text(value: object) -> bool:
    """Whether it is a text that can be written anywhere: lone surrogates cannot."""
    return isinstance(value, str) and not _SURROGATE.search(value)


_SURROGATE = re.compile("[\ud800-\udfff]")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_side(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and value >= 0
