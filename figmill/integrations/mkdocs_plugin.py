"""The MkDocs plugin `figmill`, for ProperDocs too.

Builds the book, publishes the pictures that pages show, and watches the sources.
"""

from __future__ import annotations

import logging
from collections.abc import Container, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mkdocs.config import config_options
from mkdocs.config.base import Config, ValidationError
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from figmill.book.names import anchor_of
from figmill.config import Options
from figmill.errors import ToolError
from figmill.host.lines import shown
from figmill.integrations import figures, links, searched, site
from figmill.integrations.fences import PageFences
from figmill.integrations.figures import PictureFile
from figmill.integrations.images import PageImages
from figmill.integrations.lookup import NOWHERE, SCHEME
from figmill.integrations.markdown_ext import FigmillExtension
from figmill.integrations.opened import Opened, find, open_book
from figmill.integrations.site import Link
from figmill.paths import PACKAGE

FOLDER = PACKAGE / "integrations" / "files"
FILES = {
    "figmill.css": FOLDER / "css/figmill.css",
    "figmill-explore.js": FOLDER / "js/figmill-explore.js",
    "figmill-zoom.js": FOLDER / "js/figmill-zoom.js",
}
OF_BOOK = "This is a setting of the book, not of the plugin: write it into figmill.toml."
_log = get_plugin_logger("figmill")


class Settings(Config):  # type: ignore[no-untyped-call]
    """The settings below `figmill:` in mkdocs.yml."""

    root = config_options.Optional(config_options.Type(str))
    folder = config_options.Type(str, default="figures")
    build = config_options.Type(bool, default=True)
    inline = config_options.Type((bool, str), default=links.AUTO)  # one of links.WISHES
    zoom = config_options.Type(bool, default=True)  # whether readers can enlarge figures
    number = config_options.Type(str, default="")  # the text of a figure's number, as in "Figure {}"


