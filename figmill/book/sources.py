"""A declaration and the names of the book's files -> the file that draws the figure.

Pure. Knows in which folders sources lie, which suffixes go with which kind, and how existing vaults name the
product in place of its source. Whether the file can be drawn is not asked here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nlargest
from pathlib import PurePosixPath
from unicodedata import normalize

from figmill.book.question import Declaration, Question, label_of
from figmill.config import Options
from figmill.errors import AuthorError, did_you_mean
from figmill.kinds import KINDS, is_script, siblings, told_by


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of the visuals folders, to be found by their bare names."""

    roots: tuple[str, ...]
    paths: Mapping[str, str]  # by the path in NFC: a Mac may spell an accent in two characters
    folders: Mapping[str, tuple[str, ...]]  # the file names in each folder
    unusable: Mapping[str, str]  # what lies there and is no such file: by path, the words that say why

    @classmethod
    def of(cls, files: Iterable[str], options: Options, unusable: Mapping[str, str]) -> Sources:
        folders: dict[str, list[str]] = defaultdict(list)
        for path in sorted(files):
            folder, _, name = path.rpartition("/")
            folders[folder].append(name)
        paths = {normalize("NFC", path): path for path in files}
        by_folder = {folder: tuple(names) for folder, names in folders.items()}
        return cls(options.visuals, paths, by_folder, unusable)

    def places(self, track: str) -> tuple[str, ...]:
        """The folders in which the sources of a track are looked for, in order."""
        return tuple(join(root, track) for root in self.roots) + self.roots

    def find(self, folder: str, name: str) -> str | None:
        return self.paths.get(normalize("NFC", join(folder, name)))

    def find_first(self, name: str, track: str) -> str | None:
        found = (self.find(folder, name) for folder in self.places(track))
        return next((path for path in found if path), None)

    def missing(self, name: str, track: str, suffixes: tuple[str, ...]) -> str:
        """What to say where a name is not found."""
        places = self.places(track)
        for path in (join(place, name) for place in places):
            if path in self.unusable:
                return f"'{path}' {self.unusable[path]}; a source is a regular file in the book"
        message = f"no file '{name}' in {' or '.join(places)}"
        elsewhere = [folder for folder, names in self.folders.items() if name in names]
        if elsewhere:
            return f"{message}; there is one in {elsewhere[0]}"
        fitting = [n for place in places for n in self.folders.get(place, ()) if n.endswith(suffixes)]
        return message + near(name, fitting)


@dataclass(frozen=True, slots=True)
class Source:
    """The file that draws a figure, and what it tells of the figure."""

    path: str
    kind: str
    old_product: str | None = None


def find_source(question: Question, declaration: Declaration, sources: Sources) -> Source:
    """Raises AuthorError where there is none, or where it does not fit the kind."""
    path = declaration.path
    name, key = declaration.source, "source"
    if name is None and path is not None and not is_svg(path):
        name, key = path, "path"
    elif name is not None and path is not None and (declaration.rendered or not is_svg(path)):
        raise AuthorError(declaration.at("path"), "path says what source and rendered say; leave it out")
    if name is None:
        return _inferred(question, declaration, sources)
    at = declaration.at(key)
    kind, suffix = declaration.kind, PurePosixPath(name).suffix
    if kind is None and is_script(name):
        raise AuthorError(at, f"'{name}' may draw in two ways; add `kind: matplotlib` or `kind: dot`")
    kind = kind or told_by(suffix)
    if kind is None:
        known = ", ".join(sorted({suffix for row in KINDS.values() for suffix in row.suffixes}))
        raise AuthorError(at, f"no kind of figure is drawn from '{name}'; sources end in {known}")
    if suffix not in KINDS[kind].suffixes:
        fitting = " or ".join(KINDS[kind].suffixes)
        raise AuthorError(at, f"kind {kind} is drawn from {fitting}, not from '{name}'")
    found = sources.find_first(name, question.track)
    if found is None:
        raise AuthorError(at, sources.missing(name, question.track, KINDS[kind].suffixes))
    return Source(found, kind)


def _inferred(question: Question, declaration: Declaration, sources: Sources) -> Source:
    """The source where only its product is named: the sibling that the product is made from, or itself."""
    product = declaration.path or rendered_name(question, declaration)
    stem = product.removesuffix(".svg")
    candidates = siblings(declaration.kind)
    for folder in sources.places(question.track):
        old = sources.find(folder, product)
        for suffix, kind in candidates:
            if found := sources.find(folder, stem + suffix):
                return Source(found, kind, old)
        if old and (drawn_by_hand := told_by(".svg")) and declaration.kind in (None, drawn_by_hand):
            return Source(old, drawn_by_hand)
    if declaration.path or declaration.rendered:
        at = declaration.at("path" if declaration.path else "rendered")
        suffixes = (*(suffix for suffix, _ in candidates), ".svg")
        detail = f"nor is there a {' or '.join(stem + suffix for suffix, _ in candidates)} to build it from"
        raise AuthorError(at, sources.missing(product, question.track, suffixes), detail)
    raise AuthorError(
        declaration.at(), "a figure needs a source: the .dot, .gv, .py or .svg file that draws it"
    )


def rendered_name(question: Question, declaration: Declaration) -> str:
    """The file name of the light SVG."""
    path = declaration.path if declaration.path and is_svg(declaration.path) else None
    return declaration.rendered or path or label_of(question.id, declaration.name) + ".svg"


def is_svg(name: str) -> bool:
    return name.endswith(".svg")


def join(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"


def folded(path: str) -> str:
    """What two paths have in common where a file system takes them for one."""
    return normalize("NFC", normalize("NFD", path).casefold())


def near(word: str, known: Iterable[str]) -> str:
    """`did_you_mean` for a book's thousands of names: the likeliest few are asked, as comparing is slow."""
    return did_you_mean(word, nlargest(100, known, key=lambda name: _begin(word, name) + _end(word, name)))


def _begin(a: str, b: str) -> int:
    """How many characters two words have in common before they differ."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _end(a: str, b: str) -> int:
    return _begin(a[::-1], b[::-1])
