"""The place of a Python-Markdown page and the receiver of its warnings: Zensical, or a stand-alone program.

Zensical is recognised by the page that it passes to its extensions.
"""

from __future__ import annotations

import atexit
import json
import sys
import time
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Protocol
from urllib.parse import quote

from markdown import Markdown

from figmill.book.names import anchor_of
from figmill.book.pages import markdown
from figmill.errors import ToolError
from figmill.host import files, inside
from figmill.host.lines import shown
from figmill.integrations import links
from figmill.integrations.fences import PageFences
from figmill.integrations.figures import PictureFile
from figmill.integrations.images import PageImages
from figmill.integrations.lookup import NOWHERE
from figmill.integrations.opened import Opened, find, open_book
from figmill.integrations.relative_address import way
from figmill.integrations.sources import showing_pages
from figmill.late_dataclasses import dataclass
from figmill.paths import relative
from figmill.streams import complain

AGAIN = 1.0  # seconds between checks of the book for changes, while a host serves
CACHE = ".cache"  # of Zensical, in the root of a site


class Place(Protocol):
    """The page being converted, as its host knows it."""

    @property
    def source(self) -> Path | None:
        """The page's file, for the lines of warnings."""

    def book(self) -> Opened | ToolError:
        """The book, or the error that keeps it from being opened."""

    def fences(self, text: str) -> PageFences | None:
        """The code blocks of the page, whose text this is; None: none of them may be a figure."""

    def images(self) -> PageImages | None:
        """The images of the page; None: none of them may be a figure."""

    def url(self, picture: PictureFile) -> str:
        """The address of a picture from this page."""

    def publish(self, pictures: Iterable[PictureFile]) -> None:
        """Publish files that the page does not name: a script loads them, from beside the figure's own."""

    @property
    def has_numbers(self) -> bool:
        """Whether figures are numbered."""

    @property
    def is_searched(self) -> bool:
        """Whether the page is indexed for search, and so needs the text of its figures."""

    @property
    def has_zoom(self) -> bool:
        """Whether readers can enlarge figures."""

    def shows(self, labels: Iterable[str]) -> None:
        """Receive the labels of the figures that the page shows."""

    def elsewhere(self, label: str, where: str, *, is_number: bool) -> str | None:
        """The address of a figure on another page, or None. where: the place of the link, for a later message.

        is_number: the link shows the figure's number.
        """

    def lost(self, target: str, ids: Container[str]) -> str | None:
        """Why a link of a drawing leads nowhere, where the host does not say it itself. ids: those of the page."""

    def warn(self, message: str) -> None:
        """Warn the author."""

    def note(self, message: str) -> None:
        """Tell the author something that is as wanted."""


class FigmillError(Exception):
    """The page names a missing figure or fact, and `strict` is set."""


@dataclass
class AnyPage:
    """A page of Zensical, or of a program that converts Markdown itself.

    - folder: the address of the output folder from the page; empty: from Zensical, or else the folder itself.
    - language: of the pages; empty: that of Zensical's theme, or else the book's own.
    """

    md: Markdown
    root: str
    folder: str
    build: bool
    strict: bool
    language: str = ""

    @property
    def source(self) -> Path | None:
        context = self._context()
        return (
            Path(context.config["root_dir"], context.config["docs_dir"], context.page.path)
            if context
            else None
        )

    def book(self) -> Opened | ToolError:
        context = self._context()
        start = Path(context.config["root_dir"]) if context else Path.cwd()
        if context:
            _converted.setdefault(start / CACHE, set()).add(context.page.path)
        book, lines = kept(start, self.root, self.build)
        if lines:
            self._report(lines)
        if isinstance(book, Opened):
            theme = context.config.get("theme") if context else None
            book = book.in_language(self.language or (theme or {}).get("language"))
        docs = context and Path(context.config["root_dir"], context.config["docs_dir"]).resolve()
        if docs and isinstance(book, Opened) and not book.catalogue.folder.resolve().is_relative_to(docs):
            name = docs.name
            return ToolError(
                f'Zensical publishes only the files in {name}/: set output = "{name}/figures" in [tool.figmill]'
            )
        return book

    def fences(self, text: str) -> PageFences | None:
        from figmill import kinds  # slow to load

        # a book is looked for only if a page asks for one
        if next(markdown.blocks(text, kinds.of_fences()), None) is None:
            return None
        book = self.book()
        if isinstance(book, Opened):
            return PageFences(book, self.source)
        self.warn(str(book))
        return None

    def images(self) -> PageImages | None:
        if self.source is None:
            return None
        book = self.book()
        return PageImages(book, self.source) if isinstance(book, Opened) and book.images else None

    def publish(self, pictures: Iterable[PictureFile]) -> None:
        book = self.book()
        assert isinstance(book, Opened)
        if context := self._context():
            docs, site = (
                Path(context.config["root_dir"], context.config[n]) for n in ("docs_dir", "site_dir")
            )
            _late.update({book.catalogue.folder / picture.path: (docs, site) for picture in pictures})

    def url(self, picture: PictureFile) -> str:
        book = self.book()
        assert isinstance(book, Opened)
        base = self.folder or self._from_page(book)
        self.publish([picture])
        return f"{base.rstrip('/')}/{quote(picture.path)}"

    @property
    def has_numbers(self) -> bool:
        return False

    @property
    def is_searched(self) -> bool:
        return self._context() is not None

    @property
    def has_zoom(self) -> bool:
        return True

    def shows(self, labels: Iterable[str]) -> None:
        pass

    def elsewhere(self, label: str, where: str, *, is_number: bool) -> str | None:
        context = self._context()
        if context is None:
            return None
        docs = Path(context.config["root_dir"], context.config["docs_dir"])
        book = self.book()
        figure = book.catalogue.figures[label] if isinstance(book, Opened) else None
        home = showing(docs).get(label)
        if figure is not None and figure.fence is not None and isinstance(book, Opened):
            home = relative(book.root / figure.source, docs)
        if home is None:
            self.warn(f"{where}{NOWHERE.format(label)}")
            return f"#{anchor_of(label)}"
        page = (docs / context.page.path).parent
        return f"{quote(way(docs / home, page), safe='/:')}#{anchor_of(label)}"

    def lost(self, target: str, ids: Container[str]) -> str | None:
        """Zensical checks the links in the source of a page alone."""
        return links.lost(target, self.source, ids) if self.source else None

    def warn(self, message: str) -> None:
        self._report([message])

    def note(self, message: str) -> None:
        complain(f"Note: {shown(message)}")

    def _report(self, lines: Sequence[str]) -> None:
        """Print warnings to standard error, or raise all of them as one error."""
        context = self._context()
        if self.strict or (context and {"--strict", "-s"} & set(sys.argv)):
            raise FigmillError("\n".join(map(shown, lines)))
        complain(*(f"Warning: {line}" for line in lines))

    def _from_page(self, book: Opened) -> str:
        """The output folder's path from the folder of the page's source."""
        start = self.source.parent if self.source else Path.cwd()
        return way(book.catalogue.folder, start)

    def _context(self) -> Any:
        """Zensical's information about the page, or None."""
        return next((p for p in self.md.preprocessors if type(p).__name__ == "ContextPreprocessor"), None)


