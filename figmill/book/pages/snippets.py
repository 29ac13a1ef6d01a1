"""Lines `--8<--` in a code block: the text that pymdownx.snippets, an extension of Python-Markdown, puts there.

The code of pymdownx.snippets itself resolves the lines, with the settings of the page's host, so a build without the
host sees the same text. It reads copies: `read` alone decides which files of the book may be read.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

from figmill.book.nodes import ListNode, MapNode, Node, Scalar
from figmill.book.pages.blocks import PageBlock
from figmill.errors import AuthorError
from figmill.host.files import create
from figmill.host.temporary import temporary_folder
from figmill.late_dataclasses import dataclass
from figmill.model import Origin

# The bytes of a file by its path in the book; raises AuthorError.
Read: TypeAlias = Callable[[str], bytes | None]

NAME = "pymdownx.snippets"
_LINE = re.compile(r"^[ \t]*;*-+8<-+", re.M)  # as pymdownx.snippets has it
_SECTION = re.compile(r":(?:[0-9:,-]*|[A-Za-z][-_0-9A-Za-z]*)$")


@dataclass(frozen=True, slots=True)
class Snippets:
    """The settings of pymdownx.snippets for a page.

    - file: the one that states them.
    - bases: the folders to search, in the book.
    """

    file: str
    bases: tuple[str, ...]
    encoding: str = "utf-8"
    is_dedented: bool = False


@dataclass(frozen=True, slots=True)
class Included:
    """A block with the text that it includes.

    - files: those that it depends on.
    - whole: the file that is the whole block.
    """

    block: PageBlock
    files: tuple[str, ...] = ()
    whole: str | None = None


def included(page: str, block: PageBlock, read: Read, settings: Callable[[], Snippets | None]) -> Included:
    """A block as its host draws it. Raises AuthorError where a file is missing. settings: those of the page."""
    snippets = settings() if _LINE.search(block.body) else None
    if snippets is None:
        return Included(block)
    files: dict[str, bytes] = {}
    with temporary_folder() as folder:
        resolve = _resolver(page, block, snippets, read, Path(folder), files)
        text, body = (resolve(lines) for lines in (block.text, block.body))
    whole = next(iter(files)) if len(files) == 1 else None
    if whole is not None and files[whole].decode(snippets.encoding, "replace").strip() != text.strip():
        whole = None
    new = replace(block, text=text, body=body)
    return Included(new, (*files, snippets.file), whole)


def _resolver(
    page: str, block: PageBlock, snippets: Snippets, read: Read, folder: Path, files: dict[str, bytes]
) -> Callable[[str], str]:
    """Resolves the lines of a text. folder: for copies; files: receives what was read, by path in the book."""
    try:
        from pymdownx.snippets import (  # type: ignore[import-untyped]
            SnippetExtension,
            SnippetMissingError,
            SnippetPreprocessor,
        )
    except ImportError:
        message = f"this line is for {NAME}, which is not installed here; pip install pymdown-extensions"
        raise AuthorError(_at(page, block, ""), message) from None

    class BookSnippets(SnippetPreprocessor):  # type: ignore[misc]
        copies: dict[str, str] = {}  # noqa: RUF012 - one class for each block

        def get_snippet_path(self, path: str) -> str | None:
            for base in snippets.bases:
                name = posixpath.normpath(posixpath.join(base, path))
                if posixpath.isabs(name) or name.startswith("../"):
                    message = f"{path} is outside of the book; only files below its root can be included"
                    raise AuthorError(_at(page, block, path), message)
                try:
                    data = files.get(name) or read(name)
                except AuthorError as error:
                    raise AuthorError(_at(page, block, path), f"{path} {error.message}") from None
                if data is not None:
                    files[name] = data
                    copy = folder / str(len(self.copies))
                    if name not in self.copies:
                        create(str(copy), data)
                    return self.copies.setdefault(name, str(copy))
            return None

    settings: dict[str, Any] = {key: value[0] for key, value in SnippetExtension().config.items()}
    settings |= {
        "encoding": snippets.encoding,
        "dedent_subsections": snippets.is_dedented,
        "check_paths": True,
    }
    settings |= {"auto_append": [], "url_download": False}

    def resolve(text: str) -> str:
        try:
            lines = BookSnippets(settings, SimpleNamespace(tab_length=4)).run(text.split("\n"))
        except SnippetMissingError as error:
            path = next(iter(re.findall("'(.*)'", str(error))), "")
            places = " or ".join(base or "." for base in snippets.bases)
            message = f"there is no {path} to include; {snippets.file} looks in {places}"
            raise AuthorError(_at(page, block, path), message) from None
        except (UnicodeDecodeError, LookupError):
            message = f"an included file is not {snippets.encoding}; save it as {snippets.encoding}"
            raise AuthorError(_at(page, block, ""), message) from None
        return "\n".join(lines)

    return resolve


def _at(page: str, block: PageBlock, path: str) -> Origin:
    """The line of a block that names a path."""
    lines = enumerate(block.text.split("\n"), block.first)
    sign = _SECTION.sub("", path) or "8<"
    return Origin(page, next((number for number, line in lines if sign in line), block.start))


# ---------------------------------------------------------------- settings


def of_page(page: str, read: Read) -> Snippets | None:
    """What the nearest settings of a host say, upwards from the page; None if they do not name the extension."""
    folder = posixpath.dirname(page)
    while True:
        for name, reader in (("zensical.toml", _of_toml), ("mkdocs.yml", _of_yaml)):
            path = posixpath.join(folder, name)
            if (data := read(path)) is not None:
                return reader(path, data)
        if not folder:
            return None
        folder = posixpath.dirname(folder)


def _of_toml(path: str, data: bytes) -> Snippets | None:
    try:
        extensions = tomllib.loads(data.decode())["project"]["markdown_extensions"]
        settings = extensions[NAME] if NAME in extensions else extensions["pymdownx"]["snippets"]
        return _settings(path, settings)
    except (ValueError, LookupError, TypeError):  # Zensical reports what is wrong with its settings
        return None


def _of_yaml(path: str, data: bytes) -> Snippets | None:
    from figmill.book import yaml_parser  # loads PyYAML, which few pages need

    try:
        rows = yaml_parser.read(path, data, frozenset(("markdown_extensions",)))
    except AuthorError:  # MkDocs reports what is wrong with its settings
        return None
    for _, node in rows:
        for key, value in _extensions(node):
            if isinstance(key, Scalar) and key.text == NAME:
                return _settings(path, _plain(value))
    return None


def _extensions(node: Node) -> Iterator[tuple[Node, Node | None]]:
    """The names of extensions with their settings: a mapping, or a list of names and of mappings."""
    for item in node.items if isinstance(node, ListNode) else (node,):
        if isinstance(item, MapNode):
            yield from item.rows
        else:
            yield item, None


def _plain(node: Node | None) -> Any:
    if isinstance(node, ListNode):
        return [_plain(item) for item in node.items]
    if isinstance(node, MapNode):
        return {key.text: _plain(value) for key, value in node.rows if isinstance(key, Scalar)}
    return node.text if isinstance(node, Scalar) else None


def _settings(path: str, value: Any) -> Snippets:
    """The settings below the extension's name. MkDocs and Zensical run in the folder of their own settings."""
    given = value if isinstance(value, dict) else {}
    bases = given.get("base_path", ".")
    folder = posixpath.dirname(path)
    # `!relative $config_dir` of MkDocs
    names = [
        str(base).replace("$config_dir", ".") for base in (bases if isinstance(bases, list) else [bases])
    ]
    return Snippets(
        path,
        tuple(posixpath.normpath(posixpath.join(folder, name)) for name in names),
        str(given.get("encoding") or "utf-8"),
        str(given.get("dedent_subsections", "")).lower() == "true",
    )
