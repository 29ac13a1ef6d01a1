"""Which figure a code block in a page is. The one module that every host asks.

A host identifies a block by its language and its text. The manifest has the name that the build gave each block
(`fence`), so no host has to find lines in a page. A page that includes a block of another page shows that
page's figure. Reads pages, for their settings and for the lines of messages; decides nothing about figures.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterator
from functools import lru_cache
from pathlib import Path

from figmill.book.pages import languages
from figmill.book.pages.blocks import PageBlock, key_of
from figmill.errors import AuthorError
from figmill.fastpath import PAGES
from figmill.host import files
from figmill.integrations.opened import Opened


class PageFences:
    """The code blocks in one page, while a host converts it.

    - path: the page; None: it is not a file.
    - languages: those that are drawn in this page.
    """

    def __init__(self, opened: Opened, path: Path | None) -> None:
        self.path, self.name = path, name_in(opened.root, path)
        self.text = _text(path)
        self.languages = self._languages(opened)
        self._own: dict[str, list[str]] = defaultdict(list)
        self._every = opened.catalogue.by_fence
        self._counts: Counter[str] = Counter()
        self._has_failures = bool(opened.failures)
        for figure in opened.catalogue.in_pages.get(self.name or "", ()):
            if figure.fence is not None:
                self._own[figure.fence].append(figure.label)

    def label(self, language: str, body: str) -> str | None:
        """The figure of the next block with this text; None if it is not one. body: as the host knows it."""
        if language not in self.languages:
            return None
        key = key_of(language, body)
        mine = self._own.get(key)
        if mine is None:
            return self._every.get(key)
        self._counts[key] += 1
        return mine[min(self._counts[key], len(mine)) - 1]

    def message(self, language: str, body: str) -> str | None:
        """Why a block without a figure has none; None if it should have none, or a build has reported it already."""
        if language not in self.languages or self._has_failures:
            return None
        return (
            f"this block of {language} has no figure; run `figmill`, and check that its page is in `pages` of the "
            "settings and that nothing changes the block before figmill"
        )

    def line(self, language: str, body: str) -> int | None:
        """The line of the page where a block with this text begins."""
        key = key_of(language, body)
        return next((block.start for block in self._blocks() if block.key == key), None)

    def share(self, language: str, body: str) -> str | None:
        """The width that a block with this text asks of the page, in percent; hosts may not pass it on."""
        key = key_of(language, body)
        for block in self._blocks():
            if block.key == key:
                widths = (option.value.strip() for option in block.options if option.key == "width")
                return next((width for width in widths if width.endswith("%")), None)
        return None

    def _blocks(self) -> Iterator[PageBlock]:
        if self.path is None or self.path.suffix not in PAGES:
            return iter(())
        return languages.blocks(self.path.name, self.text, self.languages)

    def _languages(self, opened: Opened) -> frozenset[str]:
        try:
            return frozenset(languages.languages_of(self.name or "", self.text, opened.fences, _of_kinds))
        except AuthorError:  # the build reports it
            return frozenset()


def _of_kinds() -> Container[str]:
    from figmill import kinds  # slow to load, and few pages have languages of their own

    return kinds.of_fences()


def name_in(root: Path, path: Path | None) -> str | None:
    """A page's path in the book."""
    try:
        return None if path is None else Path(files.real(path)).relative_to(_real(root)).as_posix()
    except (ValueError, OSError):
        return None


@lru_cache(maxsize=8)
def _real(root: Path) -> str:
    return files.real(root)


def _text(path: Path | None) -> str:
    try:
        data = b"" if path is None else files.read(path)
    except OSError:
        return ""
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
