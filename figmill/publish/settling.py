"""Settle a figure in another process, which parses the author's bytes and returns plain data, to be checked here.

Unaware of how a figure is settled (finalise.py), of files, and of how processes are started.
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
from figmill.kinds.answer import WrongAnswerError, path_of
from figmill.kinds.job import Raw
from figmill.model import Fact, FigureTable, Origin, Visual, Warned
from figmill.publish.book_pictures import BookPictures
from figmill.publish.finalise import Page, Settled, settle, themes_of
from figmill.render.protocol import Shared
from figmill.render.results import FollowUp, Made


def settling(visual: Visual, options: Shared[Options], root: str, every: bool = False) -> FollowUp:
    """The follow-up that settles a drawing; pass its answer to `unpacked`. root: the book's, for its pictures."""
    function: Callable[[Raw], Made] = partial(_settled, visual, options, root, every)
    return FollowUp(function, "read and checked", visual.source, visual.timeout, options.value.memory)


def _settled(visual: Visual, options: Shared[Options], root: str, every: bool, raw: Raw) -> Made:
    pictures = BookPictures(root, visual.source, options.value.visuals)
    header, pages = packed(settle(visual, raw, options.value, every, pictures))
    return {**header, "pictures": sorted(set(pictures.seen))}, pages


def packed(settled: Settled | tuple[AuthorError, ...]) -> Made:
    """The outcome of settling as plain data: JSON, and the concatenated bytes of all pages."""
    if not isinstance(settled, Settled):
        return {"errors": [[*_row(e.origin), e.message, e.detail] for e in settled]}, b""
    header = {
        "pages": [
            [page.theme, len(page.svg), page.width, page.height, page.smallest] for page in settled.pages
        ],
        "alt": settled.alt,
        "caption": settled.caption,
        "described": settled.described,
        "warnings": [[*_row(finding.origin), finding.message, finding.check] for finding in settled.warnings],
        "excused": [[*_row(finding.origin), finding.message, finding.check] for finding in settled.excused],
    }
    return header, b"".join(page.svg for page in settled.pages)


def _row(at: Origin) -> tuple[str, int | None, int | None]:
    return at.path, at.line, at.column


def unpacked(
    made: Made, visual: Visual, facts: Mapping[str, Fact], tables: tuple[FigureTable, ...] = ()
) -> Settled | tuple[AuthorError, ...]:
    """The inverse of `packed`; facts, tables: of the drawing.

    Raises ValueError if the data cannot be the outcome of settling this figure.
    """
    header, payload = made
    if "errors" in header:
        errors = tuple(AuthorError(at, *words) for at, words in _rows(header["errors"]))
        _require(bool(errors), "no errors")
        return errors
    pages: list[Page] = []
    start = 0
    for row in _list(header.get("pages"), 5):
        theme, size, width, height, smallest = row
        _require(_is_whole(size) and 0 < size <= len(payload) - start, "a page of no size")
        _require(all(_is_side(side) for side in (width, height, smallest)), "a page without sides")
        pages.append(Page(theme, payload[start : start + size], width, height, smallest))
        start += size
    _require([page.theme for page in pages] == themes_of(visual) and start == len(payload), "other pages")
    alt, *others = (header.get(name) for name in ("alt", "caption", "described"))
    _require(_is_text(alt) and all(text is None or _is_text(text) for text in others), "no texts")
    caption, described = others
    warnings, excused = (
        tuple(Warned(at, message, check) for at, (message, check) in _rows(header.get(name)))
        for name in ("warnings", "excused")
    )
    _require(
        all(finding.check in checks.CHECKS for finding in (*warnings, *excused)), "checks that there are not"
    )
    seen = header.get("pictures", [])
    _require(isinstance(seen, list) and all(map(_is_path, seen)), "pictures outside of the book")
    return Settled(tuple(pages), str(alt), caption, facts, warnings, excused, tuple(seen), described, tables)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"the answer has {what}")


def _list(rows: Any, width: int) -> list[list[Any]]:
    is_right = isinstance(rows, list) and all(isinstance(row, list) and len(row) == width for row in rows)
    _require(is_right, "rows of another form")
    return list(rows)


def _rows(rows: Any) -> list[tuple[Origin, tuple[str, str]]]:
    """Rows of a place and two texts, checked."""
    checked_rows = _list(rows, 5)
    for path, line, column, *texts in checked_rows:
        _require(_is_text(path) and all(map(_is_text, texts)), "rows without words")
        _require(all(number is None or _is_whole(number) for number in (line, column)), "no lines")
    return [(Origin(path, line, column), (one, other)) for path, line, column, one, other in checked_rows]


def _is_text(value: object) -> bool:
    """Whether a value is text without lone surrogates, which UTF-8 cannot encode."""
    return isinstance(value, str) and not _SURROGATE.search(value)


_SURROGATE = re.compile("[\ud800-\udfff]")


def _is_path(value: object) -> bool:
    try:
        return path_of(value) != ""
    except WrongAnswerError:
        return False


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_side(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and value >= 0
