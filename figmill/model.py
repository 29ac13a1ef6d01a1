"""The model: the values that all packages share, frozen. Standard library only.

Paths are POSIX strings relative to the book's root, so no value depends on a machine.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from enum import StrEnum
from typing import Any, TypeAlias

from figmill.host.lines import message as shortened
from figmill.host.lines import one_line
from figmill.late_dataclasses import dataclass

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"
Cell: TypeAlias = "None | bool | int | float | str"
Fact: TypeAlias = "None | bool | int | float | str | list[None | bool | int | float | str]"


_NO_VALUES: Mapping[str, Any] = {}


def no_values() -> Mapping[str, Any]:
    """The default of mappings, one for all: a book may have 100 000 figures with five empty ones each."""
    return _NO_VALUES


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was written: a path, with line and column (from 1) if they are known."""

    path: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        parts = (one_line(self.path), self.line, self.column)
        return ":".join(str(part) for part in parts if part is not None)


@dataclass(frozen=True, slots=True)
class Warned:
    """A finding of a check (see checks.py): a possible problem for readers, and its place."""

    origin: Origin
    message: str
    check: str

    def __post_init__(self) -> None:
        # The message quotes labels, which may contain anything, of any length.
        object.__setattr__(self, "message", shortened(self.message))

    def __str__(self) -> str:
        return f"{self.origin}: {self.message} [{self.check}]"


@dataclass(frozen=True, slots=True)
class Drawing:
    """The return value of a generator that states numbers.

    figure: a matplotlib Figure, a graphviz graph or DOT text. facts: JSON scalars, or lists of at most 256. tables:
    title -> what the figure shows, for readers who cannot see it: rows as mappings, or columns as sequences.
    """

    figure: Any
    facts: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FigureTable:
    """What a figure shows, as text and numbers. form: how a page shows it, `table` or a list of nodes or edges.

    total: the number of rows before some were left out.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    form: str
    total: int


@dataclass(frozen=True, slots=True)
class ExpectedFact:
    """A number that a generator must state: |drawn - value| <= max(rel * |value|, abs)."""

    name: str
    value: Json
    rel: float = 1e-3
    abs: float = 0.0


@dataclass(frozen=True, slots=True)
class FactSource:
    """Where a question has a fact from: a file, and the place of the value in it."""

    name: str
    file: str
    place: str


@dataclass(frozen=True, slots=True)
class Expect:
    """The expectations of a figure as drawn; empty by default.

    counts: the expected numbers of what the figure's kind counts, such as nodes and edges of a graph.
    """

    counts: Mapping[str, int] = field(default_factory=no_values)
    text: tuple[str, ...] = ()
    facts: tuple[ExpectedFact, ...] = ()


_MADE = re.compile(r"-[0-9a-f]{8}(?:-[0-9]+)?$")


def is_made(id_: str) -> bool:
    """Whether an id has the form of those that figmill makes for blocks of pages without one."""
    return _MADE.search(id_) is not None


@dataclass(frozen=True, slots=True)
class Fence:
    """A source in a page, as a code block.

    line: of its first line in the page; column: the number of characters before each of its lines there. key: the name
    by which hosts find it. suffix: of files with such sources. file: the file of the book that is the whole source,
    because the block includes it; is_composed: the block includes other text, so its lines are not those of the page.
    """

    text: str
    line: int
    column: int
    key: str
    suffix: str
    file: str | None = None
    is_composed: bool = False

    def placed(self, page: str, opening: Origin, at: Origin) -> Origin:
        """A place in this source as a place in its page. opening: where the block begins."""
        if self.file is not None:
            return Origin(self.file, at.line, at.column)
        if at.line is None or self.is_composed:
            return opening
        column = None if at.column is None else at.column + self.column
        return Origin(page, self.line + at.line - 1, column)


@dataclass(frozen=True, slots=True)
class Translation:
    """The texts of a figure in another language.

    messages: of the drawing, as written -> in that language. decimal, group: the signs in numbers. names: of months and
    days. title, alt, caption, describe: those of the question; None: there is no translation. source: a source of its
    own, whose text is in that language already. file: the catalogue.
    """

    language: str
    file: str
    messages: Mapping[str, str] = field(default_factory=no_values)
    decimal: str = "."
    group: str = ","
    names: Mapping[str, str] = field(default_factory=no_values)
    is_rtl: bool = False
    title: str | None = None
    alt: str | None = None
    caption: str | None = None
    describe: str | None = None
    source: str | None = None

    @property
    def wording(self) -> dict[str, Json]:
        """The part of the translation that a drawing needs, as JSON values; see wording.py."""
        return {
            "language": self.language,
            "messages": {} if self.source else dict(self.messages),
            "decimal": self.decimal,
            "group": self.group,
            "names": dict(self.names),
            "rtl": self.is_rtl,
        }


@dataclass(frozen=True, slots=True)
class Visual:
    """One figure of the book, with its source found and its output named."""

    id: str
    name: str | None  # None: the question's only figure
    track: str
    title: str | None
    kind: str
    source: str
    output: str  # the light SVG, relative to the output folder
    alt: str
    caption: str | None
    origins: Mapping[str, Origin]  # "", "kind", "params.devices", ...: the place of each value
    params: Mapping[str, Json] = field(default_factory=no_values)
    engine: str = "dot"
    inputs: tuple[str, ...] = ()
    figure: str = ""  # the number or the name of one of a script's figures; empty: it makes one
    themes: tuple[str, ...] = ("light",)
    timeout: float = 60.0
    colours: str = "auto"  # or "keep": the fills of areas are data
    width: float | None = None  # displayed width in px; None: its own
    expect: Expect = Expect()
    lint: Mapping[str, str] = field(default_factory=no_values)  # exempted check -> the reason
    old_product: str | None = None  # a checked-in SVG beside `source`, made from it by hand
    # parameters that readers can change
    explore: Mapping[str, tuple[Json, ...]] = field(default_factory=no_values)
    # the values, for a picture of an exploration other than the declared one
    explored: Mapping[str, Json] = field(default_factory=no_values)
    fence: Fence | None = None  # `source` is a page, and the figure's source is this code block in it
    translations: tuple[Translation, ...] = ()  # its further languages
    translation: Translation | None = None  # this is the figure in that language

    describe: str | bool = True  # the figure's long description; True: what was drawn; False: none
    # params of its form for narrow screens; empty: none
    narrow: Mapping[str, Json] = field(default_factory=no_values)
    facts: tuple[FactSource, ...] = ()  # those that the question takes from files of the book
    is_image: bool = False  # a page shows `source` as an image
    language: str = ""  # of its texts, where its question or its page states one other than English

    @property
    def drawn_from(self) -> str:
        """The name of its source for a renderer: a code block in a page counts as a file beside the page."""
        return self.source if self.fence is None else f"{self.source}{self.fence.suffix}"

    def placed(self, at: Origin) -> Origin:
        """Turn a place in the source, as a renderer reports it, into a place in the book.

        Equal blocks of several pages are drawn once, so it may name another page.
        """
        if self.fence is None or not at.path.endswith(self.fence.suffix):
            return at
        return self.fence.placed(self.source, self.at(), at)

    @property
    def label(self) -> str:
        """The figure's name in reports and in the ids of its SVG: `<id>`, or `<id>-<name>` in a list."""
        return self.id if self.name is None else f"{self.id}-{self.name}"

    def at(self, *keys: str) -> Origin:
        """The place of the value under these keys, else of the nearest enclosing value."""
        for end in range(len(keys), -1, -1):
            origin = self.origins.get(".".join(keys[:end]))
            if origin is not None:
                return origin
        raise KeyError("a Visual always knows its own origin")


