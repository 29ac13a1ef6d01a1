"""Answer a request: find its book, read its manifest, and put the figures into the document.

Builds nothing, unless the request asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from figmill.errors import ToolError
from figmill.integrations.documents import markdown_it, myst, pandoc, remark
from figmill.integrations.documents.request import PageAnswer, PageRequest
from figmill.integrations.opened import BookFinder, Opened, find, open_book

ROOT = "FIGMILL_ROOT"  # the environment variable that names the book of pages which lie elsewhere

HOSTS: Mapping[str, Callable[[PageRequest, BookFinder], PageAnswer]] = MappingProxyType(
    {
        "pandoc": pandoc.answered,
        "quarto": pandoc.answered,
        "myst": myst.answered,
        "remark": remark.answered,
        "markdown-it": markdown_it.answered,
    }
)


def answered(request: PageRequest, root: Path | None = None) -> PageAnswer:
    """The document with its figures. root: of the book; None: the page names it, or lies in it. Raises ToolError."""
    answer = HOSTS.get(request.host)
    if answer is None:
        raise ToolError(f"no host is called '{request.host}'; choose one of {', '.join(HOSTS)}")

    def book_of(start: Path, named: str | None) -> Opened | ToolError:
        try:
            place = root or find(start, named or request.root or _named_by_environment())
            return open_book(place, build=request.build).in_language(request.language)
        except ToolError as error:
            return error

    try:
        return answer(request, book_of)
    except RecursionError:
        raise ToolError("the document is nested too deep") from None


def _named_by_environment() -> str | None:
    return os.path.abspath(named) if (named := os.environ.get(ROOT)) else None
