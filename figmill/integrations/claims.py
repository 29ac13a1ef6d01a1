"""The numbers in a page that a figure on it contradicts, for every host.

A host knows no params, so the texts of a figure, which its build has checked, stand for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from figmill.claims import bind, messages, passages
from figmill.claims.bind import CONTRADICTED, Shown
from figmill.claims.numbers import numbers
from figmill.claims.offers import counted_in, offers
from figmill.integrations import page
from figmill.integrations.fences import name_in
from figmill.integrations.figures import Catalogue, Figure
from figmill.integrations.opened import Opened
from figmill.integrations.picture_content import content

_SIGNS = re.compile(rf"{page.SCHEME}|figmill\}}|figmill::|\.svg|```|~~~|:::")


def contradicted(book: Opened, path: Path, text: str) -> Iterator[tuple[int, str]]:
    """Line and message of each number of a page that a figure near it contradicts. text: of the file."""
    if not book.judges_numbers or not _SIGNS.search(text):
        return
    catalogue = book.catalogue
    own = catalogue.in_pages.get(name_in(book.root, path) or "", ())
    blocks = [(figure.line, figure.label) for figure in own if figure.line is not None]
    for passage in passages.of_page(path.as_posix(), text.replace("\r\n", "\n"), catalogue.figures, blocks):
        if not numbers(passage.text):  # then the texts of its figures need not be read
            continue
        near = [_shown(catalogue, label) for label in passage.near if label in catalogue.figures]
        for claim in bind.claims(passage.text, near, kind=passage.kind):
            if claim.verdict == CONTRADICTED:
                at = passage.origin(claim.number.start, claim.number.end)
                yield at.line or 1, f"{messages.message(passage.text, claim)} [{messages.CHECK}]"


def _shown(catalogue: Catalogue, label: str) -> Shown:
    figure = catalogue.figures[label]
    return _kept(catalogue.folder, label, figure.digest, _Held(figure))


class _Held:
    """A figure as an argument that does not count for the cache: its digest does."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=512)
def _kept(folder: Path, label: str, _digest: str, held: _Held) -> Shown:
    figure = held.figure
    picture = figure.picture("light") or figure.picture("dark")
    texts = content(folder, picture.path).texts if picture is not None else ()
    told = {offer.noun: offer for offer in counted_in("the alt text", figure.alt)}
    return Shown(label, (*offers(figure.facts, {}, texts), *told.values()))
