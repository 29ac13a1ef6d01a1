"""What `figmill page --json` reads and prints. Pure: text in, text out.

A document is one text inside the JSON, in the host's own notation, so that a host can pass it on as it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from figmill.errors import ToolError
from figmill.host.lines import as_json
from figmill.integrations import links
from figmill.late_dataclasses import dataclass

VERSION = 1
ERROR, WARNING, NOTE = "error", "warning", "note"


@dataclass(frozen=True, slots=True)
class SiteFolder:
    """A folder of a site, and its address there; None: files in it are named by their paths."""

    folder: str
    address: str | None = None


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A document in which a host wants its figures."""

    host: str
    """A key of HOSTS in answer.py."""
    document: str
    format: str = ""
    """The format of the output, as pandoc names it, or `mdx`."""
    sources: tuple[str, ...] = ()
    """The files of the document, for the lines of messages."""
    output: str | None = None
    """The file that is written; None: standard output, or a file that the host chooses itself."""
    root: str | None = None
    """The book; None: the document lies in it."""
    theme: str | None = None
    """The theme of a revealjs deck, if the command line names one."""
    build: bool = False
    """Whether the book is built first."""
    public: SiteFolder | None = None
    """The folder whose files the site publishes as they are."""
    pages: SiteFolder | None = None
    """The folder with the pages of the site."""
    language: str = ""
    """The language of the document; empty: the document states it, or it is the book's."""
    inline: str = links.AUTO
    """Whether drawings stand in the page itself, one of links.WISHES."""


@dataclass(frozen=True, slots=True)
class PageMessage:
    """A message for the author of a page.

    - level: ERROR where something is missing, WARNING where it is out of date, NOTE where nothing is wrong.
    - file, line, column: the place that names the figure, as far as it is known.
    """

    level: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """The document with its figures."""

    document: str
    messages: tuple[PageMessage, ...] = ()
    watched: tuple[str, ...] = ()  # the files and folders that its figures depend on


def loads(text: bytes) -> PageRequest:
    """The request in this JSON. Raises ToolError if it is not one."""
    try:
        row = json.loads(text)
        if row["version"] != VERSION:
            raise ToolError(
                f"the request has version {row['version']}, but this figmill answers version {VERSION}; "
                "update figmill, and run `figmill setup HOST` again"
            )
        return PageRequest(
            host=_text(row["host"]),
            document=_text(row["document"]),
            format=_text(row.get("format", "")),
            sources=tuple(map(_text, row.get("sources", ()))),
            output=_given(row, "output"),
            root=_given(row, "root"),
            theme=_given(row, "theme"),
            build=row.get("build", False) is True,
            public=_site_folder(row, "public"),
            pages=_site_folder(row, "pages"),
            language=_text(row.get("language", "")),
            inline=links.wish(row.get("inline", links.AUTO)),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ToolError(
            "standard input is not a request of a host; programs that make pages ask this, such as pandoc"
        ) from None


def dumps(answer: PageAnswer) -> str:
    """An answer as JSON."""
    messages = [
        {name: getattr(message, name) for name in ("level", "message", "file", "line", "column")}
        for message in answer.messages
    ]
    fields: dict[str, Any] = {"version": VERSION, "messages": messages, "document": answer.document}
    return as_json({**fields, "watched": list(answer.watched)} if answer.watched else fields)


def tree(document: str) -> Any:
    """The nodes of a document that is written as JSON. Raises ToolError."""
    try:
        return json.loads(document)
    except RecursionError:
        raise ToolError("the document is nested too deep") from None
    except ValueError:
        raise ToolError("the document is not JSON") from None


def text_of(nodes: Any) -> str:
    """Nodes as JSON in ASCII, which passes every pipe unchanged."""
    return json.dumps(nodes, separators=(",", ":"))


def _given(row: Mapping[str, Any], name: str) -> str | None:
    return None if row.get(name) is None else _text(row[name])


def _site_folder(row: Mapping[str, Any], name: str) -> SiteFolder | None:
    folder = row.get(name)
    return None if folder is None else SiteFolder(_text(folder["folder"]), _given(folder, "address"))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
