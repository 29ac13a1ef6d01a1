"""Settle a figure in another process, which parses the author's bytes and returns plain data, to be checked here.

Unaware of how a figure is settled (finalise.py), of files, and of how processes are started.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from figmill import checks
from figmill.config import Options
from figmill.errors import AuthorError
from figmill.host import inside
from figmill.kind.answer import WrongAnswerError, facts_of
from figmill.kind.job import Raw
from figmill.model import Fact, FigureTable, Origin, Visual, Warned
from figmill.publish.book_pictures import BookPictures
from figmill.publish.fact_files import MOST, facts_from_files
from figmill.publish.finalise import Page, Settled, settle, themes_of
from figmill.render.protocol import Shared
from figmill.render.results import FollowUp, FollowUpAnswer
from figmill.store import checked
from figmill.store.rows import Codecs
from figmill.svg import THEMES

# A box, a line and words on an area, so that `warm` runs every check. In the regular face, like most text; other
# faces load on demand.
TRIAL = b"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 40" font-size="9">
<g class="node"><polygon fill="#4a90c4" stroke="black" points="1,1 40,1 40,30 1,30"/><text x="5" y="15">a b</text></g>
<g class="edge"><path fill="none" stroke="#ccc" d="M40,15C50,15 60,15 70,15"/><polygon points="70,12 80,15 70,18"/></g>
</svg>"""


def warm() -> None:
    """Load what settling needs, and settle a trial: what a process finds once, its children need not find again."""
    visual = Visual(
        "trial", None, "", None, "dot", "trial.dot", "trial.svg", "a", None, {"": Origin("")}, themes=THEMES
    )
    with suppress(Exception):  # a real figure reports anything that cannot be loaded
        packed(settle(visual, Raw(TRIAL), Options()))


def settling(visual: Visual, options: Shared[Options], root: str, every: bool = False) -> FollowUp:
    """The follow-up that settles a drawing; pass its answer to `unpacked`. root: the book's, for its pictures."""
    function: Callable[[Raw], FollowUpAnswer] = partial(_settled, visual, options, root, every)
    return FollowUp(function, "read and checked", visual.source, visual.timeout, options.value.memory)


class PageSize(NamedTuple):
    """A page without its bytes. size: their number."""

    theme: str
    size: int
    width: float
    height: float
    smallest: float


class Header(NamedTuple):
    """A settled figure without its bytes and the facts of its drawing.

    pictures: paths in the book where its pictures were searched.
    """

    pages: tuple[PageSize, ...]
    alt: str
    caption: str | None
    warnings: tuple[Warned, ...]
    excused: tuple[Warned, ...]
    pictures: tuple[str, ...] = ()
    described: str | None = None
    asked: tuple[str, ...] = ()
    facts: Mapping[str, Any] = MappingProxyType({})  # those that the question takes from files


def _text(value: object) -> str:
    """A text without lone surrogates, which UTF-8 cannot encode."""
    text = checked.text(value)
    text.encode()  # raises a ValueError
    return text


def _check(value: object) -> str:
    if value not in checks.CHECKS:
        raise ValueError("no check")
    return str(value)


def _paths(value: object) -> tuple[str, ...]:
    return tuple(map(checked.path, checked.items(value)))


def _facts(value: object) -> Mapping[str, Fact]:
    try:
        return facts_of(value)
    except WrongAnswerError as error:
        raise ValueError(str(error)) from None


CODECS = Codecs(
    {Header: {"pictures": _paths, "facts": _facts}, Warned: {"check": _check}}, plain={str: _text}
)
HEADER, ERRORS = CODECS[Header], CODECS[tuple[AuthorError, ...]]


def _settled(visual: Visual, options: Shared[Options], root: str, every: bool, raw: Raw) -> FollowUpAnswer:
    pictures = BookPictures(root, visual.source, options.value.visuals, visual.inputs)
    facts, errors = facts_from_files(visual, partial(_file, root, options.value.visuals), raw.facts)
    if errors:
        return packed(errors)
    whole = replace(raw, facts={**raw.facts, **facts}) if facts else raw
    settled = settle(visual, whole, options.value, every, pictures)
    return packed(settled, tuple(sorted(set(pictures.seen))), facts)


def _file(root: str, visuals: Sequence[str], path: str) -> bytes:
    return inside.read(root, path, MOST, visuals)


def packed(
    settled: Settled | tuple[AuthorError, ...],
    pictures: tuple[str, ...] = (),
    facts: Mapping[str, Fact] = MappingProxyType({}),
) -> FollowUpAnswer:
    """The outcome of settling as plain data: JSON, and the concatenated bytes of all pages."""
    if not isinstance(settled, Settled):
        return {"errors": ERRORS.pack(settled)}, b""
    pages = tuple(
        PageSize(page.theme, len(page.svg), page.width, page.height, page.smallest) for page in settled.pages
    )
    header = Header(
        pages,
        settled.alt,
        settled.caption,
        settled.warnings,
        settled.excused,
        pictures,
        settled.described,
        settled.asked,
        dict(facts),
    )
    return {"settled": HEADER.pack(header)}, b"".join(page.svg for page in settled.pages)


def unpacked(
    reply: FollowUpAnswer, visual: Visual, facts: Mapping[str, Fact], tables: tuple[FigureTable, ...] = ()
) -> Settled | tuple[AuthorError, ...]:
    """The inverse of `packed`. Raises ValueError if the data cannot be the outcome of settling this figure."""
    answer, payload = reply
    try:
        if "errors" in answer:
            return _some(ERRORS.read(answer["errors"]))
        header: Header = HEADER.read(answer.get("settled"))
    except TypeError as error:  # a row of another length
        raise ValueError("the answer has rows of another form") from error
    pages: list[Page] = []
    start = 0
    for theme, size, width, height, smallest in header.pages:
        pages.append(Page(theme, payload[start : start + size], width, height, smallest))
        start += size
    is_whole = start == len(payload) and all(page.svg for page in pages)
    if [page.theme for page in pages] != themes_of(visual) or not is_whole:
        raise ValueError("the answer has other pages")
    return Settled(
        tuple(pages),
        header.alt,
        header.caption,
        {**facts, **header.facts},
        header.warnings,
        header.excused,
        header.pictures,
        header.described,
        tables,
        header.asked,
    )


def _some(errors: tuple[AuthorError, ...]) -> tuple[AuthorError, ...]:
    if not errors:
        raise ValueError("the answer has no errors")
    return errors
