"""The numbers in a page that a figure on it contradicts, for every host.

A host knows no params, so the texts of a figure, which its build has checked, stand for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path

from figmill.claims import bind, messages, passages
from figmill.claims.bind import CONTRADICTED, NearbyFigure
from figmill.claims.numbers import may_have_numbers
from figmill.claims.offers import counted_in, offers
from figmill.claims.record import Record
from figmill.claims.record import loads as record_from
from figmill.config.readers import other_than_english
from figmill.host import inside
from figmill.integrations import lookup
from figmill.integrations.fences import name_in
from figmill.integrations.figures import Catalogue, Figure
from figmill.integrations.opened import Opened
from figmill.integrations.picture_content import content

_SIGNS = re.compile(rf"{lookup.SCHEME}|figmill\}}|figmill::|\.svg|```|~~~|:::")


def contradicted(book: Opened, path: Path, text: str) -> Iterator[tuple[int, str]]:
    """Line and message of each number of a page that a figure near it contradicts. text: of the file."""
    if not (book.judges_numbers and _SIGNS.search(text) and may_have_numbers(text)):
        return
    figures = book.catalogue.figures
    if any(other_than_english(figure.page) for figure in islice(figures.values(), 1)):
        return  # the host says that the page is in another language
    name = name_in(book.root, path) or ""
    recorded = _record_of(book).get((name, ""), {})
    of_record = {row.figure for rows in recorded.values() for row in rows}
    own = book.catalogue.in_pages.get(name, ())
    blocks = [(figure.line, figure.label) for figure in own if figure.line is not None]
    shown: dict[str, NearbyFigure] = {}
    for passage in passages.of_page(path.as_posix(), text.replace("\r\n", "\n"), figures, blocks):
        if not may_have_numbers(passage.text):
            continue  # then the texts of its figures need not be read
        far = [label for label in passage.far if label in of_record]  # others contradict nothing
        for label in (*passage.near, *far):
            shown[label] = shown.get(label) or _shown(book.catalogue, label)
        near, others = ([shown[label] for label in labels] for labels in (passage.near, far))
        for claim in bind.claims(
            passage.text, near, others, kind=passage.kind, recorded=recorded, false_only=True
        ):
            if claim.verdict == CONTRADICTED:
                at = passage.origin(claim.number.start, claim.number.end)
                yield at.line or 1, f"{messages.message(passage.text, claim)} [{messages.CHECK}]"


def _record_of(book: Opened) -> Record:
    """What each number of a book was bound to; empty if its record is damaged, which its build reports."""
    name = book.claims_record
    try:
        return _record(inside.read(book.root, name, allowed=(name,))) if name else {}
    except (OSError, ValueError):
        return {}


@lru_cache(maxsize=2)
def _record(data: bytes) -> Record:
    return record_from(data)


def _shown(catalogue: Catalogue, label: str) -> NearbyFigure:
    figure = catalogue.figures[label]
    return _kept(catalogue.folder, label, figure.digest, _HeldFigure(figure))


class _HeldFigure:
    """A figure as an argument that does not count for the cache: its digest does."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _HeldFigure)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=512)
def _kept(folder: Path, label: str, _digest: str, held: _HeldFigure) -> NearbyFigure:
    figure = held.figure
    picture = figure.picture("light") or figure.picture("dark")
    texts = content(folder, picture.path).texts if picture is not None else ()
    told = {offer.noun: offer for offer in counted_in("the alt text", figure.alt)}
    return NearbyFigure(label, (*offers(figure.facts, {}, texts), *told.values()))
