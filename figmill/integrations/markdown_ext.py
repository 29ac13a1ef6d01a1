"""Python-Markdown: `![](figmill:ID)` and `[](figmill:ID#FACT)`, for MkDocs, Zensical and any other user of it.

A thin file over `page.py`. `markdown_places.py` or the MkDocs plugin knows where a page is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from figmill.errors import ToolError
from figmill.host import files
from figmill.integrations import html, page
from figmill.integrations.figures import Picture
from figmill.integrations.html import Look
from figmill.integrations.markdown_places import AnyPage, Place
from figmill.integrations.opened import Opened
from figmill.integrations.page import Missing, Target

# A code block, in which `figmill:` is no address.
FENCED = re.compile(r"^ *(`{3,}|~{3,}).*?^ *\1", re.MULTILINE | re.DOTALL)
MARKED = re.compile(r"[*_`\[<&\\!]")


class TextPreprocessor(Preprocessor):
    """Keeps the source text of a page, because the converter forgets the lines that warnings need."""

    text = ""

    def run(self, lines: list[str]) -> list[str]:
        self.text = "\n".join(lines)
        return lines


def line_of(path: Path | None, text: str, target: Target) -> str:
    """`PAGE.md:12: `, for the line that first names the target. text: used if there is no file."""
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
        """Replace an element in the page by the figure or fact; returns the message for the author, if any."""
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
            if answer.figure.explore and inline is None:
                self.place.publish(answer.figure.explore.pictures)
            if words and MARKED.search(words):  # captions may contain emphasis
                self.md.treeprocessors["inline"].run(element)
            element.tail = parent.tail
            _put_whole(parents[parent], parent, element)
        else:
            _put(parent, child, html.pictures(answer, self.place.url, look, "span", inline))
        return answer.doubt

    def _svg(self, book: Opened, number: int) -> Callable[[Picture], str]:
        """The text of a picture, stashed so that the converter does not treat it as Markdown."""

        def text(picture: Picture) -> str:
            svg = files.read(book.catalogue.folder / picture.path).decode()
            return self.md.htmlStash.store(html.inlined(svg, number))

        return text


def _leads_there(element: Element, target: Target) -> bool:
    """Whether an element is a link with text to a figure."""
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
    """Replace an element by text; trees have no text nodes."""
    index = list(parent).index(child)
    words = text + (child.tail or "")
    parent.remove(child)
    if index:
        before = parent[index - 1]
        before.tail = (before.tail or "") + words
    else:
        parent.text = (parent.text or "") + words


class FigmillExtension(Extension):
    """The extension. place: given by a host that knows its pages itself."""

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
        """Register the processors of `figmill:`."""
        get = self.getConfig
        place = self.place or AnyPage(md, get("root"), get("folder"), get("build"), get("strict"))
        written = TextPreprocessor(md)
        md.preprocessors.register(written, "figmill", 1000)
        # after attr_list (8), before toc (5) and the relative links of MkDocs (0)
        md.treeprocessors.register(FigureTreeprocessor(md, place, written, get("inline")), "figmill", 6)


def makeExtension(**settings: Any) -> FigmillExtension:  # noqa: N802 - the name that Python-Markdown calls
    """The factory that Python-Markdown calls for `figmill.markdown`."""
    return FigmillExtension(**settings)
