"""The figures of a built book, read from its manifest. Reads that one file, and knows nothing of the engine."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from figmill import page_words
from figmill.book.names import id_problem, unseen_problem
from figmill.config.readers import LANGUAGE
from figmill.errors import ToolError
from figmill.host import files, inside
from figmill.late_dataclasses import dataclass
from figmill.publish import exploring
from figmill.publish.legible import TURNED

if TYPE_CHECKING:
    from figmill.model import Fact

_ACTING = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]")
NAME = "manifest.json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class PictureFile:
    """One file of a figure.

    - path: relative to the manifest.
    - width, height: in px.
    - smallest: the size of its smallest text in px; 0: it has none, or an older figmill did not measure it.
    """

    theme: str
    format: str
    path: str
    width: float
    height: float
    smallest: float = 0.0


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table of a figure, in a CSV file.

    - path: relative to the manifest.
    - form: how a page shows it.
    - total: its rows.
    """

    title: str
    form: str
    total: int
    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class LongDescription:
    """A figure's long description: a text of its question, or else its tables."""

    shown: bool  # whether pages show it
    text: str | None
    tables: tuple[DataTable, ...]


@dataclass(frozen=True, slots=True)
class ExplorationData:
    """The parameters that readers can change.

    - row: the manifest's, reduced.
    - pictures: all files, each once.
    """

    row: Mapping[str, Any]
    pictures: tuple[PictureFile, ...]

    @property
    def facts(self) -> tuple[Mapping[str, Fact], ...]:
        """The facts of each combination, the last parameter varying fastest."""
        return tuple(picture["facts"] for picture in self.row["pictures"])


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as pages know it."""

    label: str  # `<id>`, or `<id>-<name>` if the question has several figures
    title: str | None
    alt: str
    caption: str | None
    is_stale: bool  # its last build failed; the pictures are from an earlier one
    facts: Mapping[str, Fact]
    pictures: tuple[PictureFile, ...]
    explore: ExplorationData | None = None  # None: nothing for readers to change
    source: str = ""
    line: int | None = None  # of its code block, if `source` is a page
    fence: str | None = None  # the name of that block, by its content
    description: LongDescription | None = None
    narrow: tuple[PictureFile, ...] = ()  # its form for narrow screens
    language: str = ""  # of the edition; empty: the book's own
    editions: Mapping[str, Figure] = field(default_factory=dict)  # in other languages
    decimal: str = "."  # the signs in its numbers
    group: str = ","
    is_leftward: bool = False  # the drawing begins at its right end; plots never do
    page: str = ""  # the language of the page that shows it; empty: English
    # figmill's own texts as the book words them, by language
    own_texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def translated(self, text: str) -> str:
        """A text of figmill's own in the language of the page."""
        return page_words.translated(text, self.page, self.own_texts)

    @property
    def digest(self) -> str:
        """A digest of everything that a page shows, except the bytes of the pictures."""
        shown = (self.label, self.title, self.alt, self.caption, self.is_stale, sorted(self.facts.items()))
        rows = (
            shown,
            self.pictures,
            self.description,
            self.narrow,
            self.explore.row if self.explore else None,
        )
        tongue = (
            (self.language, self.page, self.own_texts, self.is_leftward)
            if self.language or self.page or self.own_texts
            else None
        )
        return hashlib.sha256(
            repr((rows, tongue) if tongue else rows).encode("utf-8", "surrogateescape")
        ).hexdigest()

    def picture(self, theme: str, format_: str = "svg") -> PictureFile | None:
        """The picture for this theme in this format, or None."""
        return next((p for p in self.pictures if (p.theme, p.format) == (theme, format_)), None)


@dataclass(frozen=True)
class Catalogue:
    """All figures of a book by label, and the folder of their pictures.

    - language: of the book, and so of a page that states none.
    - own_texts: figmill's own texts as the book words them, by language.
    """

    folder: Path
    figures: Mapping[str, Figure]
    language: str = ""
    own_texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @cached_property
    def in_pages(self) -> Mapping[str, tuple[Figure, ...]]:
        """The figures that are code blocks: by the path of their page, in its order."""
        rows: dict[str, list[Figure]] = {}
        for figure in self.figures.values():
            if figure.line is not None:
                rows.setdefault(figure.source, []).append(figure)
        return {page: tuple(sorted(rows[page], key=lambda row: row.line or 0)) for page in sorted(rows)}

    @cached_property
    def by_fence(self) -> Mapping[str, str]:
        """The first figure of the book that a block with this content is, by the name of the block."""
        blocks = [figure for page in self.in_pages.values() for figure in page if figure.fence is not None]
        return {figure.fence: figure.label for figure in reversed(blocks) if figure.fence is not None}

    def in_language(self, code: str | None) -> Catalogue:
        """The figures as pages in this language show them; those without an edition keep the book's language."""
        page = code or self.language
        shown = {
            label: replace(
                (_edition(figure, code) if code else None) or figure, page=page, own_texts=self.own_texts
            )
            for label, figure in self.figures.items()
        }
        return replace(self, figures=shown)

    def of_book(self, language: str, own_texts: Mapping[str, Mapping[str, str]]) -> Catalogue:
        """The same figures, with what the book's settings say about its language; for pages that state none."""
        return replace(self, language=language, own_texts=own_texts).in_language(None)


