"""Python-Markdown: `![](figmill:ID)` and `[](figmill:ID#FACT)`, for MkDocs, Zensical and any other user of it.

A thin file over `page.py`. Knows Zensical by the page that it hands to its extensions; MkDocs comes with a
plugin, which hands over a `Place` of its own.
"""

from __future__ import annotations

import atexit
import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from figmill.errors import ToolError
from figmill.host import files
from figmill.host.lines import shown
from figmill.integrations import html, page
from figmill.integrations.figures import Picture
from figmill.integrations.html import Look
from figmill.integrations.opened import Opened, find, open_book
from figmill.integrations.page import Missing, Target
from figmill.streams import complain

# A block of code, in which nothing is an address.
FENCED = re.compile(r"^ *(`{3,}|~{3,}).*?^ *\1", re.MULTILINE | re.DOTALL)
AGAIN = 1.0  # seconds after which a book is asked again whether it has changed, while a host serves


class Place(Protocol):
    """The page that is being converted, as its host knows it."""

    @property
    def source(self) -> Path | None:
        """Its file, for the line of a warning."""

    def book(self) -> Opened | ToolError:
        """The book, or why there is none."""

    def url(self, picture: Picture) -> str:
        """The address of a picture, from this page."""

    def warn(self, message: str) -> None:
        """Tell the author."""


class FigmillError(Exception):
    """With `strict`: the page names what is not there."""


class TextPreprocessor(Preprocessor):
    """Keeps a page as it was written, for the lines of warnings: the converter itself forgets them."""

    text = ""

    def run(self, lines: list[str]) -> list[str]:
        self.text = "\n".join(lines)
        return lines


def line_of(path: Path | None, text: str, target: Target) -> str:
    """`PAGE.md:12: `, for the line that first names the target. text: where there is no file."""
    name = "line " if path is None else os.path.relpath(path)
    try:
        text = text if path is None else path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return f"{name}: "
    outside = FENCED.sub(lambda match: "\n" * match[0].count("\n"), text)
    for sign in (f"({target}", f"figmill:{target.label}"):
        if sign in outside:
            number = outside[: outside.index(sign)].count("\n") + 1
            return f"{name}{'' if path is None else ':'}{number}: "
    return "" if path is None else f"{name}: "


class FigureTreeprocessor(Treeprocessor):
    """Replace images and links to `figmill:`."""

    def __init__(self, md: Markdown, place: Place, written: TextPreprocessor, inline: bool) -> None:
        super().__init__(md)
        self.place, self.written, self.inline = place, written, inline

    def run(self, root: Element) -> None:
        found = [
            (parent, child, target)
            for parent in root.iter()
            for child in parent
            if (target := page.target(_address(child)))
        ]
        if not found:
            return
        parents = {child: parent for parent in root.iter() for child in parent}
        shown_: dict[str, int] = {}
        told: set[str] = set()
        anchors = {t.label: child.get("id", "") for _, child, t in reversed(found) if child.get("id")}
        links = [(child, target) for _, child, target in found if _leads_there(child, target)]
        for parent, child, target in found:
            if _leads_there(child, target):
                continue
            message = self._replace(parents, parent, child, target, shown_)
            if message and message not in told:
                told.add(message)
                self.place.warn(f"{line_of(self.place.source, self.written.text, target)}{message}")
        for child, target in links:
            child.set("href", f"#{anchors.get(target.label, f'fig-{target.label}')}")

    def _replace(
        self,
        parents: dict[Element, Element],
        parent: Element,
        child: Element,
        target: Target,
        shown_: dict[str, int],
    ) -> str | None:
        """Put what is asked for into the page; what the author must be told."""
        book = self.place.book()
        if isinstance(book, ToolError):
            _put(parent, child, html.missing(Missing("", target)))
            return str(book)
        if child.tag == "a":
            text = page.say(book.catalogue, target, book.failures)
            if isinstance(text, Missing):
                _put(parent, child, html.missing(text))
                return text.message
            _put_text(parent, child, text)
            return None
        words, theme = child.get("alt") or None, child.get("theme", "auto")
        answer = page.show(book.catalogue, target, words=words, theme=theme, failures=book.failures)
        if isinstance(answer, Missing):
            _put(parent, child, html.missing(answer))
            return answer.message
        number = shown_.get(answer.label, 0)
        shown_[answer.label] = number + 1
        look = Look(
            tuple(child.get("class", "").split()), child.get("width"), child.get("align"), gallery=True,
            loading=child.get("loading", "lazy"),
        )  # fmt: skip
        inline = self._svg(book, number) if self.inline or "inline" in child.attrib else None
        if parent.tag == "p" and len(parent) == 1 and not _words(parent, child) and parent in parents:
            anchor = child.get("id") or (None if number else answer.anchor)
            element = html.figure(answer, self.place.url, look, anchor, inline)
            if words:  # in which an author may emphasise
                self.md.treeprocessors["inline"].run(element)
            element.tail = parent.tail
            _put_whole(parents[parent], parent, element)
        else:
            _put(parent, child, html.pictures(answer, self.place.url, look, "span", inline))
        return answer.doubt

    def _svg(self, book: Opened, number: int) -> Callable[[Picture], str]:
        """The text of a picture, kept from the converter, which would take it for words."""

        def text(picture: Picture) -> str:
            svg = files.read(book.catalogue.folder / picture.path).decode()
            return self.md.htmlStash.store(html.inlined(svg, number))

        return text


