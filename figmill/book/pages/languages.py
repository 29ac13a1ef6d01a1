"""The languages whose code blocks are figures in a page, and these blocks. Pure.

Hosts load this for every page, so what only a page's own list of languages needs is loaded with the first such list.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from types import MappingProxyType

from figmill.book.pages import markdown
from figmill.book.pages.blocks import PageBlock
from figmill.fastpath import PAGES
from figmill.late import imported

READERS: Mapping[str, str] = MappingProxyType(
    {
        suffix: f"figmill.book.pages.{'restructuredtext' if suffix == '.rst' else 'markdown'}:blocks"
        for suffix in PAGES
    }
)


def blocks(path: str, text: str, languages: Container[str]) -> Iterator[PageBlock]:
    """The blocks of a page in these languages. text: with LF line ends."""
    page_blocks: Iterator[PageBlock] = imported(READERS[path[path.rindex(".") :]])(text, languages)
    return page_blocks


def languages_of(
    path: str, text: str, chosen: Iterable[str], kinds: Callable[[], Container[str]]
) -> tuple[str, ...]:
    """The languages that are drawn in a page: those of `figmill: {fences: [...]}` in its front matter, or the book's.

    kinds: lists all languages; called for a page with its own. Raises AuthorError.
    """
    languages = tuple(chosen)
    if path.endswith(".rst") or not text.startswith("---"):
        return languages
    lines = text.split("\n")
    end = markdown.end_of_front_matter(lines)
    if not any(line.startswith("figmill:") for line in lines[1:end]):
        return languages
    from figmill.book.pages import front_matter

    stated = front_matter.languages(path, lines[1 : end - 1], kinds())
    return languages if stated is None else stated