def _edition(figure: Figure, code: str) -> Figure | None:
    """The edition in a language, or in its general form: `de` for pages in de-AT."""
    editions = {_plain(name): edition for name, edition in figure.editions.items()}
    wanted = _plain(code)
    return editions.get(wanted) or editions.get(wanted.partition("-")[0])


def _plain(code: str) -> str:
    return code.casefold().replace("_", "-")


def place(folder: Path, path: str) -> str:
    """The real path of a published file. folder: of the manifest; path: as the manifest has it. Raises OSError.

    A manifest is not trusted, and may lie in the folder of a site. The pictures of a book that keeps them beside
    their sources are in a folder beside that of the manifest.
    """
    folder = Path(os.path.abspath(folder))
    name = f"{folder.name}/{path}"
    return inside.place(folder.parent, name, (folder.name, os.path.dirname(name)))


def read(folder: Path, path: str, most: int = files.OWN) -> bytes:
    """The bytes of a published file; arguments as for `place`."""
    return files.read(place(folder, path), most, follow=False)


def load(folder: Path) -> Catalogue:
    """The figures in an output folder. Raises ToolError if its manifest is missing or invalid."""
    path = folder / NAME
    try:
        manifest = json.loads(files.read(path))
        if manifest["version"] != VERSION:
            raise ToolError(
                f"{path}: has version {manifest['version']}, but this figmill reads version {VERSION}"
            )
        figures = {entry.label: entry for entry in map(figure, manifest["figures"])}
    except FileNotFoundError:
        raise ToolError(f"{path} does not exist; run `figmill` in the book") from None
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise ToolError(f"{path} is not a manifest of figmill; run `figmill --force`") from None
    return Catalogue(folder, figures)


def figure(row: Mapping[str, Any]) -> Figure:
    """A row of the manifest. Raises KeyError, TypeError or ValueError if it is invalid."""
    if any(name is not None and id_problem(name) for name in (row["id"], row["name"])):
        raise ValueError("its id is not valid")
    if any(text is not None and unseen_problem(text) for text in (row["title"], row["alt"], row["caption"])):
        raise ValueError("it holds an invisible character")
    pictures = tuple(map(_picture, row["files"]))
    return Figure(
        label=row["id"] if row["name"] is None else f"{row['id']}-{row['name']}",
        title=row["title"],
        alt=row["alt"],
        caption=row["caption"],
        is_stale=row["status"] != "current",
        facts=row["facts"],
        pictures=pictures,
        explore=exploration(row["explore"]) if "explore" in row else None,
        source=str(row.get("source", "")),
        line=row.get("line"),
        fence=row.get("fence"),
        description=_description(row["description"]) if "description" in row else None,
        narrow=tuple(map(_picture, row.get("narrow", ()))),
        language=row.get("language", ""),
        editions={code: _translated(row, code, part) for code, part in row.get("languages", {}).items()},
        decimal=str(row.get("decimal", ".")),
        group=str(row.get("group", ",")),
        is_leftward=row.get("direction") == "rtl" and row.get("kind") in TURNED,
    )


# What an edition has of its own, or not at all.
_OWN = ("languages", "narrow", "description", "explore")


def _translated(row: Mapping[str, Any], code: str, part: Mapping[str, Any]) -> Figure:
    """A figure in another language. Raises as `figure` does."""
    if not LANGUAGE.fullmatch(code):
        raise ValueError("no language")
    shared = {name: value for name, value in row.items() if name not in _OWN}
    return figure({**shared, **part, "language": code})


def _description(row: Mapping[str, Any]) -> LongDescription:
    tables = tuple(
        DataTable(table["title"], table["form"], int(table["total"]), _inside(table["path"]), table["sha256"])
        for table in row["tables"]
    )
    text = row.get("text")
    texts = [text, *(table.title for table in tables)]
    if any(text is not None and unseen_problem(text) for text in texts):
        raise ValueError("it holds an invisible character")
    return LongDescription(bool(row["shown"]), text, tables)


def exploration(row: Mapping[str, Any]) -> ExplorationData:
    """The key `explore` of a manifest row. Raises KeyError, TypeError or ValueError if it is invalid."""
    pictures: dict[str, PictureFile] = {}
    for file in (file for picture in row["pictures"] for file in picture["files"]):
        pictures[file["path"]] = _picture(file)
    return ExplorationData(exploring.reduced(row), tuple(pictures.values()))


def _picture(file: Mapping[str, Any]) -> PictureFile:
    size = file["width"], file["height"], float(file.get("smallest_text", 0))
    return PictureFile(file["theme"], file["format"], _inside(file["path"]), *size)


def _inside(path: str) -> str:
    """The path, if it is relative and cannot be read as an address. Raises ValueError for any other."""
    if path[:1] == "/" or "\\" in path or ":" in path.partition("/")[0] or _ACTING.search(path):
        raise ValueError(path)
    return path