Row: TypeAlias = tuple[str, str]  # an input's name and digest


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """All inputs of a product as (name, digest) rows. The digest of all rows is the product's key.

    A book may have 100 000 figures, whose tools, fonts and settings are the same: `shared` is then one set for all of
    them. Only the rows count, not which of them are shared.
    """

    own: tuple[Row, ...]
    shared: frozenset[Row] = frozenset()

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Inputs:
        return cls(tuple(rows))

    @property
    def rows(self) -> frozenset[Row]:
        return self.shared.union(self.own)

    @property
    def digest(self) -> str:
        lines = sorted(f"{name}\0{value}\n" for name, value in self.rows)
        return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Inputs) and not self._differing(other)

    def __hash__(self) -> int:
        return hash(self.rows)

    def __or__(self, other: Inputs) -> Inputs:
        shared = self.shared | other.shared if self.shared and other.shared else self.shared or other.shared
        return Inputs((*self.own, *other.own), shared)

    def reasons(self, old: Inputs) -> tuple[str, ...]:
        """The names whose digests differ from `old`: the reasons to make a product again."""
        return tuple(sorted({name for name, _ in self._differing(old)}))

    def _differing(self, other: Inputs) -> frozenset[Row]:
        """The rows that only one of both has."""
        if self.shared == other.shared:
            return frozenset(self.own).symmetric_difference(other.own) - self.shared
        return self.rows ^ other.rows


@dataclass(frozen=True, slots=True)
class File:
    """One output file; `path` is relative to the book's root, width and height are in px.

    smallest: the size of its smallest text in px, as shown; 0: it has no text.
    """

    theme: str
    format: str
    path: str
    sha256: str
    width: float
    height: float
    smallest: float = 0.0


