"""The MkDocs plugin `figmill`, for ProperDocs too.

Builds the book, publishes the pictures that pages show, and watches the sources.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, get_plugin_logger
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from figmill.errors import ToolError
from figmill.host.lines import shown
from figmill.integrations.figures import Picture
from figmill.integrations.markdown_ext import FigmillExtension
from figmill.integrations.opened import Opened, find, open_book
from figmill.integrations.page import SCHEME
from figmill.paths import PACKAGE

FOLDER = PACKAGE / "integrations" / "files"
FILES = {"figmill.css": FOLDER / "css/figmill.css", "figmill-explore.js": FOLDER / "js/figmill-explore.js"}
_log = get_plugin_logger("figmill")


class Settings(Config):  # type: ignore[no-untyped-call]
    """The settings below `figmill:` in mkdocs.yml."""

    root = config_options.Optional(config_options.Type(str))
    folder = config_options.Type(str, default="figures")
    build = config_options.Type(bool, default=True)
    inline = config_options.Type(bool, default=False)


class FigmillPlugin(BasePlugin[Settings]):  # type: ignore[no-untyped-call]
    """The plugin's hooks. It is also the `Place` of the Markdown extension, because it knows the current page."""

    def __init__(self) -> None:
        self._book: Opened | ToolError | None = None
        self._page: Page | None = None
        self._files: Files | None = None
        self._site: MkDocsConfig | None = None
        self._is_dirty = False
        self._warnings: list[str] = []

    def on_startup(self, *, command: Any, dirty: bool) -> None:
        """Learn whether MkDocs keeps pages whose sources are as they were."""
        self._is_dirty = dirty

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Add the extension to Markdown, and the style sheet to the theme."""
        self._site = config
        self._book = None
        self._warnings = []
        config.markdown_extensions.append(FigmillExtension(self, inline=self.config.inline))  # type: ignore[arg-type]
        config.extra_css.insert(0, f"{self.config.folder}/figmill.css")
        config.extra_javascript.append(f"{self.config.folder}/figmill-explore.js")
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Build the book, once for all pages."""
        self._files = files
        if self._is_dirty:
            for page in files.documentation_pages():
                if SCHEME in page.content_string:  # it depends on more than its source
                    page.is_modified = lambda: True  # type: ignore[method-assign]
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
        return files

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Remember the page about to be converted."""
        self._page, self._files = page, files
        return markdown

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
        """The book of this build."""
        assert self._book is not None, "MkDocs lists files before it reads pages"
        return self._book

    def url(self, picture: Picture) -> str:
        """A path from the page's source, which MkDocs checks and makes relative; also publishes the picture."""
        assert self._page and self._files and isinstance(self._book, Opened)
        self.publish([picture])
        return quote("../" * self._page.file.src_uri.count("/") + self._name(picture))

    def publish(self, pictures: Iterable[Picture]) -> None:
        """Add pictures to the files of the site."""
        assert self._files is not None and isinstance(self._book, Opened)
        for picture in pictures:
            name = self._name(picture)
            if self._files.get_file_from_path(name) is None:
                self._files.append(self._generated(name, self._book.catalogue.folder / picture.path))

    def _name(self, picture: Picture) -> str:
        return f"{self.config.folder}/{picture.path}"

    def warn(self, message: str) -> None:
        """Log a MkDocs warning, which counts under --strict. An error of the whole book was reported before."""
        if not isinstance(self._book, ToolError):
            self._warn(message)

    def _warn(self, message: str) -> None:
        self._warnings.append(shown(message))
        _log.warning(self._warnings[-1])

    def _generated(self, name: str, path: Path) -> File:
        assert self._site is not None
        return File.generated(self._site, name, abs_src_path=str(path))
