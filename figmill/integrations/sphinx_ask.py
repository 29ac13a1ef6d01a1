"""Queries of Sphinx's pages, each recorded, so that a page is read again if its answer changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.locale import init as init_locale
from sphinx.util import logging
from sphinx.util.i18n import docname_to_domain

from figmill.errors import ToolError
from figmill.host.lines import shown
from figmill.integrations import figures, html, links, long_description, lookup, sphinx_links, sphinx_nodes
from figmill.integrations.html import FigureLook
from figmill.integrations.lookup import Embedding, Missing, Target
from figmill.integrations.opened import Opened
from figmill.integrations.sphinx_nodes import books

_log = logging.getLogger(__name__)
# docname -> label -> digest of everything the page shows of that figure; empty: something is wrong there
Uses = dict[str, dict[str, str]]


def uses(env: BuildEnvironment) -> Uses:
    """The figures that each page shows, kept with Sphinx's environment."""
    if not hasattr(env, "figmill_uses"):
        env.figmill_uses = {}  # type: ignore[attr-defined]
    return env.figmill_uses  # type: ignore[attr-defined, no-any-return]


def digest(book: Opened | ToolError, label: str) -> str:
    """The digest of what a page shows of a figure; empty if there is no such figure."""
    figure = None if isinstance(book, ToolError) else book.catalogue.figures.get(label)
    return figure.digest if figure else ""


class Asker:
    """Queries the book for a page, and warns at the page's own line."""

    def __init__(self, app: Sphinx) -> None:
        self.book = books[app]
        self.env = app.env
        self.source = str(app.srcdir)
        # gettext collects the original text for translation.
        self.is_collecting = app.builder.name == "gettext"

    def figure(self, target: Target, location: Any, **wishes: Any) -> Embedding | Missing:
        self._note(target.label)
        book = self._opened(target)
        if isinstance(book, Missing):
            return book
        answer = lookup.show(book.catalogue, target, failures=book.failures, **wishes)
        doubt = answer.message if isinstance(answer, Missing) else answer.doubt
        if doubt:
            self._warn(target, doubt, location, "missing" if isinstance(answer, Missing) else "stale")
        if isinstance(answer, Missing):
            return answer
        caption = answer.caption and self._translated(answer.caption)
        return replace(answer, alt=self._translated(answer.alt), caption=caption)

    def _translated(self, text: str) -> str:
        """Text of the book, translated by the page's message catalogue.

        Sphinx itself translates a page before images become figures, so it knows only the text that was there then.
        """
        config = self.env.config
        if self.is_collecting or not text or not config.language:
            return text
        domain = docname_to_domain(self.env.docname, config.gettext_compact)
        folders = [self.env.srcdir / folder for folder in config.locale_dirs]
        catalogue, is_there = init_locale(folders, config.language, domain)
        return catalogue.gettext(text) if is_there else text

    def fact(self, target: Target, location: Any) -> nodes.Node:
        self._note(target.label)
        book = self._opened(target)
        answer = book if isinstance(book, Missing) else lookup.say(book.catalogue, target, book.failures)
        if isinstance(answer, str):
            assert isinstance(book, Opened)
            texts = lookup.interactive_texts(book.catalogue, target)
            if isinstance(texts, Missing):
                self._warn(target, texts.message, location, "missing")
            elif texts:
                return sphinx_nodes.figmill_fact("", answer, figmill_label=target.label, figmill_texts=texts)
            return nodes.Text(answer)
        if answer.message:
            self._warn(target, answer.message, location, "missing")
        return sphinx_nodes.missing(answer)

    def lost(self, target: Target, location: Any) -> bool:
        """Whether a link names a figure that the book does not have; warns of it."""
        self._note(target.label)
        book = self._opened(target)
        if isinstance(book, Missing):
            return True
        message = lookup.lost(book.catalogue, target, (target.label,), book.failures)
        if message is not None:
            self._warn(target, message, location, "missing")
        return message is not None

    def details(
        self, embedding: Embedding, images: list[nodes.Element], document: nodes.document
    ) -> list[nodes.Element]:
        """The long description below a figure, to which its pictures point at its first place in the page."""
        assert isinstance(self.book, Opened)
        catalogue, files_ = self.book.catalogue, dict[str, str]()
        description = embedding.figure.description
        for table in description.tables if description and description.shown else ():
            path = sphinx_nodes.path_from(self.source, catalogue, table).lstrip("/")
            files_[table.path] = str(self.env.dlfiles.add_file(self.env.docname, path))
            self.env.note_dependency(path)
        disclosure = sphinx_nodes.details(embedding.figure, catalogue.folder, files_)
        id_ = long_description.id_of(embedding.label)
        if disclosure and id_ not in document.ids:
            document.ids[id_] = disclosure[0]
            disclosure[0]["ids"].append(id_)
            for image in images:
                image["figmill_described"] = id_
        return disclosure

    def nodes(
        self, embedding: Embedding, look: FigureLook, wanted: str, location: Any
    ) -> list[nodes.Element]:
        """The pictures of a figure. wanted: whether they stand in the page itself, one of links.WISHES."""
        assert isinstance(self.book, Opened)
        svg, folder = None, self.book.catalogue.folder
        if links.is_inline(embedding, folder, wanted):
            number = self._count(embedding.label)
            svg = {
                theme: html.inlined(figures.read(folder, picture.path).decode(), number)
                for theme, picture in embedding.alternates
            }
        elif (why := links.why_dead(embedding, folder, wanted)) is not None:
            location = sphinx_nodes.with_line(location) if isinstance(location, nodes.Node) else location
            _log.info("%s", shown(f"figmill: {links.dead([embedding.label], why)}"), location=location)
        images = sphinx_nodes.pictures(embedding, self.book.catalogue, self.source, look, svg)
        if svg and links.of(folder, embedding):
            sphinx_nodes.link(embedding, images, look)
            sphinx_links.add(images[0], svg[embedding.alternates[0][0]])
        return images

    def _count(self, label: str) -> int:
        """How often this page has already shown a figure inline."""
        counts: dict[str, int] = self.env.current_document.setdefault("figmill_inline", {}) or {}
        counts[label] = counts.get(label, -1) + 1
        self.env.current_document["figmill_inline"] = counts
        return counts[label]

    def _opened(self, target: Target) -> Opened | Missing:
        """The book. An error about it has been reported once, and is not repeated for each figure."""
        return Missing("", target) if isinstance(self.book, ToolError) else self.book

    def _note(self, label: str) -> None:
        uses(self.env).setdefault(self.env.docname, {}).setdefault(label, digest(self.book, label))

    def _warn(self, target: Target, message: str, location: Any, subtype: str) -> None:
        """Warn, and have the page read again by the next build, which warns again."""
        uses(self.env)[self.env.docname][target.label] = ""
        location = sphinx_nodes.with_line(location) if isinstance(location, nodes.Node) else location
        _log.warning("figmill: %s", shown(message), location=location, type="figmill", subtype=subtype)