@dataclass(frozen=True, slots=True)
class DataFile:
    """A table of a figure as a CSV file; `path` is relative to the book's root. rows: in it; total: in its table."""

    title: str
    form: str
    rows: int
    total: int
    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Description:
    """A figure's long description: a text of its question, or else its tables. is_shown: pages show it."""

    is_shown: bool
    text: str | None
    tables: tuple[DataFile, ...]


@dataclass(frozen=True, slots=True)
class ExploredPicture:
    """One picture of an exploration: the values it was drawn with, and its texts and facts."""

    params: Mapping[str, Json]
    alt: str
    caption: str | None
    facts: Mapping[str, Fact]
    files: tuple[File, ...]


@dataclass(frozen=True, slots=True)
class Exploration:
    """The parameters that readers can change, with a picture per combination, the last parameter varying fastest.

    declared: the index of the declared picture. Equal pictures share their files; size: of all files, in bytes, each
    counted once.
    """

    parameters: Mapping[str, tuple[Json, ...]]
    declared: int
    pictures: tuple[ExploredPicture, ...]
    size: int

    @property
    def files(self) -> tuple[File, ...]:
        """All files, each once."""
        return tuple({file.path: file for picture in self.pictures for file in picture.files}.values())


@dataclass(frozen=True, slots=True)
class Edition:
    """A figure as published in another language. decimal, group: the signs in its numbers. is_rtl: it is read from
    right to left.
    """

    language: str
    title: str | None
    alt: str
    caption: str | None
    decimal: str
    group: str
    is_rtl: bool
    files: tuple[File, ...]
    explore: Exploration | None = None
    description: Description | None = None
    narrow: tuple[File, ...] = ()

    @property
    def all_files(self) -> tuple[File | DataFile, ...]:
        data = self.description.tables if self.description else ()
        return (*self.files, *self.narrow, *data, *(self.explore.files if self.explore else ()))


class PublishedStatus(StrEnum):
    """Whether a published figure is up to date, as the manifest and the gallery state it."""

    CURRENT = "current"
    """Its files were made from the inputs of the build that wrote the manifest."""
    STALE = "stale"
    """It failed in that build, or was not requested: its files are those of an earlier build."""


@dataclass(frozen=True, slots=True)
class Published:
    """One figure as published: its files, and its texts in the manifest and the gallery."""

    id: str
    name: str | None
    track: str
    title: str | None
    kind: str
    source: str
    alt: str
    caption: str | None
    facts: Mapping[str, Fact] = field(default_factory=dict)
    files: tuple[File, ...] = ()
    explore: Exploration | None = None  # None: nothing to change
    line: int | None = None  # of its code block, if `source` is a page
    fence: str | None = None  # the name by which hosts find that block
    description: Description | None = None
    narrow: tuple[File, ...] = ()  # its form for narrow screens
    editions: tuple[Edition, ...] = ()  # in other languages

    @property
    def label(self) -> str:
        return self.id if self.name is None else f"{self.id}-{self.name}"

    @property
    def order(self) -> tuple[str, str]:
        return self.id, self.name or ""

    def in_language(self, language: str) -> Published:
        """The figure as published in another language; the figure itself if there is no such edition."""
        for edition in self.editions:
            if edition.language == language:
                return replace(
                    self,
                    title=edition.title,
                    alt=edition.alt,
                    caption=edition.caption,
                    files=edition.files,
                    explore=edition.explore,
                    description=edition.description,
                    narrow=edition.narrow,
                )
        return self

    @property
    def shown(self) -> Published:
        """Everything that readers see of the figure; not the place of its code block in a page."""
        return replace(self, line=None, fence=None)

    @property
    def all_files(self) -> tuple[File | DataFile, ...]:
        """All its files, each once: its own, its exploration's, its narrow form's, other languages' and its data."""
        data = self.description.tables if self.description else ()
        every: tuple[File | DataFile, ...] = (*self.files, *self.narrow, *data)
        for edition in self.editions:
            every += edition.all_files
        if self.explore is None:
            return every
        return tuple({file.path: file for file in (*every, *self.explore.files)}.values())


@dataclass(frozen=True, slots=True)
class Form:
    """A format in addition to the published SVGs, such as PNG. scale: pixels per px, for formats with pixels.

    ink: "grey" for printers without colour; empty: all colours. width: to which wider figures shrink, in px; 0: none.
    """

    format: str
    scale: float = 1.0
    ink: str = ""
    width: float = 0.0

    def __str__(self) -> str:
        shrunk = f"<{self.width}" if self.width else ""
        return f"{self.ink and f'{self.ink}-'}{self.format}@{self.scale}{shrunk}"


@dataclass(frozen=True, slots=True)
class Change:
    """One output file before and after."""

    target: str
    before: bytes | None  # None: did not exist
    after: bytes | None  # None: removed