_late: dict[Path, tuple[Path, Path]] = {}


@atexit.register
def publish() -> None:
    """Copy files to Zensical's site that were built after it listed its files: path -> its docs and its site."""
    for path, (docs, site) in _late.items():
        try:
            name = path.relative_to(docs)
            copy, data = site / name, inside.read(docs, name.as_posix(), allowed=(name.parent.as_posix(),))
            if not copy.exists() or files.read(copy) != data:
                files.own_folder(site, copy.parent.relative_to(site).as_posix())
                files.replace_whole(str(copy), data)
        except (OSError, ValueError) as error:
            complain(f"Warning: {path} is not in the site: {error}")


_converted: dict[Path, set[str]] = {}


@atexit.register
def forget() -> None:
    """Remove converted pages from Zensical's cache: folder -> pages that name a figure, relative to its docs.

    Zensical does not know that a page depends on its figures. The next build converts these pages again, whatever has
    changed, and reports the problems on them again.
    """
    for cache, pages in _converted.items():
        marks = [f'{{"data":{{"origin":{{"Source":{json.dumps(page, ensure_ascii=False)}}}' for page in pages]
        starts = tuple(mark.encode("utf-8", "surrogatepass") for mark in marks)
        longest = max(map(len, starts))
        for path in cache.glob("[0-9]*"):
            try:
                if files.head(path, longest).startswith(starts):
                    files.discard(path)
            except OSError as error:
                complain(shown(f"Warning: {path} cannot be removed: {error.strerror}; build with --clean"))


_pages: dict[Path, tuple[float, Mapping[str, str]]] = {}


def showing(docs: Path) -> Mapping[str, str]:
    """Label -> the first page that shows the figure, relative to `docs`. By their sources: pages come in any order."""
    with _at_once:
        when, homes = _pages.get(docs, (0.0, {}))
        if time.monotonic() <= when + AGAIN:
            return homes
        homes = showing_pages(docs)
        _pages[docs] = time.monotonic(), homes
        return homes


_kept: dict[tuple[Path, str, bool], tuple[float, Opened | ToolError]] = {}
_at_once = Lock()  # hosts convert pages in threads


def kept(start: Path, root: str, build: bool) -> tuple[Opened | ToolError, Sequence[str]]:
    """The book, and the new lines about its build.

    Opened once for all pages converted within a second: hosts make one extension per page.
    """
    with _at_once:
        when, book = _kept.get((start, root, build), (None, None))
        if book is not None and when is not None and time.monotonic() <= when + AGAIN:
            return book, ()
        before = book.lines if isinstance(book, Opened) else ()
        try:
            book = open_book(find(start, root or None), build=build)
        except ToolError as error:
            book = error
        _kept[start, root, build] = time.monotonic(), book
    return book, [line for line in book.lines if line not in before] if isinstance(book, Opened) else ()