def _leads_there(element: Element, target: Target) -> bool:
    """Whether these are words that lead to a figure."""
    return element.tag == "a" and target.fact is None and bool(len(element) or element.text)


def _address(element: Element) -> str:
    return element.get("src" if element.tag == "img" else "href", "") if element.tag in ("img", "a") else ""


def _words(parent: Element, child: Element) -> str:
    return f"{parent.text or ''}{child.tail or ''}".strip()


def _put(parent: Element, child: Element, element: Element) -> None:
    element.tail = child.tail
    _put_whole(parent, child, element)


def _put_whole(parent: Element, child: Element, element: Element) -> None:
    index = list(parent).index(child)
    parent[index] = element


def _put_text(parent: Element, child: Element, text: str) -> None:
    """Words in place of an element; trees have no text nodes."""
    index = list(parent).index(child)
    words = text + (child.tail or "")
    parent.remove(child)
    if index:
        before = parent[index - 1]
        before.tail = (before.tail or "") + words
    else:
        parent.text = (parent.text or "") + words


@dataclass
class AnyPage:
    """A page of Zensical, or of a program that converts Markdown by itself.

    folder: the address of the output folder, from the page; empty: told by Zensical, or else the folder itself.
    """

    md: Markdown
    root: str
    folder: str
    build: bool
    strict: bool
    warned: list[str] = field(default_factory=list)

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
        book = kept(start, self.root, self.build)
        docs = context and Path(context.config["root_dir"], context.config["docs_dir"]).resolve()
        if docs and isinstance(book, Opened) and not book.catalogue.folder.resolve().is_relative_to(docs):
            name = docs.name
            return ToolError(
                f'Zensical publishes what lies in {name}/ alone: set output = "{name}/figures" in [tool.figmill]'
            )
        return book

    def url(self, picture: Picture) -> str:
        book = self.book()
        assert isinstance(book, Opened)
        base = self.folder or self._from_page(book)
        if context := self._context():
            _late[book.catalogue.folder / picture.path] = (
                Path(context.config["root_dir"], context.config["docs_dir"]),
                Path(context.config["root_dir"], context.config["site_dir"]),
            )
        return f"{base.rstrip('/')}/{quote(picture.path)}"

    def warn(self, message: str) -> None:
        context = self._context()
        is_strict = self.strict or bool(context and {"--strict", "-s"} & set(sys.argv))
        if is_strict:
            raise FigmillError(shown(message))
        complain(shown(f"Warning: {message}"))

    def _from_page(self, book: Opened) -> str:
        """The output folder, from the folder of the page's source."""
        start = self.source.parent if self.source else Path.cwd()
        return Path(os.path.relpath(book.catalogue.folder, start)).as_posix()

    def _context(self) -> Any:
        """What Zensical tells of the page."""
        return next((p for p in self.md.preprocessors if type(p).__name__ == "ContextPreprocessor"), None)


_late: dict[Path, tuple[Path, Path]] = {}


@atexit.register
def publish() -> None:
    """Copy to the site of Zensical what was built after it had listed its files: path -> its docs and its site."""
    for path, (docs, site) in _late.items():
        try:
            copy, data = site / path.relative_to(docs), files.read(path)
            if not copy.exists() or files.read(copy) != data:
                files.own_folder(site, copy.parent.relative_to(site).as_posix())
                files.replace_whole(str(copy), data)
        except (OSError, ValueError) as error:
            complain(shown(f"Warning: {path} is not in the site: {error}"))


_kept: dict[tuple[Path, str], tuple[float, Opened | ToolError]] = {}


def kept(start: Path, root: str, build: bool) -> Opened | ToolError:
    """The book, asked once for all pages that are converted within a second: hosts make an extension for each page."""
    when, book = _kept.get((start, root), (None, None))
    if book is None or when is None or time.monotonic() > when + AGAIN:
        try:
            book = open_book(find(start, root or None), build=build)
        except ToolError as error:
            book = error
        _kept[start, root] = time.monotonic(), book
    return book


class FigmillExtension(Extension):
    """The extension. place: of a host that knows its pages itself."""

    def __init__(self, place: Place | None = None, **settings: Any) -> None:
        self.place = place
        self.config = {
            "root": ["", "The book; default: the nearest folder upwards that has questions/"],
            "folder": ["", "The address of the output folder; default: from the page's own folder"],
            "build": [True, "Build the book before its figures are shown"],
            "inline": [False, "Put the SVGs into the page itself, so that their text can be selected"],
            "strict": [False, "Raise an error where a page names what is not there"],
        }
        nested = settings.pop("markdown", None)  # `[... .figmill.markdown]` in TOML, without quotes
        super().__init__(**{**settings, **(nested or {})})

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name that Python-Markdown calls
        """Register what reads `figmill:`."""
        get = self.getConfig
        place = self.place or AnyPage(md, get("root"), get("folder"), get("build"), get("strict"))
        written = TextPreprocessor(md)
        md.preprocessors.register(written, "figmill", 1000)
        # after attr_list (8), before toc (5) and the relative links of MkDocs (0)
        md.treeprocessors.register(FigureTreeprocessor(md, place, written, get("inline")), "figmill", 6)


def makeExtension(**settings: Any) -> FigmillExtension:  # noqa: N802 - the name that Python-Markdown calls
    """What Python-Markdown calls for `figmill.markdown`."""
    return FigmillExtension(**settings)