class FigmillPlugin(BasePlugin[Settings]):  # type: ignore[no-untyped-call]
    """The plugin's hooks. It is also the `Place` of the Markdown extension, because it knows the current page."""

    def __init__(self) -> None:
        self._book: Opened | ToolError | None = None
        self._in: dict[str, Opened] = {}  # the book by language
        self._page: Page | None = None
        self._files: Files | None = None
        self._site: MkDocsConfig | None = None
        self._is_dirty = False
        self._warnings: list[str] = []
        self._order: list[str] = []  # the names of all pages, in reading order
        self._shown: dict[str, tuple[str, ...]] = {}
        self._links: list[Link] = []
        self._homes: dict[str, str] = {}
        self._numbers: dict[tuple[str, str], str] = {}

    def load_config(
        self, options: dict[str, Any], config_file_path: str | None = None
    ) -> tuple[list[tuple[str, Exception]], list[tuple[str, str]]]:
        """Read the settings. Those of a book, such as `fences`, are errors here, which say where they belong."""
        errors, warnings = super().load_config(options, config_file_path)
        misplaced = [each.name for each in fields(Options) if each.name in options]
        left = [(name, str(text)) for name, text in warnings if name not in misplaced]
        return [*errors, *((name, ValidationError(OF_BOOK)) for name in misplaced)], left

    def on_startup(self, *, command: Any, dirty: bool) -> None:
        """Learn whether MkDocs keeps pages whose sources have not changed."""
        self._is_dirty = dirty

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Add the extension to Markdown, and the style sheet to the theme."""
        self._site = config
        self._book = None
        self._in = {}
        self._warnings = []
        self._shown, self._links = {}, []
        if self.config.number and "{}" not in self.config.number:
            raise PluginError('figmill: the setting `number` has no {}: write "Figure {}"')
        try:
            wanted = links.wish(self.config.inline)
        except ToolError as error:
            raise PluginError(f"figmill: {error}") from None
        config.markdown_extensions.append(FigmillExtension(self, inline=wanted))  # type: ignore[arg-type]
        config.extra_css.insert(0, f"{self.config.folder}/figmill.css")
        config.extra_javascript.append(f"{self.config.folder}/figmill-explore.js")
        if self.config.zoom:
            config.extra_javascript.append(f"{self.config.folder}/figmill-zoom.js")
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Build the book, once for all pages."""
        self._files = files
        for name, path in FILES.items():
            files.append(self._generated(f"{self.config.folder}/{name}", path))
        try:
            root = find(Path(config.config_file_path or ".").resolve().parent, self.config.root)
            self._book = open_book(root, build=self.config.build)
        except ToolError as error:
            self._book = error
            self._warn(str(error))
            return files
        for line in self._book.lines:
            self._warn(line)
        if self._is_dirty:
            signs = (SCHEME, *self._book.fences, *map(".{}".format, self._book.images))
            for page in files.documentation_pages():
                if any(sign in page.content_string for sign in signs):  # it depends on more than its source
                    page.is_modified = lambda: True  # type: ignore[method-assign]
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Learn the order of the pages."""
        self._order = [page.file.src_uri for page in nav.pages]
        return nav

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Remember the page about to be converted."""
        self._page, self._files = page, files
        return markdown

    def on_env(self, env: Any, *, config: MkDocsConfig, files: Files) -> Any:
        """Once all pages are converted: number the figures, resolve links to other pages, and report dead ones."""
        pages = {
            file.src_uri: file.page for file in files.documentation_pages() if file.page and file.page.content
        }
        order = list(dict.fromkeys((*(name for name in self._order if name in pages), *pages)))
        self._homes = site.homes(order, self._shown)
        for link in site.lost(self._links, self._homes):
            self.warn(f"{link.where}{NOWHERE.format(link.label)}")
        contents = {name: str(page.content) for name in order if (page := pages[name])}
        contents, self._numbers = site.numbered(contents, self.config.number)
        for link in dict.fromkeys(self._links):
            home = site.home_of(link.page, link.label, self._homes, self._shown)
            if link.is_number and home and (home, link.label) not in self._numbers:
                self.warn(
                    f"{link.where}figure '{link.label}' has no number because it has no caption on {home}"
                )
        for name, content in contents.items():
            page = pages[name]
            assert page is not None
            page.content = self._led(content, page)
        return env

    def _led(self, html: str, page: Page) -> str:
        """A page with its links to figures of other pages resolved."""
        assert self._files is not None
        files, here = self._files, page.file.src_uri

        def home(label: str) -> str:
            return site.home_of(here, label, self._homes, self._shown) or here

        def address(label: str) -> str:
            other = files.get_file_from_path(home(label))
            assert other is not None
            way = "" if home(label) == here else other.url_relative_to(page.file)
            return f"{way}#{anchor_of(label)}"

        return site.led(html, address, lambda label: self._numbers.get((home(label), label), label))

    @event_priority(-100)  # after the search plugins
    def on_page_context(self, context: Any, *, page: Page, config: MkDocsConfig, nav: Navigation) -> Any:
        """Remove the figures' text, which the search index has read."""
        page.content = searched.without(page.content or "")
        return context

    @event_priority(100)  # before plugins that shorten the page's code
    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """The same for text that a theme copies into another page, such as an excerpt; also resolve its links."""
        return searched.without(self._led(output, page) if SCHEME in output else output)

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Fail in strict mode even with --quiet, where MkDocs counts no warnings."""
        if config.strict and self._warnings and not _log.isEnabledFor(logging.WARNING):
            raise PluginError("\n".join(self._warnings))

    def on_serve(self, server: Any, *, config: MkDocsConfig, builder: Any) -> Any:
        """Watch questions and sources, but nothing that a build writes."""
        if isinstance(self._book, Opened):
            for folder in self._book.watched:
                if folder.is_dir():
                    server.watch(str(folder))
        return server

    @property
    def source(self) -> Path | None:
        """The page's file."""
        path = self._page.file.abs_src_path if self._page else None
        return Path(path) if path else None

    def book(self) -> Opened | ToolError:
        """The book of this build, in the language of the page."""
        assert self._book is not None, "MkDocs lists files before it reads pages"
        code = self._language()
        if isinstance(self._book, ToolError) or not code:
            return self._book
        if code not in self._in:
            self._in[code] = self._book.in_language(code)
        return self._in[code]

    def fences(self, text: str) -> PageFences | None:
        """The code blocks of the page; an error of the whole book was reported before."""
        book = self.book()
        return PageFences(book, self.source) if isinstance(book, Opened) else None

    def images(self) -> PageImages | None:
        """The images of the page; an error of the whole book was reported before."""
        book = self.book()
        return PageImages(book, self.source) if isinstance(book, Opened) and book.images else None

    def _language(self) -> str:
        """The language that the page states, or that mkdocs-static-i18n gives it; else that of the theme."""
        page, theme = self._page, self._site.theme if self._site else {}
        stated = (page.meta.get("lang") or getattr(page.file, "locale", None)) if page else None
        return str(stated or theme.get("language") or theme.get("locale") or "")

    def url(self, picture: PictureFile) -> str:
        """A path from the page's source, which MkDocs checks and makes relative; also publishes the picture."""
        assert self._page and self._files and isinstance(self._book, Opened)
        self.publish([picture])
        return quote("../" * self._page.file.src_uri.count("/") + self._name(picture))

    def publish(self, pictures: Iterable[PictureFile]) -> None:
        """Add pictures to the files of the site."""
        assert self._files is not None and isinstance(self._book, Opened)
        for picture in pictures:
            name = self._name(picture)
            if self._files.get_file_from_path(name) is None:
                try:
                    path = Path(figures.place(self._book.catalogue.folder, picture.path))
                except OSError as error:
                    raise PluginError(
                        f"figmill: {picture.path} cannot be published: {error.strerror}"
                    ) from None
                self._files.append(self._generated(name, path))

    def _name(self, picture: PictureFile) -> str:
        return f"{self.config.folder}/{picture.path}"

    @property
    def has_numbers(self) -> bool:
        """Whether the site numbers its figures."""
        return bool(self.config.number)

    @property
    def is_searched(self) -> bool:
        """Whether the page is indexed for search."""
        return True

    @property
    def has_zoom(self) -> bool:
        """Whether readers can enlarge figures."""
        return self.config.zoom

    def shows(self, labels: Iterable[str]) -> None:
        """Record which figures the page shows."""
        assert self._page is not None
        self._shown[self._page.file.src_uri] = tuple(sorted(labels))

    def elsewhere(self, label: str, where: str, *, is_number: bool) -> str:
        """A mark for the address, which is known once all pages are converted."""
        assert self._page is not None
        self._links.append(Link(self._page.file.src_uri, label, where, is_number))
        return f"{SCHEME}{label}"

    def warn(self, message: str) -> None:
        """Log a MkDocs warning, which counts under --strict. An error of the whole book was reported before."""
        if not isinstance(self._book, ToolError):
            self._warn(message)

    def lost(self, target: str, ids: Container[str]) -> str | None:
        """MkDocs checks the links itself."""
        return None

    def note(self, message: str) -> None:
        """Log a line that is not a warning."""
        _log.info(shown(message))

    def _warn(self, message: str) -> None:
        self._warnings.append(shown(message))
        _log.warning(self._warnings[-1])

    def _generated(self, name: str, path: Path) -> File:
        assert self._site is not None
        return File.generated(self._site, name, abs_src_path=str(path))
